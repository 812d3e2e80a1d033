// Learns classes: targets are class numbers, predictions labels or probabilities.
#pragma once

#include <vector>

#include "sgt/learner/class_objective.hpp"
#include "sgt/learner/learner.hpp"

namespace sgt {

class ClassLearner : public Learner {
public:
    using Leaves = ClassObjective::Leaves;

    ClassLearner(const Options& options, const std::vector<bool>& nominal, const Ranges* ranges,
                 Leaves leaves = Leaves::scalar);
    ClassLearner(const Options& options, const ArchiveView& archive,
                 Leaves leaves = Leaves::scalar);

    bool has_vector_leaves() const;
    // Classes seen so far.
    std::size_t n_classes() const;

    // Targets are class numbers; a new one may only be the next (std::invalid_argument otherwise).
    void learn(const RowsView& x, const double* classes, const double* w, ClassPredictions* before);
    Partial gather(const std::vector<RowsView>& pieces, const double* classes, const double* w);
    // Between two rounds: the next row is of a class that no row had, and has this weight. Returns
    // false where the next rows are learned one after the other: nothing has changed then.
    bool admit_class(double w) {
        return admit_class_between_rounds(w);
    }
    void predict(const RowsView& x, ClassPredictions& out,
                 std::size_t members = Ensemble::kInUse) const {
        predict_rows(x, out, members);
    }

private:
    void check_classes(const RowsView& x, const double* classes, const double* w) const;
};

}  // namespace sgt
