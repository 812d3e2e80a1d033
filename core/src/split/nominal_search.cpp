#include "sgt/split/nominal_search.hpp"

#include <algorithm>

#include "sgt/split/code_sums.hpp"

namespace sgt {

namespace {

bool is_used(const SearchRules& rules, std::uint32_t feature) {
    return std::find(rules.used_nominals.begin(), rules.used_nominals.end(), feature) !=
           rules.used_nominals.end();
}

// The branches so far, and the sum of their shares.
struct Branches {
    std::size_t n = 0;
    double change = 0.0;

    void add(double share) {
        change += share;
        ++n;
    }
};

Branches branches_of_rows(const LeafStatistics& leaf, const BranchScoring& scoring,
                          std::uint32_t feature, SearchScratch& s) {
    const CodeSums columns = sums_of_rows(leaf, scoring, feature, s);
    Branches branches;
    s.cell.assign(leaf.layout().outputs, 0.0);
    for (std::size_t k = 0; k < columns.n; ++k) {
        const double* sums = columns.sums + k;
        if (!(*sums > 0.0)) continue;
        for (std::size_t c = 0; c < scoring.n_classes_to_search(); ++c)
            s.cell[scoring.class_to_search(c)] = sums[s.places[1 + c]];
        branches.add(scoring.share(s.cell.data()));
    }
    return branches;
}

Branches branches_of_heads(const LeafStatistics& leaf, const BranchScoring& scoring,
                           std::size_t position, std::uint32_t feature) {
    const double* head = leaf.heads_of_nominal(position);
    const std::uint32_t largest = leaf.extreme_codes(feature).second;
    Branches branches;
    for (std::uint32_t code = 0; code <= largest; ++code, head += head_width(leaf.layout()))
        if (*head > 0.0) branches.add(scoring.share_of_head(head));
    return branches;
}

Branches branches_of_cells(const LeafStatistics& leaf, const BranchScoring& scoring,
                           std::size_t position) {
    Branches branches;
    leaf.nominal(position).for_each(leaf.layout(), [&](std::uint32_t, const double* cell) {
        branches.add(scoring.share(cell));
    });
    return branches;
}

}  // namespace

Candidate score_nominal(const LeafStatistics& leaf, const FeatureSpace& features,
                        const BranchScoring& scoring, std::size_t position, SearchScratch& s) {
    Candidate candidate;
    const SearchRules& rules = scoring.rules();
    const std::uint32_t feature = features.nominal()[position];
    if (rules.max_branches < 2 || is_used(rules, feature)) return candidate;
    const bool has_cells = !leaf.lacks_cells_of_nominal(feature);
    const Branches found = has_cells ? branches_of_cells(leaf, scoring, position)
                           : leaf.has_rows_to_search()
                               ? branches_of_rows(leaf, scoring, feature, s)
                               : branches_of_heads(leaf, scoring, position, feature);
    if (found.n < 2 || found.n > rules.max_branches) return candidate;
    candidate.kind = Candidate::Kind::nominal;
    candidate.feature = feature;
    candidate.position = position;
    candidate.branches = found.n;
    candidate.score = found.change / leaf.weight() + penalty(leaf, rules, found.n);
    return candidate;
}

}  // namespace sgt
