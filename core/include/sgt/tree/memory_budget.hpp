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
    // Within an eighth of the limit.
    bool is_nearly_exceeded() const {
        return is_limited() && used > limit - limit / 8;
    }
    bool is_exceeded() const {
        return used > limit;
    }
};

}  // namespace sgt
