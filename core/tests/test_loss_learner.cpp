#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.hpp"
#include "learners.hpp"
#include "streams.hpp"

using namespace sgt;
using streams::difference;
using streams::Shape;
using streams::Stream;

namespace {

Options quick_options() {
    return learners::options_of({150, 40, 1e-3, 0.1});
}

// Squared error as a user's loss: it is called for blocks, and all six moments are kept.
class UsersLoss final : public Loss {
public:
    explicit UsersLoss(double fails_above = 1e300) : fails_above_(fails_above) {}

    Derivatives derivatives(double y, double raw) const override {
        if (y > fails_above_) return {streams::kNan, 1.0};
        return {raw - y, 1.0};
    }
    double best_constant(const Targets& targets) const override {
        double sum = 0.0, weight = 0.0;
        for (std::size_t i = 0; i < targets.y.size(); ++i) {
            sum += targets.y[i] * targets.w[i];
            weight += targets.w[i];
        }
        return weight > 0.0 ? sum / weight : 0.0;
    }
    bool takes_blocks() const override {
        return true;
    }
    void block_derivatives(const double* y, const double* raw, std::size_t n, std::size_t outputs,
                           Derivatives* out) const override {
        for (std::size_t i = 0; i < n * outputs; ++i) out[i] = derivatives(y[i], raw[i]);
    }
    std::vector<double> block_constants(const Targets& targets,
                                        std::size_t outputs) const override {
        std::vector<double> constants;
        for (std::size_t j = 0; j < outputs; ++j) {
            std::vector<double> column;
            for (std::size_t i = j; i < targets.y.size(); i += outputs)
                column.push_back(targets.y[i]);
            constants.push_back(best_constant({column, targets.w}));
        }
        return constants;
    }

private:
    double fails_above_;
};

std::unique_ptr<Loss> loss_named(const std::string& name) {
    if (name == "users") return std::make_unique<UsersLoss>();
    return make_loss(name, {});
}

LossLearner::Losses losses_named(const std::string& name, std::size_t outputs) {
    LossLearner::Losses losses;
    losses.push_back(loss_named(name));
    // A loss that takes blocks is one for all.
    while (losses.size() < outputs && name != "users") losses.push_back(loss_named(name));
    return losses;
}

// Rows of as many targets as the model has outputs.
void learn(LossLearner& model, const Stream& s, std::size_t begin, std::size_t end,
           std::vector<double>* before = nullptr) {
    const std::size_t outputs = model.n_outputs();
    const double* w = s.weights() == nullptr ? nullptr : s.weights() + begin;
    if (before != nullptr) before->resize(end * outputs);
    model.learn(s.view(begin, end), s.y.data() + begin * outputs, w,
                before == nullptr ? nullptr : before->data() + begin * outputs);
}

std::vector<double> predict(const LossLearner& model, const RowsView& x) {
    std::vector<double> raw(x.rows * model.n_outputs());
    model.predict(x, raw.data());
    return raw;
}

double squared_error(const std::vector<double>& raw, const Stream& s, std::size_t from) {
    double sum = 0.0;
    for (std::size_t r = from; r < s.rows; ++r) sum += (raw[r] - s.y[r]) * (raw[r] - s.y[r]);
    return sum / static_cast<double>(s.rows - from);
}

void check_blocks(const Options& options, const Shape& shape, const std::string& loss,
                  const Ranges* ranges = nullptr, std::size_t outputs = 1) {
    const Stream s = streams::make_targets(shape, outputs);
    LossLearner whole(options, shape.nominal, ranges, losses_named(loss, outputs), outputs);
    std::vector<double> before;
    learn(whole, s, 0, s.rows, &before);
    if (outputs > 1) CHECK(whole.n_splits() > 0);
    const Archive expected = whole.save();
    for (const std::size_t step : {(s.rows + 1) / 2, std::size_t{97}, std::size_t{1}}) {
        LossLearner parts(options, shape.nominal, ranges, losses_named(loss, outputs), outputs);
        std::vector<double> before_parts;
        for (std::size_t begin = 0; begin < s.rows; begin += step)
            learn(parts, s, begin, std::min(begin + step, s.rows), &before_parts);
        CHECK(difference(expected, parts.save()) == "");
        CHECK(streams::same_bits(before, before_parts));
    }
}

void check_threads(std::size_t outputs) {
    std::vector<bool> nominal(120, false);
    for (std::size_t f = 5; f < 120; f += 7) nominal[f] = true;
    const Stream s = streams::make_targets(
        {.rows = 6000, .nominal = nominal, .categories = 40, .missing = 0.02, .seed = 10}, outputs);
    for (const char* loss : {"squared_error", "huber", "users"}) {
        Options options = quick_options();
        options.grace_period = 300;
        options.warm_up = 500;
        Archive expected;
        std::vector<double> before;
        for (const std::size_t n_threads : {1U, 2U, 3U}) {
            options.n_threads = n_threads;
            LossLearner model(options, nominal, nullptr, losses_named(loss, outputs), outputs);
            std::vector<double> raw;
            learn(model, s, 0, s.rows, &raw);
            CHECK(model.n_splits() > 0);
            if (n_threads == 1) {
                expected = model.save();
                before = raw;
            }
            CHECK(difference(expected, model.save()) == "");
            CHECK(streams::same_bits(before, raw));
        }
    }
}

// A loss that takes blocks fails at the last target of a row.
void check_failure(std::size_t outputs) {
    const Shape shape{.rows = 1000, .seed = 31};
    Stream s = streams::make_targets(shape, outputs);
    s.y[outputs * 701 - 1] = 1e6;
    const auto failing = [] {
        LossLearner::Losses losses;
        losses.push_back(std::make_unique<UsersLoss>(1e5));
        return losses;
    };
    LossLearner model(quick_options(), shape.nominal, nullptr, failing(), outputs);
    LossLearner twin(quick_options(), shape.nominal, nullptr, failing(), outputs);
    CHECK_THROWS(LossFailure, learn(model, s, 0, s.rows));
    learn(twin, s, 0, 700);
    CHECK(model.n_rows() == 700);
    CHECK(difference(twin.save(), model.save()) == "");
    learn(model, s, 701, 1000);
    learn(twin, s, 701, 1000);
    CHECK(difference(twin.save(), model.save()) == "");
}

}  // namespace

TEST(squared_error_is_learned_alike_in_blocks_and_row_by_row) {
    check_blocks(quick_options(),
                 {.rows = 4000, .nominal = {false, true, false}, .missing = 0.1, .seed = 1},
                 "squared_error");
    check_blocks(quick_options(), {.rows = 3000, .weighted = true, .seed = 2}, "squared_error");
}

TEST(other_losses_are_learned_alike_in_blocks_and_row_by_row) {
    for (const char* loss : {"huber", "quantile", "poisson", "log_cosh"})
        check_blocks(quick_options(),
                     {.rows = 1500, .nominal = {false, true, false}, .weighted = true, .seed = 3},
                     loss);
}

TEST(a_loss_that_takes_blocks_is_learned_alike_in_blocks_and_row_by_row) {
    for (const bool weighted : {false, true})
        check_blocks(quick_options(),
                     {.rows = 4000,
                      .nominal = {false, true, false},
                      .missing = 0.1,
                      .weighted = weighted,
                      .seed = 4},
                     "users");
}

TEST(a_loss_that_takes_blocks_sees_categories_that_come_after_their_split) {
    // New categories keep coming, their leaves are made and changed within a block.
    Options options = quick_options();
    options.grace_period = 10;
    options.delta = 0.2;
    options.gamma = 0.0;
    for (std::uint64_t seed = 5; seed < 9; ++seed)
        check_blocks(options,
                     {.rows = 3000, .nominal = {true, false}, .categories = 60, .seed = seed},
                     "users");
}

TEST(the_general_path_agrees_with_the_fast_one) {
    const Shape shape{
        .rows = 4000, .nominal = {false, true, false}, .missing = 0.1, .weighted = true, .seed = 6};
    for (const std::size_t outputs : {1U, 3U}) {
        const Stream s = streams::make_targets(shape, outputs);
        LossLearner fast(quick_options(), shape.nominal, nullptr,
                         losses_named("squared_error", outputs), outputs);
        LossLearner general(quick_options(), shape.nominal, nullptr, losses_named("users", outputs),
                            outputs);
        learn(fast, s, 0, s.rows);
        learn(general, s, 0, s.rows);
        CHECK(fast.n_splits() == general.n_splits() && fast.n_splits() > 0);
        const std::vector<double> a = predict(fast, s.view()), b = predict(general, s.view());
        for (std::size_t i = 0; i < a.size(); ++i) CHECK_CLOSE(a[i], b[i], 1e-9);
    }
}

TEST(limits_are_kept_alike_in_blocks_and_row_by_row) {
    Options options = quick_options();
    options.max_depth = 2;
    check_blocks(options, {.rows = 2000, .seed = 7}, "squared_error");
    options = quick_options();
    options.max_memory = 8000;
    check_blocks(options, {.rows = 4000, .nominal = {true, false, false}, .seed = 8},
                 "squared_error");
}

TEST(given_ranges_start_at_the_neutral_value) {
    const Ranges ranges = {{-1.0, 1.0}, {-1.0, 1.0}, {-1.0, 1.0}};
    LossLearner model(quick_options(), {false, false, false}, &ranges, loss_named("squared_error"));
    CHECK(!model.is_warming_up());
    const std::vector<double> x(3, 0.0);
    CHECK(predict(model, {x.data(), false, 1, 3}) == std::vector<double>({0.0}));
    check_blocks(quick_options(), {.rows = 2000, .seed = 9}, "squared_error", &ranges);
}

TEST(the_number_of_threads_changes_nothing) {
    check_threads(1);
    check_threads(3);
}

TEST(it_learns_what_there_is_to_learn) {
    const Shape shape{.rows = 10'000, .seed = 11};
    const Stream s = streams::make(shape);
    LossLearner model(quick_options(), shape.nominal, nullptr, loss_named("squared_error"));
    std::vector<double> before;
    learn(model, s, 0, s.rows, &before);
    CHECK(squared_error(before, s, 5000) < 0.5);
    CHECK(squared_error(std::vector<double>(s.rows, 14.5), s, 5000) > 2.0);
}

TEST(targets_far_from_zero_train_as_well_as_those_around_it) {
    const Shape shape{.rows = 10'000, .seed = 12};
    const Stream s = streams::make(shape);
    std::vector<double> errors;
    for (const double offset : {0.0, 1e6, 1e9, -1e9}) {
        Stream moved = s;
        for (double& y : moved.y) y += offset;
        LossLearner model(quick_options(), shape.nominal, nullptr, loss_named("squared_error"));
        std::vector<double> before;
        learn(model, moved, 0, s.rows, &before);
        errors.push_back(squared_error(before, moved, 2000));
        CHECK(errors.back() < 1.01 * errors.front());
    }
}

TEST(targets_that_are_noise_grow_no_tree) {
    streams::Random random(13);
    Stream s = streams::make({.rows = 20'000, .seed = 13});
    for (double& y : s.y) y = random.between(-1.0, 1.0);
    Options options;
    LossLearner model(options, {false, false, false}, nullptr, loss_named("squared_error"));
    learn(model, s, 0, s.rows);
    CHECK(model.n_splits() == 0);
}

TEST(during_the_warm_up_the_prediction_is_the_mean_so_far) {
    const Stream s = streams::make({.rows = 100, .weighted = true, .seed = 14});
    LossLearner model(quick_options(), {false, false, false}, nullptr, loss_named("squared_error"));
    std::vector<double> before;
    learn(model, s, 0, s.rows, &before);
    CHECK(model.is_warming_up());
    double sum = 0.0, weight = 0.0;
    for (std::size_t r = 0; r < s.rows; ++r) {
        CHECK_CLOSE(before[r], weight > 0.0 ? sum / weight : 0.0, 1e-12);
        sum += s.w[r] * s.y[r];
        weight += s.w[r];
    }
    CHECK_CLOSE(predict(model, s.view())[7], sum / weight, 1e-12);
    model.end_warm_up();
    CHECK(!model.is_warming_up());
    CHECK(model.n_rows() < s.rows && model.n_rows() > 50);
}

TEST(a_warm_up_that_ends_without_rows_leaves_a_usable_model) {
    LossLearner model(quick_options(), {false, true}, nullptr, loss_named("squared_error"));
    model.end_warm_up();
    const Stream s = streams::make({.rows = 500, .nominal = {false, true}, .seed = 15});
    learn(model, s, 0, s.rows);
    CHECK(std::isfinite(predict(model, s.view())[0]));
}

TEST(a_loss_that_fails_leaves_the_rows_before_it_learned) {
    check_failure(1);
    check_failure(2);  // at the second target
}

TEST(rows_of_the_warm_up_that_came_before_are_lost_only_where_the_loss_fails_for_them) {
    const Shape shape{.rows = 1000, .seed = 18};
    Stream s = streams::make(shape);
    for (const std::size_t r : {20, 60, 130}) s.y[r] = 1e6;
    LossLearner model(quick_options(), shape.nominal, nullptr, std::make_unique<UsersLoss>(1e5));
    LossLearner rows(quick_options(), shape.nominal, nullptr, std::make_unique<UsersLoss>(1e5));
    learn(model, s, 0, 100);
    CHECK_THROWS(LossFailure, learn(model, s, 100, 1000));
    CHECK(!model.is_warming_up());
    CHECK(model.n_rows() == 98 + 30);  // row 130 came with the call and ended it
    learn(model, s, 131, 1000);
    for (std::size_t r = 0; r < 149; ++r) learn(rows, s, r, r + 1);
    CHECK_THROWS(LossFailure, learn(rows, s, 149, 150));
    CHECK(rows.n_rows() == 147);
    learn(rows, s, 150, 1000);
    CHECK(difference(rows.save(), model.save()) == "");
}

TEST(float32_rows_give_what_the_same_numbers_give_as_float64) {
    const Shape shape{.rows = 2000, .nominal = {false, true, false}, .missing = 0.1, .seed = 17};
    Stream s = streams::make(shape);
    std::vector<float> floats;
    for (double& x : s.x) {
        floats.push_back(static_cast<float>(x));
        x = static_cast<double>(floats.back());
    }
    LossLearner a(quick_options(), shape.nominal, nullptr, loss_named("squared_error"));
    LossLearner b(quick_options(), shape.nominal, nullptr, loss_named("squared_error"));
    learn(a, s, 0, s.rows);
    const RowsView x{floats.data(), true, s.rows, s.features};
    b.learn(x, s.y.data(), nullptr, nullptr);
    CHECK(difference(a.save(), b.save()) == "");
    CHECK(streams::same_bits(predict(a, s.view()), predict(b, x)));
}

// --- several outputs ---------------------------------------------------------------------------

TEST(several_targets_are_learned_alike_in_blocks_and_row_by_row) {
    for (const char* loss : {"squared_error", "absolute_error", "poisson", "users"})
        for (const bool weighted : {false, true})
            check_blocks(quick_options(),
                         {.rows = 2500,
                          .nominal = {false, true, false},
                          .missing = 0.1,
                          .weighted = weighted,
                          .seed = 20},
                         loss, nullptr, 3);
}

TEST(a_block_loss_of_several_targets_sees_categories_that_come_after_their_split) {
    Options options = quick_options();
    options.grace_period = 10;
    options.delta = 0.2;
    options.gamma = 0.0;
    for (std::uint64_t seed = 21; seed < 24; ++seed)
        check_blocks(options,
                     {.rows = 3000, .nominal = {true, false}, .categories = 60, .seed = seed},
                     "users", nullptr, 2);
}

TEST(limits_are_kept_by_several_targets_alike_in_blocks_and_row_by_row) {
    const Shape shape{.rows = 3000, .nominal = {true, false, false}, .seed = 24};
    for (const char* loss : {"squared_error", "huber", "users"})
        for (const std::size_t max_memory : {30'000U, 100'000U}) {
            Options options = quick_options();
            options.max_memory = max_memory;
            check_blocks(options, shape, loss, nullptr, 4);
        }
    Options options = quick_options();
    options.max_leaves = 5;
    check_blocks(options, shape, "squared_error", nullptr, 4);
    const Ranges ranges = {{streams::kNan, streams::kNan}, {-1.0, 1.0}, {-1.0, 1.0}};
    check_blocks(quick_options(), shape, "users", &ranges, 2);
}

TEST(a_target_that_says_nothing_leaves_the_tree_of_the_other_and_its_own_constant) {
    // All its gradients are 0: no share in any change, no variance.
    const Shape shape{.rows = 4000, .nominal = {false, true, false}, .seed = 27};
    const Stream one = streams::make(shape);
    Stream two = one;
    two.y.clear();
    for (const double y : one.y) two.y.insert(two.y.end(), {y, 7.0});
    LossLearner alone(quick_options(), shape.nominal, nullptr, losses_named("squared_error", 1), 1);
    LossLearner both(quick_options(), shape.nominal, nullptr, losses_named("squared_error", 2), 2);
    std::vector<double> a, b;
    learn(alone, one, 0, one.rows, &a);
    learn(both, two, 0, two.rows, &b);
    CHECK(alone.n_splits() > 0 && alone.n_splits() == both.n_splits());
    for (std::size_t r = 0; r < one.rows; ++r) {
        CHECK_CLOSE(b[2 * r], a[r], 1e-12);
        CHECK(b[2 * r + 1] == (r == 0 ? 0.0 : 7.0));
    }
}

TEST(targets_far_from_zero_train_beside_others_as_well_as_those_around_it) {
    const Shape shape{.rows = 5000, .seed = 28};
    const Stream s = streams::make_targets(shape, 3);
    std::vector<double> plain;
    for (const double offset : {0.0, 1e6, -1e9}) {
        Stream moved = s;
        for (std::size_t r = 0; r < s.rows; ++r) moved.y[3 * r + 1] += offset;
        LossLearner model(quick_options(), shape.nominal, nullptr, losses_named("squared_error", 3),
                          3);
        std::vector<double> before;
        learn(model, moved, 0, s.rows, &before);
        for (std::size_t r = 0; r < s.rows; ++r) before[3 * r + 1] -= r == 0 ? 0.0 : offset;
        if (offset == 0.0) plain = before;
        for (std::size_t i = 0; i < before.size(); ++i)
            CHECK(std::fabs(before[i] - plain[i]) <= 1e-9 + 1e-14 * std::fabs(offset));
    }
}

TEST(during_the_warm_up_each_target_is_predicted_by_its_own_mean_so_far) {
    const Stream s = streams::make_targets({.rows = 100, .weighted = true, .seed = 29}, 2);
    LossLearner model(quick_options(), {false, false, false}, nullptr,
                      losses_named("squared_error", 2), 2);
    std::vector<double> before;
    learn(model, s, 0, s.rows, &before);
    CHECK(model.is_warming_up());
    double weight = 0.0, sums[] = {0.0, 0.0};
    for (std::size_t r = 0; r < s.rows; ++r) {
        for (std::size_t j = 0; j < 2; ++j) {
            CHECK_CLOSE(before[2 * r + j], weight > 0.0 ? sums[j] / weight : 0.0, 1e-12);
            sums[j] += s.w[r] * s.y[2 * r + j];
        }
        weight += s.w[r];
    }
    const std::vector<double> now = predict(model, s.view(0, 2));
    for (std::size_t i = 0; i < 4; ++i) CHECK_CLOSE(now[i], sums[i % 2] / weight, 1e-12);
}

TEST(each_target_has_its_own_scale) {
    const Stream s = streams::make_targets({.rows = 400, .seed = 30}, 3);
    LossLearner model(quick_options(), {false, false, false}, nullptr, losses_named("huber", 3), 3);
    learn(model, s, 0, s.rows);
    for (std::size_t j = 0; j < 3; ++j) {
        Stream alone = s;
        alone.y.clear();
        for (std::size_t r = 0; r < s.rows; ++r) alone.y.push_back(s.y[3 * r + j]);
        LossLearner of_one(quick_options(), {false, false, false}, nullptr, loss_named("huber"));
        learn(of_one, alone, 0, s.rows);
        CHECK(model.losses()[j]->scale() == of_one.losses()[0]->scale());
        if (j > 0) CHECK(model.losses()[j]->scale() != model.losses()[0]->scale());
    }
}

// The median of the targets, under the default of the quantile loss.
TEST(leaves_settle_at_the_quantiles_of_their_rows) {
    const Stream s = streams::make_targets({.rows = 401, .seed = 31}, 1);
    Options options = quick_options();
    options.max_leaves = 1;
    const std::vector<NodeIndex> at_root(s.rows, 0);
    for (const std::string name : {"quantile", "absolute_error"}) {
        LossLearner model(options, {false, false, false}, nullptr, loss_named(name));
        learn(model, s, 0, s.rows);
        const double before = predict(model, s.view(0, 1))[0];
        model.settle_quantiles(at_root.data(), s.y.data(), nullptr, s.rows);
        std::vector<double> ordered = s.y;
        std::sort(ordered.begin(), ordered.end());
        const double expected = name == "quantile" ? ordered[200] : before;
        CHECK_CLOSE(predict(model, s.view(0, 1))[0], expected, 1e-12);
    }
}

TEST(rows_at_a_node_that_there_is_not_are_refused_and_change_nothing) {
    const Stream s = streams::make_targets({.rows = 300, .seed = 32}, 1);
    LossLearner model(quick_options(), {false, false, false}, nullptr, loss_named("quantile"));
    learn(model, s, 0, s.rows);
    const Archive before = model.save();
    std::vector<NodeIndex> nodes(s.rows, 0);
    nodes.back() = static_cast<NodeIndex>(model.n_nodes());
    CHECK_THROWS(std::invalid_argument,
                 model.settle_quantiles(nodes.data(), s.y.data(), nullptr, s.rows));
    CHECK(difference(before, model.save()) == "");
}

TEST(boosted_members_learn_a_users_loss_in_rounds_as_they_learn_the_same_built_in_one) {
    const Shape shape{.rows = 4000, .nominal = {false, true, false}, .missing = 0.05};
    const Stream s = streams::make(shape);
    Options options = quick_options();
    options.combination = Combination::boosting;
    options.n_estimators = 3;
    options.learning_rate = 0.3;
    options.round_rows = 300;
    const auto predictions = [&](std::unique_ptr<Loss> loss) {
        LossLearner model(options, shape.nominal, nullptr, std::move(loss));
        learners::learn(model, s, 0, s.rows);
        CHECK(model.n_trees() == 3 && model.n_splits() > 3);
        std::vector<double> raw(s.rows);
        model.predict(s.view(), raw.data());
        return raw;
    };
    const std::vector<double> users = predictions(std::make_unique<UsersLoss>());
    const std::vector<double> built_in = predictions(make_loss("squared_error", {}));
    double most = 0.0, error = 0.0;
    for (std::size_t r = 0; r < s.rows; ++r) {
        most = std::fmax(most, std::fabs(users[r] - built_in[r]));
        error += (users[r] - s.y[r]) * (users[r] - s.y[r]) / static_cast<double>(s.rows);
    }
    CHECK(most < 1e-9);
    CHECK(error < 2.0);
}

TEST(the_rate_of_a_leaf_is_per_row_since_its_last_change) {
    // One leaf, whose value moves with the level.
    const std::vector<double> x(600, 0.5);
    std::vector<double> y(600);
    streams::Random random(1);
    for (std::size_t r = 0; r < y.size(); ++r)
        y[r] = (r < 300 ? 1.0 : 20.0) + random.between(-0.1, 0.1);
    const Ranges ranges{{0.0, 1.0}};
    LossLearner first(quick_options(), {false}, &ranges, make_loss("squared_error", {}));
    first.learn(RowsView{x.data(), false, 300, 1}, y.data(), nullptr, nullptr);
    // The rate of the next change, and the rows since it is said to have been the last one.
    const auto energy_since = [&](std::int64_t since) {
        Archive archive = first.save();
        archive.put<std::int64_t>("tree0/nodes/since", {since});
        LossLearner model(quick_options(), archive, make_loss("squared_error", {}));
        const std::uint64_t before = model.n_updates();
        std::size_t r = 300;
        for (; model.n_updates() == before; ++r)
            model.learn(RowsView{x.data() + r, false, 1, 1}, y.data() + r, nullptr, nullptr);
        const auto rows = static_cast<double>(r) - static_cast<double>(since) + 1.0;
        CHECK(model.save().get<std::int64_t>("tree0/nodes/since").at(0) ==
              static_cast<std::int64_t>(r));
        return model.save().get<double>("tree0/nodes/rate").at(0) * rows;
    };
    CHECK(energy_since(0) > 0.0);
    CHECK_CLOSE(energy_since(100) / energy_since(0), 1.0, 1e-12);
    CHECK_CLOSE(energy_since(250) / energy_since(0), 1.0, 1e-12);
}

int main(int argc, char** argv) {
    return check::run(argc, argv);
}
