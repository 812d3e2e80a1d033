#include "sgt/tree/tree_options.hpp"

#include <stdexcept>

namespace sgt {

void TreeOptions::check() const {
    if (!(shrinkage > 0.0 && shrinkage <= 1.0))
        throw std::invalid_argument("shrinkage must be above 0 and at most 1");
    if (!(row_share > 0.0 && row_share <= 1.0))
        throw std::invalid_argument("row_share must be above 0 and at most 1");
}

}  // namespace sgt
