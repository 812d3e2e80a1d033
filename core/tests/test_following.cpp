// Following leaves for the model as a whole: weights, moves that reach the offsets, moves that the
// race sees late, and predictions that keep up.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "sgt/data/binning.hpp"
#include "sgt/learner/follow_classes.hpp"
#include "sgt/learner/following.hpp"
#include "sgt/learner/loss_learner.hpp"
#include "sgt/loss/loss.hpp"
#include "sgt/loss/softmax.hpp"
#include "streams.hpp"

using namespace sgt;

namespace {

Options following(std::vector<double> rates, std::size_t label_delay = 0) {
    Options options;
    options.following_rates = std::move(rates);
    options.label_delay = label_delay;
    return options;
}

// Trees of one leaf each, of one output each.
struct Model {
    explicit Model(const Options& given, std::size_t n_trees = 1)
        : options(given), context(options, features, standardiser), follows(options, n_trees) {
        std::vector<TreeStart> starts;
        for (std::size_t t = 0; t < n_trees; ++t) starts.push_back({t, {0.0}, Layout::moments});
        trees.create(starts, n_trees, context);
    }

    double* offsets(std::size_t tree) {
        return trees[tree].tree.offsets().at(0);
    }
    double* judged(std::size_t tree) {
        return trees[tree].tree.offsets().judged(0);
    }
    void move(const std::vector<double>& moves) {
        const std::vector<NodeIndex> leaves(trees.size(), 0);
        follows.move(trees, leaves.data(), 1, moves.data());
    }

    Options options;
    FeatureSpace features{std::vector<bool>{}};
    Standardiser standardiser;
    TreeContext context;
    TreeSet trees{TreeOptions(), false};
    Following follows;
};

// What is predicted for each row before it is learned.
std::vector<double> predictions(const Options& options, const std::vector<double>& y) {
    const std::vector<double> x(y.size(), 0.0);
    LossLearner learner(options, {false}, nullptr, make_loss("squared_error", {}));
    std::vector<double> before(y.size());
    learner.learn(RowsView{x.data(), false, y.size(), 1}, y.data(), nullptr, before.data());
    return before;
}

}  // namespace

TEST(without_rates_nothing_follows) {
    CHECK(!Following().is_on());
    CHECK(!Following(following({}), 1).is_on());
    Options in_rounds = following({0.1});
    in_rounds.round_rows = 100;
    CHECK(!Following(in_rounds, 1).is_on());
    CHECK(Following(following({0.1, 0.3}), 1).n_ways() == 3);
}

TEST(weights_count_in_units_of_their_recent_mean) {
    Following follows(following({0.1, 0.5}), 1);
    for (int i = 0; i < 5; ++i) CHECK(follows.relative_weight(7.0) == 1.0);
    CHECK_CLOSE(follows.relative_weight(14.0), 14.0 / 7.007, 1e-12);
    CHECK_CLOSE(follows.rate(1, 2.0), 0.2, 1e-15);
    CHECK(follows.rate(2, 3.0) == 1.0);
}

TEST(curvatures_are_means_of_recent_rows_by_way_and_output) {
    Following follows(following({0.1}), 2);
    CHECK(follows.mean_curvature(1, 0, 4.0) == 4.0);
    CHECK_CLOSE(follows.mean_curvature(1, 0, 8.0), 4.004, 1e-12);
    CHECK(follows.mean_curvature(1, 1, 2.0) == 2.0);
    CHECK(follows.mean_curvature(0, 0, 3.0) == 3.0);
}

TEST(a_row_moves_the_offsets_of_its_leaves) {
    Model model(following({0.1, 0.5}), 2);
    model.move({1.0, 3.0, 2.0, 4.0});  // by output, and there by rate
    model.move({1.0, 1.0, 1.0, 1.0});
    CHECK(model.offsets(0)[0] == 2.0 && model.offsets(0)[1] == 4.0);
    CHECK(model.offsets(1)[0] == 3.0 && model.offsets(1)[1] == 5.0);
}

TEST(the_race_sees_moves_as_late_as_labels_come) {
    constexpr std::size_t kDelay = 3;
    Model model(following({0.5}, kDelay));
    double moved = 0.0, seen = 0.0;
    for (int row = 0; row < 20; ++row) {
        const double move = 1.0 + row;
        model.move({move});
        moved += move;
        if (row >= static_cast<int>(kDelay)) seen += move - static_cast<double>(kDelay);
        CHECK(model.offsets(0)[0] == moved);
        CHECK(model.judged(0)[0] == seen);
        // Saved and loaded after every row.
        Archive archive;
        model.follows.save(archive, "");
        Following loaded(model.options, 1);
        loaded.load(archive, "", model.trees);
        model.follows = loaded;
    }
    model.follows.catch_up(model.trees);
    CHECK(model.judged(0)[0] == moved);
    model.follows.restart(model.trees);
    CHECK(model.judged(0)[0] == 0.0 && model.offsets(0)[0] == 0.0);
    CHECK(model.follows.relative_weight(5.0) == 1.0);
}

TEST(the_way_that_wins_is_predicted) {
    Model model(following({0.1, 0.5}), 2);
    model.move({1.0, 3.0, 2.0, 4.0});
    for (std::size_t row = 0; row < Race::kRows; ++row) {
        model.follows.race.add_loss(0, 0, 1.0);
        model.follows.race.add_loss(0, 1, 1.0);
        model.follows.race.add_loss(1, 0, 1.0);
        model.follows.race.add_loss(1, 2, 1.0);
        model.follows.end_row(model.trees);
    }
    CHECK(model.trees[0].tree.predicted_value(0, 0) == 3.0);
    CHECK(model.trees[1].tree.predicted_value(0, 0) == 2.0);
}

TEST(a_saved_state_that_does_not_fit_is_refused) {
    Model model(following({0.5}, 2));
    for (int row = 0; row < 5; ++row) model.move({1.0});
    Archive good;
    model.follows.save(good, "");
    const auto refused = [&](const std::string& name, auto values) {
        Archive archive = good;
        archive.put("following/" + name, std::move(values));
        Following loaded(model.options, 1);
        CHECK_THROWS(std::invalid_argument, loaded.load(archive, "", model.trees));
    };
    using Ints = std::vector<std::int64_t>;
    using Doubles = std::vector<double>;
    refused("mean_weight", Doubles{-1.0});
    refused("curvatures", Doubles{0.0, std::nan("")});
    refused("late_rows", Ints{3});
    refused("late_rows", Ints{1});
    refused("late_leaves", Ints{0, 1});
    refused("late_leaves", Ints{0, -2});
    refused("late_carried", Ints{0, -1});
    refused("late_moves", Doubles{1.0, std::numeric_limits<double>::infinity()});
}

TEST(classes_are_followed_by_every_rate_whatever_the_size_of_scores) {
    const std::vector<double> rates{0.1, 0.3}, values{-5.0, 800.0, 0.0};
    std::vector<double> offsets(6, 0.0), products(3, 1.0), scratch;
    double* of_classes[] = {offsets.data(), offsets.data() + 2, offsets.data() + 4};
    follow_softmax({1, 3, values.data(), 1.0, 1.0}, rates, of_classes, products.data(), scratch);
    CHECK_CLOSE(products[0], 1.0, 1e-12);  // the class is certain by the values alone
    CHECK_CLOSE(products[1], 1.0, 1e-12);
    const std::vector<double> even(3, 0.0);
    products.assign(3, 1.0);
    follow_softmax({1, 3, even.data(), 1.0, 1.0}, rates, of_classes, products.data(), scratch);
    CHECK_CLOSE(products[0], 1.0 / 3.0, 1e-12);
    for (std::size_t rate = 0; rate < 2; ++rate) {
        CHECK(offsets[rate] < 0.0 && offsets[2 + rate] > 0.0 && offsets[4 + rate] < 0.0);
        CHECK_CLOSE(offsets[2 + rate] / offsets[2], rates[rate] / rates[0], 1e-9);
    }
}

TEST(a_leaf_with_all_offsets_in_one_place_is_followed_like_any_other) {
    streams::Random random(12);
    const std::vector<double> rates{0.01, 0.06, 0.3, 0.7};
    for (std::size_t n = 2; n < 12; ++n)
        for (const double weight : {1.0, 0.3, 40.0}) {
            std::vector<double> values(n), offsets(4 * n), scratch;
            for (double& value : values) value = random.between(-8.0, 8.0);
            for (double& offset : offsets) offset = random.between(-2.0, 2.0);
            std::vector<double> other = offsets, products(5, 0.5), others = products;
            std::vector<double*> of_classes;
            for (std::size_t k = 0; k < n; ++k) of_classes.push_back(other.data() + 4 * k);
            const SoftmaxRow row{n / 2, n, values.data(), weight, 1.1};
            const double likelihood = GrowingLogSum().share(values.data(), n, row.y);
            follow_softmax(row, likelihood, rates, offsets.data(), products.data(), scratch);
            follow_softmax(row, rates, of_classes.data(), others.data(), scratch);
            CHECK(offsets == other);
            CHECK_CLOSE(products[0], others[0], 1e-12);
            CHECK(std::equal(products.begin() + 1, products.end(), others.begin() + 1));
        }
}

TEST(moves_that_labels_are_still_to_come_for_are_saved) {
    Model model(following({0.1, 0.5}, 3), 2);
    for (int row = 0; row < 7; ++row)
        model.move({1.0 + row, 3.0 - row, 2.0 * row, 4.0 + 0.5 * row});
    Archive saved, again;
    model.follows.save(saved, "");
    CHECK(saved.get<std::int64_t>("following/late_rows").at(0) == 3);
    Following loaded(model.options, 2);
    loaded.load(saved, "", model.trees);
    loaded.save(again, "");
    CHECK(streams::difference(saved, again) == "");
}

TEST(predictions_keep_up_with_a_level_that_moves) {
    // A level of 0, and then one of 10: a single leaf, whose value tests move slowly.
    std::vector<double> y(600, 0.0);
    streams::Random random(1);
    for (std::size_t r = 0; r < y.size(); ++r) y[r] = (r < 400 ? 0.0 : 10.0) + random.uniform();
    Options options = following({0.5});
    options.warm_up = 10;
    options.grace_period = 1000;
    const auto follows = predictions(options, y);
    // Until the race is won the value is predicted: the mean of the warm-up.
    CHECK_CLOSE(follows[399], 0.5, 0.6);
    const std::size_t late = 400 + 2 * Race::kRows;
    for (std::size_t r = late; r < y.size(); ++r) CHECK_CLOSE(follows[r], 10.5, 0.06);
    // Without rates it stays there.
    options.following_rates.clear();
    CHECK_CLOSE(predictions(options, y)[599], 0.5, 0.6);
}

TEST(a_way_that_is_good_only_at_once_does_not_win_where_labels_are_late) {
    // The target changes its sign after every five rows: the label of the row before is mostly
    // right, and that of five rows before, the latest that is known, always wrong.
    std::vector<double> y(400);
    for (std::size_t r = 0; r < y.size(); ++r) y[r] = (r / 5) % 2 == 0 ? 1.0 : -1.0;
    Options options = following({1.0});
    options.warm_up = 10;
    options.grace_period = 1000;
    const auto at_once = predictions(options, y);
    CHECK_CLOSE(at_once[398], y[397], 1e-12);  // the label of the row before
    options.label_delay = 5;
    const auto late = predictions(options, y);
    for (std::size_t r = 100; r < y.size(); ++r) CHECK_CLOSE(late[r], 0.0, 1e-12);
}

TEST(the_likelihood_of_a_leafs_value_is_remembered_until_the_value_changes) {
    streams::Random random(3);
    ValueLikelihoods known;
    std::vector<double> values(50, 0.0);
    for (std::size_t i = 0; i < 5000; ++i) {
        const std::size_t leaf = random.below(50), y = random.below(2);
        if (random.chance(0.1)) values[leaf] = 60.0 * random.uniform() - 30.0;
        const double against = y == 1 ? -values[leaf] : values[leaf];
        CHECK(known.of(leaf, y, values[leaf]) == ValueLikelihoods::compute(against));
        CHECK_CLOSE(ValueLikelihoods::compute(against),
                    std::max(1.0 / (1.0 + std::exp(against)), Race::kLeastLikelihood), 1e-11);
    }
}

TEST(a_likelihood_that_is_not_known_is_computed_beside_the_others) {
    streams::Random random(4);
    for (const std::size_t n : {1U, 3U, 4U, 5U, 8U, 9U})
        for (int i = 0; i < 200; ++i) {
            std::vector<double> rates(n), offsets(n), products(n + 1, 1.0);
            for (double& rate : rates) rate = random.uniform();
            for (double& offset : offsets) offset = random.between(-3.0, 3.0);
            const double sign = random.chance(0.5) ? 1.0 : -1.0, value = random.between(-9.0, 9.0);
            const LogOddsRow row{sign, value, random.between(0.1, 2.0)};
            std::vector<double> other_offsets = offsets, other_products = products;
            const bool has_leaf = i % 5 != 0;
            follow_log_odds(row, rates, has_leaf ? offsets.data() : nullptr, products.data());
            const FollowedLogOdds known{row, ValueLikelihoods::compute(sign * value),
                                        has_leaf ? other_offsets.data() : nullptr};
            follow_log_odds(&known, 1, rates, other_products.data());
            CHECK(offsets == other_offsets && products == other_products);
        }
}

TEST(rows_that_are_followed_together_are_followed_as_one_by_one) {
    streams::Random random(5);
    for (const std::size_t n : {1U, 3U, 4U, 6U})
        for (std::size_t n_rows = 1; n_rows < 5; ++n_rows) {
            std::vector<double> rates(n);
            for (double& rate : rates) rate = random.uniform();
            std::vector<FollowedLogOdds> rows;
            std::vector<std::vector<double>> together(n_rows, std::vector<double>(n, 0.1));
            std::vector<std::vector<double>> alone = together;
            std::vector<double> products(n + 1, 1.0), products_alone = products;
            for (std::size_t r = 0; r < n_rows; ++r) {
                const LogOddsRow row{random.chance(0.5) ? 1.0 : -1.0, random.between(-4.0, 4.0),
                                     1.0};
                const bool has_leaf = random.chance(0.8);
                rows.push_back({row, random.uniform(), has_leaf ? together[r].data() : nullptr});
                FollowedLogOdds one = rows.back();
                if (has_leaf) one.offsets = alone[r].data();
                follow_log_odds(&one, 1, rates, products_alone.data());
            }
            follow_log_odds(rows.data(), n_rows, rates, products.data());
            CHECK(together == alone && products == products_alone);
        }
}

int main(int argc, char** argv) {
    return check::run(argc, argv);
}
