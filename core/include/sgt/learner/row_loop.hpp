// The row loop: encoded rows are learned one after the other. Each is routed and predicted, the
// objective turns it into evidence, the trees learn that, and leaves that are due consider a change
// before the next row.
//
// In rounds the trees do not change: the same evidence is gathered as partial statistics.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "sgt/data/codes.hpp"
#include "sgt/data/labelled_rows.hpp"
#include "sgt/learner/bag_objective.hpp"
#include "sgt/learner/member.hpp"
#include "sgt/learner/predictions.hpp"
#include "sgt/rounds/partial.hpp"

namespace sgt {

// Learns encoded rows in order by a single member. The prediction made before each goes to its row
// of the sink, which may be null. (Of `rows` only targets and weights are read, and x where the
// leaf model does.)
void learn_in_order(Member& member, const CodeBlock& codes, const LabelledRows& rows,
                    std::size_t first_row, Predictions* sink);

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
    // Rounds: whether it counts the weight that is counted beside the trees.
    bool counts_weight = true;
};

// Learns whole bags of encoded rows in order. Losses are those of bags.
void learn_bags(Member& member, const CodeBlock& codes, const LabelledRows& rows, const Bags& bags,
                const MemberRows& of_member);

// The loop of one of several members over a block.
class MemberLoop {
public:
    virtual ~MemberLoop() = default;
    // Before the first rows, and after the number of outputs has changed.
    virtual void set_rows(const MemberRows& rows) = 0;
    virtual void learn(std::size_t begin, std::size_t end) = 0;
    // Writes the scores of a row only.
    virtual void score_row(std::size_t row) = 0;
};
std::unique_ptr<MemberLoop> make_loop(Member& member, const CodeBlock& codes,
                                      const LabelledRows& rows);

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
