#include "sgt/learner/following.hpp"

#include <cmath>
#include <utility>

namespace sgt {

Following::Following(const Options& options, std::size_t n_races) {
    if (!options.follows()) return;
    rates_ = options.following_rates;
    delay_ = options.label_delay;
    race = Race(n_races, 1 + rates_.size());
    curvatures_.assign(n_races * n_ways(), 0.0);
}

namespace {

// Adds a row's moves to the offsets of its leaf in a tree.
void add_moves(double* offsets, const Ensemble::Member& member, const double* moves,
               std::size_t n_rates, std::size_t n_outputs) {
    const std::size_t outputs = member.tree.layout().outputs;
    for (std::size_t i = 0; i < n_rates; ++i)
        for (std::size_t j = 0; j < outputs; ++j)
            offsets[i * outputs + j] += moves[i * n_outputs + member.first_output + j];
}

}  // namespace

void Following::move(Ensemble& ensemble, const NodeIndex* leaves, std::size_t stride,
                     const double* moves) {
    const std::size_t n_outputs = ensemble.n_outputs();
    for (std::size_t t = 0; t < ensemble.size(); ++t) {
        Ensemble::Member& member = ensemble[t];
        const NodeIndex leaf = leaves[t * stride];
        // A row whose category its split has not seen has no leaf.
        if (member.tree.nodes().is_leaf(leaf))
            add_moves(member.tree.offsets().at(leaf), member, moves, rates_.size(), n_outputs);
    }
    if (!has_delay()) return;
    if (late_.size() == delay_) apply_oldest(ensemble);
    if (late_.size() < delay_) late_.emplace_back();
    LateMove& late = late_[first_ == 0 ? late_.size() - 1 : first_ - 1];
    late.leaves.resize(ensemble.size());
    for (std::size_t t = 0; t < ensemble.size(); ++t) late.leaves[t] = leaves[t * stride];
    late.moves.assign(moves, moves + rates_.size() * n_outputs);
}

// The oldest one's place is the next one's, which becomes the latest.
void Following::apply_oldest(Ensemble& ensemble) {
    const LateMove& oldest = late_[first_];
    for (std::size_t t = 0; t < ensemble.size(); ++t) {
        Ensemble::Member& member = ensemble[t];
        if (member.tree.nodes().is_leaf(oldest.leaves[t]))
            add_moves(member.tree.offsets().judged(oldest.leaves[t]), member, oldest.moves.data(),
                      rates_.size(), ensemble.n_outputs());
    }
    first_ = (first_ + 1) % late_.size();
}

void Following::catch_up(Ensemble& ensemble) {
    for (std::size_t n = late_.size(); n > 0; --n) apply_oldest(ensemble);
    late_.clear();
    first_ = 0;
}

void Following::choose(Ensemble& ensemble) const {
    if (!is_on()) return;
    for (Ensemble::Member& member : ensemble)
        for (std::size_t j = 0; j < member.tree.layout().outputs; ++j)
            member.tree.offsets().choose(
                j, race.choice(race.size() == 1 ? 0 : member.first_output + j));
}

void Following::restart(Ensemble& ensemble) {
    if (!is_on()) return;
    race.restart();
    mean_weight_ = 0.0;
    std::fill(curvatures_.begin(), curvatures_.end(), 0.0);
    late_.clear();
    first_ = 0;
    for (Ensemble::Member& member : ensemble) member.tree.offsets().restart();
}

void Following::save(Archive& archive) const {
    if (!is_on()) return;
    race.save(archive, "following/");
    archive.put<double>("following/mean_weight", {mean_weight_});
    archive.put("following/curvatures", curvatures_);
    std::vector<std::int64_t> leaves;
    std::vector<double> moves;
    for (std::size_t i = 0; i < late_.size(); ++i) {
        const LateMove& late = late_[(first_ + i) % late_.size()];
        leaves.insert(leaves.end(), late.leaves.begin(), late.leaves.end());
        moves.insert(moves.end(), late.moves.begin(), late.moves.end());
    }
    archive.put<std::int64_t>("following/late_rows", {static_cast<std::int64_t>(late_.size())});
    archive.put("following/late_leaves", std::move(leaves));
    archive.put("following/late_moves", std::move(moves));
}

void Following::load(const ArchiveView& archive, Ensemble& ensemble) {
    if (!is_on()) return;
    race.load(archive, "following/");
    mean_weight_ = archive.get_one<double>("following/mean_weight");
    curvatures_ = to_vector(archive.get<double>("following/curvatures", curvatures_.size()));
    const auto is_mean = [](double mean) { return std::isfinite(mean) && mean >= 0.0; };
    if (!is_mean(mean_weight_)) Archive::fail("following/mean_weight", "is out of range");
    if (!std::all_of(curvatures_.begin(), curvatures_.end(), is_mean))
        Archive::fail("following/curvatures", "is out of range");
    const std::uint64_t n = archive.get_count("following/late_rows");
    if (n > delay_) Archive::fail("following/late_rows", "does not fit label_delay");
    const std::size_t n_trees = ensemble.size(), n_moves = rates_.size() * ensemble.n_outputs();
    const auto leaves = archive.get<std::int64_t>("following/late_leaves", n * n_trees);
    const auto moves = archive.get<double>("following/late_moves", n * n_moves);
    for (std::size_t i = 0; i < n; ++i) {
        LateMove& late = late_.emplace_back();
        for (std::size_t t = 0; t < n_trees; ++t) {
            const std::int64_t leaf = leaves[i * n_trees + t];
            if (leaf < 0 || leaf >= static_cast<std::int64_t>(ensemble[t].tree.nodes().size()))
                Archive::fail("following/late_leaves", "names a node that does not exist");
            late.leaves.push_back(static_cast<NodeIndex>(leaf));
        }
        late.moves.assign(moves.begin() + static_cast<std::ptrdiff_t>(i * n_moves),
                          moves.begin() + static_cast<std::ptrdiff_t>((i + 1) * n_moves));
    }
    choose(ensemble);
}

}  // namespace sgt
