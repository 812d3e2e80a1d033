#include "sgt/tree/tree.hpp"

#include <algorithm>
#include <utility>

#include "sgt/leaf/leaf_models.hpp"

namespace sgt {

namespace {

// Weight, in rows of the tree, of the rate that a leaf inherits against what it shows itself.
constexpr double kInheritedRows = 1000.0;

}  // namespace

std::size_t Tree::buffer_rows(const Options& options) const {
    const std::size_t most = LeafStatistics::most_waiting(layout_);
    return options.grace_growth > 0.0 ? most : std::min(options.grace_period, most);
}

Tree::Tree(std::vector<double> root_value, Layout layout, TreeContext& context, TreeOptions options)
    : nodes_(std::move(root_value)),
      layout_(layout),
      options_(std::move(options)),
      leaf_model_(with_leaf_model(context.options,
                                  [&]<class Leaves>(Leaves*) {
                                      return Leaves::make({context.options, layout.outputs,
                                                           context.standardiser.size()});
                                  })),
      offsets_(context.options, layout.outputs),
      past_values_(context.options.rows_of_past_values()),
      statistics_(1),
      counted_bytes_(1, 0) {
    account_nodes(1, 1, context);
}

double Tree::cover(NodeIndex leaf) const {
    const LeafStatistics* s = statistics_[leaf].get();
    return nodes_[leaf].cover + (s != nullptr ? s->weight() : 0.0);
}

std::vector<double> Tree::covers() const {
    std::vector<double> covers(nodes_.size(), 0.0);
    for (std::size_t i = nodes_.size(); i-- > 0;) {  // children have higher numbers
        const auto node = static_cast<NodeIndex>(i);
        if (nodes_.is_leaf(node)) covers[i] = cover(node);
        if (i > 0) covers[nodes_[node].parent] += covers[i];
    }
    return covers;
}

std::size_t Tree::bytes() const {
    std::size_t n = nodes_.size() * node_bytes() + past_values_.bytes();
    for (const auto& s : statistics_)
        if (s) n += s->bytes();
    return n;
}

void Tree::account(NodeIndex leaf, TreeContext& context) {
    if (!context.budget.is_limited()) return;
    const std::size_t now = statistics_[leaf] ? statistics_[leaf]->bytes() - leaf_bytes() : 0;
    context.budget.used += now - counted_bytes_[leaf];
    counted_bytes_[leaf] = now;
}

void Tree::give_back_memory(TreeContext& context) const {
    if (!context.budget.is_limited()) return;
    std::size_t counted = nodes_.size() * node_bytes() + nodes_.n_leaves() * leaf_bytes();
    for (const std::size_t of_leaf : counted_bytes_) counted += of_leaf;
    context.budget.used -= counted;
}

void Tree::account_nodes(std::size_t nodes, std::size_t leaves, TreeContext& context) const {
    if (context.budget.is_limited())
        context.budget.used += nodes * node_bytes() + leaves * leaf_bytes();
}

bool Tree::may_split(NodeIndex leaf, const Options& options) const {
    return may_split_at(nodes_[leaf].depth, options);
}

bool Tree::may_split_at(std::size_t depth, const Options& options) const {
    return depth < options.max_depth && nodes_.n_leaves() < options.max_leaves;
}

void Tree::make_statistics(NodeIndex leaf, TreeContext& context) {
    statistics_[leaf] =
        std::make_unique<LeafStatistics>(layout_, may_split(leaf, context.options),
                                         context.options.grace(), context.options.kept_rows);
    account(leaf, context);
}

void Tree::forget(TreeContext& context) {
    for (NodeIndex leaf = 0; leaf < statistics_.size(); ++leaf) {
        if (!statistics_[leaf]) continue;
        nodes_[leaf].cover += statistics_[leaf]->weight();
        statistics_[leaf].reset();
        account(leaf, context);
    }
}

NodeIndex Tree::leaf_for_learning(NodeIndex node, std::uint32_t code, TreeContext& context) {
    if (nodes_.is_leaf(node)) return node;
    const MemoryBudget& budget = context.budget;
    if (nodes_.n_leaves() >= context.options.max_leaves) return kNoNode;
    if (budget.is_limited() && budget.used + node_bytes() + leaf_bytes() > budget.limit)
        return kNoNode;
    const NodeIndex leaf = nodes_.add_branch(node, code);
    nodes_[leaf].since = rows_;
    leaf_model_->add_children(node, 1);
    past_values_.note_nodes(leaf, context.n_rows, context.past_bytes);
    offsets_.add_nodes(1);
    statistics_.emplace_back();
    counted_bytes_.push_back(0);
    account_nodes(1, 1, context);
    if (nodes_.n_leaves() >= context.options.max_leaves) drop_all_cells(context);
    return leaf;
}

bool Tree::add(NodeIndex leaf, const std::byte* codes, const double* record, TreeContext& context) {
    LeafStatistics& s = statistics_of(leaf, context);
    const Options& options = context.options;
    const std::size_t row_bytes = context.features.size() * bytes_of(context.features.width());
    const auto appended = s.append(codes, row_bytes, record, buffer_rows(options));
    ++rows_;
    if (appended.buffer_grew()) account(leaf, context);
    if (appended.attempt_is_due()) return true;
    if (appended.buffer_is_full()) flush(leaf, context);
    return false;
}

void Tree::flush(NodeIndex leaf, TreeContext& context) {
    statistics_[leaf]->flush(context.features, context.flush);
    account(leaf, context);
}

void Tree::become_moments(const ReaderAt& reader, TreeContext& context) {
    flush_all(context);
    change_layout(Layout::moments, context,
                  [&](NodeIndex leaf) { statistics_[leaf]->become_moments(reader(*this, leaf)); });
}

void Tree::add_class(const std::vector<double>& values, TreeContext& context) {
    const std::size_t before = node_bytes();
    // What is counted must not depend on which leaves have been used since.
    const bool is_limited = context.budget.is_limited();
    nodes_.add_output(values, !is_limited);
    offsets_.add_output(!is_limited);
    if (is_limited) context.budget.used += nodes_.size() * (node_bytes() - before);
    change_layout({layout_.kind, layout_.outputs + 1}, context,
                  [&](NodeIndex leaf) { statistics_[leaf]->add_class(is_limited); });
}

// Calls change_leaf for every leaf with statistics.
void Tree::change_layout(Layout layout, TreeContext& context,
                         const std::function<void(NodeIndex)>& change_leaf) {
    const std::size_t before = leaf_bytes();
    for (NodeIndex i = 0; i < statistics_.size(); ++i)
        if (statistics_[i]) change_leaf(i);
    layout_ = layout;
    if (context.budget.is_limited())
        context.budget.used += nodes_.n_leaves() * (leaf_bytes() - before);
    for (NodeIndex i = 0; i < statistics_.size(); ++i)
        if (statistics_[i]) account(i, context);
}

void Tree::flush_all(TreeContext& context) {
    for (NodeIndex i = 0; i < statistics_.size(); ++i)
        if (statistics_[i]) flush(i, context);
}

void Tree::flush_into_cells(TreeContext& context) {
    for (NodeIndex i = 0; i < statistics_.size(); ++i)
        if (statistics_[i] && statistics_[i]->has_cells()) flush(i, context);
}

void Tree::reshape_rows(std::size_t old_features, CodeWidth old_width, TreeContext& context) {
    for (NodeIndex i = 0; i < statistics_.size(); ++i) {
        if (!statistics_[i]) continue;
        statistics_[i]->reshape_rows(old_features, old_width, context.features.size(),
                                     context.features.width(), !context.budget.is_limited());
        account(i, context);
    }
}

void Tree::lay_out_late_features(TreeContext& context) {
    for (NodeIndex i = 0; i < statistics_.size(); ++i) {
        if (!statistics_[i]) continue;
        statistics_[i]->lay_out_late_features(context.features);
        account(i, context);
    }
}

void Tree::renew_bins(const RenewedBins& renewed, TreeContext& context) {
    nodes_.renew_bins(renewed);
    for (NodeIndex i = 0; i < statistics_.size(); ++i) {
        if (!statistics_[i]) continue;
        statistics_[i]->renew_bins(renewed, context.features);
        account(i, context);
    }
}

double Tree::promise(NodeIndex leaf, const CellReader& reader) const {
    const Node& node = nodes_[leaf];
    const double energy = reader.energy(statistics_[leaf]->total().data());
    return (energy + node.rate * kInheritedRows) /
           (static_cast<double>(rows_ - node.since) + kInheritedRows);
}

void Tree::drop_cells(NodeIndex leaf, TreeContext& context) {
    if (!statistics_[leaf]) return;
    statistics_[leaf]->drop_cells();
    account(leaf, context);
}

void Tree::drop_all_cells(TreeContext& context) {
    for (NodeIndex i = 0; i < statistics_.size(); ++i) drop_cells(i, context);
}

}  // namespace sgt
