// Softmax over the raw scores of classes.
#pragma once

#include <cstddef>
#include <vector>

namespace sgt {

// The largest score is subtracted first, so that nothing overflows.
void softmax(const double* raw, std::size_t n, double* probabilities);
// others[k] = sum of all probabilities but the k-th, without the digits that 1 - p would lose where
// p is nearly 1.
void sums_of_others(const std::vector<double>& probabilities, std::vector<double>& others);
// log(sum of exp(values)), without overflow.
double log_sum_exp(const double* values, std::size_t n);

}  // namespace sgt
