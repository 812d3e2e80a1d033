#include "sgt/split/boundary_sums.hpp"

#include <cstring>
#include <numeric>

#include "sgt/clones.hpp"

namespace sgt {

namespace {

struct SumColumns {
    double *w, *g, *h;
};

#if defined(__GNUC__)
// w, g and h of a cell, and a number more.
using HeadOfCell = double __attribute__((vector_size(32)));
using PlacesInTwo = std::int64_t __attribute__((vector_size(32)));

// Four of the numbers of two vectors.
#if defined(__clang__)
#define SGT_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SGT_SHUFFLE(a, b, ...) __builtin_shuffle(a, b, PlacesInTwo{__VA_ARGS__})
#endif

SGT_INLINE void load_head(const double* cell, HeadOfCell& head) {
    std::memcpy(&head, cell, sizeof(head));
}
SGT_INLINE void store_head(const HeadOfCell& head, const SumColumns& to, std::size_t k) {
    to.w[k] = head[0];
    to.g[k] = head[1];
    to.h[k] = head[2];
}
// Four sums, which become a part of each column.
SGT_INLINE void store_heads(const HeadOfCell (&heads)[4], const SumColumns& to, std::size_t k) {
    const HeadOfCell wh01 = SGT_SHUFFLE(heads[0], heads[1], 0, 4, 2, 6);
    const HeadOfCell wh23 = SGT_SHUFFLE(heads[2], heads[3], 0, 4, 2, 6);
    const HeadOfCell g01 = SGT_SHUFFLE(heads[0], heads[1], 1, 5, 3, 7);
    const HeadOfCell g23 = SGT_SHUFFLE(heads[2], heads[3], 1, 5, 3, 7);
    const HeadOfCell w = SGT_SHUFFLE(wh01, wh23, 0, 1, 4, 5);
    const HeadOfCell g = SGT_SHUFFLE(g01, g23, 0, 1, 4, 5);
    const HeadOfCell h = SGT_SHUFFLE(wh01, wh23, 2, 3, 6, 7);
    std::memcpy(to.w + k, &w, sizeof(w));
    std::memcpy(to.g + k, &g, sizeof(g));
    std::memcpy(to.h + k, &h, sizeof(h));
}

SGT_CLONES void sum_heads(const double* cells, std::size_t width, std::size_t n,
                          const SumColumns& left, const SumColumns& right) {
    constexpr std::size_t kTogether = 4;
    HeadOfCell on_left{}, on_right{}, head, sums[kTogether];
    const std::size_t whole = n - n % kTogether;
    for (std::size_t k = 0; k < whole; k += kTogether) {
        for (std::size_t i = 0; i < kTogether; ++i) {
            load_head(cells + (k + i) * width, head);
            on_left += head;
            sums[i] = on_left;
        }
        store_heads(sums, left, k);
    }
    for (std::size_t k = whole; k < n; ++k) {
        load_head(cells + k * width, head);
        on_left += head;
        store_head(on_left, left, k);
    }
    for (std::size_t k = n; k-- > whole;) {
        store_head(on_right, right, k);
        load_head(cells + k * width, head);
        on_right += head;
    }
    for (std::size_t k = whole; k > 0; k -= kTogether) {
        for (std::size_t i = kTogether; i-- > 0;) {
            sums[i] = on_right;
            load_head(cells + (k - kTogether + i) * width, head);
            on_right += head;
        }
        store_heads(sums, right, k - kTogether);
    }
}
#undef SGT_SHUFFLE
#else
void sum_heads(const double* cells, std::size_t width, std::size_t n, const SumColumns& left,
               const SumColumns& right) {
    Sums on_left, on_right;
    for (std::size_t k = 0; k < n; ++k) {
        const double *cell = cells + k * width, *back = cells + (n - 1 - k) * width;
        on_left += {cell[0], cell[1], cell[2]};
        left.w[k] = on_left.w, left.g[k] = on_left.g, left.h[k] = on_left.h;
        right.w[n - 1 - k] = on_right.w, right.g[n - 1 - k] = on_right.g;
        right.h[n - 1 - k] = on_right.h;
        on_right += {back[0], back[1], back[2]};
    }
}
#endif

}  // namespace

void BoundarySums::resize(std::size_t n) {
    if (bins.size() >= n) return;
    bins.resize(n);
    sums_.resize(n);
    for (auto* column : {&left_w, &left_g, &left_h, &right_w, &right_g, &right_h})
        column->resize(n);
}

template <CellKind kind>
std::size_t BoundarySums::gather_bins(const double* cells, const CellReader& reader,
                                      std::size_t n_bins, bool keep_first) {
    constexpr Layout layout{kind, 1};
    std::size_t n = 0;
    const double* cell = cells;
    for (std::size_t bin = 0; bin < n_bins; ++bin, cell += cell_width(layout)) {
        // The processor predicts this branch well: bins with rows are next to each other.
        if (!(cell_weight(layout, cell) > 0.0) && !(keep_first && bin == 0)) continue;
        bins[n] = static_cast<std::uint32_t>(bin);
        sums_[n] = reader.sums_as<kind>(cell);
        ++n;
    }
    return n;
}

std::size_t BoundarySums::sum_bins_with_rows(const double* cells, const CellReader& reader,
                                             std::size_t n_bins, bool keep_first) {
    resize(n_bins);
    const std::size_t n =
        reader.layout().kind == CellKind::class_counts
            ? gather_bins<CellKind::class_counts>(cells, reader, n_bins, keep_first)
            : gather_bins<CellKind::constant_hessian>(cells, reader, n_bins, keep_first);
    Sums left, right;
    for (std::size_t k = 0; k < n; ++k) {
        const std::size_t back = n - 1 - k;
        left += sums_[k];
        left_w[k] = left.w, left_g[k] = left.g, left_h[k] = left.h;
        right_w[back] = right.w, right_g[back] = right.g, right_h[back] = right.h;
        right += sums_[back];
    }
    return n;
}

void BoundarySums::sum_all_bins(const double* cells, std::size_t width, std::size_t n_bins) {
    resize(n_bins);
    std::iota(bins.begin(), bins.begin() + static_cast<std::ptrdiff_t>(n_bins), 0U);
    sum_heads(cells, width, n_bins, {left_w.data(), left_g.data(), left_h.data()},
              {right_w.data(), right_g.data(), right_h.data()});
}

}  // namespace sgt
