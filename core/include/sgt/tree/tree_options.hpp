// Options that may differ between the trees of an ensemble.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "sgt/data/draw.hpp"

namespace sgt {

struct TreeOptions {
    double shrinkage = 1.0;    // what its values are multiplied by before they are added up
    double mean_copies = 0.0;  // as how many rows it learns a row, on average; 0: as the row it is
    std::uint64_t seed = 0;
    std::vector<bool> features;  // that it may split on; empty: all

    bool may_split_on(std::size_t feature) const {
        return feature >= features.size() || features[feature];
    }
    // As how many rows the tree learns the row of this number: a draw from the Poisson distribution
    // by seed and number. It needs no state, and does not depend on how rows are cut into blocks.
    double copies(std::uint64_t row) const {
        if (mean_copies == 0.0) return 1.0;
        const double u = static_cast<double>(draw(row, kFirstSequence + seed) >> 11U) * 0x1p-53;
        double p = std::exp(-mean_copies), sum = p, n = 0.0;
        while (u >= sum && n < kMostCopies) {
            n += 1.0;
            p *= mean_copies / n;
            sum += p;
        }
        return n;
    }
    // Throws std::invalid_argument naming the option that is out of range.
    void check() const;

private:
    // Sequences below it are drawn for other purposes.
    static constexpr std::uint64_t kFirstSequence = 1'000'000;
    static constexpr double kMostCopies = 100.0;
};

}  // namespace sgt
