// Options that differ between the members of an ensemble. What is drawn is drawn by number: it
// needs no state, and does not depend on how rows are cut into blocks.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sgt/data/draw.hpp"

namespace sgt {

struct TreeOptions {
    double shrinkage = 1.0;      // what its values are multiplied by before they are added up
    double feature_share = 1.0;  // of the features that it may split on
    std::uint64_t seed = 0;

    // As how many rows it learns a row, on average; 0: as the row it is.
    void set_mean_copies(double mean) {
        at_most_.clear();
        if (mean == 0.0) return;
        double p = std::exp(-mean), sum = p;
        at_most_.push_back(sum);
        for (std::size_t n = 1; n < kMostCopies; ++n)
            at_most_.push_back(sum += p *= mean / static_cast<double>(n));
    }
    // Whether the tree may split on this feature.
    bool may_split_on(std::size_t feature) const {
        return feature_share >= 1.0 || uniform(feature, kFeatures) < feature_share;
    }
    // As how many rows the tree learns the row of this number: from the Poisson distribution.
    double copies(std::uint64_t row) const {
        if (at_most_.empty()) return 1.0;
        const double u = uniform(row, kCopies);
        // The first ones without a branch: nobody can foresee where it ends.
        std::size_t n = 0;
        for (std::size_t i = 0; i < kFewCopies; ++i)
            n += static_cast<std::size_t>(u >= at_most_[i]);
        if (n == kFewCopies)
            while (n < kMostCopies && u >= at_most_[n]) ++n;
        return static_cast<double>(n);
    }

private:
    // The first sequences of draws, one for each seed; those below are drawn for other purposes.
    static constexpr std::uint64_t kCopies = 1ULL << 40U, kFeatures = 1ULL << 41U;
    static constexpr std::size_t kMostCopies = 100, kFewCopies = 16;

    // In [0, 1).
    double uniform(std::uint64_t number, std::uint64_t first_sequence) const {
        return static_cast<double>(draw(number, first_sequence + seed) >> 11U) * 0x1p-53;
    }

    // How likely so many copies at most are; empty: it learns rows as they are.
    std::vector<double> at_most_;
};

}  // namespace sgt
