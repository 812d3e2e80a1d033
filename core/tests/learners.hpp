// The learners that tests are about, by short names, and what is inside them.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "sgt/learner/bag_learner.hpp"
#include "sgt/learner/class_learner.hpp"
#include "sgt/learner/loss_learner.hpp"
#include "streams.hpp"

namespace learners {

// A learner of classes with one kind of leaves.
template <sgt::ClassLearner::Leaves kLeaves>
struct Classes : sgt::ClassLearner {
    Classes(const sgt::Options& options, const std::vector<bool>& nominal,
            const sgt::Ranges* ranges)
        : ClassLearner(options, nominal, ranges, kLeaves) {}
    Classes(const sgt::Options& options, const sgt::ArchiveView& archive)
        : ClassLearner(options, archive, kLeaves) {}
};
using Committee = Classes<sgt::ClassLearner::Leaves::scalar>;
using VectorTree = Classes<sgt::ClassLearner::Leaves::vector>;

// Settings under which a tree grows within a few hundred rows.
struct Quick {
    std::size_t warm_up = 150, grace_period = 40;
    double delta = 1e-3, gamma = 0.1;
};
inline sgt::Options options_of(const Quick& quick) {
    sgt::Options options;
    options.warm_up = quick.warm_up;
    options.grace_period = quick.grace_period;
    options.delta = quick.delta;
    options.gamma = quick.gamma;
    return options;
}
inline sgt::Options quick_options() {
    return options_of({});
}

// Learns rows [begin, end) of a stream with one target a row, in one call.
template <class Model>
void learn(Model& model, const streams::Stream& s, std::size_t begin, std::size_t end) {
    const double* w = s.weights() == nullptr ? nullptr : s.weights() + begin;
    model.learn(s.view(begin, end), s.y.data() + begin, w, nullptr);
}

// f(tree, features)
template <class F>
auto read_tree(const sgt::Learner& learner, std::size_t index, F&& f) {
    return learner.read([&](const sgt::Ensemble& ensemble, const sgt::FeatureSpace& features) {
        return f(ensemble.trees()[index].tree, features);
    });
}
template <class F>
auto read_features(const sgt::Learner& learner, F&& f) {
    return learner.read(
        [&](const sgt::Ensemble&, const sgt::FeatureSpace& features) { return f(features); });
}

}  // namespace learners
