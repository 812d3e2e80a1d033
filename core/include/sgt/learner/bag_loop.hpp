// Bags are learned as a whole: their scores, routes and evidence are fixed before their instances
// are learned, and leaves consider changes after a bag's last instance.
#pragma once

#include "sgt/data/codes.hpp"
#include "sgt/data/labelled_rows.hpp"
#include "sgt/learner/bag_objective.hpp"
#include "sgt/learner/member.hpp"
#include "sgt/learner/member_rows.hpp"

namespace sgt {

// Whole bags of encoded rows, in order. Losses are those of bags.
void learn_bags(Member& member, const CodeBlock& codes, const LabelledRows& rows, const Bags& bags,
                const MemberRows& of_member);

}  // namespace sgt
