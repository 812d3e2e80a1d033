#include "sgt/split/boundary_search.hpp"

#include <algorithm>
#include <limits>

#include "sgt/clones.hpp"
#include "sgt/split/newton_step.hpp"

namespace sgt {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// scores[k] = score(k) for all k below n; returns the lowest.
template <class Score>
SGT_INLINE double write_scores(std::size_t n, const Score& score, double* scores) {
    constexpr std::size_t kLanes = 8;
    double lowest[kLanes];
    for (double& lane : lowest) lane = kInfinity;
    std::size_t k = 0;
    for (; k + kLanes <= n; k += kLanes)
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            const double value = score(k + lane);
            scores[k + lane] = value;
            lowest[lane] = value < lowest[lane] ? value : lowest[lane];
        }
    for (; k < n; ++k) {
        scores[k] = score(k);
        lowest[0] = std::min(lowest[0], scores[k]);
    }
    return *std::min_element(lowest, lowest + kLanes);
}

struct ScoreTerms {
    double of_sum, of_row, per_weight, penalty;
    Sums extra_left, extra_right;  // the missing rows, on one of the sides
};

// Returns the lowest.
SGT_CLONES double score_boundaries(const double* lw, const double* lg, const double* lh,
                                   const double* rw, const double* rg, const double* rh,
                                   std::size_t n, const ScoreTerms& t, double* scores) {
    const double ew = t.extra_left.w, eg = t.extra_left.g, eh = t.extra_left.h;
    const double fw = t.extra_right.w, fg = t.extra_right.g, fh = t.extra_right.h;
    const double of_sum = t.of_sum, of_row = t.of_row, per_weight = t.per_weight, pen = t.penalty;
    const auto score = [&](std::size_t k) {
        const double left = lw[k] + ew, right = rw[k] + fw;
        const double change = share(left, lg[k] + eg, lh[k] + eh, of_sum, of_row) +
                              share(right, rg[k] + fg, rh[k] + fh, of_sum, of_row);
        return ((left > 0.0) & (right > 0.0)) ? change * per_weight + pen : kInfinity;
    };
    return write_scores(n, score, scores);
}

// Left counts at every boundary. Four bins are put together before they are added to what is on
// their left, so that only one addition in four waits for the one before. Counts are whole numbers
// here, so that the order of additions is of no account.
SGT_CLONES void sum_left_counts(const double* __restrict bins, std::size_t n,
                                double* __restrict left) {
    constexpr std::size_t kTogether = 4;
    double before[2] = {};
    std::size_t k = 0;
    for (; k + kTogether <= n; k += kTogether, bins += 2 * kTogether, left += 2 * kTogether)
        for (std::size_t i = 0; i < 2; ++i) {
            const double two = bins[i] + bins[2 + i], three = two + bins[4 + i];
            const double four = two + (bins[4 + i] + bins[6 + i]);
            left[i] = before[i] + bins[i];
            left[2 + i] = before[i] + two;
            left[4 + i] = before[i] + three;
            left[6 + i] = before[i] + four;
            before[i] = left[6 + i];
        }
    for (; k < n; ++k, bins += 2, left += 2)
        for (std::size_t i = 0; i < 2; ++i) left[i] = before[i] += bins[i];
}

struct CountTerms {
    double of_sum, of_row, per_weight, penalty, total0, total1;
    double g0, h0, g1, h1;  // of the two classes
    double scale = 0.0;     // c / total weight, where there is one hessian
};

// Scores of all boundaries from the counts on their left; returns the lowest. With kOneHessian both
// classes have the hessian h and lambda counts once a row; a side's share is then -c g^2 / w with
// c = (h / 2 + lambda) / (h + lambda)^2, and both sides together need one division.
template <bool kOneHessian>
SGT_INLINE double score_counts_body(const double* left, std::size_t n, const CountTerms& t,
                                    double* scores) {
    const auto score = [&](std::size_t k) {
        const double l0 = left[2 * k], l1 = left[2 * k + 1], r0 = t.total0 - l0, r1 = t.total1 - l1;
        const double lw = l0 + l1, rw = r0 + r1;
        if constexpr (kOneHessian) {
            const double lg = l0 * t.g0 + l1 * t.g1, rg = r0 * t.g0 + r1 * t.g1, product = lw * rw;
            const double change = (lg * lg * rw + rg * rg * lw) / product;
            return product > 0.0 ? t.penalty - t.scale * change : kInfinity;
        }
        const double change =
            share(lw, l0 * t.g0 + l1 * t.g1, l0 * t.h0 + l1 * t.h1, t.of_sum, t.of_row) +
            share(rw, r0 * t.g0 + r1 * t.g1, r0 * t.h0 + r1 * t.h1, t.of_sum, t.of_row);
        return ((lw > 0.0) & (rw > 0.0)) ? change * t.per_weight + t.penalty : kInfinity;
    };
    return write_scores(n, score, scores);
}

SGT_CLONES double score_counts_of_one_hessian(const double* left, std::size_t n,
                                              const CountTerms& t, double* scores) {
    return score_counts_body<true>(left, n, t, scores);
}
SGT_CLONES double score_counts_of_two_hessians(const double* left, std::size_t n,
                                               const CountTerms& t, double* scores) {
    return score_counts_body<false>(left, n, t, scores);
}

double score_counts(const double* left, std::size_t n, CountTerms t, double* scores) {
    if (t.h0 != t.h1 || t.of_sum != 0.0 || !(t.h0 + t.of_row > 0.0))
        return score_counts_of_two_hessians(left, n, t, scores);
    const double curvature = t.h0 + t.of_row;
    t.scale = (0.5 * t.h0 + t.of_row) / (curvature * curvature) * t.per_weight;
    return score_counts_of_one_hessian(left, n, t, scores);
}

// The first score, in order, that no later one is lower than by more than a tie.
std::size_t first_lowest(const std::vector<double>& scores, std::size_t n) {
    std::size_t chosen = 0;
    for (std::size_t k = 1; k < n; ++k)
        if (scores[k] < scores[chosen] &&
            (scores[chosen] == kInfinity || is_lower(scores[k], scores[chosen])))
            chosen = k;
    return chosen;
}

// The same where the cells are counts of rows and no row is missing: whole numbers, so that what is
// right of a boundary is exactly the total less what is left of it.
Candidate best_boundary_of_counts(const LeafStatistics& leaf, const double* of_bins, std::size_t n,
                                  const CellReader& reader, const SearchRules& rules,
                                  std::uint32_t feature, std::size_t position, double to_beat,
                                  SearchScratch& s) {
    // The place after the last bin is scored too, as no boundary (nothing is on its right): so the
    // number of scores is that of bins, mostly a power of 2, and no odd ones are left to do one by
    // one.
    const std::size_t n_bins = n + 1;
    s.resize(n_bins);
    sum_left_counts(of_bins, n_bins, s.left_counts.data());
    const Lambda lambda(rules);
    const auto [class0, class1] = reader.classes();
    const double total0 = leaf.total()[0], total1 = leaf.total()[1];
    const CountTerms terms{lambda.of_sum,
                           lambda.of_row,
                           1.0 / leaf.weight(),
                           penalty(leaf, rules, 2),
                           total0,
                           total1,
                           class0.g,
                           class0.h,
                           class1.g,
                           class1.h};
    const double lowest =
        score_counts(s.left_counts.data(), n_bins, terms, s.scores_missing_left.data());
    if (lowest == kInfinity || is_clearly_worse(lowest, to_beat)) return {};
    const std::size_t chosen = first_lowest(s.scores_missing_left, n);
    const double left = s.left_counts[2 * chosen] + s.left_counts[2 * chosen + 1];
    return {Candidate::Kind::numeric,           s.scores_missing_left[chosen],  feature, position,
            static_cast<std::uint32_t>(chosen), left >= total0 + total1 - left, 2};
}

}  // namespace

void SearchScratch::resize(std::size_t n) {
    if (scores_missing_left.size() >= n) return;
    left_counts.resize(2 * n);
    scores_missing_left.resize(n);
    scores_missing_right.resize(n);
}

Candidate best_boundary(const LeafStatistics& leaf, const FeatureSpace& features,
                        const BranchScoring& scoring, std::size_t position, double to_beat,
                        SearchScratch& s) {
    const CellReader& reader = scoring.reader();
    const SearchRules& rules = scoring.rules();
    if (reader.layout().outputs > 1)
        return best_vector_boundary(leaf, features, scoring, position, s);
    const std::uint32_t feature = features.numeric()[position];
    const std::size_t n_boundaries = features.n_candidates(feature);
    if (rules.max_branches < 2 || n_boundaries == 0) return {};
    const auto [cells, width, _] = leaf.cells_to_search(features.numeric_offsets()[position]);
    const double* of_bins = cells + width;  // the first cell is for missing
    const Sums missing = reader.sums(cells);
    const bool some_missing = missing.w > 0.0;
    if (reader.layout().kind == CellKind::class_counts && !some_missing &&
        leaf.all_weights_are_one())
        return best_boundary_of_counts(leaf, of_bins, n_boundaries, reader, rules, feature,
                                       position, to_beat, s);
    const std::size_t n_bins = n_boundaries + 1;
    s.resize(n_bins);
    BoundarySums& sides = s.sides;
    std::size_t n = n_bins;
    if (reader.layout().kind == CellKind::moments)
        sides.sum_all_bins(of_bins, width, n_bins);
    else
        n = sides.sum_bins_with_rows(of_bins, reader, n_bins, some_missing);
    if (n > 0 && sides.bins[n - 1] == n_boundaries) --n;  // no boundary above the last bin

    const Lambda lambda(rules);
    ScoreTerms terms{
        lambda.of_sum, lambda.of_row, 1.0 / leaf.weight(), penalty(leaf, rules, 2), {}, {}};
    const auto score_all = [&](std::vector<double>& scores) {
        return score_boundaries(sides.left_w.data(), sides.left_g.data(), sides.left_h.data(),
                                sides.right_w.data(), sides.right_g.data(), sides.right_h.data(), n,
                                terms, scores.data());
    };
    terms.extra_left = missing;
    const double lowest = score_all(s.scores_missing_left);
    if (!some_missing) {
        if (lowest == kInfinity || is_clearly_worse(lowest, to_beat)) return {};
    } else {
        terms.extra_left = {};
        terms.extra_right = missing;
        score_all(s.scores_missing_right);
    }
    Candidate best = choose_boundary(n, some_missing, feature, position, sides.left_w.data(),
                                     sides.right_w.data(), s);
    if (best.kind != Candidate::Kind::none) best.boundary = sides.bins[best.boundary];
    return best;
}

Candidate choose_boundary(std::size_t n, bool some_missing, std::uint32_t feature,
                          std::size_t position, const double* left_w, const double* right_w,
                          const SearchScratch& s) {
    double lowest = kInfinity;
    std::size_t chosen = 0;
    bool missing_left = true;
    const auto consider = [&](double score, std::size_t k, bool is_left) {
        if (!(score < lowest) || (lowest != kInfinity && !is_lower(score, lowest))) return;
        lowest = score;
        chosen = k;
        missing_left = is_left;
    };
    for (std::size_t k = 0; k < n; ++k) {
        consider(s.scores_missing_left[k], k, true);
        if (some_missing) consider(s.scores_missing_right[k], k, false);
    }
    if (lowest == kInfinity) return {};
    // Where no row is missing the default way is that of the greater weight.
    if (!some_missing) missing_left = left_w[chosen] >= right_w[chosen];
    const auto place = static_cast<std::uint32_t>(chosen);
    return {Candidate::Kind::numeric, lowest, feature, position, place, missing_left, 2};
}

}  // namespace sgt
