// A stochastic gradient tree: nodes that grow by what their leaves gather. It knows gradients and
// hessians, never losses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "sgt/archive/archive.hpp"
#include "sgt/archive/feature_archive.hpp"
#include "sgt/data/features.hpp"
#include "sgt/data/standardiser.hpp"
#include "sgt/leaf/cells.hpp"
#include "sgt/leaf/leaf_statistics.hpp"
#include "sgt/leaf/linear_terms.hpp"
#include "sgt/options.hpp"
#include "sgt/parallel.hpp"
#include "sgt/rounds/partial.hpp"
#include "sgt/split/change_search.hpp"
#include "sgt/tree/nodes.hpp"

namespace sgt {

// Bytes of nodes and statistics of all trees of a model; counted only where there is a limit.
struct MemoryBudget {
    std::size_t limit = kUnlimited;
    std::size_t used = 0;

    bool is_limited() const {
        return limit != kUnlimited;
    }
    bool is_exceeded() const {
        return used > limit;
    }
};

// What all trees of a model work with. It belongs to the learner and outlives every call.
struct Workshop {
    Options options;
    FeatureSpace features;
    Standardiser standardiser;  // for linear leaves
    MemoryBudget budget;
    FlushScratch flush;
    struct ThreadScratch {
        FlushScratch::Part flush;
        SearchScratch search;
    };
    std::vector<ThreadScratch> threads;
    Team* team = nullptr;  // while a call lasts; null = one thread
};

class Tree {
public:
    // The root's value has a number for each output of the layout.
    Tree(std::vector<double> root_value, Layout layout, Workshop& workshop);

    const Nodes& nodes() const {
        return nodes_;
    }
    Layout layout() const {
        return layout_;
    }
    // Of one output.
    double value(NodeIndex node) const {
        return nodes_.value(node);
    }
    const double* values(NodeIndex node) const {
        return nodes_.values(node);
    }
    // What the nodes add to their values; null where leaves are constant.
    const LinearTerms* linear() const {
        return linear_ ? &*linear_ : nullptr;
    }
    // The scores of a row at a node with a linear term: a number for each output.
    void write_scores(NodeIndex node, const double* inputs, double* scores) const {
        for (std::size_t j = 0; j < nodes_.outputs(); ++j)
            scores[j] = nodes_.values(node)[j] + linear_->term(node, j, inputs);
    }
    // Moves a leaf's value and linear term by one row's step.
    void learn_linear(NodeIndex leaf, const double* inputs, const double* record) {
        linear_->learn(leaf, inputs, record, nodes_.values(leaf));
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
    std::size_t bytes() const;

    // The leaf where a row that came down to `node` is learned: `node` itself, or a new leaf for a
    // category that the split there had not seen. kNoNode where a limit forbids the new leaf.
    NodeIndex leaf_for_learning(NodeIndex node, std::uint32_t code, Workshop& workshop);
    // Adds a row to a leaf, by its record. Returns whether the leaf must consider a change now;
    // where that is put off, `flush` it before its next row.
    bool add(NodeIndex leaf, const std::byte* codes, const double* record, Workshop& workshop);
    void prefetch(NodeIndex leaf) const {
        if (const LeafStatistics* s = statistics_[leaf].get()) s->prefetch();
    }
    void prefetch_buffer(NodeIndex leaf, std::size_t row_bytes) const {
        if (const LeafStatistics* s = statistics_[leaf].get()) s->prefetch_buffer(row_bytes);
    }
    // Searches, tests, and applies a change that passes. Returns whether one did.
    bool consider(NodeIndex leaf, const CellReader& reader, Workshop& workshop);

    void flush(NodeIndex leaf, Workshop& workshop);

    using ReaderAt = std::function<CellReader(const Tree&, NodeIndex)>;
    // Class counts become moments (a third class came).
    void become_moments(const ReaderAt& reader, Workshop& workshop);
    // Softmax counts: one more class, whose score at node i is values[i].
    void add_class(const std::vector<double>& values, Workshop& workshop);
    // Before the features' layout or the codes' width changes: empty or reshape what waits.
    void flush_all(Workshop& workshop);
    void reshape_rows(std::size_t old_features, CodeWidth old_width, Workshop& workshop);
    void lay_out_late_features(Workshop& workshop);

    // How much loss the rows of a leaf still offer, for each row of the tree.
    double promise(NodeIndex leaf, const CellReader& reader) const;
    // Stops gathering cells at a leaf; its value still moves.
    void drop_cells(NodeIndex leaf, Workshop& workshop);

    // Throw MergeError where the trees differ, or where this one has not come from the base.
    void check_merge(const Tree& other, const CategoryCodes& codes) const;
    void check_base(const Tree& base) const;
    // Adds what the other tree's leaves have gathered since the base (or null).
    void merge(const Tree& other, const CategoryCodes& codes, const FeatureSpace& others,
               const Tree* base, const FeatureSpace* bases, Workshop& workshop);

    // Rounds: what rows say that have come to these nodes (kNoNode: those of weight 0), by their
    // records. The tree stands still.
    PartialTree gather(const CodeBlock& codes, const NodeIndex* nodes, const double* records,
                       std::size_t record_width, const Workshop& workshop) const;
    // Throws std::invalid_argument where this cannot have been gathered by a copy of this tree.
    void check_absorb(const PartialTree& partial, const LeafForm& form) const;
    // Its rows are some of those that were kept. Returns the leaves that must consider a change,
    // ascending.
    std::vector<NodeIndex> absorb(const PartialTree& partial, const PartialRows& kept,
                                  Workshop& workshop);

    void save(Archive& archive, const std::string& prefix, const Workshop& workshop,
              bool inference_only) const;
    static Tree load(const ArchiveView& archive, const std::string& prefix, const KnownCodes& codes,
                     Workshop& workshop);

private:
    explicit Tree(Nodes nodes, Layout layout) : nodes_(std::move(nodes)), layout_(layout) {}

    std::size_t most_numbers() const;
    bool may_split(NodeIndex leaf, const Options& options) const;
    bool may_split_at(std::size_t depth, const Options& options) const;
    SearchRules rules_for(NodeIndex leaf, const Workshop& workshop) const;
    // Rows that a leaf lets wait before it adds them to its cells.
    static std::size_t buffer_rows(const Options& options);
    std::vector<Candidate> flush_and_search(NodeIndex leaf, const CellReader& reader,
                                            const SearchRules& rules, Workshop& workshop);
    void add_to_value(NodeIndex node, const std::vector<double>& steps);
    void apply_value(NodeIndex leaf, const Change& change);
    void apply_split(NodeIndex leaf, const Change& change, const CellReader& reader,
                     Workshop& workshop);
    // The children of a leaf that has split learn the rows that it has kept.
    void hand_down(const LeafStatistics& kept, NodeIndex leaf, NodeIndex first_child,
                   const Change& change, const CellReader& reader, Workshop& workshop);
    void change_layout(Layout layout, Workshop& workshop,
                       const std::function<void(NodeIndex)>& change_leaf);
    LeafStatistics& statistics_of(NodeIndex leaf, Workshop& workshop);
    // What is left of a leaf's statistics when its cells are dropped. It is counted for every leaf
    // from the start, so that dropping cells is always enough to stay within a memory limit.
    std::size_t leaf_bytes() const {
        return LeafStatistics::bytes_without_cells(layout_);
    }
    std::size_t node_bytes() const {
        return nodes_.bytes_per_node() + (linear_ ? linear_->bytes_per_node() : 0);
    }
    void account(NodeIndex leaf, Workshop& workshop);
    void account_nodes(std::size_t nodes, std::size_t leaves, Workshop& workshop) const;
    void drop_all_cells(Workshop& workshop);

    Nodes nodes_;
    Layout layout_;
    std::optional<LinearTerms> linear_;
    std::vector<std::unique_ptr<LeafStatistics>> statistics_;
    std::vector<std::size_t> counted_bytes_;  // in the budget: of each leaf's rows and cells
    std::uint64_t rows_ = 0;
    std::uint64_t n_updates_ = 0;
    std::uint64_t n_splits_ = 0;
};

}  // namespace sgt
