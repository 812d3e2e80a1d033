#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "check.hpp"
#include "sgt/data/binning.hpp"
#include "streams.hpp"

using sgt::bin_of;
using sgt::Boundaries;
using sgt::sample_boundaries;
using sgt::uniform_boundaries;

namespace {

constexpr double kMax = std::numeric_limits<double>::max();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool increases(const std::vector<double>& values) {
    for (std::size_t i = 0; i + 1 < values.size(); ++i)
        if (!(values[i] < values[i + 1])) return false;
    return true;
}

}  // namespace

TEST(uniform_boundaries_are_the_documented_numbers_to_the_last_bit) {
    for (const std::size_t n : {2U, 3U, 7U, 10U, 64U, 100U, 255U, 1000U}) {
        const double lo = -0.1, hi = 0.7;
        const Boundaries b = uniform_boundaries(lo, hi, n);
        CHECK(b.values.size() == n - 1);
        CHECK(b.are_uniform());
        CHECK(b.n_bins == n && b.lo == lo && b.hi == hi);
        for (std::size_t k = 1; k < n; ++k) {
            const volatile double share = static_cast<double>(k) / static_cast<double>(n);
            const volatile double part = (hi - lo) * share;
            CHECK(b.values[k - 1] == lo + part);
        }
    }
}

TEST(four_uniform_bins_over_zero_to_eight_part_at_two_four_and_six) {
    CHECK(uniform_boundaries(0.0, 8.0, 4).values == std::vector<double>({2.0, 4.0, 6.0}));
    CHECK(sample_boundaries({8.0, 3.0, 0.0, 1.0}, 4, false).values ==
          std::vector<double>({2.0, 4.0, 6.0}));
}

TEST(a_constant_feature_has_its_value_as_the_only_boundary) {
    for (const double c : {0.0, 3.5, -1e300, 5e-324}) {
        CHECK(uniform_boundaries(c, c, 64).values == std::vector<double>({c}));
        CHECK(!uniform_boundaries(c, c, 64).are_uniform());
        CHECK(sample_boundaries({c, c, c}, 64, false).values == std::vector<double>({c}));
        CHECK(sample_boundaries({c, c, c}, 64, true).values == std::vector<double>({c}));
        CHECK(sample_boundaries({c}, 64, true).values == std::vector<double>({c}));
    }
}

TEST(an_empty_sample_has_no_boundary) {
    CHECK(sample_boundaries({}, 64, false).values.empty());
    CHECK(sample_boundaries({}, 64, true).values.empty());
    CHECK(bin_of({}, 3.0) == 0);
}

TEST(a_range_whose_width_overflows_still_gives_finite_increasing_boundaries) {
    const Boundaries b = uniform_boundaries(-kMax, kMax, 8);
    CHECK(b.values.size() == 7);
    CHECK(increases(b.values));
    CHECK(!b.are_uniform());
    CHECK(b.values[3] == 0.0);
    for (std::size_t k = 1; k < 8; ++k) {
        const double share = static_cast<double>(k) / 8.0;
        CHECK(std::isfinite(b.values[k - 1]));
        CHECK(b.values[k - 1] == -kMax * (1.0 - share) + kMax * share);
    }
    CHECK(uniform_boundaries(-1e308, 1.5e308, 100).values.size() == 99);
    CHECK(increases(uniform_boundaries(-1e308, 1.5e308, 100).values));
}

TEST(a_range_that_just_does_not_overflow_is_uniform) {
    const Boundaries b = uniform_boundaries(-kMax / 2, kMax / 2, 64);
    CHECK(b.are_uniform());
    CHECK(b.values.size() == 63);
    CHECK(increases(b.values));
}

TEST(equal_boundaries_are_kept_once) {
    // Between 1 and its successor there is no third number.
    const double next = std::nextafter(1.0, 2.0);
    const Boundaries pair = uniform_boundaries(1.0, next, 64);
    CHECK(pair.values == std::vector<double>({1.0, next}));
    CHECK(!pair.are_uniform());
    const Boundaries few = uniform_boundaries(1e9, 1e9 + 1e-6, 64);
    CHECK(few.values.size() < 63 && few.values.size() > 2);
    CHECK(increases(few.values));
    CHECK(!few.are_uniform());
    // The least positive numbers.
    const Boundaries least = uniform_boundaries(0.0, 3 * 5e-324, 64);
    CHECK(increases(least.values));
    CHECK(least.values.size() <= 4);
}

TEST(quantile_boundaries_are_those_of_the_linear_definition) {
    // 0 .. 10 in four bins: positions 2.5, 5, 7.5.
    std::vector<double> sample;
    for (int i = 10; i >= 0; --i) sample.push_back(i * i);
    CHECK(sample_boundaries(sample, 4, true).values == std::vector<double>({6.5, 25.0, 56.5}));
    // 1, 2, 4, 8, 16 in three bins: positions 4/3 and 8/3.
    const Boundaries b = sample_boundaries({16.0, 1.0, 8.0, 2.0, 4.0}, 3, true);
    CHECK(b.values.size() == 2);
    CHECK_CLOSE(b.values[0], 2.0 + 2.0 / 3.0, 1e-15);
    CHECK_CLOSE(b.values[1], 4.0 + 4.0 * 2.0 / 3.0, 1e-15);
    CHECK(!b.are_uniform());
}

TEST(quantiles_that_coincide_are_kept_once) {
    std::vector<double> sample(100, 5.0);
    for (int i = 0; i < 30; ++i) sample.push_back(10.0 + i);
    const Boundaries b = sample_boundaries(sample, 10, true);
    CHECK(increases(b.values));
    CHECK(b.values.size() == 3);
    CHECK(b.values[0] == 5.0);
    CHECK_CLOSE(b.values[1], 13.2, 1e-14);
    CHECK_CLOSE(b.values[2], 26.1, 1e-14);
}

TEST(with_few_distinct_values_the_quantile_boundaries_are_the_midpoints) {
    CHECK(sample_boundaries({3.0, 1.0, 1.0, 7.0, 3.0}, 64, true).values ==
          std::vector<double>({2.0, 5.0}));
    CHECK(sample_boundaries({1.0, 2.0, 3.0, 4.0}, 4, true).values ==
          std::vector<double>({1.5, 2.5, 3.5}));
    // One value more than bins: quantiles.
    CHECK(sample_boundaries({1.0, 2.0, 3.0, 4.0, 5.0}, 4, true).values ==
          std::vector<double>({2.0, 3.0, 4.0}));
}

TEST(a_midpoint_that_rounds_up_to_the_larger_value_is_the_smaller_one) {
    double a = 1.0;
    for (int i = 0; i < 8; ++i) {
        const double b = std::nextafter(a, 2.0);
        CHECK(sample_boundaries({a, b}, 64, true).values == std::vector<double>({a}));
        a = b;
    }
    CHECK(sample_boundaries({0.0, 5e-324}, 64, true).values == std::vector<double>({0.0}));
    CHECK(sample_boundaries({-5e-324, 0.0}, 64, true).values == std::vector<double>({-5e-324}));
    CHECK(sample_boundaries({-kMax, kMax}, 64, true).values == std::vector<double>({0.0}));
    CHECK(sample_boundaries({kMax / 2, kMax}, 64, true).values ==
          std::vector<double>({kMax / 4 + kMax / 2}));
}

TEST(the_bin_is_the_number_of_boundaries_below_the_value) {
    streams::Random random(7);
    for (int round = 0; round < 200; ++round) {
        std::vector<double> sample;
        const std::size_t n = 1 + random.below(200);
        for (std::size_t i = 0; i < n; ++i)
            sample.push_back(random.chance(0.3) ? std::floor(random.between(0, 9))
                                                : random.between(-5, 5));
        const Boundaries b = sample_boundaries(sample, 2 + random.below(70), random.chance(0.5));
        CHECK(increases(b.values));
        std::vector<double> probes = {-kInfinity, -kMax, 0.0, -0.0, kMax, kInfinity};
        for (const double v : b.values)
            for (const double x : {v, std::nextafter(v, kInfinity), std::nextafter(v, -kInfinity)})
                probes.push_back(x);
        for (const double x : probes) {
            std::size_t below = 0;
            for (const double v : b.values) below += v < x ? 1 : 0;
            CHECK(bin_of(b.values, x) == below);
        }
    }
}

int main(int argc, char** argv) {
    return check::run(argc, argv);
}
