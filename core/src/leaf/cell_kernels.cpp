#include "sgt/leaf/cell_kernels.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "sgt/clones.hpp"

namespace sgt {

namespace {

constexpr std::size_t kMomentsWidth = cell_width(Layout::moments);

// Of kTogether features, which are one vector.
template <std::size_t kTogether, class Code>
SGT_INLINE void extremes_of_some(const Code* codes, std::size_t rows, std::size_t features,
                                 Code* smallest, Code* largest) {
    Code low[kTogether], high[kTogether];
    SGT_LANES for (std::size_t f = 0; f < kTogether; ++f) low[f] = high[f] = codes[f];
    for (std::size_t r = 1; r < rows; ++r) {
        codes += features;
        SGT_LANES for (std::size_t f = 0; f < kTogether; ++f) {
            low[f] = codes[f] < low[f] ? codes[f] : low[f];
            high[f] = codes[f] > high[f] ? codes[f] : high[f];
        }
    }
    std::copy_n(low, kTogether, smallest);
    std::copy_n(high, kTogether, largest);
}

// The last two vectors may overlap.
template <class Code>
SGT_INLINE void extremes_body(const Code* codes, std::size_t rows, std::size_t features,
                              Code* smallest, Code* largest) {
    constexpr std::size_t kTogether = 16 / sizeof(Code);
    if (features < kTogether) {
        for (std::size_t f = 0; f < features; ++f)
            extremes_of_some<1>(codes + f, rows, features, smallest + f, largest + f);
        return;
    }
    for (std::size_t f = 0; f < features; f += kTogether) {
        const std::size_t at = std::min(f, features - kTogether);
        extremes_of_some<kTogether>(codes + at, rows, features, smallest + at, largest + at);
    }
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

template <bool kInOrder, class Code>
SGT_INLINE double* cell_of(const CellTargets& targets, std::size_t j, const Code* codes,
                           std::size_t width) {
    return targets.cells[j] + width * std::size_t{codes[kInOrder ? j : targets.columns[j]]};
}

#if defined(__GNUC__)
// Parts of a cell. A cell begins at any double, so that they are copied: a pointer to such a part
// would promise more.
using TwoOfCell = double __attribute__((vector_size(16)));
using FourOfCell = double __attribute__((vector_size(32)));
using EightOfCell = double __attribute__((vector_size(64)));

template <class Part>
SGT_INLINE void add_part(double* to, const Part& more) {
    Part sum;
    std::memcpy(&sum, to, sizeof(sum));
    sum += more;
    std::memcpy(to, &sum, sizeof(sum));
}

// Adds a step of any number of sums. (The compiler would add number after number: it cannot know
// that no cell is part of a step.)
SGT_INLINE void add_to_cell(std::size_t width, const double* step, double* cell) {
    constexpr std::size_t kTogether = sizeof(EightOfCell) / sizeof(double);
    std::size_t i = 0;
    for (; i + kTogether <= width; i += kTogether) {
        EightOfCell part;
        std::memcpy(&part, step + i, sizeof(part));
        add_part(cell + i, part);
    }
    for (; i < width; ++i) cell[i] += step[i];
}

// The same for a cell of two parts.
template <class First, class Second, bool kInOrder, class Code>
SGT_INLINE void add_in_two_parts(const Code* codes, std::size_t rows, std::size_t features,
                                 const double* steps, CellTargets targets) {
    constexpr std::size_t first = sizeof(First) / sizeof(double);
    constexpr std::size_t width = first + sizeof(Second) / sizeof(double);
    for (std::size_t r = 0; r < rows; ++r, codes += features, steps += width) {
        First step;
        Second rest;
        std::memcpy(&step, steps, sizeof(step));
        std::memcpy(&rest, steps + first, sizeof(rest));
        for (std::size_t j = 0; j < targets.n; ++j) {
            double* cell = cell_of<kInOrder>(targets, j, codes, width);
            add_part(cell, step);
            add_part(cell + first, rest);
        }
    }
}
#else
SGT_INLINE void add_to_cell(std::size_t width, const double* step, double* cell) {
    for (std::size_t i = 0; i < width; ++i) cell[i] += step[i];
}
#endif

// Steps of so many sums, one after the other every `stride` numbers.
template <bool kInOrder, class Code>
SGT_INLINE void add_targets(std::size_t width, const Code* codes, std::size_t rows,
                            std::size_t features, const double* steps, std::size_t stride,
                            CellTargets targets) {
    for (std::size_t r = 0; r < rows; ++r, codes += features, steps += stride)
        for (std::size_t j = 0; j < targets.n; ++j)
            add_to_cell(width, steps, cell_of<kInOrder>(targets, j, codes, width));
}

template <bool kInOrder, class Code>
SGT_INLINE void add_heads_body(Layout layout, const Code* codes, std::size_t rows,
                               std::size_t features, const double* heads,
                               const CellTargets& targets) {
    const std::size_t width = head_width(layout), stride = head_stride(layout);
#if defined(__GNUC__)
    if (layout == Layout::moments) {
        for (std::size_t r = 0; r < rows; ++r, codes += features, heads += stride) {
            FourOfCell step;
            static_assert(sizeof(step) == head_width(Layout::moments) * sizeof(double));
            std::memcpy(&step, heads, sizeof(step));
            for (std::size_t j = 0; j < targets.n; ++j)
                add_part(cell_of<kInOrder>(targets, j, codes, width), step);
        }
        return;
    }
#endif
    add_targets<kInOrder>(width, codes, rows, features, heads, stride, targets);
}

template <bool kInOrder, class Code>
SGT_INLINE void add_body(Layout layout, const Code* codes, std::size_t rows, std::size_t features,
                         const double* steps, const CellTargets& targets) {
    const std::size_t width = cell_width(layout);
    if (layout.kind == CellKind::class_counts)
        count_targets<kInOrder>(2, codes, rows, features, steps, targets);
    else if (layout.kind == CellKind::softmax_counts)
        count_targets<kInOrder>(width, codes, rows, features, steps, targets);
#if defined(__GNUC__)
    else if (width == 3)
        add_in_two_parts<TwoOfCell, double, kInOrder>(codes, rows, features, steps, targets);
    else if (width == 6)
        add_in_two_parts<FourOfCell, TwoOfCell, kInOrder>(codes, rows, features, steps, targets);
#endif
    else
        add_targets<kInOrder>(width, codes, rows, features, steps, width, targets);
}

#if defined(__GNUC__)
SGT_CLONES void sum_moments_in_two_parts(const double* records, std::size_t rows,
                                         const Reference& reference, double* steps, double* total) {
    FourOfCell first;
    TwoOfCell last;
    std::memcpy(&first, total, sizeof(first));
    std::memcpy(&last, total + 4, sizeof(last));
    for (std::size_t r = 0; r < rows; ++r, records += kept_width(Layout::moments)) {
        const double w = records[0] * records[1], g = records[2], h = records[3];
        const double dg = g - reference.g, dh = h - reference.h, wg = w * dg;
        const FourOfCell step{w, w * g, w * h, wg * dg};
        const TwoOfCell rest{wg * dh, w * dh * dh};
        std::memcpy(steps, &step, sizeof(step));
        std::memcpy(steps + 4, &rest, sizeof(rest));
        first += step;
        last += rest;
        steps += kMomentsWidth;
    }
    std::memcpy(total, &first, sizeof(first));
    std::memcpy(total + 4, &last, sizeof(last));
}
#endif

// Plain functions, since a template cannot be cloned for several instruction sets.
#define SGT_DEFINE_KERNELS(Code)                                                           \
    SGT_CLONES void extremes_of(const Code* codes, std::size_t rows, std::size_t features, \
                                Code* smallest, Code* largest) {                           \
        extremes_body(codes, rows, features, smallest, largest);                           \
    }                                                                                      \
    SGT_CLONES void add_all(Layout layout, const Code* codes, std::size_t rows,            \
                            std::size_t features, const double* steps,                     \
                            const CellTargets& targets) {                                  \
        if (targets.columns == nullptr)                                                    \
            add_body<true>(layout, codes, rows, features, steps, targets);                 \
        else                                                                               \
            add_body<false>(layout, codes, rows, features, steps, targets);                \
    }                                                                                      \
    SGT_CLONES void add_all_heads(Layout layout, const Code* codes, std::size_t rows,      \
                                  std::size_t features, const double* heads,               \
                                  const CellTargets& targets) {                            \
        if (targets.columns == nullptr)                                                    \
            add_heads_body<true>(layout, codes, rows, features, heads, targets);           \
        else                                                                               \
            add_heads_body<false>(layout, codes, rows, features, heads, targets);          \
    }
SGT_DEFINE_KERNELS(std::uint8_t)
SGT_DEFINE_KERNELS(std::uint16_t)
SGT_DEFINE_KERNELS(std::uint32_t)
#undef SGT_DEFINE_KERNELS

}  // namespace

void find_extreme_codes(const CodeRows& rows, std::uint32_t* smallest, std::uint32_t* largest) {
    with_code_type(rows.width, [&]<class Code>(Code) {
        const auto* codes = reinterpret_cast<const Code*>(rows.codes);
        std::vector<Code> low(rows.stride), high(rows.stride);
        extremes_of(codes, rows.rows, rows.stride, low.data(), high.data());
        std::copy(low.begin(), low.end(), smallest);
        std::copy(high.begin(), high.end(), largest);
    });
}

void sum_moments(const double* records, std::size_t rows, Reference reference, double* steps,
                 double* total) {
#if defined(__GNUC__)
    sum_moments_in_two_parts(records, rows, reference, steps, total);
#else
    for (std::size_t r = 0; r < rows; ++r) {
        double* step = steps + r * kMomentsWidth;
        write_step(Layout::moments, &reference, records + r * kept_width(Layout::moments), step);
        add_step(Layout::moments, step, total);
    }
#endif
}

void add_steps(Layout layout, const CodeRows& rows, const double* steps,
               const CellTargets& targets) {
    with_code_type(rows.width, [&]<class Code>(Code) {
        add_all(layout, reinterpret_cast<const Code*>(rows.codes), rows.rows, rows.stride, steps,
                targets);
    });
}

void count_classes(const CodeRows& rows, const std::uint32_t* classes, const double* weights,
                   const CountTargets& targets) {
    with_code_type(rows.width, [&]<class Code>(Code) {
        const auto* codes = reinterpret_cast<const Code*>(rows.codes);
        for (std::size_t r = 0; r < rows.rows; ++r, codes += rows.stride) {
            const std::size_t first = classes[r] * targets.stride;
            const double w = weights[r];
            for (std::size_t j = 0; j < targets.n; ++j)
                targets.counts[targets.places[j] + first + codes[targets.columns[j]]] += w;
        }
    });
}

void write_heads(Layout layout, const double* steps, std::size_t rows, double* heads) {
    const std::size_t width = head_width(layout), of_step = step_width(layout);
    for (std::size_t r = 0; r < rows; ++r, steps += of_step, heads += width) {
        heads[0] = steps[0];
        for (std::size_t j = 0; j < layout.outputs; ++j) {
            heads[1 + 2 * j] = steps[1 + 5 * j];
            heads[2 + 2 * j] = steps[2 + 5 * j];
        }
        std::fill(heads + 1 + 2 * layout.outputs, heads + width, 0.0);
    }
}

void add_heads(Layout layout, const CodeRows& rows, const double* heads,
               const CellTargets& targets) {
    with_code_type(rows.width, [&]<class Code>(Code) {
        add_all_heads(layout, reinterpret_cast<const Code*>(rows.codes), rows.rows, rows.stride,
                      heads, targets);
    });
}

}  // namespace sgt
