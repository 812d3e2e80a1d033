// Columns of strings as codes, in order of first appearance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace sgt {

// The strings of a column: one text, and the place in it where each begins; the last place is where
// the last string ends. Place is std::int32_t or std::int64_t.
template <class Place>
struct Strings {
    const char* text;
    const Place* places;
    std::size_t n;

    std::string_view operator[](std::size_t i) const {
        return {text + places[i], static_cast<std::size_t>(places[i + 1] - places[i])};
    }
    // Whether each string ends where or after it begins, and all are in a text of this length.
    bool are_within(std::size_t length) const {
        bool in_order = places[0] >= 0;
        for (std::size_t i = 0; i < n; ++i) in_order = in_order && places[i] <= places[i + 1];
        return in_order && static_cast<std::size_t>(places[n]) <= length;
    }
};

struct StringCodes {
    std::vector<std::int64_t> codes;  // one for each row
    std::vector<std::size_t> rows;    // the first row of each code
};

// A seed that nobody knows keeps strings from being made to collide, which would take long. No
// result depends on it.
StringCodes code_strings(const Strings<std::int32_t>& strings, std::uint64_t seed);
StringCodes code_strings(const Strings<std::int64_t>& strings, std::uint64_t seed);

}  // namespace sgt
