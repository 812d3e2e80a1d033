// The race between ways to predict: faded losses, which of them is chosen and when, and its saved
// state.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "sgt/learner/race.hpp"
#include "streams.hpp"

using sgt::Archive;
using sgt::Race;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// As many rows as move the sums, each with these losses of the ways of the only race.
void add_rows(Race& race, const std::vector<double>& losses) {
    for (std::size_t row = 0; row < Race::kRows; ++row) {
        for (std::size_t way = 0; way < losses.size(); ++way) race.add_loss(0, way, losses[way]);
        race.end_row();
    }
}

// The same, with the probability that each way gives the row's class.
void add_likely_rows(Race& race, const std::vector<double>& likelihoods, double weight = 1.0) {
    for (std::size_t row = 0; row < Race::kRows; ++row) {
        for (std::size_t way = 0; way < likelihoods.size(); ++way)
            race.add_likelihood(way, likelihoods[way], weight);
        race.end_row();
    }
}

Archive saved(const Race& race) {
    Archive archive;
    race.save(archive, "race/");
    return archive;
}

// What is wrong with one array of a saved race of three ways.
template <class T>
void check_refused(const std::string& name, const std::vector<T>& values) {
    Archive archive = saved(Race(1, 3));
    archive.put("race/" + name, values);
    Race race(1, 3);
    CHECK_THROWS(std::invalid_argument, race.load(archive, "race/"));
}

}  // namespace

TEST(a_choice_is_made_after_some_rows_and_not_before) {
    Race race(1, 3);
    CHECK(race.choice(0) == 0);
    for (std::size_t row = 1; row < Race::kRows; ++row) {
        race.add_loss(0, 0, 1.0);
        CHECK(!race.end_row());
        CHECK(race.choice(0) == 0);
    }
    race.add_loss(0, 0, 1.0);
    CHECK(race.end_row());
    CHECK(race.choice(0) == 1);  // of equal ones the first
}

TEST(what_was_better_long_ago_is_overtaken_when_its_faded_sum_is_larger) {
    Race race(1, 2);
    for (int i = 0; i < 100; ++i) add_rows(race, {1.0, 0.5});
    CHECK(race.choice(0) == 1);
    const double n = static_cast<double>(Race::kRows), fade = std::pow(0.999, n);
    double lead = 0.0;
    for (int i = 0; i < 100; ++i) lead = fade * lead + 0.5 * n;
    std::size_t expected = 0, found = 0;
    for (; lead > 0.0; ++expected) lead = fade * lead - 0.25 * n;
    for (; race.choice(0) == 1; ++found) add_rows(race, {0.25, 0.5});
    CHECK(found == expected);
}

TEST(races_are_run_apart) {
    Race race(2, 2);
    for (std::size_t row = 0; row < Race::kRows; ++row) {
        race.add_loss(0, 0, 1.0);
        race.add_loss(1, 1, 1.0);
        race.end_row();
    }
    CHECK(race.choice(0) == 1);
    CHECK(race.choice(1) == 0);
}

TEST(likelihoods_count_as_their_logarithms_whatever_the_weight) {
    for (const double weight : {1.0, 0.5, 3.0}) {
        Race race(1, 2);
        add_likely_rows(race, {0.5, 0.6}, weight);
        CHECK(race.choice(0) == 1);
        // As much better as it was worse, but later.
        add_likely_rows(race, {0.6, 0.5}, weight);
        CHECK(race.choice(0) == 0);
        const double sum = saved(race).get<double>("race/sums")[0];
        const double n = static_cast<double>(Race::kRows);
        const double expected = -weight * n * (std::pow(0.999, n) * std::log(0.5) + std::log(0.6));
        CHECK_CLOSE(sum, expected, 1e-9);
    }
}

TEST(no_row_counts_as_less_likely_than_the_least_likelihood) {
    Race race(1, 2);
    add_likely_rows(race, {0.0, Race::kLeastLikelihood});
    const auto sums = saved(race).get<double>("race/sums");
    const double n = static_cast<double>(Race::kRows);
    for (const double sum : sums) CHECK_CLOSE(sum, -n * std::log(Race::kLeastLikelihood), 1e-9);
    CHECK(race.choice(0) == 0);
}

TEST(rows_with_a_loss_that_is_not_finite_say_nothing) {
    for (const double loss : {kInfinity, streams::kNan, std::numeric_limits<double>::max()}) {
        Race race(1, 2);
        add_rows(race, {1.0, 0.5});
        const auto before = saved(race).get<double>("race/sums");
        add_rows(race, {0.0, loss});
        CHECK(race.choice(0) == 1);
        CHECK(saved(race).get<double>("race/sums") == before);
        for (int i = 0; i < 3; ++i) add_rows(race, {0.0, 0.5});
        CHECK(race.choice(0) == 0);
    }
}

TEST(a_race_goes_on_where_it_was_saved) {
    streams::Random random(3);
    Race race(1, 3), resumed(1, 3);
    for (std::size_t row = 0; row < 40 * Race::kRows; ++row) {
        for (std::size_t way = 0; way < 3; ++way) {
            const double p = random.uniform(), weight = row % 3 == 0 ? 2.0 : 1.0;
            race.add_likelihood(way, p, weight);
            resumed.add_likelihood(way, p, weight);
        }
        CHECK(race.end_row() == resumed.end_row());
        if (row % 7 == 0) {
            const Archive archive = saved(resumed);
            resumed = Race(1, 3);
            resumed.load(archive, "race/");
        }
        CHECK(race.choice(0) == resumed.choice(0));
    }
    CHECK(saved(race).arrays() == saved(resumed).arrays());
    race.restart();
    CHECK(saved(race).arrays() == saved(Race(1, 3)).arrays());
}

TEST(a_damaged_race_is_refused) {
    check_refused<double>("sums", {0.0, 0.0});
    check_refused<double>("sums", {0.0, kInfinity, 0.0});
    check_refused<double>("recent", {0.0});
    check_refused<double>("likelihoods", {1.0, 0.0, 1.0});
    check_refused<double>("likelihoods", {1.0, 1.5, 1.0});
    check_refused<std::int64_t>("rows", {static_cast<std::int64_t>(Race::kRows)});
    check_refused<std::int64_t>("rows", {-1});
    check_refused<std::int64_t>("choices", {3});
    check_refused<std::int64_t>("choices", {-1});
}

int main(int argc, char** argv) {
    return check::run(argc, argv);
}
