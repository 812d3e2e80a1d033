// One number to predict for each row, or several, under a loss.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#include "sgt/drift/replacement.hpp"
#include "sgt/learner/following.hpp"
#include "sgt/learner/objective.hpp"
#include "sgt/learner/predictions.hpp"
#include "sgt/loss/loss.hpp"

namespace sgt {

class LossObjective : public Objective {
public:
    // The loss of each output. A loss that takes blocks is one for all `outputs` of a row.
    using Losses = std::vector<std::shared_ptr<Loss>>;
    using Sink = RawPredictions;

    // `value_is_score`: a row's raw score is the value of its leaf, and nothing else.
    static std::unique_ptr<LossObjective> make(Losses losses, std::size_t outputs,
                                               bool value_is_score);

    const Losses& losses() const {
        return losses_;
    }
    // Of each output; 0 where its loss has none.
    virtual std::vector<double> scales() const = 0;

    std::vector<TreeStart> trees(const WarmUp& warm_up, bool from_data) const override;
    CellReader reader(Layout layout, const double* value,
                      const std::vector<Reference>& references) const override;
    void save(Archive& archive) const override;
    void check_merge(const Objective& other) const override;

    // --- for the row loop ---
    bool is_new_class(const double* /*y*/) const {
        return false;
    }
    double counted_weight(const double* /*y*/, double /*w*/) const {
        return 0.0;
    }
    const double* record(std::size_t /*output*/, std::size_t /*tree*/,
                         std::uint64_t /*number*/) const {
        return record_.data();
    }

protected:
    LossObjective(Losses losses, std::size_t outputs, bool value_is_score);

    // (A hessian of -0 becomes 0.)
    void set_record(std::size_t output, Derivatives d) {
        record_[place_of_g(output)] = d.g;
        record_[place_of_h(output)] = d.h + 0.0;
    }
    // From an archive, checked.
    std::vector<double> load_scales(const ArchiveView& archive) const;

    Losses losses_;
    std::vector<double> record_;  // of the row that is learned now

private:
    Layout layout() const;

    bool value_is_score_;
};

// Losses that are called for each row and output.
class RowLossObjective final : public LossObjective {
public:
    RowLossObjective(Losses losses, std::size_t outputs, bool value_is_score)
        : LossObjective(std::move(losses), outputs, value_is_score) {}

    Kind kind() const override {
        return Kind::loss;
    }
    std::vector<double> warm_up_scores(const WarmUp& warm_up) const override;
    void take_scales(const WarmUp& warm_up) override;
    std::vector<double> scales() const override;
    void load(const ArchiveView& archive, const WarmUp& warm_up) override;

    void set_row(std::size_t /*row*/, const double* y, double w, const double* raw) {
        record_[0] = w;
        for (std::size_t j = 0; j < losses_.size(); ++j)
            set_record(j, losses_[j]->derivatives(y[j], raw[j]));
    }
    // Lets the errors of a prediction count in the units that they are measured by.
    void note_errors(const double* y, const double* raw, Replacement& replacement) {
        if (losses_[0]->is_of_classes()) return;
        errors_.resize(losses_.size());
        for (std::size_t j = 0; j < losses_.size(); ++j)
            errors_[j] = losses_[j]->error(y[j], raw[j]);
        replacement.note_errors(errors_.data());
    }
    // The mean over the outputs of their errors: 0 or 1 for classes, otherwise in units of the
    // recent ones.
    double error(const double* y, const double* raw, const Replacement& replacement) const {
        double sum = 0.0;
        for (std::size_t j = 0; j < losses_.size(); ++j) {
            const double of_output = losses_[j]->error(y[j], raw[j]);
            sum += losses_[j]->is_of_classes() ? of_output : replacement.in_units(j, of_output);
        }
        return sum / static_cast<double>(losses_.size());
    }
    // The loss of each output. That of classes is bounded as in ClassObjective.
    void write_losses(const double* y, const double* raw, double* losses) const {
        for (std::size_t j = 0; j < losses_.size(); ++j)
            losses[j] = std::min(losses_[j]->value(y[j], raw[j]),
                                 losses_[j]->is_of_classes() ? Replacement::kGreatestLogLoss
                                                             : std::numeric_limits<double>::max());
    }
    // The sums over the targets of n rows.
    void write_losses(const double* y, const double* raw, std::size_t n, double* losses) const {
        std::vector<double> of_row(losses_.size());
        for (std::size_t r = 0; r < n; ++r, y += of_row.size(), raw += of_row.size()) {
            write_losses(y, raw, of_row.data());
            losses[r] = std::accumulate(of_row.begin(), of_row.end(), 0.0);
        }
    }
    // As in ClassObjective. `raw` are the scores of the values.
    void pursue(const FollowedRow& row, const double* raw, const double* at, bool is_judged,
                Following& following, double* moves);

private:
    std::vector<double> errors_;  // of the prediction that is looked at
};

// A loss that is called for many rows at once, with all their outputs: one that is written in
// Python. The row loop calls it for a block, and again for rows whose scores have changed since.
class BlockLossObjective final : public LossObjective {
public:
    BlockLossObjective(Losses losses, std::size_t outputs, bool value_is_score)
        : LossObjective(std::move(losses), outputs, value_is_score) {}

    Kind kind() const override {
        return Kind::block_loss;
    }
    std::vector<double> warm_up_scores(const WarmUp& warm_up) const override;
    void take_scales(const WarmUp& warm_up) override;
    std::vector<double> scales() const override;
    void load(const ArchiveView& archive, const WarmUp& warm_up) override;

    // The derivatives of n rows of a block whose first row has this number in its call.
    void compute_block(const double* y, const double* raw, std::size_t n, std::size_t first_row);
    // Anew, of these rows of the block.
    void recompute(const std::vector<std::size_t>& rows, const double* y, const double* raw);
    // Throws LossFailure where the loss gave no pair of derivatives.
    void set_row(std::size_t row, const double* y, double w, const double* raw);
    // As in ClassObjective, on the parabola by which the leaf judges the row: the loss is not
    // called again.
    void pursue(const FollowedRow& row, const double* raw, const double* at, bool is_judged,
                Following& following, double* moves);
    // The same with derivatives that were computed before.
    void set_row(double w, const double* derivatives);
    // g and h of each output.
    std::size_t n_derivatives() const override {
        return 2 * n_targets();
    }
    const double* derivatives_of_row() const {
        return record_.data() + kRecordHead;
    }

private:
    std::vector<Derivatives> derivatives_;  // of the block's rows
    std::size_t first_row_ = 0;
};

}  // namespace sgt
