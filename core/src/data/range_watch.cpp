#include "sgt/data/range_watch.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "sgt/clones.hpp"

namespace sgt {

namespace {

// Fewer values are no ground for new bins.
constexpr std::size_t kFewestValues = 64;
// Above this chance that two values which differ share a bin, bins are crowded; and new ones must
// make it less than half.
constexpr double kCrowded = 0.25;
// A range is outgrown if more than one value in so many is outside.
constexpr std::size_t kOutside = 8;

struct Outside {
    std::size_t below = 0, above = 0;
    bool differ = false;  // on one of the sides

    Outside(const std::vector<double>& sorted, const Boundaries& bins) {
        const auto in = std::lower_bound(sorted.begin(), sorted.end(), bins.lo);
        const auto after = std::upper_bound(in, sorted.end(), bins.hi);
        below = static_cast<std::size_t>(in - sorted.begin());
        above = static_cast<std::size_t>(sorted.end() - after);
        differ =
            (below > 0 && sorted[0] != sorted[below - 1]) || (above > 0 && *after != sorted.back());
    }
};

SGT_CLONES std::size_t count_outside(const double* values, std::size_t n, double lo, double hi) {
    std::size_t outside = 0;
    for (std::size_t i = 0; i < n; ++i)
        outside += static_cast<std::size_t>((values[i] < lo) | (values[i] > hi));
    return outside;
}

// Quantiles of the sample in one half of the bins. The other half lies beyond its greatest value,
// or its least (a direction of -1): a feature that grows will be there soon.
std::optional<Boundaries> bins_ahead(const std::vector<double>& sorted, double spread,
                                     double direction, std::size_t n_bins) {
    const double from = direction > 0.0 ? sorted.back() : sorted.front();
    const double to = from + direction * spread;
    if (!std::isfinite(to)) return std::nullopt;
    const std::size_t ahead = n_bins / 2;
    Boundaries bins = sample_boundaries(sorted, n_bins - ahead, true);
    for (std::size_t k = 0; k < ahead; ++k) {
        const double share = static_cast<double>(k) / static_cast<double>(ahead);
        bins.values.push_back(from + direction * (spread * share));
    }
    std::sort(bins.values.begin(), bins.values.end());
    bins.values.erase(std::unique(bins.values.begin(), bins.values.end()), bins.values.end());
    (direction > 0.0 ? bins.hi : bins.lo) = to;
    return bins;
}

}  // namespace

std::optional<Boundaries> less_crowded_bins(const std::vector<double>& sorted,
                                            const Boundaries& bins, std::size_t n_bins) {
    if (sorted.size() < kFewestValues) return std::nullopt;
    const double now = crowding(sorted, bins.values);
    if (!(now > kCrowded)) return std::nullopt;
    Boundaries quantiles = sample_boundaries(sorted, n_bins, true);
    if (!(now > 2.0 * crowding(sorted, quantiles.values))) return std::nullopt;
    return quantiles;
}

std::optional<NewBins> better_bins(const ValueSample& sample, const Boundaries& bins,
                                   std::size_t n_bins) {
    if (sample.size() < kFewestValues) return std::nullopt;
    const std::vector<double> sorted = sample.sorted();
    const Outside outside(sorted, bins);
    if (kOutside * (outside.below + outside.above) > sorted.size() && outside.differ) {
        std::optional<Boundaries> ahead;
        if (outside.below == 0) ahead = bins_ahead(sorted, sample.latest_spread(), 1.0, n_bins);
        if (outside.above == 0) ahead = bins_ahead(sorted, sample.latest_spread(), -1.0, n_bins);
        if (!ahead) ahead = sample_boundaries(sorted, n_bins, true);
        return NewBins{std::move(*ahead), RangeUpdate::Reason::outside};
    }
    std::optional<Boundaries> quantiles = less_crowded_bins(sorted, bins, n_bins);
    if (!quantiles) return std::nullopt;
    return NewBins{std::move(*quantiles), RangeUpdate::Reason::crowded};
}

void RangeWatch::add(std::size_t feature, const std::vector<double>& values) {
    features_.push_back(static_cast<std::uint32_t>(feature));
    ValueSample& sample = samples_.emplace_back();
    for (const double value : values) sample.take(value);
}

void RangeWatch::take(const RowsView& x, std::size_t row) {
    const auto take_all = [&](auto&& value_of) {
        std::uint64_t taken = 0, place = ValueSample::place_in_earlier(taken);
        for (std::size_t i = 0; i < features_.size(); ++i) {
            const double value = value_of(features_[i]);
            if (std::isnan(value)) continue;
            if (samples_[i].taken() != taken) {
                taken = samples_[i].taken();
                place = ValueSample::place_in_earlier(taken);
            }
            samples_[i].take(value, place);
        }
    };
    if (x.is_by_column() || !x.is_float32)
        return take_all([&](std::size_t f) { return x.at(row, f); });
    const float* values = static_cast<const float*>(x.data) + row * x.features;
    take_all([&](std::size_t f) { return double{values[f]}; });
}

// Crowding is at most the chance that two values share a bin; and bins whose values are all equal,
// as those of a feature with few values are, have no part in it.
bool RangeWatch::are_spread(std::size_t i, const FeatureSpace& features) {
    const ValueSample& sample = samples_[i];
    const std::size_t feature = features_[i];
    const Boundaries& bins = features.all_boundaries(feature);
    const std::size_t n = sample.size(), n_cells = features.n_candidates(feature) + 2;
    const auto n_outside = [&bins](const std::vector<double>& half) {
        return count_outside(half.data(), half.size(), bins.lo, bins.hi);
    };
    if (kOutside * (n_outside(sample.latest()) + n_outside(sample.earlier())) > n) return false;
    const auto are_few = [n](std::size_t pairs) { return 4 * pairs <= n * n; };
    Glance& glance = glances_[i];
    if (glance.taken > 0 && are_few(glance.most_pairs(sample.taken() - glance.taken))) return true;
    std::array<double, 2 * ValueSample::kHalf> values;
    std::array<std::uint32_t, 2 * ValueSample::kHalf> cells;
    std::copy(sample.earlier().begin(), sample.earlier().end(),
              std::copy(sample.latest().begin(), sample.latest().end(), values.begin()));
    features.write_cells(feature, values.data(), n, cells.data());
    std::vector<std::uint32_t> rows(n_cells, 0);
    for (std::size_t r = 0; r < n; ++r) ++rows[cells[r]];
    const auto n_pairs = [&rows] {
        std::size_t pairs = 0;
        for (const std::size_t of_cell : rows) pairs += of_cell * of_cell;
        return pairs;
    };
    glance = {sample.taken(), n_pairs(), *std::max_element(rows.begin(), rows.end())};
    if (are_few(glance.pairs)) return true;
    std::vector<double> value_of(n_cells);
    std::vector<bool> differ(n_cells, false);
    for (std::size_t r = 0; r < n; ++r) value_of[cells[r]] = values[r];
    for (std::size_t r = 0; r < n; ++r)
        if (values[r] != value_of[cells[r]]) differ[cells[r]] = true;
    for (std::size_t cell = 0; cell < n_cells; ++cell)
        if (!differ[cell]) rows[cell] = 0;
    return are_few(n_pairs());
}

void RangeWatch::save(Archive& archive) const {
    std::vector<std::int64_t> taken;
    std::vector<double> values;
    for (const ValueSample& sample : samples_) {
        taken.push_back(static_cast<std::int64_t>(sample.taken()));
        values.insert(values.end(), sample.latest().begin(), sample.latest().end());
        values.insert(values.end(), sample.earlier().begin(), sample.earlier().end());
    }
    archive.put("ranges/features", std::vector<std::int64_t>(features_.begin(), features_.end()));
    archive.put("ranges/taken", std::move(taken));
    archive.put("ranges/values", std::move(values));
}

RangeWatch RangeWatch::load(const ArchiveView& archive, const FeatureSpace& features) {
    RangeWatch watch;
    const auto watched = archive.get<std::int64_t>("ranges/features");
    const auto taken = archive.get<std::int64_t>("ranges/taken", watched.size());
    ArrayReader<double> values(archive, "ranges/values");
    std::vector<bool> seen(features.size(), false);
    for (std::size_t i = 0; i < watched.size(); ++i) {
        const auto f = static_cast<std::size_t>(watched[i]);
        if (watched[i] < 0 || f >= features.size() || features.is_nominal(f) ||
            !features.is_ready(f) || seen[f])
            Archive::fail("ranges/features", "must name numeric features that have bins, once");
        seen[f] = true;
        const std::uint64_t of_feature = to_count(taken[i], "ranges/taken");
        const std::size_t n = ValueSample::values_in(of_feature);
        const double* sample = values.take(n);
        if (!std::all_of(sample, sample + n, [](double x) { return std::isfinite(x); }))
            Archive::fail("ranges/values", "must be finite");
        watch.features_.push_back(static_cast<std::uint32_t>(f));
        watch.samples_.push_back(ValueSample::restored(of_feature, sample));
    }
    values.finish();
    return watch;
}

void save_range_updates(const std::vector<RangeUpdate>& updates, Archive& archive) {
    std::vector<std::int64_t> numbers;
    for (const auto& [row, feature, reason] : updates)
        for (const std::uint64_t number :
             {row, std::uint64_t{feature}, static_cast<std::uint64_t>(reason)})
            numbers.push_back(static_cast<std::int64_t>(number));
    archive.put("ranges/updates", std::move(numbers));
}

std::vector<RangeUpdate> load_range_updates(const ArchiveView& archive,
                                            const FeatureSpace& features) {
    const auto numbers = archive.get<std::int64_t>("ranges/updates");
    if (numbers.size() % 3 != 0) Archive::fail("ranges/updates", "must hold three numbers each");
    std::vector<RangeUpdate> updates;
    for (std::size_t i = 0; i < numbers.size(); i += 3) {
        const std::int64_t row = numbers[i], feature = numbers[i + 1], reason = numbers[i + 2];
        if (row < 0 || feature < 0 || static_cast<std::uint64_t>(feature) >= features.size() ||
            reason < 0 || reason > static_cast<std::int64_t>(RangeUpdate::Reason::outside))
            Archive::fail("ranges/updates", "has a row, feature or reason that does not exist");
        updates.push_back({static_cast<std::uint64_t>(row), static_cast<std::size_t>(feature),
                           static_cast<RangeUpdate::Reason>(reason)});
    }
    return updates;
}

}  // namespace sgt
