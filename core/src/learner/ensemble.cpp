#include "sgt/learner/ensemble.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "sgt/leaf/leaf_models.hpp"
#include "sgt/loss/softmax.hpp"

namespace sgt {

Ensemble::Ensemble(std::vector<TreeOptions> stages) : stages_(std::move(stages)) {
    if (stages_.empty()) throw std::invalid_argument("an ensemble must have at least one stage");
    for (const TreeOptions& options : stages_) options.check();
}

void Ensemble::create(const std::vector<TreeStart>& of_stage, std::size_t n_outputs,
                      TreeContext& context) {
    start_.assign(n_outputs, 0.0);
    for (const TreeStart& start : of_stage) add_to_all_stages(start, context);
}

void Ensemble::add_to_all_stages(const TreeStart& start, TreeContext& context) {
    std::vector<double> root = start.root;
    if (!value_is_score()) std::fill(root.begin(), root.end(), 0.0);
    for (std::size_t j = 0; j < root.size(); ++j)
        start_[start.first_output + j] = value_is_score() ? kNothing : start.root[j];
    for (std::size_t stage = 0; stage < stages_.size(); ++stage) {
        const auto next_stage = std::find_if(members_.begin(), members_.end(),
                                             [&](const Member& m) { return m.stage > stage; });
        members_.insert(next_stage, {Tree(root, start.layout, context, stages_[stage]),
                                     start.first_output, stage});
    }
}

Ensemble Ensemble::fresh(TreeContext& context) const {
    Ensemble trees(stages_);
    trees.start_ = start_;
    for (const Member& member : members_) {
        const Layout layout = member.tree.layout();
        const double* root = member.tree.values(0);
        trees.members_.push_back(
            {Tree(value_is_score() ? std::vector<double>(root, root + layout.outputs)
                                   : std::vector<double>(layout.outputs, 0.0),
                  layout, context, stages_[member.stage]),
             member.first_output, member.stage});
    }
    return trees;
}

void Ensemble::give_back_memory(TreeContext& context) const {
    for (const Member& member : members_) member.tree.give_back_memory(context);
}

void Ensemble::add_class(const NewClass& added, std::size_t n_outputs, const Tree::ReaderAt& reader,
                         TreeContext& context) {
    if (added.moments_are_needed)
        for (Member& member : members_) member.tree.become_moments(reader, context);
    start_.resize(n_outputs, added.is_in_every_leaf ? kNothing : 0.0);
    if (added.tree) return add_to_all_stages(*added.tree, context);
    if (!added.is_in_every_leaf) return;
    const bool from_data = context.options.start_from_data;
    for (Member& member : members_) {
        std::vector<double> values(member.tree.nodes().size(), 0.0);
        for (NodeIndex i = 0; i < values.size() && from_data; ++i)
            values[i] =
                log_sum_exp(member.tree.values(i), member.tree.layout().outputs) + added.log_share;
        member.tree.add_class(values, context);
    }
}

void Ensemble::replace(std::size_t index, Tree tree, TreeContext& context) {
    members_[index].tree.give_back_memory(context);
    members_[index].tree = std::move(tree);
}

void Ensemble::write_scores(const CodeBlock& codes, const RowsView& x, const TreeContext& context,
                            double* raw) const {
    const std::size_t n = codes.rows, outputs = n_outputs();
    std::vector<NodeIndex> nodes(n);
    const bool is_sum = !value_is_score();
    for (std::size_t r = 0; r < n; ++r)
        for (std::size_t k = 0; k < outputs; ++k) raw[r * outputs + k] = start_[k];
    with_leaf_model(context.options, [&]<class Leaves>(Leaves*) {
        std::vector<double> inputs(Leaves::kReadsInputs ? 1 + context.standardiser.size() : 0);
        for (const Member& member : members_) {
            member.tree.nodes().descend_block(codes, 0, n, nodes.data());
            double* of_tree = raw + member.first_output;
            for (std::size_t r = 0; r < n; ++r) {
                if constexpr (Leaves::kReadsInputs) context.standardiser.write(x, r, inputs.data());
                if (is_sum)
                    member.tree.template add_scores<Leaves>(nodes[r], inputs.data(),
                                                            member.tree.options().shrinkage,
                                                            of_tree + r * outputs);
                else
                    member.tree.template write_scores<Leaves>(nodes[r], inputs.data(),
                                                              of_tree + r * outputs);
                member.tree.add_chosen_offsets(nodes[r], of_tree + r * outputs);
            }
        }
    });
}

void Ensemble::save(Archive& archive, const std::string& prefix, const TreeContext& context,
                    bool inference_only) const {
    archive.put<std::int64_t>(prefix + "trees", {static_cast<std::int64_t>(members_.size())});
    archive.put<std::int64_t>(prefix + "stages", {static_cast<std::int64_t>(stages_.size())});
    archive.put(prefix + "start", start_);
    for (std::size_t t = 0; t < members_.size(); ++t)
        members_[t].tree.save(archive, prefix + "tree" + std::to_string(t) + "/", context,
                              inference_only);
}

void Ensemble::load(const ArchiveView& archive, const std::string& prefix,
                    const Objective& objective, const WarmUp& warm_up, const KnownCodes& codes,
                    TreeContext& context) {
    const std::uint64_t n_trees = archive.get_count(prefix + "trees");
    if (archive.get_count(prefix + "stages") != stages_.size())
        Archive::fail(prefix + "stages", "does not fit the model");
    if (n_trees != (warm_up.is_active() ? 0 : objective.n_trees() * stages_.size()))
        Archive::fail(prefix + "trees", "does not fit the model");
    start_ = to_vector(archive.get<double>(prefix + "start"));
    if (start_.size() != (warm_up.is_active() ? 0 : objective.n_outputs()))
        Archive::fail(prefix + "start", "does not fit the outputs");
    if (n_trees == 0) return;
    // (Only now: a damaged number of outputs could need any amount of memory.)
    const std::vector<TreeStart> of_stage = objective.trees(warm_up, false);
    for (std::size_t t = 0; t < n_trees; ++t) {
        const TreeStart& expected = of_stage[t % of_stage.size()];
        const std::size_t stage = t / of_stage.size();
        const std::string of_tree = prefix + "tree" + std::to_string(t) + "/";
        Tree tree = Tree::load(archive, of_tree, codes, context);
        if (tree.layout() != expected.layout)
            Archive::fail(prefix + "trees", "does not fit the loss of the model");
        if (tree.options().shrinkage != stages_[stage].shrinkage)
            Archive::fail(of_tree + "options/shares", "does not fit the stage of the tree");
        members_.push_back({std::move(tree), expected.first_output, stage});
    }
}

}  // namespace sgt
