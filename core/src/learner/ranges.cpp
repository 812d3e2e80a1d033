// Bins that follow the values of their features (docs/algorithm.md, "Ranges that adapt").
#include <algorithm>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "sgt/archive/feature_archive.hpp"
#include "sgt/learner/learner.hpp"

namespace sgt {

namespace {

// Updates that are remembered, the latest ones: a feature that grows for ever has ever more.
constexpr std::size_t kMostUpdates = 1000;

}  // namespace

std::vector<RangeUpdate> Learner::range_updates() const {
    const std::shared_lock lock(access_);
    return range_updates_;
}

bool Learner::adapts_ranges() const {
    return options_.adaptive_ranges && !learns_bags();
}

void Learner::note_update(std::size_t feature, RangeUpdate::Reason reason) {
    if (range_updates_.size() == kMostUpdates) range_updates_.erase(range_updates_.begin());
    range_updates_.push_back({ensemble_.n_rows(), feature, reason});
    ++n_range_updates_;
}

Boundaries Learner::first_bins(std::size_t feature, std::vector<double> values) {
    const Options& options = options_;
    Boundaries bins = sample_boundaries(values, options.n_bins, options.quantile_bins);
    if (!adapts_ranges()) return bins;
    std::sort(values.begin(), values.end());
    std::optional<Boundaries> quantiles = less_crowded_bins(values, bins, options.n_bins);
    if (!quantiles) return bins;
    note_update(feature, RangeUpdate::Reason::crowded);
    return std::move(*quantiles);
}

void Learner::watch(std::size_t feature, const std::vector<double>& values) {
    if (!may_renew_bins() || watch_.bytes() + ValueSample::bytes() > options_.max_memory / 8)
        return;
    watch_.add(feature, values);
    ensemble_.count_bytes(ValueSample::bytes());
}

std::size_t Learner::rows_to_look(const LabelledRows& rows) const {
    if (!watch_.is_active()) return rows.x.rows;
    constexpr std::size_t kBetween = RangeWatch::kRowsBetweenLooks;
    return rows_with_weight(rows, kBetween - ensemble_.n_rows() % kBetween);
}

void Learner::learn_watched(const LabelledRows& rows, std::size_t first_row, Predictions* sink) {
    const std::uint64_t before = ensemble_.n_rows();
    try {
        learn_part(rows, first_row, sink);
    } catch (...) {  // a user's loss failed: the rows before it have been learned
        take_samples(rows, before);
        throw;
    }
    take_samples(rows, before);
    if (ensemble_.n_rows() != before) look_at_ranges();
}

void Learner::take_samples(const LabelledRows& rows, std::uint64_t first_number) {
    std::size_t begin = 0;
    const std::uint64_t end = ensemble_.n_rows();
    for (std::uint64_t number = first_number; number < end; ++number) {
        if (!RangeWatch::is_drawn(number)) continue;
        // Rows of weight 0 have no number.
        begin += rows_with_weight(rows.slice(begin, rows.x.rows), number + 1 - first_number);
        first_number = number + 1;
        watch_.take(rows.x, begin - 1);
    }
}

void Learner::look_at_ranges() {
    if (ensemble_.n_rows() % RangeWatch::kRowsBetweenLooks != 0) return;
    watch_.look(features_, options_.n_bins, [&](std::size_t feature, NewBins better) {
        note_update(feature, better.reason);
        renew_bins(feature, std::move(better.bins));
    });
}

void Learner::renew_bins(std::size_t feature, Boundaries bins) {
    const CodeWidth old_width = features_.width();
    const std::vector<double>& boundaries = features_.boundaries(feature);
    std::vector<bool> is_used(boundaries.size(), false);
    ensemble_.for_each_tree([&](Tree& tree, TreeContext& context) {
        tree.flush_into_cells(context);
        tree.nodes().note_boundaries(feature, is_used);
    });
    std::vector<double> used;
    for (std::size_t k = 0; k < boundaries.size(); ++k)
        if (is_used[k]) used.push_back(boundaries[k]);
    const RenewedBins renewed = features_.renew(feature, std::move(bins), used);
    ensemble_.for_each_tree([&](Tree& tree, TreeContext& context) {
        if (features_.width() != old_width) tree.reshape_rows(features_.size(), old_width, context);
        tree.renew_bins(renewed, context);
    });
    ensemble_.keep_within_budget();
}

void Learner::save_ranges(Archive& archive, bool inference_only) const {
    save_candidates(features_, archive);
    save_range_updates(range_updates_, archive);
    inference_only ? RangeWatch().save(archive) : watch_.save(archive);
}

void Learner::load_ranges(const ArchiveView& archive) {
    load_candidates(archive, features_);
    range_updates_ = load_range_updates(archive, features_);
    n_range_updates_ = range_updates_.size();
    watch_ = RangeWatch::load(archive, features_);
    if (!may_renew_bins() && (watch_.is_active() || features_.has_coarse_cells()))
        Archive::fail("ranges/features", "must be empty where bins are not renewed");
    // One by one, as while they were added: members round their parts.
    for (std::size_t f = 0; f < watch_.size(); ++f) ensemble_.count_bytes(ValueSample::bytes());
}

}  // namespace sgt
