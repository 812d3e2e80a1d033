// SHAP values against their definition: the mean over all orders in which features become known.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "check.hpp"
#include "learners.hpp"
#include "sgt/explain/explainer.hpp"
#include "sgt/loss/loss.hpp"
#include "streams.hpp"

using namespace sgt;
using learners::VectorTree;
using streams::Shape;
using streams::Stream;

namespace {

Options eager_options() {
    return learners::options_of({100, 30, 0.01, 0.05});
}

std::unique_ptr<LossLearner> learned(const Stream& stream, const Shape& shape,
                                     const Options& options) {
    auto model = std::make_unique<LossLearner>(options, shape.nominal, nullptr,
                                               make_loss("squared_error", {}));
    model->learn(stream.view(), stream.y.data(), stream.weights(), nullptr);
    return model;
}

Explainer explainer_of(const Learner& model) {
    return model.read([](const Ensemble& ensemble, const FeatureSpace& features) {
        return Explainer(ensemble, features);
    });
}

// The same tree, slowly: what it predicts of a row where only some features are known.
class Game {
public:
    Game(const Tree& tree, const FeatureSpace& features) : tree_(tree), features_(features) {
        covers_.resize(nodes().size());
        for (std::size_t i = covers_.size(); i-- > 0;) {
            const auto node = static_cast<NodeIndex>(i);
            if (nodes().is_leaf(node)) covers_[i] = tree.cover(node);
            if (i > 0) covers_[nodes()[node].parent] += covers_[i];
        }
    }
    double value(const double* row, std::uint32_t known, std::size_t output = 0,
                 NodeIndex node = 0) const {
        if (nodes().is_leaf(node)) return tree_.values(node)[output];
        const auto f = static_cast<std::size_t>(nodes().feature(node));
        if ((known >> f & 1U) == 0) {
            double sum = 0.0;
            for (NodeIndex child = node + 1; child < nodes().size(); ++child)
                if (nodes()[child].parent == node)
                    sum += covers_[child] * value(row, known, output, child);
            return sum / covers_[node];
        }
        const NodeIndex child = way(node, f, row[f]);
        return child == node ? tree_.values(node)[output] : value(row, known, output, child);
    }

private:
    const Nodes& nodes() const {
        return tree_.nodes();
    }
    NodeIndex way(NodeIndex node, std::size_t f, double x) const {
        if (!nodes().is_nominal_split(node)) {
            const bool is_left = std::isnan(x)
                                     ? nodes().missing_goes_left(node)
                                     : x <= features_.boundaries(f)[nodes().boundary(node)];
            return nodes().left(node) + (is_left ? 0 : 1);
        }
        const NominalSplit& split = nodes().nominal(node);
        for (std::size_t j = 0; j < split.codes.size(); ++j)
            if (std::isnan(x) ? split.codes[j] == 0 : x >= 0.0 && split.codes[j] == x + 1.0)
                return split.children[j];
        return std::isnan(x) ? split.default_child : node;
    }

    const Tree& tree_;
    const FeatureSpace& features_;
    std::vector<double> covers_;
};

double factorial(std::size_t n) {
    double product = 1.0;
    for (std::size_t i = 2; i <= n; ++i) product *= static_cast<double>(i);
    return product;
}

double value_by_definition(const Game& game, const double* row, std::size_t d, std::size_t f,
                           std::size_t output = 0) {
    double sum = 0.0;
    for (std::uint32_t known = 0; known < 1U << d; ++known) {
        if ((known >> f & 1U) != 0) continue;
        std::size_t s = 0;
        for (std::size_t j = 0; j < d; ++j) s += known >> j & 1U;
        sum += factorial(s) * factorial(d - s - 1) / factorial(d) *
               (game.value(row, known | 1U << f, output) - game.value(row, known, output));
    }
    return sum;
}

std::vector<double> explained(const Explainer& explainer, const RowsView& x,
                              std::size_t n_threads = 1) {
    std::vector<double> values(x.rows * x.features * explainer.n_outputs());
    explainer.explain(x, n_threads, values.data());
    return values;
}

// Some rows of the stream, with categories that no split has seen.
Stream with_unseen(Stream stream, const Shape& shape, std::size_t n) {
    stream.rows = n;
    streams::Random random(7);
    for (std::size_t r = 0; r < n; r += 3)
        for (std::size_t f = 0; f < stream.features; ++f)
            if (shape.nominal[f] && random.chance(0.5))
                stream.x[r * stream.features + f] = random.chance(0.5) ? -1.0 : 77.0;
    return stream;
}

void check_against_definition(const Learner& model, const Stream& rows) {
    const Explainer explainer = explainer_of(model);
    const std::vector<double> values = explained(explainer, rows.view());
    const std::size_t d = rows.features, n_outputs = explainer.n_outputs();
    learners::read_tree(model, 0, [&](const Tree& tree, const FeatureSpace& features) {
        CHECK(tree.nodes().n_leaves() > 3);
        const Game game(tree, features);
        for (std::size_t k = 0; k < n_outputs; ++k) {
            CHECK_CLOSE(explainer.base()[k], game.value(rows.x.data(), 0, k), 1e-13);
            for (std::size_t r = 0; r < rows.rows; ++r)
                for (std::size_t f = 0; f < d; ++f)
                    CHECK_CLOSE(values[(r * d + f) * n_outputs + k],
                                value_by_definition(game, rows.x.data() + r * d, d, f, k), 1e-12);
        }
    });
}

void check_against_definition(const Shape& shape, const Options& options) {
    const Stream stream = streams::make(shape);
    check_against_definition(*learned(stream, shape, options), with_unseen(stream, shape, 21));
}

}  // namespace

TEST(values_are_those_of_the_definition) {
    Shape shape;
    shape.rows = 3000;
    shape.missing = 0.1;
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        shape.seed = seed;
        shape.nominal = {seed % 2 == 0, false, seed % 3 == 0, false, true};
        shape.weighted = seed > 3;
        check_against_definition(shape, eager_options());
    }
}

TEST(values_are_those_of_the_definition_where_many_splits_test_one_feature) {
    Options options = eager_options();
    options.gamma = 0.0;
    check_against_definition({.rows = 6000, .nominal = {false, false}}, options);
}

TEST(values_are_those_of_the_definition_with_wide_codes) {
    Options options = eager_options();
    options.n_bins = 1000;
    check_against_definition({.rows = 4000, .nominal = {true, false, false}, .categories = 400},
                             options);
}

TEST(values_are_those_of_the_definition_with_vectors_in_the_leaves) {
    Shape shape;
    shape.rows = 4000;
    shape.classes = 4;
    shape.missing = 0.05;
    shape.nominal = {false, true, false, false};
    const Stream stream = streams::make(shape);
    VectorTree model(eager_options(), shape.nominal, nullptr);
    model.learn(stream.view(), stream.y.data(), nullptr, nullptr);
    CHECK(explainer_of(model).n_outputs() == 4);
    check_against_definition(model, with_unseen(stream, shape, 12));
}

TEST(values_add_up_to_the_prediction) {
    Shape shape;
    shape.rows = 5000;
    shape.missing = 0.05;
    shape.nominal = std::vector<bool>(12, false);
    shape.nominal[1] = shape.nominal[7] = true;
    const Stream stream = streams::make(shape);
    const auto model = learned(stream, shape, eager_options());
    const Explainer explainer = explainer_of(*model);
    const Stream rows = with_unseen(stream, shape, 1000);
    const std::vector<double> values = explained(explainer, rows.view());
    std::vector<double> raw(rows.rows);
    model->predict(rows.view(), raw.data());
    for (std::size_t r = 0; r < rows.rows; ++r) {
        double sum = explainer.base()[0];
        for (std::size_t f = 0; f < rows.features; ++f) sum += values[r * rows.features + f];
        CHECK_CLOSE(sum, raw[r], 1e-12);
    }
}

TEST(values_do_not_depend_on_threads_or_on_the_rows_beside) {
    Shape shape;
    shape.rows = 3000;
    shape.nominal = {false, true, false, false};
    const Stream stream = streams::make(shape);
    const auto model = learned(stream, shape, eager_options());
    const Explainer explainer = explainer_of(*model);
    const std::vector<double> values = explained(explainer, stream.view());
    CHECK(streams::same_bits(values, explained(explainer, stream.view(), 3)));
    for (const std::size_t r : {0UL, 5UL, 17UL, 2999UL}) {
        const std::vector<double> alone = explained(explainer, stream.view(r, r + 1));
        CHECK(std::equal(alone.begin(), alone.end(), values.begin() + static_cast<long>(r * 4)));
    }
}

TEST(an_explainer_stays_as_it_is_while_the_model_learns_on) {
    Shape shape;
    shape.rows = 4000;
    const Stream stream = streams::make(shape);
    LossLearner model(eager_options(), shape.nominal, nullptr, make_loss("squared_error", {}));
    model.learn(stream.view(0, 2000), stream.y.data(), nullptr, nullptr);
    const Explainer explainer = explainer_of(model);
    const std::vector<double> before = explained(explainer, stream.view(0, 50));
    model.learn(stream.view(2000, 4000), stream.y.data() + 2000, nullptr, nullptr);
    CHECK(streams::same_bits(before, explained(explainer, stream.view(0, 50))));
    CHECK(!streams::same_bits(before, explained(explainer_of(model), stream.view(0, 50))));
}

TEST(a_root_alone_gives_no_feature_any_value) {
    Shape shape;
    shape.rows = 200;
    const Stream stream = streams::make(shape);
    Options options = eager_options();
    options.max_depth = 0;
    const auto model = learned(stream, shape, options);
    const Explainer explainer = explainer_of(*model);
    for (const double value : explained(explainer, stream.view(0, 9))) CHECK(value == 0.0);
    double raw = 0.0;
    model->predict(stream.view(0, 1), &raw);
    CHECK(explainer.base()[0] == raw);
}

TEST(rows_end_where_they_are_predicted) {
    Shape shape;
    shape.rows = 3000;
    shape.missing = 0.1;
    shape.nominal = {true, false, true, false};
    const Stream stream = streams::make(shape);
    const auto model = learned(stream, shape, eager_options());
    const Explainer explainer = explainer_of(*model);
    const Stream rows = with_unseen(stream, shape, 500);
    std::vector<NodeIndex> nodes(rows.rows);
    std::vector<double> raw(rows.rows);
    explainer.route(rows.view(), 2, nodes.data());
    model->predict(rows.view(), raw.data());
    std::size_t at_splits = 0;
    learners::read_tree(*model, 0, [&](const Tree& tree, const FeatureSpace&) {
        for (std::size_t r = 0; r < rows.rows; ++r) {
            CHECK(tree.values(nodes[r])[0] == raw[r]);
            at_splits += tree.nodes().is_leaf(nodes[r]) ? 0 : 1;
        }
    });
    CHECK(at_splits > 20);
}

int main(int argc, char** argv) {
    return check::run(argc, argv);
}
