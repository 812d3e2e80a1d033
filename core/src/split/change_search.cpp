#include "sgt/split/change_search.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sgt/magnitudes.hpp"
#include "sgt/split/newton_step.hpp"

namespace sgt {

namespace {

constexpr double kNoVariance = 1e-12;  // variance / mean^2 that counts as none

// The cells of the branches that a candidate makes, with their codes.
using BranchCell = std::pair<std::uint32_t, std::vector<double>>;
std::vector<BranchCell> branch_cells(const Candidate& candidate, const LeafStatistics& leaf,
                                     const FeatureSpace& features) {
    const std::size_t width = cell_width(leaf.layout());
    std::vector<BranchCell> branches;
    const auto add = [&](std::vector<double>& to, const double* cell) {
        for (std::size_t i = 0; i < width; ++i) to[i] += cell[i];
    };
    branches.reserve(candidate.branches);
    if (candidate.kind == Candidate::Kind::new_value) {
        branches.emplace_back(0, leaf.total());
        return branches;
    }
    if (candidate.kind == Candidate::Kind::nominal) {
        for (const auto& [code, cell] : leaf.nominal(candidate.position).by_code(leaf.layout())) {
            branches.emplace_back(code, std::vector<double>(cell, cell + width));
        }
        return branches;
    }
    const std::size_t offset = features.numeric_offsets()[candidate.position];
    const std::size_t n_boundaries = features.n_candidates(candidate.feature);
    std::vector<double> left(width, 0.0), right(width, 0.0);
    for (std::size_t bin = 0; bin <= n_boundaries; ++bin)
        add(bin <= candidate.boundary ? left : right, leaf.numeric_cell(offset + 1 + bin));
    add(candidate.missing_left ? left : right, leaf.numeric_cell(offset));
    branches.emplace_back(0, std::move(left));
    branches.emplace_back(1, std::move(right));
    return branches;
}

// Hessians next to 0, and no lambda, may ask for steps without bounds.
bool has_bounded_steps(const Change& change) {
    for (const Branch& branch : change.branches)
        for (const double step : branch.steps)
            if (!(std::fabs(step) <= kGreatestNumber)) return false;
    return std::isfinite(change.mean);
}

}  // namespace

Candidate score_new_value(const LeafStatistics& leaf, const BranchScoring& scoring) {
    const double* total = leaf.total().data();
    Candidate candidate;
    candidate.kind = Candidate::Kind::new_value;
    candidate.score = scoring.share(total) / cell_weight(leaf.layout(), total);
    candidate.branches = 1;
    return candidate;
}

bool a_split_may_win(const LeafStatistics& leaf, const BranchScoring& scoring) {
    const SearchRules& rules = scoring.rules();
    if (!rules.lambda_per_row) return true;
    constexpr double kRounding = 1.0 + 1e-9;
    const double most = kRounding * scoring.most_to_gain(leaf.total().data());
    // (Not a number where lambda is 0 and all gradients are.)
    return !(penalty(leaf, rules, 2) - most / leaf.weight() >=
             score_new_value(leaf, scoring).score);
}

Change examine(const Candidate& candidate, const LeafStatistics& leaf, const FeatureSpace& features,
               const BranchScoring& scoring) {
    Change result;
    result.candidate = candidate;
    const CellReader& reader = scoring.reader();
    const SearchRules& rules = scoring.rules();
    const Lambda& lambda = scoring.lambda();
    std::vector<LossChange> changes;  // reader.n_changes() for each branch
    const std::size_t n_changes = reader.n_changes();
    changes.reserve(candidate.branches * n_changes);
    result.branches.reserve(candidate.branches);
    for (const auto& [code, cell] : branch_cells(candidate, leaf, features)) {
        std::vector<double> steps = newton_steps(reader, cell.data(), lambda);
        for (std::size_t i = 0; i < n_changes; ++i)
            changes.push_back(reader.change(cell.data(), steps.data(), i));
        result.branches.push_back(
            {code, changes.back().w, std::move(steps), reader.energy(cell.data())});
    }
    // Changes that are known for each output by itself are taken as independent.
    double mean = 0.0, m2 = 0.0;
    for (std::size_t i = 0; i < n_changes; ++i) {
        double sum = 0.0;
        for (std::size_t b = i; b < changes.size(); b += n_changes)
            sum += changes[b].w * changes[b].mean;
        const double mean_i = sum / leaf.weight();
        for (std::size_t b = i; b < changes.size(); b += n_changes) {
            const LossChange& c = changes[b];  // within the branch, and between the branches
            m2 += c.m2 + c.w * (c.mean - mean_i) * (c.mean - mean_i);
        }
        mean += mean_i;
        result.gain -= sum;
    }

#ifdef SGT_SLIPPED_VARIANCE  // E(L^2) - E(L): the mean where its square belongs (experiments/)
    m2 += leaf.weight() * (mean * mean - mean);
#endif

    const double n = leaf.effective_rows();
    const bool splits = candidate.kind != Candidate::Kind::new_value;
    result.mean = mean + (splits ? penalty(leaf, rules, candidate.branches) : 0.0);
    if (!(n > 1.0) || !(result.mean < 0.0) || !has_bounded_steps(result)) return result;
    result.variance = m2 / leaf.weight() * (n / (n - 1.0));
    if (result.variance <= kNoVariance * result.mean * result.mean) {
        result.passes = true;
    } else {
        const double t = result.mean / std::sqrt(result.variance / n);
        result.passes = rules.delta.is_reached(t, n - 1.0);
    }
    return result;
}

Candidate best_candidate(const std::vector<Candidate>& of_feature, const LeafStatistics& leaf,
                         const BranchScoring& scoring) {
    Candidate best = score_new_value(leaf, scoring);
    for (const Candidate& candidate : of_feature)
        if (candidate.beats(best)) best = candidate;
    return best;
}

}  // namespace sgt
