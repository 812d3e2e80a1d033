// Python values become rows of numbers.
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "rows.hpp"
#include "sgt/data/infinities.hpp"

namespace bindings {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

using RowOut = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// A number that may stand in a numeric column; nothing for any other object, and for infinities.
std::optional<double> numeric_value(PyObject* value) {
    double number;
    if (PyFloat_Check(value)) {
        number = PyFloat_AsDouble(value);
    } else if (value == Py_None) {
        return kNaN;
    } else if (PyLong_Check(value)) {
        number = PyLong_AsDouble(value);
        if (number == -1.0 && PyErr_Occurred() != nullptr) {
            PyErr_Clear();
            return std::nullopt;
        }
    } else {
        return std::nullopt;
    }
    if (std::isinf(number)) return std::nullopt;
    return number;
}

// The number of a known category.
std::optional<double> category_number(PyObject* value, PyObject* numbers) {
    if (value == Py_None) return kNaN;
    if (PyFloat_Check(value) && std::isnan(PyFloat_AsDouble(value))) return kNaN;
    PyObject* number = PyDict_GetItemWithError(numbers, value);
    if (number == nullptr) {
        PyErr_Clear();  // not hashable: the slow path raises the error
        return std::nullopt;
    }
    return PyLong_AsDouble(number);
}

bool encode_event(nb::dict x, nb::dict index, nb::list categories, RowOut row) {
    double* values = row.data();
    const auto n = static_cast<Py_ssize_t>(row.shape(0));
    for (Py_ssize_t i = 0; i < n; ++i) values[i] = kNaN;
    PyObject *key = nullptr, *value = nullptr;
    Py_ssize_t at = 0;
    while (PyDict_Next(x.ptr(), &at, &key, &value) != 0) {
        PyObject* column = PyDict_GetItemWithError(index.ptr(), key);
        if (column == nullptr) {
            PyErr_Clear();
            return false;
        }
        const Py_ssize_t i = PyLong_AsSsize_t(column);
        PyObject* numbers = PyList_GetItem(categories.ptr(), i);
        if (numbers == nullptr || i < 0 || i >= n) {
            PyErr_Clear();
            return false;
        }
        const std::optional<double> number =
            numbers == Py_None ? numeric_value(value) : category_number(value, numbers);
        if (!number) return false;
        values[i] = *number;
    }
    return true;
}

// The first one, in the order of the rows.
std::optional<std::pair<std::size_t, std::size_t>> find_infinite(const Rows& x) {
    const sgt::RowsView view = rows_view(x);
    const nb::gil_scoped_release release;
    return sgt::first_infinity(view);
}

}  // namespace

void bind_encoding(nb::module_& m) {
    m.def("encode_event", &encode_event, nb::arg("x"), nb::arg("index"), nb::arg("categories"),
          nb::arg("row"));
    m.def("find_infinite", &find_infinite, nb::arg("X"));
}

}  // namespace bindings
