// Ensembles of several stages: scores that add up, trees that differ, and trees that are replaced.
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
#include "sgt/learner/tree_set.hpp"
#include "sgt/loss/loss.hpp"
#include "streams.hpp"

using namespace sgt;
using learners::quick_options;
using streams::difference;
using streams::Shape;
using streams::Stream;

namespace {

TreeSet stages(std::size_t n, double shrinkage, double row_share = 1.0) {
    std::vector<TreeOptions> options(n);
    for (std::size_t i = 0; i < n; ++i) {
        options[i].shrinkage = shrinkage;
        options[i].row_share = row_share;
        options[i].seed = i + 1;
    }
    return TreeSet(std::move(options));
}

std::unique_ptr<LossLearner> regressor(const Shape& shape, TreeSet ensemble) {
    return std::make_unique<LossLearner>(quick_options(), shape.nominal, nullptr,
                                         make_loss("squared_error", {}), std::move(ensemble));
}

std::vector<double> predicted(const LossLearner& model, const RowsView& x) {
    std::vector<double> raw(x.rows);
    model.predict(x, raw.data());
    return raw;
}

double squared_error(const std::vector<double>& raw, const Stream& s) {
    double sum = 0.0;
    for (std::size_t r = 0; r < s.rows; ++r) sum += (raw[r] - s.y[r]) * (raw[r] - s.y[r]);
    return sum / static_cast<double>(s.rows);
}

const Shape kNumbers{.rows = 4000, .nominal = {false, true, false, false}, .missing = 0.05};

}  // namespace

TEST(scores_add_up_over_stages) {
    const Stream s = streams::make(kNumbers);
    const auto model = regressor(kNumbers, stages(3, 0.3));
    model->learn(s.view(), s.y.data(), s.weights(), nullptr);
    CHECK(model->n_trees() == 3 && model->n_splits() > 3);
    const std::vector<double> raw = predicted(*model, s.view());
    const Explainer explainer = model->read([](const TreeSet& ensemble, const TreeContext& c) {
        return Explainer(ensemble, c.features);
    });
    std::vector<NodeIndex> nodes(s.rows * 3);
    explainer.route(s.view(), 1, nodes.data());
    model->read([&](const TreeSet& ensemble, const TreeContext&) {
        for (std::size_t r = 0; r < s.rows; ++r) {
            double sum = ensemble.start()[0];
            for (std::size_t t = 0; t < 3; ++t)
                sum += 0.3 * ensemble[t].tree.values(nodes[3 * r + t])[0];
            CHECK(sum == raw[r]);
        }
    });
}

TEST(shap_values_add_up_over_stages) {
    const Stream s = streams::make({.rows = 2000, .nominal = {false, true, false}, .seed = 5});
    const Shape shape{.rows = 2000, .nominal = {false, true, false}};
    const auto model = regressor(shape, stages(2, 0.5));
    model->learn(s.view(), s.y.data(), s.weights(), nullptr);
    const Explainer explainer = model->read([](const TreeSet& ensemble, const TreeContext& c) {
        return Explainer(ensemble, c.features);
    });
    const std::vector<double> raw = predicted(*model, s.view());
    std::vector<double> values(s.rows * 3);
    explainer.explain(s.view(), 1, values.data());
    for (std::size_t r = 0; r < s.rows; ++r)
        CHECK_CLOSE(explainer.base()[0] + values[3 * r] + values[3 * r + 1] + values[3 * r + 2],
                    raw[r], 1e-9);
}

TEST(later_stages_lower_the_error) {
    const Stream s = streams::make(kNumbers);
    const auto one = regressor(kNumbers, stages(1, 0.3)),
               many = regressor(kNumbers, stages(6, 0.3));
    for (const auto& model : {one.get(), many.get()})
        model->learn(s.view(), s.y.data(), s.weights(), nullptr);
    CHECK(squared_error(predicted(*many, s.view()), s) <
          squared_error(predicted(*one, s.view()), s));
}

TEST(stages_are_learned_alike_in_blocks_and_row_by_row_and_after_a_stop) {
    for (const std::size_t classes : {0U, 2U, 4U}) {
        const Shape shape{.rows = 3000,
                          .nominal = {false, true, false},
                          .classes = classes,
                          .missing = 0.05,
                          .weighted = true,
                          .seed = 7 + classes,
                          .late_class_from = classes > 2 ? 1500U : 0U};
        const Stream s = streams::make(shape);
        const auto learned = [&](auto make, auto learn_rows, auto load) {
            const auto whole = make();
            learn_rows(*whole, 0, s.rows);
            CHECK(whole->n_splits() > 0);
            for (const std::size_t step : {701U, 1U}) {
                auto parts = make();
                for (std::size_t begin = 0; begin < s.rows; begin += step) {
                    learn_rows(*parts, begin, std::min(begin + step, s.rows));
                    if (step == 701U) parts = load(parts->save());
                }
                CHECK(difference(whole->save(), parts->save()) == "");
            }
        };
        if (classes == 0) {
            learned([&] { return regressor(shape, stages(3, 0.4, 0.7)); },
                    [&](LossLearner& m, std::size_t begin, std::size_t end) {
                        m.learn(s.view(begin, end), s.y.data() + begin, s.weights() + begin,
                                nullptr);
                    },
                    [&](const Archive& archive) {
                        return std::make_unique<LossLearner>(quick_options(), archive,
                                                             make_loss("squared_error", {}),
                                                             stages(3, 0.4, 0.7));
                    });
            continue;
        }
        learned(
            [&] {
                return std::make_unique<ClassLearner>(quick_options(), shape.nominal, nullptr,
                                                      ClassLearner::Leaves::scalar,
                                                      stages(3, 0.4, 0.7));
            },
            [&](ClassLearner& m, std::size_t begin, std::size_t end) {
                class_learners::learn(m, s, begin, end);
            },
            [&](const Archive& archive) {
                return std::make_unique<ClassLearner>(
                    quick_options(), archive, ClassLearner::Leaves::scalar, stages(3, 0.4, 0.7));
            });
    }
}

TEST(a_new_class_has_a_tree_in_every_stage) {
    const Shape shape{.rows = 2000, .classes = 3, .seed = 3, .late_class_from = 1000};
    const Stream s = streams::make(shape);
    ClassLearner model(quick_options(), shape.nominal, nullptr, ClassLearner::Leaves::scalar,
                       stages(4, 0.3));
    class_learners::learn(model, s, 0, 900);
    CHECK(model.n_trees() == 4);
    class_learners::learn(model, s, 900, s.rows);
    CHECK(model.n_trees() == 8 && model.n_classes() == 3);
    model.read([](const TreeSet& ensemble, const TreeContext&) {
        for (std::size_t t = 0; t < 8; ++t) {
            CHECK(ensemble[t].stage == t / 2);
            CHECK(ensemble[t].first_output == 1 + t % 2);
        }
    });
}

TEST(a_tree_splits_on_its_own_features_only) {
    const Stream s = streams::make(kNumbers);
    TreeOptions options;
    options.features = {false, false, true, true};
    const auto model = regressor(kNumbers, TreeSet({options}));
    model->learn(s.view(), s.y.data(), s.weights(), nullptr);
    CHECK(model->n_splits() > 0);
    learners::read_tree(*model, 0, [](const Tree& tree, const FeatureSpace&) {
        for (NodeIndex i = 0; i < tree.nodes().size(); ++i)
            CHECK(tree.nodes().is_leaf(i) || tree.nodes().feature(i) >= 2);
    });
}

TEST(a_tree_learns_its_share_of_the_rows) {
    TreeOptions some, others;
    some.row_share = others.row_share = 0.3;
    others.seed = 1;
    std::size_t of_some = 0, of_both = 0;
    for (std::uint64_t row = 0; row < 100'000; ++row) {
        of_some += some.learns(row);
        of_both += some.learns(row) && others.learns(row);
    }
    CHECK_CLOSE(static_cast<double>(of_some), 30'000.0, 0.02);
    CHECK_CLOSE(static_cast<double>(of_both), 9'000.0, 0.04);
}

TEST(a_replaced_tree_gives_its_memory_back) {
    TreeContext context;
    context.options = quick_options();
    context.options.max_memory = context.budget.limit = 10'000'000;
    context.features = FeatureSpace({false, false, false});
    for (std::size_t f = 0; f < 3; ++f)
        context.features.set_boundaries(f, uniform_boundaries(0.0, 1.0, 3));
    context.threads.resize(1);
    TreeSet ensemble;
    ensemble.create({{0, {0.0}, Layout::moments}}, 1, context);
    const std::size_t empty = context.budget.used;
    CHECK(empty > 0);
    streams::Random random(1);
    Tree& tree = ensemble[0].tree;
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
    ensemble.replace(0, Tree({0.0}, Layout::moments, context), context);
    CHECK(context.budget.used == empty);
    CHECK(ensemble[0].tree.nodes().size() == 1);
}

TEST(what_does_not_go_together_is_refused) {
    CHECK_THROWS(std::invalid_argument, TreeSet(std::vector<TreeOptions>{}));
    for (const double wrong : {0.0, -0.1, 1.5, std::nan("")}) {
        CHECK_THROWS(std::invalid_argument, stages(2, wrong));
        CHECK_THROWS(std::invalid_argument, stages(2, 0.5, wrong));
    }
    CHECK_THROWS(std::invalid_argument, ClassLearner(quick_options(), {false}, nullptr,
                                                     ClassLearner::Leaves::vector, stages(2, 0.5)));
    const Stream s = streams::make(kNumbers);
    const auto model = regressor(kNumbers, stages(2, 0.5));
    model->learn(s.view(), s.y.data(), s.weights(), nullptr);
    CHECK_THROWS(std::invalid_argument,
                 LossLearner(quick_options(), model->save(), make_loss("squared_error", {}),
                             stages(3, 0.5)));
    CHECK_THROWS(std::invalid_argument,
                 LossLearner(quick_options(), model->save(), make_loss("squared_error", {}),
                             stages(2, 0.25)));
}

int main(int argc, char** argv) {
    return check::run(argc, argv);
}
