// Helpers that turn Python values into rows of numbers.
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include "arrays.hpp"
#include "sgt/student_t.hpp"

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
        PyErr_Clear();  // not hashable: the slow path says so
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

// Open addressing from a number to its category; -0.0 is 0.0.
class CategoryTable {
public:
    explicit CategoryTable(std::size_t expected) {
        std::size_t size = 16;
        while (size < 2 * expected) size *= 2;
        slots_.assign(size, kEmpty);
    }
    // The number of a value, -1 if it is not there. `values[i]` is the value of category i.
    std::int64_t find(double value, const std::vector<double>& values) const {
        for (std::size_t slot = hash(value);; slot = (slot + 1) & (slots_.size() - 1)) {
            const std::int64_t category = slots_[slot];
            if (category == kEmpty || values[static_cast<std::size_t>(category)] == value)
                return category;
        }
    }
    void insert(double value, std::int64_t category, const std::vector<double>& values) {
        if (2 * (static_cast<std::size_t>(category) + 1) > slots_.size()) grow(values);
        place(value, category);
    }

private:
    static constexpr std::int64_t kEmpty = -1;

    std::size_t hash(double value) const {
        std::uint64_t bits = std::bit_cast<std::uint64_t>(value + 0.0);
        bits = (bits ^ (bits >> 32)) * 0x9E3779B97F4A7C15ULL;
        return static_cast<std::size_t>(bits >> 20) & (slots_.size() - 1);
    }
    void place(double value, std::int64_t category) {
        std::size_t slot = hash(value);
        while (slots_[slot] != kEmpty) slot = (slot + 1) & (slots_.size() - 1);
        slots_[slot] = category;
    }
    void grow(const std::vector<double>& values) {
        slots_.assign(slots_.size() * 4, kEmpty);
        for (std::size_t i = 0; i + 1 < values.size(); ++i)
            place(values[i], static_cast<std::int64_t>(i));
    }

    std::vector<std::int64_t> slots_;
};

template <class Real>
void encode_column(const Real* from, std::int64_t from_stride, double* to, std::int64_t to_stride,
                   std::size_t n, bool learn, std::vector<double>& values) {
    CategoryTable table(values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
        table.insert(values[i], static_cast<std::int64_t>(i), values);
    // Neighbouring rows often agree, and 0/1 columns always nearly do.
    double last_value = kNaN, last_number = kNaN;
    for (std::size_t r = 0; r < n; ++r, from += from_stride, to += to_stride) {
        const auto value = static_cast<double>(*from);
        if (value != last_value) {
            last_value = value;
            if (std::isnan(value)) {
                last_number = kNaN;
            } else {
                std::int64_t number = table.find(value, values);
                if (number < 0 && learn) {
                    number = static_cast<std::int64_t>(values.size());
                    values.push_back(value);
                    table.insert(value, number, values);
                }
                last_number = static_cast<double>(number);
            }
        }
        *to = last_number;
    }
}

using Column = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;
using ColumnOut = nb::ndarray<double, nb::ndim<1>, nb::device::cpu>;

auto encode_categories(const Column& column, const Floats& known, ColumnOut out, bool learn) {
    require(column.shape(0) == out.shape(0), "values and out must have the same length");
    const bool is_float32 = column.dtype() == nb::dtype<float>();
    if (!is_float32 && column.dtype() != nb::dtype<double>())
        throw nb::type_error("values must be float32 or float64");
    const std::size_t n_known = known.shape(0);
    std::vector<double> values(known.data(), known.data() + n_known);
    if (is_float32)
        encode_column(static_cast<const float*>(column.data()), column.stride(0), out.data(),
                      out.stride(0), column.shape(0), learn, values);
    else
        encode_column(static_cast<const double*>(column.data()), column.stride(0), out.data(),
                      out.stride(0), column.shape(0), learn, values);
    return to_numpy(
        std::vector<double>(values.begin() + static_cast<std::ptrdiff_t>(n_known), values.end()));
}

// The sum of 0 * x is NaN exactly where some x is NaN or infinite; only then look closer.
template <class Real>
bool all_finite(const Real* x, std::size_t n) {
    constexpr std::size_t kLanes = 16;
    Real sums[kLanes] = {};
    std::size_t i = 0;
    for (; i + kLanes <= n; i += kLanes)
        for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += Real{0} * x[i + lane];
    Real sum = 0;
    for (; i < n; ++i) sum += Real{0} * x[i];
    for (const Real lane : sums) sum += lane;
    return sum == Real{0};
}

template <class Real>
std::optional<std::pair<std::size_t, std::size_t>> first_infinite(const Real* x, std::size_t rows,
                                                                  std::size_t columns) {
    if (all_finite(x, rows * columns)) return std::nullopt;
    for (std::size_t i = 0; i < rows * columns; ++i)
        if (std::isinf(x[i])) return std::pair{i / columns, i % columns};
    return std::nullopt;
}

std::optional<std::pair<std::size_t, std::size_t>> find_infinite(const Block& x) {
    const sgt::RowsView view = rows_view(x);
    const nb::gil_scoped_release release;
    if (view.is_float32)
        return first_infinite(static_cast<const float*>(view.data), view.rows, view.features);
    return first_infinite(static_cast<const double*>(view.data), view.rows, view.features);
}

}  // namespace

void bind_encoding(nb::module_& m) {
    m.def("encode_event", &encode_event, nb::arg("x"), nb::arg("index"), nb::arg("categories"),
          nb::arg("row"));
    m.def("encode_categories", &encode_categories, nb::arg("values"), nb::arg("known"),
          nb::arg("out"), nb::arg("learn"));
    m.def("find_infinite", &find_infinite, nb::arg("X"));
    m.def("student_t_two_sided", &sgt::student_t_two_sided, nb::arg("t"), nb::arg("df"));
}

}  // namespace bindings
