#include "sgt/loss/loss.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <sstream>
#include <stdexcept>

namespace sgt {

// ---------------------------------------------------------------------------------------------
// What targets are like
// ---------------------------------------------------------------------------------------------

double weighted_quantile(const Targets& t, double alpha) {
    if (t.y.empty()) return 0.0;
    std::vector<std::size_t> order(t.y.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return t.y[a] < t.y[b]; });
    const double wanted = alpha * std::accumulate(t.w.begin(), t.w.end(), 0.0);
    double below = 0.0;
    for (const std::size_t i : order) {
        below += t.w[i];
        if (below >= wanted) return t.y[i];
    }
    return t.y[order.back()];
}

double spread(const Targets& t) {
    const double median = weighted_quantile(t, 0.5);
    double sum = 0.0, weight = 0.0;
    for (std::size_t i = 0; i < t.y.size(); ++i) {
        sum += t.w[i] * std::fabs(t.y[i] - median);
        weight += t.w[i];
    }
    return sum > 0.0 ? sum / weight : 1.0;
}

namespace {

double weighted_mean(const Targets& t) {
    double mean = 0.0, weight = 0.0;  // moved step by step: large targets lose no digits
    for (std::size_t i = 0; i < t.y.size(); ++i) {
        weight += t.w[i];
        mean += (t.y[i] - mean) * (t.w[i] / weight);
    }
    return mean;
}

// The mean distance from the median of a normal distribution of standard deviation 1 is this.
constexpr double kNormalSpread = 0.7978845608028654;

// ---------------------------------------------------------------------------------------------
// Losses of the residual r = raw - y
// ---------------------------------------------------------------------------------------------

class SquaredError final : public Loss {
public:
    Derivatives derivatives(double y, double raw) const override {
        return {raw - y, 1.0};
    }
    double best_constant(const Targets& t) const override {
        return weighted_mean(t);
    }
    Layout layout() const override {
        return Layout::constant_hessian;
    }
};

// Losses that need to know what is a small residual: `share` of the warm-up's spread.
class ScaledLoss : public Loss {
public:
    ScaledLoss(double share, double given)
        : share_(share), is_given_(given > 0.0), scale_(given > 0.0 ? given : 1.0) {}
    double scale_for(const Targets& t) const {
        return is_given_ ? scale_ : share_ * spread(t);
    }
    void take_scale(const Targets& t) override {
        scale_ = scale_for(t);
    }
    double scale() const override {
        return scale_;
    }
    void set_scale(double scale) override {
        scale_ = scale;
    }

private:
    double share_;
    bool is_given_;

protected:
    double scale_;
};

// Reweighted squares: the hessian is that of the parabola which touches the loss at r and lies
// above it, so that a Newton step never overshoots. |r| itself has no hessian.
class Quantile final : public ScaledLoss {
public:
    // l = tilt * (|r| + (1 - 2 alpha) r): alpha = 1/2, tilt = 1 is the absolute error, tilt = 1/2
    // the quantile ("pinball") loss. |r| is rounded off below the scale.
    Quantile(double alpha, double tilt, double given)
        : ScaledLoss(0.1, given), alpha_(alpha), tilt_(tilt) {}
    Derivatives derivatives(double y, double raw) const override {
        const double r = raw - y, h = tilt_ / std::max(std::fabs(r), scale_);
        return {h * r + tilt_ * (1.0 - 2.0 * alpha_), h};
    }
    double best_constant(const Targets& t) const override {
        return weighted_quantile(t, alpha_);
    }

private:
    double alpha_, tilt_;
};

// Between squares for small residuals and absolute values for large ones: weight(z) = g / r at
// z = r / scale, the hessian of the touching parabola too.
class Robust : public ScaledLoss {
public:
    using ScaledLoss::ScaledLoss;
    Derivatives derivatives(double y, double raw) const override {
        const double r = raw - y, h = weight(r / scale_);
        return {h * r, h};
    }
    double best_constant(const Targets& t) const override {
        const double unit = scale_for(t);
        double constant = weighted_quantile(t, 0.5);
        for (int step = 0; step < 100; ++step) {
            double g = 0.0, h = 0.0;
            for (std::size_t i = 0; i < t.y.size(); ++i) {
                const double r = constant - t.y[i], curvature = weight(r / unit);
                g += t.w[i] * curvature * r;
                h += t.w[i] * curvature;
            }
            if (!(h > 0.0) || std::fabs(g / h) <= 1e-12 * unit) break;
            constant -= g / h;
        }
        return constant;
    }

protected:
    virtual double weight(double z) const = 0;
};

// l = r^2 / 2 up to the scale, scale * |r| - scale^2 / 2 beyond.
class Huber final : public Robust {
public:
    explicit Huber(double given) : Robust(1.35 / kNormalSpread, given) {}

protected:
    double weight(double z) const override {
        return 1.0 / std::max(std::fabs(z), 1.0);
    }
};

// l = scale^2 * log cosh(r / scale)
class LogCosh final : public Robust {
public:
    explicit LogCosh(double given) : Robust(1.0 / kNormalSpread, given) {}

protected:
    double weight(double z) const override {
        return std::fabs(z) < 1e-4 ? 1.0 - z * z / 3.0 : std::tanh(z) / z;
    }
};

// ---------------------------------------------------------------------------------------------
// Losses under a logarithmic link: the mean is exp(raw)
// ---------------------------------------------------------------------------------------------

class LogLinked : public Loss {
public:
    // For all these losses the best constant mean is the mean. Where that is 0, half a unit for all
    // rows together stands for it.
    double best_constant(const Targets& t) const override {
        if (t.y.empty()) return 0.0;
        return std::log(std::max(weighted_mean(t), 0.5 / static_cast<double>(t.y.size())));
    }
};

// All these have g = a - b, and their best constant step over a set of rows is log(B / A), A and B
// the sums of a and b. The hessian given is (a + b) / 2: the Newton step is then 2 tanh(log(B / A)
// / 2), which never passes the best one and is at most 2. With the true hessian a step from a low
// mean to a high one would be B / A - 1 on the scale of logarithms.
Derivatives between(double a, double b) {
    return {a - b, 0.5 * (a + b)};
}

// l = exp(raw) - y raw
class Poisson final : public LogLinked {
public:
    Derivatives derivatives(double y, double raw) const override {
        return between(std::exp(raw), y);
    }
};

// l = raw + y exp(-raw)
class Gamma final : public LogLinked {
public:
    Derivatives derivatives(double y, double raw) const override {
        return between(1.0, y * std::exp(-raw));
    }
};

// l = exp((2 - p) raw) / (2 - p) - y exp((1 - p) raw) / (1 - p), 1 < p < 2
class Tweedie final : public LogLinked {
public:
    explicit Tweedie(double power) : power_(power) {}
    Derivatives derivatives(double y, double raw) const override {
        return between(std::exp((2.0 - power_) * raw), y * std::exp((1.0 - power_) * raw));
    }

private:
    double power_;
};

// ---------------------------------------------------------------------------------------------
// Losses of two classes: y is 0 or 1, and the sign of the raw score decides
// ---------------------------------------------------------------------------------------------

std::array<double, 2> class_weights(const Targets& t) {
    std::array<double, 2> of_class{};
    for (std::size_t i = 0; i < t.y.size(); ++i) of_class[t.y[i] > 0.5 ? 1 : 0] += t.w[i];
    return of_class;
}

// log(weight of 1 / weight of 0). A class that is not there counts as half a row.
double log_odds(const Targets& t) {
    std::array<double, 2> of_class = class_weights(t);
    const double half_a_row = 0.5 * (of_class[0] + of_class[1]) / static_cast<double>(t.y.size());
    for (double& weight : of_class) weight = weight > 0.0 ? weight : half_a_row;
    return std::log(of_class[1] / of_class[0]);
}

// l = -log p of the true class, p = 1 / (1 + exp(-raw)) of class 1
class LogLoss final : public Loss {
public:
    bool is_log_loss() const override {
        return true;
    }
    Derivatives derivatives(double y, double raw) const override {
        const double p = BinaryLogLoss::probability(raw), q = BinaryLogLoss::probability(-raw);
        return {y > 0.5 ? -q : p, p * q};
    }
    double best_constant(const Targets& t) const override {
        return t.y.empty() ? 0.0 : log_odds(t);
    }
    // p q is the same for both classes.
    Layout layout() const override {
        return Layout::constant_hessian;
    }
};

// l = -q^gamma log p, p the probability of the true class and q = 1 - p: rows that are right
// already count little. The true hessian q^gamma p (q (1 + 2 gamma) - gamma^2 p log p + gamma q log
// p) is negative in places; without its last term, the negative one, it bounds the true one from
// above.
class Focal final : public Loss {
public:
    explicit Focal(double gamma) : gamma_(gamma) {}
    Derivatives derivatives(double y, double raw) const override {
        const double sign = y > 0.5 ? 1.0 : -1.0;
        const double p = BinaryLogLoss::probability(sign * raw);   // of the true class
        const double q = BinaryLogLoss::probability(-sign * raw);  // of the other
        const double log_p = sign * raw > 0.0 ? -std::log1p(std::exp(-sign * raw))
                                              : sign * raw - std::log1p(std::exp(sign * raw));
        const double discount = std::pow(q, gamma_);
        // dl / d(sign * raw)
        const double slope = discount * (gamma_ * p * log_p - q);
        const double curvature =
            discount * p * (q * (1.0 + 2.0 * gamma_) - gamma_ * gamma_ * p * log_p);
        return {sign * slope, std::max(curvature, 0.0)};
    }
    double best_constant(const Targets& t) const override {
        if (t.y.empty()) return 0.0;
        const auto [weight0, weight1] = class_weights(t);
        double low = -30.0, high = 30.0;  // the summed slope changes its sign once
        for (int step = 0; step < 100; ++step) {
            const double middle = 0.5 * (low + high);
            const double slope =
                weight0 * derivatives(0.0, middle).g + weight1 * derivatives(1.0, middle).g;
            (slope > 0.0 ? high : low) = middle;
        }
        return std::clamp(0.5 * (low + high), -std::fabs(log_odds(t)), std::fabs(log_odds(t)));
    }

private:
    double gamma_;
};

// l = exp(-raw) for class 1 and exp(raw) for class 0, as in AdaBoost; p = 1 / (1 + exp(-2 raw))
class Exponential final : public Loss {
public:
    Derivatives derivatives(double y, double raw) const override {
        const double sign = y > 0.5 ? 1.0 : -1.0, l = std::exp(-sign * raw);
        return {-sign * l, l};
    }
    double best_constant(const Targets& t) const override {
        return t.y.empty() ? 0.0 : 0.5 * log_odds(t);
    }
};

class Parameters {
public:
    Parameters(const std::string& loss, const std::map<std::string, double>& values)
        : loss_(loss), left_(values) {}
    double take(const std::string& name, double otherwise, double above, double below) {
        const auto at = left_.find(name);
        const double value = at == left_.end() ? otherwise : at->second;
        if (at != left_.end()) {
            if (!(value > above && value < below))
                throw std::invalid_argument("loss '" + loss_ + "': " + name + " is out of range");
            left_.erase(at);
        }
        return value;
    }
    double take_scale() {
        return take("scale", 0.0, 0.0, 1e300);
    }
    void finish() const {
        if (!left_.empty())
            throw std::invalid_argument("loss '" + loss_ + "' has no parameter '" +
                                        left_.begin()->first + "'");
    }

private:
    std::string loss_;
    std::map<std::string, double> left_;
};

std::unique_ptr<Loss> make(const std::string& name, Parameters& parameters) {
    if (name == "squared_error") return std::make_unique<SquaredError>();
    if (name == "absolute_error")
        return std::make_unique<Quantile>(0.5, 1.0, parameters.take_scale());
    if (name == "quantile") {
        const double alpha = parameters.take("alpha", 0.5, 0.0, 1.0);
        return std::make_unique<Quantile>(alpha, 0.5, parameters.take_scale());
    }
    if (name == "huber") return std::make_unique<Huber>(parameters.take_scale());
    if (name == "log_cosh") return std::make_unique<LogCosh>(parameters.take_scale());
    if (name == "poisson") return std::make_unique<Poisson>();
    if (name == "gamma") return std::make_unique<Gamma>();
    if (name == "tweedie")
        return std::make_unique<Tweedie>(parameters.take("power", 1.5, 1.0, 2.0));
    if (name == "log_loss") return std::make_unique<LogLoss>();
    if (name == "focal")
        return std::make_unique<Focal>(parameters.take("gamma", 2.0, -1e-300, 100.0));
    if (name == "exponential") return std::make_unique<Exponential>();
    throw std::invalid_argument("there is no loss '" + name + "'");
}

}  // namespace

LossFailure::LossFailure(std::size_t row, double y, double raw, Derivatives d)
    : std::runtime_error([&] {
          std::ostringstream message;
          message.precision(17);
          message << "the loss gave gradient " << d.g << " and hessian " << d.h
                  << ", which must be finite, and the hessian not negative, for y = " << y
                  << ", raw score = " << raw << ", row " << row;
          return message.str();
      }()),
      row_(row) {}

LossFailure LossFailure::in_warm_up(std::size_t left_out) const {
    return {what() + (" of the warm-up; rows left out: " + std::to_string(left_out)), row_};
}

std::unique_ptr<Loss> make_loss(const std::string& name,
                                const std::map<std::string, double>& parameters) {
    Parameters left(name, parameters);
    std::unique_ptr<Loss> loss = make(name, left);
    left.finish();
    return loss;
}

double BinaryLogLoss::probability(double raw) {
    if (raw >= 0.0) return 1.0 / (1.0 + std::exp(-raw));
    const double odds = std::exp(raw);  // never overflows here
    return odds / (1.0 + odds);
}

CellReader BinaryLogLoss::reader(double raw) {
    const double p = probability(raw), q = probability(-raw);
    return CellReader::class_counts({p, p * q}, {-q, p * q});
}

}  // namespace sgt
