// What may be considered at a leaf, and one candidate for its change.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sgt/leaf/leaf_statistics.hpp"
#include "sgt/options.hpp"
#include "sgt/split/student_t.hpp"

namespace sgt {

struct SearchRules {
    double reg_lambda = 0.1;
    bool lambda_per_row = true;
    double gamma = 1.0;
    double beyond_two = 1.0;  // gammas for each branch of a split after its second
    SignificanceLevel delta;
    std::size_t max_branches = kUnlimited;     // fewer than 2: no split
    std::vector<std::uint32_t> used_nominals;  // nominal features that split above the leaf

    explicit SearchRules(const Options& options)
        : SearchRules(options, SignificanceLevel(options.delta)) {}
    // Where the level is at hand.
    SearchRules(const Options& options, SignificanceLevel delta)
        : reg_lambda(options.reg_lambda),
          lambda_per_row(options.lambda_per_row),
          gamma(options.gamma),
          delta(delta) {}

    // Where the unit of gamma does not grow with the outputs of a leaf: what noise seems to gain in
    // a branch varies by the root of their number.
    void charge_for(std::size_t outputs) {
        if (outputs > 2) beyond_two = std::sqrt(static_cast<double>(outputs) / 2.0);
    }
    // From here on reg_lambda and gamma are in the units of a leaf with this total.
    void take_units(const CellReader& reader, const std::vector<double>& total) {
        reg_lambda *= reader.mean_hessian(total.data());
        gamma *= reader.dispersion(total.data());
    }
    // In stages of classes: gamma is in the units of the noise of a leaf with this total.
    void take_noise_as_unit(const CellReader& reader, const std::vector<double>& total) {
        const double lambda = lambda_per_row ? reg_lambda : reg_lambda / total[0];
        gamma *= kNoiseOfStages * reader.noise(total.data(), lambda);
    }

private:
    // Rows come several times, and many boundaries are compared.
    static constexpr double kNoiseOfStages = 3.0;
};

// Scores are penalised mean changes of the loss. `score` is lower by more than rounding:
inline bool is_lower(double score, double other) {
    constexpr double kTie = 1e-12;
    return score < other - kTie * std::fmax(std::fabs(score), std::fabs(other));
}

// Worse by much more than a tie.
inline bool is_clearly_worse(double score, double other) {
    return score > other + 1e-6 * std::fabs(other);
}

inline double penalty(const LeafStatistics& leaf, const SearchRules& rules, std::size_t branches) {
    const double charged = 2.0 + rules.beyond_two * (static_cast<double>(branches) - 2.0);
    return rules.gamma * charged / leaf.effective_rows();
}

struct Candidate {
    enum class Kind : std::uint8_t { none, new_value, numeric, nominal };
    Kind kind = Kind::none;
    double score = 0.0;
    std::uint32_t feature = 0;
    std::size_t position = 0;    // of the feature in FeatureSpace::numeric() or nominal()
    std::uint32_t boundary = 0;  // numeric: index among the feature's candidates
    bool missing_left = true;    // numeric
    std::size_t branches = 0;

    // In a tie the candidate that comes first wins.
    bool beats(const Candidate& other) const {
        if (kind == Kind::none) return false;
        return other.kind == Kind::none || is_lower(score, other.score);
    }
};

}  // namespace sgt
