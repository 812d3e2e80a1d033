// The structure of a tree and the routing of rows: nodes, splits, values. No statistics, no
// decisions.
//
// A node never moves and is never removed, and a child's number is above its parent's. So a row
// that was routed to a leaf which has split since continues from there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sgt/archive/archive.hpp"
#include "sgt/archive/feature_archive.hpp"
#include "sgt/data/codes.hpp"
#include "sgt/data/features.hpp"
#include "sgt/growing_rows.hpp"
#include "sgt/loss/softmax.hpp"

namespace sgt {

class CategoryCodes;

using NodeIndex = std::uint32_t;
inline constexpr NodeIndex kNoNode = static_cast<NodeIndex>(-1);

// A multi-way split: its branches by code, ascending. Code 0 is a branch for missing rows.
struct NominalSplit {
    std::vector<std::uint32_t> codes;
    std::vector<NodeIndex> children;
    NodeIndex default_child = kNoNode;  // for missing rows where code 0 has no branch of its own

    // The child of a code; kNoNode for a category that the split has not seen.
    NodeIndex child(std::uint32_t code) const;
    void insert(std::uint32_t code, NodeIndex child);
    // Puts branches in order that came in any; returns whether their codes are all different.
    bool sort();
};

struct Node {
    NodeIndex parent = kNoNode;
    std::uint32_t depth = 0;
    // Code of the nominal branch that leads here; 0 or 1 under a numeric one.
    std::uint32_t branch = 0;
    NodeIndex nominal_above = kNoNode;  // the next nominal split on the way to the root
    double cover = 0.0;       // weight of its branch at the split, and since, up to its last change
    double gain = 0.0;        // mean fall in loss of the rows that decided the split
    double rate = 0.0;        // energy for each row of the tree, inherited at the split
    std::uint64_t since = 0;  // rows of the tree when its statistics began
};

class Nodes {
public:
    // The root's value: a number for each output.
    explicit Nodes(std::vector<double> root_value);

    std::size_t size() const {
        return nodes_.size();
    }
    std::size_t n_leaves() const {
        return n_leaves_;
    }
    std::size_t depth() const {
        return depth_;
    }
    const Node& operator[](NodeIndex i) const {
        return nodes_[i];
    }
    Node& operator[](NodeIndex i) {
        return nodes_[i];
    }
    std::size_t outputs() const {
        return values_.width();
    }
    // The value of a leaf, a number for each output; a split keeps the one it had.
    const double* values(NodeIndex i) const {
        return values_.row(i);
    }
    double* values_to_change(NodeIndex i) {
        if (i < log_sums_.size()) log_sums_[i] = {};
        return values_.row(i);
    }
    // From a node's values to those of the next.
    std::size_t values_stride() const {
        return values_.room();
    }
    // Of one output.
    double value(NodeIndex i) const {
        return *values_.row(i);
    }
    // log(sum of exp(values)) of a node.
    double log_sum_of_values(NodeIndex i) {
        return log_sum(i).of(values(i), outputs());
    }
    // How likely a class is by the softmax of a node's values. It is remembered: values seldom
    // change.
    double likelihood_of(std::size_t output, NodeIndex i) {
        return log_sum(i).share(values(i), outputs(), output);
    }
    void prefetch_values(NodeIndex i) const {
        prefetch_to_read(values(i), outputs());
        if (i < log_sums_.size()) SGT_PREFETCH_WRITE(&log_sums_[i]);
    }
    bool is_leaf(NodeIndex i) const {
        return routes_[i].bias == kLeaf;
    }
    bool is_nominal_split(NodeIndex i) const {
        return routes_[i].bias == kNominal;
    }
    // -1 at a leaf.
    std::int32_t feature(NodeIndex i) const {
        return is_leaf(i) ? -1 : static_cast<std::int32_t>(routes_[i].column);
    }
    // Numeric splits.
    NodeIndex left(NodeIndex i) const {
        return routes_[i].child;
    }
    std::uint32_t boundary(NodeIndex i) const {
        return routes_[i].threshold - 1;
    }
    bool missing_goes_left(NodeIndex i) const {
        return routes_[i].bias == 0;
    }
    const NominalSplit& nominal(NodeIndex i) const {
        return nominal_[routes_[i].child];
    }
    // Nominal features that split above a node.
    std::vector<std::uint32_t> nominals_above(NodeIndex i) const;

    // Turns a leaf into a split; returns the first of its new children, which are consecutive.
    NodeIndex split_numeric(NodeIndex leaf, std::uint32_t feature, std::uint32_t boundary,
                            bool missing_left);
    NodeIndex split_nominal(NodeIndex leaf, std::uint32_t feature,
                            const std::vector<std::uint32_t>& codes, std::size_t default_branch);
    // A new leaf under a nominal split for a category it had not seen, at the split's value.
    NodeIndex add_branch(NodeIndex split, std::uint32_t code);

    // The boundaries of a feature that splits use, by their places; and new places for them.
    void note_boundaries(std::size_t feature, std::vector<bool>& used) const;
    void renew_bins(const RenewedBins& renewed);

    // From `from` down to a leaf, or to a nominal split that does not know the row's category.
    template <class Code>
    NodeIndex descend(NodeIndex from, const Code* row) const {
        while (!is_leaf(from)) {
            const NodeIndex next = step(from, row);
            if (next == from) break;
            from = next;
        }
        return from;
    }
    // All rows [begin, end) of a block from the root, several at a time to hide memory latency.
    void descend_block(const CodeBlock& block, std::size_t begin, std::size_t end,
                       NodeIndex* nodes) const;

    void save(Archive& archive, const std::string& prefix) const;
    static Nodes load(const ArchiveView& archive, const std::string& prefix,
                      const FeatureSpace& features, const KnownCodes& codes, std::size_t outputs);

    // Whether the trees are the same, to the last bit, but for when their statistics began.
    bool are_the_same(const Nodes& other, const CategoryCodes& codes) const;

    // One more output; values[i] is node i's. With slack there is room for more of them.
    void add_output(const std::vector<double>& values, bool with_slack);

    std::size_t bytes_per_node() const {
        return sizeof(Node) + sizeof(Route) + 2 * sizeof(std::uint32_t) + sizeof(void*) +
               values_.room() * sizeof(double);
    }

private:
    GrowingLogSum& log_sum(NodeIndex i) {
        if (log_sums_.size() < size()) log_sums_.resize(size());
        return log_sums_[i];
    }

    // bias 0: missing goes left; 1: missing goes right; kNominal: child is an index into nominal_.
    static constexpr std::uint32_t kNominal = 2, kLeaf = 3;
    // A leaf's: its child is the leaf itself, and every code goes there. So there is no branch for
    // leaves, because nobody can foresee where a row comes to one: their rows look at column 0 in
    // vain.
    struct Route {
        std::uint32_t column = 0;  // of the feature
        NodeIndex child = 0;
        // The largest code that goes left. Nominal: the child for code 1, where that for code 2 is
        // next to it and there are no others, so that neither has to be looked for; otherwise 0.
        std::uint32_t threshold = kLeaf - 1;
        std::uint32_t bias = kLeaf;
    };

    // One level down, or the node itself where there is nowhere to go.
    template <bool kAnyNominal = true, class Code>
    NodeIndex step(NodeIndex node, const Code* row) const {
        const Route& route = routes_[node];
        const Code code = row[route.column];
        if constexpr (kAnyNominal)
            if (route.bias == kNominal) {
                const bool is_of_pair = route.threshold != 0 && code - 1U <= 1U;
                return is_of_pair ? route.threshold + (code - 1U) : look_up(node, code);
            }
        // Missing is code 0. Minus the bias it stays the lowest code or wraps to the highest. A
        // leaf's limit wraps to the highest.
        const auto shifted = static_cast<Code>(code - route.bias);
        const auto limit = static_cast<Code>(route.threshold - route.bias);
        return route.child + static_cast<NodeIndex>(shifted > limit);
    }
    // The same at a nominal split of any number of branches.
    template <class Code>
    NodeIndex look_up(NodeIndex node, Code code) const {
        const NodeIndex child =
            nominal(node).child(code == kUnseenCode<Code> ? kUnseenCode<std::uint32_t> : code);
        return child == kNoNode ? node : child;
    }
    void note_pair(NodeIndex nominal_split);
    template <bool kAnyNominal, class Code>
    void descend_rows(const CodeBlock& block, std::size_t begin, std::size_t end,
                      NodeIndex* nodes) const;
    NodeIndex append_children(NodeIndex parent, bool nominal, std::size_t n);
    NodeIndex nominal_from(NodeIndex parent, bool nominal) const {
        return nominal ? parent : nodes_[parent].nominal_above;
    }
    void link_to_parent(NodeIndex child, const KnownCodes& codes, const std::string& prefix);
    void finish_splits(const std::string& prefix);

    std::vector<Route> routes_;
    std::vector<Node> nodes_;
    GrowingRows values_;  // by output
    std::vector<GrowingLogSum> log_sums_;
    std::vector<NominalSplit> nominal_;
    std::size_t n_leaves_ = 1;
    std::size_t depth_ = 0;
};

}  // namespace sgt
