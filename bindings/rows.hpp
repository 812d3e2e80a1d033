// Rows as Python gives them: numbers in one array, row after row, or in an array for each column;
// or codes.
#pragma once

#include <cstddef>
#include <variant>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/variant.h>

#include "arrays.hpp"
#include "sgt/data/rows_view.hpp"

namespace bindings {

using Block = nb::ndarray<nb::ro, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Columns of float32 or of float64 numbers, all of one type and length. It keeps the arrays alive.
class Columns {
public:
    explicit Columns(const nb::list& arrays);

    sgt::RowsView view() const {
        return {nullptr, is_float32_, rows_, places_.size(), places_.data()};
    }
    // The same columns, with the rows that NumPy's index `rows` chooses.
    Columns take(const nb::object& rows) const;
    nb::list arrays() const;

private:
    using Column = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

    void add(nb::handle array);

    nb::list arrays_;
    std::vector<Column> columns_;
    std::vector<const void*> places_;
    bool is_float32_ = false;
    std::size_t rows_ = 0;
};

// Rows of codes: what `Learner.encode` gives. It keeps the array alive.
class Codes {
public:
    explicit Codes(Block codes);

    sgt::RowsView view() const {
        return sgt::RowsView::of_codes(codes_.data(), width_, codes_.shape(0), codes_.shape(1));
    }

private:
    Block codes_;
    sgt::CodeWidth width_;
};

using Rows = std::variant<const Columns*, const Codes*, Block>;

// TypeError where the numbers are not of float32 or float64.
bool is_float32(nb::dlpack::dtype type, const char* message);
// Numbers only; TypeError for codes.
sgt::RowsView rows_view(const Rows& x);

}  // namespace bindings
