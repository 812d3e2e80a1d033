// The row loop of one of several members over a block.
#pragma once

#include <cstddef>
#include <memory>

#include "sgt/data/codes.hpp"
#include "sgt/data/labelled_rows.hpp"
#include "sgt/learner/member.hpp"
#include "sgt/learner/member_rows.hpp"

namespace sgt {

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

}  // namespace sgt
