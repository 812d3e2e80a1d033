// Softmax: from scores of classes to probabilities, without overflow and without lost digits.
#pragma once

#include <cstddef>
#include <vector>

namespace sgt {

// The largest score is taken off first, so nothing overflows.
void softmax(const double* raw, std::size_t n, double* probabilities);
// others[k] = sum of all probabilities but the k-th, without the digits that 1 - p would lose where
// p is nearly 1.
void sums_of_others(const std::vector<double>& probabilities, std::vector<double>& others);
// log(sum of exp(value)).
double log_sum_exp(const double* values, std::size_t n);

}  // namespace sgt
