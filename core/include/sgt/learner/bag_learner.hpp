// Learns from bags of instances: a bag has one label, predictions are scores of instances.
#pragma once

#include <cstddef>
#include <vector>

#include "sgt/learner/bag_objective.hpp"
#include "sgt/learner/learner.hpp"

namespace sgt {

class BagLearner final : public Learner {
public:
    BagLearner(const Options& options, const std::vector<bool>& nominal, const Ranges* ranges,
               Pooling pooling);
    BagLearner(const Options& options, const ArchiveView& archive, Pooling pooling);

    // Bags one after the other: `sizes` instances each (at least one), labels 0 or 1, weights or
    // null.
    void learn(const RowsView& x, const std::vector<std::size_t>& sizes, const double* labels,
               const double* weights);
    // The raw score of each instance.
    void score(const RowsView& x, double* scores) const;

private:
    // Every member has all bags.
    void add_bag(std::size_t size, double label, double weight);
    void take_bags();
    void learn_group(const RowsView& x, const std::size_t* sizes, std::size_t n_bags,
                     const double* labels, const double* weights);
};

}  // namespace sgt
