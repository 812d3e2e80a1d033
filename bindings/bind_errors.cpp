// The core's own exceptions as Python classes, with what they know as attributes.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include "sgt/loss/loss.hpp"
#include "sgt/rounds/merge.hpp"

namespace nb = nanobind;

namespace bindings {

namespace {

void raise_loss_failure(const std::exception_ptr& exception, void* type) {
    try {
        std::rethrow_exception(exception);
    } catch (const sgt::LossFailure& failure) {
        const auto python_type = nb::borrow(static_cast<PyObject*>(type));
        nb::object error = python_type(failure.what());
        error.attr("row") = failure.row();
        error.attr("y") = failure.y();
        error.attr("raw") = failure.raw();
        error.attr("g") = failure.derivatives().g;
        error.attr("h") = failure.derivatives().h;
        error.attr("left_out") = failure.left_out();
        PyErr_SetObject(python_type.ptr(), error.ptr());
    }
}

}  // namespace

void bind_errors(nb::module_& m) {
    nb::exception<sgt::MergeError>(m, "MergeError", PyExc_ValueError);
    const nb::object loss_failure =
        nb::steal(PyErr_NewException("sgtrees._core.LossFailure", PyExc_RuntimeError, nullptr));
    m.attr("LossFailure") = loss_failure;
    // The translator lives as long as the process does, and so must the class.
    nb::register_exception_translator(raise_loss_failure, nb::object(loss_failure).release().ptr());
}

}  // namespace bindings
