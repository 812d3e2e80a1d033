// The scores of blocks of rows, which are not learned.
#include <algorithm>
#include <stdexcept>
#include <vector>

#include "sgt/leaf/leaf_models.hpp"
#include "sgt/learner/ensemble.hpp"

namespace sgt {

namespace {

// Calls put(a number of `to`, the score) for rows that have come to these nodes; the numbers of the
// next row are so much further.
template <class Put>
void put_constants(const Tree& tree, const std::vector<NodeIndex>& nodes, double* to,
                   std::size_t stride, Put&& put) {
    const Offsets& offsets = tree.offsets();
    const std::size_t outputs = tree.layout().outputs, way = offsets.chosen_way(0);
    if (!offsets.are_chosen()) {
        for (const NodeIndex node : nodes) {
            const double* values = tree.values(node);
            for (std::size_t j = 0; j < outputs; ++j) put(to[j], values[j]);
            to += stride;
        }
    } else if (outputs == 1) {
        for (const NodeIndex node : nodes) {
            put(*to, *tree.values(node) + offsets.at(node)[way - 1]);
            to += stride;
        }
    } else {
        for (const NodeIndex node : nodes) {
            for (std::size_t j = 0; j < outputs; ++j) put(to[j], tree.predicted_value(node, j));
            to += stride;
        }
    }
}

// The same where leaves read the numbers of a row.
template <class Leaves, class Put>
void put_scores(const Tree& tree, const Standardiser& standardiser, const RowsView& x,
                const std::vector<NodeIndex>& nodes, double* to, std::size_t stride, Put&& put) {
    std::vector<double> inputs(1 + standardiser.size()), scores(tree.layout().outputs);
    for (std::size_t r = 0; r < nodes.size(); ++r, to += stride) {
        standardiser.write(x, r, inputs.data());
        tree.write_scores<Leaves>(nodes[r], inputs.data(), scores.data());
        tree.offsets().add_chosen(nodes[r], scores.data());
        for (std::size_t j = 0; j < scores.size(); ++j) put(to[j], scores[j]);
    }
}

}  // namespace

void Ensemble::check_members(std::size_t members) const {
    if (members == kInUse) return;
    if (!learns_in_turn()) throw std::invalid_argument("only boosted members predict in stages");
    if (members == 0 || members > size())
        throw std::invalid_argument("there is no such number of members");
}

void Ensemble::write_scores(const CodeBlock& codes, const RowsView& x, double* raw,
                            std::size_t members) const {
    const std::size_t n = codes.rows, outputs = n_outputs();
    const std::vector<double> before = start();
    for (std::size_t r = 0; r < n; ++r) std::copy_n(before.data(), outputs, raw + r * outputs);
    std::vector<NodeIndex> nodes(n);
    for (std::size_t m = 0; m < members_.size(); ++m) {
        if (members == kInUse ? !is_used(m) : m >= members) continue;
        const TreeContext& context = members_[m]->context;
        for (const auto& [tree, first_output] : members_[m]->trees) {
            tree.nodes().descend_block(codes, 0, n, nodes.data());
            const double weight = tree.options().shrinkage;
            const auto put = [&](auto&& put_score) {
                double* to = raw + first_output;
                with_leaf_model(context.options, [&]<class Leaves>(Leaves*) {
                    if constexpr (Leaves::kReadsInputs)
                        put_scores<Leaves>(tree, context.standardiser, x, nodes, to, outputs,
                                           put_score);
                    else
                        put_constants(tree, nodes, to, outputs, put_score);
                });
            };
            if (adds_up())
                put([=](double& sum, double score) { sum += weight * score; });
            else
                put([](double& raw_score, double score) { raw_score = score; });
        }
    }
}

}  // namespace sgt
