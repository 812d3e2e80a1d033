// Whether one model predicts better than another that learns the same rows: a t statistic of the
// difference of their losses, in which a row counts less with each row after it.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>

#include "sgt/archive/archive.hpp"

namespace sgt {

class Proof {
public:
    // A row counts so many times as much with each row after it.
    static constexpr double kFading = 0.998;
    static constexpr double kGreatestDifference = 1e150;

    // What the loss of the model in place, and its error, are above those of the challenger. A
    // difference so large that its square could not be added says nothing.
    void add(double difference, double errors = 0.0) {
        ++rows_;
        errors_ = kFading * errors_ + errors;
        if (!(std::fabs(difference) <= kGreatestDifference)) return;
        weight_ = kFading * weight_ + 1.0;
        squared_weights_ = kFading * kFading * squared_weights_ + 1.0;
        sum_ = kFading * sum_ + difference;
        squares_ = kFading * squares_ + difference * difference;
    }
    std::uint64_t rows() const {
        return rows_;
    }
    // The challenger's lead, in the loss's unit.
    double mean() const {
        return weight_ > 0.0 ? sum_ / weight_ : 0.0;
    }
    // Whether it has made no more errors: a challenger that is surer of what it knows, and wrong
    // more often, is not better.
    bool has_no_more_errors() const {
        return errors_ >= 0.0;
    }
    // Of the mean; infinite where all rows say the same, 0 where they say nothing.
    double t() const;

    void save(Archive& archive, const std::string& prefix) const;
    void load(const ArchiveView& archive, const std::string& prefix);

private:
    std::uint64_t rows_ = 0;
    double weight_ = 0.0, squared_weights_ = 0.0, sum_ = 0.0, squares_ = 0.0;
    double errors_ = 0.0;
};

}  // namespace sgt
