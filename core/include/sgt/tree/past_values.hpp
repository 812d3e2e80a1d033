// What the values of a tree were some rows ago: where labels are late, that is what could have been
// predicted. Only the changes of the latest rows are kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "sgt/archive/archive.hpp"
#include "sgt/options.hpp"
#include "sgt/tree/nodes.hpp"

namespace sgt {

class PastValues {
public:
    // Of so many rows ago; 0: it is off, and notes nothing.
    explicit PastValues(std::size_t rows = 0) : rows_(rows) {}

    bool is_on() const {
        return rows_ > 0;
    }
    // With the row of this number (the rows learned before it) nodes have come, from `first` on.
    // What takes more bytes than `most` is forgotten, the oldest first.
    void note_nodes(NodeIndex first, std::uint64_t row, std::size_t most = kUnlimited);
    // A leaf's value changes from these.
    void note_value(NodeIndex leaf, const double* before, std::size_t outputs, std::uint64_t row,
                    std::size_t most = kUnlimited);

    // The value that a row at this node would have had, before the latest rows were learned. An
    // output that has come since is as it is now.
    void write(const Nodes& nodes, NodeIndex node, std::uint64_t row, std::size_t outputs,
               double* values) const;

    void clear();
    std::size_t bytes() const {
        return new_nodes_.size() * sizeof(NewNodes) + before_.size() * sizeof(Before) +
               n_values_ * sizeof(double);
    }

    void save(Archive& archive, const std::string& prefix) const;
    void load(const ArchiveView& archive, const std::string& prefix, std::size_t nodes,
              std::size_t outputs);

private:
    // Nodes have numbers in the order in which they come, so that those which have come since a row
    // are the last ones.
    struct NewNodes {
        std::uint64_t row;
        NodeIndex first;
    };
    struct Before {
        std::uint64_t row;
        NodeIndex leaf;
        std::vector<double> values;
    };
    // The first of the rows that were not known, when the row of this number was predicted.
    std::uint64_t first_unknown(std::uint64_t row) const {
        return row > rows_ ? row - rows_ : 0;
    }
    void drop_known(std::uint64_t row);
    void drop_oldest_value();
    void keep_within(std::size_t most);

    std::size_t rows_;
    std::deque<NewNodes> new_nodes_;  // oldest first
    std::deque<Before> before_;       // likewise
    std::size_t n_values_ = 0;        // in them
};

}  // namespace sgt
