#include "sgt/tree/leaf_quantiles.hpp"

#include <algorithm>

#include "sgt/split/quantile_step.hpp"

namespace sgt {

namespace {

// What the rows beside a leaf count for in it, in rows of the leaf, and how many are looked at.
constexpr double kRowsBeside = 3.0;
constexpr std::size_t kMostBeside = 500;

// The rows of a weight above 0 that end in leaves, so arranged that those below any node follow
// one another.
class RowsByNode {
public:
    RowsByNode(const Nodes& nodes, const LearnedRows& rows)
        : first_(nodes.size(), 0), count_(nodes.size(), 0) {
        const auto counts = [&](std::size_t row) {
            return rows.weight(row) > 0.0 && nodes.is_leaf(rows.nodes[row]);
        };
        for (std::size_t row = 0; row < rows.n; ++row)
            if (counts(row)) ++count_[rows.nodes[row]];
        for (std::size_t i = nodes.size() - 1; i > 0; --i)  // a child comes after its parent
            count_[parent(nodes, i)] += count_[i];
        std::vector<std::size_t> next(nodes.size(), 0);
        for (std::size_t i = 1; i < nodes.size(); ++i) {
            first_[i] = next[i] = next[parent(nodes, i)];
            next[parent(nodes, i)] += count_[i];
        }
        rows_.resize(count_[0]);
        for (std::size_t row = 0; row < rows.n; ++row)
            if (counts(row)) rows_[next[rows.nodes[row]]++] = row;
    }

    std::size_t count(NodeIndex node) const {
        return count_[node];
    }
    std::size_t row(NodeIndex node, std::size_t i) const {
        return rows_[first_[node] + i];
    }
    // Of the rows below `above` number i of those that are not below `node`.
    std::size_t row_beside(NodeIndex node, NodeIndex above, std::size_t i) const {
        const std::size_t before = first_[node] - first_[above];
        return row(above, i < before ? i : i + count_[node]);
    }

private:
    static NodeIndex parent(const Nodes& nodes, std::size_t i) {
        return nodes[static_cast<NodeIndex>(i)].parent;
    }

    std::vector<std::size_t> first_, count_, rows_;
};

std::optional<double> quantile_of(NodeIndex leaf, NodeIndex above, const RowsByNode& by_node,
                                  const LearnedRows& rows, double alpha) {
    std::vector<WeightedTarget> targets;
    const auto add = [&](std::size_t row) {
        targets.push_back({rows.target(row), rows.weight(row)});
        return targets.back().w;
    };
    const std::size_t n = by_node.count(leaf);
    if (n == 0) return std::nullopt;
    double own = 0.0, beside = 0.0;
    for (std::size_t i = 0; i < n; ++i) own += add(by_node.row(leaf, i));
    const std::size_t others = above == kNoNode ? 0 : by_node.count(above) - n;
    const std::size_t step = (others + kMostBeside - 1) / kMostBeside;
    for (std::size_t i = 0; i < others; i += step)
        beside += add(by_node.row_beside(leaf, above, i));
    const double factor =
        beside > 0.0 ? std::min(1.0, kRowsBeside * (own / static_cast<double>(n)) / beside) : 1.0;
    for (std::size_t i = n; i < targets.size(); ++i) targets[i].w *= factor;
    return expected_quantile(std::move(targets), alpha);
}

}  // namespace

std::vector<std::optional<double>> quantiles_of_leaves(const Nodes& nodes, const LearnedRows& rows,
                                                       double alpha) {
    const RowsByNode by_node(nodes, rows);
    std::vector<std::optional<double>> found(nodes.size());
    for (NodeIndex i = 0; i < nodes.size(); ++i)
        if (nodes.is_leaf(i)) found[i] = quantile_of(i, nodes[i].parent, by_node, rows, alpha);
    return found;
}

}  // namespace sgt
