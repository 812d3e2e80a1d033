// Draws by number: the same for the same row in any block, on any thread, in any process. No period
// of a stream can coincide with them.
#pragma once

#include <cstdint>

namespace sgt {

// 64 bits for a number, in one of many sequences; the top ones are the best.
inline std::uint64_t draw(std::uint64_t number, std::uint64_t sequence) {
    std::uint64_t z = number * 0x9E3779B97F4A7C15U + sequence * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 32U)) * 0xD6E8FEB86659FD93U;
    return z;
}

}  // namespace sgt
