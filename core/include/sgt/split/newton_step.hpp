// The step of a branch and what it brings (the paper's eq. 12).
#pragma once

#include <cstddef>
#include <vector>

#include "sgt/clones.hpp"
#include "sgt/leaf/cells.hpp"
#include "sgt/split/candidates.hpp"

namespace sgt {

// lambda' of a branch = of_sum + of_row * weight.
struct Lambda {
    double of_sum, of_row;
    explicit Lambda(const SearchRules& rules)
        : of_sum(rules.lambda_per_row ? 0.0 : rules.reg_lambda),
          of_row(rules.lambda_per_row ? rules.reg_lambda : 0.0) {}
};

SGT_INLINE double newton_step(double w, double g, double h, double of_sum, double of_row) {
    const double curvature = h + of_sum + of_row * w;
    return curvature > 0.0 ? -g / curvature : 0.0;
}

inline double newton_step(const Sums& s, const Lambda& lambda) {
    return newton_step(s.w, s.g, s.h, lambda.of_sum, lambda.of_row);
}

// A branch's share of the change in loss after its Newton step.
SGT_INLINE double share(double w, double g, double h, double of_sum, double of_row) {
    const double v = newton_step(w, g, h, of_sum, of_row);
    return v * (g + 0.5 * h * v);
}

inline double share(const Sums& s, const Lambda& lambda) {
    return share(s.w, s.g, s.h, lambda.of_sum, lambda.of_row);
}

inline std::vector<double> newton_steps(const CellReader& reader, const double* cell,
                                        const Lambda& lambda) {
    const double w = cell_weight(reader.layout(), cell);
    std::vector<double> steps(reader.layout().outputs);
    for (std::size_t j = 0; j < steps.size(); ++j)
        steps[j] = newton_step(reader.sums(cell, w, j), lambda);
    return steps;
}

}  // namespace sgt
