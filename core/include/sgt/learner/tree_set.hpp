// Trees that learn from the same raw scores: one tree, a committee (a tree for each output), or a
// tree with a vector in each leaf. No two of them add to the same output.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "sgt/archive/archive.hpp"
#include "sgt/archive/feature_archive.hpp"
#include "sgt/learner/objective.hpp"
#include "sgt/tree/tree.hpp"

namespace sgt {

class TreeSet {
public:
    struct Entry {
        Tree tree;
        std::size_t first_output;  // the first of the outputs that it adds to
    };

    TreeSet() = default;
    // With these options of all its trees. Where they add to the scores of others, their roots are
    // 0.
    TreeSet(TreeOptions options, bool adds_to_others)
        : options_(std::move(options)), adds_to_others_(adds_to_others) {}

    const TreeOptions& options() const {
        return options_;
    }
    // Whether a row's raw score is more than the value of its leaf.
    bool adds_to_others() const {
        return adds_to_others_;
    }
    std::size_t size() const {
        return entries_.size();
    }
    const Entry& operator[](std::size_t i) const {
        return entries_[i];
    }
    Entry& operator[](std::size_t i) {
        return entries_[i];
    }
    auto begin() const {
        return entries_.begin();
    }
    auto end() const {
        return entries_.end();
    }
    auto begin() {
        return entries_.begin();
    }
    auto end() {
        return entries_.end();
    }

    // Of the model; a committee has no tree for the reference class.
    std::size_t n_outputs() const {
        return n_outputs_;
    }

    void create(const std::vector<TreeStart>& starts, std::size_t n_outputs, TreeContext& context);
    // As many trees, of one leaf each: its value is that of the root of the tree here.
    TreeSet fresh(TreeContext& context) const;
    // Gives what its trees have counted back to the budget, before they go.
    void give_back_memory(TreeContext& context) const;
    // One more class, where there are `n_outputs` with it.
    void add_class(const NewClass& added, std::size_t n_outputs, const Tree::ReaderAt& reader,
                   TreeContext& context);

    void save(Archive& archive, const std::string& prefix, const TreeContext& context,
              bool inference_only) const;
    // The trees that an objective has; none while it is in its warm-up.
    void load(const ArchiveView& archive, const std::string& prefix, const Objective& objective,
              const WarmUp& warm_up, const KnownCodes& codes, TreeContext& context);

private:
    void add(const TreeStart& start, TreeContext& context);

    TreeOptions options_;
    bool adds_to_others_ = false;
    std::size_t n_outputs_ = 0;
    std::vector<Entry> entries_;  // by output
};

}  // namespace sgt
