#include "sgt/learner/loss_tree.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace sgt {

namespace {

// A user's loss is asked about so many rows of a block at once: what it makes stays in the caches.
constexpr std::size_t kRowsOfQuestion = 8192;

}  // namespace

LossTree::LossTree(const Options& options, const std::vector<bool>& nominal, const Ranges* ranges,
                   Losses losses, std::size_t outputs)
    : Learner(options, nominal, ranges, outputs),
      losses_(std::move(losses)),
      record_(1 + 2 * outputs) {
    check_linear();
    if (!warm_up_.is_active()) plant(false);
}

LossTree::LossTree(const Options& options, const ArchiveView& archive, Losses losses,
                   std::size_t outputs)
    : Learner(options, archive, outputs), losses_(std::move(losses)), record_(1 + 2 * outputs) {
    check_linear();
    const std::vector<double> scales = to_vector(archive.get<double>("loss_scale", outputs));
    for (const double scale : scales)
        if (!(std::isfinite(scale) && scale >= 0.0)) Archive::fail("loss_scale", "is out of range");
    if (losses_[0]->takes_blocks())
        losses_[0]->set_block_scales(scales);
    else
        for (std::size_t j = 0; j < outputs; ++j) losses_[j]->set_scale(scales[j]);
    if (trees_.size() != (warm_up_.is_active() ? 0U : 1U) ||
        (!trees_.empty() && trees_[0].layout() != layout()))
        Archive::fail("trees", "does not fit the loss");
    const std::size_t n_said = losses_[0]->takes_blocks() ? 2 * outputs : 0;
    if (round_.waiting.said().size() != n_said * round_.waiting.rows())
        Archive::fail("round/waiting/said", "does not fit the loss");
}

std::vector<double> LossTree::scales() const {
    std::vector<double> scales;
    if (losses_[0]->takes_blocks()) return losses_[0]->block_scales(n_targets_);
    for (const auto& loss : losses_) scales.push_back(loss->scale());
    return scales;
}

void LossTree::save_outputs(Archive& archive) const {
    archive.put("loss_scale", scales());
}

void LossTree::check_outputs(const Learner& other) const {
    const auto* same = dynamic_cast<const LossTree*>(&other);
    if (same == nullptr || same->n_targets_ != n_targets_ || same->losses_.size() != losses_.size())
        throw MergeError("the models are not of one kind");
    if (same->scales() != scales())
        throw MergeError("the losses' scales differ, as the warm-ups that told them did");
}

void LossTree::merge_outputs(const Learner&, const Learner*) {}

void LossTree::check_linear() const {
    if (has_linear_leaves() && losses_[0]->takes_blocks())
        throw std::invalid_argument(
            "linear leaves go with the built-in losses only: their scores change with every row, "
            "and a loss that takes blocks is asked for many rows at once");
}

Layout LossTree::layout() const {
    // With a linear term p q differs from row to row.
    if (has_linear_leaves() && losses_[0]->is_log_loss())
        return {Kept::moments, static_cast<std::uint32_t>(n_targets_)};
    return {losses_[0]->layout().kept, static_cast<std::uint32_t>(n_targets_)};
}

void LossTree::learn(const RowsView& x, const double* y, const double* w, double* before) {
    Predictions predictions;
    predictions.raw = before;
    learn_rows({x, y, w, n_targets_}, before != nullptr ? &predictions : nullptr);
}

std::vector<double> LossTree::constants() const {
    std::vector<double> constants(n_targets_, 0.0);
    if (warm_up_.rows() == 0) return constants;
    if (losses_[0]->takes_blocks())
        return losses_[0]->block_constants({warm_up_.targets(), warm_up_.weights()}, n_targets_);
    for (std::size_t j = 0; j < n_targets_; ++j)
        constants[j] = losses_[j]->best_constant({warm_up_.targets(j), warm_up_.weights()});
    return constants;
}

void LossTree::note_warm_up_row(const double*, double, std::size_t row, Sink* sink) {
    if (sink == nullptr) return;
    const std::vector<double> now = constants();
    std::copy(now.begin(), now.end(), static_cast<Predictions&>(*sink).raw + row * n_targets_);
}

void LossTree::take_scales() {
    if (losses_[0]->takes_blocks())
        return losses_[0]->take_block_scales({warm_up_.targets(), warm_up_.weights()}, n_targets_);
    for (std::size_t j = 0; j < n_targets_; ++j)
        losses_[j]->take_scale({warm_up_.targets(j), warm_up_.weights()});
}

void LossTree::plant(bool from_data) {
    if (warm_up_.rows() > 0) take_scales();
    trees_.emplace_back(from_data ? constants() : std::vector<double>(n_targets_, 0.0), layout(),
                        workshop_);
}

CellReader LossTree::reader_at(const Tree& tree, NodeIndex leaf) const {
    CellReader reader = CellReader::shifted(tree.layout(), tree.statistics(leaf)->references());
    if (losses_[0]->is_log_loss()) reader.under_log_loss();
    return reader;
}

template <class Code>
void LossTree::learn_linear(const CodeBlock& codes, const Rows& rows, double* before) {
    Tree& tree = trees_[0];
    const std::size_t outputs = n_targets_;
    nodes_.resize(codes.rows);
    raw_.resize(outputs);
    descend(tree, codes, nodes_.data());
    for (std::size_t r = 0; r < codes.rows; ++r) {
        const auto* row = reinterpret_cast<const Code*>(codes.row(r));
        const NodeIndex node = tree.nodes().descend(nodes_[r], row);
        take_inputs(rows.x, r);
        tree.write_scores(node, inputs_.data(), raw_.data());
        if (before != nullptr) std::copy_n(raw_.data(), outputs, before + r * outputs);
        const double w = rows.weight(r);
        if (w == 0.0) continue;
        write_record(rows.y + r * outputs, raw_.data(), w);
        learn_in_linear_tree(tree, node, row, record_.data());
        keep_within_budget();
    }
}

void LossTree::learn_codes(const CodeBlock& codes, const Rows& rows, std::size_t first_row,
                           Sink* sink) {
    const std::size_t outputs = n_targets_;
    double* before =
        sink == nullptr ? nullptr : static_cast<Predictions&>(*sink).raw + first_row * outputs;
    with_code_type(codes.width, [&]<class Code>(Code) {
        if (losses_[0]->takes_blocks())
            return learn_with_block_loss<Code>(codes, rows, first_row, before);
        if (has_linear_leaves()) return learn_linear<Code>(codes, rows, before);
        learn_in_only_tree<Code>(
            codes, rows, 0,
            [&](std::size_t r, const double* raw) {
                if (before != nullptr) std::copy_n(raw, outputs, before + r * outputs);
            },
            [&](std::size_t r, const double* raw, double w) {
                write_record(rows.y + r * outputs, raw, w);
                return record_.data();
            },
            [](std::size_t) { return false; });
    });
}

void LossTree::write_record(const double* y, const double* raw, double w) {
    record_[0] = w;
    for (std::size_t j = 0; j < n_targets_; ++j) {
        const Derivatives d = losses_[j]->derivatives(y[j], raw[j]);
        record_[1 + 2 * j] = d.g;
        record_[2 + 2 * j] = d.h + 0.0;  // (a hessian of -0 would tell of copies)
    }
}

void LossTree::write_record(const Rows& rows, std::size_t row, std::size_t first_row, double w) {
    record_[0] = w;
    for (std::size_t j = 0; j < n_targets_; ++j) {
        const std::size_t i = row * n_targets_ + j;
        const Derivatives d = derivatives_[i];
        if (!(std::isfinite(d.g) && std::isfinite(d.h) && d.h >= 0.0))
            throw LossFailure(first_row + row, rows.y[i], raw_[i], d);
        record_[1 + 2 * j] = d.g;
        record_[2 + 2 * j] = d.h + 0.0;  // (a hessian of -0 would tell of copies)
    }
}

void LossTree::ask_about_block(const CodeBlock& codes, const Rows& rows) {
    const std::size_t n = codes.rows, outputs = n_targets_;
    nodes_.resize(n);
    raw_.resize(n * outputs);
    derivatives_.resize(n * outputs);
    descend(trees_[0], codes, nodes_.data());
    for (std::size_t r = 0; r < n; ++r)
        std::copy_n(trees_[0].values(nodes_[r]), outputs, raw_.data() + r * outputs);
    for (std::size_t r = 0; r < n; r += kRowsOfQuestion)
        losses_[0]->block_derivatives(rows.y + r * outputs, raw_.data() + r * outputs,
                                      std::min(kRowsOfQuestion, n - r), outputs,
                                      derivatives_.data() + r * outputs);
}

template <class Code>
void LossTree::learn_with_block_loss(const CodeBlock& codes, const Rows& rows,
                                     std::size_t first_row, double* before) {
    Tree& tree = trees_[0];
    const std::size_t n = codes.rows, outputs = n_targets_;
    ask_about_block(codes, rows);
    for (std::size_t r = 0; r < n; ++r) {
        const auto* row = reinterpret_cast<const Code*>(codes.row(r));
        const NodeIndex node = tree.nodes().descend(nodes_[r], row);
        const double w = rows.weight(r);
        if (before != nullptr)
            std::copy_n(raw_.data() + r * outputs, outputs, before + r * outputs);
        if (w == 0.0) continue;
        write_record(rows, r, first_row, w);
        const bool changed = learn_in_tree(tree, node, row, record_.data());
        ++learned_of_block_;
        if (changed) ask_again(codes, rows, r + 1, node);
        keep_within_budget();
    }
}

void LossTree::ask_again(const CodeBlock& codes, const Rows& rows, std::size_t from,
                         NodeIndex changed) {
    const Nodes& nodes = trees_[0].nodes();
    const std::size_t outputs = n_targets_;
    std::vector<std::size_t> moved;
    std::vector<double> y, raw;
    with_code_type(codes.width, [&]<class Code>(Code) {
        for (std::size_t r = from; r < codes.rows; ++r) {
            // A row at a split that does not know its category may have a leaf there by now.
            if (nodes_[r] != changed && nodes.is_leaf(nodes_[r])) continue;
            nodes_[r] = nodes.descend(nodes_[r], reinterpret_cast<const Code*>(codes.row(r)));
            const double* values = nodes.values(nodes_[r]);
            double* known = raw_.data() + r * outputs;
            if (std::equal(values, values + outputs, known)) continue;
            std::copy_n(values, outputs, known);
            moved.push_back(r);
            y.insert(y.end(), rows.y + r * outputs, rows.y + (r + 1) * outputs);
            raw.insert(raw.end(), values, values + outputs);
        }
    });
    if (moved.empty()) return;
    std::vector<Derivatives> again(moved.size() * outputs);
    losses_[0]->block_derivatives(y.data(), raw.data(), moved.size(), outputs, again.data());
    for (std::size_t i = 0; i < moved.size(); ++i)
        std::copy_n(again.data() + i * outputs, outputs, derivatives_.data() + moved[i] * outputs);
}

void LossTree::predict(const RowsView& x, double* raw) const {
    const std::shared_lock lock(state_);
    const std::size_t outputs = n_targets_;
    if (warm_up_.is_active()) {
        const std::vector<double> now = constants();
        for (std::size_t r = 0; r < x.rows; ++r)
            std::copy(now.begin(), now.end(), raw + r * outputs);
        return;
    }
    for_each_block(x, [&](const CodeBlock& codes, const RowsView& rows, std::size_t first_row) {
        std::vector<NodeIndex> nodes(codes.rows);
        trees_[0].nodes().descend_block(codes, 0, codes.rows, nodes.data());
        if (has_linear_leaves())
            return write_linear_scores(trees_[0], rows, nodes.data(), raw + first_row * outputs,
                                       outputs);
        for (std::size_t r = 0; r < codes.rows; ++r)
            std::copy_n(trees_[0].values(nodes[r]), outputs, raw + (first_row + r) * outputs);
    });
}

// -------------------------------------------------------------------------------------------------
// Rounds
// -------------------------------------------------------------------------------------------------

void LossTree::predict_rows(const Rows& rows, std::size_t first_row, Sink& sink) {
    double* raw = static_cast<Predictions&>(sink).raw;
    for_each_block(rows.x, [&](const CodeBlock& codes, const RowsView&, std::size_t begin) {
        std::vector<NodeIndex> nodes(codes.rows);
        trees_[0].nodes().descend_block(codes, 0, codes.rows, nodes.data());
        for (std::size_t r = 0; r < codes.rows; ++r)
            std::copy_n(trees_[0].values(nodes[r]), n_targets_,
                        raw + (first_row + begin + r) * n_targets_);
    });
}

void LossTree::ask_loss(const CodeBlock& codes, const Rows& rows, std::size_t first_row,
                        std::vector<double>& said) {
    if (!losses_[0]->takes_blocks()) return;
    ask_about_block(codes, rows);
    for (std::size_t r = 0; r < codes.rows; ++r) {
        if (rows.weight(r) == 0.0) continue;
        write_record(rows, r, first_row, rows.weight(r));
        said.insert(said.end(), record_.begin() + 1, record_.end());
    }
}

void LossTree::gather_codes(const CodeBlock& codes, const Rows& rows,
                            const std::vector<double>& said, Partial& partial) {
    const std::size_t n = codes.rows, width = record_.size();
    const bool takes_blocks = losses_[0]->takes_blocks();
    nodes_.resize(n);
    descend(trees_[0], codes, nodes_.data());
    std::vector<double> records(n * width);
    const double* derivatives = said.data();
    for (std::size_t r = 0; r < n; ++r) {
        const double w = rows.weight(r);
        double* record = records.data() + r * width;
        if (w == 0.0) {
            nodes_[r] = kNoNode;
        } else if (takes_blocks) {
            record[0] = w;
            std::copy_n(derivatives, width - 1, record + 1);
            derivatives += width - 1;
        } else {
            write_record(rows.y + r * n_targets_, trees_[0].values(nodes_[r]), w);
            std::copy(record_.begin(), record_.end(), record);
        }
    }
    partial.trees.push_back(
        trees_[0].gather(codes, nodes_.data(), records.data(), width, workshop_));
}

}  // namespace sgt
