// Columns side by side.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"

namespace bindings {

namespace {

template <class T>
using ColumnOf = nb::ndarray<const T, nb::ndim<1>, nb::device::cpu>;
template <class T>
using BlockOf = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// So many rows of all columns are written before the next: they stay in the cache.
constexpr std::size_t kBytesAtATime = std::size_t{1} << 16;

// Columns may have any stride: those of a table in row order are read in place.
template <class T>
void interleave(const std::vector<ColumnOf<T>>& columns, const BlockOf<T>& out) {
    const std::size_t n_rows = out.shape(0), n_columns = out.shape(1);
    require(columns.size() == n_columns, "out must have as many columns as there are");
    for (const ColumnOf<T>& column : columns)
        require(column.shape(0) == n_rows, "out must have as many rows as the columns");
    T* const written = out.data();
    const nb::gil_scoped_release release;
    const std::size_t step = std::max<std::size_t>(kBytesAtATime / (sizeof(T) * n_columns), 8);
    for (std::size_t first = 0; first < n_rows; first += step) {
        const std::size_t last = std::min(first + step, n_rows);
        for (std::size_t c = 0; c < n_columns; ++c) {
            const T* const values = columns[c].data();
            const std::int64_t stride = columns[c].stride(0);
            for (std::size_t r = first; r < last; ++r)
                written[r * n_columns + c] = values[static_cast<std::int64_t>(r) * stride];
        }
    }
}

}  // namespace

void bind_columns(nb::module_& m) {
    m.def("interleave", &interleave<double>, nb::arg("columns").noconvert(), nb::arg("out"));
    m.def("interleave", &interleave<float>, nb::arg("columns").noconvert(), nb::arg("out"));
}

}  // namespace bindings
