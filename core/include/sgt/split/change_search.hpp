// The considered change of a leaf: all candidates are compared, the best one is tested.
// Pure functions of a leaf's statistics; only the tree applies what they return.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sgt/data/features.hpp"
#include "sgt/leaf/cells.hpp"
#include "sgt/leaf/leaf_statistics.hpp"
#include "sgt/split/boundary_search.hpp"
#include "sgt/split/branch_scoring.hpp"
#include "sgt/split/candidates.hpp"

namespace sgt {

// A branch of the chosen change: `code` is its category's for nominal splits; for numeric ones 0 =
// left.
struct Branch {
    std::uint32_t code = 0;
    double weight = 0.0;
    std::vector<double> steps;  // added to the leaf's value
    double energy = 0.0;
};

struct Change {
    bool passes = false;  // the test
    Candidate candidate;
    std::vector<Branch> branches;  // one for a new value
    double mean = 0.0;             // tested (penalised) mean change of the loss
    double variance = 0.0;
    double gain = 0.0;  // sum of the loss's fall over the leaf's rows, without penalty
};

// The candidate (a): no split, a new value.
Candidate score_new_value(const LeafStatistics& leaf, const BranchScoring& scoring);
// Whether any split could score better than the new value, to judge by the leaf's total alone.
bool a_split_may_win(const LeafStatistics& leaf, const BranchScoring& scoring);
// The best of all candidates: (a) first, then the features' candidates (index = feature) in
// order.
Candidate best_candidate(const std::vector<Candidate>& of_feature, const LeafStatistics& leaf,
                         const BranchScoring& scoring);
// The change that a candidate stands for, with its test.
Change examine(const Candidate& candidate, const LeafStatistics& leaf, const FeatureSpace& features,
               const BranchScoring& scoring);

}  // namespace sgt
