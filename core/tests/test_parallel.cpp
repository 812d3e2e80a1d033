#include <atomic>
#include <chrono>
#include <cstddef>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"
#include "sgt/parallel.hpp"

using sgt::Team;

TEST(a_team_of_one_works_on_the_calling_thread) {
    Team team(1);
    CHECK(team.size() == 1);
    std::thread::id where;
    team.run([&](std::size_t part) {
        CHECK(part == 0);
        where = std::this_thread::get_id();
    });
    CHECK(where == std::this_thread::get_id());
}

TEST(every_part_is_done_once_on_a_thread_of_its_own) {
    for (const std::size_t n : {2U, 3U, 5U}) {
        Team team(n);
        CHECK(team.size() == n);
        std::vector<int> times(n, 0);
        std::vector<std::thread::id> where(n);
        team.run([&](std::size_t part) {
            ++times[part];
            where[part] = std::this_thread::get_id();
        });
        CHECK(times == std::vector<int>(n, 1));
        CHECK(where[0] == std::this_thread::get_id());
        CHECK(std::set<std::thread::id>(where.begin(), where.end()).size() == n);
    }
}

TEST(many_short_rounds_follow_each_other_without_losing_one) {
    for (const std::size_t n : {1U, 2U, 3U}) {
        Team team(n);
        std::vector<long> sums(n, 0);
        for (long round = 1; round <= 5000; ++round)
            team.run([&](std::size_t part) { sums[part] += round; });
        for (const long sum : sums) CHECK(sum == 5000L * 5001L / 2);
    }
}

TEST(a_round_may_come_after_the_workers_have_gone_to_sleep) {
    Team team(3);
    std::atomic<int> done{0};
    for (int round = 0; round < 20; ++round) {
        team.run([&](std::size_t part) {
            // A slow part: the others, and the caller, stop spinning.
            if (part == static_cast<std::size_t>(round % 3))
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            ++done;
        });
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    CHECK(done == 60);
}

TEST(what_one_round_writes_the_next_reads_on_any_thread) {
    Team team(3);
    std::vector<std::size_t> values(3, 0);
    for (std::size_t round = 0; round < 1000; ++round) {
        const std::vector<std::size_t> before = values;
        team.run([&](std::size_t part) { values[part] = before[(part + 1) % 3] + 1; });
    }
    CHECK(values == std::vector<std::size_t>(3, 1000));
}

TEST(split_cuts_the_range_into_parts_that_cover_it_once) {
    for (const std::size_t n_threads : {1U, 2U, 3U}) {
        Team team(n_threads);
        for (const std::size_t n : {0U, 1U, 2U, 3U, 7U, 1000U}) {
            std::vector<int> times(n, 0);
            team.split(n, [&](std::size_t begin, std::size_t end) {
                for (std::size_t i = begin; i < end; ++i) ++times[i];
            });
            CHECK(times == std::vector<int>(n, 1));
        }
    }
}

TEST(an_exception_of_any_part_reaches_the_caller_and_the_team_goes_on) {
    for (const std::size_t n : {1U, 2U, 3U}) {
        Team team(n);
        for (int round = 0; round < 200; ++round)
            for (std::size_t bad = 0; bad < n; ++bad) {
                std::string message;
                try {
                    team.run([&](std::size_t part) {
                        if (part == bad) throw std::runtime_error(std::to_string(part));
                    });
                } catch (const std::runtime_error& error) {
                    message = error.what();
                }
                CHECK(message == std::to_string(bad));
            }
        std::atomic<std::size_t> done{0};
        team.run([&](std::size_t) { ++done; });
        CHECK(done == n);
    }
}

TEST(where_all_parts_fail_the_first_part_is_heard) {
    Team team(3);
    std::string message;
    try {
        team.run([&](std::size_t part) { throw std::runtime_error(std::to_string(part)); });
    } catch (const std::runtime_error& error) {
        message = error.what();
    }
    CHECK(message == "0");
}

TEST(a_team_that_never_worked_ends) {
    for (int i = 0; i < 50; ++i) Team team(3);
    CHECK(true);
}

int main(int argc, char** argv) {
    return check::run(argc, argv);
}
