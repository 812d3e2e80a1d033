// What all row loops have in common: the trees of a member learn a row, its leaves follow it, its
// error is watched, and trees in the background learn it too.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>

#include "sgt/learner/follow_row.hpp"
#include "sgt/learner/rows_to_follow.hpp"
#include "sgt/learner/scored_rows.hpp"

namespace sgt {

template <class Objective_, class Leaves, class Code>
class RowLearner {
public:
    using Objective = Objective_;
    using Rows = ScoredRows<Leaves, Code>;

    // All rows are routed.
    RowLearner(Member& member, const CodeBlock& codes, const LabelledRows& rows)
        : RowLearner(member, member.trees, member.following, member.scratch, codes, rows) {
        rows_.route();
        watches_errors_ = kHasErrors && member.watches_errors();
        if (member.background == nullptr) return;
        run_background();
        background_->rows_.route();
    }

    Rows& rows() {
        return rows_;
    }
    Objective& objective() {
        return objective_;
    }
    bool watches_errors() const {
        return watches_errors_;
    }
    // Before the first row. Rows may wait for others before their leaves follow them: then `settle`
    // is called for a row before its prediction, and at the end.
    void let_rows_wait() {
        lets_rows_wait_ = true;
        set_may_wait();
    }
    SGT_INLINE void settle(std::size_t r) {
        if constexpr (kMayWait)
            if (to_follow_.has(rows_.node(0, r))) settle();
    }
    void settle() {
        if constexpr (kMayWait) to_follow_.settle(rows_.trees(), rows_.following());
    }
    void begin_at_roots() {
        rows_.begin_at_roots();
        set_may_wait();
        if (background_ != nullptr) background_->rows_.begin_at_roots();
    }

    // What a row's prediction, made before it was learned, says about the trees: its error, and
    // where there are others in the background, its losses.
    double see(std::size_t r, const double* predicted) {
        if constexpr (kHasErrors) {
            if (!watches_errors_) return 0.0;
            const double* y = rows_.target(r);
            objective_.note_errors(y, predicted, member_.replacement);
            if (background_ != nullptr) judge(r, predicted);
            return objective_.error(y, predicted, member_.replacement);
        }
        return 0.0;
    }
    void follow(std::size_t r, const double* raw, double w) {
        if (!rows_.leaves_follow()) return;
        const FollowedRow row{rows_.target(r), rows_.following().relative_weight(w), r, 0};
        if constexpr (kMayWait) {
            if (may_wait_ && row.weight == 1.0 && background_ == nullptr)
                return follow_later(to_follow_, rows_, row, raw[1]);
            settle();
        }
        follow_row(objective_, rows_, row, raw);
    }
    // At these raw scores. Returns whether a leaf changed.
    bool learn(std::size_t r, double w, const double* raw) {
        if (w == 0.0) return false;
        if constexpr (!kTakesBlocks) objective_.set_row(r, rows_.target(r), w, raw);
        bool changed = false;
        TreeSet& trees = rows_.trees();
        for (std::size_t t = 0; t < trees.size(); ++t) {
            const double* record =
                objective_.record(trees[t].first_output, t, member_.context.n_rows);
            if (record == nullptr) continue;
            changed |= learn_in_tree(trees[t].tree, rows_.node(t, r), rows_.codes(r), record);
        }
        return changed;
    }
    // After the row was learned: whether others are started, and whether these take over.
    void watch(std::size_t r, double w, double error) {
        if constexpr (kHasErrors) {
            if (!watches_errors_) return;
            if (background_ != nullptr) return compare_with_background(r, w, error);
            if (member_.replacement.add_error(error, member_.context.n_rows)) start_background();
        }
    }
    void end_row() {
        ++member_.context.n_rows;
        member_.keep_within_budget();
        if (background_ != nullptr && member_.background == nullptr) background_.reset();
    }

    // The leaf where a row is learned that has come down to a node; kNoNode where there is none.
    NodeIndex leaf_for_learning(Tree& tree, NodeIndex node, const Code* row) {
        if (tree.nodes().is_leaf(node)) return node;
        return tree.leaf_for_learning(node, row[tree.nodes().feature(node)], member_.context);
    }

    // The objective takes all rows of a block together, before they are learned.
    static constexpr bool kTakesBlocks = std::is_same_v<Objective, BlockLossObjective>;

private:
    static constexpr bool kHasErrors =
        requires(Objective& o, Replacement& r) { o.error(nullptr, nullptr, r); };

    static constexpr bool kMayWait = std::is_same_v<Objective, ClassObjective>;

    // Of the model's trees, or of those in the background. All rows stand at the roots.
    RowLearner(Member& member, TreeSet& trees, Following& following, Member::Scratch& scratch,
               const CodeBlock& codes, const LabelledRows& rows)
        : member_(member),
          objective_(static_cast<Objective&>(*member.objective)),
          codes_(codes),
          labelled_(rows),
          rows_(member, trees, following, scratch, codes, rows) {}

    // Returns whether the leaf changed.
    bool learn_in_tree(Tree& tree, NodeIndex node, const Code* row, const double* record) {
        const NodeIndex leaf = leaf_for_learning(tree, node, row);
        if (leaf == kNoNode) return false;
        tree.template learn_in_leaf_model<Leaves>(leaf, rows_.scratch().inputs.data(), record);
        TreeContext& context = member_.context;
        if (!tree.add(leaf, reinterpret_cast<const std::byte*>(row), record, context)) return false;
        settle();
        return tree.consider(leaf, member_.reader_at(tree, leaf), context);
    }
    void set_may_wait() {
        if constexpr (kMayWait)
            may_wait_ = lets_rows_wait_ && objective_.has_log_odds() &&
                        !rows_.following().has_delay() && !rows_.trees().adds_to_others();
    }

    SGT_NOINLINE void start_background() {
        settle();
        member_.start_background();
        run_background();
    }
    SGT_NOINLINE void compare_with_background(std::size_t r, double w, double error) {
        Replacement& replacement = member_.replacement;
        background_->learn_in_background(r, w);
        switch (
            replacement.add_losses(error, seen(), background_->seen(), w, member_.context.n_rows)) {
            case Replacement::Verdict::wait:
                return;
            case Replacement::Verdict::give_up:
                member_.drop_background();
                break;
            case Replacement::Verdict::replace:
                member_.replace_trees();
                rows_.set_shape();
                break;
        }
        background_.reset();
    }
    void run_background() {
        Member::Background& background = *member_.background;
        background_.reset(new RowLearner(member_, background.trees, background.following,
                                         background.scratch, codes_, labelled_));
    }
    void learn_in_background(std::size_t r, double w) {
        const double* raw = rows_.score(r);
        judge(r, rows_.predictions(r, raw));
        follow(r, raw, w);
        learn(r, w * rows_.trees().options().copies(member_.context.n_rows), raw);
    }
    // Losses and error of what could have been predicted of a row.
    void judge(std::size_t r, const double* predicted) {
        const double *y = rows_.target(r), *scores = rows_.judged_scores(r, predicted);
        objective_.write_losses(y, scores, rows_.scratch().losses.data());
        judged_error_ = objective_.error(y, scores, member_.replacement);
    }
    Replacement::Seen seen() {
        return {judged_error_, rows_.scratch().losses.data()};
    }

    Member& member_;
    Objective& objective_;
    const CodeBlock& codes_;
    const LabelledRows& labelled_;
    Rows rows_;
    bool watches_errors_ = false;
    double judged_error_ = 0.0;
    std::unique_ptr<RowLearner> background_;  // over the trees in the background
    RowsToFollow to_follow_;
    bool lets_rows_wait_ = false, may_wait_ = false;
};

}  // namespace sgt
