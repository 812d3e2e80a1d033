// Rows of numbers that belong to someone else.
#pragma once

#include <cstddef>

namespace sgt {

// Rows of float32 or float64 numbers; NaN = missing. They stand row after row, or each feature has
// an array of its own.
struct RowsView {
    const void* data = nullptr;  // row after row
    bool is_float32 = false;
    std::size_t rows = 0;
    std::size_t features = 0;
    const void* const* columns = nullptr;  // instead of data: the features' arrays
    std::size_t first_row = 0;             // of these rows, in the columns

    bool is_by_column() const {
        return columns != nullptr;
    }
    RowsView slice(std::size_t begin, std::size_t end) const {
        RowsView part = *this;
        part.rows = end - begin;
        if (is_by_column())
            part.first_row += begin;
        else
            part.data = static_cast<const std::byte*>(data) +
                        begin * features * (is_float32 ? sizeof(float) : sizeof(double));
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
    double number(const void* array, std::size_t i) const {
        return is_float32 ? static_cast<double>(static_cast<const float*>(array)[i])
                          : static_cast<const double*>(array)[i];
    }
};

}  // namespace sgt
