// Calibration of an ensemble's classes: a race between factors by which raw scores are multiplied
// before they are predicted. The order of classes stays.
#pragma once

#include <array>
#include <cstddef>

#include "sgt/archive/archive.hpp"
#include "sgt/learner/race.hpp"

namespace sgt {

class Calibration {
public:
    // The first is the one to begin with.
    static constexpr std::array<double, 8> kFactors = {1.0, 0.8, 0.9, 1.1, 1.25, 1.5, 1.75, 2.0};
    // What each row charges them for their distance from 1, so that noise does not choose them:
    // this times the absolute value of their logarithm.
    static constexpr double kCharge = 0.01;

    Calibration();

    double factor() const {
        return kFactors[race_.choice(0)];
    }
    // A row of class y, of weight w above 0, at the n raw scores that were to be multiplied.
    void see(const double* raw, std::size_t n, std::size_t y, double w);

    // One of the arrays that are saved: models without them are not calibrated.
    static constexpr const char* kFirstArray = "calibration/sums";
    void save(Archive& archive) const;
    void load(const ArchiveView& archive);

private:
    Race race_;
    std::array<double, kFactors.size()> of_charges_;  // likelihoods
};

}  // namespace sgt
