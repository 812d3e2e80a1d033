#include "sgt/learner/loss_objective.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sgt/magnitudes.hpp"
#include "sgt/rounds/merge.hpp"

namespace sgt {

namespace {

// A loss is called for so many rows of a block at once: what it computes stays in the caches.
constexpr std::size_t kRowsOfCall = 8192;

}  // namespace

// -------------------------------------------------------------------------------------------------
// Any loss
// -------------------------------------------------------------------------------------------------

std::unique_ptr<LossObjective> LossObjective::make(Losses losses, std::size_t outputs,
                                                   bool value_is_score) {
    if (losses[0]->takes_blocks())
        return std::make_unique<BlockLossObjective>(std::move(losses), outputs, value_is_score);
    return std::make_unique<RowLossObjective>(std::move(losses), outputs, value_is_score);
}

LossObjective::LossObjective(Losses losses, std::size_t outputs, bool value_is_score)
    : Objective(outputs),
      losses_(std::move(losses)),
      record_(kRecordHead + 2 * outputs),
      value_is_score_(value_is_score) {
    record_[1] = 1.0;
}

Layout LossObjective::layout() const {
    const auto outputs = static_cast<std::uint32_t>(n_targets());
    // h depends on the raw score, and differs from row to row where that is more than the value.
    if (!value_is_score_ && losses_[0]->is_log_loss()) return {CellKind::moments, outputs};
    return {losses_[0]->layout().kind, outputs};
}

std::vector<TreeStart> LossObjective::trees(const WarmUp& warm_up, bool from_data) const {
    return {
        {0, from_data ? warm_up_scores(warm_up) : std::vector<double>(n_targets(), 0.0), layout()}};
}

CellReader LossObjective::reader(Layout layout, const double*,
                                 const std::vector<Reference>& references) const {
    CellReader reader = CellReader::shifted(layout, references);
    if (losses_[0]->is_log_loss()) reader.under_log_loss();
    std::vector<Pinball> pinballs;
    for (const auto& loss : losses_)
        if (const auto pinball = loss->pinball()) pinballs.push_back(*pinball);
    if (pinballs.size() == layout.outputs) reader.under_quantiles(std::move(pinballs));
    return reader;
}

void LossObjective::save(Archive& archive) const {
    archive.put("loss_scale", scales());
}

std::vector<double> LossObjective::load_scales(const ArchiveView& archive) const {
    const std::vector<double> scales = to_vector(archive.get<double>("loss_scale", n_targets()));
    for (const double scale : scales)
        if (!(std::isfinite(scale) && scale >= 0.0)) Archive::fail("loss_scale", "is out of range");
    return scales;
}

void LossObjective::check_merge(const Objective& other) const {
    const auto* same = dynamic_cast<const LossObjective*>(&other);
    if (same == nullptr || same->n_targets() != n_targets() ||
        same->losses_.size() != losses_.size())
        throw MergeError("the models are not of one kind");
    if (same->scales() != scales())
        throw MergeError(
            "the losses' scales differ: the models have learned them in different warm-ups");
}

// -------------------------------------------------------------------------------------------------
// Row by row
// -------------------------------------------------------------------------------------------------

std::vector<double> RowLossObjective::warm_up_scores(const WarmUp& warm_up) const {
    std::vector<double> scores(n_targets(), 0.0);
    if (warm_up.rows() == 0) return scores;
    for (std::size_t j = 0; j < n_targets(); ++j)
        scores[j] = losses_[j]->best_constant({warm_up.targets(j), warm_up.weights()});
    return scores;
}

void RowLossObjective::take_scales(const WarmUp& warm_up) {
    for (std::size_t j = 0; j < n_targets(); ++j)
        losses_[j]->take_scale({warm_up.targets(j), warm_up.weights()});
}

std::vector<double> RowLossObjective::scales() const {
    std::vector<double> scales;
    for (const auto& loss : losses_) scales.push_back(loss->scale());
    return scales;
}

void RowLossObjective::load(const ArchiveView& archive, const WarmUp&) {
    const std::vector<double> scales = load_scales(archive);
    for (std::size_t j = 0; j < n_targets(); ++j) losses_[j]->set_scale(scales[j]);
}

void RowLossObjective::pursue(const FollowedRow& row, const double* raw, const double* at,
                              bool is_judged, Following& following, double* moves) {
    const double rate = moves == nullptr ? 0.0 : following.rate(row.way, row.weight);
    for (std::size_t j = 0; j < losses_.size(); ++j) {
        const Loss& loss = *losses_[j];
        if (is_judged)
            following.race.add_loss(j, row.way, row.weight * loss.value(row.y[j], at[j]));
        if (moves == nullptr) continue;
        const double move = loss.move(row.y[j], at[j], rate, [&](double h) {
            return following.mean_curvature(row.way, j, h);
        });
        const double lowest = loss.lowest_offset() - (at[j] - raw[j]);
        moves[j * following.rates().size()] =
            std::fabs(move) <= kGreatestNumber ? std::max(move, lowest) : 0.0;
    }
}

// -------------------------------------------------------------------------------------------------
// Block by block
// -------------------------------------------------------------------------------------------------

std::vector<double> BlockLossObjective::warm_up_scores(const WarmUp& warm_up) const {
    if (warm_up.rows() == 0) return std::vector<double>(n_targets(), 0.0);
    return losses_[0]->block_constants({warm_up.targets(), warm_up.weights()}, n_targets());
}

void BlockLossObjective::take_scales(const WarmUp& warm_up) {
    losses_[0]->take_block_scales({warm_up.targets(), warm_up.weights()}, n_targets());
}

std::vector<double> BlockLossObjective::scales() const {
    return losses_[0]->block_scales(n_targets());
}

void BlockLossObjective::load(const ArchiveView& archive, const WarmUp&) {
    losses_[0]->set_block_scales(load_scales(archive));
}

void BlockLossObjective::compute_block(const double* y, const double* raw, std::size_t n,
                                       std::size_t first_row) {
    const std::size_t outputs = n_targets();
    first_row_ = first_row;
    derivatives_.resize(n * outputs);
    for (std::size_t r = 0; r < n; r += kRowsOfCall)
        losses_[0]->block_derivatives(y + r * outputs, raw + r * outputs,
                                      std::min(kRowsOfCall, n - r), outputs,
                                      derivatives_.data() + r * outputs);
}

void BlockLossObjective::recompute(const std::vector<std::size_t>& rows, const double* y,
                                   const double* raw) {
    const std::size_t outputs = n_targets();
    std::vector<Derivatives> anew(rows.size() * outputs);
    losses_[0]->block_derivatives(y, raw, rows.size(), outputs, anew.data());
    for (std::size_t i = 0; i < rows.size(); ++i)
        std::copy_n(anew.data() + i * outputs, outputs, derivatives_.data() + rows[i] * outputs);
}

void BlockLossObjective::set_row(std::size_t row, const double* y, double w, const double* raw) {
    record_[0] = w;
    for (std::size_t j = 0; j < n_targets(); ++j) {
        const Derivatives d = derivatives_[row * n_targets() + j];
        if (!(std::fabs(d.g) <= kGreatestNumber && d.h <= kGreatestNumber && d.h >= 0.0))
            throw LossFailure(first_row_ + row, y[j], raw[j], d);
        set_record(j, d);
    }
}

void BlockLossObjective::pursue(const FollowedRow& row, const double* raw, const double* at,
                                bool is_judged, Following& following, double* moves) {
    const double rate = moves == nullptr ? 0.0 : following.rate(row.way, row.weight);
    for (std::size_t j = 0; j < n_targets(); ++j) {
        const Derivatives d = derivatives_[row.number * n_targets() + j];
        const double offset = at[j] - raw[j];
        if (is_judged)
            following.race.add_loss(j, row.way, row.weight * offset * (d.g + 0.5 * d.h * offset));
        if (moves == nullptr) continue;
        const double h = following.mean_curvature(row.way, j, d.h);
        const double move = h > 0.0 ? -rate * (d.g + d.h * offset) / h : 0.0;
        moves[j * following.rates().size()] = std::fabs(move) <= kGreatestNumber ? move : 0.0;
    }
}

void BlockLossObjective::set_row(double w, const double* derivatives) {
    record_[0] = w;
    std::copy_n(derivatives, n_derivatives(), record_.begin() + kRecordHead);
}

}  // namespace sgt
