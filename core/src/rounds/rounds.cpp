#include "sgt/rounds/rounds.hpp"

#include <algorithm>
#include <mutex>
#include <stdexcept>

#include "sgt/data/binning.hpp"
#include "sgt/learner/learner.hpp"
#include "sgt/loss/loss.hpp"

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
    waiting.save(archive, "round/waiting/");
    gathered.save(archive, "round/");
}

Round Round::load(const ArchiveView& archive, const KnownCodes& known, std::size_t n_targets) {
    Round round;
    const auto size = archive.get<std::int64_t>("round/size", 3);
    round.size = {to_count(size[0], "round/size"), size[1] != 0};
    round.rows = to_count(size[2], "round/size");
    if (round.rows > round.size.rows || (size[1] != 0 && size[1] != 1))
        Archive::fail("round/size", "is inconsistent");
    round.waiting = WaitingRows::load(archive, "round/waiting/", known, n_targets);
    round.gathered = PairwiseSum::load(archive, "round/");
    const std::uint64_t there = round.waiting.rows() + round.gathered.rows();
    if ((round.size.is_frozen ? there != round.rows : there != 0) ||
        round.waiting.rows() > round.size.rows_of_block())
        Archive::fail("round/size", "does not fit the rows of the round");
    return round;
}

// -------------------------------------------------------------------------------------------------
// Learners
// -------------------------------------------------------------------------------------------------

RoundSize Learner::next_round() const {
    double leaves = 0.0;
    const std::vector<Ensemble::Place> trees = ensemble_.trees();
    for (const Ensemble::Place& place : trees)
        leaves += static_cast<double>(place.tree.nodes().n_leaves());
    if (!trees.empty()) leaves /= static_cast<double>(trees.size());
    RoundSize size = size_of_round(options_.round_rows, leaves, options_.grace_period);
    // Several members cannot learn row by row where a loss takes blocks.
    size.is_frozen |= ensemble_.size() > 1 && ensemble_.n_derivatives() > 0;
    return size;
}

Learner::RoundState Learner::round() const {
    const std::shared_lock lock(access_);
    return {round_.has_begun() ? round_.size : next_round(), round_.rows, round_.waiting.rows()};
}

void Learner::begin_round() {
    round_.size = next_round();
}

void Learner::learn_in_rounds(const LabelledRows& rows, std::size_t first_row, Predictions* sink) {
    if (options_.round_rows == 1) return learn_encoded(rows, first_row, sink);
    // A round that has no row has not begun: rows of weight 0, and a loss that fails, change
    // nothing.
    const auto forget_empty_round = [&] {
        if (round_.rows == 0) round_ = Round();
    };
    try {
        for (std::size_t begin = 0; begin < rows.x.rows;) {
            if (!round_.has_begun()) begin_round();
            const LabelledRows rest = rows.slice(begin, rows.x.rows);
            begin += round_.size.is_frozen ? learn_frozen(rest, first_row + begin, sink)
                                           : learn_stretch(rest, first_row + begin, sink);
        }
    } catch (...) {
        forget_empty_round();
        throw;
    }
    forget_empty_round();
}

std::size_t Learner::rows_with_weight(const LabelledRows& rows, std::size_t n) {
    if (rows.w == nullptr) return std::min(n, rows.x.rows);
    std::size_t end = 0;
    for (std::size_t found = 0; end < rows.x.rows && found < n; ++end)
        found += rows.weight(end) != 0.0;
    return end;
}

// Rows one after the other, until the size of a round is taken again.
std::size_t Learner::learn_stretch(const LabelledRows& rows, std::size_t first_row,
                                   Predictions* sink) {
    const LabelledRows part = rows.slice(0, rows_with_weight(rows, round_.size.rows - round_.rows));
    const std::uint64_t before = ensemble_.n_rows();
    const auto count = [&] {
        round_.rows += ensemble_.n_rows() - before;
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
std::size_t Learner::learn_new_class(const LabelledRows& rows, std::size_t first_row,
                                     Predictions* sink) {
    const LabelledRows row = rows.slice(0, 1);
    if (sink != nullptr) predict_encoded(row.x, first_row, *sink);
    if (round_.rows > 0) {
        finish_round();
        begin_round();
    }
    if (!round_.size.is_frozen) return learn_stretch(row, first_row, nullptr);
    ensemble_.admit_class(row.weight(0));
    return learn_frozen(row, first_row, nullptr);
}

// Rows of the block under way. Returns how many.
std::size_t Learner::learn_frozen(const LabelledRows& rows, std::size_t first_row,
                                  Predictions* sink) {
    std::size_t n = rows_with_weight(rows, round_.room_in_block()), known = 0;
    const auto is_of_new_class = [&](std::size_t row) {
        return rows.weight(row) != 0.0 && ensemble_.objective().has_new_class(rows.target(row));
    };
    while (known < n && !is_of_new_class(known)) ++known;
    if (known == 0) return learn_new_class(rows, first_row, sink);
    std::vector<std::size_t> complete;
    n = first_complete_row(rows.x.slice(0, known), rows.w, complete);
    const LabelledRows part = rows.slice(0, n);
    if (sink != nullptr) predict_encoded(part.x, first_row, *sink);
    widen_codes(part.x);
    add_to_round(part, first_row);
    if (!complete.empty()) finish_round();
    for (const std::size_t f : complete) use_late_feature(f);
    return n;
}

void Learner::add_to_round(const LabelledRows& rows, std::size_t first_row) {
    const std::size_t room = round_.room_in_block();
    std::size_t n = 0;
    for (std::size_t r = 0; r < rows.x.rows; ++r) n += rows.weight(r) != 0.0;
    if (encode_block(rows.x)) require_known_categories(rows);
    std::vector<double> derivatives;
    const auto wait = [&](std::size_t end) {
        const std::size_t before = round_.waiting.rows();
        for (std::size_t r = 0; r < end;) {
            std::size_t next = r;
            while (next < end && rows.weight(next) != 0.0) ++next;
            round_.waiting.add(codes_, r, next, rows.y, rows.targets, rows.w);
            r = next + 1;
        }
        round_.waiting.add_derivatives(derivatives);
        round_.rows += round_.waiting.rows() - before;
        ensemble_.add_rows(round_.waiting.rows() - before);
    };
    try {
        ensemble_.compute_derivatives(codes_, rows, first_row, derivatives);
    } catch (const LossFailure& failure) {  // the rows before it have come
        wait(failure.row() - first_row);
        throw;
    }
    if (n == room && round_.waiting.rows() == 0) {  // a whole block
        round_.gathered.push(gather_block(codes_, rows, derivatives), leaf_form());
        round_.rows += n;
        ensemble_.add_rows(n);
    } else {
        wait(rows.x.rows);
        if (n == room) gather_waiting();
    }
    if (round_.is_full()) finish_round();
}

void Learner::gather_waiting() {
    WaitingRows& waiting = round_.waiting;
    if (waiting.rows() == 0) return;
    waiting.widen(features_.width());
    LabelledRows rows;
    rows.x.rows = waiting.rows();
    rows.y = waiting.targets().data();
    rows.w = waiting.weights().data();
    rows.targets = ensemble_.objective().n_targets();
    round_.gathered.push(gather_block(waiting.codes(), rows, waiting.derivatives()), leaf_form());
    waiting.clear();
}

void Learner::finish_round() {
    if (round_.size.is_frozen) gather_waiting();
    if (!round_.gathered.empty()) {
        Partial partial = round_.gathered.take(leaf_form());
        partial.kept.widen(features_.width());
        std::vector<std::vector<NodeIndex>> due;
        ensemble_.for_each_tree_in_place([&](Tree& tree, Member& member) {
            due.push_back(tree.absorb(partial.trees[due.size()], partial.kept, member.context));
        });
        ensemble_.count(partial.weight);
        std::size_t t = 0;
        ensemble_.for_each_tree_in_place([&](Tree& tree, Member& member) {
            for (const NodeIndex leaf : due[t++])
                tree.consider(leaf, member.reader_at(tree, leaf), member.context);
        });
        ensemble_.keep_within_budget();
    }
    round_ = Round();
}

bool Learner::encode_block(const RowsView& x) {
    codes_.shape(x.rows, features_.size(), features_.width());
    return features_.encode_rows(x, 0, x.rows, codes_);
}

Partial Learner::gather_block(const CodeBlock& codes, const LabelledRows& rows,
                              const std::vector<double>& derivatives) {
    Partial partial;
    partial.blocks = 1;
    for (std::size_t r = 0; r < codes.rows; ++r) partial.rows += rows.weight(r) != 0.0;
    ensemble_.gather(codes, rows, derivatives, partial);
    if (options_.kept_rows == 0) return partial;
    partial.kept.codes = codes;
    for (std::size_t r = 0; r < codes.rows; ++r) partial.kept.weights.push_back(rows.weight(r));
    partial.let_rows_go();
    return partial;
}

void Learner::end_round() {
    require_learning();
    const std::lock_guard one_learns(one_learns_);
    const std::unique_lock lock(access_);
    finish_round();
}

void Learner::require_trees() const {
    if (warm_up_.is_active())
        throw std::invalid_argument("there are no trees before the warm-up ends");
}

Partial Learner::gather_rows(const std::vector<RowsView>& pieces, const LabelledRows& rows) {
    const std::lock_guard one_learns(one_learns_);
    const std::unique_lock lock(access_);
    require_trees();
    if (has_linear_leaves())
        throw std::invalid_argument("linear leaves cannot be learned in rounds");
    std::size_t n = 0;
    for (const RowsView& piece : pieces) {
        require_columns(piece);
        if (piece.is_coded) require_codes(piece);
        n += piece.rows;
        widen_codes(piece);
    }
    for (std::size_t r = 0; r < n; ++r)
        if (rows.weight(r) == 0.0)
            throw std::invalid_argument("rows of weight 0 cannot be gathered");
    // The trees do not change, so this is the size of the round that these rows belong to.
    const std::size_t most = next_round().rows_of_block();
    PairwiseSum sum;
    std::size_t piece = 0, begin_in_piece = 0;
    for (std::size_t begin = 0; begin < n; begin += most) {
        const std::size_t end = std::min(begin + most, n);
        codes_.shape(end - begin, features_.size(), features_.width());
        bool some_unseen = false;
        for (std::size_t at = 0; at < codes_.rows;) {
            const std::size_t left = pieces[piece].rows - begin_in_piece;
            const std::size_t taken = std::min(left, codes_.rows - at);
            some_unseen |= features_.encode_rows(
                pieces[piece].slice(begin_in_piece, begin_in_piece + taken), codes_, at);
            at += taken;
            begin_in_piece += taken;
            if (taken < left) continue;
            ++piece;
            begin_in_piece = 0;
        }
        const LabelledRows block = rows.slice(begin, end);
        if (some_unseen) require_known_categories(block);
        std::vector<double> derivatives;
        ensemble_.compute_derivatives(codes_, block, begin, derivatives);
        sum.push(gather_block(codes_, block, derivatives), leaf_form());
    }
    if (sum.empty()) throw std::invalid_argument("there are no rows to gather");
    return sum.take(leaf_form());
}

void Learner::check(const Partial& partial, const KnownCodes& known) const {
    const std::vector<Ensemble::Place> trees = ensemble_.trees();
    if (partial.trees.size() != trees.size())
        throw std::invalid_argument("the partial statistics are of another number of trees");
    for (std::size_t t = 0; t < trees.size(); ++t)
        trees[t].tree.check_absorb(partial.trees[t], leaf_form(), known);
    partial.kept.check(features_, known);
}

void Learner::admit(const Partial& partial) {
    std::uint32_t largest = partial.kept.largest_code(features_);
    for (const PartialTree& tree : partial.trees) largest = std::max(largest, tree.largest_code());
    if (largest > kMissingCode) admit_category(largest - 1);
}

Partial Learner::add(Partial first, Partial later, CategoryCounts categories) {
    const std::lock_guard one_learns(one_learns_);
    const std::unique_lock lock(access_);
    const KnownCodes known(features_, categories);
    check(first, known);
    check(later, known);
    admit(first);
    admit(later);
    first.add(std::move(later), leaf_form());
    return first;
}

void Learner::absorb(Partial partial, CategoryCounts categories) {
    require_learning();
    const std::lock_guard one_learns(one_learns_);
    const std::unique_lock lock(access_);
    if (warm_up_.is_active() || !late_.empty())
        throw std::invalid_argument(
            "a model cannot absorb partial statistics before the ranges are known");
    const RoundSize size = round_.has_begun() ? round_.size : next_round();
    if (!size.is_frozen || round_.waiting.rows() > 0 || partial.rows > size.rows - round_.rows)
        throw std::invalid_argument("the round has no room for these rows");
    check(partial, KnownCodes(features_, categories));
    if (!round_.has_begun()) begin_round();
    admit(partial);
    partial.kept.widen(features_.width());
    round_.rows += partial.rows;
    ensemble_.add_rows(partial.rows);
    round_.gathered.push(std::move(partial), leaf_form());
    if (round_.is_full()) finish_round();
}

bool Learner::admit_class_between_rounds(double w) {
    require_learning();
    const std::lock_guard one_learns(one_learns_);
    const std::unique_lock lock(access_);
    require_trees();
    finish_round();
    begin_round();
    if (round_.size.is_frozen) ensemble_.admit_class(w);
    return round_.size.is_frozen;
}

}  // namespace sgt
