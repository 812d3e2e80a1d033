// Learns numbers under a loss: targets are numbers, predictions raw scores.
#pragma once

#include <memory>
#include <shared_mutex>
#include <utility>
#include <vector>

#include "sgt/learner/learner.hpp"
#include "sgt/learner/loss_objective.hpp"

namespace sgt {

class LossLearner final : public Learner {
public:
    using Losses = LossObjective::Losses;

    // All members have the same losses.
    LossLearner(const Options& options, const std::vector<bool>& nominal, const Ranges* ranges,
                const Losses& losses, std::size_t outputs);
    LossLearner(const Options& options, const ArchiveView& archive, const Losses& losses,
                std::size_t outputs);
    // With one output.
    LossLearner(const Options& options, const std::vector<bool>& nominal, const Ranges* ranges,
                std::shared_ptr<Loss> loss)
        : LossLearner(options, nominal, ranges, Losses{std::move(loss)}, 1) {}
    LossLearner(const Options& options, const ArchiveView& archive, std::shared_ptr<Loss> loss)
        : LossLearner(options, archive, Losses{std::move(loss)}, 1) {}

    std::size_t n_outputs() const {
        return ensemble_.objective().n_outputs();
    }
    const Losses& losses() const {
        return objective().losses();
    }
    // Of each output; 0 where its loss has none.
    std::vector<double> scales() const {
        const std::shared_lock lock(access_);
        return objective().scales();
    }
    // Rows of y and of raw scores have a number for each output. `before`: the raw scores of each
    // row just before it is learned (or null).
    void learn(const RowsView& x, const double* y, const double* w, double* before);
    void predict(const RowsView& x, double* raw, std::size_t members = Ensemble::kInUse) const;
    // Rows that it has learned several times, and the node at which each ends in its tree: under
    // quantile losses leaves then predict the quantiles of these rows, each counted once. Nothing
    // happens under other losses, in ensembles, and where leaves are linear.
    void settle_quantiles(const NodeIndex* nodes, const double* y, const double* w, std::size_t n);
    Partial gather(const std::vector<RowsView>& pieces, const double* y, const double* w) {
        return gather_rows(pieces, {{}, y, w, n_outputs()});
    }

private:
    const LossObjective& objective() const {
        return static_cast<const LossObjective&>(ensemble_.objective());
    }
};

}  // namespace sgt
