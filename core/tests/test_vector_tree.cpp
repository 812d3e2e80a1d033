#include <algorithm>
#include <cmath>
#include <cstddef>
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
using class_learners::Recorded;
using learners::VectorTree;
using streams::difference;
using streams::kNan;
using streams::Shape;
using streams::Stream;

namespace {

void check_blocks(const Options& options, const Shape& shape, const Ranges* ranges = nullptr) {
    class_learners::check_blocks<VectorTree>(options, shape, ranges);
}

// A node's values.
std::vector<double> values(const VectorTree& model, NodeIndex node) {
    return learners::read_tree(model, 0, [&](const Tree& tree, const FeatureSpace&) {
        return std::vector<double>(tree.values(node), tree.values(node) + tree.layout().outputs);
    });
}

}  // namespace

TEST(rows_that_come_column_by_column_are_learned_alike) {
    class_learners::check_columns<VectorTree>();
}

TEST(classes_are_learned_alike_in_blocks_and_row_by_row) {
    for (const std::size_t classes : {2U, 3U, 6U})
        check_blocks(quick_options(), {.rows = 4000,
                                       .nominal = {false, true, false, false},
                                       .classes = classes,
                                       .missing = 0.1,
                                       .seed = classes});
}

TEST(weighted_rows_are_learned_alike_in_blocks_and_row_by_row) {
    class_learners::check_blocks_of_weighted_rows<VectorTree>();
}

TEST(late_classes_are_learned_alike_in_blocks_and_row_by_row) {
    for (const bool from_data : {true, false})
        for (const std::size_t from : {100U, 800U, 2500U}) {
            Options options = quick_options();
            options.start_from_data = from_data;
            check_blocks(options, {.rows = 4000,
                                   .nominal = {false, true, false},
                                   .classes = 5,
                                   .weighted = true,
                                   .seed = 4,
                                   .late_class_from = from});
        }
}

TEST(a_late_class_and_a_category_without_a_leaf_may_come_in_the_same_row) {
    // Categories and classes that are new, after the split on the categories.
    const Shape shape{.rows = 2000, .nominal = {true}, .classes = 2, .categories = 3, .seed = 5};
    Stream s = streams::make(shape);
    for (std::size_t r = 0; r < s.rows; ++r)
        s.y[r] = s.x[r] == s.x[0] ? 0.0 : 1.0;  // one category decides the class
    for (const std::size_t r : {1200U, 1500U, 1800U}) {
        s.x[r] = static_cast<double>(r);
        s.y[r] = static_cast<double>(r / 300 - 2);
    }
    VectorTree whole(quick_options(), shape.nominal, nullptr),
        rows(quick_options(), shape.nominal, nullptr);
    learn(whole, s, 0, s.rows);
    for (std::size_t r = 0; r < s.rows; ++r) {
        const std::size_t leaves = rows.n_leaves();
        if (r == 1200) CHECK(rows.n_splits() == 1);
        learn(rows, s, r, r + 1);
        if (r == 1200 || r == 1500 || r == 1800) CHECK(rows.n_leaves() == leaves + 1);
    }
    CHECK(rows.n_classes() == 5);
    CHECK(difference(whole.save(), rows.save()) == "");
}

TEST(codes_that_grow_wider_on_the_way_are_learned_alike_in_blocks_and_row_by_row) {
    check_blocks(
        quick_options(),
        {.rows = 4000, .nominal = {true, false, true}, .classes = 3, .categories = 700, .seed = 6});
}

TEST(limits_are_kept_alike_in_blocks_and_row_by_row) {
    const Shape shape{.rows = 4000,
                      .nominal = {true, false, false},
                      .classes = 4,
                      .seed = 7,
                      .late_class_from = 1500};
    Options options = quick_options();
    options.max_leaves = 7;
    check_blocks(options, shape);
    options = quick_options();
    options.max_depth = 2;
    check_blocks(options, shape);
    options = quick_options();
    for (const std::size_t max_memory : {6000U, 10'000U, 20'000U}) {
        options.max_memory = max_memory;
        check_blocks(options, shape);
    }
}

TEST(given_ranges_skip_the_warm_up_and_every_class_but_the_first_is_late) {
    const Ranges ranges = {{-1.0, 1.0}, {kNan, kNan}, {-1.0, 1.0}};
    check_blocks(quick_options(),
                 {.rows = 2500, .nominal = {false, true, false}, .classes = 3, .seed = 8}, &ranges);
}

TEST(the_number_of_threads_changes_nothing) {
    for (const std::size_t classes : {2U, 5U})
        class_learners::check_threads<VectorTree>(classes, 3000);
}

TEST(other_threads_may_predict_and_save_while_classes_are_added) {
    class_learners::check_readers<VectorTree>({.rows = 12'000,
                                               .nominal = {false, true, false},
                                               .classes = 6,
                                               .seed = 10,
                                               .late_class_from = 6000},
                                              100);
}

TEST(it_learns_what_there_is_to_learn_in_one_tree) {
    const Shape shape{.rows = 20'000, .nominal = {false, true, false}, .classes = 4, .seed = 11};
    const Stream s = streams::make(shape);
    VectorTree model(quick_options(), shape.nominal, nullptr);
    Recorded before;
    learn(model, s, 0, s.rows, &before);
    CHECK(error_rate(before, s, s.rows / 2) < 0.3);
    CHECK(model.n_rows() == s.rows && model.n_trees() == 1 && model.n_classes() == 4);
}

TEST(predictions_before_learning_are_those_of_predict) {
    class_learners::check_predictions_before<VectorTree>({.rows = 1200,
                                                          .nominal = {false, true, false},
                                                          .classes = 4,
                                                          .weighted = true,
                                                          .seed = 12,
                                                          .late_class_from = 400});
}

TEST(with_one_class_there_is_no_tree_and_the_second_starts_as_rare_as_it_is) {
    for (const bool from_data : {true, false}) {
        Options options = quick_options();
        options.start_from_data = from_data;
        VectorTree model(options, {false}, nullptr);
        const double x[] = {0.5}, zero = 0.0, one = 1.0, light = 0.5, heavy = 2.0;
        for (int i = 0; i < 300; ++i) model.learn({x, false, 1, 1}, &zero, &heavy, nullptr);
        CHECK(!model.is_warming_up() && model.n_classes() == 1 && model.n_trees() == 0);
        CHECK(probabilities(model, {x, false, 1, 1}) == std::vector<double>({1.0}));
        model.learn({x, false, 1, 1}, &one, &light, nullptr);
        CHECK(model.n_classes() == 2 && model.n_trees() == 1);
        CHECK(values(model, 0)[0] == 0.0);
        CHECK_CLOSE(values(model, 0)[1], from_data ? std::log(0.5 / 600.0) : 0.0, 1e-15);
        const double p = probabilities(model, {x, false, 1, 1})[1];
        CHECK_CLOSE(p, from_data ? 0.5 / 600.5 : 0.5, 1e-15);
    }
}

TEST(the_start_from_data_is_the_logarithm_of_the_shares) {
    Options options = quick_options();
    options.warm_up = 6;
    VectorTree model(options, {false}, nullptr);
    const double x[] = {1, 2, 3, 4, 5, 6}, y[] = {0, 1, 1, 2, 2, 2};
    model.learn({x, false, 6, 1}, y, nullptr, nullptr);
    const std::vector<double> start = values(model, 0);
    for (std::size_t k = 0; k < 3; ++k)
        CHECK_CLOSE(start[k], std::log(static_cast<double>(k + 1) / 6.0), 1e-15);
}

TEST(a_late_class_is_as_rare_as_it_is_so_far_at_every_node_and_leaves_the_odds_of_the_others) {
    const Shape shape{.rows = 3000, .nominal = {false, true, false}, .classes = 3, .seed = 13};
    Stream s = streams::make(shape);
    VectorTree model(quick_options(), shape.nominal, nullptr);
    learn(model, s, 0, 2000);
    const auto size = [](const Tree& tree, const FeatureSpace&) { return tree.nodes().size(); };
    const std::size_t n_nodes = learners::read_tree(model, 0, size);
    CHECK(n_nodes > 3 && model.n_classes() == 3);
    std::vector<std::vector<double>> before;
    for (NodeIndex i = 0; i < n_nodes; ++i) before.push_back(values(model, i));
    // It comes with a row that changes nothing else.
    s.y[2000] = 3.0;
    s.w.assign(s.rows, 1.0);
    s.w[2000] = 4.0;
    learn(model, s, 2000, 2001);
    CHECK(model.n_classes() == 4 && learners::read_tree(model, 0, size) == n_nodes);
    for (NodeIndex i = 0; i < n_nodes; ++i) {
        const std::vector<double> after = values(model, i);
        CHECK(after.size() == 4 && std::equal(before[i].begin(), before[i].end(), after.begin()));
        double sum = 0.0;
        for (const double f : after) sum += std::exp(f);
        CHECK_CLOSE(std::exp(after[3]) / sum, 4.0 / 2004.0, 1e-14);
    }
    learn(model, s, 2001, 3000);
    for (const double p : probabilities(model, s.view())) CHECK(p >= 0.0 && p <= 1.0);
}

TEST(class_numbers_out_of_order_are_refused_and_leave_the_model_as_it_was) {
    class_learners::check_class_numbers<VectorTree>(3);
}

TEST(scaling_all_weights_by_a_power_of_two_gives_the_same_predictions) {
    class_learners::check_scaled_weights<VectorTree>(
        {.rows = 3000, .classes = 4, .weighted = true, .seed = 15, .late_class_from = 1000});
}

TEST(late_features_are_learned_alike_in_blocks_and_row_by_row) {
    class_learners::check_late_features<VectorTree>(4, 1200);
}

int main(int argc, char** argv) {
    return check::run(argc, argv);
}
