// A view of rows, which the caller keeps.
#pragma once

#include <cstddef>

#include "sgt/data/codes.hpp"

namespace sgt {

// Rows of float32 or float64 numbers; NaN = missing. They are stored row after row, or each feature
// has an array of its own. Or rows of codes, row after row, which have no numbers any more.
struct RowsView {
    const void* data = nullptr;  // row after row
    bool is_float32 = false;
    std::size_t rows = 0;
    std::size_t features = 0;
    const void* const* columns = nullptr;  // instead of data: the features' arrays
    std::size_t first_row = 0;             // of these rows, in the columns
    bool is_coded = false;                 // data are codes, of this width
    CodeWidth code_width = CodeWidth::one;

    static RowsView of_codes(const void* codes, CodeWidth width, std::size_t rows,
                             std::size_t features) {
        return {codes, false, rows, features, nullptr, 0, true, width};
    }

    bool is_by_column() const {
        return columns != nullptr;
    }
    RowsView slice(std::size_t begin, std::size_t end) const {
        RowsView part = *this;
        part.rows = end - begin;
        if (is_by_column())
            part.first_row += begin;
        else
            part.data = static_cast<const std::byte*>(data) + begin * features * bytes_of_value();
        return part;
    }
    double at(std::size_t row, std::size_t feature) const {
        return is_by_column() ? number(columns[feature], first_row + row)
                              : number(data, row * features + feature);
    }
    // The numbers of one feature, by column only.
    template <class Real>
    const Real* column(std::size_t feature) const {
        return static_cast<const Real*>(columns[feature]) + first_row;
    }

private:
    std::size_t bytes_of_value() const {
        if (is_coded) return bytes_of(code_width);
        return is_float32 ? sizeof(float) : sizeof(double);
    }
    double number(const void* array, std::size_t i) const {
        return is_float32 ? static_cast<double>(static_cast<const float*>(array)[i])
                          : static_cast<const double*>(array)[i];
    }
};

}  // namespace sgt
