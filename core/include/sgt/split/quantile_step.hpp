// Steps under the quantile loss, where a Newton step goes too far outwards, and hardly inwards:
// to the quantile of the rows that a leaf keeps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sgt/leaf/cells.hpp"
#include "sgt/leaf/leaf_statistics.hpp"

namespace sgt {

struct WeightedTarget {
    double y, w;
    bool operator<(const WeightedTarget& other) const {
        return y < other.y || (y == other.y && w < other.w);
    }
};

// The value at or below which a new target lies with probability alpha, to judge by these: of n
// equal weights that at place alpha (n + 1), between two of them where that is no whole number.
// Nothing where so few rows cannot tell.
std::optional<double> expected_quantile(std::vector<WeightedTarget> targets, double alpha);

// Replaces the steps of a branch with these rows, among the latest of the leaf, where they can
// tell.
void take_quantile_steps(const LeafStatistics& leaf, const std::vector<std::uint32_t>& rows,
                         const CellReader& reader, std::vector<double>& steps);

}  // namespace sgt
