// The hot loops over the rows that wait in a leaf, for features of which these rows have one code
// or two: the cells stay in registers.
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "sgt/clones.hpp"
#include "sgt/leaf/cell_kernels.hpp"

namespace sgt {

#if defined(__GNUC__)

namespace {

constexpr std::size_t kCellOfMoments = cell_width(Layout::moments);

using Doubles = double __attribute__((vector_size(64)));
using Masks = std::int64_t __attribute__((vector_size(64)));
static_assert(sizeof(Doubles) == (kCellOfMoments + kStepPadding) * sizeof(double));

// Not returned by value: the way vectors are returned depends on the instruction set.
SGT_INLINE void load_cell(const double* cell, Doubles& lanes) {
    lanes = Doubles{};
    std::memcpy(&lanes, cell, kCellOfMoments * sizeof(double));
}

// kTogether features at a time: one addition need not wait for the other. What is added to the cell
// of the other code is 0, which changes nothing.
template <std::size_t kTogether, class Code>
SGT_INLINE void add_to_pairs(const Code* codes, std::size_t rows, std::size_t features,
                             const double* steps, const std::uint32_t* columns,
                             double* const* cells) {
    Doubles first[kTogether], second[kTogether];
    for (std::size_t j = 0; j < kTogether; ++j) {
        load_cell(cells[j] + kCellOfMoments, first[j]);
        load_cell(cells[j] + 2 * kCellOfMoments, second[j]);
    }
    for (std::size_t r = 0; r < rows; ++r, codes += features) {
        Masks step;
        std::memcpy(&step, steps + r * kCellOfMoments, sizeof(step));
        for (std::size_t j = 0; j < kTogether; ++j) {
            const Masks is_second = Masks{} - static_cast<std::int64_t>(codes[columns[j]] == 2);
            first[j] += reinterpret_cast<Doubles>(step & ~is_second);
            second[j] += reinterpret_cast<Doubles>(step & is_second);
        }
    }
    for (std::size_t j = 0; j < kTogether; ++j) {
        std::memcpy(cells[j] + kCellOfMoments, &first[j], kCellOfMoments * sizeof(double));
        std::memcpy(cells[j] + 2 * kCellOfMoments, &second[j], kCellOfMoments * sizeof(double));
    }
}

template <class Code>
SGT_INLINE void add_all_pairs(const Code* codes, std::size_t rows, std::size_t features,
                              const double* steps, const CellTargets& targets) {
    constexpr std::size_t kTogether = 4;
    std::size_t j = 0;
    for (; j + kTogether <= targets.n; j += kTogether)
        add_to_pairs<kTogether>(codes, rows, features, steps, targets.columns + j,
                                targets.cells + j);
    for (; j < targets.n; ++j)
        add_to_pairs<1>(codes, rows, features, steps, targets.columns + j, targets.cells + j);
}

template <std::size_t kTogether>
SGT_INLINE void add_to_cells_of_one_code(const double* steps, std::size_t rows,
                                         double* const* cells) {
    Doubles sums[kTogether];
    for (std::size_t j = 0; j < kTogether; ++j) load_cell(cells[j], sums[j]);
    for (std::size_t r = 0; r < rows; ++r) {
        Doubles step;
        std::memcpy(&step, steps + r * kCellOfMoments, sizeof(step));
        for (std::size_t j = 0; j < kTogether; ++j) sums[j] += step;
    }
    for (std::size_t j = 0; j < kTogether; ++j)
        std::memcpy(cells[j], &sums[j], kCellOfMoments * sizeof(double));
}

// Numbers `first` to that of the part's end, of kTogether cells.
template <class Part, std::size_t kTogether>
SGT_INLINE void add_part_of_one_code(std::size_t width, const double* steps, std::size_t rows,
                                     std::size_t first, double* const* cells) {
    Part sums[kTogether];
    for (std::size_t j = 0; j < kTogether; ++j)
        std::memcpy(&sums[j], cells[j] + first, sizeof(Part));
    for (std::size_t r = 0; r < rows; ++r) {
        Part step;
        std::memcpy(&step, steps + r * width + first, sizeof(step));
        for (std::size_t j = 0; j < kTogether; ++j) sums[j] += step;
    }
    for (std::size_t j = 0; j < kTogether; ++j)
        std::memcpy(cells[j] + first, &sums[j], sizeof(Part));
}

template <std::size_t kTogether>
SGT_INLINE void add_wide_of_one_code(std::size_t width, const double* steps, std::size_t rows,
                                     double* const* cells) {
    constexpr std::size_t kNumbers = sizeof(Doubles) / sizeof(double);
    std::size_t i = 0;
    for (; i + kNumbers <= width; i += kNumbers)
        add_part_of_one_code<Doubles, kTogether>(width, steps, rows, i, cells);
    for (; i < width; ++i) add_part_of_one_code<double, kTogether>(width, steps, rows, i, cells);
}

// Cells of any width.
SGT_CLONES void add_all_wide_of_one_code(std::size_t width, const double* steps, std::size_t rows,
                                         double* const* cells, std::size_t n) {
    constexpr std::size_t kTogether = 4, kRows = 64;  // whose steps stay in the cache
    for (std::size_t r = 0; r < rows; r += kRows) {
        const std::size_t some = std::min(kRows, rows - r);
        std::size_t j = 0;
        for (; j + kTogether <= n; j += kTogether)
            add_wide_of_one_code<kTogether>(width, steps + r * width, some, cells + j);
        for (; j < n; ++j) add_wide_of_one_code<1>(width, steps + r * width, some, cells + j);
    }
}

SGT_CLONES void add_all_of_one_code(const double* steps, std::size_t rows, double* const* cells,
                                    std::size_t n) {
    constexpr std::size_t kTogether = 8;
    std::size_t j = 0;
    for (; j + kTogether <= n; j += kTogether)
        add_to_cells_of_one_code<kTogether>(steps, rows, cells + j);
    for (; j < n; ++j) add_to_cells_of_one_code<1>(steps, rows, cells + j);
}

// Plain functions, since a template cannot be cloned for several instruction sets.
#define SGT_DEFINE_PAIRS(Code)                                                           \
    SGT_CLONES void add_pairs(const Code* codes, std::size_t rows, std::size_t features, \
                              const double* steps, const CellTargets& targets) {         \
        add_all_pairs(codes, rows, features, steps, targets);                            \
    }
SGT_DEFINE_PAIRS(std::uint8_t)
SGT_DEFINE_PAIRS(std::uint16_t)
SGT_DEFINE_PAIRS(std::uint32_t)
#undef SGT_DEFINE_PAIRS

}  // namespace

#endif

void add_steps_of_two_codes(const CodeRows& rows, const double* steps, const CellTargets& targets) {
#if defined(__GNUC__)
    with_code_type(rows.width, [&]<class Code>(Code) {
        add_pairs(reinterpret_cast<const Code*>(rows.codes), rows.rows, rows.stride, steps,
                  targets);
    });
#else
    add_steps(Layout::moments, rows, steps, targets);
#endif
}

void add_steps_of_one_code(Layout layout, const double* steps, std::size_t rows,
                           double* const* cells, std::size_t n) {
    const std::size_t width = cell_width(layout);
#if defined(__GNUC__)
    if (width == kCellOfMoments)
        add_all_of_one_code(steps, rows, cells, n);
    else
        add_all_wide_of_one_code(width, steps, rows, cells, n);
#else
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t j = 0; j < n; ++j)
            for (std::size_t i = 0; i < width; ++i) cells[j][i] += steps[r * width + i];
#endif
}

}  // namespace sgt
