#include "sgt/learner/class_objective.hpp"

#include <algorithm>
#include <cmath>

#include "sgt/clones.hpp"
#include "sgt/loss/exponential.hpp"
#include "sgt/loss/logarithm.hpp"
#include "sgt/loss/loss.hpp"
#include "sgt/rounds/merge.hpp"

namespace sgt {

namespace {

SGT_CLONES void write_losses_of_two(const double* y, const double* raw, std::size_t n,
                                    double* losses) {
    const ExpRange range = ExpRange::of_loop();
    for (std::size_t r = 0; r < n; ++r) {
        const double sign = 1.0 - 2.0 * y[r], against = sign * (raw[2 * r + 1] - raw[2 * r]);
        const double odds = fast_exp(-std::fabs(against), range);
        const double loss = (against > 0.0 ? against : 0.0) + fast_log(1.0 + odds);
        losses[r] = loss < Replacement::kGreatestLogLoss ? loss : Replacement::kGreatestLogLoss;
    }
}

}  // namespace

ClassObjective::ClassObjective(const Options& options, Leaves leaves, bool value_is_score)
    : Objective(1),
      leaves_(leaves),
      vector_leaves_(leaves == Leaves::vector),
      value_is_score_(value_is_score),
      may_thin_(options.thinning && options.reg_lambda > 0.0 && !options.linear_leaves) {
    set_n_classes(0);
}

void ClassObjective::set_n_classes(std::size_t n_classes) {
    n_classes_ = n_classes;
    counts_classes_ = layout().counts_classes();
    thins_ = may_thin_ && n_classes_ > 2;
}

Layout ClassObjective::layout() const {
    if (vector_leaves_)
        return {value_is_score_ ? CellKind::softmax_counts : CellKind::moments,
                static_cast<std::uint32_t>(n_classes_)};
    return n_classes_ == 2 && value_is_score_ ? Layout::class_counts : Layout::moments;
}

void ClassObjective::add_warm_up_row(const double* y, double w) {
    const auto k = static_cast<std::size_t>(*y);
    if (k == class_weights_.size()) {
        class_weights_.push_back(0.0);
        set_n_classes(n_classes_ + 1);
    }
    class_weights_.at(k) += w;
}

void ClassObjective::take_scales(const WarmUp&) {
    if (leaves_ != Leaves::by_number) return;
    vector_leaves_ = n_classes_ > 2;
    set_n_classes(n_classes_);
}

// The logarithms of the classes' weights.
std::vector<double> ClassObjective::warm_up_scores(const WarmUp&) const {
    std::vector<double> scores(class_weights_.size());
    for (std::size_t k = 0; k < scores.size(); ++k) scores[k] = std::log(class_weights_[k]);
    return scores;
}

std::vector<TreeStart> ClassObjective::trees(const WarmUp&, bool from_data) const {
    if (n_classes_ < 2) return {};
    if (vector_leaves_) {
        double sum = 0.0;
        for (const double w : class_weights_) sum += w;
        std::vector<double> root(n_classes_, 0.0);
        for (std::size_t k = 0; k < n_classes_ && from_data; ++k)
            root[k] = std::log(class_weights_[k] / sum);
        return {{0, std::move(root), layout()}};
    }
    std::vector<TreeStart> trees;
    for (std::size_t k = 1; k < n_classes_; ++k)
        trees.push_back(
            {k, {from_data ? std::log(class_weights_[k] / class_weights_[0]) : 0.0}, layout()});
    return trees;
}

void ClassObjective::write_losses(const double* y, const double* raw, std::size_t n,
                                  double* losses) {
    if (n_classes_ == 2) return write_losses_of_two(y, raw, n, losses);
    if (follow_.size() < n_classes_) follow_.resize(n_classes_);
    for (std::size_t r = 0; r < n; ++r, raw += n_classes_) {
        const double sum = write_powers(raw, n_classes_, follow_.data());
        const double loss = fast_log(sum / follow_[static_cast<std::size_t>(y[r])]);
        losses[r] = std::min(loss, Replacement::kGreatestLogLoss);
    }
}

CellReader ClassObjective::reader(Layout layout, const double* value,
                                  const std::vector<Reference>& references) const {
    if (layout.kind == CellKind::class_counts) return BinaryLogLoss::reader(*value);
    if (layout.kind == CellKind::moments && vector_leaves_)
        return CellReader::shifted(layout, references);
    if (layout.kind == CellKind::moments)
        return CellReader::shifted(layout, references).under_log_loss();
    const std::size_t n = layout.outputs;
    std::vector<double> p(n), q;
    softmax(value, n, p.data());
    sums_of_others(p, q);
    std::vector<SoftmaxOutput> outputs(n);
    for (std::size_t k = 0; k < n; ++k) outputs[k] = {p[k], q[k], inflation() * p[k] * q[k]};
    return CellReader::softmax(std::move(outputs));
}

// As rare as the class is so far. At 0 it would be held as likely as the reference everywhere.
NewClass ClassObjective::admit_class(double w, bool from_data) {
    const bool counted = counts_classes_;
    set_n_classes(n_classes_ + 1);
    if (n_classes_ == 1) return {};
    const double log_share = from_data ? std::log(w / counted_weight_) : 0.0;
    NewClass added;
    added.log_share = log_share;
    if (!vector_leaves_) {
        added.moments_are_needed = counted && !counts_classes_;
        added.tree = {n_classes_ - 1, {log_share}, layout()};
    } else if (n_classes_ == 2) {
        added.tree = {0, {0.0, log_share}, layout()};
    } else {
        added.is_in_every_leaf = true;
    }
    return added;
}

void ClassObjective::save(Archive& archive) const {
    archive.put<std::uint8_t>("vector_leaves", {static_cast<std::uint8_t>(vector_leaves_)});
    archive.put<std::int64_t>("classes", {static_cast<std::int64_t>(n_classes_)});
    archive.put("class_weights", class_weights_);
    archive.put<double>("counted_weight", {counted_weight_});
}

void ClassObjective::load(const ArchiveView& archive, const WarmUp& warm_up) {
    const bool vector_leaves = archive.get_one<std::uint8_t>("vector_leaves") != 0;
    if (leaves_ == Leaves::by_number) vector_leaves_ = vector_leaves;
    if (vector_leaves != vector_leaves_) Archive::fail("vector_leaves", "does not fit the model");
    set_n_classes(archive.get_count("classes"));
    class_weights_ = to_vector(archive.get<double>("class_weights"));
    counted_weight_ = archive.get_one<double>("counted_weight");
    if (warm_up.is_active() && class_weights_.size() != n_classes_)
        Archive::fail("classes", "does not fit the warm-up");
    check_targets(warm_up.targets(), "warm_up/y");
}

void ClassObjective::check_targets(const std::vector<double>& targets, const char* name) const {
    for (const double y : targets)
        if (!(y >= 0.0 && y < static_cast<double>(n_classes_) && y == std::floor(y)))
            Archive::fail(name, "has a class that does not exist");
}

void ClassObjective::check_merge(const Objective& other) const {
    const auto* same = dynamic_cast<const ClassObjective*>(&other);
    if (same == nullptr || same->vector_leaves_ != vector_leaves_)
        throw MergeError("the models are not of one kind");
    if (same->n_classes_ != n_classes_) throw MergeError("the models' classes differ");
}

void ClassObjective::merge(const Objective& other, const Objective* base) {
    const auto counted = [](const Objective& objective) {
        return dynamic_cast<const ClassObjective&>(objective).counted_weight_;
    };
    counted_weight_ += counted(other) - (base == nullptr ? 0.0 : counted(*base));
}

}  // namespace sgt
