// Damage to an archive, as the bytes of a fuzzer ask for it: a fuzzer that had to write archives
// from nothing would never come past the first check.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <type_traits>
#include <variant>
#include <vector>

#include "sgt/archive/archive.hpp"

namespace fuzz {

// Eleven bytes for a change: which array, which of its numbers, what becomes of it.
constexpr std::size_t kBytesOfChange = 11;

template <class T>
T number(const std::uint8_t* bytes) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, sizeof(word));
    if constexpr (std::is_same_v<T, double>) return std::bit_cast<double>(word);
    // Small numbers, and those next to 0, more often than others.
    const auto value = static_cast<std::int64_t>(word);
    return static_cast<T>((word & 7U) < 5 ? value % 64 : value);
}

inline sgt::Archive damaged(const sgt::Archive& whole, const std::uint8_t* data, std::size_t size) {
    auto arrays = whole.arrays();
    for (; size >= kBytesOfChange; data += kBytesOfChange, size -= kBytesOfChange) {
        auto at = arrays.begin();
        std::advance(at, data[0] % arrays.size());
        std::visit(
            [&](auto& values) {
                using T = typename std::decay_t<decltype(values)>::value_type;
                const std::size_t place = values.empty() ? 0 : data[1] * 257U % values.size();
                if (data[2] % 16 == 0)
                    values.resize(place);
                else if (data[2] % 16 == 1)
                    values.push_back(number<T>(data + 3));
                else if (!values.empty())
                    values[place] = number<T>(data + 3);
            },
            at->second);
    }
    sgt::Archive result;
    for (auto& [name, array] : arrays)
        std::visit([&, &key = name](auto& values) { result.put(key, std::move(values)); }, array);
    return result;
}

}  // namespace fuzz
