// Which loss a learner is made with: a built-in one by name, or a Python function.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>

#include "sgt/loss.hpp"

namespace bindings {

struct LossSpec {
    std::string name = "squared_error";
    std::map<std::string, double> parameters;
    // (y, raw) -> (g, h) and (y, w) -> best constant, where the name is empty.
    nanobind::object derivatives, constant;

    std::unique_ptr<sgt::Loss> make() const;
    // For several outputs: one for each, or one Python loss for all.
    std::vector<std::unique_ptr<sgt::Loss>> make_all(std::size_t outputs) const;
};

// For Python's cycle collector: a model holds its loss's functions, and they may hold the model.
// Visits what the loss refers to; lets go of it.
int visit_functions(const sgt::Loss& loss, visitproc visit, void* arg);
void drop_functions(sgt::Loss& loss);

}  // namespace bindings
