// Bin boundaries of a numeric feature. A value x is left of boundary b where x <= b, so its bin is
// the number of boundaries below it. Boundaries are strictly increasing, and only they decide where
// a value goes: training, prediction and every export compare x with the same numbers.
#pragma once

#include <cstddef>
#include <vector>

namespace sgt {

struct Boundaries {
    std::vector<double> values;
    // The least and the greatest value that they were laid for.
    double lo = 0.0, hi = 0.0;
    // Equal-width bins: values[k - 1] = lo + (hi - lo) * (k / n_bins), to the last bit. 0 bins: not
    // so.
    std::size_t n_bins = 0;

    bool are_uniform() const {
        return n_bins > 0;
    }
};

// Boundary k of n_bins equal-width bins; the quick encoder computes the same, operation for
// operation.
inline double uniform_boundary(double lo, double hi, double share) {
    return lo + (hi - lo) * share;
}

// n_bins equal-width bins over [lo, hi]; one boundary where lo == hi.
Boundaries uniform_boundaries(double lo, double hi, std::size_t n_bins);

// Boundaries from a sample (no NaN): uniform over its range, or its quantiles. None if it is empty.
Boundaries sample_boundaries(std::vector<double> sample, std::size_t n_bins, bool quantiles);

// How crowded the bins are: the chance that two values of the sample (sorted, no NaN) which differ
// have the same bin. 0 if all are equal.
double crowding(const std::vector<double>& sorted, const std::vector<double>& boundaries);

// The bin by binary search: the definition that the quick encoder must agree with.
std::size_t bin_of(const std::vector<double>& boundaries, double x);

}  // namespace sgt
