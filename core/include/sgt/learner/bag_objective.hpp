// Multi-instance learning: trees score instances, a bag's score is pooled from those of its
// instances, and the derivatives of the log loss of the bag's label are divided among them (the
// paper's section 4.3).
#pragma once

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "sgt/learner/objective.hpp"
#include "sgt/learner/predictions.hpp"

namespace sgt {

struct Pooling {
    // The highest score (the first of equal ones), or, with a sharpness r > 0, the soft maximum
    // log(mean of exp(r f)) / r.
    double sharpness = 0.0;

    bool is_soft() const {
        return sharpness > 0.0;
    }
    // The pooled score, and into shares the derivative of it by each instance's score.
    double pool(const double* scores, std::size_t n, double* shares) const;
};

// Bags one after the other: how many instances each has, its label (0 or 1) and its weight.
struct Bags {
    std::vector<std::size_t> sizes;
    std::vector<double> labels, weights;

    std::size_t size() const {
        return sizes.size();
    }
    void add(std::size_t size, double label, double weight) {
        sizes.push_back(size);
        labels.push_back(label);
        weights.push_back(weight);
    }
};

class BagObjective final : public Objective {
public:
    using Sink = RawPredictions;

    explicit BagObjective(Pooling pooling) : Objective(1), pooling_(pooling) {}

    Kind kind() const override {
        return Kind::bags;
    }
    // The bags of the rows that wait in the warm-up, or that are to be learned next.
    void add_bag(std::size_t size, double label, double weight) {
        bags_.add(size, label, weight);
    }
    Bags take_bags() {
        return std::exchange(bags_, {});
    }
    // log(weight of positive bags / weight of negative bags) over the bags of the warm-up.
    std::vector<double> warm_up_scores(const WarmUp& warm_up) const override;
    std::vector<TreeStart> trees(const WarmUp& warm_up, bool from_data) const override;
    CellReader reader(Layout layout, const double* value,
                      const std::vector<Reference>& references) const override;
    void save(Archive& archive) const override;
    void load(const ArchiveView& archive, const WarmUp& warm_up) override;
    void check_merge(const Objective& other) const override;

    // --- for the row loop ---
    // The bag that is learned now, at the scores of its instances.
    void set_bag(double label, double w, const std::vector<double>& scores);
    // The log loss of a bag's label, as bounded as that of a class.
    double loss(double label, const double* scores, std::size_t n);
    // The record of one of its instances.
    const double* record(std::size_t instance) {
        record_ = Evidence{w_, g_ * shares_[instance], h_ * shares_[instance]}.record();
        return record_.data();
    }

private:
    Pooling pooling_;
    Bags bags_;

    // Of the bag that is learned now.
    double w_ = 0.0, g_ = 0.0, h_ = 0.0;
    std::vector<double> shares_;
    std::array<double, 4> record_{};
};

}  // namespace sgt
