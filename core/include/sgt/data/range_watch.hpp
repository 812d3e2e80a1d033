// Watches whether the bins of numeric features still suit their values, and lays those that should
// take their place (docs/algorithm.md, "Ranges that adapt").
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sgt/archive/archive.hpp"
#include "sgt/data/binning.hpp"
#include "sgt/data/draw.hpp"
#include "sgt/data/features.hpp"
#include "sgt/data/rows_view.hpp"
#include "sgt/data/value_sample.hpp"

namespace sgt {

// A feature was given other bins.
struct RangeUpdate {
    enum class Reason : std::uint8_t { crowded = 0, outside = 1 };

    std::uint64_t row = 0;  // rows learned before
    std::size_t feature = 0;
    Reason reason = Reason::crowded;
};

struct NewBins {
    Boundaries bins;
    RangeUpdate::Reason reason;
};

// Quantiles of these values, if they are much less crowded there than in the bins that there are.
std::optional<Boundaries> less_crowded_bins(const std::vector<double>& sorted,
                                            const Boundaries& bins, std::size_t n_bins);

// The bins that a feature should get in place of those it has, if these do not suit its values.
std::optional<NewBins> better_bins(const ValueSample& sample, const Boundaries& bins,
                                   std::size_t n_bins);

class RangeWatch {
public:
    // Rows between two looks at the samples.
    static constexpr std::size_t kRowsBetweenLooks = 1024;
    // Whether the values of a row are part of the samples: one in 32 is, drawn by its number.
    static bool is_drawn(std::uint64_t row) {
        return draw(row, kSampledRows) >> (64U - kBitsOfShare) == 0;
    }

    bool is_active() const {
        return !features_.empty();
    }
    std::size_t size() const {
        return features_.size();
    }
    // Watches a feature from now on; these values of it have come (no NaN).
    void add(std::size_t feature, const std::vector<double>& values);
    void take(const RowsView& x, std::size_t row);
    // Calls f(feature, new bins) for each feature whose bins do not suit it. It may renew them.
    template <class F>
    void look(const FeatureSpace& features, std::size_t n_bins, F&& f) {
        glances_.resize(features_.size());
        for (std::size_t i = 0; i < features_.size(); ++i) {
            if (are_spread(i, features)) continue;
            std::optional<NewBins> better =
                better_bins(samples_[i], features.bins(features_[i]), n_bins);
            if (!better) continue;
            glances_[i] = Glance();
            f(std::size_t{features_[i]}, std::move(*better));
        }
    }
    std::size_t bytes() const {
        return features_.size() * ValueSample::bytes();
    }

    void save(Archive& archive) const;
    static RangeWatch load(const ArchiveView& archive, const FeatureSpace& features);

private:
    static constexpr std::uint64_t kSampledRows = ~std::uint64_t{0};  // the sequence of the draws
    static constexpr unsigned kBitsOfShare = 5;

    // How a sample lay in the bins when it was last looked at: pairs of its values in one bin, and
    // the most values in one.
    struct Glance {
        std::uint64_t taken = 0;  // values so far; 0: it was not
        std::size_t pairs = 0, largest = 0;

        // The most pairs that there can be when so many values have taken the place of others.
        std::size_t most_pairs(std::uint64_t n_new) const {
            return pairs + n_new * (2 * largest + n_new);
        }
    };

    // Whether it is certain, at a glance, that the bins suit the sample of watched feature i.
    bool are_spread(std::size_t i, const FeatureSpace& features);

    std::vector<std::uint32_t> features_;
    std::vector<ValueSample> samples_;
    std::vector<Glance> glances_;  // by watched feature: they spare time, and decide nothing
};

void save_range_updates(const std::vector<RangeUpdate>& updates, Archive& archive);
std::vector<RangeUpdate> load_range_updates(const ArchiveView& archive,
                                            const FeatureSpace& features);

}  // namespace sgt
