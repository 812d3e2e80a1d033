#include "sgt/data/infinities.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

#include "sgt/clones.hpp"

namespace sgt {

namespace {

template <class Real, class Bits>
SGT_INLINE bool is_infinite(Real x) {
    constexpr Bits kSign = Bits{1} << (8 * sizeof(Bits) - 1);
    constexpr Bits kInfinity = std::bit_cast<Bits>(static_cast<Real>(INFINITY));
    return (std::bit_cast<Bits>(x) & ~kSign) == kInfinity;
}

// Four stretches side by side: memory delivers several streams faster than one.
template <class Real, class Bits>
SGT_INLINE bool any_infinity(const Real* x, std::size_t n) {
    constexpr std::size_t kTogether = 256;
    const std::size_t quarter = n / 4 / kTogether * kTogether;
    const Real *a = x, *b = a + quarter, *c = b + quarter, *d = c + quarter;
    for (std::size_t i = 0; i < quarter; i += kTogether) {
        unsigned any = 0;
        for (std::size_t k = i; k < i + kTogether; ++k)
            any |= static_cast<unsigned>(
                is_infinite<Real, Bits>(a[k]) | is_infinite<Real, Bits>(b[k]) |
                is_infinite<Real, Bits>(c[k]) | is_infinite<Real, Bits>(d[k]));
        if (any != 0) return true;
    }
    unsigned any = 0;
    for (std::size_t k = 4 * quarter; k < n; ++k)
        any |= static_cast<unsigned>(is_infinite<Real, Bits>(x[k]));
    return any != 0;
}

SGT_CLONES bool any_infinity_of(const float* x, std::size_t n) {
    return any_infinity<float, std::uint32_t>(x, n);
}
SGT_CLONES bool any_infinity_of(const double* x, std::size_t n) {
    return any_infinity<double, std::uint64_t>(x, n);
}

template <class Real>
std::size_t find(const Real* x, std::size_t n) {
    if (!any_infinity_of(x, n)) return n;
    std::size_t i = 0;
    while (!std::isinf(x[i])) ++i;
    return i;
}

using Place = std::optional<std::pair<std::size_t, std::size_t>>;

template <class Real>
Place find_by_row(const RowsView& x) {
    const std::size_t n = x.rows * x.features, i = find(static_cast<const Real*>(x.data), n);
    if (i == n) return std::nullopt;
    return std::pair{i / x.features, i % x.features};
}

template <class Real>
Place find_by_column(const RowsView& x) {
    Place first;
    std::size_t rows = x.rows;  // that may hold an earlier one
    for (std::size_t f = 0; f < x.features; ++f) {
        const std::size_t row = find(x.column<Real>(f), rows);
        if (row == rows) continue;
        rows = row;
        first = std::pair{row, f};
    }
    return first;
}

}  // namespace

Place first_infinity(const RowsView& x) {
    if (x.is_by_column())
        return x.is_float32 ? find_by_column<float>(x) : find_by_column<double>(x);
    return x.is_float32 ? find_by_row<float>(x) : find_by_row<double>(x);
}

}  // namespace sgt
