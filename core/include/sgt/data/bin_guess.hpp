// The bin of a number among uniform boundaries, by arithmetic: a guess that is never too high and
// at most one too low, corrected by comparing with the boundary above it, which is computed.
#pragma once

#include <cstdint>

#include "sgt/clones.hpp"

namespace sgt {

// Bins above the lower end of the range, a thousandth of a bin too few, so that rounding cannot
// make the guess too high.
SGT_INLINE double guess(double x, double lo, double scale, double last) {
    double z = (x - lo) * scale - 0.001;
    z = z > 0.0 ? z : 0.0;  // NaN too
    return z < last ? z : last;
}

// What is known of one feature: guess = (x - lo) * scale, in [0, last];
// boundary = lo + width * (k / n_bins), or lo + width * k where n_bins is a power of two: then it
// is in the width already, as dividing by it rounds nothing.
struct BinGuess {
    double lo, scale, last, width, n_bins;
};

template <bool kPowerOfTwo>
SGT_INLINE std::int32_t guessed_code(double x, const BinGuess& b) {
    const auto j = static_cast<std::int32_t>(guess(x, b.lo, b.scale, b.last));
    const auto k = static_cast<double>(j + 1);
    const double above = b.lo + b.width * (kPowerOfTwo ? k : k / b.n_bins);
    const std::int32_t code = x > above ? j + 2 : j + 1;
    return x == x ? code : 0;
}

}  // namespace sgt
