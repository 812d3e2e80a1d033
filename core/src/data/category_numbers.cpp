#include "sgt/data/category_numbers.hpp"

#include "sgt/clones.hpp"

namespace sgt {

namespace {

// Compared by their bits, in integers, which compilers turn into vectors. -0.0 goes the slow way.
template <class Real, class Bits>
SGT_INLINE bool all_are_whole_below(const Real* values, std::size_t n_values, std::size_t n) {
    constexpr Bits kMagnitude = std::numeric_limits<Bits>::max() >> 1;
    constexpr Bits kInfinity = std::bit_cast<Bits>(std::numeric_limits<Real>::infinity());
    if (n == 0) return false;
    // Above 2^24 a float32 is no safe number, and the slow way is right too.
    const auto last = static_cast<Real>(std::min<std::size_t>(n, 1 << 24) - 1);
    Bits others = 0;
    for (std::size_t i = 0; i < n_values; ++i) {
        const Real value = values[i];
        Real inside = value > Real{0} ? value : Real{0};  // NaN too
        inside = inside < last ? inside : last;
        const auto whole = static_cast<Real>(static_cast<std::int32_t>(inside));
        const Bits bits = std::bit_cast<Bits>(value),
                   difference = bits ^ std::bit_cast<Bits>(whole);
        const Bits is_number = static_cast<Bits>((bits & kMagnitude) <= kInfinity);
        others |= difference & (Bits{0} - is_number);
    }
    return others == 0;
}

}  // namespace

SGT_CLONES bool are_whole_below(const float* values, std::size_t n_values, std::size_t n) {
    return all_are_whole_below<float, std::uint32_t>(values, n_values, n);
}

SGT_CLONES bool are_whole_below(const double* values, std::size_t n_values, std::size_t n) {
    return all_are_whole_below<double, std::uint64_t>(values, n_values, n);
}

}  // namespace sgt
