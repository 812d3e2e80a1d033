#include "sgt/tree/past_values.hpp"

#include <algorithm>
#include <cmath>

namespace sgt {

void PastValues::note_nodes(NodeIndex first, std::uint64_t row, std::size_t most) {
    if (!is_on()) return;
    drop_known(row);
    new_nodes_.push_back({row, first});
    keep_within(most);
}

void PastValues::note_value(NodeIndex leaf, const double* before, std::size_t outputs,
                            std::uint64_t row, std::size_t most) {
    if (!is_on()) return;
    drop_known(row);
    before_.push_back({row, leaf, std::vector<double>(before, before + outputs)});
    n_values_ += outputs;
    keep_within(most);
}

void PastValues::drop_known(std::uint64_t row) {
    const std::uint64_t unknown = first_unknown(row);
    while (!new_nodes_.empty() && new_nodes_.front().row < unknown) new_nodes_.pop_front();
    while (!before_.empty() && before_.front().row < unknown) drop_oldest_value();
}

void PastValues::drop_oldest_value() {
    n_values_ -= before_.front().values.size();
    before_.pop_front();
}

void PastValues::keep_within(std::size_t most) {
    while (bytes() > most) {
        if (before_.empty() ||
            (!new_nodes_.empty() && new_nodes_.front().row < before_.front().row))
            new_nodes_.pop_front();
        else
            drop_oldest_value();
    }
}

void PastValues::write(const Nodes& nodes, NodeIndex node, std::uint64_t row, std::size_t outputs,
                       double* values) const {
    const std::uint64_t unknown = first_unknown(row);
    const auto is_unknown = [&](const auto& change) { return change.row >= unknown; };
    const auto come = std::find_if(new_nodes_.begin(), new_nodes_.end(), is_unknown);
    if (come != new_nodes_.end())
        while (node >= come->first) node = nodes[node].parent;
    std::copy_n(nodes.values(node), outputs, values);
    const auto first = std::find_if(before_.begin(), before_.end(), [&](const Before& change) {
        return is_unknown(change) && change.leaf == node;
    });
    if (first != before_.end())
        std::copy_n(first->values.begin(), std::min(outputs, first->values.size()), values);
}

void PastValues::clear() {
    new_nodes_.clear();
    before_.clear();
    n_values_ = 0;
}

void PastValues::save(Archive& archive, const std::string& prefix) const {
    if (!is_on()) return;
    std::vector<std::int64_t> new_nodes, leaves;
    std::vector<double> values;
    for (const NewNodes& change : new_nodes_)
        for (const std::uint64_t number : {change.row, std::uint64_t{change.first}})
            new_nodes.push_back(static_cast<std::int64_t>(number));
    for (const Before& change : before_) {
        for (const std::uint64_t number :
             {change.row, std::uint64_t{change.leaf}, std::uint64_t{change.values.size()}})
            leaves.push_back(static_cast<std::int64_t>(number));
        values.insert(values.end(), change.values.begin(), change.values.end());
    }
    archive.put(prefix + "past/new_nodes", std::move(new_nodes));
    archive.put(prefix + "past/leaves", std::move(leaves));
    archive.put(prefix + "past/values", std::move(values));
}

void PastValues::load(const ArchiveView& archive, const std::string& prefix, std::size_t nodes,
                      std::size_t outputs) {
    clear();
    // Files from before there were past values have none: the changes of the rows that were late
    // then count as known.
    if (!is_on() || !archive.has(prefix + "past/leaves")) return;
    const std::string of_nodes = prefix + "past/new_nodes", of_leaves = prefix + "past/leaves",
                      of_values = prefix + "past/values";
    ArrayReader<std::int64_t> new_nodes(archive, of_nodes), leaves(archive, of_leaves);
    ArrayReader<double> values(archive, of_values);
    std::uint64_t latest = 0;
    const auto next_row = [&](auto& reader, const std::string& name) {
        const std::uint64_t row = to_count(reader.next(), name);
        if (row < latest) Archive::fail(name, "is out of order");
        return latest = row;
    };
    NodeIndex least = 1;  // the root was there from the start
    for (std::size_t n = archive.get<std::int64_t>(of_nodes).size() / 2; n > 0; --n) {
        const std::uint64_t row = next_row(new_nodes, of_nodes);
        const std::uint64_t first = to_count(new_nodes.next(), of_nodes);
        if (first < least || first >= nodes) Archive::fail(of_nodes, "names a node out of order");
        least = static_cast<NodeIndex>(first);
        new_nodes_.push_back({row, least});
    }
    new_nodes.finish();
    latest = 0;
    for (std::size_t n = archive.get<std::int64_t>(of_leaves).size() / 3; n > 0; --n) {
        const std::uint64_t row = next_row(leaves, of_leaves);
        const std::uint64_t leaf = to_count(leaves.next(), of_leaves);
        const std::uint64_t size = to_count(leaves.next(), of_leaves);
        if (leaf >= nodes) Archive::fail(of_leaves, "names a node that does not exist");
        if (size == 0 || size > outputs) Archive::fail(of_leaves, "has too many outputs, or none");
        const double* taken = values.take(size);
        if (!std::all_of(taken, taken + size, [](double v) { return std::isfinite(v); }))
            Archive::fail(of_values, "must be finite");
        before_.push_back(
            {row, static_cast<NodeIndex>(leaf), std::vector<double>(taken, taken + size)});
        n_values_ += size;
    }
    leaves.finish();
    values.finish();
}

}  // namespace sgt
