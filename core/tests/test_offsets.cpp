// The offsets of following leaves: what becomes of them when nodes, outputs and labels come, and
// their saved state.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "sgt/leaf/offsets.hpp"

using sgt::Archive;
using sgt::Offsets;
using sgt::Options;

namespace {

Options following(std::vector<double> rates, std::size_t label_delay = 0) {
    Options options;
    options.following_rates = std::move(rates);
    options.label_delay = label_delay;
    return options;
}

Archive saved(const Offsets& offsets) {
    Archive archive;
    offsets.save(archive, "tree/");
    return archive;
}

}  // namespace

TEST(without_rates_or_in_rounds_there_are_none) {
    Options in_rounds = following({0.1});
    in_rounds.round_rows = 100;
    for (const Options& options : {following({}), in_rounds}) {
        Offsets offsets(options, 2);
        offsets.add_nodes(2);
        CHECK(offsets.n_rates() == 0);
        CHECK(offsets.bytes_per_node() == 0);
        CHECK(offsets.chosen(2, 1) == 0.0);
    }
}

TEST(the_chosen_way_of_an_output_is_predicted) {
    Offsets offsets(following({0.1, 0.4}), 2);
    offsets.add_nodes(1);
    for (std::size_t i = 0; i < 4; ++i) offsets.at(1)[i] = 1.0 + static_cast<double>(i);
    CHECK(offsets.chosen(1, 0) == 0.0 && offsets.chosen(1, 1) == 0.0);
    offsets.choose(0, 1);
    offsets.choose(1, 2);
    CHECK(offsets.chosen(1, 0) == 1.0);
    CHECK(offsets.chosen(1, 1) == 4.0);
    CHECK(offsets.chosen(0, 0) == 0.0);
    offsets.restart();
    CHECK(offsets.chosen(1, 1) == 0.0 && offsets.at(1)[3] == 0.0);
}

TEST(a_change_leaves_an_offset_the_share_of_its_rate) {
    Offsets offsets(following({0.04, 0.25, 1.0}), 1);
    offsets.add_nodes(2);
    for (std::size_t i = 0; i < 3; ++i) offsets.at(0)[i] = 2.0;
    offsets.carry(0, 1, {0.5});
    offsets.carry(0, 2, {-0.5});
    offsets.clear(0);
    const double shares[] = {0.2, 0.5, 1.0};
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK_CLOSE(offsets.at(1)[i], shares[i] * 1.5, 1e-15);
        CHECK_CLOSE(offsets.at(2)[i], shares[i] * 2.5, 1e-15);
        CHECK(offsets.at(0)[i] == 0.0);
    }
    offsets.carry(1, 1, {std::numeric_limits<double>::infinity()});
    CHECK(offsets.at(1)[0] == 0.0);
}

TEST(a_new_output_begins_at_zero_in_every_node) {
    for (const auto& [delay, with_slack] :
         std::vector<std::pair<std::size_t, bool>>{{0, false}, {5, false}, {0, true}, {5, true}}) {
        Offsets offsets(following({0.1, 0.4}, delay), 1);
        offsets.add_nodes(1);
        offsets.at(1)[0] = 3.0;
        offsets.at(1)[1] = 4.0;
        offsets.choose(0, 2);
        offsets.add_output(with_slack);
        CHECK(offsets.at(1)[0] == 3.0 && offsets.at(1)[1] == 4.0);
        CHECK(offsets.at(1)[2] == 0.0 && offsets.at(1)[3] == 0.0);
        CHECK(offsets.chosen(1, 0) == 4.0 && offsets.chosen(1, 1) == 0.0);
        CHECK(offsets.judged(1)[2] == 0.0 && offsets.judged(1)[3] == 0.0);
        offsets.add_nodes(1);
        CHECK(offsets.at(2)[3] == 0.0);
        for (std::size_t late = 2; late < 30; ++late) {
            offsets.add_output(with_slack);
            CHECK(offsets.at(1)[0] == 3.0 && offsets.at(1)[1] == 4.0);
            for (std::size_t i = 2; i < 2 * (late + 1); ++i)
                CHECK(offsets.at(1)[i] == 0.0 && offsets.at(2)[i] == 0.0);
        }
    }
}

TEST(without_a_delay_offsets_are_judged_as_they_are) {
    Offsets offsets(following({0.1}), 1);
    CHECK(offsets.judged(0) == offsets.at(0));
    CHECK(offsets.bytes_per_node() == sizeof(double));
}

TEST(a_late_move_is_as_small_as_what_is_left_of_it) {
    Offsets offsets(following({0.25}, 10), 1);
    offsets.add_nodes(1);
    CHECK(offsets.bytes_per_node() > 2 * sizeof(double));
    // Three moves are made, and the leaf changes after the first and the second.
    const std::uint32_t first = offsets.n_carried(0);
    offsets.at(0)[0] += 8.0;
    offsets.carry(0, 0, {0.0});
    const std::uint32_t second = offsets.n_carried(0);
    offsets.at(0)[0] += 1.0;
    CHECK(!offsets.is_heir(1));
    offsets.carry(0, 1, {0.0});
    CHECK(offsets.is_heir(1) && !offsets.is_heir(0));
    const std::uint32_t third = offsets.n_carried(1);
    CHECK(first < second && second < third);
    offsets.at(1)[0] += 0.5;
    CHECK(offsets.judged(1)[0] == 0.0);
    // When all of them have arrived, offsets are judged as they are.
    offsets.judge(1, 0, 0, 8.0, first);
    CHECK_CLOSE(offsets.judged(1)[0], 2.0, 1e-15);
    offsets.judge(1, 0, 0, 1.0, second);
    offsets.judge(1, 0, 0, 0.5, third);
    CHECK_CLOSE(offsets.judged(1)[0], offsets.at(1)[0], 1e-15);
    // A move that would make it infinite is none.
    offsets.judge(1, 0, 0, std::numeric_limits<double>::infinity(), third);
    CHECK_CLOSE(offsets.judged(1)[0], offsets.at(1)[0], 1e-15);
}

TEST(offsets_are_the_same_when_loaded) {
    for (const std::size_t delay : {0, 10}) {
        const Options options = following({0.04, 0.5}, delay);
        Offsets offsets(options, 2);
        offsets.add_nodes(2);
        for (std::size_t i = 0; i < 4; ++i) offsets.at(0)[i] = 1.0 / (1.0 + static_cast<double>(i));
        offsets.carry(0, 1, {0.5, -0.5});
        offsets.carry(1, 1, {0.25, 0.0});
        Offsets loaded(options, 2);
        loaded.load(saved(offsets), "tree/", 3);
        CHECK(saved(loaded).arrays() == saved(offsets).arrays());
        loaded.add_nodes(1);
        CHECK(loaded.at(3)[3] == 0.0);
    }
}

TEST(damaged_offsets_are_refused) {
    const Options options = following({0.1}, 10);
    const Archive good = saved(Offsets(options, 1));
    const auto load = [&](const Archive& archive, std::size_t nodes = 1) {
        Offsets(options, 1).load(archive, "tree/", nodes);
    };
    load(good);
    CHECK_THROWS(std::invalid_argument, load(good, 2));
    for (const char* name : {"tree/offsets/now", "tree/offsets/judged"}) {
        Archive archive = good;
        archive.put<double>(name, {std::nan("")});
        CHECK_THROWS(std::invalid_argument, load(archive));
    }
    for (const std::int64_t wrong : {std::int64_t{-1}, std::int64_t{1} << 32}) {
        Archive archive = good;
        archive.put<std::int64_t>("tree/offsets/carried", {wrong});
        CHECK_THROWS(std::invalid_argument, load(archive));
    }
}

int main(int argc, char** argv) {
    return check::run(argc, argv);
}
