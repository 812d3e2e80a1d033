// The leaves of a row follow it, and the race between their rates sees it. Its evidence is not
// touched by that.
#pragma once

#include <cstddef>
#include <type_traits>

#include "sgt/clones.hpp"
#include "sgt/learner/class_objective.hpp"
#include "sgt/learner/following.hpp"
#include "sgt/learner/rows_to_follow.hpp"

namespace sgt {

// The scores of a row at each way above 0, by way and output; `offsets_of` says by which offsets.
template <class Rows, class OffsetsOf>
const double* scores_of_ways(Rows& rows, std::size_t r, const double* raw, OffsetsOf&& offsets_of) {
    const std::size_t n_outputs = rows.n_outputs(), n_rates = rows.following().n_ways() - 1;
    double* scores = rows.scratch().followed.data();
    for (std::size_t i = 0; i < n_rates; ++i)
        for (std::size_t k = 0; k < n_outputs; ++k) scores[i * n_outputs + k] = raw[k];
    for (std::size_t t = 0; t < rows.trees().size(); ++t) {
        TreeSet::Entry& entry = rows.trees()[t];
        const double* offsets = offsets_of(entry.tree.offsets(), rows.node(t, r));
        double* of_tree = scores + entry.first_output;
        for (std::size_t j = 0; j < entry.tree.layout().outputs; ++j, ++of_tree)
            for (std::size_t i = 0; i < n_rates; ++i) of_tree[i * n_outputs] += *offsets++;
    }
    return scores;
}

// The offsets of a row's leaf, or null: a row whose category its split has not seen has no leaf.
inline double* offsets_of_leaf(Tree& tree, NodeIndex node) {
    return tree.nodes().is_leaf(node) ? tree.offsets().at(node) : nullptr;
}

// The same by output. (A committee's reference class has none.)
template <class Rows>
double* const* offsets_of_leaves(Rows& rows, std::size_t r) {
    const std::size_t n_rates = rows.following().rates().size(), stride = rows.size();
    double** offsets = rows.scratch().offsets.data();
    offsets[0] = nullptr;
    const NodeIndex* node = &rows.node(0, r);
    for (TreeSet::Entry& entry : rows.trees()) {
        double* of_leaf = offsets_of_leaf(entry.tree, *node);
        node += stride;
        double** of_tree = offsets + entry.first_output;
        for (std::size_t j = 0; j < entry.tree.layout().outputs; ++j)
            of_tree[j] = of_leaf == nullptr ? nullptr : of_leaf + j * n_rates;
    }
    return offsets;
}

// Way after way.
template <class Objective, class Rows>
SGT_NOINLINE void follow_ways(Objective& objective, Rows& rows, FollowedRow row,
                              const double* raw) {
    Following& following = rows.following();
    const bool has_delay = following.has_delay();
    const std::size_t r = row.number, n_outputs = rows.n_outputs();
    double* moves = rows.scratch().moves.data();
    objective.pursue(row, raw, raw, true, following, nullptr);
    const double* at = scores_of_ways(
        rows, r, raw, [](Offsets& offsets, NodeIndex leaf) { return offsets.at(leaf); });
    for (row.way = 1; row.way < following.n_ways(); ++row.way, at += n_outputs)
        objective.pursue(row, raw, at, !has_delay, following, moves + row.way - 1);
    if (has_delay) {  // the race sees what could have been predicted
        at = scores_of_ways(rows, r, raw,
                            [](Offsets& offsets, NodeIndex leaf) { return offsets.judged(leaf); });
        for (row.way = 1; row.way < following.n_ways(); ++row.way, at += n_outputs)
            objective.pursue(row, raw, at, true, following, nullptr);
    }
    following.move(rows.trees(), &rows.node(0, r), rows.size(), moves);
}

// Two classes, by one tree. What adds to the scores of others has other log odds for each row.
template <class Rows>
SGT_INLINE void follow_log_odds_of_row(Rows& rows, const FollowedRow& row, double log_odds) {
    const NodeIndex node = rows.node(0, row.number);
    const double sign = 1.0 - 2.0 * *row.y;
    const LogOddsRow of_class{sign, log_odds, row.weight};
    double* offsets = offsets_of_leaf(rows.trees()[0].tree, node);
    Following& following = rows.following();
    if (rows.trees().adds_to_others())
        return ClassObjective::pursue_log_odds(of_class, offsets, following);
    const double likelihood = rows.scratch().of_values.of(node, *row.y > 0.0, log_odds);
    ClassObjective::pursue_log_odds(FollowedLogOdds{of_class, likelihood, offsets}, following);
}

// The same a little later, of a row whose weight is 1.
template <class Rows>
SGT_INLINE void follow_later(RowsToFollow& waiting, Rows& rows, const FollowedRow& row,
                             double log_odds) {
    const NodeIndex node = rows.node(0, row.number);
    const double likelihood = rows.scratch().of_values.of(node, *row.y > 0.0, log_odds);
    waiting.add(node, {1.0 - 2.0 * *row.y, log_odds, row.weight}, likelihood);
    Following& following = rows.following();
    if (waiting.is_full() || following.race.is_last_row()) waiting.settle(rows.trees(), following);
    following.end_row(rows.trees());
}

// More classes, or a score for each.
template <class Rows>
SGT_INLINE void follow_softmax_of_row(ClassObjective& objective, Rows& rows, const FollowedRow& row,
                                      const double* raw) {
    Following& following = rows.following();
    const NodeIndex node = rows.node(0, row.number);
    // (No trees: there is one class so far.)
    if (!objective.has_vector_leaves() || following.rates().size() != kRatesTogether ||
        rows.trees().size() == 0 || !rows.trees()[0].tree.nodes().is_leaf(node))
        return objective.pursue_together(row, raw, offsets_of_leaves(rows, row.number), following);
    Tree& tree = rows.trees()[0].tree;
    double likelihood = 0.0;
    // (Vector leaves are not linear.)
    const bool are_values = !rows.trees().adds_to_others();
    if (are_values) likelihood = tree.likelihood_of(static_cast<std::size_t>(*row.y), node);
    objective.pursue_in_leaf(row, raw, tree.offsets().at(node), are_values ? &likelihood : nullptr,
                             following);
}

template <class Objective, class Rows>
SGT_INLINE void follow_row(Objective& objective, Rows& rows, const FollowedRow& row,
                           const double* raw) {
    Following& following = rows.following();
    if constexpr (std::is_same_v<Objective, ClassObjective>) {
        if (following.has_delay())
            follow_ways(objective, rows, row, raw);
        else if (objective.has_log_odds())
            follow_log_odds_of_row(rows, row, raw[1]);
        else
            follow_softmax_of_row(objective, rows, row, raw);
    } else {
        follow_ways(objective, rows, row, raw);
    }
    following.end_row(rows.trees());
}

}  // namespace sgt
