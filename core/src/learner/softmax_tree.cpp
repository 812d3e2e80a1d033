#include "sgt/learner/softmax_tree.hpp"

#include <array>
#include <cmath>

#include "sgt/loss/softmax.hpp"

namespace sgt {

namespace {

Layout layout_for(std::size_t n_classes) {
    return {Kept::softmax_counts, static_cast<std::uint32_t>(n_classes)};
}

}  // namespace

SoftmaxTree::SoftmaxTree(const Options& options, const ArchiveView& archive)
    : ClassLearner(options, archive) {
    require_constant_leaves();
    learned_weight_ = archive.get_one<double>("learned_weight");
    const bool has_tree = !warm_up_.is_active() && n_classes_ >= 2;
    if (trees_.size() != (has_tree ? 1U : 0U) ||
        (has_tree && trees_[0].layout() != layout_for(n_classes_)))
        Archive::fail("classes", "does not fit the trees");
}

SoftmaxTree::SoftmaxTree(const Options& options, const std::vector<bool>& nominal,
                         const Ranges* ranges)
    : ClassLearner(options, nominal, ranges) {
    require_constant_leaves();
}

void SoftmaxTree::save_outputs(Archive& archive) const {
    ClassLearner::save_outputs(archive);
    archive.put<double>("learned_weight", {learned_weight_});
}

void SoftmaxTree::check_outputs(const Learner& other) const {
    const auto* same = dynamic_cast<const SoftmaxTree*>(&other);
    if (same == nullptr) throw MergeError("the models are not of one kind");
    if (same->n_classes_ != n_classes_) throw MergeError("the models' classes differ");
}

void SoftmaxTree::merge_outputs(const Learner& other, const Learner* base) {
    const double before =
        base == nullptr ? 0.0 : dynamic_cast<const SoftmaxTree&>(*base).learned_weight_;
    learned_weight_ += dynamic_cast<const SoftmaxTree&>(other).learned_weight_ - before;
}

void SoftmaxTree::plant(bool from_data) {
    if (n_classes_ < 2) return;
    double sum = 0.0;
    for (const double w : class_weights_) sum += w;
    std::vector<double> root(n_classes_, 0.0);
    for (std::size_t k = 0; k < n_classes_ && from_data; ++k)
        root[k] = std::log(class_weights_[k] / sum);
    trees_.emplace_back(std::move(root), layout_for(n_classes_), workshop_);
}

CellReader SoftmaxTree::reader_at(const Tree& tree, NodeIndex leaf) const {
    const std::size_t n = tree.layout().outputs;
    std::vector<double> p(n), q;
    softmax(tree.values(leaf), n, p.data());
    sums_of_others(p, q);
    // The hessian's diagonal times K / (K - 1): the outputs are one too many.
    const double inflation = static_cast<double>(n) / static_cast<double>(n - 1);
    std::vector<SoftmaxOutput> outputs(n);
    for (std::size_t k = 0; k < n; ++k) outputs[k] = {p[k], q[k], inflation * p[k] * q[k]};
    return CellReader::softmax(std::move(outputs));
}

void SoftmaxTree::add_class(double w) {
    ++n_classes_;
    if (n_classes_ == 1) return;
    // As rare as it is so far, at every node.
    const bool from_data = workshop_.options.start_from_data;
    const double rarity = from_data ? std::log(w / learned_weight_) : 0.0;
    if (n_classes_ == 2) {
        trees_.emplace_back(std::vector{0.0, rarity}, layout_for(2), workshop_);
        return;
    }
    Tree& tree = trees_[0];
    std::vector<double> values(tree.nodes().size(), 0.0);
    for (NodeIndex i = 0; i < values.size() && from_data; ++i)
        values[i] = log_sum_exp(tree.values(i), n_classes_ - 1) + rarity;
    tree.add_class(values, workshop_);
}

template <class Code>
void SoftmaxTree::learn_row(const CodeBlock& codes, const Rows& rows, std::size_t r,
                            std::size_t first_row, Predictions* before) {
    const auto* row = reinterpret_cast<const Code*>(codes.row(r));
    const double no_tree = 0.0;
    const auto node = [&] { return trees_[0].nodes().descend(0, row); };
    if (before != nullptr)
        before->write(trees_.empty() ? &no_tree : trees_[0].values(node()), n_classes_,
                      first_row + r);
    const double w = rows.weight(r);
    if (w == 0.0) return;
    if (rows.y[r] == static_cast<double>(n_classes_)) add_class(w);
    learned_weight_ += w;
    if (trees_.empty()) return;
    const double record[] = {w, rows.y[r]};
    learn_in_tree(trees_[0], node(), row, record);
    keep_within_budget();
}

void SoftmaxTree::learn_codes(const CodeBlock& codes, const Rows& rows, std::size_t first_row,
                              Sink* sink) {
    auto* before = static_cast<Predictions*>(sink);
    with_code_type(codes.width, [&]<class Code>(Code) {
        std::size_t done = 0;
        while (done < codes.rows) {
            std::array<double, 2> record{};
            if (!trees_.empty())
                done = learn_in_only_tree<Code>(
                    codes, rows, done,
                    [&](std::size_t r, const double* raw) {
                        if (before != nullptr) before->write(raw, n_classes_, first_row + r);
                    },
                    [&](std::size_t r, const double*, double w) {
                        learned_weight_ += w;
                        record = {w, rows.y[r]};
                        return record.data();
                    },
                    [&](std::size_t r) { return rows.y[r] == static_cast<double>(n_classes_); });
            if (done < codes.rows) learn_row<Code>(codes, rows, done++, first_row, before);
        }
    });
}

void SoftmaxTree::predict_codes(const CodeBlock& codes, const RowsView&, std::size_t first_row,
                                std::size_t n_classes, Predictions& out) const {
    const double no_tree = 0.0;
    std::vector<NodeIndex> nodes(codes.rows);
    if (!trees_.empty()) trees_[0].nodes().descend_block(codes, 0, codes.rows, nodes.data());
    for (std::size_t r = 0; r < codes.rows; ++r)
        out.write(trees_.empty() ? &no_tree : trees_[0].values(nodes[r]), n_classes, first_row + r);
}

void SoftmaxTree::admit_class(double weight) {
    add_class(weight);
}

void SoftmaxTree::absorb_outputs(double weight) {
    learned_weight_ += weight;
}

void SoftmaxTree::gather_codes(const CodeBlock& codes, const Rows& rows, const std::vector<double>&,
                               Partial& partial) {
    constexpr std::size_t width = 2;
    nodes_.resize(codes.rows);
    if (!trees_.empty()) descend(trees_[0], codes, nodes_.data());
    std::vector<double> records;
    records.reserve(codes.rows * width);
    for (std::size_t r = 0; r < codes.rows; ++r) {
        const double w = rows.weight(r);
        partial.weight += w;
        if (w == 0.0) nodes_[r] = kNoNode;
        records.insert(records.end(), {w, rows.y[r]});
    }
    if (!trees_.empty())
        partial.trees.push_back(
            trees_[0].gather(codes, nodes_.data(), records.data(), width, workshop_));
}

}  // namespace sgt
