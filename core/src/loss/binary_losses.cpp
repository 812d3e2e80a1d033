// Losses of two classes: y is 0 or 1, and the sign of the raw score decides.
#include <algorithm>
#include <array>
#include <cmath>

#include "sgt/loss/families.hpp"
#include "sgt/magnitudes.hpp"

namespace sgt {

namespace {

constexpr double kLeastLikelihood = 1e-9;
constexpr double kLeastVariance = 0.1;

}  // namespace

double BinaryLogLoss::probability(double raw) {
    if (raw >= 0.0) return 1.0 / (1.0 + std::exp(-raw));
    const double odds = std::exp(raw);  // never overflows here
    return odds / (1.0 + odds);
}

double BinaryLogLoss::value(double y, double raw) {
    return -std::log(std::max(probability(y > 0.5 ? raw : -raw), kLeastLikelihood));
}

double BinaryLogLoss::move(double y, double raw, double rate) {
    const double p = probability(raw), q = probability(-raw);
    return -rate * (y > 0.5 ? -q : p) / std::max(p * q, kLeastVariance);
}

CellReader BinaryLogLoss::reader(double raw) {
    const double p = probability(raw), q = probability(-raw);
    return CellReader::class_counts({p, p * q}, {-q, p * q});
}

namespace {

std::array<double, 2> class_weights(const Targets& t) {
    std::array<double, 2> of_class{};
    for (std::size_t i = 0; i < t.y.size(); ++i) of_class[t.y[i] > 0.5 ? 1 : 0] += t.w[i];
    return of_class;
}

// log(weight of 1 / weight of 0). A class without rows counts as half a row.
double log_odds(const Targets& t) {
    std::array<double, 2> of_class = class_weights(t);
    const double half_a_row = 0.5 * (of_class[0] + of_class[1]) / static_cast<double>(t.y.size());
    for (double& weight : of_class) weight = weight > 0.0 ? weight : half_a_row;
    return std::log(of_class[1] / of_class[0]);
}

// Targets are 0 and 1, and the link gives the probability of 1.
class ClassLoss : public Loss {
public:
    double error(double y, double raw) const override {
        return (raw > 0.0) == (y == 1.0) ? 0.0 : 1.0;
    }
    bool is_of_classes() const override {
        return true;
    }
};

// l = -log p of the true class, p = 1 / (1 + exp(-raw)) of class 1
class LogLoss final : public ClassLoss {
public:
    bool is_log_loss() const override {
        return true;
    }
    Derivatives derivatives(double y, double raw) const override {
        const double p = BinaryLogLoss::probability(raw), q = BinaryLogLoss::probability(-raw);
        return {y > 0.5 ? -q : p, p * q};
    }
    double value(double y, double raw) const override {
        return BinaryLogLoss::value(y, raw);
    }
    bool has_own_move() const override {
        return true;
    }
    double own_move(double y, double raw, double rate) const override {
        return BinaryLogLoss::move(y, raw, rate);
    }
    double best_constant(const Targets& t) const override {
        return t.y.empty() ? 0.0 : log_odds(t);
    }
    // p q is the same for both classes.
    Layout layout() const override {
        return Layout::constant_hessian;
    }
};

// l = -q^gamma log p, p the probability of the true class and q = 1 - p: rows that are already
// predicted well count little. The true hessian q^gamma p (q (1 + 2 gamma) - gamma^2 p log p +
// gamma q log p) is negative in places; without its last term, the negative one, it bounds the true
// one from above.
class Focal final : public ClassLoss {
public:
    explicit Focal(double gamma) : gamma_(gamma) {}
    Derivatives derivatives(double y, double raw) const override {
        const double sign = y > 0.5 ? 1.0 : -1.0;
        const double p = BinaryLogLoss::probability(sign * raw);   // of the true class
        const double q = BinaryLogLoss::probability(-sign * raw);  // of the other
        const double log_p = log_probability(sign * raw);
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

    double value(double y, double raw) const override {
        const double sign = y > 0.5 ? 1.0 : -1.0;
        return -std::pow(BinaryLogLoss::probability(-sign * raw), gamma_) *
               log_probability(sign * raw);
    }

private:
    static double log_probability(double raw) {
        return raw > 0.0 ? -std::log1p(std::exp(-raw)) : raw - std::log1p(std::exp(raw));
    }

    double gamma_;
};

// l = exp(-raw) for class 1 and exp(raw) for class 0, as in AdaBoost; p = 1 / (1 + exp(-2 raw))
class Exponential final : public ClassLoss {
public:
    Derivatives derivatives(double y, double raw) const override {
        const double sign = y > 0.5 ? 1.0 : -1.0;
        const double l = std::exp(-std::max(sign * raw, kLowestLogMean));
        return {-sign * l, l};
    }
    double value(double y, double raw) const override {
        return std::exp(std::min(y > 0.5 ? -raw : raw, kHighest));
    }
    // It is the probability that follows, that of the log loss at 2 raw.
    bool has_own_move() const override {
        return true;
    }
    double own_move(double y, double raw, double rate) const override {
        return 0.5 * BinaryLogLoss::move(y, 2.0 * raw, rate);
    }
    double best_constant(const Targets& t) const override {
        return t.y.empty() ? 0.0 : 0.5 * log_odds(t);
    }

private:
    static constexpr double kHighest = 10.36;  // where the probability of the true class is 1e-9
};

}  // namespace

std::unique_ptr<Loss> make_binary_loss(const std::string& name, LossParameters& parameters) {
    if (name == "log_loss") return std::make_unique<LogLoss>();
    if (name == "focal")
        return std::make_unique<Focal>(parameters.take("gamma", 2.0, -1e-300, 100.0));
    if (name == "exponential") return std::make_unique<Exponential>();
    return nullptr;
}

}  // namespace sgt
