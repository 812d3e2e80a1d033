#include "sgt/loss/target_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sgt/magnitudes.hpp"

namespace sgt {

double weighted_mean(const Targets& t) {
    double mean = 0.0, weight = 0.0;  // moved step by step: large targets lose no digits
    for (std::size_t i = 0; i < t.y.size(); ++i) {
        weight += t.w[i];
        mean += (t.y[i] - mean) * (t.w[i] / weight);
    }
    return mean;
}

double weighted_quantile(const Targets& t, double alpha) {
    if (t.y.empty()) return 0.0;
    std::vector<std::size_t> order(t.y.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return t.y[a] < t.y[b]; });
    const double wanted = alpha * std::accumulate(t.w.begin(), t.w.end(), 0.0);
    double below = 0.0;
    for (const std::size_t i : order) {
        below += t.w[i];
        if (below >= wanted) return t.y[i];
    }
    return t.y[order.back()];
}

double spread(const Targets& t) {
    const double median = weighted_quantile(t, 0.5);
    double sum = 0.0, weight = 0.0;
    for (std::size_t i = 0; i < t.y.size(); ++i) {
        sum += t.w[i] * std::fabs(t.y[i] - median);
        weight += t.w[i];
    }
    const double mean = sum / weight;
    return mean > kLeastSpread ? mean : 1.0;
}

}  // namespace sgt
