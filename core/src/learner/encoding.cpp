// Numbers become codes: the ranges of the features, rows of codes, and features and categories that
// come late.
#include <algorithm>
#include <cmath>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <utility>

#include "sgt/data/binning.hpp"
#include "sgt/learner/learner.hpp"

namespace sgt {

namespace {

[[noreturn]] void refuse_negative_category() {
    throw std::invalid_argument("a category number must not be negative in learning");
}

}  // namespace

void Learner::check_ranges(const Ranges* ranges, const std::vector<bool>& nominal) {
    if (ranges == nullptr) return;
    if (ranges->size() != nominal.size())
        throw std::invalid_argument("feature_ranges must have one range for each feature");
    for (std::size_t i = 0; i < nominal.size(); ++i) {
        const auto [lo, hi] = (*ranges)[i];
        if (nominal[i] || std::isnan(lo)) continue;
        if (!(std::isfinite(lo) && std::isfinite(hi) && lo <= hi))
            throw std::invalid_argument("feature_ranges must be finite, the lower end first");
    }
}

void Learner::set_given_ranges(const Ranges& ranges, std::size_t first_feature) {
    FeatureSpace& features = features_;
    std::vector<std::pair<std::size_t, Boundaries>> boundaries;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        const auto [lo, hi] = ranges[i];
        if (features.is_nominal(first_feature + i) || std::isnan(lo)) continue;
        boundaries.emplace_back(first_feature + i, uniform_boundaries(lo, hi, options_.n_bins));
    }
    features.set_boundaries(std::move(boundaries));
}

std::size_t Learner::first_complete_row(const RowsView& x, const double* w,
                                        std::vector<std::size_t>& complete) {
    for (std::size_t r = 0; r < x.rows && !late_.empty(); ++r) {
        if (w != nullptr && w[r] == 0.0) continue;
        for (const std::size_t f : late_.take(x, r, options_.warm_up))
            if (std::find(complete.begin(), complete.end(), f) == complete.end())
                complete.push_back(f);
        if (!complete.empty() && !learns_bags()) return r + 1;
    }
    return x.rows;
}

void Learner::encode_for_learning(const LabelledRows& rows) {
    const FeatureSpace& features = features_;
    const std::size_t n = rows.x.rows;
    Team* team = ensemble_.team();
    std::vector<std::uint8_t> some_unseen(team == nullptr ? 1 : team->size());
    while (true) {
        codes_.shape(n, features.size(), features.width());
        const auto encode_part = [&](std::size_t part) {
            const std::size_t parts = some_unseen.size();
            some_unseen[part] =
                features.encode_rows(rows.x, n * part / parts, n * (part + 1) / parts, codes_);
        };
        if (team == nullptr)
            encode_part(0);
        else
            team->run(encode_part);
        if (std::find(some_unseen.begin(), some_unseen.end(), 1) == some_unseen.end()) return;
        const std::size_t unseen = first_unseen_row(rows);
        if (unseen == n) return;
        if (unseen > 0 && !learns_bags()) {
            // The rows before are learned first: codes widen between two rows.
            codes_.shape(unseen, features.size(), features.width());
            return;
        }
        const CodeWidth old_width = features.width();
        widen_codes(learns_bags() ? rows.x : rows.x.slice(0, 1));
        if (features.width() == old_width) refuse_negative_category();
    }
}

std::size_t Learner::first_unseen_row(const LabelledRows& rows) const {
    const FeatureSpace& features = features_;
    return with_code_type(codes_.width, [&]<class Code>(Code) {
        for (std::size_t r = 0; r < codes_.rows; ++r) {
            if (rows.weight(r) == 0.0) continue;
            const auto* row = reinterpret_cast<const Code*>(codes_.row(r));
            for (const std::uint32_t f : features.nominal())
                if (row[f] == kUnseenCode<Code>) return r;
        }
        return codes_.rows;
    });
}

void Learner::require_known_categories(const LabelledRows& rows) const {
    if (first_unseen_row(rows) < codes_.rows) refuse_negative_category();
}

void Learner::widen_codes(const RowsView& x) {
    const std::int64_t largest = features_.largest_category(x);
    if (largest >= 0) admit_category(static_cast<std::uint64_t>(largest));
}

void Learner::admit_category(std::uint64_t number) {
    FeatureSpace& features = features_;
    const CodeWidth old_width = features.width();
    features.admit_category(number);
    if (features.width() == old_width) return;
    ensemble_.for_each_tree([&](Tree& tree, TreeContext& context) {
        tree.reshape_rows(features.size(), old_width, context);
    });
    ensemble_.keep_within_budget();
}

void Learner::use_late_feature(std::size_t feature) {
    const std::vector<double> sample = late_.hand_over(feature);
    Boundaries boundaries = first_bins(feature, sample);
    watch(feature, sample);
    const CodeWidth old_width = features_.width();
    ensemble_.for_each_tree(
        [](Tree& tree, TreeContext& context) { tree.flush_into_cells(context); });
    features_.set_boundaries(feature, std::move(boundaries));
    ensemble_.for_each_tree([&](Tree& tree, TreeContext& context) {
        tree.reshape_rows(features_.size(), old_width, context);
        tree.lay_out_late_features(context);
    });
    ensemble_.keep_within_budget();
}

void Learner::add_features(const std::vector<bool>& nominal, const Ranges* ranges) {
    require_learning();
    check_ranges(ranges, nominal);
    const std::lock_guard one_learns(one_learns_);
    const std::unique_lock lock(access_);
    require_no_stages();
    finish_round();
    FeatureSpace& features = features_;
    const std::size_t old_features = features.size();
    ensemble_.for_each_tree([](Tree& tree, TreeContext& context) { tree.flush_all(context); });
    const CodeWidth old_width = features.width();
    features.append(nominal);
    if (ranges != nullptr) set_given_ranges(*ranges, old_features);
    for (std::size_t f = old_features; f < features.size(); ++f)
        if (!features.is_ready(f) && !warm_up_.is_active()) late_.expect(f);
    warm_up_.widen(old_features, features.size());
    ensemble_.for_each_tree([&](Tree& tree, TreeContext& context) {
        tree.reshape_rows(old_features, old_width, context);
        tree.lay_out_late_features(context);
    });
    ensemble_.keep_within_budget();
}

bool Learner::takes_codes() const {
    const std::shared_lock lock(access_);
    return !warm_up_.is_active() && late_.empty() && !has_linear_leaves() && !may_renew_bins();
}

void Learner::require_codes(const RowsView& x) const {
    if (has_linear_leaves())
        throw std::invalid_argument("linear leaves need numbers, and codes have none");
    if (may_renew_bins())
        throw std::invalid_argument(
            "rows have no lasting codes where bins may be renewed: adaptive_ranges must be False, "
            "or round_rows other than 1");
    if (warm_up_.is_active() || !late_.empty())
        throw std::invalid_argument("rows have no codes before the ranges are known");
    require_columns(x);
}

// A caller checks this before it takes a lock, but another thread may have added features since.
void Learner::require_columns(const RowsView& x) const {
    if (x.features != features_.size())
        throw std::invalid_argument("the rows have the wrong number of columns");
}

CodeBlock Learner::encode(const RowsView& x) const {
    const std::shared_lock lock(access_);
    require_codes(x);
    const FeatureSpace& features = features_;
    const auto largest = static_cast<std::uint64_t>(features.largest_category(x) + 1);
    CodeBlock codes;
    codes.shape(x.rows, features.size(), std::max(features.width(), width_for(largest)));
    if (features.encode_rows(x, codes, 0))
        throw std::invalid_argument(
            "a category number must not be negative, nor above 4,294,967,293");
    return codes;
}

void Learner::check_codes(const RowsView& codes) const {
    const std::shared_lock lock(access_);
    require_codes(codes);
    if (!features_.has_codes(codes))
        throw std::invalid_argument("the codes have a bin or category that does not exist");
}

}  // namespace sgt
