#include "sgt/tree/tree_options.hpp"

#include <stdexcept>

namespace sgt {

void TreeOptions::check() const {
    if (!(shrinkage > 0.0 && shrinkage <= 1.0))
        throw std::invalid_argument("shrinkage must be above 0 and at most 1");
    if (!(mean_copies >= 0.0 && mean_copies <= 10.0))
        throw std::invalid_argument("mean_copies must be from 0 to 10");
}

}  // namespace sgt
