#include "sgt/learner/log_odds.hpp"

#include <algorithm>
#include <cstddef>

#include "sgt/clones.hpp"
#include "sgt/learner/race.hpp"
#include "sgt/loss/exponential.hpp"

namespace sgt {

namespace {

constexpr std::size_t kRatesTogether = 4;

SGT_INLINE double at_least(double likelihood) {
    return likelihood > Race::kLeastLikelihood ? likelihood : Race::kLeastLikelihood;
}

SGT_CLONES void follow_together(const LogOddsRow& row, const double* rates, double* offsets,
                                double* products) {
    const double sign = row.sign, value = row.value, weight = row.weight;
    double moved[kRatesTogether], multiplied[kRatesTogether];
    SGT_LANES for (std::size_t i = 0; i < kRatesTogether; ++i) {
        const double odds = fast_exp(sign * (value + offsets[i]));  // against its class
        const double likelihood = 1.0 / (1.0 + odds);
        const double q = odds * likelihood, rate = rates[i] * weight;
        // q / max(p q, least)
        const double move = likelihood * q > kLeastVariance ? 1.0 + odds : q * kMostPrecision;
        moved[i] = offsets[i] - sign * (rate < 1.0 ? rate : 1.0) * move;
        multiplied[i] = products[i] * at_least(likelihood);
    }
    SGT_LANES for (std::size_t i = 0; i < kRatesTogether; ++i) offsets[i] = moved[i];
    SGT_LANES for (std::size_t i = 0; i < kRatesTogether; ++i) products[i] = multiplied[i];
}

// The rates that are left over, and some of no effect.
void follow_rest(const LogOddsRow& row, const double* rates, std::size_t n, double* offsets,
                 double* products) {
    double all_rates[kRatesTogether] = {}, all[kRatesTogether] = {}, p[kRatesTogether] = {};
    std::copy_n(rates, n, all_rates);
    std::copy_n(offsets, n, all);
    std::copy_n(products, n, p);
    follow_together(row, all_rates, all, p);
    std::copy_n(all, n, offsets);
    std::copy_n(p, n, products);
}

}  // namespace

void follow_log_odds(const LogOddsRow& row, const std::vector<double>& rates, double* offsets,
                     double* products) {
    const std::size_t n = rates.size();
    const double of_value = at_least(1.0 / (1.0 + fast_exp(row.sign * row.value)));
    *products++ *= of_value;
    if (offsets == nullptr) {
        for (std::size_t i = 0; i < n; ++i) products[i] *= of_value;
        return;
    }
    std::size_t i = 0;
    for (; i + kRatesTogether <= n; i += kRatesTogether)
        follow_together(row, rates.data() + i, offsets + i, products + i);
    if (i < n) follow_rest(row, rates.data() + i, n - i, offsets + i, products + i);
}

}  // namespace sgt
