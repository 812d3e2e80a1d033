// An ensemble: trees whose scores add up. raw = start + sum of shrinkage x (score of the row's
// leaf), each tree adding to the outputs that it has.
//
// A stage is a set of trees that learn from the same raw scores: those of the stages before it, and
// its own values without shrinkage. One tree, a committee (a tree for each output) and a tree with
// a vector in each leaf are ensembles of one stage; boosting has several.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sgt/archive/archive.hpp"
#include "sgt/archive/feature_archive.hpp"
#include "sgt/data/rows_view.hpp"
#include "sgt/learner/objective.hpp"
#include "sgt/tree/tree.hpp"

namespace sgt {

class Ensemble {
public:
    struct Member {
        Tree tree;
        std::size_t first_output;  // the first of the outputs that it adds to
        std::size_t stage;
    };

    Ensemble() : Ensemble({TreeOptions{}}) {}
    // The options of the trees of each stage.
    explicit Ensemble(std::vector<TreeOptions> stages);

    std::size_t size() const {
        return members_.size();
    }
    std::size_t n_stages() const {
        return stages_.size();
    }
    std::size_t n_outputs() const {
        return start_.size();
    }
    // Whether a row's raw score is the value of its leaf: there is nothing to add up.
    bool value_is_score() const {
        return stages_.size() == 1 && stages_.front().shrinkage == 1.0;
    }
    const Member& operator[](std::size_t i) const {
        return members_[i];
    }
    Member& operator[](std::size_t i) {
        return members_[i];
    }
    auto begin() const {
        return members_.begin();
    }
    auto end() const {
        return members_.end();
    }
    auto begin() {
        return members_.begin();
    }
    auto end() {
        return members_.end();
    }
    // The score of each output before any tree adds to it.
    const std::vector<double>& start() const {
        return start_;
    }

    // The first trees of all stages.
    void create(const std::vector<TreeStart>& of_stage, std::size_t n_outputs,
                TreeContext& context);
    // As many trees, of one leaf each: its value is that of the root of the tree here.
    Ensemble fresh(TreeContext& context) const;
    // The same stages.
    Ensemble without_trees() const {
        return Ensemble(stages_);
    }
    // Gives what its trees have counted back to the budget, before they go.
    void give_back_memory(TreeContext& context) const;
    // One more class, where there are `n_outputs` with it.
    void add_class(const NewClass& added, std::size_t n_outputs, const Tree::ReaderAt& reader,
                   TreeContext& context);
    // Puts another tree in the place of one, whose memory is given back to the budget.
    void replace(std::size_t index, Tree tree, TreeContext& context);

    // The raw scores of encoded rows, n_outputs() numbers a row.
    void write_scores(const CodeBlock& codes, const RowsView& x, const TreeContext& context,
                      double* raw) const;

    void save(Archive& archive, const std::string& prefix, const TreeContext& context,
              bool inference_only) const;
    // The trees that an objective has; none while it is in its warm-up.
    void load(const ArchiveView& archive, const std::string& prefix, const Objective& objective,
              const WarmUp& warm_up, const KnownCodes& codes, TreeContext& context);

private:
    // Where a single tree is all that adds to an output, its root holds the start of it, and
    // nothing is added to its values. (-0.0 is what changes no number when it is added.)
    static constexpr double kNothing = -0.0;

    void add_to_all_stages(const TreeStart& start, TreeContext& context);

    std::vector<TreeOptions> stages_;
    std::vector<Member> members_;  // by stage, and there by output
    std::vector<double> start_;
};

}  // namespace sgt
