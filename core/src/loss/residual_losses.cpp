// Losses of the residual r = raw - y.
#include <algorithm>
#include <cmath>

#include "sgt/loss/families.hpp"
#include "sgt/loss/target_statistics.hpp"

namespace sgt {

namespace {

// The mean distance from the median of a normal distribution of standard deviation 1.
constexpr double kNormalSpread = 0.7978845608028654;

class SquaredError final : public Loss {
public:
    Derivatives derivatives(double y, double raw) const override {
        return {raw - y, 1.0};
    }
    double best_constant(const Targets& t) const override {
        return weighted_mean(t);
    }
    double value(double y, double raw) const override {
        return 0.5 * (raw - y) * (raw - y);
    }
    bool has_own_move() const override {
        return true;
    }
    double own_move(double y, double raw, double rate) const override {
        return rate * (y - raw);
    }
    Layout layout() const override {
        return Layout::constant_hessian;
    }
};

// Losses with a scale: the given one, or `share` of the spread of the warm-up's targets.
class ScaledLoss : public Loss {
public:
    ScaledLoss(double share, double given)
        : share_(share), is_given_(given > 0.0), scale_(given > 0.0 ? given : 1.0) {}
    double scale_for(const Targets& t) const {
        return is_given_ ? scale_ : share_ * spread(t);
    }
    bool averages_steps() const override {
        return true;
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

// Reweighted squares: the hessian is that of the parabola which touches the loss at r and is
// above it, so that a Newton step never overshoots. |r| itself has no hessian; it is replaced by a
// parabola below the scale.
class AbsoluteError final : public ScaledLoss {
public:
    explicit AbsoluteError(double given) : ScaledLoss(0.1, given) {}
    Derivatives derivatives(double y, double raw) const override {
        const double r = raw - y, h = 1.0 / std::max(std::fabs(r), scale_);
        return {h * r, h};
    }
    double value(double y, double raw) const override {
        const double r = raw - y, size = std::fabs(r);
        return size < scale_ ? 0.5 * (r * r / scale_ + scale_) : size;
    }
    double best_constant(const Targets& t) const override {
        return weighted_quantile(t, 0.5);
    }
};

// The gradient is the true one: a rounded one has its zero too far out, where leaves are narrow.
class Quantile final : public ScaledLoss {
public:
    Quantile(double alpha, double given) : ScaledLoss(0.3, given), alpha_(alpha) {}
    Derivatives derivatives(double y, double raw) const override {
        const Pinball pinball{alpha_, scale_};
        return {pinball.gradient(raw - y), pinball.hessian(raw - y)};
    }
    double error(double y, double raw) const override {
        return value(y, raw);
    }
    double value(double y, double raw) const override {
        return Pinball{alpha_, scale_}.value(raw - y);
    }
    double best_constant(const Targets& t) const override {
        return weighted_quantile(t, alpha_);
    }
    std::optional<Pinball> pinball() const override {
        return Pinball{alpha_, scale_};
    }

private:
    double alpha_;
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
    double value(double y, double raw) const override {
        return scale_ * scale_ * value_in_scales((raw - y) / scale_);
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
    virtual double value_in_scales(double z) const = 0;
};

// l = r^2 / 2 up to the scale, scale * |r| - scale^2 / 2 beyond.
class Huber final : public Robust {
public:
    explicit Huber(double given) : Robust(1.35 / kNormalSpread, given) {}

protected:
    double weight(double z) const override {
        return 1.0 / std::max(std::fabs(z), 1.0);
    }
    double value_in_scales(double z) const override {
        return std::fabs(z) < 1.0 ? 0.5 * z * z : std::fabs(z) - 0.5;
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
    double value_in_scales(double z) const override {
        return std::fabs(z) + std::log1p(std::exp(-2.0 * std::fabs(z))) - std::log(2.0);
    }
};

}  // namespace

std::unique_ptr<Loss> make_residual_loss(const std::string& name, LossParameters& parameters) {
    if (name == "squared_error") return std::make_unique<SquaredError>();
    if (name == "absolute_error") return std::make_unique<AbsoluteError>(parameters.take_scale());
    if (name == "quantile") {
        const double alpha = parameters.take("alpha", 0.5, 0.0, 1.0);
        return std::make_unique<Quantile>(alpha, parameters.take_scale());
    }
    if (name == "huber") return std::make_unique<Huber>(parameters.take_scale());
    if (name == "log_cosh") return std::make_unique<LogCosh>(parameters.take_scale());
    return nullptr;
}

}  // namespace sgt
