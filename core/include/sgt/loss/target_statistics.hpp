// Statistics of a set of targets, from which losses take their best constants and scales.
#pragma once

#include "sgt/loss/loss.hpp"

namespace sgt {

// 0 where there are no targets.
double weighted_mean(const Targets& targets);
// The lowest target at or below which there is a share alpha of the weight; 0 without targets.
double weighted_quantile(const Targets& targets, double alpha);
// The weighted mean distance from the median; 1 where all targets are (nearly) the same.
double spread(const Targets& targets);

}  // namespace sgt
