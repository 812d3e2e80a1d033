#include "sgt/learner/follow_classes.hpp"

#include <algorithm>

#include "sgt/clones.hpp"
#include "sgt/learner/race.hpp"
#include "sgt/loss/exponential.hpp"

namespace sgt {

namespace {

SGT_INLINE double at_least(double likelihood) {
    return likelihood > Race::kLeastLikelihood ? likelihood : Race::kLeastLikelihood;
}
SGT_INLINE double rate_of(double rate, double weight) {
    rate *= weight;
    return rate < 1.0 ? rate : 1.0;
}

SGT_INLINE void follow_log_odds_together(const LogOddsRow& row, const double* __restrict rates,
                                         double* __restrict offsets, double* __restrict products) {
    const double sign = row.sign, value = row.value, weight = row.weight;
    const ExpRange range = ExpRange::of_loop();
    SGT_LANES for (std::size_t i = 0; i < kRatesTogether; ++i) {
        const double odds = fast_exp(sign * (value + offsets[i]), range);  // against its class
        const double likelihood = 1.0 / (1.0 + odds);
        const double q = odds * likelihood;
        // q / max(p q, least)
        const double move = likelihood * q > kLeastVariance ? 1.0 + odds : q * kMostPrecision;
        offsets[i] -= sign * rate_of(rates[i], weight) * move;
        products[i] *= at_least(likelihood);
    }
}

// Fewer rates than are followed together: these, and some of no effect.
SGT_CLONES void follow_log_odds_of_few(const LogOddsRow& row, const double* rates, std::size_t n,
                                       double* offsets, double* products) {
    double all_rates[kRatesTogether] = {}, all[kRatesTogether] = {}, p[kRatesTogether] = {};
    std::copy_n(rates, n, all_rates);
    std::copy_n(offsets, n, all);
    std::copy_n(products, n, p);
    follow_log_odds_together(row, all_rates, all, p);
    std::copy_n(all, n, offsets);
    std::copy_n(p, n, products);
}

SGT_INLINE void follow_log_odds_at(const LogOddsRow& row, double likelihood, const double* rates,
                                   std::size_t n, double* offsets, double* products) {
    *products++ *= likelihood;
    if (offsets == nullptr) {
        for (std::size_t i = 0; i < n; ++i) products[i] *= likelihood;
        return;
    }
    for (; n >= kRatesTogether; n -= kRatesTogether) {
        follow_log_odds_together(row, rates, offsets, products);
        rates += kRatesTogether, offsets += kRatesTogether, products += kRatesTogether;
    }
    if (n > 0) follow_log_odds_of_few(row, rates, n, offsets, products);
}

SGT_CLONES void follow_known_log_odds(const FollowedLogOdds* rows, std::size_t n_rows,
                                      const double* rates, std::size_t n, double* products) {
    if (n != kRatesTogether) {
        for (std::size_t r = 0; r < n_rows; ++r)
            follow_log_odds_at(rows[r].row, rows[r].likelihood, rates, n, rows[r].offsets,
                               products);
        return;
    }
    for (std::size_t r = 0; r < n_rows; ++r) {  // the same, quicker for this many
        const auto& [row, likelihood, offsets] = rows[r];
        if (offsets == nullptr) {
            for (std::size_t i = 0; i <= n; ++i) products[i] *= likelihood;
            continue;
        }
        products[0] *= likelihood;
        follow_log_odds_together(row, rates, offsets, products + 1);
    }
}

// The likelihood by the value alone is computed while the processor waits for those at the rates.
SGT_CLONES void follow_new_log_odds(const LogOddsRow& row, const double* rates, std::size_t n,
                                    double* offsets, double* products) {
    const double likelihood = at_least(1.0 / (1.0 + fast_exp(row.sign * row.value)));
    follow_log_odds_at(row, likelihood, rates, n, offsets, products);
}

// Makes of the scores of the classes, each at several rates, what their offsets move by.
SGT_INLINE void follow_softmax_body(const SoftmaxRow& row, const double* __restrict rates,
                                    double* __restrict scores, double* __restrict products) {
    const std::size_t n = row.n_classes * kRatesTogether, own = row.y * kRatesTogether;
    double largest[kRatesTogether], sum[kRatesTogether] = {};
    SGT_LANES for (std::size_t i = 0; i < kRatesTogether; ++i) largest[i] = scores[i];
    for (std::size_t k = kRatesTogether; k < n; k += kRatesTogether)
        SGT_LANES for (std::size_t i = 0; i < kRatesTogether; ++i) {
            const double score = scores[k + i];
            largest[i] = largest[i] < score ? score : largest[i];
        }
    const ExpRange range = ExpRange::of_loop();
    for (std::size_t k = 0; k < n; k += kRatesTogether)
        SGT_LANES for (std::size_t i = 0; i < kRatesTogether; ++i) {
            const double power = fast_exp(scores[k + i] - largest[i], range);
            scores[k + i] = power;
            sum[i] += power;
        }
    double scale[kRatesTogether], rate[kRatesTogether];
    SGT_LANES for (std::size_t i = 0; i < kRatesTogether; ++i) {
        scale[i] = 1.0 / sum[i];
        rate[i] = rate_of(rates[i], row.weight) / row.inflation;
        products[i] *= at_least(scale[i] * scores[own + i]);
    }
    for (std::size_t k = 0; k < n; k += kRatesTogether) {
        const double target = k == own ? 1.0 : 0.0;
        SGT_LANES for (std::size_t i = 0; i < kRatesTogether; ++i) {
            const double p = scale[i] * scores[k + i], variance = p * (1.0 - p);
            const double step = rate[i] * (target - p);
            scores[k + i] = variance > kLeastVariance ? step / variance : step * kMostPrecision;
        }
    }
}

SGT_CLONES void follow_softmax_together(const SoftmaxRow& row, const double* rates, double* scores,
                                        double* products) {
    follow_softmax_body(row, rates, scores, products);
}

// From the offsets of a leaf to those after the row; `scores` is memory for it.
SGT_CLONES void follow_softmax_of_leaf(const SoftmaxRow& row, const double* __restrict rates,
                                       double* __restrict offsets, double* __restrict scores,
                                       double* __restrict products) {
    for (std::size_t k = 0; k < row.n_classes; ++k)
        SGT_LANES for (std::size_t i = 0; i < kRatesTogether; ++i) scores[k * kRatesTogether + i] =
            row.values[k] + offsets[k * kRatesTogether + i];
    follow_softmax_body(row, rates, scores, products);
    for (std::size_t k = 0; k < row.n_classes; ++k)
        SGT_LANES for (std::size_t i = 0; i < kRatesTogether; ++i)
            offsets[k * kRatesTogether + i] += scores[k * kRatesTogether + i];
}

}  // namespace

SGT_CLONES double write_powers(const double* raw, std::size_t n, double* powers) {
    double largest = raw[0], sum = 0.0;
    for (std::size_t k = 1; k < n; ++k) largest = std::max(largest, raw[k]);
    const ExpRange range = ExpRange::of_loop();
    constexpr std::size_t kTogether = 4;
    std::size_t k = 0;
    for (; k + kTogether <= n; k += kTogether)
        SGT_LANES for (std::size_t i = 0; i < kTogether; ++i) powers[k + i] =
            fast_exp(raw[k + i] - largest, range);
    if (k < n) {  // one vector too, and not number after number
        double last[kTogether] = {};
        for (std::size_t i = 0; k + i < n; ++i) last[i] = raw[k + i] - largest;
        SGT_LANES for (std::size_t i = 0; i < kTogether; ++i) last[i] = fast_exp(last[i], range);
        for (std::size_t i = 0; k + i < n; ++i) powers[k + i] = last[i];
    }
    for (k = 0; k < n; ++k) sum += powers[k];
    return sum;
}

double ValueLikelihoods::compute(double against) {
    return at_least(1.0 / (1.0 + fast_exp(against)));
}

SGT_NOINLINE double ValueLikelihoods::remember(std::size_t place, double value) {
    if (place >= known_.size()) known_.resize(2 * (place + 1));
    known_[place] = {value, compute(place % 2 == 1 ? -value : value)};
    return known_[place].likelihood;
}

void follow_log_odds(const FollowedLogOdds* rows, std::size_t n, const std::vector<double>& rates,
                     double* products) {
    follow_known_log_odds(rows, n, rates.data(), rates.size(), products);
}

void follow_log_odds(const LogOddsRow& row, const std::vector<double>& rates, double* offsets,
                     double* products) {
    follow_new_log_odds(row, rates.data(), rates.size(), offsets, products);
}

void follow_softmax(const SoftmaxRow& row, const std::vector<double>& rates, double* const* offsets,
                    double* products, std::vector<double>& scratch) {
    if (scratch.size() < row.n_classes * kRatesTogether)
        scratch.resize(row.n_classes * kRatesTogether);
    double* scores = scratch.data();
    const double sum = write_powers(row.values, row.n_classes, scores);
    *products++ *= at_least(1.0 / sum * scores[row.y]);
    for (std::size_t first = 0; first < rates.size(); first += kRatesTogether) {
        const std::size_t n = std::min(kRatesTogether, rates.size() - first);
        for (std::size_t k = 0; k < row.n_classes; ++k) {
            double* of_class = scores + k * kRatesTogether;
            std::fill_n(of_class, kRatesTogether, row.values[k]);
            if (offsets[k] == nullptr) continue;
            for (std::size_t i = 0; i < n; ++i) of_class[i] += offsets[k][first + i];
        }
        double of_rates[kRatesTogether] = {}, p[kRatesTogether] = {};
        std::copy_n(rates.data() + first, n, of_rates);
        std::copy_n(products + first, n, p);
        follow_softmax_together(row, of_rates, scores, p);
        std::copy_n(p, n, products + first);
        for (std::size_t k = 0; k < row.n_classes; ++k) {
            const double* moves = scores + k * kRatesTogether;
            if (offsets[k] == nullptr) continue;
            for (std::size_t i = 0; i < n; ++i) offsets[k][first + i] += moves[i];
        }
    }
}

void follow_softmax(const SoftmaxRow& row, double likelihood, const std::vector<double>& rates,
                    double* offsets, double* products, std::vector<double>& scratch) {
    *products++ *= at_least(likelihood);
    if (scratch.size() < row.n_classes * kRatesTogether)
        scratch.resize(row.n_classes * kRatesTogether);
    follow_softmax_of_leaf(row, rates.data(), offsets, scratch.data(), products);
}

}  // namespace sgt
