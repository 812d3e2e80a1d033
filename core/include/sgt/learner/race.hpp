// A race between ways to predict: their faded losses over the stream. The one with the least so far
// is predicted.
//
// There is a race for each target, and one for all classes together.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "sgt/archive/archive.hpp"
#include "sgt/clones.hpp"

namespace sgt {

class Race {
public:
    // A loss counts as if no prediction were surer than this.
    static constexpr double kLeastLikelihood = 1e-9;
    // The sums move once in so many rows, so that a row needs no logarithm.
    static constexpr std::size_t kRows = 16;

    Race() = default;
    Race(std::size_t n_races, std::size_t n_ways);

    std::size_t n_ways() const {
        return n_ways_;
    }
    std::size_t size() const {
        return choices_.size();
    }
    // The way with the least loss; of equal ones the first.
    std::size_t choice(std::size_t race) const {
        return choices_[race];
    }

    // What one row says: a loss, or the likelihood of its class.
    void add_loss(std::size_t race, std::size_t way, double loss) {
        recent_[race * n_ways_ + way] += loss;
    }
    void add_likelihood(std::size_t way, double p, double weight) {
        p = std::max(p, kLeastLikelihood);
        if (weight == 1.0)
            likelihoods_[way] *= p;
        else
            add_loss(0, way, -weight * std::log(p));
    }
    // Of all ways together: f(products) multiplies a number for each way by its likelihood.
    template <class F>
    SGT_INLINE void add_likelihoods(double weight, F&& f) {
        double* products = weight == 1.0 ? likelihoods_.data() : begin_likelihoods();
        f(products);
        if (weight != 1.0) end_likelihoods(weight);
    }
    // Whether the sums move at the end of the present row.
    bool is_last_row() const {
        return rows_ + 1 == kRows;
    }
    // Returns whether a choice may have changed.
    bool end_row() {
        if (++rows_ < kRows) return false;
        fade();
        return true;
    }
    void restart();
    // As if every row so far had had these losses. A race that is the only one; all are finite.
    void begin_with(const std::vector<double>& losses);

    void save(Archive& archive, const std::string& prefix) const;
    void load(const ArchiveView& archive, const std::string& prefix);

private:
    void fade();
    // Of a row whose weight is not 1.
    double* begin_likelihoods();
    void end_likelihoods(double weight);

    std::size_t n_ways_ = 0;
    std::size_t rows_ = 0;        // since the sums moved
    std::vector<double> sums_;    // by race and way
    std::vector<double> recent_;  // losses of the rows since the sums moved
    std::vector<double>
        likelihoods_;  // products over these rows, by way: of the one race of classes
    std::vector<std::size_t> choices_;
    std::vector<double> of_row_;  // likelihoods
};

}  // namespace sgt
