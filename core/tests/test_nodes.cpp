#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "leaves.hpp"
#include "sgt/tree/nodes.hpp"
#include "sgt/tree/tree.hpp"

using namespace sgt;
using streams::Random;

namespace {

// A plain description of the same tree, followed step by step.
NodeIndex slow_descend(const Nodes& nodes, const std::vector<std::uint32_t>& codes) {
    NodeIndex at = 0;
    while (!nodes.is_leaf(at)) {
        const std::uint32_t code = codes[static_cast<std::size_t>(nodes.feature(at))];
        if (nodes.is_nominal_split(at)) {
            const NominalSplit& split = nodes.nominal(at);
            NodeIndex next = kNoNode;
            for (std::size_t j = 0; j < split.codes.size(); ++j)
                if (split.codes[j] == code) next = split.children[j];
            if (next == kNoNode && code == kMissingCode) next = split.default_child;
            if (next == kNoNode) return at;
            at = next;
        } else {
            const bool is_left =
                code == kMissingCode ? nodes.missing_goes_left(at) : code - 1 <= nodes.boundary(at);
            at = nodes.left(at) + (is_left ? 0 : 1);
        }
    }
    return at;
}

std::vector<NodeIndex> descend_all(const Nodes& nodes,
                                   const std::vector<std::vector<std::uint32_t>>& rows,
                                   CodeWidth width) {
    CodeBlock block;
    block.shape(rows.size(), rows.front().size(), width);
    for (std::size_t r = 0; r < rows.size(); ++r) {
        const std::vector<std::byte> bytes = leaves::packed(rows[r], width);
        std::copy(bytes.begin(), bytes.end(), block.row(r));
    }
    std::vector<NodeIndex> at(rows.size());
    nodes.descend_block(block, 0, rows.size(), at.data());
    return at;
}

// The features that a context refers to, and the context.
struct Workshop {
    Workshop(const FeatureSpace& of_test, const Options& options)
        : features(of_test), context(options, features, standardiser) {}

    FeatureSpace features;
    Standardiser standardiser;
    TreeContext context;
};

CellReader reader_at(const Tree& tree, NodeIndex leaf) {
    return CellReader::shifted(tree.layout(), tree.statistics(leaf)->references());
}

void learn(Tree& tree, const leaves::Row& row, TreeContext& context) {
    const std::vector<std::byte> bytes = leaves::packed(row.codes, context.features.width());
    NodeIndex at = slow_descend(tree.nodes(), row.codes);
    if (!tree.nodes().is_leaf(at)) {
        const auto feature = static_cast<std::size_t>(tree.nodes().feature(at));
        at = tree.leaf_for_learning(at, row.codes[feature], context);
        if (at == kNoNode) return;
    }
    if (tree.add(at, bytes.data(), row.record(tree.layout()).data(), context))
        tree.consider(at, reader_at(tree, at), context);
}

}  // namespace

TEST(a_new_tree_is_one_leaf) {
    const Nodes nodes({2.5});
    CHECK(nodes.size() == 1 && nodes.n_leaves() == 1 && nodes.depth() == 0);
    CHECK(nodes.is_leaf(0) && nodes.value(0) == 2.5 && nodes[0].parent == kNoNode);
    CHECK(descend_all(nodes, {{1}, {0}}, CodeWidth::one) == std::vector<NodeIndex>({0, 0}));
}

TEST(a_numeric_split_sends_values_up_to_its_boundary_left) {
    for (const bool missing_left : {true, false}) {
        Nodes nodes({1.0});
        const NodeIndex left = nodes.split_numeric(0, 0, 2, missing_left);
        CHECK(nodes.size() == 3 && nodes.n_leaves() == 2 && nodes.depth() == 1);
        CHECK(nodes.value(left) == 1.0 && nodes[left + 1].branch == 1);
        CHECK(nodes.boundary(0) == 2 && nodes.missing_goes_left(0) == missing_left);
        for (const CodeWidth width : {CodeWidth::one, CodeWidth::two, CodeWidth::four})
            CHECK(descend_all(nodes, {{0}, {1}, {3}, {4}, {200}}, width) ==
                  std::vector<NodeIndex>(
                      {missing_left ? left : left + 1, left, left, left + 1, left + 1}));
    }
}

TEST(the_first_boundary_and_the_last_route_missing_rows_too) {
    for (const CodeWidth width : {CodeWidth::one, CodeWidth::two, CodeWidth::four})
        for (const std::uint32_t boundary : {0U, 252U}) {
            Nodes nodes({0.0});
            nodes.split_numeric(0, 0, boundary, false);
            const std::vector<NodeIndex> at = descend_all(nodes, {{0}, {1}, {254}}, width);
            CHECK(at == std::vector<NodeIndex>({2, 1, 2}));
        }
}

TEST(values_of_late_outputs_are_the_same_with_and_without_room_for_more) {
    for (const bool with_slack : {false, true}) {
        Nodes nodes({1.0, 2.0, 3.0});
        for (std::size_t late = 3; late < 40; ++late) {
            if (late % 5 == 0)
                nodes.split_numeric(static_cast<NodeIndex>(nodes.size() - 1), 0, 0, true);
            if (late % 7 == 0) nodes.values_to_change(0)[late - 1] += 20.0;
            std::vector<double> added;
            for (NodeIndex i = 0; i < nodes.size(); ++i) {
                // Asked for every time, asked for again after a change, and for the first time
                // late.
                if (i % 2 == 0 || late > 20) {
                    const double sum = log_sum_exp(nodes.values(i), late);
                    CHECK(nodes.log_sum_of_values(i) == sum);
                    CHECK_CLOSE(nodes.likelihood_of(1, i), std::exp(nodes.values(i)[1] - sum),
                                1e-12);
                }
                added.push_back(static_cast<double>(i) - static_cast<double>(late) / 8.0);
            }
            const std::vector<double> before(nodes.values(0), nodes.values(0) + late);
            nodes.add_output(added, with_slack);
            CHECK(nodes.outputs() == late + 1);
            CHECK(std::equal(before.begin(), before.end(), nodes.values(0)));
            for (NodeIndex i = 0; i < nodes.size(); ++i) CHECK(nodes.values(i)[late] == added[i]);
        }
        CHECK((nodes.values_stride() > nodes.outputs()) == with_slack);
    }
}

TEST(a_nominal_split_knows_its_categories_and_a_default_for_missing) {
    Nodes nodes({4.0});
    const NodeIndex first = nodes.split_nominal(0, 0, {2, 5, 9}, 1);
    CHECK(nodes.is_nominal_split(0) && nodes.n_leaves() == 3);
    CHECK(descend_all(nodes, {{2}, {5}, {9}, {0}, {3}, {255}}, CodeWidth::one) ==
          std::vector<NodeIndex>({first, first + 1, first + 2, first + 1, 0, 0}));
    // A category that comes later gets a leaf at the split's value.
    nodes.values_to_change(0)[0] = 6.0;
    const NodeIndex added = nodes.add_branch(0, 3);
    CHECK(nodes.value(added) == 6.0 && nodes[added].depth == 1 && nodes[added].parent == 0);
    CHECK(nodes.n_leaves() == 4);
    CHECK(descend_all(nodes, {{2}, {3}, {9}, {0}, {4}}, CodeWidth::one) ==
          std::vector<NodeIndex>({first, added, first + 2, first + 1, 0}));
}

TEST(a_split_of_two_categories_goes_the_same_way_before_and_after_a_third) {
    for (const CodeWidth width : {CodeWidth::one, CodeWidth::two, CodeWidth::four}) {
        Nodes nodes({0.0});
        const NodeIndex first = nodes.split_nominal(0, 0, {1, 2}, 1);
        const std::vector<std::vector<std::uint32_t>> rows = {{0}, {1}, {2}, {3}, {4}};
        CHECK(descend_all(nodes, rows, width) ==
              std::vector<NodeIndex>({first + 1, first, first + 1, 0, 0}));
        const NodeIndex third = nodes.add_branch(0, 3);
        CHECK(descend_all(nodes, rows, width) ==
              std::vector<NodeIndex>({first + 1, first, first + 1, third, 0}));
    }
    Nodes late({0.0});  // two categories whose children do not stand next to each other
    const NodeIndex one = late.split_nominal(0, 0, {1}, 0);
    late.split_numeric(one, 1, 3, true);
    const NodeIndex two = late.add_branch(0, 2);
    CHECK(descend_all(late, {{2, 1}}, CodeWidth::one) == std::vector<NodeIndex>({two}));
    Nodes turned({0.0});  // or in the wrong order
    const NodeIndex of_two = turned.split_nominal(0, 0, {2}, 0);
    const NodeIndex of_one = turned.add_branch(0, 1);
    CHECK(descend_all(turned, {{1}, {2}}, CodeWidth::one) ==
          std::vector<NodeIndex>({of_one, of_two}));
}

TEST(a_nominal_split_with_a_branch_for_missing_uses_it) {
    Nodes nodes({0.0});
    nodes.split_nominal(0, 0, {0, 4}, 0);
    CHECK(descend_all(nodes, {{0}, {4}, {1}}, CodeWidth::one) == std::vector<NodeIndex>({1, 2, 0}));
}

TEST(a_category_that_was_never_learned_is_unseen_at_every_width) {
    Nodes nodes({0.0});
    nodes.split_nominal(0, 0, {1, 255, 65535}, 0);
    // The largest code of a width means unseen there; in a wider one it is a category.
    CHECK(descend_all(nodes, {{255}}, CodeWidth::one)[0] == 0);
    CHECK(descend_all(nodes, {{255}}, CodeWidth::two)[0] == 2);
    CHECK(descend_all(nodes, {{65535}}, CodeWidth::two)[0] == 0);
    CHECK(descend_all(nodes, {{65535}}, CodeWidth::four)[0] == 3);
    CHECK(descend_all(nodes, {{std::numeric_limits<std::uint32_t>::max()}}, CodeWidth::four)[0] ==
          0);
}

TEST(blocks_of_rows_go_the_same_way_as_single_rows_through_random_trees) {
    Random random(3);
    for (int round = 0; round < 60; ++round) {
        const FeatureSpace features = leaves::space({8, 0, 20, 0});
        Nodes nodes({0.0});
        for (int i = 0; i < 40; ++i) {
            const auto leaf = static_cast<NodeIndex>(random.below(nodes.size()));
            if (!nodes.is_leaf(leaf)) {
                if (nodes.is_nominal_split(leaf)) {
                    const auto code = static_cast<std::uint32_t>(1 + random.below(30));
                    if (nodes.nominal(leaf).child(code) == kNoNode) nodes.add_branch(leaf, code);
                }
                continue;
            }
            const std::uint32_t feature = static_cast<std::uint32_t>(random.below(4));
            if (features.is_nominal(feature)) {
                std::vector<std::uint32_t> codes;
                for (std::uint32_t code = random.chance(0.3) ? 0 : 1; code < 12; ++code)
                    if (random.chance(0.4) || codes.empty()) codes.push_back(code);
                const std::size_t heaviest = codes[0] == 0 ? 0 : random.below(codes.size());
                nodes.split_nominal(leaf, feature, codes, heaviest);
            } else {
                const std::size_t n = features.boundaries(feature).size();
                nodes.split_numeric(leaf, feature, static_cast<std::uint32_t>(random.below(n)),
                                    random.chance(0.5));
            }
        }
        std::vector<std::vector<std::uint32_t>> rows;
        std::vector<NodeIndex> expected;
        for (std::size_t r = 0; r < 61; ++r) {
            rows.push_back({});
            for (const std::size_t n : {9U, 30U, 21U, 30U})
                rows.back().push_back(static_cast<std::uint32_t>(random.below(n)));
            expected.push_back(slow_descend(nodes, rows.back()));
        }
        for (const CodeWidth width : {CodeWidth::one, CodeWidth::two, CodeWidth::four})
            CHECK(descend_all(nodes, rows, width) == expected);
        std::size_t n_leaves = 0;
        for (NodeIndex i = 0; i < nodes.size(); ++i) n_leaves += nodes.is_leaf(i) ? 1 : 0;
        CHECK(nodes.n_leaves() == n_leaves);
        // What is saved is the same tree.
        Archive archive;
        nodes.save(archive, "t/");
        const KnownCodes known(features, archive);
        CHECK(descend_all(Nodes::load(archive, "t/", features, known, 1), rows, CodeWidth::one) ==
              expected);
    }
}

TEST(the_nominal_features_above_a_node_are_those_of_its_path) {
    Nodes nodes({0.0});
    nodes.split_nominal(0, 1, {1, 2}, 0);
    const NodeIndex below = nodes.split_numeric(1, 0, 3, true);
    const NodeIndex deep = nodes.split_nominal(below, 3, {4, 5}, 0);
    CHECK(nodes.nominals_above(0).empty());
    CHECK(nodes.nominals_above(2) == std::vector<std::uint32_t>({1}));
    CHECK(nodes.nominals_above(deep) == std::vector<std::uint32_t>({3, 1}));
}

TEST(a_tree_splits_where_its_rows_differ_and_keeps_the_value_of_the_split_node) {
    Options options;
    options.grace_period = 50;
    Workshop workshop(leaves::space({4, 0}), options);
    TreeContext& context = workshop.context;
    Tree tree({1.5}, Layout::constant_hessian, context);
    for (std::uint32_t i = 0; i < 50; ++i)
        learn(tree, {{1 + i % 4, 1 + i % 3}, {1.0, i % 4 < 2 ? 1.0 : -1.0, 1.0}}, context);
    CHECK(tree.n_splits() == 1 && tree.nodes().size() == 3);
    CHECK(tree.nodes().feature(0) == 0 && tree.nodes().boundary(0) == 1);
    CHECK(tree.values(0)[0] == 1.5);
    CHECK_CLOSE(tree.values(1)[0], 1.5 - 1.0 / 1.1, 1e-14);
    CHECK_CLOSE(tree.values(2)[0], 1.5 + 1.0 / 1.1, 1e-14);
    CHECK(tree.statistics(0) == nullptr && tree.statistics(1) == nullptr);
    CHECK(tree.cover(0) == 50.0 && tree.cover(1) == 26.0 && tree.cover(2) == 24.0);
    CHECK(tree.nodes()[0].gain > 0.0);
}

TEST(the_default_way_of_a_nominal_split_is_its_heaviest_branch_or_that_of_missing_rows) {
    for (const bool some_missing : {false, true}) {
        Options options;
        options.grace_period = 100;
        Workshop workshop(leaves::space({0}), options);
        TreeContext& context = workshop.context;
        Tree tree({0.0}, Layout::constant_hessian, context);
        for (std::uint32_t i = 0; i < 100; ++i) {
            const std::uint32_t code = i < 20 ? 2 : i < 70 ? 6 : some_missing && i > 90 ? 0 : 8;
            learn(tree, {{code}, {1.0, code == 6 ? 1.0 : -1.0, 1.0}}, context);
        }
        CHECK(tree.nodes().is_nominal_split(0));
        const NominalSplit& split = tree.nodes().nominal(0);
        CHECK(split.child(kMissingCode) == split.child(some_missing ? 0 : 6));
        CHECK(split.child(77) == kNoNode);
    }
}

TEST(a_category_that_a_split_had_not_seen_gets_a_leaf_when_it_is_learned_unless_a_limit_forbids) {
    for (const std::size_t max_leaves : {std::size_t{2}, std::size_t{3}, kUnlimited}) {
        Options options;
        options.grace_period = 50;
        options.max_leaves = max_leaves;
        Workshop workshop(leaves::space({0}), options);
        TreeContext& context = workshop.context;
        Tree tree({0.5}, Layout::constant_hessian, context);
        for (std::uint32_t i = 0; i < 50; ++i)
            learn(tree, {{1 + i % 2}, {1.0, i % 2 == 0 ? 1.0 : -1.0, 1.0}}, context);
        CHECK(tree.nodes().n_leaves() == 2);
        for (std::uint32_t code = 5; code < 8; ++code)
            learn(tree, {{code}, {1.0, 1.0, 1.0}}, context);
        CHECK(tree.nodes().n_leaves() == std::min<std::size_t>(max_leaves, 5));
        const NodeIndex fresh = tree.nodes().nominal(0).child(5);
        CHECK((fresh == kNoNode) == (max_leaves == 2));
        if (fresh != kNoNode) CHECK(tree.values(fresh)[0] == 0.5 && tree.cover(fresh) == 1.0);
    }
}

TEST(a_nominal_feature_is_not_used_twice_on_a_path) {
    Options options;
    options.grace_period = 20;
    options.delta = 0.5;
    options.gamma = 0.0;
    Workshop workshop(leaves::space({0, 0, 5}), options);
    TreeContext& context = workshop.context;
    Tree tree({0.0}, Layout::moments, context);
    Random random(5);
    for (int i = 0; i < 3000; ++i)
        learn(tree, leaves::random_row(context.features, Layout::moments, 0.1, false, 4, random),
              context);
    CHECK(tree.n_splits() > 5);
    for (NodeIndex i = 0; i < tree.nodes().size(); ++i) {
        std::vector<std::uint32_t> used = tree.nodes().nominals_above(i);
        std::sort(used.begin(), used.end());
        CHECK(std::adjacent_find(used.begin(), used.end()) == used.end());
    }
}

int main(int argc, char** argv) {
    return check::run(argc, argv);
}
