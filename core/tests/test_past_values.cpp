// What the values of a tree were some rows ago.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "check.hpp"
#include "sgt/tree/past_values.hpp"

namespace {

using sgt::NodeIndex;
using sgt::Nodes;
using sgt::PastValues;

double value_at(const PastValues& past, const Nodes& nodes, NodeIndex node, std::uint64_t row) {
    double value = 0.0;
    past.write(nodes, node, row, 1, &value);
    return value;
}

// A tree whose changes are noted.
struct Changed {
    Nodes nodes{std::vector<double>{1.0}};
    PastValues past{10};

    void move(NodeIndex leaf, double to, std::uint64_t row) {
        past.note_value(leaf, nodes.values(leaf), 1, row);
        nodes.values_to_change(leaf)[0] = to;
    }
    NodeIndex split(NodeIndex leaf, std::uint64_t row) {
        const NodeIndex first = nodes.split_numeric(leaf, 0, 3, true);
        past.note_nodes(first, row);
        return first;
    }
};

}  // namespace

TEST(a_value_is_the_one_before_the_changes_of_the_latest_rows) {
    Changed tree;
    tree.move(0, 2.0, 100);
    tree.move(0, 3.0, 105);
    CHECK(value_at(tree.past, tree.nodes, 0, 106) == 1.0);
    CHECK(value_at(tree.past, tree.nodes, 0, 110) == 1.0);  // row 100 is the first that is late
    CHECK(value_at(tree.past, tree.nodes, 0, 111) == 2.0);
    CHECK(value_at(tree.past, tree.nodes, 0, 115) == 2.0);
    CHECK(value_at(tree.past, tree.nodes, 0, 116) == 3.0);
}

TEST(a_row_at_a_new_leaf_was_at_the_one_that_has_split) {
    Changed tree;
    tree.move(0, 2.0, 100);
    const NodeIndex left = tree.split(0, 104);
    tree.move(left, 5.0, 106);
    const NodeIndex deeper = tree.split(left + 1, 108);
    tree.move(deeper, 7.0, 108);
    CHECK(value_at(tree.past, tree.nodes, left, 109) == 1.0);
    CHECK(value_at(tree.past, tree.nodes, deeper, 109) == 1.0);
    CHECK(value_at(tree.past, tree.nodes, deeper, 112) == 2.0);
    // The first split counts, the value of its left leaf does not yet.
    CHECK(value_at(tree.past, tree.nodes, left, 115) == 2.0);
    CHECK(value_at(tree.past, tree.nodes, left, 117) == 5.0);
    CHECK(value_at(tree.past, tree.nodes, deeper, 119) == 7.0);
}

TEST(an_output_that_has_come_since_is_as_it_is_now) {
    Nodes nodes(std::vector<double>{4.0, 6.0});
    PastValues past(10);
    const double before = 3.0;
    past.note_value(0, &before, 1, 50);
    double values[2] = {};
    past.write(nodes, 0, 51, 2, values);
    CHECK(values[0] == 3.0 && values[1] == 6.0);
}

TEST(without_rows_nothing_is_noted) {
    Nodes nodes(std::vector<double>{1.0});
    PastValues past;
    const double before = 3.0;
    past.note_value(0, &before, 1, 50);
    past.note_nodes(1, 50);
    CHECK(!past.is_on() && value_at(past, nodes, 0, 50) == 1.0);
    sgt::Archive archive;
    past.save(archive, "");
    CHECK(archive.arrays().empty());
}

TEST(within_a_limit_of_bytes_the_oldest_changes_are_forgotten) {
    Changed tree;
    tree.move(0, 2.0, 100);
    const NodeIndex left = tree.split(0, 101);
    tree.move(left, 5.0, 102);
    const std::size_t all = tree.past.bytes();
    tree.past.note_value(left, tree.nodes.values(left), 1, 103, all);
    tree.nodes.values_to_change(left)[0] = 6.0;
    CHECK(tree.past.bytes() <= all);
    // The first change counts as known, the split and the later ones do not.
    CHECK(value_at(tree.past, tree.nodes, left, 104) == 2.0);
    CHECK(value_at(tree.past, tree.nodes, left, 112) == 2.0);
    CHECK(value_at(tree.past, tree.nodes, left, 113) == 5.0);
    tree.past.note_nodes(left, 104, 0);
    CHECK(tree.past.bytes() == 0);
    CHECK(value_at(tree.past, tree.nodes, left, 105) == 6.0);
}

TEST(what_is_saved_is_loaded_and_damaged_states_are_refused) {
    Changed tree;
    tree.move(0, 2.0, 100);
    const NodeIndex left = tree.split(0, 104);
    tree.move(left, 5.0, 106);
    sgt::Archive archive;
    tree.past.save(archive, "tree0/");
    PastValues loaded(10);
    loaded.load(archive, "tree0/", tree.nodes.size(), 1);
    for (std::uint64_t row = 106; row < 120; ++row)
        for (NodeIndex node = 0; node < tree.nodes.size(); ++node)
            CHECK(value_at(loaded, tree.nodes, node, row) ==
                  value_at(tree.past, tree.nodes, node, row));
    // Files of earlier versions have none.
    loaded.load(sgt::Archive(), "tree0/", tree.nodes.size(), 1);
    CHECK(value_at(loaded, tree.nodes, left, 107) == 5.0);

    const auto refuses = [&](const std::vector<std::int64_t>& new_nodes,
                             const std::vector<std::int64_t>& leaves,
                             const std::vector<double>& values) {
        sgt::Archive bad;
        bad.put("past/new_nodes", new_nodes);
        bad.put("past/leaves", leaves);
        bad.put("past/values", values);
        CHECK_THROWS(std::invalid_argument, PastValues(10).load(bad, "", 3, 1));
    };
    refuses({5, 0}, {}, {});             // the root has no parent
    refuses({5, 3}, {}, {});             // no such node
    refuses({5, 1, 4, 2}, {}, {});       // rows out of order
    refuses({5, 2, 6, 1}, {}, {});       // nodes out of order
    refuses({5, 1, 6}, {}, {});          // half a change
    refuses({}, {5, 3, 1}, {1.0});       // no such node
    refuses({}, {5, 0, 2}, {1.0, 2.0});  // more outputs than there are
    refuses({}, {5, 0, 1}, {});          // no value
    refuses({}, {5, 0, 1}, {1.0, 2.0});  // one too many
    refuses({}, {5, 0, 1}, {std::nan("")});
}

int main(int argc, char** argv) {
    return check::run(argc, argv);
}
