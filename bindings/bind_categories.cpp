// Category numbers, seen from Python.
#include <algorithm>
#include <cstdint>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "rows.hpp"
#include "sgt/data/category_numbers.hpp"

namespace bindings {

namespace {

using Column = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;
using ColumnOut = nb::ndarray<double, nb::ndim<1>, nb::device::cpu>;

// Values are appended by a thread that has the GIL, and read by threads that may have let go of it:
// these share the lock, and must not wait for the GIL meanwhile.
class KnownCategories {
public:
    const sgt::CategoryTable& table() const {
        return table_;
    }
    std::shared_lock<std::shared_mutex> shared() const {
        return std::shared_lock(access_);
    }
    // The values of the categories from number `first` on; those that are known are left out.
    void append(std::size_t first, const Floats& values) {
        require(first <= table_.size(), "first must not be beyond the known categories");
        const std::unique_lock alone(access_);
        for (std::size_t i = table_.size() - first; i < values.shape(0); ++i)
            table_.append(values.data()[i]);
    }

private:
    sgt::CategoryTable table_;
    mutable std::shared_mutex access_;
};

auto encode_categories(const Column& column, const KnownCategories& known, ColumnOut out,
                       bool learn) {
    require(column.shape(0) == out.shape(0), "values and out must have the same length");
    sgt::ColumnEncoder encoder(known.table());
    if (is_float32(column.dtype(), "values must be float32 or float64"))
        encoder.encode(static_cast<const float*>(column.data()), column.stride(0), out.data(),
                       out.stride(0), column.shape(0), learn);
    else
        encoder.encode(static_cast<const double*>(column.data()), column.stride(0), out.data(),
                       out.stride(0), column.shape(0), learn);
    return to_numpy(encoder.new_values());
}

using WholeColumn = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class Real>
nb::object numbers_or_none(const WholeColumn& column, const KnownCategories& known,
                           sgt::ColumnEncoder& encoder, bool learn) {
    std::optional<std::vector<Real>> numbers;
    {
        const nb::gil_scoped_release release;
        const auto lock = known.shared();
        numbers = encoder.numbers_or_nothing(static_cast<const Real*>(column.data()),
                                             column.shape(0), learn);
    }
    if (!numbers) return nb::none();
    return nb::cast(to_numpy(std::move(*numbers)));
}

nb::tuple number_categories(const WholeColumn& column, const KnownCategories& known, bool learn) {
    sgt::ColumnEncoder encoder(known.table());
    const nb::object numbers = is_float32(column.dtype(), "values must be float32 or float64")
                                   ? numbers_or_none<float>(column, known, encoder, learn)
                                   : numbers_or_none<double>(column, known, encoder, learn);
    return nb::make_tuple(numbers, to_numpy(encoder.new_values()));
}

using BlockOut = nb::ndarray<nb::ndim<2>, nb::c_contig, nb::device::cpu>;

nb::list encode_category_columns(const Block& x, const std::vector<std::size_t>& columns,
                                 const std::vector<const KnownCategories*>& known, BlockOut out,
                                 bool learn) {
    const sgt::RowsView view = rows_view(Rows(x));
    require(out.dtype() == x.dtype() && out.shape(0) == x.shape(0) && out.shape(1) == x.shape(1),
            "out must be an array like X");
    require(columns.size() == known.size(), "columns and known must have the same length");
    for (const std::size_t column : columns)
        require(column < view.features, "there is no such column");
    std::vector<sgt::ColumnEncoder> encoders;
    for (const KnownCategories* of_column : known) {
        require(of_column != nullptr, "known must hold categories");
        encoders.emplace_back(of_column->table());
    }
    if (view.is_float32)
        sgt::encode_category_columns(static_cast<const float*>(view.data),
                                     static_cast<float*>(out.data()), view.rows, view.features,
                                     columns, encoders, learn);
    else
        sgt::encode_category_columns(static_cast<const double*>(view.data),
                                     static_cast<double*>(out.data()), view.rows, view.features,
                                     columns, encoders, learn);
    nb::list new_values;
    for (const sgt::ColumnEncoder& encoder : encoders)
        new_values.append(to_numpy(encoder.new_values()));
    return new_values;
}

}  // namespace

void bind_categories(nb::module_& m) {
    nb::class_<KnownCategories>(m, "KnownCategories")
        .def(nb::init<>())
        .def("append", &KnownCategories::append, nb::arg("first"), nb::arg("values"))
        .def("__len__", [](const KnownCategories& known) { return known.table().size(); })
        .def_prop_ro("memory_bytes",
                     [](const KnownCategories& known) { return known.table().bytes(); });
    m.def("encode_categories", &encode_categories, nb::arg("values"), nb::arg("known"),
          nb::arg("out"), nb::arg("learn"));
    m.def("number_categories", &number_categories, nb::arg("values"), nb::arg("known"),
          nb::arg("learn"));
    m.def("encode_category_columns", &encode_category_columns, nb::arg("X"), nb::arg("columns"),
          nb::arg("known"), nb::arg("out"), nb::arg("learn"));
}

}  // namespace bindings
