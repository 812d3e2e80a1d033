// A loss that takes blocks is called once for all rows of a block, at the scores that they have
// before the first of them is learned.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "sgt/learner/loss_objective.hpp"

namespace sgt {

// Returns the raw scores by row and output.
template <class Rows>
std::vector<double> compute_block(BlockLossObjective& objective, Rows& rows,
                                  std::size_t first_row) {
    const std::size_t n = rows.size(), outputs = rows.n_outputs();
    std::vector<double> raw(n * outputs);
    for (std::size_t r = 0; r < n; ++r) {
        std::copy_n(rows.template score<false>(r), outputs, raw.data() + r * outputs);
        if (rows.member_rows().scores != nullptr) rows.write_member_scores(r);
    }
    objective.compute_block(rows.targets(), raw.data(), n, first_row);
    return raw;
}

}  // namespace sgt
