#include "sgt/learner/learning_state.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace sgt {

void LearningState::admit_class(double w) {
    following.catch_up(ensemble);
    if (background != nullptr) background->following.catch_up(background->ensemble);
    const NewClass added = objective->admit_class(w, context.options.start_from_data);
    const auto reader = [this](const Tree& tree, NodeIndex leaf) { return reader_at(tree, leaf); };
    ensemble.add_class(added, objective->n_outputs(), reader, context);
    following.choose(ensemble);
    if (background == nullptr) return;
    background->ensemble.add_class(added, objective->n_outputs(), reader, context);
    background->following.choose(background->ensemble);
}

void LearningState::start_background() {
    background = std::make_unique<Background>(ensemble.fresh(context), following, Scratch());
    background->following.restart(background->ensemble);
}

void LearningState::drop_background() {
    if (background == nullptr) return;
    background->ensemble.give_back_memory(context);
    background.reset();
}

void LearningState::restart_watch() {
    if (background != nullptr) replacement.give_up(DriftEvent::Kind::merged, n_rows);
    drop_background();
    replacement.restart();
}

void LearningState::replace_ensemble() {
    ensemble.give_back_memory(context);
    ensemble = std::move(background->ensemble);
    following = std::move(background->following);
    std::swap(scratch, background->scratch);
    background.reset();
}

void LearningState::save_replacement(Archive& archive, bool inference_only) const {
    if (!may_replace()) return;
    replacement.save(archive, inference_only);
    if (inference_only) return;
    archive.put<std::uint8_t>("background", {static_cast<std::uint8_t>(background != nullptr)});
    if (background == nullptr) return;
    background->ensemble.save(archive, "background/", context, false);
    background->following.save(archive, "background/");
}

void LearningState::load_replacement(const ArchiveView& archive, const WarmUp& warm_up,
                                     const KnownCodes& codes, bool inference_only) {
    if (!may_replace()) return;
    replacement.load(archive, inference_only);
    if (inference_only || archive.get_one<std::uint8_t>("background") == 0) return;
    if (warm_up.is_active()) Archive::fail("background", "must be 0 during the warm-up");
    background = std::make_unique<Background>(ensemble.without_trees(), following, Scratch());
    background->following.restart(background->ensemble);
    background->ensemble.load(archive, "background/", *objective, warm_up, codes, context);
    background->following.load(archive, "background/", background->ensemble);
}

void LearningState::drop_least_promising() {
    MemoryBudget& budget = context.budget;
    struct Place {
        double promise;
        std::size_t tree;
        NodeIndex leaf;
    };
    std::vector<Place> places;
    for (std::size_t t = 0; t < ensemble.size(); ++t) {
        const Tree& tree = ensemble[t].tree;
        for (NodeIndex i = 0; i < tree.nodes().size(); ++i)
            if (const LeafStatistics* s = tree.statistics(i); s != nullptr && s->keeps_cells())
                places.push_back({tree.promise(i, reader_at(tree, i)), t, i});
    }
    std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
        return std::tie(a.promise, a.tree, a.leaf) < std::tie(b.promise, b.tree, b.leaf);
    });
    // An eighth below the limit, so that this is not done for every row.
    for (const Place& place : places) {
        if (budget.used <= budget.limit - budget.limit / 8) break;
        ensemble[place.tree].tree.drop_cells(place.leaf, context);
    }
}

}  // namespace sgt
