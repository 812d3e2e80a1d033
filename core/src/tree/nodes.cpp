#include "sgt/tree/nodes.hpp"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

namespace sgt {

NodeIndex NominalSplit::child(std::uint32_t code) const {
    const auto at = std::lower_bound(codes.begin(), codes.end(), code);
    if (at != codes.end() && *at == code)
        return children[static_cast<std::size_t>(at - codes.begin())];
    return code == kMissingCode ? default_child : kNoNode;
}

void NominalSplit::insert(std::uint32_t code, NodeIndex child) {
    const auto at = std::lower_bound(codes.begin(), codes.end(), code);
    children.insert(children.begin() + (at - codes.begin()), child);
    codes.insert(at, code);
}

bool NominalSplit::sort() {
    std::vector<std::pair<std::uint32_t, NodeIndex>> branches;
    for (std::size_t j = 0; j < codes.size(); ++j) branches.emplace_back(codes[j], children[j]);
    std::sort(branches.begin(), branches.end());
    for (std::size_t j = 0; j < branches.size(); ++j) std::tie(codes[j], children[j]) = branches[j];
    return std::adjacent_find(codes.begin(), codes.end()) == codes.end();
}

Nodes::Nodes(std::vector<double> root_value) : routes_(1), nodes_(1) {
    const std::size_t outputs = root_value.size();
    values_ = GrowingRows(std::move(root_value), outputs);
}

std::vector<std::uint32_t> Nodes::nominals_above(NodeIndex i) const {
    std::vector<std::uint32_t> used;
    for (NodeIndex above = nodes_[i].nominal_above; above != kNoNode;
         above = nodes_[above].nominal_above)
        used.push_back(static_cast<std::uint32_t>(feature(above)));
    return used;
}

NodeIndex Nodes::append_children(NodeIndex parent, bool nominal, std::size_t n) {
    const auto first = static_cast<NodeIndex>(nodes_.size());
    Node child;
    child.parent = parent;
    child.depth = nodes_[parent].depth + 1;
    child.nominal_above = nominal_from(parent, nominal);
    nodes_.resize(nodes_.size() + n, child);
    values_.append(n);
    for (std::size_t i = 0; i < n; ++i)
        std::copy_n(values(parent), outputs(), values_.row(first + i));
    for (std::size_t i = 0; i < n; ++i)
        routes_.emplace_back().child = first + static_cast<NodeIndex>(i);
    depth_ = std::max<std::size_t>(depth_, child.depth);
    n_leaves_ += n;
    return first;
}

NodeIndex Nodes::split_numeric(NodeIndex leaf, std::uint32_t feature, std::uint32_t boundary,
                               bool missing_left) {
    const NodeIndex first = append_children(leaf, false, 2);
    nodes_[first + 1].branch = 1;
    routes_[leaf] = {feature, first, boundary + 1, missing_left ? 0U : 1U};
    --n_leaves_;
    return first;
}

NodeIndex Nodes::split_nominal(NodeIndex leaf, std::uint32_t feature,
                               const std::vector<std::uint32_t>& codes,
                               std::size_t default_branch) {
    const NodeIndex first = append_children(leaf, true, codes.size());
    NominalSplit split;
    for (std::size_t j = 0; j < codes.size(); ++j) {
        nodes_[first + j].branch = codes[j];
        split.codes.push_back(codes[j]);
        split.children.push_back(first + static_cast<NodeIndex>(j));
    }
    split.default_child = first + static_cast<NodeIndex>(default_branch);
    routes_[leaf] = {feature, static_cast<NodeIndex>(nominal_.size()), 0, kNominal};
    nominal_.push_back(std::move(split));
    note_pair(leaf);
    --n_leaves_;
    return first;
}

NodeIndex Nodes::add_branch(NodeIndex split, std::uint32_t code) {
    const NodeIndex child = append_children(split, true, 1);
    nodes_[child].branch = code;
    nominal_[routes_[split].child].insert(code, child);
    note_pair(split);
    return child;
}

void Nodes::note_pair(NodeIndex nominal_split) {
    const NominalSplit& split = nominal(nominal_split);
    const bool is_pair = split.codes == std::vector<std::uint32_t>{1, 2} &&
                         split.children[1] == split.children[0] + 1;
    routes_[nominal_split].threshold = is_pair ? split.children[0] : 0;
}

void Nodes::add_output(const std::vector<double>& values, bool with_slack) {
    const std::size_t last = outputs();
    values_.widen(1, with_slack);
    for (std::size_t i = 0; i < nodes_.size(); ++i) values_.row(i)[last] = values[i];
}

template <bool kAnyNominal, class Code>
void Nodes::descend_rows(const CodeBlock& block, std::size_t begin, std::size_t end,
                         NodeIndex* nodes) const {
    constexpr std::size_t kTogether = 16;
    const auto* codes = reinterpret_cast<const Code*>(block.bytes.data());
    const std::size_t d = block.features;
    std::size_t r = begin;
    for (; r + kTogether <= end; r += kTogether) {
        std::array<NodeIndex, kTogether> at{};
        for (bool moving = true; moving;) {
            moving = false;
            for (std::size_t j = 0; j < kTogether; ++j) {
                const NodeIndex next = step<kAnyNominal>(at[j], codes + (r + j) * d);
                moving |= next != at[j];
                at[j] = next;
            }
        }
        std::copy(at.begin(), at.end(), nodes + r);
    }
    for (; r < end; ++r) nodes[r] = descend(0, codes + r * d);
}

void Nodes::descend_block(const CodeBlock& block, std::size_t begin, std::size_t end,
                          NodeIndex* nodes) const {
    if (nodes_.size() == 1) return std::fill(nodes + begin, nodes + end, NodeIndex{0});
    with_code_type(block.width, [&]<class Code>(Code) {
        if (nominal_.empty())
            descend_rows<false, Code>(block, begin, end, nodes);
        else
            descend_rows<true, Code>(block, begin, end, nodes);
    });
}

void Nodes::note_boundaries(std::size_t feature, std::vector<bool>& used) const {
    for (NodeIndex i = 0; i < size(); ++i)
        if (this->feature(i) == static_cast<std::int32_t>(feature)) used[boundary(i)] = true;
}

void Nodes::renew_bins(const RenewedBins& renewed) {
    for (Route& route : routes_)
        if (route.bias != kLeaf && route.column == renewed.feature)
            route.threshold = renewed.new_threshold[route.threshold];
}

}  // namespace sgt
