// A tree as arrays, an entry for each node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>

#include "arrays.hpp"
#include "sgt/learner/learner.hpp"

namespace bindings {

struct TreeArrays {
    std::vector<std::int32_t> parent, depth, feature, default_child, category;
    std::vector<double> value, threshold, cover, gain;
    std::vector<std::uint8_t> is_nominal, is_missing_branch, is_left;
    std::vector<std::int64_t> rows;
    std::size_t outputs = 1;
    std::vector<double> weights;  // of linear leaves: by node, output and feature

    void add(const sgt::Tree& tree, const sgt::FeatureSpace& features, sgt::NodeIndex i) {
        const sgt::Nodes& nodes = tree.nodes();
        const sgt::Node& node = nodes[i];
        const bool leaf = nodes.is_leaf(i), nominal = nodes.is_nominal_split(i);
        parent.push_back(i == 0 ? -1 : static_cast<std::int32_t>(node.parent));
        depth.push_back(static_cast<std::int32_t>(node.depth));
        value.insert(value.end(), nodes.values(i), nodes.values(i) + nodes.outputs());
        outputs = nodes.outputs();
        if (const sgt::LinearTerms* linear = tree.linear())
            weights.insert(weights.end(), linear->weights(i, 0),
                           linear->weights(i, 0) + outputs * (linear->inputs() - 1));
        feature.push_back(nodes.feature(i));
        is_nominal.push_back(nominal);
        const bool numeric = !leaf && !nominal;
        threshold.push_back(numeric ? features.boundaries(static_cast<std::size_t>(
                                          nodes.feature(i)))[nodes.boundary(i)]
                                    : std::numeric_limits<double>::quiet_NaN());
        default_child.push_back(
            leaf ? -1
            : nominal
                ? static_cast<std::int32_t>(nodes.nominal(i).default_child)
                : static_cast<std::int32_t>(nodes.left(i) + (nodes.missing_goes_left(i) ? 0 : 1)));
        const bool under_nominal = i != 0 && nodes.is_nominal_split(node.parent);
        category.push_back(under_nominal ? static_cast<std::int32_t>(node.branch) - 1 : -1);
        is_missing_branch.push_back(under_nominal && node.branch == sgt::kMissingCode);
        is_left.push_back(i != 0 && !under_nominal && node.branch == 0);
        cover.push_back(leaf ? tree.cover(i) : 0.0);
        gain.push_back(node.gain);
        const sgt::LeafStatistics* s = tree.statistics(i);
        rows.push_back(s == nullptr ? 0 : static_cast<std::int64_t>(s->rows()));
    }
    // An inner node's cover is the sum of its children's, which have higher numbers.
    void sum_covers() {
        for (std::size_t i = parent.size(); i-- > 1;)
            cover[static_cast<std::size_t>(parent[i])] += cover[i];
    }
    nb::dict to_dict() && {
        nb::dict arrays;
        arrays["parent"] = to_numpy(std::move(parent));
        arrays["depth"] = to_numpy(std::move(depth));
        arrays["value"] = rows_of_outputs(std::move(value), outputs);
        arrays["feature"] = to_numpy(std::move(feature));
        arrays["threshold"] = to_numpy(std::move(threshold));
        arrays["is_nominal"] = to_numpy_bool(std::move(is_nominal));
        arrays["default_child"] = to_numpy(std::move(default_child));
        arrays["category"] = to_numpy(std::move(category));
        arrays["is_missing_branch"] = to_numpy_bool(std::move(is_missing_branch));
        arrays["is_left"] = to_numpy_bool(std::move(is_left));
        arrays["cover"] = to_numpy(std::move(cover));
        arrays["gain"] = to_numpy(std::move(gain));
        arrays["rows"] = to_numpy(std::move(rows));
        arrays["weights"] = to_numpy(std::move(weights));
        return arrays;
    }
};

inline nb::dict tree_arrays(const sgt::Learner& learner, std::size_t index) {
    if (index >= learner.n_trees()) throw nb::index_error("there is no such tree");
    TreeArrays arrays;
    {
        const nb::gil_scoped_release release;
        learner.read_tree(index, [&](const sgt::Tree& tree, const sgt::FeatureSpace& features) {
            for (sgt::NodeIndex i = 0; i < tree.nodes().size(); ++i) arrays.add(tree, features, i);
        });
        arrays.sum_covers();
    }
    return std::move(arrays).to_dict();
}

}  // namespace bindings
