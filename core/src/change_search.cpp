#include "sgt/change_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sgt/clones.hpp"
#include "sgt/student_t.hpp"

namespace sgt {

namespace {

constexpr double kTie = 1e-12;         // relative difference below which candidates tie
constexpr double kNoVariance = 1e-12;  // variance / mean^2 that counts as none
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// lambda' of a branch = of_sum + of_row * weight.
struct Lambda {
    double of_sum, of_row;
    explicit Lambda(const SearchRules& rules)
        : of_sum(rules.lambda_per_row ? 0.0 : rules.reg_lambda),
          of_row(rules.lambda_per_row ? rules.reg_lambda : 0.0) {}
};

// The Newton step of a branch (the paper's eq. 12).
SGT_INLINE double newton_step(double w, double g, double h, double of_sum, double of_row) {
    const double curvature = h + of_sum + of_row * w;
    return curvature > 0.0 ? -g / curvature : 0.0;
}

double newton_step(const Sums& s, const Lambda& lambda) {
    return newton_step(s.w, s.g, s.h, lambda.of_sum, lambda.of_row);
}

// A branch's share of the change in loss after its Newton step.
SGT_INLINE double share(double w, double g, double h, double of_sum, double of_row) {
    const double v = newton_step(w, g, h, of_sum, of_row);
    return v * (g + 0.5 * h * v);
}

double share(const Sums& s, const Lambda& lambda) {
    return share(s.w, s.g, s.h, lambda.of_sum, lambda.of_row);
}

double penalty(const LeafStatistics& leaf, const SearchRules& rules, std::size_t branches) {
    return rules.gamma * static_cast<double>(branches) / leaf.effective_rows();
}

// Finds the bins that hold rows, and the first one, if asked for, in any case: the boundary after
// it may part missing rows from all others. Returns their number.
template <Layout layout>
std::size_t gather_bins(const double* cells, const CellReader& reader, std::size_t n_bins,
                        bool keep_first, SearchScratch& s) {
    constexpr std::size_t width = cell_width(layout);
    std::size_t n = 0;
    for (std::size_t bin = 0; bin < n_bins; ++bin) {
        const Sums sums = reader.sums_as<layout>(cells + width * bin);
        s.bins[n] = static_cast<std::uint32_t>(bin);
        s.sums[n] = sums;
        n += (sums.w > 0.0) | (keep_first & (bin == 0)) ? 1 : 0;
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

bool is_lower(double score, double other) {
    return score < other - kTie * std::max(std::fabs(score), std::fabs(other));
}

bool is_used(const SearchRules& rules, std::uint32_t feature) {
    return std::find(rules.used_nominals.begin(), rules.used_nominals.end(), feature) !=
           rules.used_nominals.end();
}

// The cells of the branches that a candidate makes, with their codes.
std::vector<std::pair<std::uint32_t, Cell>> branch_cells(const Candidate& candidate,
                                                         const LeafStatistics& leaf,
                                                         const FeatureSpace& features) {
    const std::size_t width = cell_width(leaf.layout());
    std::vector<std::pair<std::uint32_t, Cell>> branches;
    const auto add = [&](Cell& to, const double* cell) {
        for (std::size_t i = 0; i < width; ++i) to[i] += cell[i];
    };
    if (candidate.kind == Candidate::Kind::new_value) return {{0, leaf.total()}};
    if (candidate.kind == Candidate::Kind::nominal) {
        for (const auto& [code, cell] : leaf.nominal(candidate.position).by_code(leaf.layout())) {
            branches.emplace_back(code, Cell{});
            add(branches.back().second, cell);
        }
        return branches;
    }
    const std::size_t offset = features.numeric_offsets()[candidate.position];
    const std::size_t n_boundaries = features.boundaries(candidate.feature).size();
    Cell left{}, right{};
    for (std::size_t bin = 0; bin <= n_boundaries; ++bin)
        add(bin <= candidate.boundary ? left : right, leaf.numeric_cell(offset + 1 + bin));
    add(candidate.missing_left ? left : right, leaf.numeric_cell(offset));
    return {{0, left}, {1, right}};
}

}  // namespace

void SearchScratch::resize(std::size_t n) {
    if (bins.size() >= n) return;
    bins.resize(n);
    sums.resize(n);
    for (auto* column : {&left_w, &left_g, &left_h, &right_w, &right_g, &right_h,
                         &scores_missing_left, &scores_missing_right})
        column->resize(n);
}

bool Candidate::beats(const Candidate& other) const {
    if (kind == Kind::none) return false;
    return other.kind == Kind::none || is_lower(score, other.score);
}

Candidate score_new_value(const LeafStatistics& leaf, const CellReader& reader,
                          const SearchRules& rules) {
    const Sums all = reader.sums(leaf.total().data());
    Candidate candidate;
    candidate.kind = Candidate::Kind::new_value;
    candidate.score = share(all, Lambda(rules)) / all.w;
    candidate.branches = 1;
    return candidate;
}

Candidate best_boundary(const LeafStatistics& leaf, const FeatureSpace& features,
                        const CellReader& reader, const SearchRules& rules, std::size_t position,
                        SearchScratch& s) {
    Candidate best;
    const std::uint32_t feature = features.numeric()[position];
    const std::size_t n_boundaries = features.boundaries(feature).size();
    if (rules.max_branches < 2 || n_boundaries == 0) return best;
    const double* cells = leaf.numeric_cell(features.numeric_offsets()[position]);
    const double* of_bins = cells + cell_width(reader.layout());  // the first cell is for missing
    const Sums missing = reader.sums(cells);
    const bool some_missing = missing.w > 0.0;
    s.resize(n_boundaries + 1);
    std::size_t n = 0;
    switch (reader.layout()) {
        case Layout::class_counts:
            n = gather_bins<Layout::class_counts>(of_bins, reader, n_boundaries + 1, some_missing,
                                                  s);
            break;
        case Layout::constant_hessian:
            n = gather_bins<Layout::constant_hessian>(of_bins, reader, n_boundaries + 1,
                                                      some_missing, s);
            break;
        case Layout::moments:
            n = gather_bins<Layout::moments>(of_bins, reader, n_boundaries + 1, some_missing, s);
            break;
    }
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
    if (some_missing) {
        terms.extra_left = {};
        terms.extra_right = missing;
        score_all(s.scores_missing_right);
    }

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
    if (lowest == kInfinity) return best;
    // Where no row is missing the default way is that of the greater weight.
    if (!some_missing) missing_left = s.left_w[chosen] >= s.right_w[chosen];
    best = {Candidate::Kind::numeric, lowest, feature, position, s.bins[chosen], missing_left, 2};
    return best;
}

Candidate score_nominal(const LeafStatistics& leaf, const FeatureSpace& features,
                        const CellReader& reader, const SearchRules& rules, std::size_t position) {
    Candidate candidate;
    const std::uint32_t feature = features.nominal()[position];
    if (rules.max_branches < 2 || is_used(rules, feature)) return candidate;
    const Lambda lambda(rules);
    double change = 0.0;
    std::size_t n = 0;
    leaf.nominal(position).for_each(leaf.layout(), [&](std::uint32_t, const double* cell) {
        change += share(reader.sums(cell), lambda);
        ++n;
    });
    if (n < 2 || n > rules.max_branches) return candidate;
    candidate.kind = Candidate::Kind::nominal;
    candidate.feature = feature;
    candidate.position = position;
    candidate.branches = n;
    candidate.score = change / leaf.weight() + penalty(leaf, rules, n);
    return candidate;
}

Change examine(const Candidate& candidate, const LeafStatistics& leaf, const FeatureSpace& features,
               const CellReader& reader, const SearchRules& rules) {
    Change result;
    result.candidate = candidate;
    const Lambda lambda(rules);
    std::vector<LossChange> changes;
    double mean = 0.0;
    for (const auto& [code, cell] : branch_cells(candidate, leaf, features)) {
        const double v = newton_step(reader.sums(cell.data()), lambda);
        const LossChange change = reader.change(cell.data(), v);
        result.branches.push_back({code, change.w, v, reader.energy(cell.data())});
        changes.push_back(change);
        mean += change.w * change.mean;
    }
    result.gain = -mean;
    mean /= leaf.weight();
    double m2 = 0.0;  // within the branches and between them
    for (const LossChange& c : changes) m2 += c.m2 + c.w * (c.mean - mean) * (c.mean - mean);

    const double n = leaf.effective_rows();
    const bool splits = candidate.kind != Candidate::Kind::new_value;
    result.mean = mean + (splits ? penalty(leaf, rules, candidate.branches) : 0.0);
    if (!(n > 1.0) || !(result.mean < 0.0)) return result;
    result.variance = m2 / leaf.weight() * (n / (n - 1.0));
    if (result.variance <= kNoVariance * result.mean * result.mean) {
        result.passes = true;
    } else {
        const double t = result.mean / std::sqrt(result.variance / n);
        result.passes = student_t_two_sided(t, n - 1.0) < rules.delta;
    }
    return result;
}

Change choose_change(const std::vector<Candidate>& of_feature, const LeafStatistics& leaf,
                     const FeatureSpace& features, const CellReader& reader,
                     const SearchRules& rules) {
    Candidate best = score_new_value(leaf, reader, rules);
    for (const Candidate& candidate : of_feature)
        if (candidate.beats(best)) best = candidate;
    return examine(best, leaf, features, reader, rules);
}

}  // namespace sgt
