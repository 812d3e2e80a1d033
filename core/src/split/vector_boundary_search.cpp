// The search for a boundary where a leaf's value has several outputs: the sums on both sides of all
// boundaries stand in columns, one for each sum, and the outputs' shares are added up column by
// column.
#include <algorithm>
#include <limits>

#include "sgt/clones.hpp"
#include "sgt/split/boundary_search.hpp"
#include "sgt/split/newton_step.hpp"

namespace sgt {

namespace {

constexpr double kNoBoundary = std::numeric_limits<double>::infinity();

// The sums of a cell that the objective needs, beside its weight: where the first one is, how far
// to the next output's, and how many each output has.
struct NeededSums {
    std::size_t first, stride, per_output, outputs;

    explicit NeededSums(Layout layout) : outputs(layout.outputs) {
        const bool counts = layout.kind == CellKind::softmax_counts;
        first = counts ? 0 : 1;
        stride = counts ? 1 : layout.kind == CellKind::constant_hessian ? 2 : 5;
        per_output = layout.kind == CellKind::moments ? 2 : 1;
    }
    std::size_t columns() const {
        return 1 + per_output * outputs;
    }
    // The weight, then the outputs' sums.
    void read(const double* cell, double weight, double* to) const {
        *to++ = weight;
        for (std::size_t j = 0; j < outputs; ++j)
            for (std::size_t i = 0; i < per_output; ++i) *to++ = cell[first + stride * j + i];
    }
};

// left[c * n + k]: sum c of the rows left of the boundary after the k-th bin that holds rows;
// right likewise. They are summed from both ends: right = total - left would lose digits where
// right is small. Returns n.
std::size_t sum_both_sides(const double* cells, std::size_t n_bins, Layout layout, bool keep_first,
                           SearchScratch& s) {
    const NeededSums needed(layout);
    const std::size_t columns = needed.columns(), width = cell_width(layout);
    s.sides.bins.resize(n_bins);
    s.rows.resize(n_bins * columns);
    std::size_t n = 0;
    for (std::size_t bin = 0; bin < n_bins; ++bin) {
        const double* cell = cells + width * bin;
        const double w = cell_weight(layout, cell);
        if (!(w > 0.0) && !(keep_first && bin == 0)) continue;
        s.sides.bins[n] = static_cast<std::uint32_t>(bin);
        needed.read(cell, w, s.rows.data() + n++ * columns);
    }
    s.left.resize(n * columns);
    s.right.resize(n * columns);
    s.running.assign(2 * columns, 0.0);
    double* const forward = s.running.data();
    double* const backward = forward + columns;
    for (std::size_t k = 0; k < n; ++k) {
        const std::size_t back = n - 1 - k;
        const double* row = s.rows.data() + k * columns;
        const double* last = s.rows.data() + back * columns;
        for (std::size_t c = 0; c < columns; ++c) {
            s.left[c * n + k] = forward[c] += row[c];
            s.right[c * n + back] = backward[c];
            backward[c] += last[c];
        }
    }
    return n;
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

}  // namespace

Candidate best_vector_boundary(const LeafStatistics& leaf, const FeatureSpace& features,
                               const CellReader& reader, const SearchRules& rules,
                               std::size_t position, SearchScratch& s) {
    const std::uint32_t feature = features.numeric()[position];
    const std::size_t n_boundaries = features.n_candidates(feature);
    if (rules.max_branches < 2 || n_boundaries == 0) return {};
    const Layout layout = reader.layout();
    const NeededSums needed(layout);
    const double* cells = leaf.numeric_cell(features.numeric_offsets()[position]);
    const double missing_weight = cell_weight(layout, cells);  // the first cell is for missing
    const bool some_missing = missing_weight > 0.0;
    const std::size_t n =
        sum_both_sides(cells + cell_width(layout), n_boundaries + 1, layout, some_missing, s);
    std::vector<double> missing(needed.columns()), nothing(needed.columns(), 0.0);
    needed.read(cells, missing_weight, missing.data());

    const Lambda lambda(rules);
    const auto score_all = [&](std::vector<double>& scores, const double* on_left,
                               const double* on_right) {
        scores.assign(n, 0.0);
        add_side(s.left, n, on_left, reader, lambda, scores.data());
        add_side(s.right, n, on_right, reader, lambda, scores.data());
        const double per_weight = 1.0 / leaf.weight(), charge = penalty(leaf, rules, 2);
        for (std::size_t k = 0; k < n; ++k) {
            const bool both = s.left[k] + on_left[0] > 0.0 && s.right[k] + on_right[0] > 0.0;
            scores[k] = both ? scores[k] * per_weight + charge : kNoBoundary;
        }
    };
    score_all(s.scores_missing_left, missing.data(), nothing.data());
    if (some_missing) score_all(s.scores_missing_right, nothing.data(), missing.data());
    // No boundary is above the last bin.
    const bool ends_with_last = n > 0 && s.sides.bins[n - 1] == n_boundaries;
    return choose_boundary(ends_with_last ? n - 1 : n, some_missing, feature, position,
                           s.left.data(), s.right.data(), s);
}

}  // namespace sgt
