// The sums of the rows on both sides of each boundary of a numeric feature, missing rows in
// neither. They are summed from both ends: right = total - left would lose digits where right is
// small.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sgt/leaf/cells.hpp"

namespace sgt {

// A number for each boundary that is looked at. Kept between searches for its memory only.
struct BoundarySums {
    std::vector<double> left_w, left_g, left_h, right_w, right_g, right_h;
    std::vector<std::uint32_t> bins;  // below each of these boundaries

    void resize(std::size_t n);

    // Of the bins that hold rows, and, with `keep_first`, the first one in any case: the boundary
    // after it may part missing rows from all others. (The boundary after an empty bin parts the
    // same rows as a lower one, and a tie goes to the lower.) Returns their number.
    std::size_t sum_bins_with_rows(const double* cells, const CellReader& reader,
                                   std::size_t n_bins, bool keep_first);
    // Of all bins, where w, g and h are the first numbers of a cell. A cell has at least four
    // numbers, and `width` are from one to the next.
    void sum_all_bins(const double* cells, std::size_t width, std::size_t n_bins);

private:
    template <CellKind kind>
    std::size_t gather_bins(const double* cells, const CellReader& reader, std::size_t n_bins,
                            bool keep_first);

    std::vector<Sums> sums_;
};

}  // namespace sgt
