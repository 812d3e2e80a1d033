// Which loss a learner is made with: a built-in one by name, or one written in Python.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>

#include "sgt/loss/loss.hpp"

namespace bindings {

struct LossSpec {
    std::string name = "squared_error";
    std::map<std::string, double> parameters;
    // Where the name is empty: an object with the methods that `PythonLoss` calls (`LossAdapter`).
    nanobind::object adapter;

    std::unique_ptr<sgt::Loss> make() const;
    // For several outputs: one for each, or one Python loss for all.
    std::vector<std::shared_ptr<sgt::Loss>> make_all(std::size_t outputs) const;
};

// For Python's cycle collector: a model holds its loss, and that may hold the model. The first
// visits the objects that the loss refers to, the second drops them.
int visit_python_loss(const sgt::Loss& loss, visitproc visit, void* arg);
void drop_python_loss(sgt::Loss& loss);

}  // namespace bindings
