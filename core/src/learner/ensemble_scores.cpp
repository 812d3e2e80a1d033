// The scores of blocks of rows, which are not learned.
#include <algorithm>
#include <span>
#include <stdexcept>
#include <vector>

#include "sgt/leaf/leaf_models.hpp"
#include "sgt/learner/ensemble.hpp"

namespace sgt {

namespace {

// Tree after tree writes among the scores of these rows: so few that the cache has them all.
std::size_t rows_together(std::size_t outputs) {
    constexpr std::size_t kScores = 4096, kFewest = 128;
    return std::max(kFewest, kScores / std::max<std::size_t>(outputs, 1));
}

// Calls put(a number of `to`, score_of(node, output)) for rows that have come to these nodes; the
// numbers of the next row are so much further.
template <class Put, class ScoreOf>
void put_each(std::span<const NodeIndex> nodes, std::size_t outputs, double* to, std::size_t stride,
              Put&& put, ScoreOf&& score_of) {
    if (outputs == 1) {
        for (std::size_t r = 0; r < nodes.size(); ++r) put(to[r * stride], score_of(nodes[r], 0));
        return;
    }
    for (const NodeIndex node : nodes) {
        for (std::size_t j = 0; j < outputs; ++j) put(to[j], score_of(node, j));
        to += stride;
    }
}

template <class Put>
void put_constants(const Tree& tree, std::span<const NodeIndex> nodes, double* to,
                   std::size_t stride, Put&& put) {
    const Offsets& offsets = tree.offsets();
    const std::size_t outputs = tree.layout().outputs;
    const double* values = tree.values(0);
    const std::size_t of_node = tree.nodes().values_stride();
    const auto put_all = [&](auto&& score_of) {
        put_each(nodes, outputs, to, stride, put, score_of);
    };
    if (!offsets.are_chosen()) {
        put_all([=](std::size_t node, std::size_t j) { return values[node * of_node + j]; });
    } else if (outputs == 1) {
        const double* of_way = offsets.at(0) + offsets.chosen_way(0) - 1;
        const std::size_t width = offsets.n_rates();
        put_all([=](std::size_t node, std::size_t) { return values[node] + of_way[node * width]; });
    } else {
        put_all([&](NodeIndex node, std::size_t j) { return tree.predicted_value(node, j); });
    }
}

// The same where leaves read the numbers of a row.
template <class Leaves, class Put>
void put_scores(const Tree& tree, const Standardiser& standardiser, const RowsView& x,
                std::span<const NodeIndex> nodes, double* to, std::size_t stride, Put&& put) {
    std::vector<double> inputs(1 + standardiser.size()), scores(tree.layout().outputs);
    for (std::size_t r = 0; r < nodes.size(); ++r, to += stride) {
        standardiser.write(x, r, inputs.data());
        tree.write_scores<Leaves>(nodes[r], inputs.data(), scores.data());
        tree.offsets().add_chosen(nodes[r], scores.data());
        for (std::size_t j = 0; j < scores.size(); ++j) put(to[j], scores[j]);
    }
}

// The scores of a tree, added to what is there or in its place.
void write_scores_of(const Tree& tree, const TreeContext& context, const RowsView& x,
                     std::span<const NodeIndex> nodes, double* to, std::size_t stride, bool adds) {
    const auto put_by = [&](auto&& put) {
        with_leaf_model(context.options, [&]<class Leaves>(Leaves*) {
            if constexpr (Leaves::kReadsInputs)
                put_scores<Leaves>(tree, context.standardiser, x, nodes, to, stride, put);
            else
                put_constants(tree, nodes, to, stride, put);
        });
    };
    const double weight = tree.options().shrinkage;
    if (adds)
        put_by([=](double& sum, double score) { sum += weight * score; });
    else
        put_by([](double& raw_score, double score) { raw_score = score; });
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
    const std::size_t outputs = n_outputs();
    const double calibrated = factor();
    const std::vector<double> before = start();
    for (std::size_t r = 0; r < codes.rows; ++r)
        for (std::size_t j = 0; j < outputs; ++j) raw[r * outputs + j] = before[j];
    std::vector<NodeIndex> nodes(codes.rows);
    const std::size_t together = rows_together(outputs);
    for (std::size_t begin = 0; begin < codes.rows; begin += together) {
        const std::size_t end = std::min(begin + together, codes.rows);
        for (std::size_t m = 0; m < members_.size(); ++m)
            if (members == kInUse ? is_used(m) : m < members)
                add_scores(m, codes, begin, end, x, nodes, raw);
        if (calibrated != 1.0)
            for (std::size_t i = begin * outputs; i < end * outputs; ++i) raw[i] *= calibrated;
    }
}

void Ensemble::add_scores(std::size_t member, const CodeBlock& codes, std::size_t begin,
                          std::size_t end, const RowsView& x, std::vector<NodeIndex>& nodes,
                          double* raw) const {
    const std::size_t outputs = n_outputs();
    const std::span<NodeIndex> of_rows(nodes.data() + begin, end - begin);
    const RowsView part = x.slice(begin, end);
    for (const auto& [tree, first_output] : members_[member]->trees) {
        tree.nodes().descend_block(codes, begin, end, nodes.data());
        write_scores_of(tree, members_[member]->context, part, of_rows,
                        raw + begin * outputs + first_output, outputs, adds_up());
    }
}

void Ensemble::end_stage(std::size_t member, const CodeBlock& codes, const RowsView& x,
                         double* scores) {
    std::vector<NodeIndex> nodes(codes.rows);
    const std::size_t together = rows_together(n_outputs());
    for (std::size_t begin = 0; begin < codes.rows; begin += together)
        add_scores(member, codes, begin, std::min(begin + together, codes.rows), x, nodes, scores);
    Member& of_stage = *members_[member];
    for (TreeSet::Entry& entry : of_stage.trees) entry.tree.forget(of_stage.context);
}

}  // namespace sgt
