#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.hpp"
#include "learners.hpp"
#include "sgt/rounds/merge.hpp"
#include "streams.hpp"

using namespace sgt;
using learners::Committee;
using learners::learn;
using streams::Shape;
using streams::Stream;

namespace {

constexpr std::size_t kNever = 1'000'000;

Options quick_options() {
    return learners::options_of({100, 40, 1e-2, 0.05});
}

// The same model, in which no leaf considers a change any more.
template <class Model, class... Rest>
std::unique_ptr<Model> settled(const Model& model, const Rest&... rest) {
    Options options = quick_options();
    options.grace_period = kNever;
    return std::make_unique<Model>(options, model.save(), rest()...);
}
template <class Model, class... Rest>
std::unique_ptr<Model> copy(const Model& model, const Rest&... rest) {
    return settled(model, rest...);
}

// An archive of a model in which no rows wait, without the room in buffers, which is no statistic.
Archive statistics(Learner& learner, std::size_t n_nominal) {
    learner.add_features({}, nullptr);
    Archive archive = learner.save();
    for (std::size_t t = 0; t < learner.n_trees(); ++t) {
        const std::string name = "tree" + std::to_string(t) + "/leaves/integers";
        std::vector<std::int64_t> integers = archive.get<std::int64_t>(name);
        for (std::size_t i = 4; i < integers.size(); i += 5 + n_nominal) integers[i] = 0;
        archive.put(name, integers);
    }
    return archive;
}

// How far apart the numbers of two archives are, beside the largest of each array.
double distance(const Archive& a, const Archive& b) {
    double most = 0.0;
    CHECK(a.arrays().size() == b.arrays().size());
    for (const auto& [name, array] : a.arrays()) {
        const auto* left = std::get_if<std::vector<double>>(&array);
        if (left == nullptr) {
            if (a.arrays().at(name) != b.arrays().at(name)) return INFINITY;
            continue;
        }
        const auto& right = b.get<double>(name);
        if (left->size() != right.size()) return INFINITY;
        double scale = 1.0;
        for (const double x : *left) scale = std::fmax(scale, std::fabs(x));
        for (std::size_t i = 0; i < right.size(); ++i)
            most = std::fmax(most, std::fabs((*left)[i] - right[i]) / scale);
    }
    return most;
}

// Halves of a stretch, learned by two copies and merged, beside the whole stretch learned by one.
template <class Model, class... Rest>
double merged_beside_whole(const Model& grown, const Stream& s, std::size_t begin, std::size_t end,
                           std::size_t n_nominal, const Rest&... rest) {
    const auto base = settled(grown, rest...);
    const auto here = copy(*base, rest...), there = copy(*base, rest...),
               whole = copy(*base, rest...);
    const std::size_t middle = (2 * begin + end) / 3;
    learn(*here, s, begin, middle);
    learn(*there, s, middle, end);
    learn(*whole, s, begin, end);
    CHECK(whole->n_nodes() == base->n_nodes());
    const Archive before = there->save();
    here->merge(*there, CategoryCodes(), base.get());
    CHECK(streams::difference(before, there->save()) == "");
    CHECK(here->n_rows() == whole->n_rows());
    return distance(statistics(*here, n_nominal), statistics(*whole, n_nominal));
}

}  // namespace

TEST(merged_halves_are_the_whole) {
    const auto squares = [] { return make_loss("squared_error", {}); };
    const auto quantile = [] { return make_loss("quantile", {{"alpha", 0.7}}); };
    for (const bool weighted : {false, true}) {
        const Shape shape{.rows = 2000, .missing = 0.1, .weighted = weighted, .seed = 3};
        Shape two = shape, three = shape;
        two.classes = 2;
        three.classes = 3;
        const Stream numbers = streams::make(shape), a = streams::make(two),
                     b = streams::make(three);
        Committee binary(quick_options(), shape.nominal, nullptr);
        learn(binary, a, 0, 1200);
        CHECK(binary.n_splits() > 0);
        const double off = merged_beside_whole(binary, a, 1200, 1900, 0);
        CHECK(weighted ? off < 1e-12 : off == 0.0);
        Committee many(quick_options(), shape.nominal, nullptr);
        learn(many, b, 0, 1200);
        CHECK(merged_beside_whole(many, b, 1200, 1900, 0) < 1e-12);
        learners::VectorTree vectors(quick_options(), shape.nominal, nullptr);
        learn(vectors, b, 0, 1200);
        const double off_vectors = merged_beside_whole(vectors, b, 1200, 1900, 0);
        CHECK(weighted ? off_vectors < 1e-12 : off_vectors == 0.0);
        LossLearner constant(quick_options(), shape.nominal, nullptr, squares());
        learn(constant, numbers, 0, 1200);
        CHECK(merged_beside_whole(constant, numbers, 1200, 1900, 0, squares) < 1e-12);
        LossLearner moments(quick_options(), shape.nominal, nullptr, quantile());
        learn(moments, numbers, 0, 1200);
        CHECK(merged_beside_whole(moments, numbers, 1200, 1900, 0, quantile) < 1e-12);
    }
}

TEST(nominal_cells_add_under_other_numbers) {
    // The other model numbers the categories backwards.
    for (const std::size_t categories : {5U, 40U, 300U}) {
        const Shape shape{
            .rows = 900, .nominal = {true, false}, .categories = categories, .seed = 8};
        const Stream s = streams::make(shape);
        Stream backwards = s;
        for (std::size_t i = 0; i < s.x.size(); i += 2)
            backwards.x[i] = static_cast<double>(categories) - 1.0 - s.x[i];
        std::vector<std::uint32_t> codes{0};
        for (std::size_t c = categories; c > 0; --c) codes.push_back(static_cast<std::uint32_t>(c));
        Options options = quick_options();
        options.grace_period = kNever;
        const Ranges ranges{{NAN, NAN}, {-1.0, 1.0}};
        const auto fresh = [&] {
            return std::make_unique<LossLearner>(options, shape.nominal, &ranges,
                                                 make_loss("squared_error", {}));
        };
        const auto here = fresh(), there = fresh(), whole = fresh();
        learn(*here, s, 0, 450);
        learn(*there, backwards, 450, 900);
        learn(*whole, s, 0, 900);
        here->merge(*there, CategoryCodes({codes, {}}), nullptr);
        CHECK(distance(statistics(*here, 1), statistics(*whole, 1)) < 1e-12);
    }
}

TEST(models_that_do_not_fit_are_refused_and_stay_as_they_were) {
    const Shape shape{.rows = 1500, .classes = 2, .seed = 5};
    const Stream s = streams::make(shape);
    Committee grown(quick_options(), shape.nominal, nullptr);
    learn(grown, s, 0, 1000);
    const auto here = settled(grown), there = settled(grown);
    const Archive before = here->save();
    const auto refused = [&](const Learner& other, const Learner* base) {
        CHECK_THROWS(MergeError, here->merge(other, CategoryCodes(), base));
        CHECK(streams::difference(before, here->save()) == "");
    };
    refused(*here, nullptr);
    refused(*there, here.get());
    Committee warming(quick_options(), shape.nominal, nullptr);
    learn(warming, s, 0, 50);
    refused(warming, nullptr);
    Committee apart(quick_options(), shape.nominal, nullptr);
    learn(apart, s, 0, 1500);
    refused(apart, nullptr);
    const auto later = settled(grown);
    learn(*later, s, 1000, 1300);
    refused(*there, later.get());
    const Committee predicts(quick_options(), grown.save(true));
    refused(predicts, nullptr);
    LossLearner other_kind(quick_options(), shape.nominal, nullptr, make_loss("squared_error", {}));
    learn(other_kind, s, 0, 1000);
    refused(other_kind, nullptr);
    Committee narrower(quick_options(), {false, false}, nullptr);
    refused(narrower, nullptr);
    here->merge(*there, CategoryCodes(), there.get());
    CHECK(here->n_rows() == 1000);
}

TEST(models_whose_bins_of_some_feature_differ_are_refused) {
    const Stream s = streams::make({.rows = 300, .nominal = {false, false}, .classes = 2});
    const auto learned = [&](double first, double second) {
        const Ranges ranges{{-1.0, first}, {-1.0, second}};
        auto model =
            std::make_unique<Committee>(quick_options(), std::vector<bool>{false, false}, &ranges);
        learn(*model, s, 0, 20);
        return model;
    };
    const auto here = learned(1.0, 1.0);
    CHECK_THROWS(MergeError, here->merge(*learned(2.0, 1.0), CategoryCodes(), nullptr));
    CHECK_THROWS(MergeError, here->merge(*learned(1.0, 2.0), CategoryCodes(), nullptr));
    here->merge(*learned(1.0, 1.0), CategoryCodes(), nullptr);
    CHECK(here->n_rows() == 40);
}

TEST(trees_whose_branches_have_other_categories_are_not_the_same) {
    const Shape shape{.rows = 1500, .nominal = {true}, .classes = 2, .categories = 4, .seed = 5};
    Committee grown(quick_options(), shape.nominal, nullptr);
    learn(grown, streams::make(shape), 0, 1000);
    CHECK(grown.n_splits() > 0);
    const auto here = settled(grown), same = settled(grown);
    Archive swapped = here->save();
    auto branches = swapped.get<std::int64_t>("tree0/nodes/branch");
    std::swap(branches.at(1), branches.at(2));
    swapped.put("tree0/nodes/branch", branches);
    Options options = quick_options();
    options.grace_period = kNever;
    const Committee other(options, swapped);
    CHECK_THROWS(MergeError, here->merge(other, CategoryCodes(), same.get()));
    here->merge(*same, CategoryCodes(), same.get());
}

int main(int argc, char** argv) {
    return check::run(argc, argv);
}
