// Numeric features in one scale, for linear leaves: z = (x - mean) / standard deviation, both from
// the warm-up (or from the given range); they do not change after it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sgt/archive/archive.hpp"
#include "sgt/data/features.hpp"
#include "sgt/data/rows_view.hpp"

namespace sgt {

class Standardiser {
public:
    // Values farther from the mean count as if they were so far, so that an outlier has no large
    // effect.
    static constexpr double kMostDeviations = 3.0;

    // Features that are used: those that vary.
    std::size_t size() const {
        return features_.size();
    }
    const std::vector<std::int64_t>& features() const {
        return features_;
    }
    const std::vector<double>& means() const {
        return means_;
    }
    const std::vector<double>& deviations() const {
        return deviations_;
    }

    // Of a feature's values, missing ones left out.
    void take_sample(std::size_t feature, const std::vector<double>& sample);
    // Every value of the range is taken to be as likely as any other.
    void take_range(std::size_t feature, double lo, double hi);

    // Writes 1 and then z of each feature that is used; 0, the mean, where it is missing.
    void write(const RowsView& x, std::size_t row, double* inputs) const {
        inputs[0] = 1.0;
        for (std::size_t j = 0; j < features_.size(); ++j) {
            const double z =
                (x.at(row, static_cast<std::size_t>(features_[j])) - means_[j]) / deviations_[j];
            // Not a number: missing.
            inputs[1 + j] = z > kMostDeviations    ? kMostDeviations
                            : z < -kMostDeviations ? -kMostDeviations
                            : z == z               ? z
                                                   : 0.0;
        }
    }

    void save(Archive& archive) const;
    static Standardiser load(const ArchiveView& archive, const FeatureSpace& space);

private:
    void use(std::size_t feature, double mean, double deviation);

    std::vector<std::int64_t> features_;
    std::vector<double> means_, deviations_;
};

}  // namespace sgt
