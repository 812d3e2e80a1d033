// Softmax over the raw scores of classes.
#pragma once

#include <cstddef>
#include <vector>

#include "sgt/loss/exponential.hpp"

namespace sgt {

// The largest score is subtracted first, so that nothing overflows.
void softmax(const double* raw, std::size_t n, double* probabilities);
// others[k] = sum of all probabilities but the k-th, without the digits that 1 - p would lose where
// p is nearly 1.
void sums_of_others(const std::vector<double>& probabilities, std::vector<double>& others);
// log(sum of exp(values)), without overflow.
double log_sum_exp(const double* values, std::size_t n);

// The same, to the last bit, of values to which more are appended from time to time: only these are
// added. Whoever changes a value that was there begins with a new one.
class GrowingLogSum {
public:
    double of(const double* values, std::size_t n);
    // exp(value k) in units of the sum of all: how likely class k is.
    double share(const double* values, std::size_t n, std::size_t k) {
        if (n_ < n) include(values, n);
        return fast_exp(values[k] - largest_) / sum_;
    }

private:
    void include(const double* values, std::size_t n);

    std::size_t n_ = 0;
    double largest_ = 0.0, sum_ = 0.0;
};

}  // namespace sgt
