// The search for a boundary where a leaf's value has several outputs: the sums on both sides of all
// boundaries stand in columns, one for each sum, and the outputs' shares are added up column by
// column.
#include <algorithm>
#include <limits>

#include "sgt/clones.hpp"
#include "sgt/split/boundary_search.hpp"
#include "sgt/split/code_sums.hpp"
#include "sgt/split/newton_step.hpp"

namespace sgt {

namespace {

constexpr double kNoBoundary = std::numeric_limits<double>::infinity();

// The sums of missing rows are no longer in the columns.
void take_missing(CodeSums& columns, SearchScratch& s) {
    s.missing.assign(s.places.size(), 0.0);
    if (columns.first_code != kMissingCode) return;
    for (std::size_t c = 0; c < s.places.size(); ++c) s.missing[c] = columns.sums[s.places[c]];
    columns.sums += columns.step;
    --columns.n;
    ++columns.first_code;
}

// Lists the bins that hold rows: the boundary after an empty one parts the same rows as a lower
// one, and a tie goes to the lower. With `keep_first` the first one in any case: the boundary after
// it may part missing rows from all others. Returns their number.
std::size_t list_bins(const CodeSums& columns, bool keep_first, SearchScratch& s) {
    s.bins.resize(columns.n);
    std::size_t n = 0;
    for (std::size_t k = 0; k < columns.n; ++k) {
        s.bins[n] = static_cast<std::uint32_t>(k);
        n += static_cast<std::size_t>((columns.sums[k * columns.step] > 0.0) |
                                      (keep_first & (k == 0)));
    }
    return n;
}

// left[c * n + k]: sum c of the rows left of the boundary after the k-th of n bins; right likewise.
// They are summed from both ends: right = total - left would lose digits where right is small.
void sum_both_sides(const CodeSums& columns, std::size_t n, SearchScratch& s) {
    s.left.resize(s.places.size() * n);
    s.right.resize(s.places.size() * n);
    double *left = s.left.data(), *right = s.right.data();
    for (const std::size_t place : s.places) {
        const double* column = columns.sums + place;
        double on_left = 0.0, on_right = 0.0;
        for (std::size_t k = 0, back = n; k < n; ++k) {
            left[k] = on_left += column[s.bins[k] * columns.step];
            right[--back] = on_right;
            on_right += column[s.bins[back] * columns.step];
        }
        left += n;
        right += n;
    }
}

// shares[k] += the share of one output at boundary k.
SGT_CLONES void add_shares(const double* w, const double* g, const double* h, std::size_t n,
                           const Sums& extra, double of_sum, double of_row, double* shares) {
    for (std::size_t k = 0; k < n; ++k)
        shares[k] += share(w[k] + extra.w, g[k] + extra.g, h[k] + extra.h, of_sum, of_row);
}

// The same where the hessian is h for every row.
SGT_CLONES void add_shares_of_constant(const double* w, const double* g, std::size_t n,
                                       const Sums& extra, double h, double of_sum, double of_row,
                                       double* shares) {
    for (std::size_t k = 0; k < n; ++k) {
        const double weight = w[k] + extra.w;
        shares[k] += share(weight, g[k] + extra.g, weight * h, of_sum, of_row);
    }
}

// The same from the weight of the output's own class.
SGT_CLONES void add_shares_of_counts(const double* w, const double* own, std::size_t n,
                                     double extra_w, double extra_own, const SoftmaxOutput& output,
                                     double of_sum, double of_row, double* shares) {
    const double p = output.p, q = output.q, h = output.h;
    for (std::size_t k = 0; k < n; ++k) {
        const double weight = w[k] + extra_w, count = own[k] + extra_own;
        shares[k] += share(weight, (weight - count) * p - count * q, weight * h, of_sum, of_row);
    }
}

// The shares of the rows on one side of each boundary, all outputs together; `extra`, sums as in a
// row of columns, is on that side too.
void add_side(const std::vector<double>& side, std::size_t n, const double* extra,
              const CellReader& reader, const Lambda& lambda, double* shares) {
    const double* w = side.data();
    for (std::size_t j = 0; j < reader.layout().outputs; ++j) {
        if (reader.layout().kind == CellKind::moments) {
            const std::size_t g = 1 + 2 * j, h = g + 1;
            add_shares(w, w + g * n, w + h * n, n, {extra[0], extra[g], extra[h]}, lambda.of_sum,
                       lambda.of_row, shares);
        } else if (reader.layout().kind == CellKind::constant_hessian) {
            add_shares_of_constant(w, w + (1 + j) * n, n, {extra[0], extra[1 + j], 0.0},
                                   reader.constant_hessian(j), lambda.of_sum, lambda.of_row,
                                   shares);
        } else {
            add_shares_of_counts(w, w + (1 + j) * n, n, extra[0], extra[1 + j],
                                 reader.softmax_outputs()[j], lambda.of_sum, lambda.of_row, shares);
        }
    }
}

// sums[k] += c g^2 of one class at boundary k.
SGT_CLONES void add_squares(const double* w, const double* own, std::size_t n, double extra_w,
                            double extra_own, const BranchScoring::PresentClass& of_class,
                            double* sums) {
    const BranchScoring::PresentClass c = of_class;
    for (std::size_t k = 0; k < n; ++k) sums[k] += c.square(w[k] + extra_w, own[k] + extra_own);
}

// Of what was summed on both sides, in the place of the left one's.
SGT_CLONES void score_squares(const double* left_w, const double* right_w, const double* right,
                              std::size_t n, double extra_left, double extra_right,
                              double per_weight, double constant, double* left) {
    for (std::size_t k = 0; k < n; ++k) {
        const double lw = left_w[k] + extra_left, rw = right_w[k] + extra_right;
        const double product = lw * rw, squares = (left[k] * rw + right[k] * lw) / product;
        left[k] = product > 0.0 ? constant - per_weight * squares : kNoBoundary;
    }
}

// The scores of all n boundaries. The missing rows, whose sums are those of `extra`, are left of
// them or right.
class BoundaryScores {
public:
    BoundaryScores(const LeafStatistics& leaf, const BranchScoring& scoring, std::size_t n,
                   SearchScratch& s)
        : scoring_(scoring),
          s_(s),
          n_(n),
          per_weight_(1.0 / leaf.weight()),
          charge_(penalty(leaf, scoring.rules(), 2)) {}

    void write(const double* on_left, const double* on_right, std::vector<double>& scores) const {
        scores.assign(n_, 0.0);
        if (scoring_.counts_present_classes()) return write_squares(on_left, on_right, scores);
        const CellReader& reader = scoring_.reader();
        add_side(s_.left, n_, on_left, reader, scoring_.lambda(), scores.data());
        add_side(s_.right, n_, on_right, reader, scoring_.lambda(), scores.data());
        for (std::size_t k = 0; k < n_; ++k) {
            const bool both = s_.left[k] + on_left[0] > 0.0 && s_.right[k] + on_right[0] > 0.0;
            scores[k] = both ? scores[k] * per_weight_ + charge_ : kNoBoundary;
        }
    }

private:
    void write_squares(const double* on_left, const double* on_right,
                       std::vector<double>& scores) const {
        s_.squares.assign(n_, 0.0);
        const double *left = s_.left.data(), *right = s_.right.data();
        std::size_t column = 1;
        for (const BranchScoring::PresentClass& of_class : scoring_.present_classes()) {
            add_squares(left, left + column * n_, n_, on_left[0], on_left[column], of_class,
                        scores.data());
            add_squares(right, right + column * n_, n_, on_right[0], on_right[column], of_class,
                        s_.squares.data());
            ++column;
        }
        score_squares(left, right, s_.squares.data(), n_, on_left[0], on_right[0], per_weight_,
                      scoring_.of_absent() + charge_, scores.data());
    }

    const BranchScoring& scoring_;
    SearchScratch& s_;
    std::size_t n_;
    double per_weight_, charge_;
};

}  // namespace

Candidate best_vector_boundary(const LeafStatistics& leaf, const FeatureSpace& features,
                               const BranchScoring& scoring, std::size_t position,
                               SearchScratch& s) {
    const std::uint32_t feature = features.numeric()[position];
    const std::size_t n_boundaries = features.n_candidates(feature);
    if (scoring.rules().max_branches < 2 || n_boundaries == 0) return {};
    CodeSums columns = leaf.has_rows_to_search()
                           ? sums_of_rows(leaf, scoring, feature, s)
                           : sums_of_cells(leaf, scoring, features, position, s);
    take_missing(columns, s);
    const bool some_missing = s.missing[0] > 0.0;
    const std::size_t n = list_bins(columns, some_missing, s);
    if (n < 2 && !some_missing) return {};
    sum_both_sides(columns, n, s);
    s.nothing.assign(s.places.size(), 0.0);
    const BoundaryScores scores(leaf, scoring, n, s);
    scores.write(s.missing.data(), s.nothing.data(), s.scores_missing_left);
    if (some_missing) scores.write(s.nothing.data(), s.missing.data(), s.scores_missing_right);
    // No boundary is above the last bin.
    const std::uint32_t first_bin = columns.first_code - 1;
    const bool ends_with_last = n > 0 && first_bin + s.bins[n - 1] == n_boundaries;
    Candidate best = choose_boundary(ends_with_last ? n - 1 : n, some_missing, feature, position,
                                     s.left.data(), s.right.data(), s);
    if (best.kind != Candidate::Kind::none) best.boundary = first_bin + s.bins[best.boundary];
    return best;
}

}  // namespace sgt
