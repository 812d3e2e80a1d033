// exp without a call and without a branch, so that the compiler can use vectors: within 1e-12 of
// the true value, times it. The same number has the same result on every machine.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "sgt/clones.hpp"

namespace sgt {

// What is outside counts as the nearer end.
struct ExpRange {
    double least = -708.0, most = 709.0;

    // Of numbers that the compiler does not know, for loops: of those that it knows GCC makes cases
    // with a result each, where a minimum and a maximum would do.
    static SGT_INLINE ExpRange of_loop() {
        ExpRange range;
#if defined(__GNUC__) && defined(__x86_64__)
        asm("" : "+x"(range.least), "+x"(range.most));
#endif
        return range;
    }
};

// exp(x) for x in the range.
SGT_INLINE double fast_exp(double x, ExpRange range = {}) {
    // x = n ln 2 + r, |r| <= ln 2 / 2; exp(r) by its series, and n in the exponent's bits.
    constexpr double kLog2E = 1.4426950408889634, kRound = 0x1.8p52;
    constexpr double kLn2High = 0x1.62e42fefa3800p-1, kLn2Low = 0x1.ef35793c76730p-45;
    x = x > range.least ? x : range.least;
    x = x < range.most ? x : range.most;
    const double shifted = x * kLog2E + kRound;
    const double n = shifted - kRound;
    const double r = (x - n * kLn2High) - n * kLn2Low;
    // Pairs of terms, then pairs of pairs: few steps that wait for each other.
    const double r2 = r * r, r4 = r2 * r2;
    const double low = (0.5 + r * (1.0 / 6.0)) + r2 * (1.0 / 24.0 + r * (1.0 / 120.0));
    const double high =
        (1.0 / 720.0 + r * (1.0 / 5040.0)) + r2 * (1.0 / 40320.0 + r * (1.0 / 362880.0));
    const double sum = low + r4 * (high + r4 * (1.0 / 3628800.0));
    const double power = 1.0 + (r + r2 * sum);
    // The low bits of `shifted` are n.
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(shifted) << 52U;
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(power) + bits);
}

}  // namespace sgt
