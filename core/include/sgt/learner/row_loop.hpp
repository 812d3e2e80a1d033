// The row loop: encoded rows are learned one after the other. Each is routed and predicted, the
// objective turns it into evidence, the trees learn that, and leaves that are due consider a change
// before the next row.
#pragma once

#include <cstddef>

#include "sgt/data/codes.hpp"
#include "sgt/data/labelled_rows.hpp"
#include "sgt/learner/member.hpp"
#include "sgt/learner/predictions.hpp"

namespace sgt {

// Learns encoded rows in order by a single member. The prediction made before each goes to its row
// of the sink, which may be null. (Of `rows` only targets and weights are read, and x where the
// leaf model does.)
void learn_in_order(Member& member, const CodeBlock& codes, const LabelledRows& rows,
                    std::size_t first_row, Predictions* sink);

}  // namespace sgt
