// One number to predict for each row, or several, under a loss.
#pragma once

#include <memory>
#include <vector>

#include "sgt/learner/following.hpp"
#include "sgt/learner/objective.hpp"
#include "sgt/learner/predictions.hpp"
#include "sgt/loss/loss.hpp"

namespace sgt {

class LossObjective : public Objective {
public:
    // The loss of each output. A loss that takes blocks is one for all `outputs` of a row.
    using Losses = std::vector<std::unique_ptr<Loss>>;
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
    // As in ClassObjective. `raw` are the scores of the values.
    void pursue(const FollowedRow& row, const double* raw, const double* at, bool is_judged,
                Following& following, double* moves);
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
