// Rows that a tree of a committee is sure of: their gradient is next to nothing, so that they would
// move no leaf. Of these a tree learns one in kCopies, as so many rows like it: all sums stay, on
// average, what they would be, and a tree's time goes to the rows that it does not know yet.
#pragma once

#include <cstdint>

namespace sgt {

inline constexpr double kSureGradient = 1e-3;
inline constexpr double kCopies = 8.0;

// Whether the tree learns this row, if it is sure of it: drawn by the row's number, so that no
// period in the stream can meet the draws, and rows drawn for one tree are not those of another.
inline bool is_drawn(std::uint64_t row, std::uint64_t tree) {
    std::uint64_t z = row * 0x9E3779B97F4A7C15U + tree * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 32U)) * 0xD6E8FEB86659FD93U;
    return z >> 61U == 0;
}

}  // namespace sgt
