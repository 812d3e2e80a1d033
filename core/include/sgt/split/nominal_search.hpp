// The score of a multi-way split at a nominal feature.
#pragma once

#include <cstddef>

#include "sgt/data/features.hpp"
#include "sgt/leaf/leaf_statistics.hpp"
#include "sgt/split/boundary_search.hpp"
#include "sgt/split/branch_scoring.hpp"
#include "sgt/split/candidates.hpp"

namespace sgt {

// Of the nominal feature at `position`; kind none where it cannot split the leaf.
Candidate score_nominal(const LeafStatistics& leaf, const FeatureSpace& features,
                        const BranchScoring& scoring, std::size_t position, SearchScratch& scratch);

}  // namespace sgt
