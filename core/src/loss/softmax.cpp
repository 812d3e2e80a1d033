#include "sgt/loss/softmax.hpp"

#include <algorithm>
#include <cmath>

namespace sgt {

void softmax(const double* raw, std::size_t n, double* probabilities) {
    if (n == 2) {
        // As BinaryLogLoss::probability, of both.
        const double odds = std::exp(-std::fabs(raw[1] - raw[0]));  // against the likelier class
        const std::size_t likelier = raw[1] >= raw[0] ? 1 : 0;
        probabilities[likelier] = 1.0 / (1.0 + odds);
        probabilities[1 - likelier] = odds / (1.0 + odds);
        return;
    }
    const double largest = *std::max_element(raw, raw + n);
    double sum = 0.0;
    for (std::size_t k = 0; k < n; ++k) sum += probabilities[k] = std::exp(raw[k] - largest);
    for (std::size_t k = 0; k < n; ++k) probabilities[k] /= sum;
}

void sums_of_others(const std::vector<double>& p, std::vector<double>& others) {
    others.resize(p.size());
    double before = 0.0, after = 0.0;
    for (std::size_t k = 0; k < p.size(); ++k) {
        others[k] = before;
        before += p[k];
    }
    for (std::size_t k = p.size(); k-- > 0;) {
        others[k] += after;
        after += p[k];
    }
}

double log_sum_exp(const double* values, std::size_t n) {
    if (n == 2)
        return std::max(values[0], values[1]) +
               std::log(1.0 + std::exp(-std::fabs(values[1] - values[0])));
    return GrowingLogSum().of(values, n);
}

double GrowingLogSum::of(const double* values, std::size_t n) {
    if (n == 2) return log_sum_exp(values, n);
    if (n_ < n) include(values, n);
    return largest_ + std::log(sum_);
}

void GrowingLogSum::include(const double* values, std::size_t n) {
    const double largest = *std::max_element(values + n_, values + n);
    if (n_ == 0 || largest > largest_) {
        n_ = 0;
        largest_ = *std::max_element(values, values + n);
        sum_ = 0.0;
    }
    for (; n_ < n; ++n_) sum_ += std::exp(values[n_] - largest_);
}

}  // namespace sgt
