#include "sgt/learner/calibration.hpp"

#include <cmath>

#include "sgt/clones.hpp"
#include "sgt/drift/replacement.hpp"
#include "sgt/loss/exponential.hpp"

namespace sgt {

namespace {

constexpr const char* kPlace = "calibration/";
constexpr std::size_t kWays = Calibration::kFactors.size();

// Multiplies the products by the likelihoods of class y at each factor, and by some of their own.
SGT_CLONES void multiply_by_likelihoods(const double* raw, std::size_t n, std::size_t y,
                                        const double* likelihoods, double* products) {
    constexpr double kLeast = Replacement::kLeastProbability;
    double sums[kWays];  // of exp(score - that of y)
    SGT_LANES for (std::size_t i = 0; i < kWays; ++i) sums[i] = 1.0;
    const ExpRange range = ExpRange::of_loop();
    for (std::size_t k = 0; k < n; ++k) {
        if (k == y) continue;
        const double ahead = raw[k] - raw[y];
        SGT_LANES for (std::size_t i = 0; i < kWays; ++i) {
            const double scaled = Calibration::kFactors[i] * ahead;
            sums[i] += fast_exp(scaled, range);
        }
    }
    SGT_LANES for (std::size_t i = 0; i < kWays; ++i) {
        const double p = 1.0 / sums[i];
        products[i] *= likelihoods[i] * (p > kLeast ? p : kLeast);
    }
}

}  // namespace

Calibration::Calibration() : race_(1, kWays) {
    for (std::size_t i = 0; i < kWays; ++i)
        of_charges_[i] = std::exp(-kCharge * std::fabs(std::log(kFactors[i])));
}

void Calibration::see(const double* raw, std::size_t n, std::size_t y, double w) {
    race_.add_likelihoods(w, [&](double* products) {
        multiply_by_likelihoods(raw, n, y, of_charges_.data(), products);
    });
    race_.end_row();
}

void Calibration::save(Archive& archive) const {
    race_.save(archive, kPlace);
}

void Calibration::load(const ArchiveView& archive) {
    race_.load(archive, kPlace);
}

}  // namespace sgt
