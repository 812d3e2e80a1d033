#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "sgt/data/string_codes.hpp"

using namespace sgt;

namespace {

template <class Place>
struct Column {
    std::string text;
    std::vector<Place> places = {0};

    void append(std::string_view string) {
        text += string;
        places.push_back(static_cast<Place>(text.size()));
    }
    Strings<Place> view() const {
        return {text.data(), places.data(), places.size() - 1};
    }
};

// Strings that differ in length, at an end or in the middle only.
template <class Place>
Column<Place> similar_strings(std::size_t longest) {
    Column<Place> column;
    for (int again = 0; again < 2; ++again)
        for (std::size_t length = 0; length <= longest; ++length)
            for (std::size_t changed = 0; changed <= length; ++changed) {
                std::string string(length, 'a');
                if (changed < length) string[changed] = 'b';
                column.append(string);
            }
    return column;
}

template <class Place>
bool are_those_of_a_map(const Column<Place>& column, std::uint64_t seed = 0) {
    const Strings<Place> strings = column.view();
    const StringCodes found = code_strings(strings, seed);
    std::map<std::string_view, std::int64_t> known;
    std::vector<std::size_t> rows;
    for (std::size_t row = 0; row < strings.n; ++row) {
        const auto [place, is_new] =
            known.try_emplace(strings[row], static_cast<std::int64_t>(known.size()));
        if (is_new) rows.push_back(row);
        if (found.codes[row] != place->second) return false;
    }
    return found.rows == rows;
}

}  // namespace

TEST(codes_are_those_of_a_map) {
    CHECK(are_those_of_a_map(similar_strings<std::int32_t>(40)));
    CHECK(are_those_of_a_map(similar_strings<std::int64_t>(40)));
    CHECK(are_those_of_a_map(Column<std::int32_t>{}));
    for (std::uint64_t seed : {1ULL, 0x9E3779B97F4A7C15ULL, ~0ULL})
        CHECK(are_those_of_a_map(similar_strings<std::int32_t>(40), seed));
}

TEST(places_must_be_in_order_and_within_the_text) {
    Column<std::int32_t> column;
    column.append("ab");
    column.append("c");
    CHECK(column.view().are_within(3));
    CHECK(!column.view().are_within(2));
    column.places = {0, 3, 2};
    CHECK(!column.view().are_within(3));
    column.places = {-1, 2, 3};
    CHECK(!column.view().are_within(3));
}

int main(int argc, char** argv) {
    return check::run(argc, argv);
}
