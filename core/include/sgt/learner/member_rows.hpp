// One of several members, and the rows of a block.
#pragma once

#include <cstddef>

namespace sgt {

// What a member of several is given about the rows of a block, and gives. Numbers are those of the
// block's first row on, with n_outputs a row.
struct MemberRows {
    // The scores to which it adds, the next row's so much further; null where it adds to none.
    const double* base = nullptr;
    std::size_t base_stride = 0;
    double* scores = nullptr;  // with its own added
    // Losses of the base (null: the member is not judged by it) and of the scores (null: not
    // wanted).
    const double* losses_before = nullptr;
    double* losses = nullptr;
    // Rounds, stages: whether it counts the weight that is counted beside the trees.
    bool counts_weight = true;
    // Stages: a row is learned once, and not as many times as is drawn.
    bool draws_copies = true;
};

}  // namespace sgt
