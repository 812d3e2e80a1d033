#include "sgt/data/warm_up.hpp"

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

void WarmUp::save(Archive& archive, bool without_rows, const std::string& name) const {
    archive.put<std::int64_t>(name + "/wanted", {static_cast<std::int64_t>(wanted_)});
    archive.put(name + "/x", without_rows ? std::vector<double>{} : x_);
    archive.put(name + "/y", y_);
    archive.put(name + "/w", w_);
}

WarmUp WarmUp::load(const ArchiveView& archive, const KnownCodes& codes, std::size_t n_targets,
                    bool without_rows, const std::string& name) {
    const auto w = archive.get<double>(name + "/w");
    const auto y = archive.get<double>(name + "/y", w.size() * n_targets);
    const auto x =
        archive.get<double>(name + "/x", without_rows ? 0 : w.size() * codes.n_features());
    if (!std::all_of(w.begin(), w.end(), [](double v) { return std::isfinite(v) && v > 0.0; }))
        Archive::fail(name + "/w", "must be finite and above 0");
    if (!std::all_of(y.begin(), y.end(), [](double v) { return std::isfinite(v); }))
        Archive::fail(name + "/y", "must be finite");
    for (std::size_t i = 0; i < x.size(); ++i)
        if (!codes.has_value(i % codes.n_features(), x[i]))
            Archive::fail(name + "/x", "must hold finite numbers and known categories, or NaN");
    WarmUp warm_up(archive.get_count(name + "/wanted"), n_targets);
    warm_up.x_ = to_vector(x);
    warm_up.y_ = to_vector(y);
    warm_up.w_ = to_vector(w);
    if (warm_up.rows() > warm_up.wanted_)
        Archive::fail(name + "/wanted", "does not fit the rows that wait");
    return warm_up;
}

std::vector<std::size_t> LateFeatures::take(const RowsView& x, std::size_t row,
                                            std::size_t wanted) {
    std::vector<std::size_t> complete;
    for (std::size_t i = 0; i < features_.size(); ++i) {
        const double value = x.at(row, features_[i]);
        if (std::isnan(value)) continue;
        samples_[i].push_back(value);
        if (samples_[i].size() >= wanted) complete.push_back(features_[i]);
    }
    return complete;
}

std::vector<double>& LateFeatures::sample_of(std::size_t feature) {
    const auto at = std::lower_bound(features_.begin(), features_.end(), feature);
    const auto place = at - features_.begin();
    if (at == features_.end() || *at != feature) {
        features_.insert(at, feature);
        samples_.emplace(samples_.begin() + place);
    }
    return samples_[static_cast<std::size_t>(place)];
}

std::vector<double> LateFeatures::hand_over(std::size_t feature) {
    std::vector<double> sample = std::move(sample_of(feature));
    const auto place = std::find(features_.begin(), features_.end(), feature) - features_.begin();
    features_.erase(features_.begin() + place);
    samples_.erase(samples_.begin() + place);
    return sample;
}

void LateFeatures::save(Archive& archive) const {
    std::vector<std::int64_t> sizes;
    std::vector<double> values;
    for (const std::vector<double>& sample : samples_) {
        sizes.push_back(static_cast<std::int64_t>(sample.size()));
        values.insert(values.end(), sample.begin(), sample.end());
    }
    archive.put("late/features", std::vector<std::int64_t>(features_.begin(), features_.end()));
    archive.put("late/sizes", std::move(sizes));
    archive.put("late/values", std::move(values));
}

LateFeatures LateFeatures::load(const ArchiveView& archive, const FeatureSpace& space) {
    LateFeatures late;
    const auto features = archive.get<std::int64_t>("late/features");
    const auto sizes = archive.get<std::int64_t>("late/sizes", features.size());
    ArrayReader<double> values(archive, "late/values");
    for (std::size_t i = 0; i < features.size(); ++i) {
        if (features[i] < 0 || static_cast<std::size_t>(features[i]) >= space.size() ||
            space.is_ready(static_cast<std::size_t>(features[i])) || sizes[i] < 0)
            Archive::fail("late/features", "names a feature that is not late");
        const auto n = static_cast<std::size_t>(sizes[i]);
        const double* sample = values.take(n);
        if (!std::all_of(sample, sample + n, [](double x) { return std::isfinite(x); }))
            Archive::fail("late/values", "must be finite");
        late.sample_of(static_cast<std::size_t>(features[i])).assign(sample, sample + n);
    }
    values.finish();
    return late;
}

}  // namespace sgt
