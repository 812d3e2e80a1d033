#include "sgt/explain/tree_table.hpp"

#include <limits>

namespace sgt {

TreeTable::TreeTable(const Tree& tree, const FeatureSpace& features)
    : outputs(tree.layout().outputs), cover(tree.covers()) {
    for (NodeIndex i = 0; i < tree.nodes().size(); ++i) add(tree, features, i);
}

void TreeTable::add(const Tree& tree, const FeatureSpace& features, NodeIndex i) {
    const Nodes& nodes = tree.nodes();
    parent.push_back(i == 0 ? -1 : static_cast<std::int32_t>(nodes[i].parent));
    depth.push_back(static_cast<std::int32_t>(nodes[i].depth));
    for (std::size_t j = 0; j < outputs; ++j) value.push_back(tree.predicted_value(i, j));
    gain.push_back(nodes[i].gain);
    if (const double* of_node = tree.leaf_model().weights(i); of_node != nullptr)
        weights.insert(weights.end(), of_node,
                       of_node + outputs * (tree.leaf_model().n_inputs() - 1));
    const LeafStatistics* s = tree.statistics(i);
    rows.push_back(s == nullptr ? 0 : static_cast<std::int64_t>(s->rows()));
    add_split(nodes, features, i);
    add_branch(nodes, i);
}

void TreeTable::add_split(const Nodes& nodes, const FeatureSpace& features, NodeIndex i) {
    const bool nominal = nodes.is_nominal_split(i), numeric = !nodes.is_leaf(i) && !nominal;
    feature.push_back(nodes.feature(i));
    is_nominal.push_back(nominal);
    double boundary = std::numeric_limits<double>::quiet_NaN();
    std::int32_t for_missing = -1;
    if (numeric) {
        boundary =
            features.boundaries(static_cast<std::size_t>(nodes.feature(i)))[nodes.boundary(i)];
        for_missing =
            static_cast<std::int32_t>(nodes.left(i) + (nodes.missing_goes_left(i) ? 0 : 1));
    } else if (nominal) {
        for_missing = static_cast<std::int32_t>(nodes.nominal(i).default_child);
    }
    threshold.push_back(boundary);
    default_child.push_back(for_missing);
}

void TreeTable::add_branch(const Nodes& nodes, NodeIndex i) {
    const Node& node = nodes[i];
    const bool under_nominal = i != 0 && nodes.is_nominal_split(node.parent);
    category.push_back(under_nominal ? static_cast<std::int32_t>(node.branch) - 1 : -1);
    is_missing_branch.push_back(under_nominal && node.branch == kMissingCode);
    is_left.push_back(i != 0 && !under_nominal && node.branch == 0);
}

}  // namespace sgt
