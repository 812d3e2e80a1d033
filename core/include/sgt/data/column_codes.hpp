// Codes of rows that come column by column: each column is coded by itself, in vectors, and the
// codes of a few columns at a time are then copied into the rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sgt/clones.hpp"
#include "sgt/data/bin_guess.hpp"

namespace sgt {

// Columns whose codes are copied into the rows together, and the most rows of them.
inline constexpr std::size_t kColumnsTogether = 8;
inline constexpr std::size_t kRowsTogether = 1024;

#define SGT_DECLARE_COLUMN_CODES(Real, Code)                                                       \
    void encode_guessed_column(const Real* x, std::size_t n, const BinGuess& b, bool power_of_two, \
                               Code* out);                                                         \
    /* Bins that cannot be guessed. A value and a code for every so many places. */                \
    void encode_searched_column(const Real* x, std::size_t stride, std::size_t n,                  \
                                const std::vector<double>& boundaries, Code* out,                  \
                                std::size_t out_stride);                                           \
    /* Returns whether some category has no code of this width. */                                 \
    bool encode_category_column(const Real* x, std::size_t n, Code* out);
SGT_FOR_REALS_AND_CODES(SGT_DECLARE_COLUMN_CODES)
#undef SGT_DECLARE_COLUMN_CODES

// codes: n_columns (at most kColumnsTogether) columns, each of kRowsTogether places, of which the
// first n are in use. They go to rows[0 .. n_columns), rows[stride .. stride + n_columns), ...
void lay_in_rows(const std::uint8_t* codes, std::size_t n_columns, std::size_t n,
                 std::uint8_t* rows, std::size_t stride);
void lay_in_rows(const std::uint16_t* codes, std::size_t n_columns, std::size_t n,
                 std::uint16_t* rows, std::size_t stride);
void lay_in_rows(const std::uint32_t* codes, std::size_t n_columns, std::size_t n,
                 std::uint32_t* rows, std::size_t stride);

}  // namespace sgt
