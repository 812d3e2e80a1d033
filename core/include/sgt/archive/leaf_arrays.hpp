// All leaves' statistics of one tree as a few long arrays, for saving.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sgt/archive/archive.hpp"

namespace sgt {

// One after the other for each leaf that has statistics. Per leaf in `integers`: keeps cells, has
// cells, rows, waiting rows, room in the buffer, kept rows and the place of the oldest
// (only where kept_rows is above 0), then the number of categories of each nominal feature. In
// `numbers`: weight, sum of squared weights, references (2 for each output, none where classes are
// counted), total, the records of the kept and the waiting rows, the numeric cells, the nominal
// cells. `codes`: the kept and the waiting rows; `categories`: codes of the nominal cells.
struct LeafArrays {
    std::vector<std::int64_t> integers, categories;
    std::vector<double> numbers;
    std::vector<std::uint8_t> codes;

    void put(Archive& archive, const std::string& prefix) && {
        archive.put(prefix + "leaves/integers", std::move(integers));
        archive.put(prefix + "leaves/categories", std::move(categories));
        archive.put(prefix + "leaves/numbers", std::move(numbers));
        archive.put(prefix + "leaves/codes", std::move(codes));
    }
};

class LeafArraysReader {
public:
    LeafArraysReader(const ArchiveView& archive, const std::string& prefix)
        : integers(archive, prefix + "leaves/integers"),
          categories(archive, prefix + "leaves/categories"),
          numbers(archive, prefix + "leaves/numbers"),
          codes(archive, prefix + "leaves/codes") {}

    // The next integer, which must be in [0, most].
    std::size_t size(std::uint64_t most) {
        const std::int64_t n = integers.next();
        if (n < 0 || static_cast<std::uint64_t>(n) > most)
            Archive::fail("leaves/integers", "is out of range");
        return static_cast<std::size_t>(n);
    }
    void finish() const {
        integers.finish();
        categories.finish();
        numbers.finish();
        codes.finish();
    }

    ArrayReader<std::int64_t> integers, categories;
    ArrayReader<double> numbers;
    ArrayReader<std::uint8_t> codes;
};

}  // namespace sgt
