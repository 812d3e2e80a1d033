#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "check.hpp"
#include "leaves.hpp"
#include "sgt/leaf/cells.hpp"
#include "sgt/loss/loss.hpp"
#include "sgt/split/newton_step.hpp"
#include "streams.hpp"

using namespace sgt;
using streams::Random;

namespace {

using Exact = long double;

// The definition: each row's change in loss, one by one.
LossChange brute_force(const std::vector<Evidence>& rows, double v) {
    Exact w = 0, sum = 0, m2 = 0;
    const auto change = [&](const Evidence& e) {
        return Exact{v} * Exact{e.g} + Exact{v} * Exact{v} * Exact{e.h} / 2;
    };
    for (const Evidence& e : rows) {
        w += e.w;
        sum += e.w * change(e);
    }
    for (const Evidence& e : rows) m2 += e.w * (change(e) - sum / w) * (change(e) - sum / w);
    return {static_cast<double>(w), static_cast<double>(sum / w), static_cast<double>(m2)};
}

Cell cell_of(Layout layout, Reference reference, const std::vector<Evidence>& rows) {
    Cell cell{};
    for (const Evidence& e : rows) {
        Cell step{};
        auto kept = e.record();
        if (layout.kind == CellKind::constant_hessian) kept[1] = e.g;
        write_step(layout, &reference, kept.data(), step.data());
        add_step(layout, step.data(), cell.data());
    }
    return cell;
}

std::vector<Evidence> random_rows(Random& random, std::size_t n, double offset, bool weighted,
                                  bool constant_hessian) {
    std::vector<Evidence> rows;
    for (std::size_t i = 0; i < n; ++i)
        rows.push_back({weighted ? random.between(0.01, 5.0) : 1.0,
                        offset + random.between(-1.0, 1.0),
                        constant_hessian ? 1.0 : random.between(0.0, 1.0)});
    return rows;
}

bool is_near(double actual, double expected, double relative) {
    return std::fabs(actual - expected) <= relative * std::fabs(expected);
}

SearchRules rules_of(double lambda) {
    Options options;
    options.reg_lambda = lambda;
    return SearchRules(options);
}

void check_loss_change(Layout layout, bool constant_hessian, std::uint64_t seed) {
    Random random(seed);
    for (int round = 0; round < 300; ++round) {
        const auto rows =
            random_rows(random, 2 + random.below(50), 0.0, random.chance(0.5), constant_hessian);
        const Reference reference{rows[0].g, rows[0].h};
        const Cell cell = cell_of(layout, reference, rows);
        const double v = random.between(-3.0, 3.0);
        const LossChange expected = brute_force(rows, v);
        const LossChange actual = CellReader::shifted(layout, reference).change(cell.data(), v);
        CHECK_CLOSE(actual.w, expected.w, 1e-13);
        CHECK_CLOSE(actual.mean, expected.mean, 1e-13);
        CHECK_CLOSE(actual.m2, expected.m2, 1e-12);
    }
}

}  // namespace

TEST(the_loss_change_from_moments_is_that_of_the_rows_one_by_one) {
    check_loss_change(Layout::moments, false, 1);
}

TEST(the_loss_change_with_a_constant_hessian_is_that_of_the_rows_one_by_one) {
    check_loss_change(Layout::constant_hessian, true, 2);
}

TEST(large_gradients_of_small_spread_keep_the_digits_of_their_variance) {
    Random random(3);
    for (const bool constant_hessian : {false, true})
        for (const double offset : {1e6, -1e9, 1e11}) {
            const Layout layout = constant_hessian ? Layout::constant_hessian : Layout::moments;
            const auto rows = random_rows(random, 500, offset, true, constant_hessian);
            const Reference reference{rows[0].g, rows[0].h};
            const Cell cell = cell_of(layout, reference, rows);
            const CellReader reader = CellReader::shifted(layout, reference);
            const Sums sums = reader.sums(cell.data());
            const double v = 1e-3;
            const LossChange expected = brute_force(rows, v);
            const LossChange actual = reader.change(cell.data(), v);
            CHECK(is_near(sums.g, expected.w * offset, 1e-6));
            CHECK(is_near(actual.mean, expected.mean, 1e-12));
            // The sum of g is rounded at its own size; the squares about the reference are not.
            CHECK(is_near(actual.m2, expected.m2, std::fabs(offset) * 1e-13 + 1e-11));
        }
}

TEST(one_row_has_no_variance) {
    Random random(4);
    for (int round = 0; round < 50; ++round) {
        const std::vector<Evidence> rows = {
            {random.between(0.1, 9), random.between(-1e6, 1e6), random.between(0, 1)}};
        const Reference reference{rows[0].g, rows[0].h};
        const Cell cell = cell_of(Layout::moments, reference, rows);
        const double v = random.between(-2, 2);
        const LossChange change =
            CellReader::shifted(Layout::moments, reference).change(cell.data(), v);
        CHECK(change.m2 <= 1e-18 * change.mean * change.mean * change.w);
    }
}

TEST(an_empty_cell_changes_nothing) {
    const Cell empty{};
    for (const CellReader& reader :
         {CellReader::shifted(Layout::moments, {1.0, 2.0}),
          CellReader::shifted(Layout::constant_hessian, {1.0, 2.0}), BinaryLogLoss::reader(0.3)}) {
        const LossChange change = reader.change(empty.data(), 1.5);
        CHECK(change.w == 0.0 && change.mean == 0.0 && change.m2 == 0.0);
        CHECK(reader.energy(empty.data()) == 0.0);
    }
}

TEST(class_counts_and_moments_agree) {
    Random random(5);
    for (int round = 0; round < 500; ++round) {
        const double raw = random.between(-6.0, 6.0), v = random.between(-3.0, 3.0);
        const CellReader counts = BinaryLogLoss::reader(raw);
        const double p = BinaryLogLoss::probability(raw), q = BinaryLogLoss::probability(-raw);
        std::vector<Evidence> rows;
        Cell cell{};
        const std::size_t n = 2 + random.below(60);
        for (std::size_t i = 0; i < n; ++i) {
            const bool y = random.chance(0.4);
            const double w = random.chance(0.5) ? 1.0 : random.between(0.1, 4.0);
            rows.push_back({w, y ? -q : p, p * q});
            cell[y ? 1 : 0] += w;
        }
        const Reference reference{rows[0].g, rows[0].h};
        const Cell moments = cell_of(Layout::moments, reference, rows);
        const CellReader shifted = CellReader::shifted(Layout::moments, reference);
        const Sums a = counts.sums(cell.data()), b = shifted.sums(moments.data());
        CHECK_CLOSE(a.w, b.w, 1e-12);
        CHECK_CLOSE(a.g, b.g, 1e-12);
        CHECK_CLOSE(a.h, b.h, 1e-12);
        const LossChange c = counts.change(cell.data(), v), d = shifted.change(moments.data(), v);
        const LossChange expected = brute_force(rows, v);
        CHECK_CLOSE(c.mean, d.mean, 1e-12);
        CHECK_CLOSE(c.m2, d.m2, 1e-12);
        CHECK_CLOSE(c.mean, expected.mean, 1e-12);
        CHECK_CLOSE(c.m2, expected.m2, 1e-12);
        CHECK_CLOSE(counts.energy(cell.data()), shifted.energy(moments.data()), 1e-12);
        // Counts turned into moments are the moments of the rows.
        const Cell converted = counts.counts_as_moments(cell.data(), reference);
        for (std::size_t i = 0; i < kMaxCellWidth; ++i)
            CHECK_CLOSE(converted[i], moments[i], 1e-12);
    }
}

TEST(the_energy_is_the_weighted_sum_of_squared_gradients) {
    Random random(6);
    for (const Layout layout : {Layout::moments, Layout::constant_hessian}) {
        const auto rows = random_rows(random, 80, 0.7, true, layout == Layout::constant_hessian);
        const Reference reference{rows[0].g, rows[0].h};
        const Cell cell = cell_of(layout, reference, rows);
        double expected = 0.0;
        for (const Evidence& e : rows) expected += e.w * e.g * e.g;
        CHECK_CLOSE(CellReader::shifted(layout, reference).energy(cell.data()), expected, 1e-12);
    }
}

TEST(cells_of_disjoint_rows_add_up) {
    Random random(7);
    const auto rows = random_rows(random, 40, 0.0, true, false);
    const std::vector<Evidence> first(rows.begin(), rows.begin() + 15),
        second(rows.begin() + 15, rows.end());
    const Reference reference{rows[0].g, rows[0].h};
    const Cell all = cell_of(Layout::moments, reference, rows);
    const Cell a = cell_of(Layout::moments, reference, first);
    const Cell b = cell_of(Layout::moments, reference, second);
    for (std::size_t i = 0; i < kMaxCellWidth; ++i) CHECK_CLOSE(a[i] + b[i], all[i], 1e-13);
}

namespace {

// A row of a class, and its derivatives at a value, worked out from the definition.
struct OfClass {
    double w;
    std::size_t y;
    std::vector<Exact> g, h;
};

std::vector<OfClass> random_classes(Random& random, std::size_t n, const std::vector<double>& f,
                                    bool weighted) {
    const std::size_t classes = f.size();
    std::vector<Exact> powers;
    Exact sum = 0;
    for (const double score : f) sum += powers.emplace_back(std::exp(Exact{score}));
    const Exact inflation = static_cast<Exact>(classes) / static_cast<Exact>(classes - 1);
    std::vector<OfClass> rows;
    for (std::size_t i = 0; i < n; ++i) {
        OfClass row{weighted ? random.between(0.01, 5.0) : 1.0, random.below(classes), {}, {}};
        for (std::size_t k = 0; k < classes; ++k) {
            Exact others = 0;
            for (std::size_t j = 0; j < classes; ++j) others += j == k ? 0 : powers[j];
            row.g.push_back(row.y == k ? -others / sum : powers[k] / sum);
            row.h.push_back(inflation * powers[k] * others / sum / sum);
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

std::vector<double> counts_of(const std::vector<OfClass>& rows, std::size_t classes) {
    std::vector<double> cell(classes, 0.0);
    for (const OfClass& row : rows) {
        const double kept[] = {row.w, static_cast<double>(row.y)};
        double step[2] = {};
        const Layout layout{CellKind::softmax_counts, static_cast<std::uint32_t>(classes)};
        write_step(layout, nullptr, kept, step);
        add_step(layout, step, cell.data());
    }
    return cell;
}

}  // namespace

TEST(class_counts_of_a_vector_say_what_the_rows_say_one_by_one) {
    Random random(8);
    for (int round = 0; round < 400; ++round) {
        const std::size_t classes = 2 + random.below(7);
        std::vector<double> f, v;
        for (std::size_t k = 0; k < classes; ++k) {
            f.push_back(random.between(-4.0, 4.0));
            v.push_back(random.between(-3.0, 3.0));
        }
        const auto rows = random_classes(random, 1 + random.below(60), f, random.chance(0.5));
        const std::vector<double> cell = counts_of(rows, classes);
        const CellReader reader = leaves::softmax_reader(f);
        CHECK(cell_width(reader.layout()) == classes && reader.n_changes() == 1);
        Exact w = 0, sum = 0, energy = 0;
        std::vector<Exact> changes;
        for (const OfClass& row : rows) {
            Exact change = 0;
            for (std::size_t k = 0; k < classes; ++k) {
                change += row.g[k] * v[k] + row.h[k] * v[k] * v[k] / 2;
                energy += row.w * row.g[k] * row.g[k];
            }
            changes.push_back(change);
            w += row.w;
            sum += row.w * change;
        }
        Exact m2 = 0;
        for (std::size_t r = 0; r < rows.size(); ++r)
            m2 += rows[r].w * (changes[r] - sum / w) * (changes[r] - sum / w);
        const LossChange found = reader.change(cell.data(), v.data(), 0);
        CHECK_CLOSE(found.w, static_cast<double>(w), 1e-13);
        CHECK_CLOSE(found.mean, static_cast<double>(sum / w), 1e-12);
        CHECK_CLOSE(found.m2, static_cast<double>(m2), 1e-12);
        CHECK_CLOSE(reader.energy(cell.data()), static_cast<double>(energy), 1e-12);
        for (std::size_t k = 0; k < classes; ++k) {
            Exact g = 0, h = 0;
            for (const OfClass& row : rows) {
                g += row.w * row.g[k];
                h += row.w * row.h[k];
            }
            const Sums sums =
                reader.sums(cell.data(), cell_weight(reader.layout(), cell.data()), k);
            CHECK_CLOSE(sums.g, static_cast<double>(g), 1e-12);
            CHECK_CLOSE(sums.h, static_cast<double>(h), 1e-12);
        }
    }
}

TEST(rows_of_one_class_have_no_variance_and_an_empty_cell_changes_nothing) {
    const CellReader reader = leaves::softmax_reader({0.3, -1.0, 2.0});
    const double v[] = {0.5, -0.25, 1.0};
    const double one_class[] = {0.0, 7.5, 0.0}, empty[] = {0.0, 0.0, 0.0};
    CHECK(reader.change(one_class, v, 0).m2 == 0.0);
    // Not even by rounding, whatever the step and the weight.
    Random random(11);
    for (int round = 0; round < 200; ++round) {
        const double steps[] = {random.uniform(), random.uniform() * 1e-20, random.uniform()};
        const double some[] = {0.0, 10.0 * random.uniform(), 0.0};
        CHECK(reader.change(some, steps, 0).m2 == 0.0);
    }
    CHECK(reader.change(one_class, v, 0).w == 7.5);
    CHECK(reader.change(empty, v, 0).w == 0.0 && reader.change(empty, v, 0).mean == 0.0);
    CHECK(reader.energy(empty) == 0.0);
}

TEST(a_leaf_that_is_nearly_sure_of_a_class_keeps_the_digits_of_its_gradient) {
    for (const double sure : {30.0, 45.0, 200.0}) {
        const std::vector<double> f = {sure, 0.0, 1.0};
        Random random(9);
        const auto rows = random_classes(random, 1, f, false);
        const double first_class[] = {1.0, 0.0, 0.0};
        const CellReader reader = leaves::softmax_reader(f);
        // Of a row of the first class: g = -(1 - p).
        const Exact others = 1 + std::exp(Exact{1});
        const Exact q = others / (std::exp(Exact{sure}) + others);
        CHECK(is_near(reader.sums(first_class, 1.0, 0).g, static_cast<double>(-q), 1e-14));
        CHECK(
            is_near(reader.sums(first_class, 1.0, 0).h, static_cast<double>(rows[0].h[0]), 1e-14));
    }
}

TEST(several_outputs_are_read_as_each_of_them_would_be_alone) {
    Random random(10);
    for (const CellKind kind : {CellKind::constant_hessian, CellKind::moments})
        for (int round = 0; round < 100; ++round) {
            const std::size_t outputs = 2 + random.below(4), n = 2 + random.below(50);
            const Layout several{kind, static_cast<std::uint32_t>(outputs)}, one{kind, 1};
            std::vector<std::vector<Evidence>> of_output;
            std::vector<Reference> references;
            for (std::size_t j = 0; j < outputs; ++j) {
                const double offset = j == 1 ? 1e6 : 0.0;
                of_output.push_back(
                    random_rows(random, n, offset, false, kind == CellKind::constant_hessian));
                references.push_back({of_output[j][0].g, of_output[j][0].h});
            }
            std::vector<double> cell(cell_width(several), 0.0), step(step_width(several));
            for (std::size_t r = 0; r < n; ++r) {
                const double w = 0.5 + random.uniform();
                std::vector<double> record = {w};
                if (kind == CellKind::moments) record.push_back(1.0);
                for (std::size_t j = 0; j < outputs; ++j) {
                    of_output[j][r].w = w;
                    record.push_back(of_output[j][r].g);
                    if (kind == CellKind::moments) record.push_back(of_output[j][r].h);
                }
                CHECK(record.size() == kept_width(several));
                write_step(several, references.data(), record.data(), step.data());
                add_step(several, step.data(), cell.data());
            }
            const CellReader reader = CellReader::shifted(several, references);
            CHECK(reader.n_changes() == outputs);
            double energy = 0.0;
            for (std::size_t j = 0; j < outputs; ++j) {
                std::vector<double> steps(outputs, 99.0);  // those of other outputs do not matter
                steps[j] = random.between(-2.0, 2.0);
                const Cell alone = cell_of(one, references[j], of_output[j]);
                const CellReader of_one = CellReader::shifted(one, references[j]);
                const Sums a = reader.sums(cell.data(), cell[0], j), b = of_one.sums(alone.data());
                CHECK(a.w == b.w && a.g == b.g && a.h == b.h);
                const LossChange c = reader.change(cell.data(), steps.data(), j),
                                 d = of_one.change(alone.data(), steps[j]);
                CHECK(c.w == d.w && c.mean == d.mean && c.m2 == d.m2);
                energy += of_one.energy(alone.data());
            }
            CHECK_CLOSE(reader.energy(cell.data()), energy, 1e-12);
        }
}

TEST(noise_is_twice_what_rows_that_say_nothing_seem_to_gain) {
    Random random(11);
    const double h = 0.2;
    for (const double lambda : {0.0, 0.3}) {
        double gains = 0.0, noise = 0.0;
        const std::size_t repeats = 4000;
        for (std::size_t i = 0; i < repeats; ++i) {
            std::vector<Evidence> rows = random_rows(random, 200, 0.0, false, true);
            for (Evidence& e : rows) e.h = h;
            const Reference reference{rows.front().g, h};
            const Cell cell = cell_of(Layout::moments, reference, rows);
            const CellReader reader = CellReader::shifted(Layout::moments, reference);
            gains -= share(reader.sums(cell.data()), Lambda(rules_of(lambda)));
            noise += reader.noise(cell.data(), lambda);
        }
        // Of a square of normal numbers 4,000 draws have a mean within 2.2 % at one deviation.
        CHECK_CLOSE(2.0 * gains / noise, 1.0, 0.1);
    }
}

TEST(the_noise_of_several_outputs_is_the_root_of_the_sum_of_squares) {
    Random random(12);
    std::vector<std::vector<Evidence>> of_output(2);
    for (auto& rows : of_output) rows = random_rows(random, 50, 0.5, false, false);
    const std::vector<Reference> references{{0.25, 0.5}, {-1.0, 0.125}};
    const Layout both{CellKind::moments, 2};
    std::vector<double> cell(cell_width(both), 0.0), step(cell_width(both));
    for (std::size_t r = 0; r < of_output[0].size(); ++r) {
        std::vector<double> record(record_width(both));
        record[0] = record[1] = 1.0;
        for (std::size_t j = 0; j < 2; ++j) {
            record[place_of_g(j)] = of_output[j][r].g;
            record[place_of_h(j)] = of_output[j][r].h;
        }
        write_step(both, references.data(), record.data(), step.data());
        add_step(both, step.data(), cell.data());
    }
    double squares = 0.0;
    for (std::size_t j = 0; j < 2; ++j) {
        const Cell alone = cell_of(Layout::moments, references[j], of_output[j]);
        const double noise =
            CellReader::shifted(Layout::moments, references[j]).noise(alone.data(), 0.1);
        squares += noise * noise;
    }
    const double found = CellReader::shifted(both, references).noise(cell.data(), 0.1);
    CHECK(is_near(found, std::sqrt(squares), 1e-12));
}

TEST(the_log_loss_has_the_derivatives_of_the_logistic_function_even_far_out) {
    for (const double raw : {-800.0, -40.0, -1.0, 0.0, 1.0, 40.0, 800.0}) {
        const Cell zero{1.0, 0.0}, one{0.0, 1.0};
        const CellReader reader = BinaryLogLoss::reader(raw);
        const double p = static_cast<double>(1.0L / (1.0L + std::exp(-Exact{raw})));
        const double q = static_cast<double>(1.0L / (1.0L + std::exp(Exact{raw})));
        CHECK(is_near(reader.sums(zero.data()).g, p, 1e-14));
        CHECK(is_near(reader.sums(one.data()).g, -q, 1e-14));
        CHECK(is_near(reader.sums(one.data()).h, p * q, 1e-14));
        CHECK(std::isfinite(reader.change(one.data(), 3.0).mean));
    }
}

int main(int argc, char** argv) {
    return check::run(argc, argv);
}
