#include "sgt/learner/member.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace sgt {

namespace {

Detector detector_for(const Options& options) {
    return Detector(
        options.detects_by_page_hinkley ? DetectorKind::page_hinkley : DetectorKind::adwin,
        options.drift_delta);
}

}  // namespace

Member::Member(const Options& options, FeatureSpace& features, const Standardiser& standardiser,
               std::unique_ptr<Objective> objective, TreeSet trees)
    : context(options, features, standardiser),
      objective(std::move(objective)),
      trees(std::move(trees)),
      replacement(detector_for(options), this->objective->n_targets()) {
    const Objective::Kind kind = this->objective->kind();
    // Instances of a bag have no targets of their own to follow.
    if (kind == Objective::Kind::bags) context.options.following_rates.clear();
    following = Following(context.options,
                          kind == Objective::Kind::classes ? 1 : this->objective->n_targets());
}

Member::~Member() = default;

double Member::admit_class(double w) {
    following.catch_up(trees);
    if (background != nullptr) background->following.catch_up(background->trees);
    const NewClass added = objective->admit_class(w, context.options.start_from_data);
    const auto reader = [this](const Tree& tree, NodeIndex leaf) { return reader_at(tree, leaf); };
    trees.add_class(added, objective->n_outputs(), reader, context);
    following.choose(trees);
    if (background != nullptr) {
        background->trees.add_class(added, objective->n_outputs(), reader, context);
        background->following.choose(background->trees);
    }
    if (!has_room_to_follow()) {
        following.restart(trees);
        if (background != nullptr) background->following.restart(background->trees);
    }
    return added.log_share;
}

void Member::start_background() {
    background.reset(new Background{trees.fresh(context), following, Scratch()});
    background->following.restart(background->trees);
}

void Member::drop_background() {
    if (background == nullptr) return;
    background->trees.give_back_memory(context);
    background.reset();
}

void Member::restart_watch() {
    if (background != nullptr) replacement.give_up(DriftEvent::Kind::merged, context.n_rows);
    drop_background();
    replacement.restart();
    for (auto& entry : trees) entry.tree.forget_past_values();
}

void Member::replace_trees() {
    trees.give_back_memory(context);
    trees = std::move(background->trees);
    following = std::move(background->following);
    std::swap(scratch, background->scratch);
    background.reset();
}

void Member::begin_anew() {
    replacement.note_harm(benefit, context.n_rows);
    trees.give_back_memory(context);
    trees = trees.fresh(context);
    following.restart(trees);
    benefit = Proof();
}

std::size_t Member::bytes() const {
    std::size_t n = 0;
    for (const auto& entry : trees) n += entry.tree.bytes();
    if (background != nullptr)
        for (const auto& entry : background->trees) n += entry.tree.bytes();
    if (background != nullptr) n += background->following.bytes(background->trees);
    return n + following.bytes(trees);
}

void Member::reserve() {
    std::size_t of_trees = 0;
    if (trees.size() > 0 && has_room_to_follow()) of_trees += following.most_bytes(trees);
    if (trees.size() > 0 && context.options.rows_of_past_values() > 0) {
        of_trees += context.budget.limit / kPartForPast;
        context.past_bytes = context.budget.limit / kPartForPast / trees.size();
    }
    const std::size_t now = background == nullptr ? of_trees : 2 * of_trees;
    context.budget.used += now - reserved_;
    reserved_ = now;
}

void Member::save(Archive& archive, const std::string& prefix, bool inference_only) const {
    trees.save(archive, prefix, context, inference_only);
    following.save(archive, prefix);
    save_replacement(archive, prefix, inference_only);
    if (trees.adds_to_others() && !inference_only) benefit.save(archive, prefix + "benefit/");
}

void Member::load(const ArchiveView& archive, const std::string& prefix, const WarmUp& warm_up,
                  const KnownCodes& codes, bool inference_only) {
    objective->load(archive, warm_up);
    trees.load(archive, prefix, *objective, warm_up, codes, context);
    following.load(archive, prefix, trees);
    load_replacement(archive, prefix, warm_up, codes, inference_only);
    if (trees.adds_to_others() && !inference_only) benefit.load(archive, prefix + "benefit/");
    reserve_for_late_labels();
}

void Member::save_replacement(Archive& archive, const std::string& prefix,
                              bool inference_only) const {
    if (!may_replace()) return;
    replacement.save(archive, prefix, inference_only);
    if (inference_only) return;
    archive.put<std::uint8_t>(prefix + "background",
                              {static_cast<std::uint8_t>(background != nullptr)});
    if (background == nullptr) return;
    background->trees.save(archive, prefix + "background/", context, false);
    background->following.save(archive, prefix + "background/");
}

void Member::load_replacement(const ArchiveView& archive, const std::string& prefix,
                              const WarmUp& warm_up, const KnownCodes& codes, bool inference_only) {
    if (!may_replace()) return;
    replacement.load(archive, prefix, inference_only);
    if (inference_only || archive.get_one<std::uint8_t>(prefix + "background") == 0) return;
    if (warm_up.is_active()) Archive::fail(prefix + "background", "must be 0 during the warm-up");
    background.reset(
        new Background{TreeSet(trees.options(), trees.adds_to_others()), following, Scratch()});
    background->following.restart(background->trees);
    background->trees.load(archive, prefix + "background/", *objective, warm_up, codes, context);
    background->following.load(archive, prefix + "background/", background->trees);
}

void Member::drop_least_promising() {
    MemoryBudget& budget = context.budget;
    struct Place {
        double promise;
        std::size_t tree;
        NodeIndex leaf;
    };
    std::vector<Place> places;
    for (std::size_t t = 0; t < trees.size(); ++t) {
        const Tree& tree = trees[t].tree;
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
        trees[place.tree].tree.drop_cells(place.leaf, context);
    }
}

}  // namespace sgt
