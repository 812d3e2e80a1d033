// The hot loops over the rows that wait in a leaf.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sgt/data/codes.hpp"
#include "sgt/leaf/cells.hpp"

namespace sgt {

// Rows of codes, all features of a row together; a row may be longer than its features.
struct CodeRows {
    CodeWidth width = CodeWidth::one;
    const std::byte* codes = nullptr;
    std::size_t rows = 0;
    std::size_t stride = 0;
};

// smallest[f] and largest[f]: the smallest and the largest code of feature f in these rows, of
// which there must be one.
void find_extreme_codes(const CodeRows& rows, std::uint32_t* smallest, std::uint32_t* largest);

// Writes the steps of rows, of which `records` have been kept, and adds them to the total, one
// after the other: for moments of one output.
void sum_moments(const double* records, std::size_t rows, Reference reference, double* steps,
                 double* total);

// Where the cells of some features are: code c of columns[j] has the cell at
// cells[j] + c * cell_width(layout). Without columns, target j is feature j.
struct CellTargets {
    const std::uint32_t* columns = nullptr;
    double* const* cells = nullptr;
    std::size_t n = 0;
};

// Adds row r's step, at steps + r * step_width(layout), to the cell of its code, for every target;
// the rows one after the other.
void add_steps(Layout layout, const CodeRows& rows, const double* steps,
               const CellTargets& targets);

// The same for cells of moments of one output, of which the heads alone are added to: the first
// kHeadWidth numbers, at cells[j] + c * kHeadWidth.
inline constexpr std::size_t kHeadWidth = 4;
void add_heads_of_steps(const CodeRows& rows, const double* steps, const CellTargets& targets);

// The same for targets whose codes in these rows are 1 and 2 only, with cells of moments of one
// output: both cells of a feature stay in registers. Behind the last step there must be room for
// kStepPadding doubles.
inline constexpr std::size_t kStepPadding = 2;
void add_steps_of_two_codes(const CodeRows& rows, const double* steps, const CellTargets& targets);

// The same for features that have one code in all these rows: every step is added to every one of
// these cells, of which there are n.
void add_steps_of_one_code(const double* steps, std::size_t rows, double* const* cells,
                           std::size_t n);

}  // namespace sgt
