// The quantile ("pinball") loss as evidence: g and h of a residual r = raw - y, and the residual
// that a pair of them stands for. So a leaf that keeps records knows the targets of its rows.
#pragma once

#include <algorithm>
#include <cmath>

namespace sgt {

struct Pinball {
    double alpha = 0.5, scale = 1.0;

    double value(double r) const {
        return 0.5 * (std::fabs(r) + (1.0 - 2.0 * alpha) * r);
    }
    // Not rounded: the sum of g is 0 at the quantile, whatever the scale.
    double gradient(double r) const {
        const double sign = r > 0.0 ? 1.0 : (r < 0.0 ? -1.0 : 0.0);
        return 0.5 * (sign + 1.0 - 2.0 * alpha);
    }
    double hessian(double r) const {
        return 0.5 / (std::fabs(r) + scale);
    }
    double residual(double g, double h) const {
        const double half_sign = g - 0.5 * (1.0 - 2.0 * alpha);
        if (std::fabs(half_sign) < 0.25) return 0.0;
        return std::copysign(std::max(0.5 / h - scale, 0.0), half_sign);
    }
};

}  // namespace sgt
