// A tree as columns, an entry for each node: node 0 is the root, children come after parents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sgt/data/features.hpp"
#include "sgt/tree/tree.hpp"

namespace sgt {

struct TreeTable {
    TreeTable(const Tree& tree, const FeatureSpace& features);

    std::size_t outputs;
    std::vector<std::int32_t> parent;  // -1: the root
    std::vector<std::int32_t> depth;
    std::vector<double> value;          // by node and output
    std::vector<std::int32_t> feature;  // -1: a leaf
    std::vector<double> threshold;      // left is x <= threshold; NaN: not a numeric split
    std::vector<std::uint8_t> is_nominal;
    std::vector<std::int32_t> default_child;  // where missing goes; -1: a leaf
    std::vector<std::int32_t> category;       // that leads here from a nominal split; -1: none
    std::vector<std::uint8_t> is_missing_branch, is_left;
    std::vector<double> cover, gain;
    std::vector<std::int64_t> rows;  // gathered since the leaf's last change
    std::vector<double> weights;     // of linear leaves: by node, output and feature

private:
    void add(const Tree& tree, const FeatureSpace& features, NodeIndex node);
    void add_split(const Nodes& nodes, const FeatureSpace& features, NodeIndex node);
    void add_branch(const Nodes& nodes, NodeIndex node);
};

}  // namespace sgt
