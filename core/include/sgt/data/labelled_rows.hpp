// Rows to learn: views of features, targets and weights, which the caller keeps.
#pragma once

#include <cstddef>

#include "sgt/data/rows_view.hpp"

namespace sgt {

struct LabelledRows {
    RowsView x;
    const double* y = nullptr;  // class numbers or numbers to predict, `targets` of them a row
    const double* w = nullptr;  // null: all weights are 1
    std::size_t targets = 1;

    double weight(std::size_t row) const {
        return w == nullptr ? 1.0 : w[row];
    }
    const double* target(std::size_t row) const {
        return y + row * targets;
    }
    LabelledRows slice(std::size_t begin, std::size_t end) const {
        return {x.slice(begin, end), y + begin * targets, w == nullptr ? nullptr : w + begin,
                targets};
    }
};

}  // namespace sgt
