#include "sgt/learner/loss_learner.hpp"

#include <stdexcept>

namespace sgt {

namespace {

std::unique_ptr<Objective> make_objective(const Options& options, LossObjective::Losses losses,
                                          std::size_t outputs, const Ensemble& ensemble) {
    const bool takes_blocks = losses[0]->takes_blocks();
    if (options.linear_leaves && takes_blocks)
        throw std::invalid_argument(
            "linear leaves need a built-in loss: their scores change with every row, and a loss "
            "that takes blocks is called for many rows at once");
    if (ensemble.n_stages() > 1 && takes_blocks)
        throw std::invalid_argument(
            "a loss that takes blocks needs an ensemble of one stage: it is called for many rows "
            "at once, and a stage learns at the scores of the stages before it");
    return LossObjective::make(std::move(losses), outputs,
                               ensemble.value_is_score() && !options.linear_leaves);
}

}  // namespace

LossLearner::LossLearner(const Options& options, const std::vector<bool>& nominal,
                         const Ranges* ranges, Losses losses, std::size_t outputs,
                         Ensemble ensemble)
    : Learner(options, nominal, ranges,
              make_objective(options, std::move(losses), outputs, ensemble), std::move(ensemble)) {}

LossLearner::LossLearner(const Options& options, const ArchiveView& archive, Losses losses,
                         std::size_t outputs, Ensemble ensemble)
    : Learner(options, archive, make_objective(options, std::move(losses), outputs, ensemble),
              std::move(ensemble)) {}

void LossLearner::learn(const RowsView& x, const double* y, const double* w, double* before) {
    RawPredictions predictions;
    predictions.raw = before;
    learn_rows({x, y, w, n_outputs()}, before != nullptr ? &predictions : nullptr);
}

void LossLearner::predict(const RowsView& x, double* raw) const {
    RawPredictions predictions;
    predictions.raw = raw;
    predict_rows(x, predictions);
}

}  // namespace sgt
