// A stochastic gradient tree: nodes that grow by what their leaves gather. It knows gradients and
// hessians, never losses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "sgt/archive/archive.hpp"
#include "sgt/archive/feature_archive.hpp"
#include "sgt/data/features.hpp"
#include "sgt/leaf/cells.hpp"
#include "sgt/leaf/leaf_model.hpp"
#include "sgt/leaf/leaf_statistics.hpp"
#include "sgt/leaf/offsets.hpp"
#include "sgt/options.hpp"
#include "sgt/rounds/partial.hpp"
#include "sgt/split/change_search.hpp"
#include "sgt/tree/leaf_quantiles.hpp"
#include "sgt/tree/nodes.hpp"
#include "sgt/tree/past_values.hpp"
#include "sgt/tree/tree_context.hpp"
#include "sgt/tree/tree_options.hpp"

namespace sgt {

class Tree {
public:
    // The root's value has a number for each output of the layout.
    Tree(std::vector<double> root_value, Layout layout, TreeContext& context,
         TreeOptions options = {});

    const TreeOptions& options() const {
        return options_;
    }
    const Nodes& nodes() const {
        return nodes_;
    }
    Layout layout() const {
        return layout_;
    }
    const double* values(NodeIndex node) const {
        return nodes_.values(node);
    }
    double log_sum_of_values(NodeIndex node) {
        return nodes_.log_sum_of_values(node);
    }
    double likelihood_of(std::size_t output, NodeIndex node) {
        return nodes_.likelihood_of(output, node);
    }
    const LeafModel& leaf_model() const {
        return *leaf_model_;
    }
    // Writes the scores of a row at a node to `raw`, a number for each output. `inputs` are what
    // the leaf model reads of the row.
    template <class Leaves>
    void write_scores(NodeIndex node, const double* inputs, double* raw) const {
        const auto& leaves = static_cast<const Leaves&>(*leaf_model_);
        const double* values = nodes_.values(node);
        raw[0] = leaves.score(node, 0, inputs, values[0]);
        for (std::size_t j = 1; j < layout_.outputs; ++j)
            raw[j] = leaves.score(node, j, inputs, values[j]);
    }
    // The offsets of following leaves.
    Offsets& offsets() {
        return offsets_;
    }
    const Offsets& offsets() const {
        return offsets_;
    }
    // The value of an output at a node, as it is predicted now.
    double predicted_value(NodeIndex node, std::size_t output) const {
        return nodes_.values(node)[output] + offsets_.chosen(node, output);
    }
    // What the values were some rows ago, where that must be known.
    const PastValues& past_values() const {
        return past_values_;
    }
    void forget_past_values() {
        past_values_.clear();
    }
    // Lets the leaf model learn a row.
    template <class Leaves>
    void learn_in_leaf_model(NodeIndex leaf, const double* inputs, const double* record) {
        if constexpr (Leaves::kReadsInputs)
            static_cast<Leaves&>(*leaf_model_)
                .learn(leaf, inputs, record, nodes_.values_to_change(leaf));
    }
    std::uint64_t n_updates() const {
        return n_updates_;
    }
    std::uint64_t n_splits() const {
        return n_splits_;
    }
    // The leaf's statistics, or null before its first row.
    const LeafStatistics* statistics(NodeIndex leaf) const {
        return statistics_[leaf].get();
    }
    double cover(NodeIndex leaf) const;
    // Of all nodes: a split's is the sum of its children's.
    std::vector<double> covers() const;
    std::size_t bytes() const;

    // The leaf where a row that came down to `node` is learned: `node` itself, or a new leaf for a
    // category that the split there had not seen. kNoNode where a limit forbids the new leaf.
    NodeIndex leaf_for_learning(NodeIndex node, std::uint32_t code, TreeContext& context);
    // Adds a row to a leaf, by its record. Returns whether the leaf must consider a change now;
    // where that is put off, `flush` it before its next row.
    bool add(NodeIndex leaf, const std::byte* codes, const double* record, TreeContext& context);
    void prefetch(NodeIndex leaf) const {
        if (const LeafStatistics* s = statistics_[leaf].get()) s->prefetch();
    }
    void prefetch_buffer(NodeIndex leaf) const {
        offsets_.prefetch(leaf);
        nodes_.prefetch_values(leaf);
        if (const LeafStatistics* s = statistics_[leaf].get()) s->prefetch_buffer();
    }
    // Searches, tests, and applies a change that passes. Returns whether one did.
    bool consider(NodeIndex leaf, const CellReader& reader, TreeContext& context);

    // Under quantile losses, of these alphas: lets each leaf predict the quantile of the rows in
    // it, and forget what it has gathered at the value before.
    void take_quantiles(const LearnedRows& rows, const std::vector<double>& alphas,
                        TreeContext& context);

    void flush(NodeIndex leaf, TreeContext& context);
    void flush_all(TreeContext& context);

    using ReaderAt = std::function<CellReader(const Tree&, NodeIndex)>;
    // Class counts become moments (a third class came).
    void become_moments(const ReaderAt& reader, TreeContext& context);
    // Softmax counts: one more class, whose score at node i is values[i].
    void add_class(const std::vector<double>& values, TreeContext& context);
    // Before the bins of features change: leaves that have cells add to them what waits there. In
    // others rows wait on, under other codes.
    void flush_into_cells(TreeContext& context);
    void reshape_rows(std::size_t old_features, CodeWidth old_width, TreeContext& context);
    void lay_out_late_features(TreeContext& context);
    // After flush_into_cells, and after codes have become wider.
    void renew_bins(const RenewedBins& renewed, TreeContext& context);

    // How much loss the rows of a leaf still offer, for each row of the tree.
    double promise(NodeIndex leaf, const CellReader& reader) const;
    // Stops gathering cells at a leaf; its value still moves.
    void drop_cells(NodeIndex leaf, TreeContext& context);

    // Leaves begin to gather anew: what they have gathered since their last change is given up.
    void forget(TreeContext& context);

    // Throw MergeError where the trees differ, or where this one has not come from the base.
    void check_merge(const Tree& other, const CategoryCodes& codes) const;
    void check_base(const Tree& base) const;
    // Adds what the other tree's leaves have gathered since the base (or null).
    void merge(const Tree& other, const CategoryCodes& codes, const FeatureSpace& others,
               const Tree* base, const FeatureSpace* bases, TreeContext& context);

    // Rounds: the partial statistics of rows that have come to these nodes (kNoNode: rows that are
    // not learned), by their records. The tree does not change.
    PartialTree gather(const CodeBlock& codes, const NodeIndex* nodes, const double* records,
                       const TreeContext& context) const;
    // Throws std::invalid_argument where this cannot have been gathered by a copy of this tree.
    void check_absorb(const PartialTree& partial, const LeafForm& form,
                      const KnownCodes& known) const;
    // Its rows are some of those that were kept. Returns the leaves that must consider a change,
    // ascending.
    std::vector<NodeIndex> absorb(const PartialTree& partial, const PartialRows& kept,
                                  TreeContext& context);

    // Gives what it has counted back to the budget, before another tree takes its place.
    void give_back_memory(TreeContext& context) const;

    void save(Archive& archive, const std::string& prefix, const TreeContext& context,
              bool inference_only) const;
    static Tree load(const ArchiveView& archive, const std::string& prefix, const KnownCodes& codes,
                     const TreeOptions& options, TreeContext& context);

private:
    explicit Tree(Nodes nodes, Layout layout) : nodes_(std::move(nodes)), layout_(layout) {}

    std::size_t most_numbers() const;
    bool may_split(NodeIndex leaf, const Options& options) const;
    bool may_split_at(std::size_t depth, const Options& options) const;
    SearchRules rules_for(NodeIndex leaf, const TreeContext& context) const;
    // Rows that a leaf lets wait before it adds them to its cells.
    std::size_t buffer_rows(const Options& options) const;
    // Writes the best candidate of each feature to the context, where leaves keep cells.
    void flush_and_search(NodeIndex leaf, const BranchScoring& scoring, TreeContext& context);
    // The best change of a leaf, which may pass. Its cells may have been borrowed: they are given
    // back.
    Change find_change(NodeIndex leaf, const CellReader& reader, TreeContext& context);
    void add_to_value(NodeIndex node, const std::vector<double>& steps);
    void apply_value(NodeIndex leaf, const Change& change, const TreeContext& context);
    // Adds steps to the value of a leaf, which gathers anew.
    void move_leaf(NodeIndex leaf, const std::vector<double>& steps);
    void apply_split(NodeIndex leaf, Change& change, const CellReader& reader,
                     TreeContext& context);
    // Of the rows that a leaf has kept those of each child, when it has split.
    using RowsOfBranches = std::vector<std::vector<std::uint32_t>>;
    RowsOfBranches kept_rows_of_children(NodeIndex leaf, NodeIndex first_child, std::size_t n,
                                         const FeatureSpace& features) const;
    // The children of a leaf that has split learn the rows that it has kept.
    void hand_down(const LeafStatistics& kept, const RowsOfBranches& rows_of, NodeIndex first_child,
                   const Change& change, const CellReader& reader, TreeContext& context);
    void change_layout(Layout layout, TreeContext& context,
                       const std::function<void(NodeIndex)>& change_leaf);
    LeafStatistics& statistics_of(NodeIndex leaf, TreeContext& context) {
        if (!statistics_[leaf]) make_statistics(leaf, context);
        return *statistics_[leaf];
    }
    void make_statistics(NodeIndex leaf, TreeContext& context);
    // What is left of a leaf's statistics when its cells are dropped. It is counted for every leaf
    // from the start, so that dropping cells is always enough to stay within a memory limit.
    std::size_t leaf_bytes() const {
        return LeafStatistics::bytes_without_cells(layout_);
    }
    std::size_t node_bytes() const {
        const bool knows_likelihoods = layout_.kind == CellKind::softmax_counts;
        return nodes_.bytes_per_node() + leaf_model_->bytes_per_node() + offsets_.bytes_per_node() +
               (knows_likelihoods ? sizeof(GrowingLogSum) : 0);
    }
    void account(NodeIndex leaf, TreeContext& context);
    void account_nodes(std::size_t nodes, std::size_t leaves, TreeContext& context) const;
    void drop_all_cells(TreeContext& context);

    Nodes nodes_;
    Layout layout_;
    TreeOptions options_;
    std::unique_ptr<LeafModel> leaf_model_;
    Offsets offsets_;
    PastValues past_values_;
    std::vector<std::unique_ptr<LeafStatistics>> statistics_;
    std::vector<std::size_t> counted_bytes_;  // in the budget: of each leaf's rows and cells
    std::uint64_t rows_ = 0;
    std::uint64_t n_updates_ = 0;
    std::uint64_t n_splits_ = 0;
};

}  // namespace sgt
