// A copy of a learner's trees at one moment: where rows go in them, and their SHAP values. It needs
// no lock.
#pragma once

#include <cstddef>
#include <vector>

#include "sgt/data/features.hpp"
#include "sgt/explain/shap.hpp"
#include "sgt/learner/ensemble.hpp"

namespace sgt {

class Explainer {
public:
    Explainer(const Ensemble& ensemble, const FeatureSpace& features);

    std::size_t n_features() const {
        return features_.size();
    }
    std::size_t n_trees() const {
        return trees_.size();
    }
    std::size_t n_outputs() const {
        return base_.size();
    }
    // The mean raw score of each output, by the leaves' covers.
    const std::vector<double>& base() const {
        return base_;
    }
    // The values of all rows: out has rows x features x outputs numbers.
    void explain(const RowsView& x, std::size_t n_threads, double* out) const;
    // The node at which each row ends in each tree: nodes has rows x trees numbers.
    void route(const RowsView& x, std::size_t n_threads, NodeIndex* nodes) const;

private:
    template <class F>
    void for_each_block(const RowsView& x, std::size_t n_threads, F&& f) const;

    FeatureSpace features_;
    std::vector<ShapTree> trees_;
    std::vector<std::size_t> first_outputs_;  // of the outputs that each tree adds to
    std::vector<double> base_;
};

}  // namespace sgt
