#include <cmath>
#include <cstddef>
#include <vector>

#include "check.hpp"
#include "sgt/cells.hpp"
#include "sgt/loss.hpp"
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
        write_step(layout, &reference, e.record().data(), step.data());
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

}  // namespace

TEST(the_loss_change_from_moments_is_that_of_the_rows_one_by_one) {
    Random random(1);
    for (int round = 0; round < 300; ++round) {
        const auto rows = random_rows(random, 2 + random.below(50), 0.0, random.chance(0.5), false);
        const Reference reference{rows[0].g, rows[0].h};
        const Cell cell = cell_of(Layout::moments, reference, rows);
        const double v = random.between(-3.0, 3.0);
        const LossChange expected = brute_force(rows, v);
        const LossChange actual =
            CellReader::shifted(Layout::moments, reference).change(cell.data(), v);
        CHECK_CLOSE(actual.w, expected.w, 1e-13);
        CHECK_CLOSE(actual.mean, expected.mean, 1e-13);
        CHECK_CLOSE(actual.m2, expected.m2, 1e-12);
    }
}

TEST(the_loss_change_with_a_constant_hessian_is_that_of_the_rows_one_by_one) {
    Random random(2);
    for (int round = 0; round < 300; ++round) {
        const auto rows = random_rows(random, 2 + random.below(50), 0.0, random.chance(0.5), true);
        const Reference reference{rows[0].g, rows[0].h};
        const Cell cell = cell_of(Layout::constant_hessian, reference, rows);
        const double v = random.between(-3.0, 3.0);
        const LossChange expected = brute_force(rows, v);
        const LossChange actual =
            CellReader::shifted(Layout::constant_hessian, reference).change(cell.data(), v);
        CHECK_CLOSE(actual.w, expected.w, 1e-13);
        CHECK_CLOSE(actual.mean, expected.mean, 1e-13);
        CHECK_CLOSE(actual.m2, expected.m2, 1e-12);
    }
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
