#include "sgt/learner/loss_learner.hpp"

#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <vector>

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

void LossLearner::settle_quantiles(const NodeIndex* nodes, const double* y, const double* w,
                                   std::size_t n) {
    require_learning();
    const std::lock_guard one_learns(one_learns_);
    const std::unique_lock lock(access_);
    std::vector<double> alphas;
    for (const auto& loss : losses())
        if (const auto pinball = loss->pinball()) alphas.push_back(pinball->alpha);
    const bool is_single = options_.combination == Combination::one && !options_.linear_leaves;
    if (alphas.size() != n_outputs() || !is_single || warm_up_.is_active()) return;
    Tree& tree = ensemble_[0].trees[0].tree;
    for (std::size_t i = 0; i < n; ++i)
        if (nodes[i] >= tree.nodes().size())
            throw std::invalid_argument("a row is at a node that the tree does not have");
    tree.take_quantiles({nodes, y, w, n, n_outputs()}, alphas, ensemble_[0].context);
    ensemble_.restart_following();
}

}  // namespace sgt
