#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "check.hpp"
#include "class_learners.hpp"
#include "learners.hpp"
#include "streams.hpp"

using namespace sgt;
using class_learners::learn;
using learners::Committee;
using learners::VectorTree;
using streams::Shape;
using streams::Stream;

namespace {

// Grows quickly.
Options eager_options() {
    return learners::options_of({100, 20, 0.1, 0.0});
}

bool predicts(const ClassLearner& model, const Stream& s) {
    std::vector<std::int32_t> rank = {0, 1, 2, 3, 4, 5, 6, 7};
    std::vector<double> p(s.rows * model.n_classes());
    std::vector<std::int32_t> labels(s.rows, -2);
    ClassPredictions out;
    out.rank = rank.data();
    out.labels = labels.data();
    out.probabilities = p.data();
    out.stride = model.n_classes();
    model.predict(s.view(), out);
    for (const double probability : p)
        if (!(probability >= 0.0 && probability <= 1.0)) return false;
    for (const std::int32_t label : labels)
        if (label < 0 || label >= static_cast<std::int32_t>(model.n_classes())) return false;
    return true;
}

std::size_t most_leaves(const Learner& model) {
    std::size_t most = 0;
    for (std::size_t t = 0; t < model.n_trees(); ++t)
        most =
            std::max(most, learners::read_tree(model, t, [](const Tree& tree, const FeatureSpace&) {
                         return tree.nodes().n_leaves();
                     }));
    return most;
}

// Learns all rows, `step` at a time, within a memory limit. Returns the most memory that the model
// had after any step, once its warm-up was over.
template <class Model>
std::size_t most_memory(Model& model, const Stream& s, std::size_t step) {
    std::size_t most = 0;
    for (std::size_t begin = 0; begin < s.rows; begin += step) {
        learn(model, s, begin, begin + step);
        if (!model.is_warming_up()) most = std::max(most, model.memory_bytes());
    }
    return most;
}

Options options_with_memory(std::size_t max_memory) {
    Options options = eager_options();
    options.max_memory = max_memory;
    return options;
}

template <class Model>
void check_max_leaves(std::size_t classes, std::size_t late_class_from) {
    for (const std::size_t max_leaves : {1U, 2U, 3U, 10U}) {
        const Shape shape{.rows = 6000,
                          .nominal = {false, true, false},
                          .classes = classes,
                          .categories = 12,
                          .seed = 1,
                          .late_class_from = late_class_from};
        const Stream s = streams::make(shape);
        Options options = eager_options();
        options.max_leaves = max_leaves;
        Model model(options, shape.nominal, nullptr);
        for (std::size_t begin = 0; begin < s.rows; begin += 500) {
            learn(model, s, begin, begin + 500);
            CHECK(most_leaves(model) <= max_leaves);
        }
        if (max_leaves == 1) CHECK(model.n_splits() == 0);
        if (max_leaves >= 3) CHECK(most_leaves(model) == max_leaves);
        CHECK(model.n_updates() > 0);
        CHECK(predicts(model, s));
    }
}

}  // namespace

TEST(no_tree_has_more_leaves_than_max_leaves) {
    check_max_leaves<Committee>(3, 0);
    check_max_leaves<VectorTree>(5, 3000);
}

TEST(a_tree_of_max_leaves_keeps_no_cells) {
    const Shape shape{.rows = 6000, .classes = 2, .seed = 2};
    const Stream s = streams::make(shape);
    Options options = eager_options();
    options.max_leaves = 4;
    Committee model(options, shape.nominal, nullptr);
    learn(model, s, 0, s.rows);
    CHECK(most_leaves(model) == 4);
    const bool some_cells =
        learners::read_tree(model, 0, [](const Tree& tree, const FeatureSpace&) {
            for (NodeIndex i = 0; i < tree.nodes().size(); ++i)
                if (const LeafStatistics* leaf = tree.statistics(i); leaf != nullptr)
                    if (leaf->keeps_cells() || leaf->has_cells()) return true;
            return false;
        });
    CHECK(!some_cells);
}

TEST(no_leaf_is_deeper_than_max_depth) {
    for (const std::size_t max_depth : {0U, 1U, 2U, 5U}) {
        const Shape shape{.rows = 8000, .nominal = {false, true, false, false}, .seed = 3};
        const Stream s = streams::make(shape);
        Options options = eager_options();
        options.max_depth = max_depth;
        LossLearner model(options, shape.nominal, nullptr, make_loss("squared_error", {}));
        model.learn(s.view(), s.y.data(), nullptr, nullptr);
        CHECK(model.depth() == max_depth);
        CHECK(model.n_updates() > 0);
    }
}

TEST(memory_never_stays_above_its_limit_and_the_model_still_predicts) {
    for (const std::size_t max_memory : {4096U, 8000U, 20'000U, 60'000U, 200'000U})
        for (const std::size_t classes : {2U, 3U}) {
            const Shape shape{.rows = 20'000,
                              .nominal = {false, true, false, true, false, false},
                              .classes = classes,
                              .categories = 40,
                              .missing = 0.05,
                              .seed = 4};
            const Stream s = streams::make(shape);
            Committee model(options_with_memory(max_memory), shape.nominal, nullptr);
            const std::size_t most = most_memory(model, s, 50);
            CHECK(most <= max_memory + sizeof(Learner));
            CHECK(most > max_memory / 3);
            CHECK(predicts(model, s));
        }
}

TEST(memory_never_stays_above_its_limit_after_any_single_row) {
    for (const std::size_t max_memory : {5000U, 12'000U, 30'000U}) {
        const Shape shape{.rows = 5000,
                          .nominal = {false, true, false, false},
                          .classes = 3,
                          .categories = 300,
                          .missing = 0.05,
                          .weighted = true,
                          .seed = 5,
                          .late_class_from = 2000};
        const Stream s = streams::make(shape);
        Committee model(options_with_memory(max_memory), shape.nominal, nullptr);
        const std::size_t most = most_memory(model, s, 1);
        // A late class gets its tree in any case.
        const std::size_t one_leaf =
            Nodes({0.0}).bytes_per_node() + LeafStatistics::bytes_without_cells(Layout::moments);
        CHECK(most <= max_memory + one_leaf + sizeof(Learner));
        CHECK(predicts(model, s));
    }
}

TEST(limited_memory_is_spent_on_something) {
    const Shape shape{.rows = 20'000, .nominal = {false, false, false}, .classes = 2, .seed = 6};
    const Stream s = streams::make(shape);
    std::size_t before = 0;
    for (const std::size_t max_memory : {5000U, 20'000U, 100'000U}) {
        Committee model(options_with_memory(max_memory), shape.nominal, nullptr);
        learn(model, s, 0, s.rows);
        CHECK(model.n_nodes() >= before);
        before = model.n_nodes();
    }
    CHECK(before > 20);
}

TEST(late_features_and_late_categories_stay_within_the_memory_limit) {
    const Shape early{.rows = 2000, .nominal = {false, false}, .classes = 2, .seed = 7};
    const Shape late{.rows = 4000,
                     .nominal = {false, false, true, false},
                     .classes = 2,
                     .categories = 500,
                     .seed = 8};
    const Stream a = streams::make(early), b = streams::make(late);
    constexpr std::size_t kMemory = 25'000;
    Committee model(options_with_memory(kMemory), early.nominal, nullptr);
    learn(model, a, 0, a.rows);
    model.add_features({true, false}, nullptr);
    CHECK(model.memory_bytes() <= kMemory + sizeof(Learner));
    for (std::size_t r = 0; r < b.rows; ++r) {
        learn(model, b, r, r + 1);
        CHECK(model.memory_bytes() <= kMemory + sizeof(Learner));
    }
    CHECK(predicts(model, b));
}

TEST(a_category_unseen_by_its_split_gets_no_leaf_beyond_the_memory_limit) {
    Shape shape{.rows = 3000, .nominal = {true}, .categories = 5, .seed = 9};
    Stream s = streams::make(shape);
    constexpr std::size_t kMemory = 4096;
    LossLearner model(options_with_memory(kMemory), shape.nominal, nullptr,
                      make_loss("squared_error", {}));
    model.learn(s.view(), s.y.data(), nullptr, nullptr);
    CHECK(model.n_splits() > 0);
    for (std::size_t r = 0; r < s.rows; ++r) s.x[r] = static_cast<double>(5 + r % 500);
    for (std::size_t r = 0; r < s.rows; ++r) {
        model.learn(s.view(r, r + 1), s.y.data() + r, nullptr, nullptr);
        CHECK(model.memory_bytes() <= kMemory + sizeof(Learner));
    }
    std::vector<double> raw(s.rows);
    model.predict(s.view(), raw.data());
    for (const double value : raw) CHECK(std::isfinite(value));
}

// --- vectors in the leaves ---------------------------------------------------------------------

TEST(memory_of_vectors_never_stays_above_its_limit_after_any_single_row) {
    for (const std::size_t max_memory : {5000U, 12'000U, 30'000U, 200'000U}) {
        const Shape shape{.rows = 5000,
                          .nominal = {false, true, false, false},
                          .classes = 4,
                          .categories = 300,
                          .missing = 0.05,
                          .weighted = true,
                          .seed = 11};
        const Stream s = streams::make(shape);
        VectorTree model(options_with_memory(max_memory), shape.nominal, nullptr);
        const std::size_t most = most_memory(model, s, 1);
        CHECK(model.n_classes() == 4);
        CHECK(most <= max_memory + sizeof(Learner));
        CHECK(most > max_memory / 3);
        CHECK(predicts(model, s));
    }
}

TEST(a_late_class_takes_what_its_outputs_need_and_nothing_more_beyond_the_memory_limit) {
    for (const std::size_t max_memory : {5000U, 12'000U, 30'000U, 200'000U}) {
        const Shape shape{.rows = 6000,
                          .nominal = {false, true, false, false},
                          .classes = 8,
                          .categories = 40,
                          .seed = 12,
                          .late_class_from = 3000};
        const Stream s = streams::make(shape);
        VectorTree model(options_with_memory(max_memory), shape.nominal, nullptr);
        std::size_t owed = 0;  // outputs of late classes: in each node, and in a leaf's total
        for (std::size_t r = 0; r < s.rows; ++r) {
            const std::size_t classes = model.n_classes(), nodes = model.n_nodes();
            learn(model, s, r, r + 1);
            if (model.is_warming_up()) continue;
            owed += (model.n_classes() - classes) * 2 * nodes * sizeof(double);
            CHECK(model.memory_bytes() <= max_memory + owed + sizeof(Learner));
        }
        CHECK(model.n_classes() >= 7);
        CHECK(predicts(model, s));
    }
}

TEST(memory_of_several_targets_never_stays_above_its_limit) {
    for (const char* loss : {"squared_error", "huber"})
        for (const std::size_t max_memory : {5000U, 20'000U, 100'000U}) {
            const Shape shape{.rows = 4000,
                              .nominal = {false, true, false},
                              .categories = 60,
                              .missing = 0.05,
                              .seed = 13};
            const Stream s = streams::make_targets(shape, 4);
            Options options = eager_options();
            options.max_memory = max_memory;
            LossLearner::Losses losses;
            for (int j = 0; j < 4; ++j) losses.push_back(make_loss(loss, {}));
            LossLearner model(options, shape.nominal, nullptr, std::move(losses), 4);
            std::size_t most = 0;
            for (std::size_t r = 0; r < s.rows; ++r) {
                model.learn(s.view(r, r + 1), s.y.data() + 4 * r, nullptr, nullptr);
                if (!model.is_warming_up()) most = std::max(most, model.memory_bytes());
            }
            CHECK(most <= max_memory + sizeof(Learner));
            std::vector<double> raw(4 * s.rows);
            model.predict(s.view(), raw.data());
            for (const double value : raw) CHECK(std::isfinite(value));
            if (max_memory == 100'000) CHECK(model.n_splits() > 0);
        }
}

int main(int argc, char** argv) {
    return check::run(argc, argv);
}
