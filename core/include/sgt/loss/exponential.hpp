// exp without a call and without a branch, so that the compiler can use vectors: within two units
// in the last place of the true value. The same number has the same result on every machine.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace sgt {

// exp(x) for x in [-708, 709]; what is outside counts as the nearer end.
inline double fast_exp(double x) {
    // x = n ln 2 + r, |r| <= ln 2 / 2; exp(r) by its series, and n in the exponent's bits.
    constexpr double kLog2E = 1.4426950408889634, kRound = 0x1.8p52;
    constexpr double kLn2High = 0x1.62e42fefa3800p-1, kLn2Low = 0x1.ef35793c76730p-45;
    x = std::min(std::max(x, -708.0), 709.0);
    const double shifted = x * kLog2E + kRound;
    const double n = shifted - kRound;
    const double r = (x - n * kLn2High) - n * kLn2Low;
    double sum = 1.0 / 479001600.0;
    sum = sum * r + 1.0 / 39916800.0;
    sum = sum * r + 1.0 / 3628800.0;
    sum = sum * r + 1.0 / 362880.0;
    sum = sum * r + 1.0 / 40320.0;
    sum = sum * r + 1.0 / 5040.0;
    sum = sum * r + 1.0 / 720.0;
    sum = sum * r + 1.0 / 120.0;
    sum = sum * r + 1.0 / 24.0;
    sum = sum * r + 1.0 / 6.0;
    sum = sum * r + 0.5;
    const double power = 1.0 + (r + r * r * sum);
    // The low bits of `shifted` are n.
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(shifted) << 52U;
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(power) + bits);
}

}  // namespace sgt
