// Saving and loading of what the features are, and the codes that a saved model may have of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sgt/archive/archive.hpp"
#include "sgt/data/features.hpp"

namespace sgt {

void save_features(const FeatureSpace& features, Archive& archive);
FeatureSpace load_features(const ArchiveView& archive);
// Which boundaries are those between the present bins, where bins may be renewed.
void save_candidates(const FeatureSpace& features, Archive& archive);
void load_candidates(const ArchiveView& archive, FeatureSpace& features);

// How many categories each feature has, 0 where it is numeric; none where the caller does not say.
using CategoryCounts = std::span<const std::int64_t>;

// Bins that exist and categories that are known: every code in a saved model, or in partial
// statistics, must be one of them. Where the caller does not give the numbers of categories (for a
// saved model in "features/categories"), all that a code can mean are allowed.
class KnownCodes {
public:
    KnownCodes(const FeatureSpace& features, CategoryCounts categories);
    KnownCodes(const FeatureSpace& features, const ArchiveView& archive);

    std::size_t n_features() const {
        return limits_.size();
    }
    // Whether a row that was learned may have this code.
    bool has(std::size_t feature, std::uint64_t code) const {
        return code < limits_[feature];
    }
    // Whether a row that is still to come may have this code of a nominal feature. It may be wider
    // than codes are so far.
    bool has_category(std::size_t feature, std::uint64_t code) const {
        return code <= categories_[feature];
    }
    // Whether a row that waits for the end of the warm-up may have this number.
    bool has_value(std::size_t feature, double value) const;

private:
    std::vector<bool> is_nominal_;
    std::vector<std::uint64_t> categories_;  // how many there are; 0 for numeric features
    std::vector<std::uint64_t> limits_;      // of codes
};

}  // namespace sgt
