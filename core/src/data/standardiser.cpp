#include "sgt/data/standardiser.hpp"

#include <cmath>

namespace sgt {

void Standardiser::use(std::size_t feature, double mean, double deviation) {
    // A spread that is only rounding error, or too large to be a number, is of no use.
    if (!std::isfinite(mean) || !std::isfinite(deviation)) return;
    if (!(deviation > 1e-12 * std::abs(mean)) || deviation < 1e-290) return;
    features_.push_back(static_cast<std::int64_t>(feature));
    means_.push_back(mean);
    deviations_.push_back(deviation);
}

void Standardiser::take_sample(std::size_t feature, const std::vector<double>& sample) {
    if (sample.empty()) return;
    const auto n = static_cast<double>(sample.size());
    double sum = 0.0, squares = 0.0;
    // About the first, so that large values of small spread lose no digits.
    for (const double x : sample) sum += x - sample[0];
    const double mean = sample[0] + sum / n;
    for (const double x : sample) squares += (x - mean) * (x - mean);
    use(feature, mean, std::sqrt(squares / n));
}

void Standardiser::take_range(std::size_t feature, double lo, double hi) {
    use(feature, lo / 2.0 + hi / 2.0, (hi - lo) / std::sqrt(12.0));
}

void Standardiser::save(Archive& archive) const {
    archive.put("linear/features", features_);
    archive.put("linear/mean", means_);
    archive.put("linear/deviation", deviations_);
}

Standardiser Standardiser::load(const ArchiveView& archive, const FeatureSpace& space) {
    Standardiser loaded;
    const auto features = archive.get<std::int64_t>("linear/features");
    const auto means = archive.get<double>("linear/mean", features.size());
    const auto deviations = archive.get<double>("linear/deviation", features.size());
    std::int64_t above = -1;
    for (std::size_t j = 0; j < features.size(); ++j) {
        if (features[j] <= above || static_cast<std::uint64_t>(features[j]) >= space.size() ||
            space.is_nominal(static_cast<std::size_t>(features[j])))
            Archive::fail("linear/features", "must name numeric features, in order");
        if (!std::isfinite(means[j]) || !std::isfinite(deviations[j]) || !(deviations[j] > 0.0))
            Archive::fail("linear/deviation", "must be finite and above 0");
        above = features[j];
    }
    loaded.features_ = to_vector(features);
    loaded.means_ = to_vector(means);
    loaded.deviations_ = to_vector(deviations);
    return loaded;
}

}  // namespace sgt
