#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "class_learners.hpp"
#include "learners.hpp"
#include "streams.hpp"

using namespace sgt;
using class_learners::error_rate;
using class_learners::learn;
using class_learners::probabilities;
using class_learners::quick_options;
using class_learners::Ranks;
using class_learners::Recorded;
using learners::Committee;
using streams::difference;
using streams::Shape;
using streams::Stream;

namespace {

void check_blocks(const Options& options, const Shape& shape) {
    class_learners::check_blocks<Committee>(options, shape);
}

}  // namespace

TEST(rows_that_come_column_by_column_are_learned_alike) {
    class_learners::check_columns<Committee>();
}

TEST(two_classes_are_learned_alike_in_blocks_and_row_by_row) {
    check_blocks(quick_options(), {.rows = 4000, .classes = 2, .missing = 0.1});
}

TEST(many_classes_are_learned_alike_in_blocks_and_row_by_row) {
    check_blocks(quick_options(),
                 {.rows = 4000, .nominal = {false, true, false, false}, .classes = 5, .seed = 2});
}

TEST(weighted_rows_are_learned_alike_in_blocks_and_row_by_row) {
    class_learners::check_blocks_of_weighted_rows<Committee>();
}

TEST(a_late_class_is_learned_alike_in_blocks_and_row_by_row) {
    for (const std::size_t from : {800U, 2500U})
        check_blocks(quick_options(), {.rows = 4000,
                                       .nominal = {false, true, false},
                                       .classes = 4,
                                       .seed = 4,
                                       .late_class_from = from});
}

TEST(codes_that_grow_wider_on_the_way_are_learned_alike_in_blocks_and_row_by_row) {
    check_blocks(
        quick_options(),
        {.rows = 4000, .nominal = {true, false, true}, .classes = 3, .categories = 700, .seed = 5});
}

TEST(quantile_bins_are_learned_alike_in_blocks_and_row_by_row) {
    Options options = quick_options();
    options.quantile_bins = true;
    options.n_bins = 300;
    check_blocks(options, {.rows = 3000, .classes = 2, .missing = 0.2, .seed = 6});
}

TEST(limits_are_kept_alike_in_blocks_and_row_by_row) {
    Options options = quick_options();
    options.max_leaves = 7;
    check_blocks(options, {.rows = 3000, .nominal = {true, false, false}, .classes = 3, .seed = 7});
    options = quick_options();
    options.max_memory = 20'000;
    check_blocks(options, {.rows = 4000, .nominal = {true, false, false}, .classes = 3, .seed = 8});
}

TEST(limited_memory_and_codes_that_grow_wider_are_learned_alike_in_blocks_and_row_by_row) {
    // The first category that needs wider codes comes in the middle of a block.
    Options options = quick_options();
    const std::vector<bool> nominal = {true, false, false, false, false, false};
    Stream s = streams::make(
        {.rows = 3000, .nominal = nominal, .classes = 3, .categories = 60, .seed = 9});
    for (std::size_t r = 1800; r < s.rows; r += 50) s.x[r * s.features] = 300.0;
    for (std::size_t kilobytes = 10; kilobytes <= 60; kilobytes += 5) {
        options.max_memory = kilobytes * 1000;
        Committee whole(options, nominal, nullptr), rows(options, nominal, nullptr);
        learn(whole, s, 0, s.rows);
        for (std::size_t r = 0; r < s.rows; ++r) learn(rows, s, r, r + 1);
        CHECK(difference(whole.save(), rows.save()) == "");
    }
}

TEST(given_ranges_skip_the_warm_up_alike_in_blocks_and_row_by_row) {
    const Shape shape{.rows = 2500, .nominal = {false, true, false}, .classes = 3, .seed = 10};
    const Stream s = streams::make(shape);
    const Ranges ranges = {{-1.0, 1.0}, {streams::kNan, streams::kNan}, {-1.0, 1.0}};
    Committee whole(quick_options(), shape.nominal, &ranges);
    CHECK(!whole.is_warming_up());
    learn(whole, s, 0, s.rows);
    Committee rows(quick_options(), shape.nominal, &ranges);
    for (std::size_t r = 0; r < s.rows; ++r) learn(rows, s, r, r + 1);
    CHECK(difference(whole.save(), rows.save()) == "");
    CHECK(whole.n_splits() > 0 && whole.n_classes() == 3);
}

TEST(the_number_of_threads_changes_nothing) {
    for (const std::size_t classes : {2U, 3U}) class_learners::check_threads<Committee>(classes);
}

TEST(other_threads_may_predict_and_save_while_one_learns) {
    class_learners::check_readers<Committee>(
        {.rows = 12'000, .nominal = {false, true, false}, .classes = 4, .seed = 25}, 12'000);
}

TEST(it_learns_what_there_is_to_learn) {
    const Shape shape{.rows = 20'000, .nominal = {false, true, false}, .classes = 4, .seed = 12};
    const Stream s = streams::make(shape);
    Committee model(quick_options(), shape.nominal, nullptr);
    Recorded before;
    learn(model, s, 0, s.rows, &before);
    CHECK(error_rate(before, s, s.rows / 2) < 0.5 * error_rate(before, s, 0) + 0.2);
    CHECK(error_rate(before, s, s.rows / 2) < 0.3);
    CHECK(model.n_rows() == s.rows && model.n_trees() == 3 && model.n_classes() == 4);
}

TEST(predictions_before_learning_are_those_of_predict) {
    class_learners::check_predictions_before<Committee>(
        {.rows = 1200, .nominal = {false, true, false}, .classes = 3, .seed = 13});
}

TEST(before_any_row_there_is_no_label_and_with_one_class_it_is_certain) {
    Committee model(quick_options(), {false}, nullptr);
    const Ranks ranks;
    const double x[] = {0.5, streams::kNan};
    std::int32_t labels[2] = {7, 7};
    ClassPredictions out;
    out.labels = labels;
    out.rank = ranks.values.data();
    model.predict({x, false, 2, 1}, out);
    CHECK(labels[0] == -1 && labels[1] == -1);
    const double zero = 0.0;
    for (int i = 0; i < 300; ++i) model.learn({x, false, 1, 1}, &zero, nullptr, nullptr);
    CHECK(!model.is_warming_up() && model.n_classes() == 1 && model.n_trees() == 0);
    CHECK(probabilities(model, {x, false, 2, 1}) == std::vector<double>({1.0, 1.0}));
    model.predict({x, false, 2, 1}, out);
    CHECK(labels[0] == 0 && labels[1] == 0);
}

TEST(ties_go_to_the_class_of_the_lowest_rank) {
    Committee model(quick_options(), {false}, nullptr);
    const double x[] = {0.5, 0.5, 0.5}, classes[] = {0, 1, 2};
    model.learn({x, false, 3, 1}, classes, nullptr, nullptr);
    for (std::int32_t first = 0; first < 3; ++first) {
        std::vector<std::int32_t> ranks = {1, 2, 3};
        ranks[static_cast<std::size_t>(first)] = 0;
        std::int32_t label = -1;
        ClassPredictions out;
        out.labels = &label;
        out.rank = ranks.data();
        model.predict({x, false, 1, 1}, out);
        CHECK(label == first);
    }
}

TEST(predictions_stay_within_the_classes_that_the_caller_has_room_for) {
    const Shape shape{.rows = 1200, .classes = 3, .seed = 29};
    const Stream s = streams::make(shape);
    Committee model(quick_options(), shape.nominal, nullptr);
    std::vector<double> p(2 * s.rows + 1, -1.0);
    ClassPredictions before;
    before.probabilities = p.data();
    before.stride = before.most_classes = 2;
    model.learn(s.view(), s.y.data(), nullptr, &before);
    CHECK(model.n_classes() == 3);
    for (std::size_t r = s.rows / 2; r < s.rows; ++r)
        CHECK_CLOSE(p[2 * r] + p[2 * r + 1], 1.0, 1e-12);
    CHECK(p.back() == -1.0);
}

TEST(rows_with_another_number_of_columns_are_refused) {
    const Stream s = streams::make({.rows = 300, .classes = 2});
    const Stream narrow = streams::make({.rows = 300, .nominal = {false, false}, .classes = 2});
    Committee model(quick_options(), {false, false, false}, nullptr);
    for (const std::size_t begin : {0U, 150U}) {  // in the warm-up, and after it
        CHECK_THROWS(std::invalid_argument, learn(model, narrow, 0, 10));
        CHECK_THROWS(std::invalid_argument, probabilities(model, narrow.view()));
        learn(model, s, begin, begin + 150);
    }
}

TEST(class_numbers_out_of_order_are_refused_and_leave_the_model_as_it_was) {
    class_learners::check_class_numbers<Committee>(2);
}

TEST(rows_of_weight_0_are_as_if_they_had_not_come) {
    for (const std::size_t classes : {2U, 3U}) {
        const Shape shape{.rows = 3000,
                          .nominal = {false, true, false},
                          .classes = classes,
                          .missing = 0.1,
                          .weighted = true,
                          .seed = 15};
        const Stream s = streams::make(shape);
        Stream without = s;
        without.rows = 0;
        without.x.clear();
        without.y.clear();
        without.w.clear();
        for (std::size_t r = 0; r < s.rows; ++r) {
            if (s.w[r] == 0.0) continue;
            ++without.rows;
            for (std::size_t f = 0; f < s.features; ++f)
                without.x.push_back(s.x[r * s.features + f]);
            without.y.push_back(s.y[r]);
            without.w.push_back(s.w[r]);
        }
        Committee a(quick_options(), shape.nominal, nullptr),
            b(quick_options(), shape.nominal, nullptr);
        learn(a, s, 0, s.rows);
        learn(b, without, 0, without.rows);
        CHECK(without.rows < s.rows);
        CHECK(difference(a.save(), b.save()) == "");
    }
}

TEST(weights_of_1_are_no_weights) {
    const Shape shape{.rows = 2000, .classes = 3, .seed = 16};
    const Stream s = streams::make(shape);
    Stream weighted = s;
    weighted.w.assign(s.rows, 1.0);
    Committee a(quick_options(), shape.nominal, nullptr),
        b(quick_options(), shape.nominal, nullptr);
    learn(a, s, 0, s.rows);
    learn(b, weighted, 0, s.rows);
    CHECK(difference(a.save(), b.save()) == "");
}

TEST(scaling_all_weights_by_a_power_of_two_gives_the_same_predictions) {
    class_learners::check_scaled_weights<Committee>(
        {.rows = 3000, .classes = 3, .weighted = true, .seed = 17});
}

TEST(a_third_class_turns_counts_into_moments_and_its_tree_starts_as_one_leaf) {
    const Shape shape{.rows = 3000, .classes = 2, .seed = 18};
    Stream s = streams::make(shape);
    Committee model(quick_options(), shape.nominal, nullptr);
    learn(model, s, 0, 2000);
    const auto layout = [](const Tree& tree, const FeatureSpace&) { return tree.layout(); };
    CHECK(learners::read_tree(model, 0, layout) == Layout::class_counts);
    const auto size = [](const Tree& tree, const FeatureSpace&) { return tree.nodes().size(); };
    const std::size_t n_nodes = learners::read_tree(model, 0, size);
    const std::vector<double> before = probabilities(model, s.view());
    s.y[2000] = 2.0;
    learn(model, s, 2000, 2001);
    CHECK(model.n_classes() == 3 && model.n_trees() == 2);
    CHECK(learners::read_tree(model, 0, layout) == Layout::moments);
    CHECK(learners::read_tree(model, 1, layout) == Layout::moments);
    CHECK(learners::read_tree(model, 1, size) == 1);
    CHECK(learners::read_tree(model, 0, size) == n_nodes);
    // The odds between the first two are as before.
    const std::vector<double> after = probabilities(model, s.view());
    for (std::size_t r = 0; r < s.rows; r += 50)
        CHECK_CLOSE(after[3 * r + 1] / after[3 * r], before[2 * r + 1] / before[2 * r], 1e-12);
    learn(model, s, 2001, 3000);
    for (const double p : probabilities(model, s.view())) CHECK(p >= 0.0 && p <= 1.0);
}

TEST(late_features_are_learned_alike_in_blocks_and_row_by_row) {
    class_learners::check_late_features<Committee>(3);
}

TEST(features_may_come_during_the_warm_up) {
    const Shape early{.rows = 60, .nominal = {false}, .classes = 2, .seed = 21};
    const Shape late{.rows = 1000, .nominal = {false, true, false}, .classes = 2, .seed = 22};
    const Stream a = streams::make(early), b = streams::make(late);
    Committee model(quick_options(), early.nominal, nullptr);
    learn(model, a, 0, a.rows);
    model.add_features({true, false}, nullptr);
    CHECK(model.is_warming_up());
    learn(model, b, 0, b.rows);
    CHECK(!model.is_warming_up() && model.n_rows() == 1060);
    CHECK(learners::read_features(model, [](const FeatureSpace& f) { return f.is_ready(2); }));
}

TEST(refused_ranges_of_late_features_leave_the_model_as_it_was) {
    const Shape shape{.rows = 600, .nominal = {false, true}, .classes = 2, .seed = 23};
    const Stream s = streams::make(shape);
    Committee model(quick_options(), shape.nominal, nullptr),
        twin(quick_options(), shape.nominal, nullptr);
    learn(model, s, 0, 400);
    learn(twin, s, 0, 400);
    const Ranges backwards = {{1.0, 0.0}}, too_many = {{0.0, 1.0}, {0.0, 1.0}};
    CHECK_THROWS(std::invalid_argument, model.add_features({false}, &backwards));
    CHECK_THROWS(std::invalid_argument, model.add_features({false}, &too_many));
    CHECK(model.n_features() == 2);
    CHECK(difference(twin.save(), model.save()) == "");
    learn(model, s, 400, 600);
    learn(twin, s, 400, 600);
    CHECK(difference(twin.save(), model.save()) == "");
}

TEST(a_missing_category_number_that_is_negative_is_refused_in_learning_and_unseen_in_predicting) {
    const Shape shape{.rows = 1000, .nominal = {true, false}, .classes = 2, .seed = 24};
    const Stream s = streams::make(shape);
    Committee model(quick_options(), shape.nominal, nullptr);
    learn(model, s, 0, s.rows);
    const double x[] = {-1.0, 0.3, 1e12, 0.3, 999.0, 0.3}, y[] = {0, 1, 0};
    CHECK(probabilities(model, {x, false, 3, 2}).size() == 6);
    CHECK_THROWS(std::invalid_argument, model.learn({x, false, 1, 2}, y, nullptr, nullptr));
    CHECK_THROWS(std::invalid_argument, model.learn({x, false, 3, 2}, y, nullptr, nullptr));
    learn(model, s, 0, s.rows);
    CHECK(model.n_rows() >= 2000);
}

TEST(options_out_of_range_are_refused) {
    const auto refuses = [](auto change) {
        Options options;
        change(options);
        CHECK_THROWS(std::invalid_argument, Committee(options, {false}, nullptr));
    };
    refuses([](Options& o) { o.n_bins = 1; });
    refuses([](Options& o) { o.n_bins = 100'000; });
    refuses([](Options& o) { o.warm_up = 0; });
    refuses([](Options& o) { o.grace_period = 1; });
    refuses([](Options& o) { o.delta = 0.0; });
    refuses([](Options& o) { o.delta = streams::kNan; });
    refuses([](Options& o) { o.reg_lambda = -1.0; });
    refuses([](Options& o) { o.gamma = streams::kNan; });
    refuses([](Options& o) { o.max_leaves = 0; });
    refuses([](Options& o) { o.max_memory = 1; });
    refuses([](Options& o) { o.n_threads = 0; });
}

TEST(rows_in_all_leaves_become_wider_with_the_codes) {
    const Shape shape{.rows = 1200, .nominal = {false, true}, .classes = 2};
    Stream s = streams::make(shape);
    Options options = learners::options_of({100, 40, 1e-2, 0.05});
    options.kept_rows = 30;
    Committee model(options, shape.nominal, nullptr);
    Archive start = model.save();
    start.put<std::int64_t>("features/code_bytes", {2});
    Committee always_wide(options, start);
    s.x[2 * 1000 + 1] = 300.0;
    for (Committee* learner : {&model, &always_wide}) learners::learn(*learner, s, 0, 1000);
    CHECK(model.n_splits() > 0);
    for (Committee* learner : {&model, &always_wide}) learners::learn(*learner, s, 1000, s.rows);
    CHECK(difference(model.save(), always_wide.save()) == "");
}

int main(int argc, char** argv) {
    return check::run(argc, argv);
}
