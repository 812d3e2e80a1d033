// Helpers that turn Python values into rows of numbers.
#include <algorithm>
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
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "sgt/infinities.hpp"
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

// The categories of one column of numbers, with the values that are new.
class ColumnEncoder {
public:
    explicit ColumnEncoder(const Floats& known)
        : n_known_(known.shape(0)),
          values_(known.data(), known.data() + n_known_),
          table_(n_known_) {
        for (std::size_t i = 0; i < n_known_; ++i)
            table_.insert(values_[i], static_cast<std::int64_t>(i), values_);
    }

    template <class From, class To>
    void encode(const From* from, std::int64_t from_stride, To* to, std::int64_t to_stride,
                std::size_t n, bool learn) {
        for (std::size_t r = 0; r < n; ++r, from += from_stride, to += to_stride) {
            const auto value = static_cast<double>(*from);
            // Neighbouring rows often agree, and those of 0/1 columns nearly always.
            if (value != last_value_) look_up(value, learn);
            *to = static_cast<To>(last_number_);
        }
    }
    std::vector<double> new_values() const {
        return {values_.begin() + static_cast<std::ptrdiff_t>(n_known_), values_.end()};
    }

private:
    void look_up(double value, bool learn) {
        last_value_ = value;
        last_number_ = kNaN;
        if (std::isnan(value)) return;
        std::int64_t number = table_.find(value, values_);
        if (number < 0 && learn) {
            number = static_cast<std::int64_t>(values_.size());
            values_.push_back(value);
            table_.insert(value, number, values_);
        }
        last_number_ = static_cast<double>(number);
    }

    std::size_t n_known_;
    std::vector<double> values_;
    CategoryTable table_;
    double last_value_ = kNaN, last_number_ = kNaN;
};

using Column = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;
using ColumnOut = nb::ndarray<double, nb::ndim<1>, nb::device::cpu>;

auto encode_categories(const Column& column, const Floats& known, ColumnOut out, bool learn) {
    require(column.shape(0) == out.shape(0), "values and out must have the same length");
    const bool is_float32 = column.dtype() == nb::dtype<float>();
    if (!is_float32 && column.dtype() != nb::dtype<double>())
        throw nb::type_error("values must be float32 or float64");
    ColumnEncoder encoder(known);
    if (is_float32)
        encoder.encode(static_cast<const float*>(column.data()), column.stride(0), out.data(),
                       out.stride(0), column.shape(0), learn);
    else
        encoder.encode(static_cast<const double*>(column.data()), column.stride(0), out.data(),
                       out.stride(0), column.shape(0), learn);
    return to_numpy(encoder.new_values());
}

using BlockOut = nb::ndarray<nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class Real>
void encode_columns(const Real* from, Real* to, std::size_t rows, std::size_t features,
                    const std::vector<std::size_t>& columns, std::vector<ColumnEncoder>& encoders,
                    bool learn) {
    constexpr std::size_t kRowsAtATime = 512;  // all columns of so many rows fit into the cache
    for (std::size_t begin = 0; begin < rows; begin += kRowsAtATime) {
        const std::size_t n = std::min(kRowsAtATime, rows - begin);
        std::copy_n(from + begin * features, n * features, to + begin * features);
        const auto stride = static_cast<std::int64_t>(features);
        for (std::size_t i = 0; i < columns.size(); ++i) {
            Real* column = to + begin * features + columns[i];
            encoders[i].encode(column, stride, column, stride, n, learn);
        }
    }
}

nb::list encode_category_columns(const Block& x, const std::vector<std::size_t>& columns,
                                 const std::vector<Floats>& known, BlockOut out, bool learn) {
    const sgt::RowsView view = rows_view(x);
    require(out.dtype() == x.dtype() && out.shape(0) == x.shape(0) && out.shape(1) == x.shape(1),
            "out must be an array like X");
    require(columns.size() == known.size(), "columns and known must have the same length");
    for (const std::size_t column : columns)
        require(column < view.features, "there is no such column");
    std::vector<ColumnEncoder> encoders;
    for (const Floats& values : known) encoders.emplace_back(values);
    if (view.is_float32)
        encode_columns(static_cast<const float*>(view.data), static_cast<float*>(out.data()),
                       view.rows, view.features, columns, encoders, learn);
    else
        encode_columns(static_cast<const double*>(view.data), static_cast<double*>(out.data()),
                       view.rows, view.features, columns, encoders, learn);
    nb::list new_values;
    for (const ColumnEncoder& encoder : encoders) new_values.append(to_numpy(encoder.new_values()));
    return new_values;
}

std::optional<std::pair<std::size_t, std::size_t>> find_infinite(const Block& x) {
    const sgt::RowsView view = rows_view(x);
    const nb::gil_scoped_release release;
    const std::size_t n = view.rows * view.features;
    const std::size_t i = view.is_float32
                              ? sgt::first_infinity(static_cast<const float*>(view.data), n)
                              : sgt::first_infinity(static_cast<const double*>(view.data), n);
    if (i == n) return std::nullopt;
    return std::pair{i / view.features, i % view.features};
}

}  // namespace

void bind_encoding(nb::module_& m) {
    m.def("encode_event", &encode_event, nb::arg("x"), nb::arg("index"), nb::arg("categories"),
          nb::arg("row"));
    m.def("encode_categories", &encode_categories, nb::arg("values"), nb::arg("known"),
          nb::arg("out"), nb::arg("learn"));
    m.def("encode_category_columns", &encode_category_columns, nb::arg("X"), nb::arg("columns"),
          nb::arg("known"), nb::arg("out"), nb::arg("learn"));
    m.def("find_infinite", &find_infinite, nb::arg("X"));
    m.def("student_t_two_sided", &sgt::student_t_two_sided, nb::arg("t"), nb::arg("df"));
}

}  // namespace bindings
