// The settings of a learner, checked once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "sgt/leaf/grace_period.hpp"

namespace sgt {

inline constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

// How the scores of an ensemble's members become one.
enum class Combination : std::uint8_t { one, boosting, averaging, choosing };

struct Options {
    std::size_t n_bins = 64;
    bool quantile_bins = false;
    std::size_t warm_up = 1000;
    std::size_t grace_period = 200;
    double grace_growth = 0.0;
    double delta = 1e-7;
    double reg_lambda = 0.1;
    bool lambda_per_row = true;
    double gamma = 1.0;
    std::size_t max_depth = kUnlimited;
    std::size_t max_leaves = kUnlimited;  // of each tree
    std::size_t max_memory = kUnlimited;  // bytes, of the whole model
    bool start_from_data = true;
    std::size_t n_threads = 1;
    std::size_t kept_rows = 0;  // that a leaf hands down to its children when it splits
    bool thinning = false;      // a committee's trees learn few of the rows that they are sure of
    // reg_lambda and gamma count in a leaf's own units, so that the target's unit does not matter.
    bool units_of_leaf = false;
    bool linear_leaves = false;  // a leaf adds a linear function of the numeric features
    // What a linear leaf adds to each row's hessian. In a leaf's units h needs no help: the losses
    // that go with them have a hessian with which a step never overshoots.
    double lambda_of_linear_leaves() const {
        return units_of_leaf ? 0.0 : reg_lambda;
    }
    // Following leaves: how far each row moves its leaf's offsets, a rate for each of these. With
    // late labels, rates are judged by the offsets of so many rows ago.
    std::vector<double> following_rates;
    std::size_t label_delay = 0;
    // In rounds leaves stand still.
    bool follows() const {
        return !following_rates.empty() && round_rows == 1;
    }
    // Rows in a round; 1 = the tree may change after each row, 0 = as many as its size suggests.
    std::size_t round_rows = 1;
    bool adaptive_ranges = false;  // bins are laid anew where they suit the values no more
    // Fresh trees take the place of those whose errors have risen, where they prove better.
    bool replaces_on_drift = false;
    bool detects_by_page_hinkley = false;  // and not by ADWIN
    double drift_delta = 0.01;             // ADWIN's

    // Trees that may be replaced are judged by what could have been predicted: by their values of
    // so many rows ago. (Linear leaves move with every row, and are judged as they are; boosted
    // members are judged by what they add.)
    std::size_t rows_of_past_values() const {
        const bool is_judged = replaces_on_drift && round_rows == 1 && !linear_leaves &&
                               combination != Combination::boosting;
        return is_judged ? label_delay : 0;
    }

    // Ensembles. `choosing` has two members, one of constant and one of linear leaves.
    Combination combination = Combination::one;
    static constexpr std::size_t kMostEstimators = 10'000;
    std::size_t n_estimators = 1;
    double learning_rate = 0.1;  // boosting: what each member's score is multiplied by
    // As how many rows a member learns a row, on average; drawn by row, member and seed. 0: as the
    // row it is.
    double mean_copies = 0.0;
    double feature_share = 1.0;  // of the features that a member may split on, drawn by seed
    std::uint64_t seed = 0;
    bool calibrates = true;  // the summed scores of classes

    GracePeriod grace() const {
        return {grace_period, grace_growth};
    }
    // Throws std::invalid_argument naming the parameter that is out of range.
    void check() const;
};

}  // namespace sgt
