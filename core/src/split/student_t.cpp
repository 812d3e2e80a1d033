#include "sgt/split/student_t.hpp"

#include <cmath>
#include <limits>
#include <numbers>

namespace sgt {

namespace {

// log Gamma(a + 1/2) - log Gamma(a), by the difference of Stirling series for large a: the two
// logarithms themselves are large there and would cancel.
double log_gamma_half_step(double a) {
    double shift = 0.0;
    while (a < 20.0) {  // Gamma(a + 1/2) / Gamma(a) = (a / (a + 1/2)) * the same at a + 1
        shift += std::log1p(-0.5 / (a + 0.5));
        a += 1.0;
    }
    const auto tail = [](double x) {
        const double r = 1.0 / x, r2 = r * r;
        return r * (1.0 / 12 - r2 * (1.0 / 360 - r2 * (1.0 / 1260 - r2 / 1680)));
    };
    const double b = a + 0.5;
    return shift + a * std::log1p(0.5 / a) - 0.5 + 0.5 * std::log(a) + tail(b) - tail(a);
}

// The continued fraction of the incomplete beta function (modified Lentz).
double beta_fraction(double x, double a, double b) {
    constexpr double tiny = 1e-300, tolerance = 1e-15;
    const auto away_from_zero = [](double z) { return std::fabs(z) < tiny ? tiny : z; };
    double c = 1.0;
    double d = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
    double fraction = d;
    for (int m = 1; m <= 10'000; ++m) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        d = 1.0 / away_from_zero(1.0 + even * d);
        c = away_from_zero(1.0 + even / c);
        fraction *= d * c;
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1.0 / away_from_zero(1.0 + odd * d);
        c = away_from_zero(1.0 + odd / c);
        const double step = d * c;
        fraction *= step;
        if (std::fabs(step - 1.0) < tolerance) break;
    }
    return fraction;
}

}  // namespace

double student_t_two_sided(double t, double df) {
    if (std::isnan(t) || !(df > 0.0)) return std::numeric_limits<double>::quiet_NaN();
    if (std::isinf(t)) return 0.0;
    // p = I_x(df / 2, 1 / 2) with x = df / (df + t^2).
    const double a = df / 2, b = 0.5, ratio = t * t / df;
    if (ratio == 0.0) return 1.0;
    const double x = 1.0 / (1.0 + ratio), rest = 1.0 / (1.0 + 1.0 / ratio);  // rest = 1 - x
    // The square of t may be too large for a double, its logarithm is not.
    const double log_x =
        std::isinf(ratio) ? std::log(df) - 2.0 * std::log(std::fabs(t)) : -std::log1p(ratio);
    // log of x^a (1 - x)^b / B(a, b)
    const double log_front =
        a * log_x + b * std::log(rest) + log_gamma_half_step(a) - 0.5 * std::log(std::numbers::pi);
    if (x < (a + 1.0) / (a + b + 2.0)) return std::exp(log_front) * beta_fraction(x, a, b) / a;
    return 1.0 - std::exp(log_front) * beta_fraction(rest, b, a) / b;
}

SignificanceLevel::SignificanceLevel(double level) : level_(level), deviate_(0.0) {
    double high = 40.0;  // beyond which no level is
    while (true) {
        const double middle = 0.5 * (deviate_ + high);
        if (!(middle > deviate_ && middle < high)) break;
        (std::erfc(middle / std::numbers::sqrt2) > level ? deviate_ : high) = middle;
    }
}

bool SignificanceLevel::is_reached(double t, double df) const {
    constexpr double kRounding = 1e-9, kLeastDf = 1.0;
    if (df >= kLeastDf && deviate_ > 0.0) {
        const double square = df * std::log1p(t * t / df), deviate = deviate_ * deviate_;
        if (square < (1.0 - kRounding) * deviate) return false;
        if (square * (1.0 - 0.5 / df) > (1.0 + kRounding) * deviate && std::isfinite(square))
            return true;
    }
    return student_t_two_sided(t, df) < level_;
}

}  // namespace sgt
