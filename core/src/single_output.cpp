#include "sgt/single_output.hpp"

#include <algorithm>

namespace sgt {

SingleOutput::SingleOutput(const Options& options, const std::vector<bool>& nominal,
                           const Ranges* ranges, std::unique_ptr<Loss> loss)
    : Learner(options, nominal, ranges), loss_(std::move(loss)) {
    if (!warm_up_.is_active()) plant(false);
}

SingleOutput::SingleOutput(const Options& options, const Archive& archive,
                           std::unique_ptr<Loss> loss)
    : Learner(options, archive), loss_(std::move(loss)) {
    const auto& constant = archive.get<double>("constant", 2);
    mean_ = constant[0];
    weight_ = constant[1];
    if (trees_.size() != (warm_up_.is_active() ? 0U : 1U) ||
        (!trees_.empty() && trees_[0].layout() != loss_->layout()))
        Archive::fail("trees", "does not fit the loss");
}

void SingleOutput::save_outputs(Archive& archive) const {
    archive.put<double>("constant", {mean_, weight_});
}

void SingleOutput::learn(const RowsView& x, const double* y, const double* w, double* before) {
    Predictions predictions;
    predictions.raw = before;
    learn_rows({x, y, w}, before != nullptr ? &predictions : nullptr);
}

void SingleOutput::note_warm_up_row(double y, double w, std::size_t row, Sink* sink) {
    if (sink != nullptr) static_cast<Predictions&>(*sink).raw[row] = mean_;
    if (w == 0.0) return;
    weight_ += w;
    mean_ += (y - mean_) * (w / weight_);
}

void SingleOutput::plant(bool from_data) {
    trees_.emplace_back(from_data ? mean_ : 0.0, loss_->layout(), workshop_);
}

CellReader SingleOutput::reader_at(const Tree& tree, NodeIndex leaf) const {
    return CellReader::shifted(tree.layout(), tree.statistics(leaf)->reference());
}

void SingleOutput::learn_codes(const CodeBlock& codes, const Rows& rows, std::size_t first_row,
                               Sink* sink) {
    double* before = sink == nullptr ? nullptr : static_cast<Predictions&>(*sink).raw + first_row;
    with_code_type(codes.width, [&]<class Code>(Code) {
        learn_in_only_tree<Code>(
            codes, rows,
            [&](std::size_t r, double raw) {
                if (before != nullptr) before[r] = raw;
            },
            [&](std::size_t r, double raw, double w) {
                const Derivatives d = loss_->derivatives(rows.y[r], raw);
                return Evidence{w, d.g, d.h};
            },
            [](std::size_t) { return false; });
    });
}

void SingleOutput::predict(const RowsView& x, double* raw) const {
    const std::shared_lock lock(state_);
    if (warm_up_.is_active()) {
        std::fill(raw, raw + x.rows, mean_);
        return;
    }
    for_each_block(x, [&](const CodeBlock& codes, std::size_t first_row) {
        std::vector<NodeIndex> nodes(codes.rows);
        trees_[0].nodes().descend_block(codes, 0, codes.rows, nodes.data());
        for (std::size_t r = 0; r < codes.rows; ++r) raw[first_row + r] = trees_[0].value(nodes[r]);
    });
}

}  // namespace sgt
