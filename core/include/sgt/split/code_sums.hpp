// What a search over several outputs reads of a feature: the sums of the rows of each code, in
// columns, one for each sum: the weight, then what the objective needs of each output. Where
// classes are counted these are the classes that a search reads.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sgt/leaf/leaf_statistics.hpp"
#include "sgt/split/boundary_search.hpp"
#include "sgt/split/branch_scoring.hpp"

namespace sgt {

// The k-th number of column c is at sums[s.places[c] + k * step], in memory of the scratch s, of
// the leaf, or of what it borrows.
struct CodeSums {
    const double* sums = nullptr;
    std::size_t step = 1;
    std::size_t n = 0;             // codes
    std::uint32_t first_code = 0;  // 0 is missing
};

// From the cells of the numeric feature at `position`.
CodeSums sums_of_cells(const LeafStatistics& leaf, const BranchScoring& scoring,
                       const FeatureSpace& features, std::size_t position, SearchScratch& s);
// From the rows that a leaf lets a search read, of the codes from the smallest to the largest. The
// scratch has begun with the leaf.
CodeSums sums_of_rows(const LeafStatistics& leaf, const BranchScoring& scoring,
                      std::uint32_t feature, SearchScratch& s);

}  // namespace sgt
