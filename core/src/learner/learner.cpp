#include "sgt/learner/learner.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <tuple>

#include "sgt/archive/feature_archive.hpp"
#include "sgt/data/binning.hpp"
#include "sgt/loss/loss.hpp"

namespace sgt {

namespace {

// Rows that are encoded and routed together. Readers wait for a block at most.
constexpr std::size_t kBlockRows = 1024;
// Calls with fewer rows than this do not start threads.
constexpr std::size_t kRowsForThreads = 4 * kBlockRows;

std::size_t threads_for(std::size_t rows, const Options& options) {
    return rows >= kRowsForThreads ? options.n_threads : 1;
}

// The team is there while the call lasts, and gone however it ends.
class TeamForCall {
public:
    TeamForCall(Workshop& workshop, Team& team) : workshop_(workshop) {
        workshop_.team = &team;
    }
    ~TeamForCall() {
        workshop_.team = nullptr;
    }
    TeamForCall(const TeamForCall&) = delete;
    TeamForCall& operator=(const TeamForCall&) = delete;

private:
    Workshop& workshop_;
};

// Refused before anything changes.
void check_ranges(const Ranges* ranges, const std::vector<bool>& nominal) {
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

}  // namespace

Learner::Rows Learner::Rows::slice(std::size_t begin, std::size_t end) const {
    return {x.slice(begin, end), y + begin * targets, w == nullptr ? nullptr : w + begin, targets};
}

Learner::Learner(const Options& options, const std::vector<bool>& nominal, const Ranges* ranges,
                 std::size_t n_targets)
    : n_targets_(n_targets) {
    options.check();
    check_ranges(ranges, nominal);
    workshop_.options = options;
    workshop_.features = FeatureSpace(nominal);
    workshop_.budget.limit = options.max_memory;
    workshop_.threads.resize(options.n_threads);
    if (ranges != nullptr) set_given_ranges(*ranges, 0);
    bool all_known = ranges != nullptr;
    for (std::size_t f = 0; f < nominal.size(); ++f) all_known &= workshop_.features.is_ready(f);
    if (!all_known) warm_up_ = WarmUp(options.warm_up, n_targets);
    for (std::size_t f = 0; f < nominal.size() && all_known && options.linear_leaves; ++f)
        if (!nominal[f])
            workshop_.standardiser.take_range(f, (*ranges)[f].first, (*ranges)[f].second);
}

void Learner::set_given_ranges(const Ranges& ranges, std::size_t first_feature) {
    FeatureSpace& features = workshop_.features;
    std::vector<std::pair<std::size_t, Boundaries>> boundaries;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        const auto [lo, hi] = ranges[i];
        if (features.is_nominal(first_feature + i) || std::isnan(lo)) continue;
        boundaries.emplace_back(first_feature + i,
                                uniform_boundaries(lo, hi, workshop_.options.n_bins));
    }
    features.set_boundaries(std::move(boundaries));
}

Learner::Learner(const Options& options, const ArchiveView& archive, std::size_t n_targets)
    : n_targets_(n_targets) {
    options.check();
    workshop_.options = options;
    workshop_.features = load_features(archive);
    workshop_.budget.limit = options.max_memory;
    workshop_.threads.resize(options.n_threads);
    inference_only_ = archive.get_one<std::uint8_t>("inference_only") != 0;
    const KnownCodes codes(workshop_.features, archive);
    warm_up_ = WarmUp::load(archive, codes, n_targets, inference_only_);
    late_ = LateFeatures::load(archive, workshop_.features);
    if (options.linear_leaves)
        workshop_.standardiser = Standardiser::load(archive, workshop_.features);
    if (warm_up_.is_active() && !late_.empty())
        Archive::fail("late/features", "must be empty during the warm-up");
    if (options.round_rows != 1 && !inference_only_)
        round_ = Round::load(archive, codes, n_targets);
    n_rows_ = archive.get_count("rows");
    const std::uint64_t n_trees = archive.get_count("trees");
    for (std::uint64_t t = 0; t < n_trees; ++t)
        trees_.push_back(Tree::load(archive, "tree" + std::to_string(t) + "/", codes, workshop_));
    for (const Partial& part : round_.gathered.parts()) check(part);
}

Archive Learner::save(bool inference_only) const {
    const std::shared_lock lock(state_);
    inference_only |= inference_only_;
    Archive archive;
    save_features(workshop_.features, archive);
    if (has_linear_leaves()) workshop_.standardiser.save(archive);
    warm_up_.save(archive, inference_only);
    inference_only ? LateFeatures().save(archive) : late_.save(archive);
    if (workshop_.options.round_rows != 1 && !inference_only) round_.save(archive);
    archive.put<std::uint8_t>("inference_only", {static_cast<std::uint8_t>(inference_only)});
    archive.put<std::int64_t>("rows", {static_cast<std::int64_t>(n_rows_)});
    archive.put<std::int64_t>("trees", {static_cast<std::int64_t>(trees_.size())});
    for (std::size_t t = 0; t < trees_.size(); ++t)
        trees_[t].save(archive, "tree" + std::to_string(t) + "/", workshop_, inference_only);
    save_outputs(archive);
    return archive;
}

void Learner::require_learning() const {
    if (inference_only_)
        throw std::invalid_argument(
            "this model was saved with inference_only=True: it predicts, but cannot learn on");
}

void Learner::learn_rows(const Rows& rows, Sink* sink) {
    require_learning();
    const std::lock_guard one_learns(one_learns_);
    waiting_before_ = warm_up_.rows();
    Team team(threads_for(rows.x.rows, workshop_.options));
    const std::size_t together = workshop_.options.round_rows == 1 ? kBlockRows : kRowsOfSmallBlock;
    for (std::size_t begin = 0; begin < rows.x.rows; begin += together) {
        const std::unique_lock lock(state_);
        const TeamForCall team_for_call(workshop_, team);
        learn_block(rows.slice(begin, std::min(begin + together, rows.x.rows)), begin, sink);
    }
}

void Learner::learn_block(const Rows& rows, std::size_t first_row, Sink* sink) {
    if (rows.x.is_coded) require_codes(rows.x);
    std::size_t done = 0;
    if (warm_up_.is_active()) done = take_warm_up_rows(rows, first_row, sink);
    if (done < rows.x.rows) learn_in_rounds(rows.slice(done, rows.x.rows), first_row + done, sink);
}

std::size_t Learner::take_warm_up_rows(const Rows& rows, std::size_t first_row, Sink* sink) {
    for (std::size_t r = 0; r < rows.x.rows; ++r) {
        const double w = rows.weight(r);
        const double* y = rows.y + r * rows.targets;
        note_warm_up_row(y, w, first_row + r, sink);
        if (w == 0.0) continue;
        warm_up_.add(rows.x, r, y, w);
        ++n_rows_;
        if (!warm_up_.is_full()) continue;
        try {
            finish_warm_up();
        } catch (...) {                  // a user's loss failed
            if (warm_up_.is_active()) {  // it knows no start: the row has not come
                warm_up_.take_back(workshop_.features.size());
                --n_rows_;
            }
            throw;
        }
        return r + 1;
    }
    return rows.x.rows;
}

void Learner::finish_warm_up() {
    FeatureSpace& features = workshop_.features;
    const Options& options = workshop_.options;
    if (options.linear_leaves) take_standards();
    plant(options.start_from_data);  // first: where a user's loss fails here, nothing has changed
    std::vector<std::pair<std::size_t, Boundaries>> boundaries;
    for (std::size_t f = 0; f < features.size(); ++f)
        if (!features.is_ready(f))
            boundaries.emplace_back(f, sample_boundaries(warm_up_.sample(f, features.size()),
                                                         options.n_bins, options.quantile_bins));
    features.set_boundaries(std::move(boundaries));
    const WarmUp waiting = std::move(warm_up_);
    warm_up_.finish();
    learn_waiting_rows(waiting);
}

void Learner::take_standards() {
    const FeatureSpace& features = workshop_.features;
    workshop_.standardiser = Standardiser();
    for (std::size_t f = 0; f < features.size(); ++f)
        if (!features.is_nominal(f))
            workshop_.standardiser.take_sample(f, warm_up_.sample(f, features.size()));
}

void Learner::learn_waiting_rows(const WarmUp& waiting) {
    const Rows rows{waiting.view(workshop_.features.size()), waiting.targets().data(),
                    waiting.weights().data(), n_targets_};
    widen_codes(rows.x);
    n_rows_ -= waiting.rows();  // they are counted when they are learned
    std::optional<LossFailure> first_failure;
    std::size_t begin = 0, left_out = 0;
    while (begin < waiting.rows()) {
        try {
            learn_in_rounds(rows.slice(begin, waiting.rows()), begin, nullptr);
            break;
        } catch (const LossFailure& failure) {
            if (!first_failure) first_failure = failure;
            if (failure.row() >= waiting_before_) break;
            begin = failure.row() + 1;
            ++left_out;
        }
    }
    finish_round();
    if (first_failure) throw first_failure->in_warm_up(left_out);
}

void Learner::end_warm_up() {
    require_learning();
    const std::lock_guard one_learns(one_learns_);
    const std::unique_lock lock(state_);
    waiting_before_ = warm_up_.rows();
    if (warm_up_.is_active()) finish_warm_up();
}

std::size_t Learner::first_complete_row(const RowsView& x, const double* w,
                                        std::vector<std::size_t>& complete) {
    for (std::size_t r = 0; r < x.rows && !late_.empty(); ++r) {
        if (w != nullptr && w[r] == 0.0) continue;
        complete = late_.take(x, r, workshop_.options.warm_up);
        if (!complete.empty()) return r + 1;
    }
    return x.rows;
}

void Learner::learn_encoded(const Rows& rows, std::size_t first_row, Sink* sink) {
    for (std::size_t begin = 0; begin < rows.x.rows;) {
        const Rows rest = rows.slice(begin, rows.x.rows);
        std::vector<std::size_t> complete;
        const std::size_t n = first_complete_row(rest.x, rest.w, complete);
        for (std::size_t done = 0; done < n; done += codes_.rows) {
            encode_for_learning(rest.slice(done, n));
            const Rows part = rest.slice(done, done + codes_.rows);
            learned_of_block_ = 0;
            try {
                learn_codes(codes_, part, first_row + begin + done, sink);
            } catch (...) {  // a user's loss failed
                n_rows_ += learned_of_block_;
                throw;
            }
            for (std::size_t r = 0; r < part.x.rows; ++r) n_rows_ += part.weight(r) != 0.0 ? 1 : 0;
        }
        for (const std::size_t f : complete)
            set_late_boundaries(f, sample_boundaries(late_.hand_over(f), workshop_.options.n_bins,
                                                     workshop_.options.quantile_bins));
        begin += n;
    }
}

void Learner::encode_for_learning(const Rows& rows) {
    const FeatureSpace& features = workshop_.features;
    const std::size_t n = rows.x.rows;
    std::vector<std::uint8_t> some_unseen(workshop_.team == nullptr ? 1 : workshop_.team->size());
    while (true) {
        codes_.shape(n, features.size(), features.width());
        const auto encode_part = [&](std::size_t part) {
            const std::size_t parts = some_unseen.size();
            some_unseen[part] =
                features.encode_rows(rows.x, n * part / parts, n * (part + 1) / parts, codes_);
        };
        if (workshop_.team == nullptr)
            encode_part(0);
        else
            workshop_.team->run(encode_part);
        if (std::find(some_unseen.begin(), some_unseen.end(), 1) == some_unseen.end()) return;
        const std::size_t unseen = first_unseen_row(rows);
        if (unseen > 0) {  // the rows before are learned first: codes widen between two rows
            codes_.shape(unseen, features.size(), features.width());
            return;
        }
        const CodeWidth old_width = features.width();
        widen_codes(rows.x.slice(0, 1));
        if (features.width() == old_width)
            throw std::invalid_argument("a category number must not be negative in learning");
    }
}

std::size_t Learner::first_unseen_row(const Rows& rows) const {
    const FeatureSpace& features = workshop_.features;
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

void Learner::widen_codes(const RowsView& x) {
    const std::int64_t largest = workshop_.features.largest_category(x);
    if (largest >= 0) admit_category(static_cast<std::uint64_t>(largest));
}

void Learner::admit_category(std::uint64_t number) {
    FeatureSpace& features = workshop_.features;
    const CodeWidth old_width = features.width();
    features.admit_category(number);
    if (features.width() == old_width) return;
    for (Tree& tree : trees_) tree.reshape_rows(features.size(), old_width, workshop_);
    keep_within_budget();
}

void Learner::set_late_boundaries(std::size_t feature, Boundaries boundaries) {
    const CodeWidth old_width = workshop_.features.width();
    for (Tree& tree : trees_) tree.flush_all(workshop_);
    workshop_.features.set_boundaries(feature, std::move(boundaries));
    for (Tree& tree : trees_) {
        tree.reshape_rows(workshop_.features.size(), old_width, workshop_);
        tree.lay_out_late_features(workshop_);
    }
    keep_within_budget();
}

void Learner::add_features(const std::vector<bool>& nominal, const Ranges* ranges) {
    require_learning();
    check_ranges(ranges, nominal);
    const std::lock_guard one_learns(one_learns_);
    const std::unique_lock lock(state_);
    finish_round();
    FeatureSpace& features = workshop_.features;
    const std::size_t old_features = features.size();
    for (Tree& tree : trees_) tree.flush_all(workshop_);
    const CodeWidth old_width = features.width();
    features.append(nominal);
    if (ranges != nullptr) set_given_ranges(*ranges, old_features);
    for (std::size_t f = old_features; f < features.size(); ++f)
        if (!features.is_ready(f) && !warm_up_.is_active()) late_.expect(f);
    warm_up_.widen(old_features, features.size());
    for (Tree& tree : trees_) {
        tree.reshape_rows(old_features, old_width, workshop_);
        tree.lay_out_late_features(workshop_);
    }
    keep_within_budget();
}

void Learner::set_threads(std::size_t n_threads) {
    const std::lock_guard one_learns(one_learns_);
    const std::unique_lock lock(state_);
    Options changed = workshop_.options;
    changed.n_threads = n_threads;
    changed.check();
    workshop_.options = changed;
    workshop_.threads.resize(n_threads);
}

void Learner::for_each_block(
    const RowsView& x,
    const std::function<void(const CodeBlock&, const RowsView&, std::size_t)>& f) const {
    const FeatureSpace& features = workshop_.features;
    Team team(threads_for(x.rows, workshop_.options));
    team.split(x.rows, [&](std::size_t first, std::size_t last) {
        CodeBlock codes;
        for (std::size_t begin = first; begin < last; begin += kBlockRows) {
            const RowsView part = x.slice(begin, std::min(begin + kBlockRows, last));
            codes.shape(part.rows, features.size(), features.width());
            features.encode_rows(part, 0, part.rows, codes);
            f(codes, part, begin);
        }
    });
}

void Learner::require_constant_leaves() const {
    if (has_linear_leaves())
        throw std::invalid_argument(
            "linear leaves go with trees of one score for each output only");
}

void Learner::write_linear_scores(const Tree& tree, const RowsView& x, const NodeIndex* nodes,
                                  double* scores, std::size_t stride) const {
    std::vector<double> inputs(1 + workshop_.standardiser.size());
    for (std::size_t r = 0; r < x.rows; ++r) {
        workshop_.standardiser.write(x, r, inputs.data());
        tree.write_scores(nodes[r], inputs.data(), scores + r * stride);
    }
}

void Learner::descend(const Tree& tree, const CodeBlock& codes, NodeIndex* nodes) const {
    if (workshop_.team == nullptr) return tree.nodes().descend_block(codes, 0, codes.rows, nodes);
    workshop_.team->split(codes.rows, [&](std::size_t begin, std::size_t end) {
        tree.nodes().descend_block(codes, begin, end, nodes);
    });
}

void Learner::drop_least_promising() {
    MemoryBudget& budget = workshop_.budget;
    struct Place {
        double promise;
        std::size_t tree;
        NodeIndex leaf;
    };
    std::vector<Place> places;
    for (std::size_t t = 0; t < trees_.size(); ++t)
        for (NodeIndex i = 0; i < trees_[t].nodes().size(); ++i)
            if (const LeafStatistics* s = trees_[t].statistics(i); s != nullptr && s->keeps_cells())
                places.push_back({trees_[t].promise(i, reader_at(trees_[t], i)), t, i});
    std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
        return std::tie(a.promise, a.tree, a.leaf) < std::tie(b.promise, b.tree, b.leaf);
    });
    // An eighth below the limit, so that this is not done for every row.
    for (const Place& place : places) {
        if (budget.used <= budget.limit - budget.limit / 8) break;
        trees_[place.tree].drop_cells(place.leaf, workshop_);
    }
}

bool Learner::is_warming_up() const {
    const std::shared_lock lock(state_);
    return warm_up_.is_active();
}

bool Learner::takes_codes() const {
    const std::shared_lock lock(state_);
    return !warm_up_.is_active() && late_.empty() && !has_linear_leaves();
}

void Learner::require_codes(const RowsView& x) const {
    if (has_linear_leaves())
        throw std::invalid_argument("linear leaves need numbers, and codes have none");
    if (warm_up_.is_active() || !late_.empty())
        throw std::invalid_argument("rows have no codes before the ranges are known");
    if (x.features != workshop_.features.size())
        throw std::invalid_argument("the rows have the wrong number of columns");
}

CodeBlock Learner::encode(const RowsView& x) const {
    const std::shared_lock lock(state_);
    require_codes(x);
    const FeatureSpace& features = workshop_.features;
    const auto largest = static_cast<std::uint64_t>(features.largest_category(x) + 1);
    CodeBlock codes;
    codes.shape(x.rows, features.size(), std::max(features.width(), width_for(largest)));
    if (features.encode_rows(x, codes, 0))
        throw std::invalid_argument(
            "a category number must not be negative, nor above 4,294,967,293");
    return codes;
}

void Learner::check_codes(const RowsView& codes) const {
    const std::shared_lock lock(state_);
    require_codes(codes);
    if (!workshop_.features.has_codes(codes))
        throw std::invalid_argument("the codes have a bin or category that does not exist");
}

std::size_t Learner::n_features() const {
    const std::shared_lock lock(state_);
    return workshop_.features.size();
}

std::uint64_t Learner::n_rows() const {
    const std::shared_lock lock(state_);
    return n_rows_;
}

std::size_t Learner::n_trees() const {
    const std::shared_lock lock(state_);
    return trees_.size();
}

std::size_t Learner::memory_bytes() const {
    const std::shared_lock lock(state_);
    std::size_t n = sizeof(*this) + warm_up_.bytes() + round_.waiting.bytes();
    for (const Tree& tree : trees_) n += tree.bytes();
    return n;
}

std::size_t Learner::n_nodes() const {
    const std::shared_lock lock(state_);
    std::size_t n = 0;
    for (const Tree& tree : trees_) n += tree.nodes().size();
    return n;
}

std::size_t Learner::n_leaves() const {
    const std::shared_lock lock(state_);
    std::size_t n = 0;
    for (const Tree& tree : trees_) n += tree.nodes().n_leaves();
    return n;
}

std::size_t Learner::depth() const {
    const std::shared_lock lock(state_);
    std::size_t deepest = 0;
    for (const Tree& tree : trees_) deepest = std::max(deepest, tree.nodes().depth());
    return deepest;
}

std::uint64_t Learner::n_updates() const {
    const std::shared_lock lock(state_);
    std::uint64_t n = 0;
    for (const Tree& tree : trees_) n += tree.n_updates();
    return n;
}

std::uint64_t Learner::n_splits() const {
    const std::shared_lock lock(state_);
    std::uint64_t n = 0;
    for (const Tree& tree : trees_) n += tree.n_splits();
    return n;
}

}  // namespace sgt
