#include "sgt/learner/class_learner.hpp"

#include <cmath>
#include <memory>
#include <stdexcept>
#include <utility>

namespace sgt {

namespace {

Ensemble::MakeObjective make_objective(ClassLearner::Leaves leaves) {
    return [leaves](const Options& options, bool value_is_score) -> std::unique_ptr<Objective> {
        if (leaves != ClassLearner::Leaves::scalar && options.linear_leaves)
            throw std::invalid_argument("vector leaves cannot be linear");
        return std::make_unique<ClassObjective>(options, leaves, value_is_score);
    };
}

bool is_class_below(double y, double n_classes) {
    return y >= 0.0 && y < n_classes && y == std::floor(y);
}

}  // namespace

ClassLearner::ClassLearner(const Options& options, const std::vector<bool>& nominal,
                           const Ranges* ranges, Leaves leaves)
    : Learner(options, nominal, ranges, make_objective(leaves)) {}

ClassLearner::ClassLearner(const Options& options, const ArchiveView& archive, Leaves leaves)
    : Learner(options, archive, make_objective(leaves)) {}

bool ClassLearner::has_vector_leaves() const {
    const std::shared_lock lock(access_);
    const auto& objective = static_cast<const ClassObjective&>(ensemble_.objective());
    return objective.has_vector_leaves();
}

std::size_t ClassLearner::n_classes() const {
    const std::shared_lock lock(access_);
    return ensemble_.objective().n_outputs();
}

void ClassLearner::check_classes(const RowsView& x, const double* classes, const double* w) const {
    auto next = static_cast<double>(n_classes());
    for (std::size_t r = 0; r < x.rows; ++r) {
        if (w != nullptr && w[r] == 0.0) continue;
        if (!is_class_below(classes[r], next + 1.0))
            throw std::invalid_argument("class numbers must be in order of first appearance");
        if (classes[r] == next) ++next;
    }
}

void ClassLearner::learn(const RowsView& x, const double* classes, const double* w,
                         ClassPredictions* before) {
    check_classes(x, classes, w);
    learn_rows({x, classes, w}, before);
}

Partial ClassLearner::gather(const std::vector<RowsView>& pieces, const double* classes,
                             const double* w) {
    const auto n = static_cast<double>(n_classes());
    const double* next = classes;
    for (const RowsView& piece : pieces)
        for (std::size_t r = 0; r < piece.rows; ++r, ++next)
            if (!is_class_below(*next, n))
                throw std::invalid_argument("a new class must be admitted before its first row");
    return gather_rows(pieces, {{}, classes, w});
}

}  // namespace sgt
