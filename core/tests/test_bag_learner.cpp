// Bags: they are learned as a whole, whatever changes meanwhile.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "learners.hpp"
#include "streams.hpp"

using namespace sgt;
using learners::quick_options;
using streams::difference;
using streams::Shape;

namespace {

struct BagStream {
    streams::Stream instances;
    std::vector<std::size_t> sizes;
    std::vector<double> labels;

    // Bags of one to seven instances; a bag is positive where one of them has a large y.
    explicit BagStream(const Shape& shape) : instances(streams::make(shape)) {
        for (std::size_t row = 0; row < instances.rows;) {
            const std::size_t size = std::min(1 + row % 7, instances.rows - row);
            const auto first = instances.y.begin() + static_cast<std::ptrdiff_t>(row);
            sizes.push_back(size);
            labels.push_back(*std::max_element(first, first + size) > 16.0 ? 1.0 : 0.0);
            row += size;
        }
    }
    // Learns the bags [begin, end), of which the first has its instances from `row` on.
    void learn(BagLearner& model, std::size_t begin, std::size_t end, std::size_t row) const {
        std::size_t rows = 0;
        for (std::size_t bag = begin; bag < end; ++bag) rows += sizes[bag];
        model.learn(instances.view(row, row + rows),
                    {sizes.begin() + static_cast<std::ptrdiff_t>(begin),
                     sizes.begin() + static_cast<std::ptrdiff_t>(end)},
                    labels.data() + begin, nullptr);
    }
    void learn(BagLearner& model) const {
        learn(model, 0, sizes.size(), 0);
    }
    void learn_one_by_one(BagLearner& model) const {
        std::size_t row = 0;
        for (std::size_t bag = 0; bag < sizes.size(); row += sizes[bag++])
            learn(model, bag, bag + 1, row);
    }
};

const Shape kInstances{
    .rows = 3000, .nominal = {false, true, false}, .categories = 400, .missing = 0.05, .seed = 1};

}  // namespace

TEST(bags_are_learned_alike_together_and_one_by_one) {
    for (const double sharpness : {0.0, 2.0}) {
        const BagStream bags(kInstances);
        BagLearner together(quick_options(), kInstances.nominal, nullptr, Pooling{sharpness}),
            alone(quick_options(), kInstances.nominal, nullptr, Pooling{sharpness});
        bags.learn(together);
        bags.learn_one_by_one(alone);
        CHECK(together.n_splits() > 0 && together.n_rows() == kInstances.rows);
        CHECK(difference(together.save(), alone.save()) == "");
    }
}

TEST(late_features_get_their_boundaries_after_a_whole_bag) {
    const Shape early{.rows = 600, .nominal = {false, false}, .seed = 2};
    for (const bool nominal : {false, true}) {
        const Shape late{.rows = 2500,
                         .nominal = {false, false, false, nominal},
                         .categories = 300,
                         .missing = 0.2,
                         .seed = 3};
        const BagStream first(early), then(late);
        BagLearner together(quick_options(), early.nominal, nullptr, Pooling{}),
            alone(quick_options(), early.nominal, nullptr, Pooling{});
        for (BagLearner* model : {&together, &alone}) {
            first.learn(*model);
            model->add_features({false, nominal}, nullptr);
        }
        then.learn(together);
        then.learn_one_by_one(alone);
        CHECK(together.n_rows() == early.rows + late.rows);
        CHECK(
            learners::read_features(together, [](const FeatureSpace& f) { return f.is_ready(2); }));
        CHECK(difference(together.save(), alone.save()) == "");
    }
}

TEST(a_bag_with_a_negative_category_number_is_refused_and_leaves_the_model_as_it_was) {
    const BagStream bags(kInstances);
    BagLearner model(quick_options(), kInstances.nominal, nullptr, Pooling{}),
        twin(quick_options(), kInstances.nominal, nullptr, Pooling{});
    bags.learn(model);
    bags.learn(twin);
    const double x[] = {0.1, 2.0, 0.3, 0.1, -1.0, 0.3, 0.1, 3.0, 0.3}, label = 1.0;
    CHECK_THROWS(std::invalid_argument, model.learn({x, false, 3, 3}, {3}, &label, nullptr));
    CHECK(difference(twin.save(), model.save()) == "");
    bags.learn(model);
    bags.learn(twin);
    CHECK(difference(twin.save(), model.save()) == "");
}

TEST(bags_that_wait_survive_saving_and_damaged_ones_are_refused) {
    const BagStream bags(kInstances);
    BagLearner model(quick_options(), kInstances.nominal, nullptr, Pooling{});
    bags.learn(model, 0, 20, 0);
    CHECK(model.is_warming_up());
    const Archive archive = model.save();
    CHECK(difference(archive, BagLearner(quick_options(), archive, Pooling{}).save()) == "");
    const auto refuses = [&]<class T>(const char* name, T value) {
        Archive damaged = archive;
        std::vector<T> values = archive.get<T>(name);
        values[3] = value;
        damaged.put(name, values);
        CHECK_THROWS(std::invalid_argument, BagLearner(quick_options(), damaged, Pooling{}));
    };
    for (const std::int64_t size : {-1LL, 0LL, 1000LL, 1LL << 62}) refuses("bags/sizes", size);
    for (const double label : {-1.0, 0.5, streams::kNan}) refuses("bags/labels", label);
    for (const double weight : {0.0, -1.0, streams::kNan, static_cast<double>(INFINITY)})
        refuses("bags/weights", weight);
}

TEST(models_that_pool_otherwise_are_not_merged) {
    const BagStream bags(kInstances);
    const Ranges ranges{{-1.0, 1.0}, {streams::kNan, streams::kNan}, {-1.0, 1.0}};
    const auto learned = [&](double sharpness) {
        auto model = std::make_unique<BagLearner>(quick_options(), kInstances.nominal, &ranges,
                                                  Pooling{sharpness});
        bags.learn(*model, 0, 5, 0);
        return model;
    };
    const auto hard = learned(0.0), soft = learned(2.0), as_hard = learned(0.0);
    CHECK_THROWS(MergeError, hard->merge(*soft, CategoryCodes(), nullptr));
    CHECK_THROWS(MergeError, soft->merge(*hard, CategoryCodes(), nullptr));
    hard->merge(*as_hard, CategoryCodes(), nullptr);
}

int main(int argc, char** argv) {
    return check::run(argc, argv);
}
