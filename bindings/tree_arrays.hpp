// A tree as a dictionary of arrays.
#pragma once

#include <cstddef>
#include <utility>

#include <nanobind/nanobind.h>

#include "arrays.hpp"
#include "learner_arguments.hpp"
#include "sgt/explain/tree_table.hpp"
#include "sgt/learner/learner.hpp"

namespace bindings {

inline nb::dict to_dict(sgt::TreeTable table) {
    nb::dict arrays;
    arrays["parent"] = to_numpy(std::move(table.parent));
    arrays["depth"] = to_numpy(std::move(table.depth));
    arrays["value"] = rows_of_outputs(std::move(table.value), table.outputs);
    arrays["feature"] = to_numpy(std::move(table.feature));
    arrays["threshold"] = to_numpy(std::move(table.threshold));
    arrays["is_nominal"] = to_numpy_bool(std::move(table.is_nominal));
    arrays["default_child"] = to_numpy(std::move(table.default_child));
    arrays["category"] = to_numpy(std::move(table.category));
    arrays["is_missing_branch"] = to_numpy_bool(std::move(table.is_missing_branch));
    arrays["is_left"] = to_numpy_bool(std::move(table.is_left));
    arrays["cover"] = to_numpy(std::move(table.cover));
    arrays["gain"] = to_numpy(std::move(table.gain));
    arrays["rows"] = to_numpy(std::move(table.rows));
    arrays["weights"] = to_numpy(std::move(table.weights));
    return arrays;
}

// Calls f(place, features) for a tree of the ensemble, without the GIL; IndexError where there is
// no such tree.
template <class F>
auto read_tree(const sgt::Learner& learner, std::size_t index, F&& f) {
    return read_without_gil(learner,
                            [&](const sgt::Ensemble& ensemble, const sgt::FeatureSpace& features) {
                                const std::vector<sgt::Ensemble::Place> trees = ensemble.trees();
                                if (index >= trees.size())
                                    throw nb::index_error("there is no such tree");
                                return f(trees[index], features);
                            });
}

inline nb::dict tree_arrays(const sgt::Learner& learner, std::size_t index) {
    return to_dict(read_tree(
        learner, index, [](const sgt::Ensemble::Place& place, const sgt::FeatureSpace& features) {
            return sgt::TreeTable(place.tree, features);
        }));
}

// The outputs that a tree adds to.
inline std::vector<std::size_t> tree_outputs(const sgt::Learner& learner, std::size_t index) {
    return read_tree(learner, index,
                     [](const sgt::Ensemble::Place& place, const sgt::FeatureSpace&) {
                         std::vector<std::size_t> outputs;
                         for (std::size_t k = 0; k < place.tree.layout().outputs; ++k)
                             outputs.push_back(place.first_output + k);
                         return outputs;
                     });
}

inline double tree_shrinkage(const sgt::Learner& learner, std::size_t index) {
    return read_tree(
        learner, index,
        [](const sgt::Ensemble::Place& place, const sgt::FeatureSpace&) { return place.weight; });
}

}  // namespace bindings
