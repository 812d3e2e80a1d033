#include "sgt/learner/tree_set.hpp"

#include <string>
#include <utility>

namespace sgt {

void TreeSet::create(const std::vector<TreeStart>& starts, std::size_t n_outputs,
                     TreeContext& context) {
    n_outputs_ = n_outputs;
    for (const TreeStart& start : starts) add(start, context);
}

void TreeSet::add(const TreeStart& start, TreeContext& context) {
    entries_.push_back(
        {Tree(adds_to_others_ ? std::vector<double>(start.root.size(), 0.0) : start.root,
              start.layout, context, options_),
         start.first_output});
}

TreeSet TreeSet::fresh(TreeContext& context) const {
    TreeSet trees(options_, adds_to_others_);
    trees.n_outputs_ = n_outputs_;
    for (const Entry& entry : entries_) {
        const double* root = entry.tree.values(0);
        const std::size_t outputs = entry.tree.layout().outputs;
        trees.add({entry.first_output, {root, root + outputs}, entry.tree.layout()}, context);
    }
    return trees;
}

void TreeSet::give_back_memory(TreeContext& context) const {
    for (const Entry& entry : entries_) entry.tree.give_back_memory(context);
}

void TreeSet::add_class(const NewClass& added, std::size_t n_outputs, const Tree::ReaderAt& reader,
                        TreeContext& context) {
    n_outputs_ = n_outputs;
    if (added.moments_are_needed)
        for (Entry& entry : entries_) entry.tree.become_moments(reader, context);
    if (added.tree) return add(*added.tree, context);
    if (!added.is_in_every_leaf) return;
    const bool from_data = context.options.start_from_data;
    for (Entry& entry : entries_) {
        std::vector<double> values(entry.tree.nodes().size(), 0.0);
        for (NodeIndex i = 0; i < values.size() && from_data && !adds_to_others_; ++i)
            values[i] = entry.tree.log_sum_of_values(i) + added.log_share;
        entry.tree.add_class(values, context);
    }
}

void TreeSet::save(Archive& archive, const std::string& prefix, const TreeContext& context,
                   bool inference_only) const {
    archive.put<std::int64_t>(prefix + "trees", {static_cast<std::int64_t>(entries_.size())});
    for (std::size_t t = 0; t < entries_.size(); ++t)
        entries_[t].tree.save(archive, prefix + "tree" + std::to_string(t) + "/", context,
                              inference_only);
}

void TreeSet::load(const ArchiveView& archive, const std::string& prefix,
                   const Objective& objective, const WarmUp& warm_up, const KnownCodes& codes,
                   TreeContext& context) {
    const std::uint64_t n_trees = archive.get_count(prefix + "trees");
    if (n_trees != (warm_up.is_active() ? 0 : objective.n_trees()))
        Archive::fail(prefix + "trees", "does not fit the model");
    n_outputs_ = warm_up.is_active() ? 0 : objective.n_outputs();
    if (n_trees == 0) return;
    std::size_t n_values = 0;
    for (std::size_t t = 0; t < n_trees; ++t) {
        entries_.push_back({Tree::load(archive, prefix + "tree" + std::to_string(t) + "/", codes,
                                       options_, context),
                            0});
        n_values += entries_.back().tree.layout().outputs;
    }
    // (A damaged number of outputs could need any amount of memory. A committee's reference class
    // has no tree.)
    if (n_values + 1 < n_outputs_) Archive::fail(prefix + "trees", "does not fit the outputs");
    const std::vector<TreeStart> expected = objective.trees(warm_up, false);
    for (std::size_t t = 0; t < n_trees; ++t) {
        if (entries_[t].tree.layout() != expected[t].layout)
            Archive::fail(prefix + "trees", "does not fit the loss of the model");
        entries_[t].first_output = expected[t].first_output;
    }
}

}  // namespace sgt
