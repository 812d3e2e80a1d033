// Category numbers, seen from Python.
#include <algorithm>
#include <cstdint>
#include <optional>
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

sgt::ColumnEncoder encoder_of(const Floats& known) {
    return sgt::ColumnEncoder({known.data(), known.data() + known.shape(0)});
}

auto encode_categories(const Column& column, const Floats& known, ColumnOut out, bool learn) {
    require(column.shape(0) == out.shape(0), "values and out must have the same length");
    sgt::ColumnEncoder encoder = encoder_of(known);
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
nb::object numbers_or_none(const WholeColumn& column, sgt::ColumnEncoder& encoder, bool learn) {
    std::optional<std::vector<Real>> numbers;
    {
        const nb::gil_scoped_release release;
        numbers = encoder.numbers_or_nothing(static_cast<const Real*>(column.data()),
                                             column.shape(0), learn);
    }
    if (!numbers) return nb::none();
    return nb::cast(to_numpy(std::move(*numbers)));
}

nb::tuple number_categories(const WholeColumn& column, const Floats& known, bool learn) {
    sgt::ColumnEncoder encoder = encoder_of(known);
    const nb::object numbers = is_float32(column.dtype(), "values must be float32 or float64")
                                   ? numbers_or_none<float>(column, encoder, learn)
                                   : numbers_or_none<double>(column, encoder, learn);
    return nb::make_tuple(numbers, to_numpy(encoder.new_values()));
}

using BlockOut = nb::ndarray<nb::ndim<2>, nb::c_contig, nb::device::cpu>;

nb::list encode_category_columns(const Block& x, const std::vector<std::size_t>& columns,
                                 const std::vector<Floats>& known, BlockOut out, bool learn) {
    const sgt::RowsView view = rows_view(Rows(x));
    require(out.dtype() == x.dtype() && out.shape(0) == x.shape(0) && out.shape(1) == x.shape(1),
            "out must be an array like X");
    require(columns.size() == known.size(), "columns and known must have the same length");
    for (const std::size_t column : columns)
        require(column < view.features, "there is no such column");
    std::vector<sgt::ColumnEncoder> encoders;
    for (const Floats& values : known) encoders.push_back(encoder_of(values));
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
    m.def("encode_categories", &encode_categories, nb::arg("values"), nb::arg("known"),
          nb::arg("out"), nb::arg("learn"));
    m.def("number_categories", &number_categories, nb::arg("values"), nb::arg("known"),
          nb::arg("learn"));
    m.def("encode_category_columns", &encode_category_columns, nb::arg("X"), nb::arg("columns"),
          nb::arg("known"), nb::arg("out"), nb::arg("learn"));
}

}  // namespace bindings
