#include "sgt/single_output.hpp"

#include <algorithm>
#include <cmath>

namespace sgt {

SingleOutput::SingleOutput(const Options& options, const std::vector<bool>& nominal,
                           const Ranges* ranges, std::unique_ptr<Loss> loss)
    : Learner(options, nominal, ranges), loss_(std::move(loss)) {
    if (!warm_up_.is_active()) plant(false);
}

SingleOutput::SingleOutput(const Options& options, const Archive& archive,
                           std::unique_ptr<Loss> loss)
    : Learner(options, archive), loss_(std::move(loss)) {
    loss_->set_scale(archive.get<double>("loss_scale", 1)[0]);
    if (trees_.size() != (warm_up_.is_active() ? 0U : 1U) ||
        (!trees_.empty() && trees_[0].layout() != loss_->layout()))
        Archive::fail("trees", "does not fit the loss");
}

void SingleOutput::save_outputs(Archive& archive) const {
    archive.put<double>("loss_scale", {loss_->scale()});
}

void SingleOutput::learn(const RowsView& x, const double* y, const double* w, double* before) {
    Predictions predictions;
    predictions.raw = before;
    learn_rows({x, y, w}, before != nullptr ? &predictions : nullptr);
}

double SingleOutput::constant() const {
    if (warm_up_.rows() == 0) return 0.0;
    return loss_->best_constant({warm_up_.targets(), warm_up_.weights()});
}

void SingleOutput::note_warm_up_row(double, double, std::size_t row, Sink* sink) {
    if (sink != nullptr) static_cast<Predictions&>(*sink).raw[row] = constant();
}

void SingleOutput::plant(bool from_data) {
    if (warm_up_.rows() > 0) loss_->take_scale({warm_up_.targets(), warm_up_.weights()});
    trees_.emplace_back(from_data ? constant() : 0.0, loss_->layout(), workshop_);
}

CellReader SingleOutput::reader_at(const Tree& tree, NodeIndex leaf) const {
    return CellReader::shifted(tree.layout(), tree.statistics(leaf)->reference());
}

void SingleOutput::learn_codes(const CodeBlock& codes, const Rows& rows, std::size_t first_row,
                               Sink* sink) {
    double* before = sink == nullptr ? nullptr : static_cast<Predictions&>(*sink).raw + first_row;
    with_code_type(codes.width, [&]<class Code>(Code) {
        if (loss_->takes_blocks())
            return learn_with_block_loss<Code>(codes, rows, first_row, before);
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

template <class Code>
void SingleOutput::learn_with_block_loss(const CodeBlock& codes, const Rows& rows,
                                         std::size_t first_row, double* before) {
    Tree& tree = trees_[0];
    const std::size_t n = codes.rows;
    nodes_.resize(n);
    raw_.resize(n);
    derivatives_.resize(n);
    descend(tree, codes, nodes_.data());
    for (std::size_t r = 0; r < n; ++r) raw_[r] = tree.value(nodes_[r]);
    loss_->block_derivatives(rows.y, raw_.data(), n, derivatives_.data());
    for (std::size_t r = 0; r < n; ++r) {
        const auto* row = reinterpret_cast<const Code*>(codes.row(r));
        const NodeIndex node = tree.nodes().descend(nodes_[r], row);
        const double w = rows.weight(r);
        if (before != nullptr) before[r] = raw_[r];
        if (w == 0.0) continue;
        const Derivatives d = derivatives_[r];
        if (!(std::isfinite(d.g) && std::isfinite(d.h) && d.h >= 0.0))
            throw LossFailure(first_row + r, rows.y[r], raw_[r], d);
        const bool changed = learn_in_tree(tree, node, row, {w, d.g, d.h});
        ++learned_of_block_;
        if (changed) ask_again(codes, rows, r + 1, node);
        keep_within_budget();
    }
}

void SingleOutput::ask_again(const CodeBlock& codes, const Rows& rows, std::size_t from,
                             NodeIndex changed) {
    const Nodes& nodes = trees_[0].nodes();
    std::vector<std::size_t> moved;
    std::vector<double> y, raw;
    with_code_type(codes.width, [&]<class Code>(Code) {
        for (std::size_t r = from; r < codes.rows; ++r) {
            // A row at a split that does not know its category may have a leaf there by now.
            if (nodes_[r] != changed && nodes.is_leaf(nodes_[r])) continue;
            nodes_[r] = nodes.descend(nodes_[r], reinterpret_cast<const Code*>(codes.row(r)));
            const double value = nodes[nodes_[r]].value;
            if (value == raw_[r]) continue;
            raw_[r] = value;
            moved.push_back(r);
            y.push_back(rows.y[r]);
            raw.push_back(value);
        }
    });
    if (moved.empty()) return;
    std::vector<Derivatives> again(moved.size());
    loss_->block_derivatives(y.data(), raw.data(), moved.size(), again.data());
    for (std::size_t i = 0; i < moved.size(); ++i) derivatives_[moved[i]] = again[i];
}

void SingleOutput::predict(const RowsView& x, double* raw) const {
    const std::shared_lock lock(state_);
    if (warm_up_.is_active()) {
        std::fill(raw, raw + x.rows, constant());
        return;
    }
    for_each_block(x, [&](const CodeBlock& codes, std::size_t first_row) {
        std::vector<NodeIndex> nodes(codes.rows);
        trees_[0].nodes().descend_block(codes, 0, codes.rows, nodes.data());
        for (std::size_t r = 0; r < codes.rows; ++r) raw[first_row + r] = trees_[0].value(nodes[r]);
    });
}

}  // namespace sgt
