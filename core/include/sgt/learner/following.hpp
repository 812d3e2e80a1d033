// Following leaves, for the model as a whole: the race between the rates, and what the steps of the
// leaves' offsets are measured by. The offsets themselves belong to the trees.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sgt/archive/archive.hpp"
#include "sgt/learner/race.hpp"
#include "sgt/learner/tree_set.hpp"
#include "sgt/options.hpp"

namespace sgt {

// A row that leaves follow: its target, its weight in units of the recent mean, its number in the
// block, and the way that is looked at.
struct FollowedRow {
    const double* y;
    double weight;
    std::size_t number;
    std::size_t way;
};

class Following {
public:
    Following() = default;
    // A race for each target, or one for all classes.
    Following(const Options& options, std::size_t n_races);

    bool is_on() const {
        return !rates_.empty();
    }
    const std::vector<double>& rates() const {
        return rates_;
    }
    bool has_delay() const {
        return delay_ > 0;
    }
    // Way 0 is the value alone, way r the value and the offset of rate r - 1.
    std::size_t n_ways() const {
        return race.n_ways();
    }
    // The weight of a row in units of the recent rows' mean weight. Called once for each row.
    double relative_weight(double w) {
        if (w == mean_weight_) return 1.0;
        mean_weight_ += mean_weight_ == 0.0 ? w : kShare * (w - mean_weight_);
        return w / mean_weight_;
    }
    // How far along its step a row of this relative weight moves an offset.
    double rate(std::size_t way, double weight) const {
        return std::min(1.0, rates_[way - 1] * weight);
    }
    // The mean of h, or of 1 / h, over the recent rows at the scores of a way, with this row's:
    // what moves are measured by if a row's own hessian depends on its target.
    double mean_curvature(std::size_t way, std::size_t output, double curvature) {
        double& mean = curvatures_[output * n_ways() + way];
        mean += mean == 0.0 ? curvature : kShare * (curvature - mean);
        return mean;
    }

    // The leaf of a row in each tree, and what its offsets move by (by output of the model, and
    // there by rate). Where labels are late the race sees moves later.
    void move(TreeSet& trees, const NodeIndex* leaves, std::size_t stride, const double* moves);
    // After the last word of a row to the race.
    void end_row(TreeSet& trees) {
        if (race.end_row()) choose(trees);
    }
    // Lets the trees predict as the race says.
    void choose(TreeSet& trees) const;
    // The trees has another shape: late moves arrive now.
    void catch_up(TreeSet& trees);
    // The moves that wait for labels: now, and at most.
    std::size_t bytes(const TreeSet& trees) const {
        return late_.size() * bytes_of_move(trees);
    }
    std::size_t most_bytes(const TreeSet& trees) const {
        return is_on() ? delay_ * bytes_of_move(trees) : 0;
    }
    // Forgets all: values alone are predicted, until rows have come.
    void restart(TreeSet& trees);

    void save(Archive& archive, const std::string& prefix) const;
    void load(const ArchiveView& archive, const std::string& prefix, TreeSet& trees);

    Race race;

private:
    // Of each new row in the means of recent rows.
    static constexpr double kShare = 0.001;

    std::size_t bytes_of_move(const TreeSet& trees) const {
        return sizeof(LateMove) + trees.size() * (sizeof(NodeIndex) + sizeof(std::uint32_t)) +
               rates_.size() * trees.n_outputs() * sizeof(double);
    }
    void apply_oldest(TreeSet& trees);
    void arrive(TreeSet::Entry& entry, NodeIndex node, std::uint32_t n_carried,
                const double* moves) const;

    std::vector<double> rates_;
    std::size_t delay_ = 0;
    double mean_weight_ = 0.0;
    std::vector<double> curvatures_;  // by output and way

    // Moves that the race does not see yet, oldest first from `first_`: for each tree the leaf (or
    // kNoNode) and how often its offsets had been carried, and the moves of the row.
    struct LateMove {
        std::vector<NodeIndex> leaves;
        std::vector<std::uint32_t> n_carried;
        std::vector<double> moves;
    };
    std::vector<LateMove> late_;
    std::size_t first_ = 0;
};

}  // namespace sgt
