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

template <std::size_t kWidth, bool kInOrder, class Code>
SGT_INLINE void add_targets(const Code* codes, std::size_t rows, std::size_t features,
                            const Cell* steps, const CellTargets& targets) {
    const std::uint32_t* columns = targets.columns;
    double* const* cells = targets.cells;
    for (std::size_t r = 0; r < rows; ++r, codes += features) {
        if constexpr (kWidth == 2) {
            const double w = steps[r][0];
            const auto label = static_cast<std::size_t>(steps[r][1]);
            for (std::size_t j = 0; j < targets.n; ++j)
                cells[j][2 * std::size_t{codes[kInOrder ? j : columns[j]]} + label] += w;
        } else {
            const Cell step = steps[r];
            for (std::size_t j = 0; j < targets.n; ++j) {
                double* cell = cells[j] + kWidth * std::size_t{codes[kInOrder ? j : columns[j]]};
                for (std::size_t i = 0; i < kWidth; ++i) cell[i] += step[i];
            }
        }
    }
}

template <std::size_t kWidth, class Code>
SGT_INLINE void add_body(const Code* codes, std::size_t rows, std::size_t features,
                         const Cell* steps, const CellTargets& targets) {
    if (targets.columns == nullptr)
        add_targets<kWidth, true>(codes, rows, features, steps, targets);
    else
        add_targets<kWidth, false>(codes, rows, features, steps, targets);
}

// Plain functions, since a template cannot be cloned for several instruction sets.
#define SGT_DEFINE_KERNELS(Code)                                                                   \
    SGT_CLONES void largest_of(const Code* codes, std::size_t rows, std::size_t features,          \
                               Code* largest) {                                                    \
        largest_body(codes, rows, features, largest);                                              \
    }                                                                                              \
    SGT_CLONES void add_all(Layout layout, const Code* codes, std::size_t rows,                    \
                            std::size_t features, const Cell* steps, const CellTargets& targets) { \
        if (layout == Layout::class_counts)                                                        \
            add_body<2>(codes, rows, features, steps, targets);                                    \
        else if (layout == Layout::constant_hessian)                                               \
            add_body<3>(codes, rows, features, steps, targets);                                    \
        else                                                                                       \
            add_body<6>(codes, rows, features, steps, targets);                                    \
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

void add_steps(Layout layout, const CodeRows& rows, const Cell* steps, const CellTargets& targets) {
    with_code_type(rows.width, [&]<class Code>(Code) {
        add_all(layout, reinterpret_cast<const Code*>(rows.codes), rows.rows, rows.features, steps,
                targets);
    });
}

}  // namespace sgt
