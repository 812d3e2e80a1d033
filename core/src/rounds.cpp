#include "sgt/rounds.hpp"

#include <algorithm>
#include <mutex>
#include <stdexcept>

#include "sgt/binning.hpp"
#include "sgt/learner.hpp"

namespace sgt {

// -------------------------------------------------------------------------------------------------
// The round under way
// -------------------------------------------------------------------------------------------------

namespace {

// Below this size a round saves nothing: rows are learned one after the other.
constexpr std::size_t kLeastRound = 1024;
// A leaf sees about this part of a grace period in a round.
constexpr double kPartOfGracePeriod = 0.5;

}  // namespace

RoundSize size_of_round(std::size_t round_rows, double leaves, std::size_t grace_period) {
    if (round_rows != kAutomaticRounds) return {round_rows, true};
    const auto rows =
        static_cast<std::size_t>(kPartOfGracePeriod * leaves * static_cast<double>(grace_period));
    if (rows < kLeastRound) return {kLeastRound, false};
    return {rows, true};
}

void Round::save(Archive& archive) const {
    archive.put<std::int64_t>(
        "round/size", {static_cast<std::int64_t>(size.rows),
                       static_cast<std::int64_t>(size.is_frozen), static_cast<std::int64_t>(rows)});
    waiting.save(archive, false, "round/waiting");
    gathered.save(archive, "round/");
}

Round Round::load(const ArchiveView& archive, const KnownCodes& codes, std::size_t n_targets) {
    Round round;
    const auto size = archive.get<std::int64_t>("round/size", 3);
    round.size = {to_count(size[0], "round/size"), size[1] != 0};
    round.rows = to_count(size[2], "round/size");
    if (round.rows > round.size.rows || (size[1] != 0 && size[1] != 1))
        Archive::fail("round/size", "contradicts itself");
    round.waiting = WarmUp::load(archive, codes, n_targets, false, "round/waiting");
    round.gathered = PairwiseSum::load(archive, "round/");
    const std::uint64_t known = round.waiting.rows() + round.gathered.rows();
    if (round.size.is_frozen ? known != round.rows : known != 0)
        Archive::fail("round/size", "does not fit the rows of the round");
    return round;
}

// -------------------------------------------------------------------------------------------------
// Learners
// -------------------------------------------------------------------------------------------------

RoundSize Learner::next_round() const {
    double leaves = 0.0;
    for (const Tree& tree : trees_) leaves += static_cast<double>(tree.nodes().n_leaves());
    if (!trees_.empty()) leaves /= static_cast<double>(trees_.size());
    return size_of_round(workshop_.options.round_rows, leaves, workshop_.options.grace_period);
}

Learner::RoundState Learner::round() const {
    const std::shared_lock lock(state_);
    return {round_.has_begun() ? round_.size : next_round(), round_.rows, round_.waiting.rows()};
}

void Learner::begin_round() {
    round_.size = next_round();
    round_.waiting = WarmUp(kRowsOfPartial, n_targets_);
}

void Learner::learn_in_rounds(const Rows& rows, std::size_t first_row, Sink* sink) {
    if (workshop_.options.round_rows == 1) return learn_encoded(rows, first_row, sink);
    for (std::size_t begin = 0; begin < rows.x.rows;) {
        if (!round_.has_begun()) begin_round();
        const Rows rest = rows.slice(begin, rows.x.rows);
        begin += round_.size.is_frozen ? learn_frozen(rest, first_row + begin, sink)
                                       : learn_stretch(rest, first_row + begin, sink);
    }
}

std::size_t Learner::rows_with_weight(const Rows& rows, std::size_t n) {
    std::size_t end = 0;
    for (std::size_t found = 0; end < rows.x.rows && found < n; ++end)
        found += rows.weight(end) != 0.0;
    return end;
}

// Rows one after the other, until the size of a round is taken again.
std::size_t Learner::learn_stretch(const Rows& rows, std::size_t first_row, Sink* sink) {
    const Rows part = rows.slice(0, rows_with_weight(rows, round_.size.rows - round_.rows));
    const std::uint64_t before = n_rows_;
    const auto count = [&] {
        round_.rows += n_rows_ - before;
        if (round_.is_full()) round_ = Round();
    };
    try {
        learn_encoded(part, first_row, sink);
    } catch (...) {  // a user's loss failed
        count();
        throw;
    }
    count();
    return part.x.rows;
}

// A row of a new class ends the round before it, and begins the next one.
std::size_t Learner::learn_new_class(const Rows& rows, std::size_t first_row, Sink* sink) {
    const Rows row = rows.slice(0, 1);
    if (sink != nullptr) predict_rows(row, first_row, *sink);
    if (round_.rows > 0) {
        finish_round();
        begin_round();
    }
    if (!round_.size.is_frozen) return learn_stretch(row, first_row, nullptr);
    admit_class(row.weight(0));
    return learn_frozen(row, first_row, nullptr);
}

// Rows of the block under way. Returns how many.
std::size_t Learner::learn_frozen(const Rows& rows, std::size_t first_row, Sink* sink) {
    std::size_t n = rows_with_weight(rows, round_.room_in_block()), known = 0;
    while (known < n && !is_of_new_class(rows, known)) ++known;
    if (known == 0) return learn_new_class(rows, first_row, sink);
    std::vector<std::size_t> complete;
    n = first_complete_row(rows.x.slice(0, known), rows.w, complete);
    const Rows part = rows.slice(0, n);
    if (sink != nullptr) predict_rows(part, first_row, *sink);
    widen_codes(part.x);
    add_to_round(part, first_row);
    if (!complete.empty()) finish_round();
    for (const std::size_t f : complete)
        set_late_boundaries(f, sample_boundaries(late_.hand_over(f), workshop_.options.n_bins,
                                                 workshop_.options.quantile_bins));
    return n;
}

void Learner::add_to_round(const Rows& rows, std::size_t first_row) {
    const std::size_t room = round_.room_in_block();
    std::size_t n = 0;
    for (std::size_t r = 0; r < rows.x.rows; ++r) n += rows.weight(r) != 0.0;
    const auto wait = [&](std::size_t end) {
        for (std::size_t r = 0; r < end; ++r) {
            if (rows.weight(r) == 0.0) continue;
            round_.waiting.add(rows.x, r, rows.y + r * rows.targets, rows.weight(r));
            ++round_.rows;
            ++n_rows_;
        }
    };
    const bool is_whole_block = n == room && round_.waiting.rows() == 0;
    try {
        if (is_whole_block)
            round_.gathered.push(gather_block(rows, first_row), leaf_form());
        else
            try_rows(rows, first_row);
    } catch (const LossFailure& failure) {  // the rows before it have come
        wait(failure.row() - first_row);
        throw;
    }
    if (is_whole_block) {
        round_.rows += n;
        n_rows_ += n;
    } else {
        wait(rows.x.rows);
        if (n == room) gather_waiting();
    }
    if (round_.is_full()) finish_round();
}

void Learner::gather_waiting() {
    const WarmUp& waiting = round_.waiting;
    if (waiting.rows() == 0) return;
    round_.gathered.push(
        gather_block({waiting.view(workshop_.features.size()), waiting.targets().data(),
                      waiting.weights().data(), n_targets_},
                     0),
        leaf_form());
    round_.waiting = WarmUp(kRowsOfPartial, n_targets_);
}

void Learner::finish_round() {
    if (round_.size.is_frozen) gather_waiting();
    if (!round_.gathered.empty()) {
        Partial partial = round_.gathered.take(leaf_form());
        partial.kept.widen(workshop_.features.width());
        std::vector<std::vector<NodeIndex>> due;
        for (std::size_t t = 0; t < trees_.size(); ++t)
            due.push_back(trees_[t].absorb(partial.trees[t], partial.kept, workshop_));
        absorb_outputs(partial.weight);
        for (std::size_t t = 0; t < trees_.size(); ++t)
            for (const NodeIndex leaf : due[t])
                trees_[t].consider(leaf, reader_at(trees_[t], leaf), workshop_);
        keep_within_budget();
    }
    round_ = Round();
}

void Learner::gather_codes(const CodeBlock&, const Rows&, std::size_t, Partial&) {
    throw std::invalid_argument("this kind of model knows no rounds");
}

Partial Learner::gather_block(const Rows& rows, std::size_t first_row) {
    codes_.shape(rows.x.rows, workshop_.features.size(), workshop_.features.width());
    workshop_.features.encode_rows(rows.x, 0, rows.x.rows, codes_);
    Partial partial;
    partial.blocks = 1;
    for (std::size_t r = 0; r < rows.x.rows; ++r) partial.rows += rows.weight(r) != 0.0;
    gather_codes(codes_, rows, first_row, partial);
    if (workshop_.options.kept_rows == 0) return partial;
    partial.kept.codes = codes_;
    for (std::size_t r = 0; r < rows.x.rows; ++r) partial.kept.weights.push_back(rows.weight(r));
    partial.let_rows_go();
    return partial;
}

void Learner::end_round() {
    require_learning();
    const std::lock_guard one_learns(one_learns_);
    const std::unique_lock lock(state_);
    finish_round();
}

Partial Learner::gather_rows(const Rows& rows) {
    const std::lock_guard one_learns(one_learns_);
    const std::unique_lock lock(state_);
    if (warm_up_.is_active())
        throw std::invalid_argument("there are no trees before the warm-up ends");
    for (std::size_t r = 0; r < rows.x.rows; ++r)
        if (rows.weight(r) == 0.0) throw std::invalid_argument("rows of weight 0 say nothing");
    widen_codes(rows.x);
    PairwiseSum sum;
    for (std::size_t begin = 0; begin < rows.x.rows; begin += kRowsOfPartial)
        sum.push(
            gather_block(rows.slice(begin, std::min(begin + kRowsOfPartial, rows.x.rows)), begin),
            leaf_form());
    if (sum.empty()) throw std::invalid_argument("there are no rows to gather");
    return sum.take(leaf_form());
}

void Learner::check(const Partial& partial) const {
    if (partial.trees.size() != trees_.size())
        throw std::invalid_argument("the partial statistics are of another number of trees");
    for (std::size_t t = 0; t < trees_.size(); ++t)
        trees_[t].check_absorb(partial.trees[t], leaf_form());
    partial.kept.check(workshop_.features);
}

void Learner::admit(const Partial& partial) {
    std::uint32_t largest = partial.kept.largest_code(workshop_.features);
    for (const PartialTree& tree : partial.trees) largest = std::max(largest, tree.largest_code());
    if (largest > kMissingCode) admit_category(largest - 1);
}

Partial Learner::add(Partial first, Partial later) {
    const std::lock_guard one_learns(one_learns_);
    const std::unique_lock lock(state_);
    check(first);
    check(later);
    admit(first);
    admit(later);
    first.add(std::move(later), leaf_form());
    return first;
}

void Learner::absorb(Partial partial) {
    require_learning();
    const std::lock_guard one_learns(one_learns_);
    const std::unique_lock lock(state_);
    if (warm_up_.is_active() || !late_.empty())
        throw std::invalid_argument(
            "a model that waits for ranges has no trees to be told of rows");
    const RoundSize size = round_.has_begun() ? round_.size : next_round();
    if (!size.is_frozen || round_.waiting.rows() > 0 || partial.rows > size.rows - round_.rows)
        throw std::invalid_argument("the round has no room for these rows");
    check(partial);
    if (!round_.has_begun()) begin_round();
    admit(partial);
    partial.kept.widen(workshop_.features.width());
    round_.rows += partial.rows;
    n_rows_ += partial.rows;
    round_.gathered.push(std::move(partial), leaf_form());
    if (round_.is_full()) finish_round();
}

}  // namespace sgt
