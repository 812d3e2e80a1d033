#include "sgt/loss/softmax.hpp"

#include <algorithm>
#include <cmath>

#include "sgt/loss/loss.hpp"

namespace sgt {

void softmax(const double* raw, std::size_t n, double* probabilities) {
    if (n == 2) {
        probabilities[1] = BinaryLogLoss::probability(raw[1] - raw[0]);
        probabilities[0] = BinaryLogLoss::probability(raw[0] - raw[1]);
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
    const double largest = *std::max_element(values, values + n);
    double sum = 0.0;
    for (std::size_t k = 0; k < n; ++k) sum += std::exp(values[k] - largest);
    return largest + std::log(sum);
}

}  // namespace sgt
