// A member of an ensemble: trees that learn from the same raw scores, what follows and watches
// them, and the trees in the background that may take their place. The row loop works on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sgt/archive/archive.hpp"
#include "sgt/archive/feature_archive.hpp"
#include "sgt/clones.hpp"
#include "sgt/data/warm_up.hpp"
#include "sgt/drift/replacement.hpp"
#include "sgt/learner/follow_classes.hpp"
#include "sgt/learner/following.hpp"
#include "sgt/learner/objective.hpp"
#include "sgt/learner/tree_set.hpp"
#include "sgt/tree/tree_context.hpp"

namespace sgt {

struct Member {
    Member(const Options& options, FeatureSpace& features, const Standardiser& standardiser,
           std::unique_ptr<Objective> objective, TreeSet trees);
    ~Member();

    TreeContext context;
    std::unique_ptr<Objective> objective;
    TreeSet trees;
    Following following;
    // Trees that may take the place of these, and what decides about it.
    struct Background;
    std::unique_ptr<Background> background;
    Replacement replacement;
    // By how much it lowers the loss of the members before it, if it adds to their scores.
    Proof benefit;
    // Not while rows come in an order of the caller's own: then leaves do not follow them either.
    bool is_watched = true;

    CellReader reader_at(const Tree& tree, NodeIndex leaf) const {
        const LeafStatistics* s = tree.statistics(leaf);
        return objective->reader(tree.layout(), tree.values(leaf), s->references());
    }
    // The objective's class for a row of weight w, which no row before had, and its trees. Returns
    // the raw score with which it begins.
    double admit_class(double w);
    // After any row that may have made the model larger.
    void keep_within_budget() {
        if (context.budget.is_limited()) keep_within_limit();
    }
    SGT_NOINLINE void keep_within_limit() {
        reserve_for_late_labels();
        if (background != nullptr && context.budget.is_nearly_exceeded()) {
            drop_background();
            replacement.give_up(DriftEvent::Kind::no_memory, context.n_rows);
            reserve_for_late_labels();
        }
        if (context.budget.is_exceeded()) drop_least_promising();
    }
    // Whether the moves of the rows whose labels are still to come may take so much memory. If not
    // leaves do not follow, as their rates cannot be judged.
    bool has_room_to_follow() const {
        return !context.budget.is_limited() ||
               following.most_bytes(trees) <= context.budget.limit / kPartForMoves;
    }
    // Calls f(tree, context) for all trees, those in the background too.
    template <class F>
    void for_each_tree(F&& f);
    // Whether trees may be replaced. Within rounds trees stand still; a loss that is written in
    // Python says how to learn, and not how large it is; bags have no rows.
    bool may_replace() const {
        return context.options.replaces_on_drift && context.options.round_rows == 1 &&
               (objective->kind() == Objective::Kind::classes ||
                objective->kind() == Objective::Kind::loss);
    }
    // Trees that add to the scores of others are judged by what they add, and not by errors.
    bool watches_benefit() const {
        return is_watched && may_replace() && trees.adds_to_others();
    }
    bool watches_errors() const {
        return is_watched && may_replace() && !trees.adds_to_others();
    }
    void start_background();
    // Without a word about it in the events.
    void drop_background();
    // The model has other rows now than those whose errors were seen.
    void restart_watch();
    // The trees in the background take over.
    void replace_trees();
    // What it adds to the scores of others has done harm: it begins anew.
    void begin_anew();

    std::size_t bytes() const;

    void save(Archive& archive, const std::string& prefix, bool inference_only) const;
    void load(const ArchiveView& archive, const std::string& prefix, const WarmUp& warm_up,
              const KnownCodes& codes, bool inference_only);

    // Memory of the rows that are learned now.
    struct Scratch {
        std::vector<NodeIndex> nodes;  // where each row of the block stands, by tree
        std::vector<double> values;    // of a row's leaves
        std::vector<double> raw;       // of a row, at which it is learned
        std::vector<double> inputs;    // of a row, for the leaf model
        std::vector<NodeIndex> due;    // leaves of a bag
        std::vector<double> followed;  // the scores of a row, by rate and output
        std::vector<double> losses;    // of a row's prediction
        std::vector<double> past;      // the scores of a row, of some rows ago
        std::vector<double> moves;     // of the row's offsets, by output and rate
        std::vector<double*> offsets;  // of the row's leaves, by output
        ValueLikelihoods of_values;    // two classes
    };
    Scratch scratch;

private:
    // Of `max_memory`: for the moves that wait, and for past values.
    static constexpr std::size_t kPartForMoves = 4, kPartForPast = 16;

    // What late labels may take of the budget is set aside from the beginning: nodes that have
    // taken it would not give it back.
    void reserve_for_late_labels() {
        if (context.budget.is_limited() && context.options.label_delay > 0) reserve();
    }
    void reserve();
    void save_replacement(Archive& archive, const std::string& prefix, bool inference_only) const;
    void load_replacement(const ArchiveView& archive, const std::string& prefix,
                          const WarmUp& warm_up, const KnownCodes& codes, bool inference_only);
    void drop_least_promising();

    std::size_t reserved_ = 0;  // of the budget
};

struct Member::Background {
    TreeSet trees;
    Following following;
    Scratch scratch;
};

template <class F>
void Member::for_each_tree(F&& f) {
    for (auto& entry : trees) f(entry.tree, context);
    if (background == nullptr) return;
    for (auto& entry : background->trees) f(entry.tree, context);
}

}  // namespace sgt
