// What is learned: the objective, the ensemble and what follows and watches it, and the trees in
// the background that may take its place. The row loop works on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "sgt/archive/archive.hpp"
#include "sgt/archive/feature_archive.hpp"
#include "sgt/data/warm_up.hpp"
#include "sgt/drift/replacement.hpp"
#include "sgt/learner/ensemble.hpp"
#include "sgt/learner/following.hpp"
#include "sgt/learner/objective.hpp"
#include "sgt/tree/tree_context.hpp"

namespace sgt {

struct LearningState {
    TreeContext context;
    std::unique_ptr<Objective> objective;
    Ensemble ensemble;
    Following following;
    // Trees that may take the place of the ensemble, and what decides about it.
    struct Background;
    std::unique_ptr<Background> background;
    Replacement replacement;
    bool is_watched = true;    // not while rows come in an order of the caller's own
    std::uint64_t n_rows = 0;  // learned, or waiting to be

    CellReader reader_at(const Tree& tree, NodeIndex leaf) const {
        const LeafStatistics* s = tree.statistics(leaf);
        return objective->reader(tree.layout(), tree.values(leaf), s->references());
    }
    // The objective's class for a row of weight w, which no row before had, and its trees.
    void admit_class(double w);
    // After any row that may have made the model larger.
    void keep_within_budget() {
        if (background != nullptr && context.budget.is_nearly_exceeded()) {
            drop_background();
            replacement.give_up(DriftEvent::Kind::no_memory, n_rows);
        }
        if (context.budget.is_exceeded()) drop_least_promising();
    }
    // Calls f(tree) for all trees, those in the background too.
    template <class F>
    void for_each_tree(F&& f);
    // Whether trees may be replaced. Within rounds trees stand still; a loss that is written in
    // Python says how to learn, and not how large it is; bags have no rows.
    bool may_replace() const {
        return context.options.replaces_on_drift && context.options.round_rows == 1 &&
               (objective->kind() == Objective::Kind::classes ||
                objective->kind() == Objective::Kind::loss);
    }
    bool watches_errors() const {
        return is_watched && may_replace();
    }
    void start_background();
    // Without a word about it in the events.
    void drop_background();
    // The model has other rows now than those whose errors were seen.
    void restart_watch();
    // The trees in the background take over.
    void replace_ensemble();

    void save_replacement(Archive& archive, bool inference_only) const;
    void load_replacement(const ArchiveView& archive, const WarmUp& warm_up,
                          const KnownCodes& codes, bool inference_only);

    // Memory of the rows that are learned now.
    struct Scratch {
        std::vector<NodeIndex> nodes;  // where each row of the block stands, by tree
        std::vector<double> raw;       // of a row: those of each stage, and those predicted
        std::vector<double> inputs;    // of a row, for the leaf model
        std::vector<NodeIndex> due;    // leaves of a bag
        std::vector<double> followed;  // the scores of a row, by rate and output
        std::vector<double> losses;    // of a row's prediction
        std::vector<double> moves;     // of the row's offsets, by rate and output
    };
    Scratch scratch;

private:
    void drop_least_promising();
};

struct LearningState::Background {
    Ensemble ensemble;
    Following following;
    Scratch scratch;
};

template <class F>
void LearningState::for_each_tree(F&& f) {
    for (auto& member : ensemble) f(member.tree);
    if (background == nullptr) return;
    for (auto& member : background->ensemble) f(member.tree);
}

}  // namespace sgt
