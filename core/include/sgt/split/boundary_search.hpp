// The best boundary of a numeric feature at a leaf. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sgt/data/features.hpp"
#include "sgt/leaf/cells.hpp"
#include "sgt/split/boundary_sums.hpp"
#include "sgt/split/branch_scoring.hpp"
#include "sgt/split/candidates.hpp"

namespace sgt {

// What a search over the boundaries of one feature needs. Kept between searches for its memory
// only.
struct SearchScratch {
    BoundarySums sides;
    std::vector<double> scores_missing_left, scores_missing_right;
    std::vector<double> left_counts;  // weights of class 0 and class 1, side by side
    // Several outputs: columns of sums (code_sums.hpp), of each code and on the two sides.
    std::vector<double> sums, left, right;
    std::vector<std::uint32_t> bins;       // that hold rows
    std::vector<double> missing, nothing;  // a number of each column
    std::vector<std::size_t> places;       // of the columns
    std::vector<double> squares;           // on the right
    std::vector<double> cell;
    // The rows of a leaf that has no cells: the features whose rows are counted, a few at once, and
    // of each row which of the classes to search, and its weight.
    struct CountedRows {
        std::vector<std::uint32_t> features, classes, number_of_class;
        std::vector<std::size_t> number_of;  // in the list of features
        std::vector<double> weights;
        std::size_t first = 0, n = 0, stride = 0;  // what is counted now, in `sums`
    } counted;

    void resize(std::size_t n);
    // Before the features of any leaf are searched, after its prepare_cells.
    void begin(const LeafStatistics& leaf, const FeatureSpace& features,
               const BranchScoring& scoring);
};

// The best boundary of the numeric feature at `position`. Kind none where there is no boundary, or
// where all are clearly worse than a candidate of score `to_beat`: by far more than a tie, so that
// leaving them out cannot change which candidate is chosen.
Candidate best_boundary(const LeafStatistics& leaf, const FeatureSpace& features,
                        const BranchScoring& scoring, std::size_t position, double to_beat,
                        SearchScratch& scratch);

// The same for several outputs.
Candidate best_vector_boundary(const LeafStatistics& leaf, const FeatureSpace& features,
                               const BranchScoring& scoring, std::size_t position,
                               SearchScratch& scratch);

// The best of the first n scored boundaries, in order: ascending, missing left before missing
// right. The weights of the rows on both sides of each decide the default way where none is
// missing. Its boundary is its place among them.
Candidate choose_boundary(std::size_t n, bool some_missing, std::uint32_t feature,
                          std::size_t position, const double* left_w, const double* right_w,
                          const SearchScratch& scratch);

}  // namespace sgt
