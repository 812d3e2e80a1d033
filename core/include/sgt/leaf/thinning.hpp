// Rows that a tree of a committee is sure of: their gradient is so small that they would change no
// leaf. Of these a tree learns one in kCopies, as so many rows like it: the expected value of all
// sums stays the same, and a tree spends its time on the rows that it is not sure of.
#pragma once

#include <cstdint>

#include "sgt/data/draw.hpp"

namespace sgt {

inline constexpr double kSureGradient = 1e-3;
inline constexpr double kCopies = 8.0;

// Whether the tree learns this row, if it is sure of it: drawn by the row's number, so that the
// draws cannot coincide with a period in the stream, and rows drawn for one tree are not those of
// another.
inline bool is_drawn(std::uint64_t row, std::uint64_t tree) {
    return draw(row, tree) >> 61U == 0;
}

}  // namespace sgt
