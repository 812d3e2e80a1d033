#include "sgt/learner/following.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
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
void add_moves(double* offsets, const TreeSet::Entry& entry, const double* moves,
               std::size_t n_rates) {
    const std::size_t n = entry.tree.layout().outputs * n_rates;
    moves += entry.first_output * n_rates;
    for (std::size_t i = 0; i < n; ++i) offsets[i] += moves[i];
}

}  // namespace

void Following::move(TreeSet& trees, const NodeIndex* leaves, std::size_t stride,
                     const double* moves) {
    for (std::size_t t = 0; t < trees.size(); ++t) {
        TreeSet::Entry& entry = trees[t];
        const NodeIndex leaf = leaves[t * stride];
        // A row whose category its split has not seen has no leaf.
        if (entry.tree.nodes().is_leaf(leaf))
            add_moves(entry.tree.offsets().at(leaf), entry, moves, rates_.size());
    }
    if (!has_delay()) return;
    if (late_.size() == delay_) apply_oldest(trees);
    if (late_.size() < delay_) late_.emplace_back();
    LateMove& late = late_[first_ == 0 ? late_.size() - 1 : first_ - 1];
    late.leaves.resize(trees.size());
    late.n_carried.resize(trees.size());
    for (std::size_t t = 0; t < trees.size(); ++t) {
        const NodeIndex leaf = leaves[t * stride];
        late.leaves[t] = trees[t].tree.nodes().is_leaf(leaf) ? leaf : kNoNode;
        late.n_carried[t] = trees[t].tree.offsets().n_carried(leaf);
    }
    late.moves.assign(moves, moves + rates_.size() * trees.n_outputs());
}

// The oldest one's place is the next one's, which becomes the latest.
void Following::apply_oldest(TreeSet& trees) {
    const LateMove& oldest = late_[first_];
    for (std::size_t t = 0; t < trees.size(); ++t)
        if (oldest.leaves[t] != kNoNode)
            arrive(trees[t], oldest.leaves[t], oldest.n_carried[t], oldest.moves.data());
    first_ = (first_ + 1) % late_.size();
}

// A leaf that has split since has left the move, with the rest of its offsets, to its children.
void Following::arrive(TreeSet::Entry& entry, NodeIndex node, std::uint32_t n_carried,
                       const double* moves) const {
    const Nodes& nodes = entry.tree.nodes();
    Offsets& offsets = entry.tree.offsets();
    if (nodes.is_leaf(node)) {
        const std::size_t n_rates = rates_.size();
        for (std::size_t j = 0; j < entry.tree.layout().outputs; ++j)
            for (std::size_t i = 0; i < n_rates; ++i)
                offsets.judge(node, i, j, moves[(entry.first_output + j) * n_rates + i], n_carried);
        return;
    }
    const auto to_heir = [&](NodeIndex child) {
        if (offsets.is_heir(child)) arrive(entry, child, n_carried, moves);
    };
    if (nodes.is_nominal_split(node)) {
        for (const NodeIndex child : nodes.nominal(node).children) to_heir(child);
    } else {
        to_heir(nodes.left(node));
        to_heir(nodes.left(node) + 1);
    }
}

void Following::catch_up(TreeSet& trees) {
    for (std::size_t n = late_.size(); n > 0; --n) apply_oldest(trees);
    late_.clear();
    first_ = 0;
}

void Following::choose(TreeSet& trees) const {
    if (!is_on()) return;
    for (TreeSet::Entry& entry : trees)
        for (std::size_t j = 0; j < entry.tree.layout().outputs; ++j)
            entry.tree.offsets().choose(j,
                                        race.choice(race.size() == 1 ? 0 : entry.first_output + j));
}

void Following::restart(TreeSet& trees) {
    if (!is_on()) return;
    race.restart();
    mean_weight_ = 0.0;
    std::fill(curvatures_.begin(), curvatures_.end(), 0.0);
    late_.clear();
    first_ = 0;
    for (TreeSet::Entry& entry : trees) entry.tree.offsets().restart();
}

void Following::save(Archive& archive, const std::string& prefix) const {
    if (!is_on()) return;
    const std::string place = prefix + "following/";
    race.save(archive, place);
    archive.put<double>(place + "mean_weight", {mean_weight_});
    archive.put(place + "curvatures", curvatures_);
    std::vector<std::int64_t> leaves, n_carried;
    std::vector<double> moves;
    for (std::size_t i = 0; i < late_.size(); ++i) {
        const LateMove& late = late_[(first_ + i) % late_.size()];
        for (const NodeIndex leaf : late.leaves)
            leaves.push_back(leaf == kNoNode ? -1 : static_cast<std::int64_t>(leaf));
        n_carried.insert(n_carried.end(), late.n_carried.begin(), late.n_carried.end());
        moves.insert(moves.end(), late.moves.begin(), late.moves.end());
    }
    archive.put<std::int64_t>(place + "late_rows", {static_cast<std::int64_t>(late_.size())});
    archive.put(place + "late_leaves", std::move(leaves));
    archive.put(place + "late_carried", std::move(n_carried));
    archive.put(place + "late_moves", std::move(moves));
}

void Following::load(const ArchiveView& archive, const std::string& prefix, TreeSet& trees) {
    if (!is_on()) return;
    const std::string place = prefix + "following/";
    race.load(archive, place);
    mean_weight_ = archive.get_one<double>(place + "mean_weight");
    curvatures_ = to_vector(archive.get<double>(place + "curvatures", curvatures_.size()));
    const auto is_mean = [](double mean) { return std::isfinite(mean) && mean >= 0.0; };
    if (!is_mean(mean_weight_)) Archive::fail(place + "mean_weight", "is out of range");
    if (!std::all_of(curvatures_.begin(), curvatures_.end(), is_mean))
        Archive::fail(place + "curvatures", "is out of range");
    const std::uint64_t n = archive.get_count(place + "late_rows");
    if (n > delay_) Archive::fail(place + "late_rows", "does not fit label_delay");
    const std::size_t n_trees = trees.size(), n_moves = rates_.size() * trees.n_outputs();
    const auto leaves = archive.get<std::int64_t>(place + "late_leaves", n * n_trees);
    const auto n_carried = archive.get<std::int64_t>(place + "late_carried", n * n_trees);
    const auto moves = archive.get<double>(place + "late_moves", n * n_moves);
    if (!std::all_of(moves.begin(), moves.end(), [](double move) { return std::isfinite(move); }))
        Archive::fail(place + "late_moves", "must be finite");
    for (std::size_t i = 0; i < n; ++i) {
        LateMove& late = late_.emplace_back();
        for (std::size_t t = 0; t < n_trees; ++t) {
            const std::int64_t leaf = leaves[i * n_trees + t];
            if (leaf < -1 || leaf >= static_cast<std::int64_t>(trees[t].tree.nodes().size()))
                Archive::fail(place + "late_leaves", "names a node that does not exist");
            const std::int64_t carried = n_carried[i * n_trees + t];
            if (carried < 0 || carried > std::numeric_limits<std::uint32_t>::max())
                Archive::fail(place + "late_carried", "is out of range");
            late.leaves.push_back(leaf < 0 ? kNoNode : static_cast<NodeIndex>(leaf));
            late.n_carried.push_back(static_cast<std::uint32_t>(carried));
        }
        late.moves.assign(moves.begin() + static_cast<std::ptrdiff_t>(i * n_moves),
                          moves.begin() + static_cast<std::ptrdiff_t>((i + 1) * n_moves));
    }
    choose(trees);
}

}  // namespace sgt
