#include "sgt/learner/loss_learner.hpp"

#include <stdexcept>

namespace sgt {

namespace {

Ensemble::MakeObjective make_objective(const LossObjective::Losses& losses, std::size_t outputs) {
    return [&losses, outputs](const Options& options,
                              bool value_is_score) -> std::unique_ptr<Objective> {
        const bool takes_blocks = losses[0]->takes_blocks();
        if (options.linear_leaves && takes_blocks)
            throw std::invalid_argument(
                "linear leaves need a built-in loss: their scores change with every row, and a "
                "loss that takes blocks is called for many rows at once");
        if (options.combination != Combination::one && takes_blocks && options.round_rows == 1)
            throw std::invalid_argument(
                "several members learn in rounds where a loss takes blocks: it is called for many "
                "rows at once, and members learn at the scores of others");
        return LossObjective::make(losses, outputs, value_is_score);
    };
}

}  // namespace

LossLearner::LossLearner(const Options& options, const std::vector<bool>& nominal,
                         const Ranges* ranges, const Losses& losses, std::size_t outputs)
    : Learner(options, nominal, ranges, make_objective(losses, outputs)) {}

LossLearner::LossLearner(const Options& options, const ArchiveView& archive, const Losses& losses,
                         std::size_t outputs)
    : Learner(options, archive, make_objective(losses, outputs)) {}

void LossLearner::learn(const RowsView& x, const double* y, const double* w, double* before) {
    RawPredictions predictions;
    predictions.raw = before;
    learn_rows({x, y, w, n_outputs()}, before != nullptr ? &predictions : nullptr);
}

void LossLearner::predict(const RowsView& x, double* raw, std::size_t members) const {
    RawPredictions predictions;
    predictions.raw = raw;
    predict_rows(x, predictions, members);
}

}  // namespace sgt
