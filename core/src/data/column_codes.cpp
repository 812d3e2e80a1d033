#include "sgt/data/column_codes.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "sgt/clones.hpp"
#include "sgt/data/codes.hpp"

namespace sgt {

namespace {

template <bool kPowerOfTwo, class Real, class Code>
SGT_INLINE void encode_guessed(const Real* __restrict x, std::size_t n, const BinGuess& guess,
                               Code* __restrict out) {
    const BinGuess b = guess;
    for (std::size_t i = 0; i < n; ++i)
        out[i] = static_cast<Code>(guessed_code<kPowerOfTwo>(static_cast<double>(x[i]), b));
}

// So many values are searched together, and so many of them are one vector.
constexpr std::size_t kSearchedTogether = 64, kSearchedLanes = 8;
// Up to so many boundaries are counted one after the other, which takes no longer than a search.
constexpr std::size_t kMostCounted = 64;

// bins[i] = the number of boundaries below x[i].
SGT_INLINE void count_boundaries(const double* __restrict x, const double* boundaries,
                                 std::size_t n_boundaries, std::int64_t* __restrict bins) {
    for (std::size_t i = 0; i < kSearchedTogether; i += kSearchedLanes) {
        std::int64_t below[kSearchedLanes] = {};
        for (std::size_t k = 0; k < n_boundaries; ++k)
            SGT_LANES for (std::size_t lane = 0; lane < kSearchedLanes; ++lane) {
                below[lane] += boundaries[k] < x[i + lane] ? 1 : 0;
            }
        SGT_LANES for (std::size_t lane = 0; lane < kSearchedLanes; ++lane) {
            bins[i + lane] = below[lane];
        }
    }
}

// The same by halves, without a branch that nobody can foresee.
SGT_INLINE void search_boundaries(const double* x, const double* boundaries,
                                  std::size_t n_boundaries, std::int64_t* bins) {
    for (std::size_t i = 0; i < kSearchedTogether; ++i) {
        const double* first = boundaries;
        std::size_t left = n_boundaries;
        while (left > 1) {
            const std::size_t half = left / 2;
            first += first[half - 1] < x[i] ? half : 0;
            left -= half;
        }
        bins[i] = first - boundaries + (left == 1 && *first < x[i] ? 1 : 0);
    }
}

template <class Real, class Code>
SGT_INLINE void encode_searched(const Real* x, std::size_t stride, std::size_t n,
                                const double* boundaries, std::size_t n_boundaries, Code* out,
                                std::size_t out_stride) {
    double values[kSearchedTogether] = {};
    std::int64_t bins[kSearchedTogether];
    for (std::size_t begin = 0; begin < n; begin += kSearchedTogether) {
        const std::size_t some = std::min(kSearchedTogether, n - begin);
        for (std::size_t i = 0; i < some; ++i) values[i] = double{x[(begin + i) * stride]};
        if (n_boundaries <= kMostCounted)
            count_boundaries(values, boundaries, n_boundaries, bins);
        else
            search_boundaries(values, boundaries, n_boundaries, bins);
        for (std::size_t i = 0; i < some; ++i)
            out[(begin + i) * out_stride] =
                static_cast<Code>(std::isnan(values[i]) ? kMissingCode : 1 + bins[i]);
    }
}

template <class Real, class Code>
SGT_INLINE bool encode_categories(const Real* __restrict x, std::size_t n, Code* __restrict out) {
    constexpr auto kUnseen = static_cast<double>(kUnseenCode<Code>);
    // Codes of four bytes go beyond int32.
    using Integer = std::conditional_t<sizeof(Code) == 4, std::int64_t, std::int32_t>;
    unsigned some_unseen = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const auto number = static_cast<double>(x[i]);
        double code = ((number >= 0.0) & (number + 1.0 < kUnseen)) ? number + 1.0 : kUnseen;
        code = number == number ? code : 0.0;
        some_unseen |= static_cast<unsigned>(code == kUnseen);
        out[i] = static_cast<Code>(static_cast<Integer>(code));
    }
    return some_unseen != 0;
}

template <class Code>
void lay_one_by_one(const Code* codes, std::size_t n_columns, std::size_t begin, std::size_t end,
                    Code* rows, std::size_t stride) {
    for (std::size_t r = begin; r < end; ++r)
        for (std::size_t c = 0; c < n_columns; ++c)
            rows[r * stride + c] = codes[c * kRowsTogether + r];
}

// Exchanges the bytes of a that the mask leaves out with those of b that it has, `shift` bits
// lower.
SGT_INLINE void exchange(std::uint64_t& a, std::uint64_t& b, unsigned shift, std::uint64_t mask) {
    const std::uint64_t difference = ((a >> shift) ^ b) & mask;
    a ^= difference << shift;
    b ^= difference;
}

// Eight columns of eight one-byte codes become eight rows: halves change places, then quarters,
// then single bytes.
SGT_INLINE void lay_eight_by_eight(const std::uint8_t* codes, std::uint8_t* rows,
                                   std::size_t stride) {
    std::uint64_t word[8];
    for (std::size_t c = 0; c < 8; ++c) std::memcpy(&word[c], codes + c * kRowsTogether, 8);
    for (const std::size_t i : {0, 1, 2, 3})
        exchange(word[i], word[i + 4], 32, 0x00000000FFFFFFFFULL);
    for (const std::size_t i : {0, 1, 4, 5})
        exchange(word[i], word[i + 2], 16, 0x0000FFFF0000FFFFULL);
    for (const std::size_t i : {0, 2, 4, 6})
        exchange(word[i], word[i + 1], 8, 0x00FF00FF00FF00FFULL);
    for (std::size_t r = 0; r < 8; ++r) std::memcpy(rows + r * stride, &word[r], 8);
}

}  // namespace

#define SGT_DEFINE_COLUMN_CODES(Real, Code)                                                   \
    SGT_CLONES void encode_guessed_column(const Real* x, std::size_t n, const BinGuess& b,    \
                                          bool power_of_two, Code* out) {                     \
        if (power_of_two)                                                                     \
            encode_guessed<true>(x, n, b, out);                                               \
        else                                                                                  \
            encode_guessed<false>(x, n, b, out);                                              \
    }                                                                                         \
    SGT_CLONES void encode_searched_column(const Real* x, std::size_t stride, std::size_t n,  \
                                           const std::vector<double>& boundaries, Code* out,  \
                                           std::size_t out_stride) {                          \
        encode_searched(x, stride, n, boundaries.data(), boundaries.size(), out, out_stride); \
    }                                                                                         \
    SGT_CLONES bool encode_category_column(const Real* x, std::size_t n, Code* out) {         \
        return encode_categories(x, n, out);                                                  \
    }
SGT_FOR_REALS_AND_CODES(SGT_DEFINE_COLUMN_CODES)
#undef SGT_DEFINE_COLUMN_CODES

void lay_in_rows(const std::uint8_t* codes, std::size_t n_columns, std::size_t n,
                 std::uint8_t* rows, std::size_t stride) {
    std::size_t r = 0;
    if (n_columns == 8 && std::endian::native == std::endian::little)
        for (; r + 8 <= n; r += 8) lay_eight_by_eight(codes + r, rows + r * stride, stride);
    lay_one_by_one(codes, n_columns, r, n, rows, stride);
}

void lay_in_rows(const std::uint16_t* codes, std::size_t n_columns, std::size_t n,
                 std::uint16_t* rows, std::size_t stride) {
    lay_one_by_one(codes, n_columns, 0, n, rows, stride);
}

void lay_in_rows(const std::uint32_t* codes, std::size_t n_columns, std::size_t n,
                 std::uint32_t* rows, std::size_t stride) {
    lay_one_by_one(codes, n_columns, 0, n, rows, stride);
}

}  // namespace sgt
