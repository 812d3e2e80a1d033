#include "sgt/learner/ensemble.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace sgt {

namespace {

std::size_t n_members(const Options& options) {
    switch (options.combination) {
        case Combination::one:
            return 1;
        case Combination::choosing:
            return 2;
        case Combination::boosting:
        case Combination::averaging:
            break;
    }
    return options.n_estimators;
}

std::string prefix_of(std::size_t member) {
    return "member" + std::to_string(member) + "/";
}

// A member shares nothing with the others that changes while it learns, so that the number of
// threads does not matter: it has its part of the memory for itself.
Options options_of_member(const Options& options, std::size_t member, std::size_t n) {
    Options of_member = options;
    if (n > 1) of_member.n_threads = 1;
    if (options.max_memory != kUnlimited) of_member.max_memory = options.max_memory / n;
    if (options.combination == Combination::choosing) of_member.linear_leaves = member == 1;
    return of_member;
}

TreeOptions tree_options_of_member(const Options& options, std::size_t member) {
    TreeOptions of_trees;
    if (options.combination == Combination::boosting) of_trees.shrinkage = options.learning_rate;
    if (options.combination == Combination::averaging)
        of_trees.shrinkage = 1.0 / static_cast<double>(options.n_estimators);
    if (options.combination != Combination::one && options.combination != Combination::choosing) {
        of_trees.set_mean_copies(options.mean_copies);
        of_trees.feature_share = options.feature_share;
    }
    of_trees.seed = options.seed * Options::kMostEstimators + member;
    return of_trees;
}

}  // namespace

Ensemble::Ensemble(const Options& options, FeatureSpace& features, const Standardiser& standardiser,
                   const MakeObjective& make_objective)
    : combination_(options.combination) {
    const std::size_t n = n_members(options);
    const bool adds_to_others = combination_ == Combination::boosting;
    for (std::size_t m = 0; m < n; ++m) {
        const Options of_member = options_of_member(options, m, n);
        members_.push_back(std::make_unique<Member>(
            of_member, features, standardiser,
            make_objective(of_member, !adds_to_others && !of_member.linear_leaves),
            TreeSet(tree_options_of_member(options, m), adds_to_others)));
    }
    if (has_race()) race_ = Race(1, n);
    // A forest of one member is that member.
    const bool adds_up_several =
        adds_to_others || (combination_ == Combination::averaging && n > 1);
    if (options.calibrates && adds_up_several && objective().kind() == Objective::Kind::classes)
        calibration_.emplace();
}

void Ensemble::set_n_rows(std::uint64_t n) {
    for (auto& member : members_) member->context.n_rows = n;
}

void Ensemble::count_bytes(std::size_t n) {
    for (auto& member : members_) {
        MemoryBudget& budget = member->context.budget;
        if (budget.is_limited()) budget.used += n / members_.size();
    }
}

bool Ensemble::learns_in_turn() const {
    return combination_ == Combination::boosting;
}

bool Ensemble::adds_up() const {
    return combination_ == Combination::boosting || combination_ == Combination::averaging;
}

bool Ensemble::is_used(std::size_t member) const {
    if (combination_ == Combination::boosting) return member <= predicted_member();
    return combination_ != Combination::choosing || member == predicted_member();
}

std::size_t Ensemble::n_in_use() const {
    std::size_t n = 0;
    for (std::size_t m = 0; m < size(); ++m) n += is_used(m);
    return n;
}

void Ensemble::judge_members(const std::vector<double>& losses) {
    if (!learns_in_turn()) throw std::invalid_argument("only boosted members are judged in stages");
    if (losses.size() != size())
        throw std::invalid_argument("there must be a loss for each member");
    std::vector<double> by_way(size());
    for (std::size_t way = 0; way < size(); ++way) by_way[way] = losses[member_of_way(way)];
    race_.begin_with(by_way);
}

std::vector<Ensemble::Place> Ensemble::trees() const {
    std::vector<Place> places;
    for (std::size_t m = 0; m < members_.size(); ++m)
        for (const TreeSet::Entry& entry : members_[m]->trees)
            places.push_back({entry.tree, entry.first_output,
                              is_used(m) ? factor() * entry.tree.options().shrinkage : 0.0});
    return places;
}

std::vector<double> Ensemble::predicted_start() const {
    std::vector<double> scores = start();
    for (double& score : scores) score *= factor();
    return scores;
}

std::size_t Ensemble::n_trees() const {
    std::size_t n = 0;
    for (const auto& member : members_) n += member->trees.size();
    return n;
}

void Ensemble::create(const WarmUp& warm_up, bool from_data) {
    for (auto& member : members_) {
        Objective& objective = *member->objective;
        if (warm_up.rows() > 0) objective.take_scales(warm_up);
        const std::vector<TreeStart> starts = objective.trees(warm_up, from_data);
        member->trees.create(starts, objective.n_outputs(), member->context);
        start_.assign(n_outputs(), 0.0);
        for (const TreeStart& start : starts)
            std::copy(start.root.begin(), start.root.end(),
                      start_.begin() + static_cast<std::ptrdiff_t>(start.first_output));
    }
}

void Ensemble::admit_class(double w) {
    double begins_at = 0.0;
    for (auto& member : members_) begins_at = member->admit_class(w);
    start_.resize(n_outputs(), begins_at);
}

void Ensemble::restart_following() {
    for (auto& member : members_) member->following.restart(member->trees);
    // (The race goes on: which members predict best, all rows of the pass have told.)
}

// -------------------------------------------------------------------------------------------------
// Saving
// -------------------------------------------------------------------------------------------------

std::string Ensemble::prefix(std::size_t member) const {
    return combination_ == Combination::one ? "" : prefix_of(member);
}

void Ensemble::require_members(const Options& options, const ArchiveView& archive) {
    if (options.combination == Combination::one) return;
    const std::size_t n = n_members(options);
    if (archive.get_count("members") != n)
        Archive::fail("members", "does not fit the number of members");
    for (std::size_t m = 0; m < n; ++m)
        if (!archive.has(prefix_of(m) + "trees"))
            Archive::fail("members", "counts members that do not exist");
}

void Ensemble::save(Archive& archive, bool inference_only) const {
    archive.put<std::int64_t>("rows", {static_cast<std::int64_t>(n_rows())});
    objective().save(archive);
    for (std::size_t m = 0; m < members_.size(); ++m)
        members_[m]->save(archive, prefix(m), inference_only);
    if (combination_ == Combination::one) return;
    archive.put<std::int64_t>("members", {static_cast<std::int64_t>(members_.size())});
    if (combination_ == Combination::boosting) archive.put("start", start_);
    if (has_race()) race_.save(archive, "members/");
    if (calibration_) calibration_->save(archive);
}

void Ensemble::load(const ArchiveView& archive, const WarmUp& warm_up, const KnownCodes& codes,
                    bool inference_only) {
    set_n_rows(archive.get_count("rows"));
    for (std::size_t m = 0; m < members_.size(); ++m)
        members_[m]->load(archive, prefix(m), warm_up, codes, inference_only);
    if (combination_ == Combination::boosting)
        start_ = to_vector(archive.get<double>("start", n_outputs()));
    if (has_race()) race_.load(archive, "members/");
    if (!archive.has(Calibration::kFirstArray)) calibration_.reset();
    if (calibration_) calibration_->load(archive);
}

}  // namespace sgt
