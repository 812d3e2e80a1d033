#include "sgt/split/boundary_search.hpp"

#include <algorithm>
#include <limits>

#include "sgt/clones.hpp"
#include "sgt/split/newton_step.hpp"

namespace sgt {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Finds the bins that hold rows, and, with `keep_first`, the first one in any case: the boundary
// after it may part missing rows from all others. Returns their number.
template <CellKind kind>
std::size_t gather_bins(const double* cells, const CellReader& reader, std::size_t n_bins,
                        bool keep_first, SearchScratch& s) {
    constexpr Layout layout{kind, 1};
    std::size_t n = 0;
    const double* cell = cells;
    for (std::size_t bin = 0; bin < n_bins; ++bin, cell += cell_width(layout)) {
        // The processor predicts this branch well: bins with rows are next to each other.
        if (!(cell_weight(layout, cell) > 0.0) && !(keep_first && bin == 0)) continue;
        s.bins[n] = static_cast<std::uint32_t>(bin);
        s.sums[n] = reader.sums_as<kind>(cell);
        ++n;
    }
    return n;
}

// Sums on both sides of the boundary after each bin. They are summed from both ends: right = total
// - left would lose digits where right is small.
void sum_both_sides(std::size_t n, SearchScratch& s) {
    Sums left, right;
    for (std::size_t k = 0; k < n; ++k) {
        const std::size_t back = n - 1 - k;
        left += s.sums[k];
        s.left_w[k] = left.w, s.left_g[k] = left.g, s.left_h[k] = left.h;
        s.right_w[back] = right.w, s.right_g[back] = right.g, s.right_h[back] = right.h;
        right += s.sums[back];
    }
}

struct ScoreTerms {
    double of_sum, of_row, per_weight, penalty;
    Sums extra_left, extra_right;  // the missing rows, on one of the sides
};

SGT_CLONES void score_boundaries(const double* lw, const double* lg, const double* lh,
                                 const double* rw, const double* rg, const double* rh,
                                 std::size_t n, const ScoreTerms& t, double* scores) {
    const double ew = t.extra_left.w, eg = t.extra_left.g, eh = t.extra_left.h;
    const double fw = t.extra_right.w, fg = t.extra_right.g, fh = t.extra_right.h;
    const double of_sum = t.of_sum, of_row = t.of_row, per_weight = t.per_weight, pen = t.penalty;
    for (std::size_t k = 0; k < n; ++k) {
        const double left = lw[k] + ew, right = rw[k] + fw;
        const double change = share(left, lg[k] + eg, lh[k] + eh, of_sum, of_row) +
                              share(right, rg[k] + fg, rh[k] + fh, of_sum, of_row);
        const double score = change * per_weight + pen;
        scores[k] = (left > 0.0) & (right > 0.0) ? score : kInfinity;
    }
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
    constexpr std::size_t kLanes = 8;
    double lowest[kLanes];
    for (double& lane : lowest) lane = kInfinity;
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
        return (lw > 0.0) & (rw > 0.0) ? change * t.per_weight + t.penalty : kInfinity;
    };
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

SGT_CLONES double lowest_of(const double* scores, std::size_t n) {
    constexpr std::size_t kLanes = 8;
    double lowest[kLanes];
    for (double& lane : lowest) lane = kInfinity;
    std::size_t k = 0;
    for (; k + kLanes <= n; k += kLanes)
        SGT_LANES for (std::size_t lane = 0; lane < kLanes; ++lane) {
            const double score = scores[k + lane];
            lowest[lane] = score < lowest[lane] ? score : lowest[lane];
        }
    for (; k < n; ++k) lowest[0] = std::min(lowest[0], scores[k]);
    return *std::min_element(lowest, lowest + kLanes);
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
    if (bins.size() >= n) return;
    bins.resize(n);
    left_counts.resize(2 * n);
    sums.resize(n);
    for (auto* column : {&left_w, &left_g, &left_h, &right_w, &right_g, &right_h,
                         &scores_missing_left, &scores_missing_right})
        column->resize(n);
}

Candidate best_boundary(const LeafStatistics& leaf, const FeatureSpace& features,
                        const CellReader& reader, const SearchRules& rules, std::size_t position,
                        double to_beat, SearchScratch& s) {
    if (reader.layout().outputs > 1)
        return best_vector_boundary(leaf, features, reader, rules, position, s);
    const std::uint32_t feature = features.numeric()[position];
    const std::size_t n_boundaries = features.n_candidates(feature);
    if (rules.max_branches < 2 || n_boundaries == 0) return {};
    const double* cells = leaf.numeric_cell(features.numeric_offsets()[position]);
    const double* of_bins = cells + cell_width(reader.layout());  // the first cell is for missing
    const Sums missing = reader.sums(cells);
    const bool some_missing = missing.w > 0.0;
    if (reader.layout().kind == CellKind::class_counts && !some_missing &&
        leaf.all_weights_are_one())
        return best_boundary_of_counts(leaf, of_bins, n_boundaries, reader, rules, feature,
                                       position, to_beat, s);
    s.resize(n_boundaries + 1);
    std::size_t n = 0;
    const auto gather = [&]<CellKind kind>() {
        n = gather_bins<kind>(of_bins, reader, n_boundaries + 1, some_missing, s);
    };
    if (reader.layout().kind == CellKind::class_counts)
        gather.template operator()<CellKind::class_counts>();
    else if (reader.layout().kind == CellKind::constant_hessian)
        gather.template operator()<CellKind::constant_hessian>();
    else
        gather.template operator()<CellKind::moments>();
    sum_both_sides(n, s);
    if (n > 0 && s.bins[n - 1] == n_boundaries) --n;  // no boundary above the last bin

    const Lambda lambda(rules);
    ScoreTerms terms{
        lambda.of_sum, lambda.of_row, 1.0 / leaf.weight(), penalty(leaf, rules, 2), {}, {}};
    const auto score_all = [&](std::vector<double>& scores) {
        score_boundaries(s.left_w.data(), s.left_g.data(), s.left_h.data(), s.right_w.data(),
                         s.right_g.data(), s.right_h.data(), n, terms, scores.data());
    };
    terms.extra_left = missing;
    score_all(s.scores_missing_left);
    if (!some_missing) {
        const double lowest = lowest_of(s.scores_missing_left.data(), n);
        if (lowest == kInfinity || is_clearly_worse(lowest, to_beat)) return {};
    } else {
        terms.extra_left = {};
        terms.extra_right = missing;
        score_all(s.scores_missing_right);
    }

    return choose_boundary(n, some_missing, feature, position, s.left_w.data(), s.right_w.data(),
                           s);
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
    return {Candidate::Kind::numeric, lowest, feature, position, s.bins[chosen], missing_left, 2};
}

}  // namespace sgt
