#include "sgt/options.hpp"

#include <cmath>
#include <stdexcept>

namespace sgt {

namespace {

void require(bool holds, const char* message) {
    if (!holds) throw std::invalid_argument(message);
}

}  // namespace

void Options::check() const {
    require(n_bins >= 2 && n_bins <= 65'000, "n_bins must be an integer from 2 to 65000");
    require(warm_up >= 1, "warm_up must be at least 1");
    require(grace_period >= 2, "grace_period must be at least 2: a t-test needs at least two rows");
    require(grace_growth >= 0.0 && grace_growth <= 1.0, "grace_growth must be from 0 to 1");
    require(delta > 0.0 && delta <= 1.0, "delta must be greater than 0 and at most 1");
    require(std::isfinite(reg_lambda) && reg_lambda >= 0.0,
            "reg_lambda must be a finite number of at least 0");
    require(std::isfinite(gamma) && gamma >= 0.0, "gamma must be a finite number of at least 0");
    require(kept_rows <= 1'000'000, "kept_rows must be from 0 to 1000000");
    require(!(linear_leaves || combination == Combination::choosing) || round_rows == 1,
            "round_rows must be 1 where leaves are linear");
    for (const double rate : following_rates)
        require(rate > 0.0 && rate <= 1.0, "following_rates must be above 0 and at most 1");
    require(drift_delta > 0.0 && drift_delta < 1.0, "drift_delta must be above 0 and below 1");
    require(label_delay <= 1'000'000, "label_delay must be from 0 to 1000000");
    require(n_estimators >= 1 && n_estimators <= kMostEstimators,
            "n_estimators must be from 1 to 10000");
    require(learning_rate > 0.0 && learning_rate <= 1.0,
            "learning_rate must be above 0 and at most 1");
    require(mean_copies >= 0.0 && mean_copies <= 10.0, "mean_copies must be from 0 to 10");
    require(feature_share > 0.0 && feature_share <= 1.0,
            "feature_share must be above 0 and at most 1");
    require(seed <= std::numeric_limits<std::uint32_t>::max(), "seed must be below 2**32");
    require(max_leaves >= 1, "max_leaves must be at least 1 (or None)");
    require(max_memory >= 4096, "max_memory must be at least 4096 bytes (or None)");
    require(n_threads >= 1 && n_threads <= 1024, "n_threads must be from 1 to 1024");
}

}  // namespace sgt
