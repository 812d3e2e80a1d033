// How the branches of one leaf are scored: what each brings after its Newton step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sgt/leaf/cells.hpp"
#include "sgt/split/candidates.hpp"
#include "sgt/split/newton_step.hpp"

namespace sgt {

class BranchScoring {
public:
    // For a leaf with this total. The reader and the rules must outlive it.
    BranchScoring(const CellReader& reader, const SearchRules& rules,
                  const std::vector<double>& total);

    const CellReader& reader() const {
        return *reader_;
    }
    const SearchRules& rules() const {
        return *rules_;
    }
    const Lambda& lambda() const {
        return lambda_;
    }

    // The share of a branch with this cell in the change in loss, over all outputs.
    double share(const double* cell) const;
    // The same of the head of a cell, of moments of several outputs.
    double share_of_head(const double* head) const;
    // The most that the rows of the leaf could gain if each of them were a branch of its own.
    double most_to_gain(const double* total) const;

    // Where classes are counted under softmax and lambda counts once a row, all rows have the same
    // hessians, and the share of class k's output is -(r_k g_k)^2 / w with
    // r_k = sqrt(h_k / 2 + lambda) / (h_k + lambda). Of a class without rows in the leaf
    // g_k = w p_k in every branch, so that its share depends on the branch's weight alone, and
    // summed over all branches on nothing. Such classes need no search.
    struct PresentClass {
        std::size_t number;
        double p, q;  // times r

        SGT_INLINE double square(double w, double own) const {
            const double g = (w - own) * p - own * q;
            return g * g;
        }
    };
    bool counts_present_classes() const {
        return counts_present_classes_;
    }
    const std::vector<PresentClass>& present_classes() const {
        return present_;
    }
    // Where classes are counted under softmax: those that a search reads.
    std::size_t n_classes_to_search() const {
        return counts_present_classes_ ? present_.size() : reader_->layout().outputs;
    }
    std::size_t class_to_search(std::size_t i) const {
        return counts_present_classes_ ? present_[i].number : i;
    }
    // The share of the other classes, for a weight of 1.
    double of_absent() const {
        return of_absent_;
    }

private:
    // r_k of an output whose rows have this hessian. (Its square might be infinite.)
    double scale(double h) const;
    double share_of_counts(const double* cell) const;

    const CellReader* reader_;
    const SearchRules* rules_;
    Lambda lambda_;
    bool counts_present_classes_;
    std::vector<PresentClass> present_;
    double of_absent_ = 0.0;
};

}  // namespace sgt
