// Following leaves of classes: all rates are moved together, as vectors.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "sgt/clones.hpp"

namespace sgt {

// Rates that are moved together.
inline constexpr std::size_t kRatesTogether = 4;

// p (1 - p) counts as so much at least in what a row moves an offset by.
inline constexpr double kLeastVariance = 0.1, kMostPrecision = 10.0;

// Two classes: a row of class 1 (a sign of -1) or 0 (1), the log odds that its leaf has as its
// value, and its weight in units of the recent mean.
struct LogOddsRow {
    double sign, value, weight;
};

// How likely a class is by the value of a leaf alone: remembered, because values seldom change.
class ValueLikelihoods {
public:
    SGT_INLINE double of(std::size_t leaf, std::size_t y, double value) {
        const std::size_t place = 2 * leaf + y;
        if (place < known_.size() && known_[place].value == value) return known_[place].likelihood;
        return remember(place, value);
    }
    void prefetch(std::size_t leaf) const {
        if (2 * leaf < known_.size()) SGT_PREFETCH_READ(known_.data() + 2 * leaf);
    }
    // At these log odds against it; at least what the race counts.
    static double compute(double against);

private:
    double remember(std::size_t place, double value);

    struct Known {
        double value = std::numeric_limits<double>::quiet_NaN(), likelihood = 0.0;
    };
    std::vector<Known> known_;  // by leaf and class
};

// Moves the offsets of the row's leaf, one for each rate, towards the row; null: it has none. The
// products are multiplied by how likely the row's class was before: by the value alone, and at each
// rate.
void follow_log_odds(const LogOddsRow& row, const std::vector<double>& rates, double* offsets,
                     double* products);
// The same for rows of different leaves, one after the other, where it is known how likely the
// class of each was by the value alone.
struct FollowedLogOdds {
    LogOddsRow row;
    double likelihood;
    double* offsets;
};
void follow_log_odds(const FollowedLogOdds* rows, std::size_t n, const std::vector<double>& rates,
                     double* products);

// More classes, or a score for each: the row's class, the scores of its leaves' values, its weight,
// and what the hessian's diagonal is multiplied by.
struct SoftmaxRow {
    std::size_t y, n_classes;
    const double* values;
    double weight, inflation;
};

// From raw scores to exp(raw - the largest). Returns their sum.
double write_powers(const double* raw, std::size_t n, double* powers);

// The same with offsets for each class, or null. `scratch` is memory for it.
void follow_softmax(const SoftmaxRow& row, const std::vector<double>& rates, double* const* offsets,
                    double* products, std::vector<double>& scratch);
// The same, quicker, for kRatesTogether rates, where the offsets of all classes stand together in a
// leaf, and it is known how likely the row's class is by the values alone.
void follow_softmax(const SoftmaxRow& row, double likelihood, const std::vector<double>& rates,
                    double* offsets, double* products, std::vector<double>& scratch);

}  // namespace sgt
