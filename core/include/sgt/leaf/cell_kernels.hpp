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

// Counts of classes, as columns of weights by code: of class c of feature columns[j] the weight of
// code k is counts[places[j] + c * stride + k]. (A place may be below 0, and wrap, where no row has
// code 0.) Adds the weights of rows, of these classes.
struct CountTargets {
    const std::uint32_t* columns = nullptr;
    const std::size_t* places = nullptr;
    double* counts = nullptr;
    std::size_t n = 0;
    std::size_t stride = 0;
};
void count_classes(const CodeRows& rows, const std::uint32_t* classes, const double* weights,
                   const CountTargets& targets);

// The heads of cells of moments: what a search reads of them, w and then g and h of each output, in
// front of numbers of no account. With one output a step begins with its head; with several the
// heads are written first.
constexpr std::size_t head_width(Layout layout) {
    constexpr std::size_t kTogether = 8;
    return layout.outputs == 1 ? 4 : (2 * layout.outputs + kTogether) / kTogether * kTogether;
}
constexpr std::size_t head_stride(Layout layout) {
    return layout.outputs == 1 ? step_width(layout) : head_width(layout);
}
void write_heads(Layout layout, const double* steps, std::size_t rows, double* heads);
// The same as add_steps for heads, at cells[j] + c * head_width(layout). Row r's is at
// heads + r * head_stride(layout).
void add_heads(Layout layout, const CodeRows& rows, const double* heads,
               const CellTargets& targets);

// The same for targets whose codes in these rows are 1 and 2 only, with cells of moments of one
// output: both cells of a feature stay in registers. Behind the last step there must be room for
// kStepPadding doubles.
inline constexpr std::size_t kStepPadding = 2;
void add_steps_of_two_codes(const CodeRows& rows, const double* steps, const CellTargets& targets);

// The same for features that have one code in all these rows: every step is added to every one of
// these cells, of which there are n.
void add_steps_of_one_code(Layout layout, const double* steps, std::size_t rows,
                           double* const* cells, std::size_t n);

}  // namespace sgt
