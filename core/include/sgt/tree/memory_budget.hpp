// Bytes of nodes and statistics of all trees of a model; counted only where there is a limit.
#pragma once

#include <cstddef>

#include "sgt/options.hpp"

namespace sgt {

struct MemoryBudget {
    std::size_t limit = kUnlimited;
    std::size_t used = 0;

    bool is_limited() const {
        return limit != kUnlimited;
    }
    bool is_exceeded() const {
        return used > limit;
    }
};

}  // namespace sgt
