// Losses under a logarithmic link: the mean is exp(raw).
#include <algorithm>
#include <cmath>

#include "sgt/loss/families.hpp"
#include "sgt/loss/target_statistics.hpp"
#include "sgt/magnitudes.hpp"

namespace sgt {

namespace {

// exp(share * raw) and y exp(-share * raw), share from 0 to 1, within the magnitudes of numbers.
// Both are still monotonic in raw, so that the losses below stay convex.
double power(double raw, double share = 1.0) {
    return std::exp(share * std::min(raw, kHighestLogMean));
}
double ratio(double y, double raw, double share = 1.0) {
    return y * std::exp(-share * std::max(raw, kLowestLogMean));
}

class LogLinked : public Loss {
public:
    double error(double y, double raw) const override {
        return std::fabs(y - power(raw));
    }
    // The best constant prediction is the mean. Where that is 0, half a unit over all rows together
    // replaces it.
    double best_constant(const Targets& t) const override {
        if (t.y.empty()) return 0.0;
        return std::log(std::max(weighted_mean(t), 0.5 / static_cast<double>(t.y.size())));
    }
    // It is the mean that follows: exp(raw) moves towards y.
    bool has_own_move() const override {
        return true;
    }
    double own_move(double y, double raw, double rate) const override {
        return std::log(std::max(1.0 - rate + rate * ratio(y, raw), kLowestMean));
    }
    // A mean that follows stays above a thousandth of its leaf's.
    double lowest_offset() const override {
        return std::log(kLowestMean);
    }

private:
    static constexpr double kLowestMean = 1e-3;
};

// All these have g = a - b, and their best constant step over a set of rows is log(B / A), A and B
// the sums of a and b. The hessian given is (a + b) / 2: the Newton step is then 2 tanh(log(B / A)
// / 2), which is never longer than the best one and at most 2. With the true hessian a step from a
// low mean to a high one would be B / A - 1 on the scale of logarithms.
Derivatives between(double a, double b) {
    return {a - b, 0.5 * (a + b)};
}

// l = exp(raw) - y raw
class Poisson final : public LogLinked {
public:
    Derivatives derivatives(double y, double raw) const override {
        return between(power(raw), y);
    }
    double value(double y, double raw) const override {
        return power(raw) - y * raw;
    }
};

// l = raw + y exp(-raw)
class Gamma final : public LogLinked {
public:
    Derivatives derivatives(double y, double raw) const override {
        return between(1.0, ratio(y, raw));
    }
    double value(double y, double raw) const override {
        return raw + ratio(y, raw);
    }
};

// l = exp((2 - p) raw) / (2 - p) - y exp((1 - p) raw) / (1 - p), 1 < p < 2
class Tweedie final : public LogLinked {
public:
    explicit Tweedie(double power) : power_(power) {}
    Derivatives derivatives(double y, double raw) const override {
        return between(power(raw, 2.0 - power_), ratio(y, raw, power_ - 1.0));
    }
    double value(double y, double raw) const override {
        return power(raw, 2.0 - power_) / (2.0 - power_) +
               ratio(y, raw, power_ - 1.0) / (power_ - 1.0);
    }

private:
    double power_;
};

}  // namespace

std::unique_ptr<Loss> make_log_link_loss(const std::string& name, LossParameters& parameters) {
    if (name == "poisson") return std::make_unique<Poisson>();
    if (name == "gamma") return std::make_unique<Gamma>();
    if (name == "tweedie")
        return std::make_unique<Tweedie>(parameters.take("power", 1.5, 1.0, 2.0));
    return nullptr;
}

}  // namespace sgt
