// Rows as small integers. Trees read codes only:
//   0           missing
//   1 + bin     numeric feature, bin = number of boundaries below the value
//   1 + number  nominal feature, number = category number
//   the largest code of its width: a category that was never learned (nominal only)
// Codes are stored in 1, 2 or 4 bytes, the narrowest that holds every bin and category.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace sgt {

enum class CodeWidth : std::uint8_t { one = 1, two = 2, four = 4 };

inline constexpr std::uint32_t kMissingCode = 0;

template <class Code>
inline constexpr Code kUnseenCode = std::numeric_limits<Code>::max();

// Calls f with a value of the code type of that width.
template <class F>
decltype(auto) with_code_type(CodeWidth width, F&& f) {
    switch (width) {
        case CodeWidth::one:
            return f(std::uint8_t{});
        case CodeWidth::two:
            return f(std::uint16_t{});
        case CodeWidth::four:
            break;
    }
    return f(std::uint32_t{});
}

// The narrowest width in which `largest` is a code, and not the one that means unseen.
inline CodeWidth width_for(std::uint64_t largest) {
    if (largest < kUnseenCode<std::uint8_t>) return CodeWidth::one;
    if (largest < kUnseenCode<std::uint16_t>) return CodeWidth::two;
    return CodeWidth::four;
}

inline std::size_t bytes_of(CodeWidth width) {
    return static_cast<std::size_t>(width);
}

// Encoded rows, row after row.
struct CodeBlock {
    CodeWidth width = CodeWidth::one;
    std::size_t rows = 0;
    std::size_t features = 0;
    std::vector<std::byte> bytes;

    void shape(std::size_t n_rows, std::size_t n_features, CodeWidth code_width) {
        width = code_width;
        rows = n_rows;
        features = n_features;
        bytes.resize(n_rows * row_bytes());
    }
    std::size_t row_bytes() const {
        return features * bytes_of(width);
    }
    const std::byte* row(std::size_t i) const {
        return bytes.data() + i * row_bytes();
    }
    std::byte* row(std::size_t i) {
        return bytes.data() + i * row_bytes();
    }
};

}  // namespace sgt
