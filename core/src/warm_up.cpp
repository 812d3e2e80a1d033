#include "sgt/warm_up.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sgt {

void WarmUp::add(const RowsView& x, std::size_t row, const double* y, double w) {
    for (std::size_t f = 0; f < x.features; ++f) x_.push_back(x.at(row, f));
    y_.insert(y_.end(), y, y + n_targets_);
    w_.push_back(w);
}

std::vector<double> WarmUp::targets(std::size_t index) const {
    std::vector<double> column;
    for (std::size_t r = 0; r < rows(); ++r) column.push_back(y_[r * n_targets_ + index]);
    return column;
}

void WarmUp::take_back(std::size_t n_features) {
    x_.resize(x_.size() - n_features);
    y_.resize(y_.size() - n_targets_);
    w_.pop_back();
}

std::vector<double> WarmUp::sample(std::size_t feature, std::size_t n_features) const {
    std::vector<double> values;
    for (std::size_t r = 0; r < rows(); ++r) {
        const double value = x_[r * n_features + feature];
        if (!std::isnan(value)) values.push_back(value);
    }
    return values;
}

RowsView WarmUp::view(std::size_t n_features) const {
    return {x_.data(), false, rows(), n_features};
}

void WarmUp::widen(std::size_t old_features, std::size_t new_features) {
    std::vector<double> wider;
    wider.reserve(rows() * new_features);
    for (std::size_t r = 0; r < rows(); ++r) {
        const auto begin = x_.begin() + static_cast<std::ptrdiff_t>(r * old_features);
        wider.insert(wider.end(), begin, begin + static_cast<std::ptrdiff_t>(old_features));
        wider.resize((r + 1) * new_features, std::numeric_limits<double>::quiet_NaN());
    }
    x_ = std::move(wider);
}

void WarmUp::save(Archive& archive) const {
    archive.put<std::int64_t>("warm_up/wanted", {static_cast<std::int64_t>(wanted_)});
    archive.put("warm_up/x", x_);
    archive.put("warm_up/y", y_);
    archive.put("warm_up/w", w_);
}

WarmUp WarmUp::load(const Archive& archive, std::size_t n_features, std::size_t n_targets) {
    WarmUp warm_up;
    const std::int64_t wanted = archive.get<std::int64_t>("warm_up/wanted", 1)[0];
    warm_up.n_targets_ = n_targets;
    warm_up.w_ = archive.get<double>("warm_up/w");
    warm_up.y_ = archive.get<double>("warm_up/y", warm_up.rows() * n_targets);
    warm_up.x_ = archive.get<double>("warm_up/x", warm_up.rows() * n_features);
    if (std::any_of(warm_up.x_.begin(), warm_up.x_.end(), [](double x) { return std::isinf(x); }))
        Archive::fail("warm_up/x", "must be finite or missing");
    if (wanted < 0 || warm_up.rows() > static_cast<std::size_t>(wanted))
        Archive::fail("warm_up/wanted", "does not fit the rows that wait");
    warm_up.wanted_ = static_cast<std::size_t>(wanted);
    return warm_up;
}

std::vector<std::size_t> LateFeatures::take(const RowsView& x, std::size_t row,
                                            std::size_t wanted) {
    std::vector<std::size_t> complete;
    for (auto& [feature, sample] : samples_) {
        const double value = x.at(row, feature);
        if (std::isnan(value)) continue;
        sample.push_back(value);
        if (sample.size() >= wanted) complete.push_back(feature);
    }
    return complete;
}

std::vector<double> LateFeatures::hand_over(std::size_t feature) {
    std::vector<double> sample = std::move(samples_[feature]);
    samples_.erase(feature);
    return sample;
}

void LateFeatures::save(Archive& archive) const {
    std::vector<std::int64_t> features, sizes;
    std::vector<double> values;
    for (const auto& [feature, sample] : samples_) {
        features.push_back(static_cast<std::int64_t>(feature));
        sizes.push_back(static_cast<std::int64_t>(sample.size()));
        values.insert(values.end(), sample.begin(), sample.end());
    }
    archive.put("late/features", std::move(features));
    archive.put("late/sizes", std::move(sizes));
    archive.put("late/values", std::move(values));
}

LateFeatures LateFeatures::load(const Archive& archive, const FeatureSpace& space) {
    LateFeatures late;
    const auto& features = archive.get<std::int64_t>("late/features");
    const auto& sizes = archive.get<std::int64_t>("late/sizes", features.size());
    ArrayReader<double> values(archive, "late/values");
    for (std::size_t i = 0; i < features.size(); ++i) {
        if (features[i] < 0 || static_cast<std::size_t>(features[i]) >= space.size() ||
            space.is_ready(static_cast<std::size_t>(features[i])) || sizes[i] < 0)
            Archive::fail("late/features", "names a feature that is not late");
        const auto n = static_cast<std::size_t>(sizes[i]);
        const double* sample = values.take(n);
        if (!std::all_of(sample, sample + n, [](double x) { return std::isfinite(x); }))
            Archive::fail("late/values", "must be finite");
        late.samples_[static_cast<std::size_t>(features[i])].assign(sample, sample + n);
    }
    values.finish();
    return late;
}

}  // namespace sgt
