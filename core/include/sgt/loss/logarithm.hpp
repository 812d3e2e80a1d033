// log without a call and without a branch, so that the compiler can use vectors: within 1e-15 of
// the true value, times it. The same number has the same result on every machine.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "sgt/clones.hpp"

namespace sgt {

// log(x) for normal numbers above 0.
SGT_INLINE double fast_log(double x) {
    // x = 2^n m, sqrt(1/2) <= m < sqrt(2); log(m) = 2 atanh(s), s = (m - 1) / (m + 1), by its
    // series.
    constexpr double kLn2High = 0x1.62e42fefa3800p-1, kLn2Low = 0x1.ef35793c76730p-45;
    constexpr std::uint64_t kRootOfHalf = 0x3fe6a09e667f3bcdULL, kOne = 0x3ff0000000000000ULL;
    // Bits of m beyond those of sqrt(1/2), and n above them.
    const std::uint64_t beyond = std::bit_cast<std::uint64_t>(x) - kRootOfHalf + kOne;
    const double m = std::bit_cast<double>((beyond & 0xfffffffffffffULL) + kRootOfHalf);
    // n as a double without a conversion, for which older processors have no vectors.
    constexpr double kShift = 0x1p52 + 1023.0;
    const double n = std::bit_cast<double>((beyond >> 52U) | 0x4330000000000000ULL) - kShift;
    const double s = (m - 1.0) / (m + 1.0), z = s * s, z2 = z * z, z4 = z2 * z2;
    const double low = (1.0 / 3.0 + z * (1.0 / 5.0)) + z2 * (1.0 / 7.0 + z * (1.0 / 9.0));
    const double high = (1.0 / 11.0 + z * (1.0 / 13.0)) + z2 * (1.0 / 15.0 + z * (1.0 / 17.0));
    const double sum = low + z4 * (high + z4 * (1.0 / 19.0));
    const double of_m = 2.0 * s + 2.0 * s * (z * sum);
    return n * kLn2High + (of_m + n * kLn2Low);
}

}  // namespace sgt
