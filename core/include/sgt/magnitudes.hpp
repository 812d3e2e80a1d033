// How large numbers are. Targets are at most 1e50 in size, and weights lie between 1e-50 and 1e50:
// whoever passes rows to a learner has checked that. What a learner computes from them has no sum
// that overflows, as long as single numbers keep within these limits.
#pragma once

namespace sgt {

// Of steps, moves of offsets, and the g and h of losses written in Python. What is above counts as
// no number.
constexpr double kGreatestNumber = 1e100;

// Targets that differ by less are all the same.
constexpr double kLeastSpread = 1e-50;

// A raw score above the first counts as it where exp(raw) is computed, and one below the second
// where exp(-raw) is: exp(230) is 1e100, and exp(115) times a target is no more.
constexpr double kHighestLogMean = 230.0;
constexpr double kLowestLogMean = -115.0;

}  // namespace sgt
