// The leaf models that there are.
#pragma once

#include <utility>

#include "sgt/leaf/leaf_model.hpp"
#include "sgt/leaf/linear_leaves.hpp"

namespace sgt {

// Calls f with a null pointer of the type of leaf model that the options name.
template <class F>
auto with_leaf_model(const Options& options, F&& f) {
    if (options.linear_leaves) return std::forward<F>(f)(static_cast<LinearLeaves*>(nullptr));
    return std::forward<F>(f)(static_cast<ConstantLeaves*>(nullptr));
}

}  // namespace sgt
