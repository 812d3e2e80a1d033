// Rows of numbers in one vector that become wider, as the values of all nodes do with a new class.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace sgt {

// In place, from the last row on, where the vector has room: new memory for each of many classes
// would cost more than the copies. What is added is 0.
inline void widen_rows(std::vector<double>& numbers, std::size_t rows, std::size_t old_width,
                       std::size_t new_width) {
    numbers.resize(rows * new_width, 0.0);
    for (std::size_t r = rows; r-- > 0;) {
        const auto from = numbers.begin() + static_cast<std::ptrdiff_t>(r * old_width);
        const auto to = numbers.begin() + static_cast<std::ptrdiff_t>(r * new_width);
        if (r > 0)
            std::copy_backward(from, from + static_cast<std::ptrdiff_t>(old_width),
                               to + static_cast<std::ptrdiff_t>(old_width));
        std::fill(to + static_cast<std::ptrdiff_t>(old_width),
                  to + static_cast<std::ptrdiff_t>(new_width), 0.0);
    }
}

}  // namespace sgt
