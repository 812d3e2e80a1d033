// Boosting where all rows are at hand: members learn them one after the other.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "learners.hpp"
#include "sgt/loss/loss.hpp"
#include "streams.hpp"

using namespace sgt;
using learners::quick_options;
using streams::Stream;

namespace {

const streams::Shape kRows{
    .rows = 5000, .nominal = {false, true, false}, .missing = 0.05, .seed = 3};

Options boosting_of(std::size_t n_members, std::size_t n_threads = 1) {
    Options options = quick_options();
    options.combination = Combination::boosting;
    options.n_estimators = n_members;
    options.learning_rate = 0.3;
    options.mean_copies = 1.0;
    options.following_rates = {0.02, 0.3};
    options.n_threads = n_threads;
    return options;
}

std::unique_ptr<LossLearner> new_model(const Options& options) {
    return std::make_unique<LossLearner>(options, kRows.nominal, nullptr,
                                         make_loss("squared_error", {}));
}

std::vector<std::uint32_t> some_order(std::size_t n) {
    std::vector<std::uint32_t> order(n);
    for (std::size_t i = 0; i < n; ++i) order[i] = static_cast<std::uint32_t>(i * 7919 % n);
    return order;
}

void learn(LossLearner& model, const Stream& s, std::size_t begin, std::size_t end) {
    model.learn(s.view().slice(begin, end), s.y.data() + begin,
                s.weights() == nullptr ? nullptr : s.weights() + begin, nullptr);
}

// The rows come in two parts, and are learned in parts of so many.
std::unique_ptr<LossLearner> fitted(const Stream& s, const Options& options, std::size_t part) {
    auto model = new_model(options);
    model->watch_errors(false);
    model->collect_rows();
    learn(*model, s, 0, 1000);
    learn(*model, s, 1000, s.rows);
    model->begin_stages();
    const std::vector<std::uint32_t> order = some_order(s.rows);
    for (std::size_t m = 0; m < options.n_estimators; ++m) {
        for (std::size_t begin = 0; begin < s.rows; begin += part)
            model->learn_stage({order.data() + begin, std::min(part, s.rows - begin)});
        model->end_stage();
    }
    model->end_stages();
    model->watch_errors(true);
    return model;
}

}  // namespace

TEST(the_parts_of_an_order_and_the_threads_do_not_matter) {
    const Stream s = streams::make(kRows);
    const auto whole = fitted(s, boosting_of(4), s.rows);
    CHECK(whole->n_splits() > 20 && whole->n_rows() == s.rows);
    CHECK(streams::difference(whole->save(), fitted(s, boosting_of(4), 333)->save()).empty());
    CHECK(streams::difference(whole->save(), fitted(s, boosting_of(4, 3), s.rows)->save()).empty());
}

TEST(leaves_gather_anew_after_a_stage) {
    const Stream s = streams::make(kRows);
    const auto model = fitted(s, boosting_of(3), s.rows);
    model->read([](const Ensemble& ensemble, const FeatureSpace&) {
        for (const Ensemble::Place& place : ensemble.trees()) {
            double cover = 0.0;
            for (NodeIndex node = 0; node < place.tree.nodes().size(); ++node) {
                CHECK(place.tree.statistics(node) == nullptr);
                if (place.tree.nodes().is_leaf(node)) cover += place.tree.cover(node);
            }
            CHECK(cover > 0.0);
        }
    });
    const std::uint64_t before = model->n_splits();
    for (int pass = 0; pass < 3; ++pass) learn(*model, s, 0, s.rows);
    CHECK(model->n_splits() > before && model->n_rows() == 4 * s.rows);
}

TEST(the_memory_of_a_stage_is_given_back) {
    const Stream s = streams::make(kRows);
    Options options = boosting_of(3);
    options.max_memory = 300'000;
    const auto model = fitted(s, options, s.rows);
    model->read([&](const Ensemble& ensemble, const FeatureSpace&) {
        for (std::size_t m = 0; m < ensemble.size(); ++m) {
            const MemoryBudget& budget = ensemble[m].context.budget;
            CHECK(budget.used <= budget.limit && budget.used >= ensemble[m].bytes());
        }
    });
}

TEST(what_is_out_of_turn_is_refused) {
    const Stream s = streams::make(kRows);
    const auto model = new_model(boosting_of(1));
    const std::vector<std::uint32_t> order = some_order(s.rows);
    CHECK_THROWS(std::invalid_argument, model->begin_stages());
    CHECK_THROWS(std::invalid_argument, model->learn_stage(order));
    model->collect_rows();
    learn(*model, s, 0, 500);
    CHECK_THROWS(std::invalid_argument, model->end_stage());
    model->begin_stages();
    CHECK_THROWS(std::invalid_argument, model->begin_stages());
    CHECK_THROWS(std::invalid_argument,
                 model->learn_stage(order));  // it has rows that did not come
    model->end_stage();
    CHECK_THROWS(std::invalid_argument, model->end_stage());  // there is no further member
    model->end_stages();
    Options others = boosting_of(2);
    others.combination = Combination::averaging;
    CHECK_THROWS(std::invalid_argument, new_model(others)->collect_rows());
    others = boosting_of(2);
    others.round_rows = 50;
    CHECK_THROWS(std::invalid_argument, new_model(others)->collect_rows());
    const auto after_a_row = new_model(boosting_of(2));
    learn(*after_a_row, s, 0, 1);
    CHECK_THROWS(std::invalid_argument, after_a_row->collect_rows());
}

int main(int argc, char** argv) {
    return check::run(argc, argv);
}
