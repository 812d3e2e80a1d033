// The considered change of a leaf: all candidates are compared, the best one is tested.
// Pure functions of a leaf's statistics; only the tree applies what they return.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sgt/cells.hpp"
#include "sgt/features.hpp"
#include "sgt/leaf_statistics.hpp"
#include "sgt/options.hpp"

namespace sgt {

// What may be considered at this leaf.
struct SearchRules {
    double reg_lambda = 0.1;
    bool lambda_per_row = true;
    double gamma = 1.0;
    double delta = 1e-7;
    std::size_t max_branches = kUnlimited;     // fewer than 2: no split
    std::vector<std::uint32_t> used_nominals;  // nominal features that split above the leaf

    explicit SearchRules(const Options& options)
        : reg_lambda(options.reg_lambda),
          lambda_per_row(options.lambda_per_row),
          gamma(options.gamma),
          delta(options.delta) {}
};

// One candidate, scored by its penalised mean change of the loss.
struct Candidate {
    enum class Kind : std::uint8_t { none, new_value, numeric, nominal };
    Kind kind = Kind::none;
    double score = 0.0;
    std::uint32_t feature = 0;
    std::size_t position = 0;    // of the feature in FeatureSpace::numeric() or nominal()
    std::uint32_t boundary = 0;  // numeric: index of the boundary
    bool missing_left = true;    // numeric
    std::size_t branches = 0;

    // Lower by more than rounding. Whoever is asked first wins a tie.
    bool beats(const Candidate& other) const;
};

// A branch of the chosen change: for nominal splits `code` says which; for numeric ones 0 = left.
struct Branch {
    std::uint32_t code = 0;
    double weight = 0.0;
    double step = 0.0;  // added to the leaf's value
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

// Of the bins of one feature that hold rows: which they are, the sums of the rows left and right of
// the boundary after each, missing rows in neither, and the boundaries' scores. (The boundary after
// an empty bin parts the same rows as a lower one, and a tie goes to the lower.) Kept between
// searches for its memory only.
struct SearchScratch {
    std::vector<std::uint32_t> bins;
    std::vector<Sums> sums;
    std::vector<double> left_w, left_g, left_h, right_w, right_g, right_h;
    std::vector<double> scores_missing_left, scores_missing_right;
    std::vector<double> left_counts;  // weights of class 0 and class 1, side by side

    void resize(std::size_t n);
};

// The candidate (a): no split, a new value.
Candidate score_new_value(const LeafStatistics& leaf, const CellReader& reader,
                          const SearchRules& rules);
// The best boundary of the numeric feature at `position`. Kind none where there is no boundary, or
// where all are clearly worse than a candidate of score `to_beat`: by far more than a tie, so that
// leaving them out cannot change which candidate is chosen.
Candidate best_boundary(const LeafStatistics& leaf, const FeatureSpace& features,
                        const CellReader& reader, const SearchRules& rules, std::size_t position,
                        double to_beat, SearchScratch& scratch);
Candidate score_nominal(const LeafStatistics& leaf, const FeatureSpace& features,
                        const CellReader& reader, const SearchRules& rules, std::size_t position);
// The change that the candidate stands for, with its test.
Change examine(const Candidate& candidate, const LeafStatistics& leaf, const FeatureSpace& features,
               const CellReader& reader, const SearchRules& rules);

// All of the above: (a) first, then the features' candidates (index = feature) in order.
Change choose_change(const std::vector<Candidate>& of_feature, const LeafStatistics& leaf,
                     const FeatureSpace& features, const CellReader& reader,
                     const SearchRules& rules);

}  // namespace sgt
