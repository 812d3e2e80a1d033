// Rows that were learned more than once make a leaf's quantile lie too far in. These are the
// quantiles of the rows that are in each leaf, each of them once.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "sgt/tree/nodes.hpp"

namespace sgt {

// The rows that a tree has learned: where each ends, and its targets, of which one is looked at.
// Null weights are 1.
struct LearnedRows {
    const NodeIndex* nodes = nullptr;
    const double* y = nullptr;
    const double* w = nullptr;
    std::size_t n = 0;
    std::size_t outputs = 1;  // targets of a row

    double target(std::size_t row) const {
        return y[row * outputs];
    }
    double weight(std::size_t row) const {
        return w != nullptr ? w[row] : 1.0;
    }
    LearnedRows of_output(std::size_t j) const {
        return {nodes, y + j, w, n, outputs};
    }
};

// Of each leaf, by its number, the value at or below which a new target lies with probability
// alpha. A leaf's own rows were chosen by its splits, which makes them look more alike than new
// ones: so others under the same parent count too, with the weight of a few rows. Nothing where
// there is no row, or where they cannot tell.
std::vector<std::optional<double>> quantiles_of_leaves(const Nodes& nodes, const LearnedRows& rows,
                                                       double alpha);

}  // namespace sgt
