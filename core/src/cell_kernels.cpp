#include "sgt/cell_kernels.hpp"

#include <vector>

#include "sgt/clones.hpp"

namespace sgt {

namespace {

template <class Code>
SGT_INLINE void largest_body(const Code* __restrict codes, std::size_t rows, std::size_t features,
                             Code* __restrict largest) {
    for (std::size_t r = 0; r < rows; ++r, codes += features)
        for (std::size_t f = 0; f < features; ++f)
            largest[f] = codes[f] > largest[f] ? codes[f] : largest[f];
}

// The classes' weights; `classes` of them in a cell.
template <bool kInOrder, class Code>
SGT_INLINE void count_targets(std::size_t classes, const Code* codes, std::size_t rows,
                              std::size_t features, const double* steps,
                              const CellTargets& targets) {
    const std::uint32_t* columns = targets.columns;
    double* const* cells = targets.cells;
    for (std::size_t r = 0; r < rows; ++r, codes += features) {
        const double w = steps[2 * r];
        const auto label = static_cast<std::size_t>(steps[2 * r + 1]);
        for (std::size_t j = 0; j < targets.n; ++j)
            cells[j][classes * std::size_t{codes[kInOrder ? j : columns[j]]} + label] += w;
    }
}

// Sums, `width` of them in a cell: kWidth, or any number where that is 0.
template <std::size_t kWidth, bool kInOrder, class Code>
SGT_INLINE void add_targets(std::size_t any_width, const Code* codes, std::size_t rows,
                            std::size_t features, const double* steps, const CellTargets& targets) {
    const std::size_t width = kWidth == 0 ? any_width : kWidth;
    const std::uint32_t* columns = targets.columns;
    double* const* cells = targets.cells;
    for (std::size_t r = 0; r < rows; ++r, codes += features) {
        double fixed[kWidth == 0 ? 1 : kWidth];
        for (std::size_t i = 0; i < kWidth; ++i) fixed[i] = steps[r * width + i];
        const double* step = kWidth == 0 ? steps + r * width : fixed;
        for (std::size_t j = 0; j < targets.n; ++j) {
            double* cell = cells[j] + width * std::size_t{codes[kInOrder ? j : columns[j]]};
            for (std::size_t i = 0; i < width; ++i) cell[i] += step[i];
        }
    }
}

template <bool kInOrder, class Code>
SGT_INLINE void add_body(Layout layout, const Code* codes, std::size_t rows, std::size_t features,
                         const double* steps, const CellTargets& targets) {
    const std::size_t width = cell_width(layout);
    if (layout.kept == Kept::class_counts)
        count_targets<kInOrder>(2, codes, rows, features, steps, targets);
    else if (layout.kept == Kept::softmax_counts)
        count_targets<kInOrder>(width, codes, rows, features, steps, targets);
    else if (width == 3)
        add_targets<3, kInOrder>(width, codes, rows, features, steps, targets);
    else if (width == 6)
        add_targets<6, kInOrder>(width, codes, rows, features, steps, targets);
    else
        add_targets<0, kInOrder>(width, codes, rows, features, steps, targets);
}

// Plain functions, since a template cannot be cloned for several instruction sets.
#define SGT_DEFINE_KERNELS(Code)                                                          \
    SGT_CLONES void largest_of(const Code* codes, std::size_t rows, std::size_t features, \
                               Code* largest) {                                           \
        largest_body(codes, rows, features, largest);                                     \
    }                                                                                     \
    SGT_CLONES void add_all(Layout layout, const Code* codes, std::size_t rows,           \
                            std::size_t features, const double* steps,                    \
                            const CellTargets& targets) {                                 \
        if (targets.columns == nullptr)                                                   \
            add_body<true>(layout, codes, rows, features, steps, targets);                \
        else                                                                              \
            add_body<false>(layout, codes, rows, features, steps, targets);               \
    }
SGT_DEFINE_KERNELS(std::uint8_t)
SGT_DEFINE_KERNELS(std::uint16_t)
SGT_DEFINE_KERNELS(std::uint32_t)
#undef SGT_DEFINE_KERNELS

}  // namespace

void find_largest_codes(const CodeRows& rows, std::uint32_t* largest) {
    with_code_type(rows.width, [&]<class Code>(Code) {
        std::vector<Code> of_code_type(largest, largest + rows.features);
        largest_of(reinterpret_cast<const Code*>(rows.codes), rows.rows, rows.features,
                   of_code_type.data());
        for (std::size_t f = 0; f < rows.features; ++f) largest[f] = of_code_type[f];
    });
}

void add_steps(Layout layout, const CodeRows& rows, const double* steps,
               const CellTargets& targets) {
    with_code_type(rows.width, [&]<class Code>(Code) {
        add_all(layout, reinterpret_cast<const Code*>(rows.codes), rows.rows, rows.features, steps,
                targets);
    });
}

}  // namespace sgt
