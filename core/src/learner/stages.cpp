// `fit` of boosting, where all rows are at hand: members learn them one after the other
// (docs/algorithm.md, "Stages").
#include <algorithm>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>

#include "sgt/learner/learner.hpp"
#include "sgt/learner/team_for_call.hpp"

namespace sgt {

namespace {

// Rows that are learned together. Readers wait for a block at most.
constexpr std::size_t kRowsOfStageBlock = 1024;

}  // namespace

void Learner::require_no_stages() const {
    if (stages_ != nullptr) throw std::invalid_argument("rows are being learned in stages");
}

void Learner::collect_rows() {
    require_learning();
    const std::lock_guard one_learns(one_learns_);
    const std::unique_lock lock(access_);
    ensemble_.require_stages();
    require_no_stages();
    if (ensemble_.n_rows() > 0) throw std::invalid_argument("stages begin before the first row");
    stages_ = std::make_unique<StageRows>(ensemble_.objective().n_targets());
    next_member_ = 0;
}

// A class is known from its first row on.
void Learner::collect(const LabelledRows& rows) {
    if (stages_->has_begun()) throw std::invalid_argument("all rows come before the stages begin");
    for (std::size_t r = 0; r < rows.x.rows; ++r) {
        const double *y = rows.target(r), w = rows.weight(r);
        if (w == 0.0) continue;
        if (warm_up_.is_active())
            ensemble_.add_warm_up_row(y, w);
        else
            admit_and_count(y, w);
    }
    stages_->add(rows);
}

void Learner::admit_and_count(const double* y, double w) {
    if (ensemble_.objective().has_new_class(y)) ensemble_.admit_class(w);
    ensemble_.count(ensemble_.objective().weight_to_count(y, w));
}

void Learner::begin_stages() {
    const std::lock_guard one_learns(one_learns_);
    const std::unique_lock lock(access_);
    if (stages_ == nullptr || stages_->has_begun())
        throw std::invalid_argument("rows must be collected before the stages begin");
    if (warm_up_.is_active()) end_warm_up_of_stages();
    widen_codes(stages_->all(features_.size()).x);
    stages_->begin(features_, ensemble_.start(), has_linear_leaves());
}

void Learner::end_warm_up_of_stages() {
    warm_up_ = stages_->hand_over();
    const std::vector<std::size_t> to_watch = lay_out_features();
    for (const std::size_t f : to_watch) watch(f, warm_up_.sample(f, features_.size()));
    stages_->take(std::move(warm_up_));
    warm_up_.finish();
    const LabelledRows rows = stages_->all(features_.size());
    for (std::size_t r = 0; r < rows.x.rows; ++r) admit_and_count(rows.target(r), rows.weight(r));
}

StageRows& Learner::rows_of_stages() {
    if (stages_ == nullptr || !stages_->has_begun())
        throw std::invalid_argument("the stages have not begun");
    if (next_member_ == ensemble_.size()) throw std::invalid_argument("all members have learned");
    return *stages_;
}

void Learner::learn_stage(std::span<const std::uint32_t> order) {
    const std::lock_guard one_learns(one_learns_);
    StageRows& rows = rows_of_stages();
    for (const std::uint32_t place : order)
        if (place >= rows.size()) throw std::invalid_argument("there is no row of this number");
    Team team(threads_for(order.size(), options_));
    StageRows::Block block;
    for (std::size_t begin = 0; begin < order.size(); begin += kRowsOfStageBlock) {
        rows.copy(order.subspan(begin, std::min(kRowsOfStageBlock, order.size() - begin)), block);
        const std::unique_lock lock(access_);
        const TeamForCall team_for_call(ensemble_, team);
        ensemble_.learn_stage(next_member_, block.codes, block.rows(), block.scores.data());
    }
}

void Learner::end_stage() {
    const std::lock_guard one_learns(one_learns_);
    StageRows& rows = rows_of_stages();
    const std::unique_lock lock(access_);
    // Only linear leaves read numbers.
    const RowsView x = has_linear_leaves() ? rows.all(features_.size()).x : RowsView{};
    ensemble_.end_stage(next_member_++, rows.codes(), x, rows.scores().data());
}

void Learner::end_stages() {
    const std::lock_guard one_learns(one_learns_);
    const std::unique_lock lock(access_);
    if (stages_ == nullptr || !stages_->has_begun())
        throw std::invalid_argument("the stages have not begun");
    stages_.reset();
    // Those that no stage was left for have met the same rows.
    ensemble_.set_n_rows(ensemble_.n_rows());
}

}  // namespace sgt
