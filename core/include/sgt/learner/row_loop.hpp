// The row loop: encoded rows are learned one after the other. Each is routed and predicted, the
// objective turns it into evidence, the trees learn that, and leaves that are due consider a change
// before the next row.
//
// In rounds the trees do not change: the same evidence is gathered as partial statistics.
#pragma once

#include <cstddef>
#include <vector>

#include "sgt/data/codes.hpp"
#include "sgt/data/labelled_rows.hpp"
#include "sgt/learner/learning_state.hpp"
#include "sgt/learner/predictions.hpp"
#include "sgt/rounds/partial.hpp"

namespace sgt {

// Learns encoded rows in order. The prediction made before each goes to its row of the sink, which
// may be null. (Of `rows` only targets and weights are read, and x where the leaf model does.)
void learn_in_order(LearningState& state, const CodeBlock& codes, const LabelledRows& rows,
                    std::size_t first_row, Predictions* sink);

// The derivatives of all rows with a weight above 0, where the loss takes blocks; none otherwise.
// Throws LossFailure where a row has none, after those of the rows before it.
void compute_derivatives(LearningState& state, const CodeBlock& codes, const LabelledRows& rows,
                         std::size_t first_row, std::vector<double>& derivatives);

// Adds each tree's partial statistics of encoded rows, and the weight that is counted beside them.
// `derivatives` are what compute_derivatives gave.
void gather_in_order(LearningState& state, const CodeBlock& codes, const LabelledRows& rows,
                     const std::vector<double>& derivatives, Partial& partial);

}  // namespace sgt
