// Page-Hinkley: a cumulative sum that grows while inputs lie above their mean (Page, Continuous
// Inspection Schemes, Biometrika 1954). With each input
//
//   m = fading * m + (x - mean of the inputs so far - tolerance),
//
// and the mean has risen when m lies more than `threshold` above its least value. It starts anew
// then.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "sgt/archive/archive.hpp"
#include "sgt/drift/mean_change.hpp"

namespace sgt {

class PageHinkley {
public:
    struct Options {
        double tolerance = 0.005;
        double threshold = 50.0;
        double fading = 0.9999;
        std::size_t least_inputs = 30;  // before it speaks
    };

    PageHinkley() : PageHinkley(Options()) {}
    explicit PageHinkley(const Options& options);

    // Takes an input. Returns whether the mean has risen, which `change` then describes. What is
    // not finite is no input.
    bool add(double x) {
        if (!std::isfinite(x)) return false;
        ++n_;
        mean_ += (x - mean_) / static_cast<double>(n_);
        sum_ += x;
        excess_ = options_.fading * excess_ + (x - mean_ - options_.tolerance);
        if (excess_ < least_) {
            least_ = excess_;
            n_at_least_ = n_;
            sum_at_least_ = sum_;
        }
        if (n_ < options_.least_inputs || excess_ - least_ <= options_.threshold) return false;
        start_anew();
        return true;
    }
    const MeanChange& change() const {
        return change_;
    }

    void save(Archive& archive, const std::string& prefix) const;
    // With the options of this one. Fails where the arrays cannot have come from `save`.
    void load(const ArchiveView& archive, const std::string& prefix);

private:
    void start_anew();

    Options options_;
    std::uint64_t n_ = 0;
    double mean_ = 0.0, sum_ = 0.0;
    double excess_ = 0.0;
    double least_ = 0.0;            // of all values of excess_
    std::uint64_t n_at_least_ = 0;  // inputs, and their sum, when it was reached
    double sum_at_least_ = 0.0;
    MeanChange change_;
};

}  // namespace sgt
