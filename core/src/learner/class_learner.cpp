#include "sgt/learner/class_learner.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "sgt/loss/softmax.hpp"

namespace sgt {

namespace {

std::int32_t best_class(const double* scores, std::size_t n, const std::int32_t* rank) {
    if (n == 0) return -1;
    std::size_t best = 0;
    for (std::size_t k = 1; k < n; ++k)
        if (scores[k] > scores[best] || (scores[k] == scores[best] && rank[k] < rank[best]))
            best = k;
    return static_cast<std::int32_t>(best);
}

}  // namespace

void ClassLearner::Predictions::write(const double* raw, std::size_t n, std::size_t row) {
    if (labels != nullptr) labels[row] = best_class(raw, n, rank);
    if (probabilities != nullptr && n > 0) softmax(raw, n, probabilities + row * stride);
}

ClassLearner::ClassLearner(const Options& options, const ArchiveView& archive)
    : Learner(options, archive) {
    n_classes_ = archive.get_count("classes");
    class_weights_ = to_vector(archive.get<double>("class_weights"));
    if (warm_up_.is_active() && (!trees_.empty() || class_weights_.size() != n_classes_))
        Archive::fail("classes", "does not fit the warm-up");
    const auto check_targets = [this](const std::vector<double>& targets, const char* name) {
        for (const double y : targets)
            if (!(y >= 0.0 && y < static_cast<double>(n_classes_) && y == std::floor(y)))
                Archive::fail(name, "has a class that does not exist");
    };
    check_targets(warm_up_.targets(), "warm_up/y");
    check_targets(round_.waiting.targets(), "round/waiting/y");
    if (!round_.waiting.said().empty())
        Archive::fail("round/waiting/said", "does not fit the loss");
}

void ClassLearner::save_outputs(Archive& archive) const {
    archive.put<std::int64_t>("classes", {static_cast<std::int64_t>(n_classes_)});
    archive.put("class_weights", class_weights_);
}

std::size_t ClassLearner::n_classes() const {
    const std::shared_lock lock(state_);
    return n_classes_;
}

void ClassLearner::check_classes(const RowsView& x, const double* classes, const double* w) const {
    auto next = static_cast<double>(n_classes());
    for (std::size_t r = 0; r < x.rows; ++r) {
        if (w != nullptr && w[r] == 0.0) continue;
        if (!(classes[r] >= 0.0 && classes[r] <= next && classes[r] == std::floor(classes[r])))
            throw std::invalid_argument("class numbers must be in order of first appearance");
        if (classes[r] == next) ++next;
    }
}

void ClassLearner::learn(const RowsView& x, const double* classes, const double* w,
                         Predictions* before) {
    check_classes(x, classes, w);
    learn_rows({x, classes, w}, before);
}

// During the warm-up the scores are the logarithms of the classes' weights.
void ClassLearner::note_warm_up_row(const double* y, double w, std::size_t row, Sink* sink) {
    if (sink != nullptr) {
        raw_.resize(class_weights_.size());
        for (std::size_t k = 0; k < raw_.size(); ++k) raw_[k] = std::log(class_weights_[k]);
        static_cast<Predictions&>(*sink).write(raw_.data(), raw_.size(), row);
    }
    if (w == 0.0) return;
    const auto k = static_cast<std::size_t>(*y);
    if (k == class_weights_.size()) {
        class_weights_.push_back(0.0);
        ++n_classes_;
    }
    class_weights_.at(k) += w;
}

void ClassLearner::predict(const RowsView& x, Predictions& out, std::size_t most_classes) const {
    const std::shared_lock lock(state_);
    const std::size_t n_classes = std::min(n_classes_, most_classes);
    if (warm_up_.is_active()) {
        std::vector<double> raw(n_classes);
        for (std::size_t k = 0; k < n_classes; ++k) raw[k] = std::log(class_weights_[k]);
        for (std::size_t r = 0; r < x.rows; ++r) out.write(raw.data(), n_classes, r);
        return;
    }
    for_each_block(x, [&](const CodeBlock& codes, const RowsView& rows, std::size_t first_row) {
        predict_codes(codes, rows, first_row, n_classes, out);
    });
}

void ClassLearner::predict_rows(const Rows& rows, std::size_t first_row, Sink& sink) {
    for_each_block(rows.x, [&](const CodeBlock& codes, const RowsView& x, std::size_t begin) {
        predict_codes(codes, x, first_row + begin, n_classes_, static_cast<Predictions&>(sink));
    });
}

Partial ClassLearner::gather(const std::vector<RowsView>& pieces, const double* classes,
                             const double* w) {
    const auto n = static_cast<double>(n_classes());
    const double* next = classes;
    for (const RowsView& piece : pieces)
        for (std::size_t r = 0; r < piece.rows; ++r, ++next)
            if (!(*next >= 0.0 && *next < n && *next == std::floor(*next)))
                throw std::invalid_argument("a new class must be admitted before its first row");
    return gather_rows(pieces, {{}, classes, w});
}

bool ClassLearner::admit(double w) {
    require_learning();
    const std::lock_guard one_learns(one_learns_);
    const std::unique_lock lock(state_);
    finish_round();
    begin_round();
    if (round_.size.is_frozen) admit_class(w);
    return round_.size.is_frozen;
}

}  // namespace sgt
