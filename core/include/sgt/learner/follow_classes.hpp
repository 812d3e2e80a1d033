// Following leaves of classes: all rates are moved together, as vectors.
#pragma once

#include <cstddef>
#include <vector>

namespace sgt {

// p (1 - p) counts as so much at least in what a row moves an offset by.
inline constexpr double kLeastVariance = 0.1, kMostPrecision = 10.0;

// Two classes: a row of class 1 (a sign of -1) or 0 (1), the log odds that its leaf has as its
// value, and the row's weight in units of the recent mean.
struct LogOddsRow {
    double sign, value, weight;
};

// Moves the offsets of the row's leaf, one for each rate, towards the row; null: it has none. The
// products are multiplied by how likely the row's class was before: by the value alone, and at each
// rate.
void follow_log_odds(const LogOddsRow& row, const std::vector<double>& rates, double* offsets,
                     double* products);

// More classes, or a score for each: the row's class, the scores of its leaves' values, its weight,
// and what the hessian's diagonal is multiplied by.
struct SoftmaxRow {
    std::size_t y, n_classes;
    const double* values;
    double weight, inflation;
};

// The same with offsets for each class, or null. `scratch` is memory for it.
void follow_softmax(const SoftmaxRow& row, const std::vector<double>& rates, double* const* offsets,
                    double* products, std::vector<double>& scratch);

}  // namespace sgt
