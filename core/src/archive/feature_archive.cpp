#include "sgt/archive/feature_archive.hpp"

#include <algorithm>
#include <cmath>

namespace sgt {

void save_features(const FeatureSpace& features, Archive& archive) {
    std::vector<std::uint8_t> nominal;
    std::vector<std::int64_t> order, sizes;
    std::vector<double> boundaries, ranges;
    for (std::size_t f = 0; f < features.size(); ++f)
        nominal.push_back(features.is_nominal(f) ? 1 : 0);
    for (const std::uint32_t f : features.numeric()) {
        const std::vector<double>& b = features.boundaries(f);
        ranges.push_back(features.all_boundaries(f).lo);
        ranges.push_back(features.all_boundaries(f).hi);
        order.push_back(f);
        sizes.push_back(static_cast<std::int64_t>(b.size()));
        boundaries.insert(boundaries.end(), b.begin(), b.end());
    }
    archive.put("features/nominal", std::move(nominal));
    archive.put("features/order", std::move(order));
    archive.put("features/sizes", std::move(sizes));
    archive.put("features/boundaries", std::move(boundaries));
    archive.put("features/ranges", std::move(ranges));
    archive.put<std::int64_t>("features/code_bytes",
                              {static_cast<std::int64_t>(bytes_of(features.width()))});
}

void save_candidates(const FeatureSpace& features, Archive& archive) {
    std::vector<std::uint8_t> marks;
    for (const std::uint32_t f : features.numeric()) {
        const std::size_t first = marks.size();
        marks.resize(first + features.boundaries(f).size(), 0);
        for (std::uint32_t k = 0; k < features.n_candidates(f); ++k)
            marks[first + features.candidate(f, k)] = 1;
    }
    archive.put("features/candidates", std::move(marks));
}

void load_candidates(const ArchiveView& archive, FeatureSpace& features) {
    ArrayReader<std::uint8_t> marks(archive, "features/candidates");
    for (const std::uint32_t f : features.numeric()) {
        const std::size_t n = features.boundaries(f).size();
        const std::uint8_t* of_feature = marks.take(n);
        if (!std::all_of(of_feature, of_feature + n, [](std::uint8_t mark) { return mark <= 1; }))
            Archive::fail("features/candidates", "must be 0 or 1");
        features.set_candidates(f, std::vector<bool>(of_feature, of_feature + n));
    }
    marks.finish();
}

namespace {

Boundaries load_boundaries(std::vector<double> values, double lo, double hi) {
    for (std::size_t k = 0; k < values.size(); ++k)
        if (!std::isfinite(values[k]) || (k > 0 && !(values[k - 1] < values[k])))
            Archive::fail("features/boundaries", "is not in order");
    // The boundaries decide. They count as equal-width ones only where they are equal to these.
    Boundaries uniform = uniform_boundaries(lo, hi, values.size() + 1);
    if (uniform.values != values) return {std::move(values), lo, hi, 0};
    uniform.values = std::move(values);  // a boundary of -0.0 equals 0.0, and stays what it is
    return uniform;
}

}  // namespace

FeatureSpace load_features(const ArchiveView& archive) {
    const auto nominal = archive.get<std::uint8_t>("features/nominal");
    FeatureSpace features(std::vector<bool>(nominal.begin(), nominal.end()));
    const auto order = archive.get<std::int64_t>("features/order");
    const auto sizes = archive.get<std::int64_t>("features/sizes", order.size());
    const auto ranges = archive.get<double>("features/ranges", 2 * order.size());
    ArrayReader<double> values(archive, "features/boundaries");
    std::vector<bool> seen(features.size(), false);
    std::vector<std::pair<std::size_t, Boundaries>> boundaries;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const auto f = static_cast<std::size_t>(order[i]);
        if (order[i] < 0 || f >= features.size() || features.is_nominal(f) || seen[f] ||
            sizes[i] < 0 || sizes[i] > 65'000)
            Archive::fail("features/order", "does not fit the features");
        seen[f] = true;
        const auto n = static_cast<std::size_t>(sizes[i]);
        const double* b = values.take(n);
        boundaries.emplace_back(f, load_boundaries({b, b + n}, ranges[2 * i], ranges[2 * i + 1]));
    }
    values.finish();
    features.set_boundaries(std::move(boundaries));
    switch (archive.get_one<std::int64_t>("features/code_bytes")) {
        case 1:
            break;
        case 2:
            features.admit_category(kUnseenCode<std::uint8_t>);
            break;
        case 4:
            features.admit_category(kUnseenCode<std::uint16_t>);
            break;
        default:
            Archive::fail("features/code_bytes", "must be 1, 2 or 4");
    }
    return features;
}

namespace {

constexpr const char* kCategories = "features/categories";

CategoryCounts saved_counts(const FeatureSpace& features, const ArchiveView& archive) {
    if (!archive.has(kCategories)) return {};
    return archive.get<std::int64_t>(kCategories, features.size());
}

}  // namespace

KnownCodes::KnownCodes(const FeatureSpace& features, const ArchiveView& archive)
    : KnownCodes(features, saved_counts(features, archive)) {}

KnownCodes::KnownCodes(const FeatureSpace& features, CategoryCounts categories) {
    constexpr std::uint64_t kMostCategories = kUnseenCode<std::uint32_t> - 1;
    const std::uint64_t unseen = with_code_type(
        features.width(), []<class Code>(Code) { return std::uint64_t{kUnseenCode<Code>}; });
    const bool given = !categories.empty();
    if (given && categories.size() != features.size())
        Archive::fail(kCategories, "does not fit the features");
    for (std::size_t f = 0; f < features.size(); ++f) {
        is_nominal_.push_back(features.is_nominal(f));
        if (is_nominal_[f]) {
            categories_.push_back(given ? to_count(categories[f], kCategories) : kMostCategories);
            limits_.push_back(std::min(categories_[f] + 1, unseen));
        } else {
            categories_.push_back(0);
            limits_.push_back(features.is_ready(f) ? features.boundaries(f).size() + 2 : 1);
        }
    }
}

bool KnownCodes::has_value(std::size_t feature, double value) const {
    if (std::isnan(value)) return true;
    if (!is_nominal_[feature]) return std::isfinite(value);
    return value >= 0.0 && value < static_cast<double>(categories_[feature]) &&
           value == std::floor(value);
}

}  // namespace sgt
