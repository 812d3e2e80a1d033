// The rows of a block in the trees of a member: where each stands, what it is learned at, and what
// is predicted of it.
#pragma once

#include <algorithm>
#include <cstddef>

#include "sgt/clones.hpp"
#include "sgt/data/codes.hpp"
#include "sgt/data/labelled_rows.hpp"
#include "sgt/leaf/leaf_models.hpp"
#include "sgt/learner/member.hpp"
#include "sgt/learner/member_rows.hpp"

namespace sgt {

// The code type of a loop that does not route rows on: it reads no codes.
struct NoCode {};

template <class Leaves, class Code>
class ScoredRows {
public:
    // All rows stand at the roots.
    ScoredRows(Member& member, TreeSet& trees, Following& following, Member::Scratch& scratch,
               const CodeBlock& codes, const LabelledRows& rows)
        : member_(member),
          trees_(trees),
          following_(following),
          scratch_(scratch),
          codes_(codes),
          rows_(rows),
          n_(codes.rows),
          row_bytes_(codes.row_bytes()) {
        if constexpr (Leaves::kReadsInputs)
            scratch_.inputs.resize(1 + member.context.standardiser.size());
        begin_at_roots();
    }

    std::size_t size() const {
        return n_;
    }
    std::size_t n_outputs() const {
        return outputs_;
    }
    // Whether the leaves of a row follow it.
    bool leaves_follow() const {
        return leaves_follow_;
    }
    Member& member() {
        return member_;
    }
    TreeSet& trees() {
        return trees_;
    }
    Following& following() {
        return following_;
    }
    Member::Scratch& scratch() {
        return scratch_;
    }
    const CodeBlock& codes() const {
        return codes_;
    }
    const Code* codes(std::size_t r) const {
        return reinterpret_cast<const Code*>(codes_.bytes.data() + r * row_bytes_);
    }
    const double* target(std::size_t r) const {
        return rows_.target(r);
    }
    double weight(std::size_t r) const {
        return rows_.weight(r);
    }
    const double* targets() const {
        return rows_.y;
    }
    // Where a row has come to in a tree.
    NodeIndex& node(std::size_t tree, std::size_t r) {
        return scratch_.nodes[tree * n_ + r];
    }

    // After the numbers of trees or outputs have changed, too: they do with a new class only.
    void begin_at_roots() {
        set_shape();
        scratch_.nodes.assign(std::max<std::size_t>(trees_.size(), 1) * n_, 0);
    }
    void set_shape() {
        outputs_ = trees_.n_outputs();
        scratch_.losses.resize(member_.replacement.n_targets());
        // (A committee has no tree for its reference class.)
        scratch_.values.assign(outputs_, 0.0);
        scratch_.raw.resize(outputs_);
        has_one_score_ =
            trees_.size() == 1 && trees_[0].tree.layout().outputs == 1 && outputs_ <= 2;
        leaves_follow_ = following_.is_on() && member_.is_watched && member_.has_room_to_follow();
        if (!leaves_follow_) return;
        scratch_.moves.resize((following_.n_ways() - 1) * outputs_);
        scratch_.followed.resize(scratch_.moves.size());
        scratch_.offsets.resize(outputs_);
    }
    // All rows down all trees, on the team of the call.
    void route() {
        Team* team = member_.context.team;
        for (std::size_t t = 0; t < trees_.size(); ++t) {
            const Nodes& nodes = trees_[t].tree.nodes();
            if (team == nullptr) {
                nodes.descend_block(codes_, 0, n_, &node(t, 0));
                continue;
            }
            team->split(n_, [&](std::size_t begin, std::size_t end) {
                nodes.descend_block(codes_, begin, end, &node(t, 0));
            });
        }
    }

    // One of several members: what it is given about the rows, and gives.
    void set_member_rows(const MemberRows& rows) {
        member_rows_ = rows;
    }
    const MemberRows& member_rows() const {
        return member_rows_;
    }

    // The raw scores of a row at which it is learned. Leaves may have split since it was routed;
    // where none has, it need not descend.
    template <bool kDescends = true>
    const double* score(std::size_t r) {
        if constexpr (Leaves::kReadsInputs)
            member_.context.standardiser.write(rows_.x, r, scratch_.inputs.data());
        double* values = scratch_.values.data();
        const double* inputs = scratch_.inputs.data();
        NodeIndex* nodes = scratch_.nodes.data();
        for (const TreeSet::Entry& entry : trees_) {
            if constexpr (kDescends) descend(entry.tree, nodes, r);
            entry.tree.template write_scores<Leaves>(nodes[r], inputs, values + entry.first_output);
            nodes += n_;
        }
        const double* base = base_of(r);
        if (base == nullptr) return values;
        double* raw = scratch_.raw.data();
        for (std::size_t k = 0; k < outputs_; ++k) raw[k] = base[k] + values[k];
        return raw;
    }

    // The scores that are predicted of a row, from those at which it is learned.
    SGT_INLINE const double* predictions(std::size_t r, const double* raw) {
        return leaves_follow_ ? followed(r, raw) : raw;
    }

    // The scores that could have been predicted of a row when its label was still to come: by the
    // values and offsets of so many rows ago. Without a delay those that are predicted.
    SGT_INLINE const double* judged_scores(std::size_t r, const double* predicted) {
        return member_.context.options.rows_of_past_values() == 0 ? predicted : past_scores(r);
    }

    // One of several: the scores with its own added, after `score`.
    const double* write_member_scores(std::size_t r) {
        const double *own = predictions(r, scratch_.values.data()), *base = base_of(r);
        const double shrinkage = trees_.options().shrinkage;
        double* scores = member_rows_.scores + r * outputs_;
        if (base == nullptr)
            for (std::size_t k = 0; k < outputs_; ++k) scores[k] = shrinkage * own[k];
        else
            for (std::size_t k = 0; k < outputs_; ++k) scores[k] = base[k] + shrinkage * own[k];
        return scores;
    }

private:
    // Leaves are fetched so many rows before their row is learned.
    static constexpr std::size_t kPrefetchRows = 8;

    void descend(const Tree& tree, NodeIndex* nodes, std::size_t r) const {
        if (r + 2 * kPrefetchRows < n_) tree.prefetch(nodes[r + 2 * kPrefetchRows]);
        if (r + kPrefetchRows < n_) {
            tree.prefetch_buffer(nodes[r + kPrefetchRows]);
            scratch_.of_values.prefetch(nodes[r + kPrefetchRows]);
        }
        nodes[r] = tree.nodes().descend(nodes[r], codes(r));
    }
    // The scores of other members to which this one adds; null where it is alone.
    const double* base_of(std::size_t r) const {
        const MemberRows& rows = member_rows_;
        return rows.base == nullptr ? nullptr : rows.base + r * rows.base_stride;
    }
    SGT_INLINE const double* followed(std::size_t r, const double* raw) {
        double* scores = scratch_.followed.data();
        const NodeIndex* nodes = scratch_.nodes.data() + r;
        if (has_one_score_) {  // the same as below, without its loops
            scores[0] = raw[0];
            scores[outputs_ - 1] = raw[outputs_ - 1];
            trees_[0].tree.offsets().add_chosen_to_one(*nodes, scores[outputs_ - 1]);
            return scores;
        }
        for (std::size_t k = 0; k < outputs_; ++k) scores[k] = raw[k];
        for (const TreeSet::Entry& entry : trees_) {
            entry.tree.offsets().add_chosen(*nodes, scores + entry.first_output);
            nodes += n_;
        }
        return scores;
    }

    SGT_NOINLINE const double* past_scores(std::size_t r) {
        scratch_.past.assign(outputs_, 0.0);
        double* scores = scratch_.past.data();
        const NodeIndex* nodes = scratch_.nodes.data() + r;
        for (TreeSet::Entry& entry : trees_) {
            Tree& tree = entry.tree;
            double* of_tree = scores + entry.first_output;
            tree.past_values().write(tree.nodes(), *nodes, member_.context.n_rows,
                                     tree.layout().outputs, of_tree);
            if (leaves_follow_) tree.offsets().add_chosen_judged(*nodes, of_tree);
            nodes += n_;
        }
        return scores;
    }

    Member& member_;
    TreeSet& trees_;
    Following& following_;
    Member::Scratch& scratch_;
    const CodeBlock& codes_;
    const LabelledRows& rows_;
    std::size_t n_, row_bytes_;
    std::size_t outputs_ = 0;
    bool leaves_follow_ = false;
    bool has_one_score_ = false;  // the last output: that of a number, or the second class's
    MemberRows member_rows_;
};

}  // namespace sgt
