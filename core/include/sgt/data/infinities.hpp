// Are there infinities among these numbers? (NaN stands for a missing value.)
#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include "sgt/data/rows_view.hpp"

namespace sgt {

// Row and feature of the first one, in the order of the rows.
std::optional<std::pair<std::size_t, std::size_t>> first_infinity(const RowsView& x);

}  // namespace sgt
