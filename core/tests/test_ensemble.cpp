// Ensembles: scores that add up, members that differ, and that are the same for any number of
// threads and any cutting into blocks.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "check.hpp"
#include "class_learners.hpp"
#include "learners.hpp"
#include "sgt/data/binning.hpp"
#include "sgt/explain/explainer.hpp"
#include "sgt/loss/loss.hpp"
#include "streams.hpp"

using namespace sgt;
using learners::quick_options;
using streams::difference;
using streams::Shape;
using streams::Stream;

namespace {

Options ensemble_of(Combination combination, std::size_t n, double learning_rate = 0.3) {
    Options options = quick_options();
    options.combination = combination;
    options.n_estimators = n;
    options.learning_rate = learning_rate;
    options.mean_copies = combination == Combination::boosting ? 1.0 : 6.0;
    options.following_rates = {0.02, 0.3};
    options.replaces_on_drift = true;
    return options;
}

std::unique_ptr<LossLearner> regressor(const Shape& shape, const Options& options) {
    return std::make_unique<LossLearner>(options, shape.nominal, nullptr,
                                         make_loss("squared_error", {}));
}

std::vector<double> predicted(const LossLearner& model, const RowsView& x) {
    std::vector<double> raw(x.rows);
    model.predict(x, raw.data());
    return raw;
}

// Test then train.
double squared_error(LossLearner& model, const Stream& s) {
    std::vector<double> before(s.rows);
    model.learn(s.view(), s.y.data(), s.weights(), before.data());
    double sum = 0.0;
    for (std::size_t r = 0; r < s.rows; ++r) sum += (before[r] - s.y[r]) * (before[r] - s.y[r]);
    return sum / static_cast<double>(s.rows);
}

Explainer explainer_of(const Learner& model) {
    return model.read([](const Ensemble& ensemble, const FeatureSpace& features) {
        return Explainer(ensemble, features);
    });
}

const Shape kNumbers{.rows = 4000, .nominal = {false, true, false, false}, .missing = 0.05};
constexpr Combination kSums[] = {Combination::boosting, Combination::averaging};

}  // namespace

TEST(scores_add_up_over_members) {
    const Stream s = streams::make(kNumbers);
    for (const Combination combination : kSums) {
        const auto model = regressor(kNumbers, ensemble_of(combination, 3));
        model->learn(s.view(), s.y.data(), s.weights(), nullptr);
        CHECK(model->n_trees() == 3 && model->n_splits() > 3);
        const std::vector<double> raw = predicted(*model, s.view());
        const Explainer explainer = explainer_of(*model);
        std::vector<NodeIndex> nodes(s.rows * 3);
        explainer.route(s.view(), 1, nodes.data());
        model->read([&](const Ensemble& ensemble, const FeatureSpace&) {
            const std::vector<Ensemble::Place> trees = ensemble.trees();
            for (std::size_t r = 0; r < s.rows; ++r) {
                double sum = ensemble.start()[0];
                for (std::size_t t = 0; t < 3; ++t)
                    sum += trees[t].weight * trees[t].tree.predicted_value(nodes[3 * r + t], 0);
                CHECK(sum == raw[r]);
            }
        });
    }
}

TEST(shap_values_add_up_over_members) {
    const Shape shape{.rows = 2000, .nominal = {false, true, false}, .seed = 5};
    const Stream s = streams::make(shape);
    for (const Combination combination : kSums) {
        const auto model = regressor(shape, ensemble_of(combination, 2));
        model->learn(s.view(), s.y.data(), s.weights(), nullptr);
        const Explainer explainer = explainer_of(*model);
        const std::vector<double> raw = predicted(*model, s.view());
        std::vector<double> values(s.rows * 3);
        explainer.explain(s.view(), 1, values.data());
        for (std::size_t r = 0; r < s.rows; ++r)
            CHECK_CLOSE(explainer.base()[0] + values[3 * r] + values[3 * r + 1] + values[3 * r + 2],
                        raw[r], 1e-9);
    }
}

TEST(several_members_have_a_lower_error_than_one) {
    const Stream s = streams::make(kNumbers);
    for (const Combination combination : kSums) {
        const auto one = regressor(kNumbers, ensemble_of(combination, 1, 1.0)),
                   many = regressor(kNumbers, ensemble_of(combination, 10));
        CHECK(squared_error(*many, s) < squared_error(*one, s));
    }
}

// Calls f(make, load, learn) for ensembles of each kind.
template <class F>
void for_each_kind(F&& f) {
    for (const Combination combination :
         {Combination::boosting, Combination::averaging, Combination::choosing})
        for (const std::size_t classes : {0U, 2U, 4U}) {
            const Shape shape{.rows = 3000,
                              .nominal = {false, true, false},
                              .classes = classes,
                              .missing = 0.05,
                              .weighted = true,
                              .seed = 7 + classes,
                              .late_class_from = classes > 2 ? 1500U : 0U};
            const Stream s = streams::make(shape);
            const Options options = ensemble_of(combination, 3);
            if (classes == 0)
                f(
                    s, options, [&](const Options& o) { return regressor(shape, o); },
                    [](const Options& o, const Archive& archive) {
                        return std::make_unique<LossLearner>(o, archive,
                                                             make_loss("squared_error", {}));
                    });
            else
                f(
                    s, options,
                    [&](const Options& o) {
                        return std::make_unique<ClassLearner>(o, shape.nominal, nullptr);
                    },
                    [](const Options& o, const Archive& archive) {
                        return std::make_unique<ClassLearner>(o, archive);
                    });
        }
}

TEST(members_are_learned_alike_in_blocks_and_row_by_row_and_after_a_stop) {
    for_each_kind([](const Stream& s, const Options& options, auto make, auto load) {
        const auto whole = make(options);
        learners::learn(*whole, s, 0, s.rows);
        CHECK(whole->n_splits() > 0);
        for (const std::size_t step : {701U, 1U}) {
            auto parts = make(options);
            for (std::size_t begin = 0; begin < s.rows; begin += step) {
                learners::learn(*parts, s, begin, std::min(begin + step, s.rows));
                if (step == 701U) parts = load(options, parts->save());
            }
            CHECK(difference(whole->save(), parts->save()) == "");
        }
    });
}

TEST(members_are_learned_alike_on_any_number_of_threads) {
    for_each_kind([](const Stream& s, Options options, auto make, auto) {
        const auto one = make(options);
        learners::learn(*one, s, 0, s.rows);
        for (const std::size_t n_threads : {2U, 3U}) {
            options.n_threads = n_threads;
            const auto several = make(options);
            learners::learn(*several, s, 0, s.rows);
            CHECK(difference(one->save(), several->save()) == "");
        }
    });
}

TEST(many_rows_are_learned_alike_on_any_number_of_threads) {
    const Shape shape{.rows = 12'000, .nominal = {false, true, false}, .classes = 3};
    const Stream s = streams::make(shape);
    for (const Combination combination : kSums) {
        Options options = ensemble_of(combination, 7);
        class_learners::Recorded of_one;
        ClassLearner one(options, shape.nominal, nullptr);
        class_learners::learn(one, s, 0, s.rows, &of_one);
        for (const std::size_t n_threads : {2U, 3U, 9U}) {
            options.n_threads = n_threads;
            class_learners::Recorded of_several;
            ClassLearner several(options, shape.nominal, nullptr);
            class_learners::learn(several, s, 0, s.rows, &of_several);
            CHECK(difference(one.save(), several.save()) == "");
            CHECK(of_one.probabilities == of_several.probabilities);
        }
    }
}

TEST(a_new_class_has_a_tree_in_every_member) {
    const Shape shape{.rows = 2000, .classes = 3, .seed = 3, .late_class_from = 1000};
    const Stream s = streams::make(shape);
    for (const Combination combination : kSums) {
        ClassLearner model(ensemble_of(combination, 4), shape.nominal, nullptr);
        learners::learn(model, s, 0, 900);
        CHECK(model.n_trees() == 4);
        learners::learn(model, s, 900, s.rows);
        CHECK(model.n_trees() == 8 && model.n_classes() == 3);
        model.read([](const Ensemble& ensemble, const FeatureSpace&) {
            const std::vector<Ensemble::Place> trees = ensemble.trees();
            for (std::size_t t = 0; t < 8; ++t) CHECK(trees[t].first_output == 1 + t % 2);
        });
    }
}

TEST(rows_are_drawn_for_each_member) {
    for (const double mean : {0.5, 1.0, 6.0}) {
        TreeOptions one, other;
        one.set_mean_copies(mean);
        other.set_mean_copies(mean);
        other.seed = 1;
        double sum = 0.0, squares = 0.0, products = 0.0;
        constexpr double kRows = 200'000.0;
        for (std::uint64_t row = 0; row < 200'000; ++row) {
            const double n = one.copies(row);
            sum += n;
            squares += n * n;
            products += n * other.copies(row);
        }
        CHECK_CLOSE(sum / kRows, mean, 0.01);
        CHECK_CLOSE(squares / kRows - mean * mean, mean, 0.03);  // the variance of a Poisson number
        CHECK_CLOSE(products / kRows, mean * mean, 0.01);        // members are independent
    }
    CHECK(TreeOptions().copies(17) == 1.0);
}

TEST(another_seed_gives_other_members) {
    const Stream s = streams::make(kNumbers);
    const auto with_seed = [&](std::uint64_t seed) {
        Options options = ensemble_of(Combination::averaging, 2);
        options.seed = seed;
        const auto model = regressor(kNumbers, options);
        model->learn(s.view(0, 1500), s.y.data(), nullptr, nullptr);
        return predicted(*model, s.view(0, 1500));
    };
    const std::vector<double> first = with_seed(1);
    CHECK(streams::same_bits(first, with_seed(1)));
    CHECK(!streams::same_bits(first, with_seed(0)));
    CHECK(!streams::same_bits(first, with_seed(2)));
}

TEST(a_member_splits_on_its_own_features_only) {
    const Stream s = streams::make(kNumbers);
    Options options = ensemble_of(Combination::averaging, 4);
    options.feature_share = 0.5;
    const auto model = regressor(kNumbers, options);
    model->learn(s.view(), s.y.data(), s.weights(), nullptr);
    CHECK(model->n_splits() > 0);
    std::size_t n_left_out = 0;
    model->read([&](const Ensemble& ensemble, const FeatureSpace& features) {
        for (const Ensemble::Place& place : ensemble.trees()) {
            const Tree& tree = place.tree;
            for (std::size_t f = 0; f < features.size(); ++f)
                n_left_out += !tree.options().may_split_on(f);
            for (NodeIndex i = 0; i < tree.nodes().size(); ++i)
                CHECK(
                    tree.nodes().is_leaf(i) ||
                    tree.options().may_split_on(static_cast<std::size_t>(tree.nodes().feature(i))));
        }
    });
    CHECK(n_left_out > 0);
}

// Members that fit noise are begun anew, and few are used.
TEST(members_that_do_harm_are_not_used) {
    Stream s = streams::make({.rows = 20'000, .nominal = {false, false, false}});
    streams::Random random(3);
    for (double& y : s.y) y = static_cast<double>(random.below(1000)) / 1000.0;
    const auto model =
        regressor({.nominal = {false, false, false}}, ensemble_of(Combination::boosting, 20, 1.0));
    const double error = squared_error(*model, s);
    CHECK(error < 1.05 / 12.0);  // that of the mean is 1 / 12
}

TEST(each_member_has_its_part_of_the_memory) {
    const Stream s = streams::make(kNumbers);
    Options options = ensemble_of(Combination::averaging, 4);
    options.max_memory = 400'000;
    const auto limited = regressor(kNumbers, options);
    options.max_memory = kUnlimited;
    const auto unlimited = regressor(kNumbers, options);
    for (const auto& model : {limited.get(), unlimited.get()})
        model->learn(s.view(), s.y.data(), s.weights(), nullptr);
    CHECK(limited->memory_bytes() < 500'000);
    CHECK(unlimited->memory_bytes() > 500'000);
}

TEST(trees_that_go_give_their_memory_back) {
    Options options = quick_options();
    options.max_memory = 10'000'000;
    FeatureSpace features({false, false, false});
    for (std::size_t f = 0; f < 3; ++f) features.set_boundaries(f, uniform_boundaries(0.0, 1.0, 3));
    const Standardiser standardiser;
    TreeContext context(options, features, standardiser);
    TreeSet trees(TreeOptions(), false);
    trees.create({{0, {0.0}, Layout::moments}}, 1, context);
    const std::size_t empty = context.budget.used;
    CHECK(empty > 0);
    streams::Random random(1);
    Tree& tree = trees[0].tree;
    for (int r = 0; r < 2000; ++r) {
        std::uint8_t codes[3];
        for (std::uint8_t& code : codes) code = static_cast<std::uint8_t>(1 + random.below(3));
        const NodeIndex leaf = tree.nodes().descend(0, codes);
        const auto record = Evidence{1.0, codes[0] > 1 ? 1.0 : -1.0, 1.0}.record();
        if (tree.add(leaf, reinterpret_cast<const std::byte*>(codes), record.data(), context))
            tree.consider(leaf,
                          CellReader::shifted(tree.layout(), tree.statistics(leaf)->references()),
                          context);
    }
    CHECK(tree.n_splits() > 0 && context.budget.used > empty);
    trees.give_back_memory(context);
    CHECK(context.budget.used == 0);
    const TreeSet fresh = trees.fresh(context);
    CHECK(context.budget.used == empty);
    CHECK(fresh[0].tree.nodes().size() == 1);
}

TEST(what_does_not_go_together_is_refused) {
    for (const double wrong : {0.0, -0.1, 1.5, std::nan("")})
        CHECK_THROWS(std::invalid_argument,
                     regressor(kNumbers, ensemble_of(Combination::boosting, 2, wrong)));
    CHECK_THROWS(std::invalid_argument, regressor(kNumbers, ensemble_of(Combination::boosting, 0)));
    CHECK_THROWS(std::invalid_argument, ClassLearner(ensemble_of(Combination::choosing, 2), {false},
                                                     nullptr, ClassLearner::Leaves::vector));
    const Stream s = streams::make(kNumbers);
    const auto model = regressor(kNumbers, ensemble_of(Combination::boosting, 2));
    model->learn(s.view(), s.y.data(), s.weights(), nullptr);
    CHECK_THROWS(std::invalid_argument, LossLearner(ensemble_of(Combination::boosting, 3),
                                                    model->save(), make_loss("squared_error", {})));
}

int main(int argc, char** argv) {
    return check::run(argc, argv);
}
