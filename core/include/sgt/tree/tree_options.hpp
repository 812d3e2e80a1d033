// Options that may differ between the trees of an ensemble.
#pragma once

#include <cstdint>
#include <vector>

namespace sgt {

struct TreeOptions {
    double shrinkage = 1.0;  // what its values are multiplied by before they are added up
    double row_share = 1.0;  // of the rows that it learns, drawn by `seed` and the row's number
    std::uint64_t seed = 0;
    std::vector<bool> features;  // that it may split on; empty: all

    bool may_split_on(std::size_t feature) const {
        return feature >= features.size() || features[feature];
    }
    // Whether the tree learns the row of this number. A counter-based draw: it needs no state, and
    // does not depend on how the rows are cut into blocks.
    bool learns(std::uint64_t row) const {
        if (row_share >= 1.0) return true;
        // splitmix64's finalizer
        std::uint64_t z = row * 0x9E3779B97F4A7C15U + seed * 0xD1342543DE82EF95U;
        z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
        z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
        z ^= z >> 31U;
        return static_cast<double>(z >> 11U) * 0x1p-53 < row_share;
    }
    // Throws std::invalid_argument naming the option that is out of range.
    void check() const;
};

}  // namespace sgt
