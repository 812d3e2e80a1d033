#include <algorithm>
#include <cstdint>
#include <utility>

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>

#include "rows.hpp"

namespace bindings {

bool is_float32(nb::dlpack::dtype type, const char* message) {
    const bool is_single = type == nb::dtype<float>();
    if (!is_single && type != nb::dtype<double>()) throw nb::type_error(message);
    return is_single;
}

Columns::Columns(const nb::list& arrays) {
    require(arrays.size() > 0, "there must be at least one column");
    for (const nb::handle array : arrays) add(array);
}

void Columns::add(nb::handle array) {
    Column column;
    if (!nb::try_cast(array, column, /*convert=*/false))
        throw nb::type_error("a column must be a contiguous array of one dimension");
    const bool is_single = is_float32(column.dtype(), "a column must be of float32 or float64");
    if (columns_.empty()) {
        is_float32_ = is_single;
        rows_ = column.shape(0);
    }
    require(is_single == is_float32_, "the columns must be of one type");
    require(column.shape(0) == rows_, "the columns must be of one length");
    arrays_.append(array);
    places_.push_back(column.data());
    columns_.push_back(std::move(column));
}

Columns Columns::take(const nb::object& rows) const {
    nb::list taken;
    for (const nb::handle array : arrays_) taken.append(array[rows]);
    return Columns(taken);
}

nb::list Columns::arrays() const {
    return nb::list(arrays_);
}

namespace {

sgt::CodeWidth width_of(nb::dlpack::dtype type) {
    if (type == nb::dtype<std::uint8_t>()) return sgt::CodeWidth::one;
    if (type == nb::dtype<std::uint16_t>()) return sgt::CodeWidth::two;
    if (type == nb::dtype<std::uint32_t>()) return sgt::CodeWidth::four;
    throw nb::type_error("codes must be an array of uint8, uint16 or uint32");
}

}  // namespace

Codes::Codes(Block codes) : codes_(std::move(codes)), width_(width_of(codes_.dtype())) {}

sgt::RowsView rows_view(const Rows& x) {
    if (std::holds_alternative<const Codes*>(x))
        throw nb::type_error("X must be an array of numbers or columns, not codes");
    if (std::holds_alternative<const Columns*>(x)) {
        const Columns* columns = std::get<const Columns*>(x);
        if (columns == nullptr) throw nb::type_error("X must be an array or columns, not None");
        return columns->view();
    }
    const Block& block = std::get<Block>(x);
    return {block.data(), is_float32(block.dtype(), "X must be an array of float32 or float64"),
            block.shape(0), block.shape(1)};
}

void bind_rows(nb::module_& m) {
    nb::class_<Codes>(m, "Codes").def(nb::init<Block>(), nb::arg("codes"));
    nb::class_<Columns>(m, "Columns")
        .def(nb::init<const nb::list&>(), nb::arg("arrays"))
        .def_prop_ro("arrays", &Columns::arrays)
        .def_prop_ro("shape",
                     [](const Columns& columns) {
                         const sgt::RowsView view = columns.view();
                         return std::pair{view.rows, view.features};
                     })
        .def("__len__", [](const Columns& columns) { return columns.view().rows; })
        .def("__getitem__", &Columns::take, nb::arg("rows"));
}

}  // namespace bindings
