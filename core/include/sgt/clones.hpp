// SGT_CLONES: compile a hot function for several instruction sets and choose at load time, so that
// one portable build is quick everywhere. The results do not depend on the choice: the kernels use
// IEEE operations one by one (no contraction), and those are the same in every width.
#pragma once

#include <cstddef>

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(SGT_NO_CLONES)
#define SGT_CLONES \
    __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"), noinline))
#else
#define SGT_CLONES
#endif

#if defined(__GNUC__)
#define SGT_INLINE inline __attribute__((always_inline))
#define SGT_NOINLINE __attribute__((noinline))
#define SGT_PREFETCH_READ(address) __builtin_prefetch((address), 0, 3)
#define SGT_PREFETCH_WRITE(address) __builtin_prefetch((address), 1, 3)
#else
#define SGT_INLINE inline
#define SGT_NOINLINE
#define SGT_PREFETCH_READ(address) static_cast<void>(address)
#define SGT_PREFETCH_WRITE(address) static_cast<void>(address)
#endif

namespace sgt {

inline constexpr std::size_t kCacheLine = 64;

// Of n numbers, where `f` fetches the line of an address. (Not of very many: they would drive out
// what is needed sooner.)
template <class F>
SGT_INLINE void for_each_line(const double* numbers, std::size_t n, F&& f) {
    constexpr std::size_t kMost = 128;
    if (n == 0) return;
    n = n < kMost ? n : kMost;
    for (std::size_t i = 0; i < n; i += kCacheLine / sizeof(double)) f(numbers + i);
    f(numbers + n - 1);
}
SGT_INLINE void prefetch_to_read(const double* numbers, std::size_t n) {
    for_each_line(numbers, n, [](const double* line) { SGT_PREFETCH_READ(line); });
}
SGT_INLINE void prefetch_to_write(const double* numbers, std::size_t n) {
    for_each_line(numbers, n, [](const double* line) { SGT_PREFETCH_WRITE(line); });
}

}  // namespace sgt

// SGT_FOR_REALS_AND_CODES: calls DEFINE(Real, Code) for all types of values and of their codes. A
// template cannot be compiled for several instruction sets, so its instances are plain functions.
#define SGT_FOR_REALS_AND_CODES(DEFINE) \
    DEFINE(float, std::uint8_t)         \
    DEFINE(float, std::uint16_t)        \
    DEFINE(float, std::uint32_t)        \
    DEFINE(double, std::uint8_t)        \
    DEFINE(double, std::uint16_t)       \
    DEFINE(double, std::uint32_t)

// SGT_LANES: before a loop of few, fixed steps that are to become one vector operation. GCC would
// unroll it first, and then fail to see that.
#if defined(__GNUC__) && !defined(__clang__)
#define SGT_LANES _Pragma("GCC unroll 1")
#else
#define SGT_LANES
#endif
