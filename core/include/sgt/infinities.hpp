// Are there infinities among these numbers? (NaN stands for a missing value.)
#pragma once

#include <cstddef>

namespace sgt {

// The index of the first one; n where there is none.
std::size_t first_infinity(const float* x, std::size_t n);
std::size_t first_infinity(const double* x, std::size_t n);

}  // namespace sgt
