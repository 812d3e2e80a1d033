// Options that differ between the members of an ensemble. What is drawn is drawn by number: it
// needs no state, and does not depend on how rows are cut into blocks.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "sgt/data/draw.hpp"

namespace sgt {

struct TreeOptions {
    double shrinkage = 1.0;      // what its values are multiplied by before they are added up
    double feature_share = 1.0;  // of the features that it may split on
    std::uint64_t seed = 0;

    // As how many rows it learns a row, on average; 0: as the row it is.
    void set_mean_copies(double mean) {
        mean_copies_ = mean;
        no_copies_ = std::exp(-mean);
    }
    // Whether the tree may split on this feature.
    bool may_split_on(std::size_t feature) const {
        return feature_share >= 1.0 || uniform(feature, kFeatures) < feature_share;
    }
    // As how many rows the tree learns the row of this number: from the Poisson distribution.
    double copies(std::uint64_t row) const {
        if (mean_copies_ == 0.0) return 1.0;
        const double u = uniform(row, kCopies);
        double p = no_copies_, sum = p, n = 0.0;
        while (u >= sum && n < kMostCopies) {
            n += 1.0;
            p *= mean_copies_ / n;
            sum += p;
        }
        return n;
    }

private:
    // The first sequences of draws, one for each seed; those below are drawn for other purposes.
    static constexpr std::uint64_t kCopies = 1ULL << 40U, kFeatures = 1ULL << 41U;
    static constexpr double kMostCopies = 100.0;

    // In [0, 1).
    double uniform(std::uint64_t number, std::uint64_t first_sequence) const {
        return static_cast<double>(draw(number, first_sequence + seed) >> 11U) * 0x1p-53;
    }

    double mean_copies_ = 0.0;
    double no_copies_ = 1.0;  // how likely that is
};

}  // namespace sgt
