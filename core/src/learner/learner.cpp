#include "sgt/learner/learner.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "sgt/archive/feature_archive.hpp"
#include "sgt/data/binning.hpp"
#include "sgt/learner/team_for_call.hpp"
#include "sgt/loss/loss.hpp"

namespace sgt {

namespace {

// Rows that are encoded and routed together. Readers wait for a block at most.
constexpr std::size_t kBlockRows = 1024;

// Checked, and without what does not go together: in rounds, rows that are kept belong to all
// trees, and those of members have weights of their own.
Options settled(Options options) {
    options.check();
    if (options.round_rows != 1 && options.mean_copies > 0.0) options.kept_rows = 0;
    return options;
}

// For a saved state, which must have the members before any is made.
Options settled(const Options& options, const ArchiveView& archive) {
    Ensemble::require_members(options, archive);
    return settled(options);
}

}  // namespace

Learner::Learner(const Options& options, const std::vector<bool>& nominal, const Ranges* ranges,
                 const MakeObjective& make_objective)
    : options_(settled(options)),
      features_(nominal),
      ensemble_(options_, features_, standardiser_, make_objective) {
    check_ranges(ranges, nominal);
    if (ranges != nullptr) set_given_ranges(*ranges, 0);
    bool all_known = ranges != nullptr;
    for (std::size_t f = 0; f < nominal.size(); ++f) all_known &= features_.is_ready(f);
    if (!all_known) warm_up_ = WarmUp(options.warm_up, ensemble_.objective().n_targets());
    for (std::size_t f = 0; f < nominal.size() && all_known && has_linear_leaves(); ++f)
        if (!nominal[f]) standardiser_.take_range(f, (*ranges)[f].first, (*ranges)[f].second);
    if (!warm_up_.is_active()) ensemble_.create(warm_up_, false);
}

std::vector<DriftEvent> Learner::drifts() const {
    const std::shared_lock lock(access_);
    std::vector<DriftEvent> events;
    for (std::size_t m = 0; m < ensemble_.size(); ++m)
        for (DriftEvent event : ensemble_[m].replacement.events()) {
            event.member = m;
            events.push_back(event);
        }
    std::stable_sort(events.begin(), events.end(),
                     [](const DriftEvent& a, const DriftEvent& b) { return a.row < b.row; });
    return events;
}

bool Learner::has_background() const {
    const std::shared_lock lock(access_);
    bool has_one = false;
    ensemble_.for_each([&](const Member& member) { has_one |= member.background != nullptr; });
    return has_one;
}

void Learner::watch_errors(bool on) {
    const std::lock_guard one_learns(one_learns_);
    const std::unique_lock lock(access_);
    ensemble_.for_each([&](Member& member) { member.is_watched = on; });
    if (!on) ensemble_.stop_calibration();
}

std::size_t Learner::n_members_in_use() const {
    const std::shared_lock lock(access_);
    return ensemble_.n_in_use();
}

void Learner::judge_members(const std::vector<double>& losses) {
    const std::lock_guard one_learns(one_learns_);
    const std::unique_lock lock(access_);
    ensemble_.judge_members(losses);
}

void Learner::restart_following() {
    const std::lock_guard one_learns(one_learns_);
    const std::unique_lock lock(access_);
    ensemble_.restart_following();
}

Learner::Learner(const Options& options, const ArchiveView& archive,
                 const MakeObjective& make_objective)
    : options_(settled(options, archive)),
      features_(load_features(archive)),
      ensemble_(options_, features_, standardiser_, make_objective) {
    if (options.adaptive_ranges) load_ranges(archive);
    inference_only_ = archive.get_one<std::uint8_t>("inference_only") != 0;
    const std::size_t n_targets = ensemble_.objective().n_targets();
    const KnownCodes codes(features_, archive);
    warm_up_ = WarmUp::load(archive, codes, n_targets, inference_only_);
    late_ = LateFeatures::load(archive, features_);
    if (has_linear_leaves()) standardiser_ = Standardiser::load(archive, features_);
    if (warm_up_.is_active() && !late_.empty())
        Archive::fail("late/features", "must be empty during the warm-up");
    ensemble_.load(archive, warm_up_, codes, inference_only_);
    if (options.round_rows == 1 || inference_only_) return;
    round_ = Round::load(archive, codes, n_targets);
    if (warm_up_.is_active() && round_.has_begun())
        Archive::fail("round/size", "must be 0 during the warm-up");
    ensemble_.objective().check_targets(round_.waiting.targets(), "round/waiting/y");
    if (round_.waiting.derivatives().size() != ensemble_.n_derivatives() * round_.waiting.rows())
        Archive::fail("round/waiting/derivatives", "does not fit the loss");
    for (const Partial& part : round_.gathered.parts()) check(part, codes);
}

Archive Learner::save(bool inference_only) const {
    const std::shared_lock lock(access_);
    require_no_stages();
    inference_only |= inference_only_;
    Archive archive;
    save_features(features_, archive);
    if (has_linear_leaves()) standardiser_.save(archive);
    warm_up_.save(archive, inference_only);
    inference_only ? LateFeatures().save(archive) : late_.save(archive);
    if (options_.adaptive_ranges) save_ranges(archive, inference_only);
    if (options_.round_rows != 1 && !inference_only) round_.save(archive);
    archive.put<std::uint8_t>("inference_only", {static_cast<std::uint8_t>(inference_only)});
    ensemble_.save(archive, inference_only);
    return archive;
}

void Learner::require_learning() const {
    if (inference_only_)
        throw std::invalid_argument(
            "this model was saved with inference_only=True: it predicts, but cannot learn");
}

void Learner::learn_rows(const LabelledRows& rows, Predictions* sink) {
    require_learning();
    const std::lock_guard one_learns(one_learns_);
    waiting_before_ = warm_up_.rows();
    Team team(threads_for(rows.x.rows, options_));
    const std::size_t together = options_.round_rows == 1 ? kBlockRows : kRowsOfSmallBlock;
    for (std::size_t begin = 0; begin < rows.x.rows; begin += together) {
        const std::unique_lock lock(access_);
        const TeamForCall team_for_call(ensemble_, team);
        learn_block(rows.slice(begin, std::min(begin + together, rows.x.rows)), begin, sink);
    }
}

void Learner::learn_block(const LabelledRows& rows, std::size_t first_row, Predictions* sink) {
    require_columns(rows.x);
    if (rows.x.is_coded) require_codes(rows.x);
    if (stages_ != nullptr) {
        if (sink != nullptr) require_no_stages();  // there is nothing to predict by
        return collect(rows);
    }
    std::size_t done = 0;
    if (warm_up_.is_active()) done = take_warm_up_rows(rows, first_row, sink);
    if (done < rows.x.rows) learn_in_rounds(rows.slice(done, rows.x.rows), first_row + done, sink);
}

std::size_t Learner::take_warm_up_rows(const LabelledRows& rows, std::size_t first_row,
                                       Predictions* sink) {
    for (std::size_t r = 0; r < rows.x.rows; ++r) {
        const double w = rows.weight(r);
        const double* y = rows.target(r);
        if (sink != nullptr) {
            const std::vector<double> raw = ensemble_.objective().warm_up_scores(warm_up_);
            sink->write(raw.data(), raw.size(), first_row + r);
        }
        if (w == 0.0) continue;
        ensemble_.add_warm_up_row(y, w);
        warm_up_.add(rows.x, r, y, w);
        ensemble_.set_n_rows(ensemble_.n_rows() + 1);
        if (!warm_up_.is_full()) continue;
        try {
            finish_warm_up();
        } catch (...) {                  // a user's loss failed
            if (warm_up_.is_active()) {  // before the trees were created: the row has not come
                warm_up_.take_back(features_.size());
                ensemble_.set_n_rows(ensemble_.n_rows() - 1);
            }
            throw;
        }
        return r + 1;
    }
    return rows.x.rows;
}

void Learner::finish_warm_up() {
    const std::vector<std::size_t> from_rows = lay_out_features();
    const WarmUp waiting = std::move(warm_up_);
    warm_up_.finish();
    learn_waiting_rows(waiting, from_rows);
}

std::vector<std::size_t> Learner::lay_out_features() {
    FeatureSpace& features = features_;
    const Options& options = options_;
    if (has_linear_leaves()) take_standards();
    // First: where a user's loss fails here, nothing has changed.
    ensemble_.create(warm_up_, options.start_from_data);
    std::vector<std::pair<std::size_t, Boundaries>> boundaries;
    for (std::size_t f = 0; f < features.size(); ++f)
        if (!features.is_ready(f))
            boundaries.emplace_back(f, first_bins(f, warm_up_.sample(f, features.size())));
    std::vector<std::size_t> from_rows;
    for (const auto& [f, bins] : boundaries) from_rows.push_back(f);
    features.set_boundaries(std::move(boundaries));
    return from_rows;
}

void Learner::take_standards() {
    const FeatureSpace& features = features_;
    standardiser_ = Standardiser();
    for (std::size_t f = 0; f < features.size(); ++f)
        if (!features.is_nominal(f))
            standardiser_.take_sample(f, warm_up_.sample(f, features.size()));
}

void Learner::learn_waiting_rows(const WarmUp& waiting, const std::vector<std::size_t>& to_watch) {
    const LabelledRows rows{waiting.view(features_.size()), waiting.targets().data(),
                            waiting.weights().data(), ensemble_.objective().n_targets()};
    widen_codes(rows.x);
    // They are counted when they are learned.
    ensemble_.set_n_rows(ensemble_.n_rows() - waiting.rows());
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
    for (const std::size_t f : to_watch) watch(f, waiting.sample(f, features_.size()));
    if (first_failure) throw first_failure->in_warm_up(left_out);
}

void Learner::end_warm_up() {
    require_learning();
    const std::lock_guard one_learns(one_learns_);
    const std::unique_lock lock(access_);
    require_no_stages();
    waiting_before_ = warm_up_.rows();
    if (warm_up_.is_active()) finish_warm_up();
}

void Learner::learn_encoded(const LabelledRows& rows, std::size_t first_row, Predictions* sink) {
    for (std::size_t begin = 0; begin < rows.x.rows;) {
        const LabelledRows rest = rows.slice(begin, rows.x.rows);
        const LabelledRows to_look = rest.slice(0, rows_to_look(rest));
        std::vector<std::size_t> complete;
        const std::size_t n = first_complete_row(to_look.x, to_look.w, complete);
        const LabelledRows part = to_look.slice(0, n);
        if (watch_.is_active())
            learn_watched(part, first_row + begin, sink);
        else
            learn_part(part, first_row + begin, sink);
        for (const std::size_t f : complete) use_late_feature(f);
        begin += n;
    }
}

void Learner::learn_part(const LabelledRows& rows, std::size_t first_row, Predictions* sink) {
    for (std::size_t done = 0; done < rows.x.rows; done += codes_.rows) {
        encode_for_learning(rows.slice(done, rows.x.rows));
        const LabelledRows part = rows.slice(done, done + codes_.rows);
        ensemble_.learn(codes_, part, first_row + done, sink);
    }
}

void Learner::predict_rows(const RowsView& x, Predictions& sink, std::size_t members) const {
    const std::shared_lock lock(access_);
    require_columns(x);
    ensemble_.check_members(members);
    if (warm_up_.is_active()) {
        const std::vector<double> raw = ensemble_.objective().warm_up_scores(warm_up_);
        for (std::size_t r = 0; r < x.rows; ++r) sink.write(raw.data(), raw.size(), r);
        return;
    }
    predict_encoded(x, 0, sink, members);
}

// On as many threads as the options allow. The caller holds a lock.
void Learner::predict_encoded(const RowsView& x, std::size_t first_row, Predictions& sink,
                              std::size_t members) const {
    const FeatureSpace& features = features_;
    const std::size_t outputs = ensemble_.n_outputs();
    Team team(threads_for(x.rows, options_));
    team.split(x.rows, [&](std::size_t first, std::size_t last) {
        CodeBlock codes;
        std::vector<double> raw;
        for (std::size_t begin = first; begin < last; begin += kBlockRows) {
            const RowsView part = x.slice(begin, std::min(begin + kBlockRows, last));
            codes.shape(part.rows, features.size(), features.width());
            features.encode_rows(part, 0, part.rows, codes);
            double* place = sink.place_for_scores(first_row + begin, outputs);
            if (place != nullptr) {
                ensemble_.write_scores(codes, part, place, members);
                continue;
            }
            raw.resize(part.rows * outputs);
            ensemble_.write_scores(codes, part, raw.data(), members);
            sink.write_rows(raw.data(), outputs, first_row + begin, part.rows);
        }
    });
}

bool Learner::is_warming_up() const {
    const std::shared_lock lock(access_);
    return warm_up_.is_active();
}

std::size_t Learner::n_features() const {
    const std::shared_lock lock(access_);
    return features_.size();
}

std::uint64_t Learner::n_rows() const {
    const std::shared_lock lock(access_);
    return ensemble_.n_rows();
}

std::size_t Learner::n_trees() const {
    const std::shared_lock lock(access_);
    return ensemble_.n_trees();
}

std::size_t Learner::memory_bytes() const {
    const std::shared_lock lock(access_);
    std::size_t n = sizeof(*this) + warm_up_.bytes() + round_.waiting.bytes() + watch_.bytes();
    if (stages_ != nullptr) n += stages_->bytes();
    ensemble_.for_each([&](const Member& member) { n += member.bytes(); });
    return n;
}

template <class F>
auto Learner::sum_over_trees(F&& f) const {
    const std::shared_lock lock(access_);
    decltype(f(std::declval<const Tree&>())) sum = 0;
    for (const Ensemble::Place& place : ensemble_.trees()) sum += f(place.tree);
    return sum;
}

std::size_t Learner::n_nodes() const {
    return sum_over_trees([](const Tree& tree) { return tree.nodes().size(); });
}

std::size_t Learner::n_leaves() const {
    return sum_over_trees([](const Tree& tree) { return tree.nodes().n_leaves(); });
}

std::size_t Learner::depth() const {
    const std::shared_lock lock(access_);
    std::size_t deepest = 0;
    for (const Ensemble::Place& place : ensemble_.trees())
        deepest = std::max(deepest, place.tree.nodes().depth());
    return deepest;
}

std::uint64_t Learner::n_updates() const {
    return sum_over_trees([](const Tree& tree) { return tree.n_updates(); });
}

std::uint64_t Learner::n_splits() const {
    return sum_over_trees([](const Tree& tree) { return tree.n_splits(); });
}

}  // namespace sgt
