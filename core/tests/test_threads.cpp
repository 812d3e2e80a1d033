// One model used by several threads: they learn, predict, save and inspect it at the same time.
// Under the thread sanitizer no two of them touch the same memory without a lock.
#include <atomic>
#include <cmath>
#include <thread>
#include <vector>

#include "check.hpp"
#include "class_learners.hpp"
#include "learners.hpp"
#include "sgt/explain/tree_table.hpp"
#include "streams.hpp"

using namespace sgt;
using class_learners::probabilities;
using learners::Committee;
using learners::VectorTree;

namespace {

constexpr std::size_t kRows = 3000;

template <class Model>
void use_from_many_threads(Options options) {
    const std::vector<bool> nominal{false, true, false};
    const streams::Stream s = streams::make(
        {.rows = kRows, .nominal = nominal, .classes = 3, .missing = 0.1, .late_class_from = 900});
    Model model(options, nominal, nullptr);
    learners::learn(model, s, 0, 500);
    std::atomic<bool> is_over{false};
    std::atomic<std::size_t> n_wrong{0}, n_done{0};
    const auto until_over = [&](auto&& act) {
        return std::thread([&, act] {
            do {
                act();
                ++n_done;
            } while (!is_over);
        });
    };
    std::vector<std::thread> readers;
    readers.push_back(until_over([&] {
        for (const double p : probabilities(model, s.view(0, 64)))
            if (!std::isfinite(p)) ++n_wrong;
    }));
    readers.push_back(until_over([&] {
        const Model copy(options, model.save());
        if (copy.n_rows() > kRows) ++n_wrong;
    }));
    readers.push_back(until_over([&] {
        learners::read_tree(model, 0, [&](const Tree& tree, const FeatureSpace& features) {
            if (TreeTable(tree, features).parent.size() != tree.nodes().size()) ++n_wrong;
            return 0;
        });
        if (model.memory_bytes() == 0 || model.n_leaves() > model.n_nodes()) ++n_wrong;
    }));
    // Two that learn take turns.
    std::vector<std::thread> writers;
    for (std::size_t k = 0; k < 2; ++k)
        writers.emplace_back([&, k] {
            for (std::size_t begin = 500 + 50 * k; begin + 50 <= kRows; begin += 100)
                learners::learn(model, s, begin, begin + 50);
        });
    for (std::thread& writer : writers) writer.join();
    is_over = true;
    for (std::thread& reader : readers) reader.join();
    CHECK(n_wrong == 0);
    CHECK(n_done >= 3);
    CHECK(model.n_rows() == kRows);
}

}  // namespace

TEST(threads_learn_predict_save_and_inspect_a_committee) {
    use_from_many_threads<Committee>(learners::quick_options());
}

TEST(threads_learn_predict_save_and_inspect_vector_leaves) {
    Options options = learners::quick_options();
    options.n_threads = 2;
    use_from_many_threads<VectorTree>(options);
}

TEST(threads_learn_predict_save_and_inspect_a_model_that_follows_and_is_limited) {
    Options options = learners::quick_options();
    options.following_rates = {0.1, 0.5};
    options.kept_rows = 50;
    options.max_memory = 100'000;
    use_from_many_threads<Committee>(options);
}

int main(int argc, char** argv) {
    return check::run(argc, argv);
}
