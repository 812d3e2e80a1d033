#include "sgt/data/binning.hpp"

#include <algorithm>
#include <cmath>

namespace sgt {

namespace {

void keep_distinct(std::vector<double>& sorted) {
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
}

// NumPy's "linear" quantile, operation for operation.
double linear_quantile(const std::vector<double>& sorted, double q) {
    const double position = static_cast<double>(sorted.size() - 1) * q;
    const double below = std::floor(position);
    const auto i = static_cast<std::size_t>(below);
    const double a = sorted[i];
    const double b = sorted[std::min(i + 1, sorted.size() - 1)];
    const double t = position - below;
    if (!std::isfinite(b - a)) return a * (1.0 - t) + b * t;
    return t >= 0.5 ? b - (b - a) * (1.0 - t) : a + (b - a) * t;
}

std::vector<double> midpoints(const std::vector<double>& distinct) {
    std::vector<double> boundaries;
    for (std::size_t i = 0; i + 1 < distinct.size(); ++i) {
        const double a = distinct[i], b = distinct[i + 1];
        const double middle = a / 2 + b / 2;
        boundaries.push_back(middle >= a && middle < b ? middle : a);
    }
    return boundaries;
}

std::vector<double> quantile_boundaries(std::vector<double> sorted, std::size_t n_bins) {
    std::vector<double> distinct = sorted;
    keep_distinct(distinct);
    if (distinct.size() == 1) return distinct;
    if (distinct.size() <= n_bins) return midpoints(distinct);
    std::vector<double> boundaries;
    for (std::size_t k = 1; k < n_bins; ++k)
        boundaries.push_back(
            linear_quantile(sorted, static_cast<double>(k) / static_cast<double>(n_bins)));
    std::sort(boundaries.begin(), boundaries.end());
    keep_distinct(boundaries);
    return boundaries;
}

}  // namespace

Boundaries uniform_boundaries(double lo, double hi, std::size_t n_bins) {
    if (lo == hi) return {{lo}, lo, hi, 0};
    const bool overflows = !std::isfinite(hi - lo);
    Boundaries result{{}, lo, hi, n_bins};
    for (std::size_t k = 1; k < n_bins; ++k) {
        const double share = static_cast<double>(k) / static_cast<double>(n_bins);
        result.values.push_back(overflows ? lo * (1.0 - share) + hi * share
                                          : uniform_boundary(lo, hi, share));
    }
    keep_distinct(result.values);
    if (overflows || result.values.size() + 1 < n_bins) result.n_bins = 0;
    return result;
}

Boundaries sample_boundaries(std::vector<double> sample, std::size_t n_bins, bool quantiles) {
    if (sample.empty()) return {};
    if (quantiles) {
        std::sort(sample.begin(), sample.end());
        const double lo = sample.front(), hi = sample.back();
        return {quantile_boundaries(std::move(sample), n_bins), lo, hi, 0};
    }
    const auto [lo, hi] = std::minmax_element(sample.begin(), sample.end());
    return uniform_boundaries(*lo, *hi, n_bins);
}

double crowding(const std::vector<double>& sorted, const std::vector<double>& boundaries) {
    const std::size_t n = sorted.size();
    // Pairs, a value with itself too. Whole numbers: the result does not depend on an order.
    std::size_t in_one_bin = 0, equal = 0, bin = 0;
    for (std::size_t i = 0, first = 0; i < n;) {
        std::size_t next = i;
        while (next < n && sorted[next] == sorted[i]) ++next;
        equal += (next - i) * (next - i);
        i = next;
        while (bin < boundaries.size() && sorted[i - 1] > boundaries[bin]) ++bin;
        if (i < n && (bin == boundaries.size() || sorted[i] <= boundaries[bin])) continue;
        in_one_bin += (i - first) * (i - first);
        first = i;
    }
    const std::size_t different = n * n - equal;
    if (different == 0) return 0.0;
    return static_cast<double>(in_one_bin - equal) / static_cast<double>(different);
}

std::size_t bin_of(const std::vector<double>& boundaries, double x) {
    return static_cast<std::size_t>(std::lower_bound(boundaries.begin(), boundaries.end(), x) -
                                    boundaries.begin());
}

}  // namespace sgt
