// Rounds: the trees do not change, and the evidence that a row loop would learn is gathered as
// partial statistics.
#pragma once

#include <cstddef>
#include <vector>

#include "sgt/data/codes.hpp"
#include "sgt/data/labelled_rows.hpp"
#include "sgt/learner/member.hpp"
#include "sgt/learner/member_rows.hpp"
#include "sgt/rounds/partial.hpp"

namespace sgt {

// The derivatives of all rows with a weight above 0, by a loss that takes blocks. Throws
// LossFailure where a row has none, after those of the rows before it.
void compute_derivatives(Member& member, const CodeBlock& codes, const LabelledRows& rows,
                         const MemberRows& of_member, std::size_t first_row,
                         std::vector<double>& derivatives);

// Adds each tree's partial statistics of encoded rows, and the weight that is counted beside them.
// `derivatives` are what compute_derivatives gave.
void gather_in_order(Member& member, const CodeBlock& codes, const LabelledRows& rows,
                     const MemberRows& of_member, const std::vector<double>& derivatives,
                     Partial& partial);

}  // namespace sgt
