// What a detector says when the mean of its inputs has changed.
#pragma once

#include <cstdint>

namespace sgt {

struct MeanChange {
    double before = 0.0, after = 0.0;  // the mean of the inputs before the change, and since
    std::uint64_t inputs_before = 0, inputs_after = 0;

    bool is_rise() const {
        return after > before;
    }
};

}  // namespace sgt
