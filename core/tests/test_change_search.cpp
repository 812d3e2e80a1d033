#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "check.hpp"
#include "leaves.hpp"
#include "sgt/loss/loss.hpp"
#include "sgt/split/change_search.hpp"
#include "sgt/split/nominal_search.hpp"
#include "sgt/split/student_t.hpp"

using namespace sgt;
using leaves::Row;
using streams::Random;
using Kind = Candidate::Kind;

namespace {

using Exact = long double;

// All candidates of a leaf, and the one that is chosen.
struct Search {
    FeatureSpace features;
    std::vector<Row> rows;
    Layout layout;
    std::vector<double> raw = {0.0};  // where classes are counted: the leaf's value

    CellReader reader(const LeafStatistics& leaf) const {
        if (layout == Layout::class_counts) return BinaryLogLoss::reader(raw[0]);
        if (layout.kind == CellKind::softmax_counts) return leaves::softmax_reader(raw);
        return CellReader::shifted(layout, leaf.references());
    }
    Candidate candidate(std::size_t feature, const SearchRules& rules) const {
        const LeafStatistics leaf = leaves::filled(rows, features, layout);
        return candidate_in(leaf, feature, rules);
    }
    Candidate candidate_in(const LeafStatistics& leaf, std::size_t feature,
                           const SearchRules& rules) const {
        SearchScratch scratch;
        const CellReader of_leaf = reader(leaf);
        const BranchScoring scoring(of_leaf, rules, leaf.total());
        scratch.begin(leaf, features, scoring);
        for (std::size_t i = 0; i < features.numeric().size(); ++i)
            if (features.numeric()[i] == feature)
                return best_boundary(leaf, features, scoring, i,
                                     std::numeric_limits<double>::infinity(), scratch);
        for (std::size_t i = 0; i < features.nominal().size(); ++i)
            if (features.nominal()[i] == feature)
                return score_nominal(leaf, features, scoring, i, scratch);
        return {};
    }
    Change change(const SearchRules& rules) const {
        const LeafStatistics leaf = leaves::filled(rows, features, layout);
        std::vector<Candidate> of_feature;
        for (std::size_t f = 0; f < features.size(); ++f)
            of_feature.push_back(candidate_in(leaf, f, rules));
        const CellReader of_leaf = reader(leaf);
        const BranchScoring scoring(of_leaf, rules, leaf.total());
        return examine(best_candidate(of_feature, leaf, scoring), leaf, features, scoring);
    }
    // The same of a leaf whose rows wait, by a look with borrowed cells; nothing where it does not
    // borrow any.
    std::optional<Change> change_by_look(const SearchRules& rules, FlushScratch& scratch) const {
        LeafStatistics leaf(layout, true, 1'000'000);
        const std::size_t buffer_rows = rows.size() + 1;
        for (const Row& row : rows) leaves::append(leaf, row, features.width(), buffer_rows);
        LeafStatistics::Look look(leaf, features, scratch, buffer_rows);
        if (!look.borrows()) return {};
        leaf.sum_up(scratch);
        leaf.flush_summed(features, scratch);
        std::vector<Candidate> of_feature(features.size());
        for (std::uint32_t f = 0; f < features.size(); ++f)
            if (leaf.gathers_cells_of(f)) of_feature[f] = candidate_in(leaf, f, rules);
        const CellReader of_leaf = reader(leaf);
        const BranchScoring scoring(of_leaf, rules, leaf.total());
        const Candidate best = best_candidate(of_feature, leaf, scoring);
        if (best.kind == Kind::numeric) look.complete_numeric(best.position, features);
        if (best.kind == Kind::nominal) look.complete_nominal(best.position, features);
        return examine(best, leaf, features, scoring);
    }
};

SearchRules rules_of(double lambda, double gamma, double delta = 1e-7, bool per_row = true) {
    Options options;
    options.reg_lambda = lambda;
    options.gamma = gamma;
    options.delta = delta;
    options.lambda_per_row = per_row;
    return SearchRules(options);
}

// --- the contract, row by row in extended precision -------------------------------------------

struct Expected {
    Kind kind = Kind::none;
    std::size_t feature = 0;
    std::uint32_t boundary = 0;
    bool missing_left = true;
    Exact score = 0;
    std::vector<std::uint32_t> codes;  // of the branches
    std::vector<std::vector<std::size_t>> branches;
};

class BruteForce {
public:
    BruteForce(const Search& search, const SearchRules& rules) : search_(search), rules_(rules) {
        for (const Row& row : search.rows) {
            w_.push_back(row.evidence.w);
            g_.emplace_back();
            h_.emplace_back();
            for (std::size_t k = 0; k < search.layout.outputs; ++k) add_derivatives(row, k);
            weight_ += w_.back();
            squares_ += w_.back() * w_.back();
        }
        n_ = weight_ * weight_ / squares_;
    }

    Exact step(const std::vector<std::size_t>& rows, std::size_t k) const {
        Exact w = 0, g = 0, h = 0;
        for (const std::size_t r : rows) {
            w += w_[r];
            g += w_[r] * g_[r][k];
            h += w_[r] * h_[r][k];
        }
        const Exact below = h + Exact{rules_.reg_lambda} * (rules_.lambda_per_row ? w : 1);
        return below > 0 ? -g / below : 0;
    }
    Exact mean(const Expected& c) const {
        Exact sum = 0;
        for (const std::vector<Exact>& changes : changes_of(c)) sum += weighted_sum(changes);
        const Exact branches =
            c.kind == Kind::new_value ? 0 : static_cast<Exact>(c.branches.size());
        return sum / weight_ + Exact{rules_.gamma} * branches / n_;
    }
    // Classes: of a row's whole change. Otherwise the outputs' changes are taken as independent.
    Exact variance(const Expected& c) const {
        std::vector<std::vector<Exact>> changes = changes_of(c);
        if (search_.layout.counts_classes()) {
            for (std::size_t k = 1; k < changes.size(); ++k)
                for (std::size_t r = 0; r < w_.size(); ++r) changes[0][r] += changes[k][r];
            changes.resize(1);
        }
        Exact m2 = 0;
        for (const std::vector<Exact>& of_output : changes) {
            const Exact centre = weighted_sum(of_output) / weight_;
            for (std::size_t r = 0; r < w_.size(); ++r)
                m2 += w_[r] * (of_output[r] - centre) * (of_output[r] - centre);
        }
        return m2 / weight_ * n_ / (n_ - 1);
    }
    Exact n() const {
        return n_;
    }

    Expected best() const {
        Expected best;
        best.kind = Kind::new_value;
        best.codes = {0};
        best.branches.emplace_back();
        for (std::size_t r = 0; r < w_.size(); ++r) best.branches[0].push_back(r);
        best.score = mean(best);
        for (std::size_t f = 0; f < search_.features.size(); ++f) {
            const Expected of_feature = search_.features.is_nominal(f) ? nominal(f) : numeric(f);
            if (of_feature.kind != Kind::none && is_lower(of_feature.score, best.score))
                best = of_feature;
        }
        return best;
    }

private:
    void add_derivatives(const Row& row, std::size_t k) {
        if (!search_.layout.counts_classes()) {
            g_.back().push_back(row.record()[place_of_g(k)]);
            h_.back().push_back(row.record()[place_of_h(k)]);
            return;
        }
        if (search_.layout == Layout::class_counts) {
            const Exact p = 1 / (1 + std::exp(-Exact{search_.raw[0]}));
            g_.back().push_back(row.evidence.g == 1.0 ? p - 1 : p);
            h_.back().push_back(p * (1 - p));
            return;
        }
        const auto n = static_cast<Exact>(search_.layout.outputs);
        Exact sum = 0;
        for (const double f : search_.raw) sum += std::exp(Exact{f});
        const Exact p = std::exp(Exact{search_.raw[k]}) / sum;
        g_.back().push_back(row.evidence.g == static_cast<double>(k) ? p - 1 : p);
        h_.back().push_back(n / (n - 1) * p * (1 - p));
    }
    // Of each output, each row's change in loss.
    std::vector<std::vector<Exact>> changes_of(const Expected& c) const {
        std::vector<std::vector<Exact>> changes;
        for (std::size_t k = 0; k < search_.layout.outputs; ++k) {
            std::vector<Exact>& of_rows = changes.emplace_back(w_.size(), 0);
            for (const auto& rows : c.branches) {
                const Exact v = step(rows, k);
                for (const std::size_t r : rows) of_rows[r] = g_[r][k] * v + h_[r][k] * v * v / 2;
            }
        }
        return changes;
    }
    Exact weighted_sum(const std::vector<Exact>& of_rows) const {
        Exact sum = 0;
        for (std::size_t r = 0; r < w_.size(); ++r) sum += w_[r] * of_rows[r];
        return sum;
    }
    static bool is_lower(Exact later, Exact best) {
        return later < best - 1e-12L * std::max(std::fabs(later), std::fabs(best));
    }
    Expected nominal(std::size_t f) const {
        Expected c;
        std::map<std::uint32_t, std::vector<std::size_t>> rows;
        for (std::size_t r = 0; r < w_.size(); ++r) rows[search_.rows[r].codes[f]].push_back(r);
        const auto& used = rules_.used_nominals;
        if (rows.size() < 2 || rows.size() > rules_.max_branches ||
            std::find(used.begin(), used.end(), f) != used.end())
            return c;
        c.kind = Kind::nominal;
        c.feature = f;
        for (const auto& [code, of_code] : rows) {
            c.codes.push_back(code);
            c.branches.push_back(of_code);
        }
        c.score = mean(c);
        return c;
    }
    Expected numeric(std::size_t f) const {
        Expected best;
        if (rules_.max_branches < 2) return best;
        bool some_missing = false;
        for (const Row& row : search_.rows) some_missing |= row.codes[f] == 0;
        for (std::uint32_t b = 0; b < search_.features.boundaries(f).size(); ++b)
            for (const bool missing_left : {true, false}) {
                if (!missing_left && !some_missing) continue;
                Expected c;
                c.kind = Kind::numeric;
                c.feature = f;
                c.boundary = b;
                c.missing_left = missing_left;
                c.codes = {0, 1};
                c.branches.resize(2);
                Exact left = 0, right = 0;
                for (std::size_t r = 0; r < w_.size(); ++r) {
                    const std::uint32_t code = search_.rows[r].codes[f];
                    const bool is_left = code == 0 ? missing_left : code - 1 <= b;
                    c.branches[is_left ? 0 : 1].push_back(r);
                    (is_left ? left : right) += w_[r];
                }
                if (c.branches[0].empty() || c.branches[1].empty()) continue;
                if (!some_missing) c.missing_left = left >= right;
                c.score = mean(c);
                if (best.kind == Kind::none || is_lower(c.score, best.score)) best = c;
            }
        return best;
    }

    const Search& search_;
    const SearchRules& rules_;
    std::vector<Exact> w_;
    std::vector<std::vector<Exact>> g_, h_;  // by row, then by output
    Exact weight_ = 0, squares_ = 0, n_ = 0;
};

void check_against_brute_force(const Search& search, const SearchRules& rules) {
    const BruteForce brute(search, rules);
    const Expected expected = brute.best();
    const Change change = search.change(rules);
    const Candidate& chosen = change.candidate;
    CHECK(chosen.kind == expected.kind);
    CHECK(chosen.feature == expected.feature || expected.kind == Kind::new_value);
    if (chosen.kind != expected.kind) return;
    if (chosen.kind == Kind::numeric) {
        CHECK(chosen.boundary == expected.boundary);
        CHECK(chosen.missing_left == expected.missing_left);
    }
    CHECK_CLOSE(chosen.score, static_cast<double>(expected.score), 1e-11);
    CHECK_CLOSE(change.mean, static_cast<double>(expected.score), 1e-11);
    CHECK(change.branches.size() == expected.branches.size());
    if (change.branches.size() != expected.branches.size()) return;
    for (std::size_t j = 0; j < change.branches.size(); ++j) {
        CHECK(change.branches[j].code == expected.codes[j]);
        const std::vector<double>& steps = change.branches[j].steps;
        CHECK(steps.size() == search.layout.outputs);
        for (std::size_t k = 0; k < steps.size(); ++k)
            CHECK_CLOSE(steps[k], static_cast<double>(brute.step(expected.branches[j], k)), 1e-11);
    }
    if (!(change.mean < 0.0) || !(brute.n() > 1)) {
        CHECK(!change.passes);
        return;
    }
    const auto variance = static_cast<double>(brute.variance(expected));
    CHECK_CLOSE(change.variance, variance, 1e-10);
    const auto mean = static_cast<double>(expected.score), n = static_cast<double>(brute.n());
    if (variance <= 1e-12 * mean * mean) {
        CHECK(change.passes);
        return;
    }
    const double p = student_t_two_sided(mean / std::sqrt(variance / n), n - 1);
    const double delta = rules.delta.level();
    if (std::fabs(p / delta - 1.0) > 1e-6) CHECK(change.passes == (p < delta));
}

Row row(std::vector<std::uint32_t> codes, double g, double h = 1.0, double w = 1.0) {
    return {std::move(codes), {w, g, h}, {}};
}

// To the last bit.
bool same(const Change& a, const Change& b) {
    const Candidate &c = a.candidate, &d = b.candidate;
    if (c.kind != d.kind || c.score != d.score || c.feature != d.feature ||
        c.boundary != d.boundary || c.missing_left != d.missing_left || a.passes != b.passes ||
        a.mean != b.mean || a.variance != b.variance || a.branches.size() != b.branches.size())
        return false;
    for (std::size_t i = 0; i < a.branches.size(); ++i)
        if (a.branches[i].code != b.branches[i].code || a.branches[i].steps != b.branches[i].steps)
            return false;
    return true;
}

// Random leaves, of layouts that `draw_layout` draws.
template <class DrawLayout>
void check_random_leaves(std::uint64_t seed, int rounds, DrawLayout draw_layout) {
    Random random(seed);
    std::map<Kind, int> kinds;
    int passed = 0, looks = 0;
    FlushScratch scratch;
    for (int round = 0; round < rounds; ++round) {
        std::vector<std::size_t> bins;
        const std::size_t d = 1 + random.below(4);
        for (std::size_t f = 0; f < d; ++f)
            bins.push_back(random.chance(0.3) ? 0 : 1 + random.below(9));
        const Layout layout = draw_layout(random);
        Search search{leaves::space(bins), {}, layout, {}};
        for (std::size_t k = 0; k < layout.outputs; ++k)
            search.raw.push_back(random.between(-1.0, 1.0));
        const double missing = random.chance(0.5) ? 0.0 : random.between(0.0, 0.6);
        const bool weighted = random.chance(0.4);
        const std::size_t n = 2 + random.below(random.chance(0.3) ? 6 : 150);
        for (std::size_t r = 0; r < n; ++r)
            search.rows.push_back(leaves::random_row(search.features, layout, missing, weighted,
                                                     1 + random.below(25), random));
        SearchRules rules = rules_of(random.chance(0.2) ? 0.0 : random.between(0.0, 1.0),
                                     random.chance(0.3) ? 0.0 : random.between(0.0, 1.0),
                                     random.chance(0.5) ? 0.05 : 1e-7, random.chance(0.7));
        if (random.chance(0.3)) rules.max_branches = random.below(6);
        if (random.chance(0.3)) rules.used_nominals = {static_cast<std::uint32_t>(random.below(d))};
        check_against_brute_force(search, rules);
        const Change change = search.change(rules);
        ++kinds[change.candidate.kind];
        if (const auto by_look = search.change_by_look(rules, scratch)) {
            CHECK(same(*by_look, change));
            ++looks;
        }
        passed += change.passes ? 1 : 0;
    }
    // All kinds were among them.
    CHECK(kinds[Kind::new_value] > 100 && kinds[Kind::numeric] > 100 && kinds[Kind::nominal] > 50);
    CHECK(passed > 100 && passed < rounds - 100);
    CHECK(looks > 50);
}

}  // namespace

TEST(sums_on_both_sides_of_boundaries_are_those_from_either_end) {
    Random random(20);
    for (const std::size_t width : {4U, 6U})
        for (std::size_t n = 1; n < 40; ++n) {
            std::vector<double> cells(n * width, 0.0);
            for (std::size_t bin = 0; bin < n; ++bin)
                for (std::size_t i = 0; i < width && random.chance(0.7); ++i)
                    cells[bin * width + i] = random.between(i == 0 ? 0.0 : -1.0, 1.0);
            BoundarySums sums;
            sums.sum_all_bins(cells.data(), width, n);
            Sums left;
            for (std::size_t k = 0; k < n; ++k) {
                const double* cell = cells.data() + k * width;
                left += {cell[0], cell[1], cell[2]};
                Sums right;
                for (std::size_t bin = n; --bin > k;) {
                    const double* above = cells.data() + bin * width;
                    right += {above[0], above[1], above[2]};
                }
                CHECK(sums.bins[k] == k);
                CHECK(sums.left_w[k] == left.w && sums.left_g[k] == left.g);
                CHECK(sums.left_h[k] == left.h && sums.right_w[k] == right.w);
                CHECK(sums.right_g[k] == right.g && sums.right_h[k] == right.h);
            }
        }
}

TEST(the_chosen_change_is_that_of_a_brute_force_over_all_rows_and_candidates) {
    check_random_leaves(
        1, 1500, [](Random& random) { return Layout{static_cast<CellKind>(random.below(3))}; });
}

TEST(the_chosen_change_of_several_outputs_is_that_of_a_brute_force) {
    check_random_leaves(2, 1000, [](Random& random) {
        return Layout{random.chance(0.5) ? CellKind::moments : CellKind::constant_hessian,
                      static_cast<std::uint32_t>(2 + random.below(4))};
    });
}

TEST(the_chosen_change_of_many_classes_is_that_of_a_brute_force) {
    check_random_leaves(3, 1000, [](Random& random) {
        return Layout{CellKind::softmax_counts, static_cast<std::uint32_t>(2 + random.below(6))};
    });
}

TEST(outputs_that_pull_apart_are_split_together) {
    // Each output falls by 1/2 in the mean, whatever its sign; gamma is charged once a branch.
    Search search{leaves::space({4}), {}, {CellKind::constant_hessian, 2}};
    for (int i = 0; i < 20; ++i) {
        search.rows.push_back({{2}, {1.0, 1.0, 1.0}, {-1.0, 1.0}});
        search.rows.push_back({{3}, {1.0, -1.0, 1.0}, {1.0, 1.0}});
    }
    const Change change = search.change(rules_of(0.0, 1.0));
    CHECK(change.passes && change.candidate.boundary == 1);
    CHECK(change.branches[0].steps == std::vector<double>({-1.0, 1.0}));
    CHECK(change.branches[1].steps == std::vector<double>({1.0, -1.0}));
    CHECK_CLOSE(change.mean, -1.0 + 2.0 / 40.0, 1e-15);
    CHECK_CLOSE(change.gain, 40.0, 1e-14);
}

TEST(a_leaf_of_one_class_takes_a_new_value_and_needs_no_test) {
    Search search{leaves::space({4, 0}), {}, {CellKind::softmax_counts, 3}, {0.0, 0.0, 0.0}};
    for (std::uint32_t i = 0; i < 20; ++i) search.rows.push_back(row({1 + i % 4, 1 + i % 2}, 1.0));
    const Change change = search.change(rules_of(0.1, 0.0, 1e-300));
    CHECK(change.candidate.kind == Kind::new_value && change.passes);
    CHECK(change.variance <= 1e-12 * change.mean * change.mean);
    // G = n / 3 and -2 n / 3, H = n 3 / 2 * 2 / 9
    const double below = 1.0 / 3.0 + 0.1;
    CHECK_CLOSE(change.branches[0].steps[0], -1.0 / 3.0 / below, 1e-14);
    CHECK_CLOSE(change.branches[0].steps[1], 2.0 / 3.0 / below, 1e-14);
    // Nearly sure of that class already, with weights: the step is tiny, and so is the mean.
    Random random(9);
    for (Row& r : search.rows) r.evidence.w = random.between(0.1, 5.0);
    for (const double sure : {10.0, 25.0, 60.0}) {
        search.raw = {0.0, sure, -1.0};
        const Change tiny = search.change(rules_of(0.01, 0.0, 1e-300));
        CHECK(tiny.candidate.kind == Kind::new_value && tiny.passes);
        CHECK(tiny.branches[0].steps[1] > 0.0 && tiny.branches[0].steps[1] < 0.01);
    }
}

TEST(two_clear_halves_are_split_between_them) {
    Search search{leaves::space({4}), {}, Layout::constant_hessian};
    for (int i = 0; i < 20; ++i) {
        search.rows.push_back(row({2}, 1.0));
        search.rows.push_back(row({3}, -3.0));
    }
    const Change change = search.change(rules_of(0.0, 0.0));
    CHECK(change.passes);
    CHECK(change.candidate.kind == Kind::numeric && change.candidate.boundary == 1);
    CHECK_CLOSE(change.branches[0].steps[0], -1.0, 1e-15);
    CHECK_CLOSE(change.branches[1].steps[0], 3.0, 1e-15);
    CHECK_CLOSE(change.mean, -2.5, 1e-15);
    CHECK_CLOSE(change.gain, 100.0, 1e-13);
    CHECK(change.branches[0].weight == 20.0 && change.branches[1].weight == 20.0);
    // Lambda for each row halves the steps; as a sum it hardly matters.
    CHECK_CLOSE(search.change(rules_of(1.0, 0.0)).branches[1].steps[0], 1.5, 1e-15);
    CHECK_CLOSE(search.change(rules_of(1.0, 0.0, 1e-7, false)).branches[1].steps[0], 60.0 / 21.0,
                1e-15);
}

TEST(gamma_is_charged_for_each_branch_of_a_split_and_not_for_a_new_value) {
    Search search{leaves::space({2}), {}, Layout::constant_hessian};
    for (int i = 0; i < 10; ++i) {
        search.rows.push_back(row({1}, 1.0));
        search.rows.push_back(row({2}, 3.0));
    }
    // Means: split -2.5, new value -2.
    CHECK_CLOSE(search.change(rules_of(0.0, 1.0)).mean, -2.5 + 2.0 / 20.0, 1e-14);
    CHECK(search.change(rules_of(0.0, 4.9)).candidate.kind == Kind::numeric);
    CHECK(search.change(rules_of(0.0, 5.1)).candidate.kind == Kind::new_value);
    CHECK_CLOSE(search.change(rules_of(0.0, 5.1)).mean, -2.0, 1e-14);
}

TEST(with_many_outputs_branches_beyond_the_second_cost_more) {
    Search search{leaves::space({0, 2}), {}, {CellKind::softmax_counts, 8}, std::vector(8, 0.0)};
    for (std::uint32_t i = 0; i < 60; ++i)
        search.rows.push_back(row({1 + i % 5, 1 + i % 2}, 1.0 * (i % 5)));
    const double n = 60.0;
    const double free = search.change(rules_of(0.1, 0.0)).mean;
    SearchRules rules = rules_of(0.1, 0.5);
    CHECK_CLOSE(search.change(rules).mean, free + 0.5 * 5.0 / n, 1e-14);
    rules.charge_for(2);  // as one output
    CHECK_CLOSE(search.change(rules).mean, free + 0.5 * 5.0 / n, 1e-14);
    rules.charge_for(8);
    const Change change = search.change(rules);
    CHECK(change.candidate.kind == Kind::nominal && change.candidate.branches == 5);
    CHECK_CLOSE(change.mean, free + 0.5 * (2.0 + 2.0 * 3.0) / n, 1e-14);
    CHECK_CLOSE(change.candidate.score, change.mean, 1e-14);
}

TEST(a_new_value_wins_a_tie_against_a_split) {
    Search search{leaves::space({3, 0}), {}, Layout::moments};
    for (std::uint32_t i = 0; i < 12; ++i)
        search.rows.push_back(row({1 + i % 3, 1 + i % 2}, 2.0, 0.5));
    const Change change = search.change(rules_of(0.1, 0.0));
    CHECK(change.candidate.kind == Kind::new_value);
    CHECK(change.passes);  // no variance at all
}

TEST(of_equal_features_the_first_is_chosen_and_of_equal_boundaries_the_lowest) {
    Search search{leaves::space({8, 8, 0, 8}), {}, Layout::constant_hessian};
    for (int i = 0; i < 30; ++i) {
        search.rows.push_back(row({2, 2, 1, 2}, 1.0));
        search.rows.push_back(row({7, 7, 2, 7}, -1.0));
    }
    const Change change = search.change(rules_of(0.1, 0.5));
    CHECK(change.candidate.feature == 0);
    CHECK(change.candidate.boundary == 1);  // 1 .. 5 part the same rows
    // The same with the nominal feature first.
    Search nominal{leaves::space({0, 8}), {}, Layout::constant_hessian};
    for (int i = 0; i < 30; ++i) {
        nominal.rows.push_back(row({1, 2}, 1.0));
        nominal.rows.push_back(row({2, 7}, -1.0));
    }
    CHECK(nominal.change(rules_of(0.1, 0.5)).candidate.kind == Kind::nominal);
}

TEST(missing_rows_go_where_the_loss_falls_most) {
    for (const double sign : {1.0, -1.0}) {
        Search search{leaves::space({6}), {}, Layout::constant_hessian};
        for (int i = 0; i < 20; ++i) {
            search.rows.push_back(row({2}, sign));
            search.rows.push_back(row({5}, -sign));
            search.rows.push_back(row({0}, 1.1));
        }
        const Change change = search.change(rules_of(0.0, 0.1));
        CHECK(change.candidate.kind == Kind::numeric);
        CHECK(change.candidate.boundary == 1);
        CHECK(change.candidate.missing_left == (sign > 0));
        CHECK(change.branches[sign > 0 ? 0 : 1].weight == 40.0);
    }
}

TEST(missing_left_wins_a_tie_against_missing_right) {
    Search search{leaves::space({4}), {}, Layout::constant_hessian};
    for (int i = 0; i < 20; ++i) {
        search.rows.push_back(row({2}, 1.0));
        search.rows.push_back(row({3}, -1.0));
    }
    search.rows.push_back(row({0}, 0.25));
    search.rows.push_back(row({0}, -0.25));
    const Change change = search.change(rules_of(0.1, 0.1));
    CHECK(change.candidate.boundary == 1);
    CHECK(change.candidate.missing_left);
}

TEST(a_boundary_may_part_the_missing_rows_from_all_others) {
    // All values above the first boundary: missing alone on the left.
    Search above{leaves::space({4}), {}, Layout::constant_hessian};
    // All values below the last: missing left and right of all of them would do; only right can.
    Search below{leaves::space({4}), {}, Layout::constant_hessian};
    // Values in both end bins: missing cannot be alone.
    Search both{leaves::space({4}), {}, Layout::constant_hessian};
    for (int i = 0; i < 20; ++i) {
        for (Search* search : {&above, &below, &both}) search->rows.push_back(row({0}, -2.0));
        above.rows.push_back(row({3}, 1.0));
        above.rows.push_back(row({4}, 1.0));
        below.rows.push_back(row({1}, 1.0));
        below.rows.push_back(row({2}, 1.0));
        both.rows.push_back(row({1}, 1.0));
        both.rows.push_back(row({4}, 1.0));
    }
    const SearchRules rules = rules_of(0.0, 0.1);
    const Change left = above.change(rules), right = below.change(rules);
    CHECK(left.candidate.boundary == 0 && left.candidate.missing_left);
    CHECK(left.branches[0].weight == 20.0 && left.branches[1].weight == 40.0);
    CHECK_CLOSE(left.branches[0].steps[0], 2.0, 1e-15);
    CHECK(right.candidate.boundary == 1 && !right.candidate.missing_left);
    CHECK(right.branches[0].weight == 40.0 && right.branches[1].weight == 20.0);
    CHECK_CLOSE(right.branches[1].steps[0], 2.0, 1e-15);
    for (const Search* search : {&above, &below, &both}) check_against_brute_force(*search, rules);
}

TEST(where_all_rows_are_missing_there_is_no_split) {
    Search search{leaves::space({4}), {}, Layout::constant_hessian};
    for (int i = 0; i < 20; ++i) search.rows.push_back(row({0}, i % 2 == 0 ? 1.0 : -1.0));
    CHECK(search.candidate(0, rules_of(0.0, 0.0)).kind == Kind::none);
}

TEST(where_none_is_missing_the_default_way_is_that_of_the_greater_weight) {
    for (const double weight : {0.5, 1.0, 2.0}) {
        Search search{leaves::space({4}), {}, Layout::constant_hessian};
        for (int i = 0; i < 20; ++i) {
            search.rows.push_back(row({2}, 1.0, 1.0, weight));
            search.rows.push_back(row({3}, -1.0));
        }
        CHECK(search.candidate(0, rules_of(0.0, 0.1)).missing_left == (weight >= 1.0));
    }
}

TEST(a_feature_without_a_boundary_between_its_rows_is_no_candidate) {
    Search search{leaves::space({1, 4, 0}), {}, Layout::constant_hessian};
    for (int i = 0; i < 20; ++i) search.rows.push_back(row({1, 3, 2}, i % 2 == 0 ? 1.0 : -1.0));
    for (std::size_t f = 0; f < 3; ++f)
        CHECK(search.candidate(f, rules_of(0.0, 0.0)).kind == Kind::none);
}

TEST(a_nominal_split_has_one_branch_for_each_category_in_order_and_one_for_missing) {
    Search search{leaves::space({0}), {}, Layout::constant_hessian};
    for (int i = 0; i < 20; ++i) {
        search.rows.push_back(row({300}, 1.0));
        search.rows.push_back(row({7}, -1.0));
        search.rows.push_back(row({0}, 3.0));
    }
    search.features.admit_category(300);
    const Change change = search.change(rules_of(0.0, 0.1));
    CHECK(change.candidate.kind == Kind::nominal);
    CHECK(change.branches.size() == 3);
    CHECK(change.branches[0].code == 0 && change.branches[1].code == 7 &&
          change.branches[2].code == 300);
    CHECK_CLOSE(change.branches[0].steps[0], -3.0, 1e-15);
    CHECK_CLOSE(change.mean, -11.0 / 6.0 + 0.3 / 60.0, 1e-14);
}

TEST(a_category_and_missing_are_enough_for_a_nominal_split) {
    Search search{leaves::space({0}), {}, Layout::constant_hessian};
    for (int i = 0; i < 20; ++i) {
        search.rows.push_back(row({0}, 1.0));
        search.rows.push_back(row({3}, -1.0));
    }
    CHECK(search.candidate(0, rules_of(0.0, 0.0)).branches == 2);
}

TEST(a_nominal_feature_used_above_the_leaf_is_no_candidate) {
    Search search{leaves::space({4, 0, 0}), {}, Layout::constant_hessian};
    for (int i = 0; i < 20; ++i) {
        search.rows.push_back(row({2, 1, 2}, 1.0));
        search.rows.push_back(row({2, 2, 5}, -1.0));
    }
    SearchRules rules = rules_of(0.0, 0.1);
    CHECK(search.change(rules).candidate.feature == 1);
    rules.used_nominals = {1};
    CHECK(search.change(rules).candidate.feature == 2);
    rules.used_nominals = {2, 1};
    CHECK(search.change(rules).candidate.kind == Kind::new_value);
}

TEST(a_split_into_more_branches_than_there_is_room_for_is_no_candidate) {
    Search search{leaves::space({4, 0}), {}, Layout::constant_hessian};
    for (std::uint32_t i = 0; i < 60; ++i)
        search.rows.push_back(
            row({1 + i % 2, 1 + i % 3}, static_cast<double>(i % 3) + 0.1 * (i % 2)));
    SearchRules rules = rules_of(0.0, 0.01);
    CHECK(search.change(rules).candidate.kind == Kind::nominal);
    rules.max_branches = 3;
    CHECK(search.change(rules).candidate.kind == Kind::nominal);
    rules.max_branches = 2;
    CHECK(search.candidate(1, rules).kind == Kind::none);
    CHECK(search.candidate(0, rules).kind == Kind::numeric);
    for (const std::size_t none : {0U, 1U}) {
        rules.max_branches = none;
        CHECK(search.candidate(0, rules).kind == Kind::none);
        CHECK(search.change(rules).candidate.kind == Kind::new_value);
    }
}

TEST(one_row_is_not_enough_for_a_test) {
    Search search{leaves::space({4}), {row({2}, 5.0)}, Layout::moments};
    CHECK(!search.change(rules_of(0.1, 0.0, 1.0)).passes);
    search.rows.push_back(row({2}, 5.0));
    CHECK(search.change(rules_of(0.1, 0.0, 1.0)).passes);
}

TEST(nothing_changes_where_the_gradients_cancel) {
    Search search{leaves::space({1}), {}, Layout::moments};
    for (int i = 0; i < 50; ++i) search.rows.push_back(row({1}, i % 2 == 0 ? 1.0 : -1.0, 0.5));
    const Change change = search.change(rules_of(0.1, 1.0, 1.0));
    CHECK(change.candidate.kind == Kind::new_value);
    CHECK(!change.passes);
}

TEST(where_curvature_and_lambda_are_0_the_step_is_0) {
    Search search{leaves::space({2}), {}, Layout::moments};
    for (std::uint32_t i = 0; i < 10; ++i) search.rows.push_back(row({1 + i % 2}, 1.0, 0.0));
    const Change change = search.change(rules_of(0.0, 0.0, 1.0));
    CHECK(change.branches[0].steps[0] == 0.0);
    CHECK(!change.passes);
}

TEST(no_split_wins_where_the_total_says_that_none_may) {
    Random random(31);
    int refused[5] = {};
    for (int round = 0; round < 700; ++round) {
        const Layout layouts[] = {{CellKind::moments, 2},
                                  Layout::moments,
                                  Layout::constant_hessian,
                                  Layout::class_counts,
                                  {CellKind::softmax_counts, 4}};
        const Layout layout = layouts[round % 5];
        Search search{leaves::space({6, 0}), {}, layout, std::vector(layout.outputs, 0.3)};
        const double scale = std::pow(10.0, -3.0 * random.uniform());
        for (int i = 0; i < 60; ++i) {
            Row r = leaves::random_row(search.features, layout, 0.1, round % 2 == 0, 4, random);
            if (!layout.counts_classes()) r.evidence.g *= scale;
            if (layout.outputs > 1 && !layout.counts_classes()) r.more[0] *= scale;
            search.rows.push_back(r);
        }
        const double gamma = (layout.counts_classes() ? 40.0 : 1.0) * random.uniform();
        const SearchRules rules = rules_of(0.1, gamma, 1.0);
        const LeafStatistics leaf = leaves::filled(search.rows, search.features, layout);
        const CellReader reader = search.reader(leaf);
        const BranchScoring scoring(reader, rules, leaf.total());
        if (a_split_may_win(leaf, scoring)) continue;
        ++refused[round % 5];
        CHECK(search.change(rules).candidate.kind == Kind::new_value);
    }
    for (const int n : refused) CHECK(n > 20 && n < 120);
}

TEST(classes_without_rows_in_a_leaf_change_no_share_but_by_rounding) {
    Random random(32);
    for (int round = 0; round < 200; ++round) {
        std::vector<double> raw(5), total(5, 0.0), cell(5, 0.0);
        for (double& score : raw) score = random.between(-4.0, 4.0);
        for (std::size_t k = 0; k < 5; ++k) {
            if (random.uniform() < 0.5) total[k] = random.between(1.0, 9.0);
            cell[k] = total[k] * random.uniform();
        }
        total[0] += 1.0;
        cell[0] += 1.0;
        const CellReader reader = leaves::softmax_reader(raw);
        const double lambda = round % 4 == 0 ? 0.0 : random.uniform();
        const SearchRules rules = rules_of(lambda, 0.5);
        const BranchScoring scoring(reader, rules, total);
        CHECK(scoring.counts_present_classes());
        const double w = cell_weight(reader.layout(), cell.data());
        double expected = 0.0;
        for (std::size_t k = 0; k < 5; ++k)
            expected += share(reader.sums(cell.data(), w, k), Lambda(rules));
        CHECK_CLOSE(scoring.share(cell.data()), expected, 1e-12);
    }
}

TEST(scaling_all_weights_changes_nothing) {
    Random random(8);
    for (int round = 0; round < 50; ++round) {
        Search search{leaves::space({6, 0}), {}, Layout::moments};
        for (int i = 0; i < 80; ++i)
            search.rows.push_back(
                leaves::random_row(search.features, Layout::moments, 0.1, true, 4, random));
        Search scaled = search;
        for (Row& r : scaled.rows) r.evidence.w *= 1024.0;
        const SearchRules rules = rules_of(0.1, 0.5, 0.05);
        const Change a = search.change(rules), b = scaled.change(rules);
        CHECK(a.candidate.kind == b.candidate.kind && a.candidate.feature == b.candidate.feature);
        CHECK(a.passes == b.passes && a.mean == b.mean && a.variance == b.variance);
    }
}

int main(int argc, char** argv) {
    return check::run(argc, argv);
}
