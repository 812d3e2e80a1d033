// An ensemble: members whose scores add up, and how.
//
// - one: a single member, whose score is the raw score.
// - boosting: raw = start + sum of shrinkage x score. A member learns at the scores of those before
//   it, and its own without shrinkage. As many of the first members are used as predict best.
// - averaging: raw = the mean of the scores. Members learn for themselves.
// - choosing: the score of the member that predicts best. Members learn for themselves.
//
// Where several members add up to the scores of classes, what is predicted is calibrated: these
// scores times a factor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sgt/archive/archive.hpp"
#include "sgt/archive/feature_archive.hpp"
#include "sgt/data/labelled_rows.hpp"
#include "sgt/data/rows_view.hpp"
#include "sgt/data/warm_up.hpp"
#include "sgt/learner/calibration.hpp"
#include "sgt/learner/member.hpp"
#include "sgt/learner/predictions.hpp"
#include "sgt/learner/race.hpp"
#include "sgt/rounds/merge.hpp"

namespace sgt {

class Ensemble {
public:
    // For the options of a member. `value_is_score`: a row's raw score is the value of its leaf,
    // and nothing else.
    using MakeObjective =
        std::function<std::unique_ptr<Objective>(const Options&, bool value_is_score)>;

    Ensemble(const Options& options, FeatureSpace& features, const Standardiser& standardiser,
             const MakeObjective& make_objective);

    std::size_t size() const {
        return members_.size();
    }
    const Member& operator[](std::size_t i) const {
        return *members_[i];
    }
    Member& operator[](std::size_t i) {
        return *members_[i];
    }
    // The first member's: what it knows about classes, targets and scales is the same in all.
    const Objective& objective() const {
        return *members_.front()->objective;
    }
    std::size_t n_outputs() const {
        return members_.front()->trees.n_outputs();
    }
    // Rows learned, or waiting to be.
    std::uint64_t n_rows() const {
        return members_.front()->context.n_rows;
    }
    void set_n_rows(std::uint64_t n);
    void add_rows(std::uint64_t n) {
        set_n_rows(n_rows() + n);
    }

    // The score of each output before any member adds to it.
    std::vector<double> start() const {
        return combination_ == Combination::boosting ? start_
                                                     : std::vector<double>(n_outputs(), 0.0);
    }
    // The same in what is predicted.
    std::vector<double> predicted_start() const;
    // A tree, the outputs that it adds to, and what its values are multiplied by in what is
    // predicted.
    struct Place {
        const Tree& tree;
        std::size_t first_output;
        double weight;
    };
    std::vector<Place> trees() const;
    std::size_t n_trees() const;

    // Calls f(member).
    template <class F>
    void for_each(F&& f) {
        for (auto& member : members_) f(*member);
    }
    template <class F>
    void for_each(F&& f) const {
        for (const auto& member : members_) f(std::as_const(*member));
    }
    // Calls f(tree, context) for all trees, those in the background too.
    template <class F>
    void for_each_tree(F&& f) {
        for (auto& member : members_) member->for_each_tree(f);
    }

    // Calls f(tree, member) for those in place.
    template <class F>
    void for_each_tree_in_place(F&& f) {
        for (auto& member : members_)
            for (TreeSet::Entry& entry : member->trees) f(entry.tree, *member);
    }

    // The first trees, from the rows of the warm-up or from 0.
    void create(const WarmUp& warm_up, bool from_data);
    void admit_class(double w);
    // The threads of a call; null: one. A single member has them for its searches, several members
    // learn side by side.
    Team* team() const {
        return team_;
    }
    void set_team(Team* team) {
        team_ = team;
        if (combination_ == Combination::one) members_.front()->context.team = team;
    }
    // Learns encoded rows in order. The prediction made before each goes to its row of the sink,
    // which may be null. (Of `rows` only targets and weights are read, and x where leaves are
    // linear.)
    void learn(const CodeBlock& codes, const LabelledRows& rows, std::size_t first_row,
               Predictions* sink);
    // Stages: a boosted member learns rows at the scores of those before it, alone.
    // Throws std::invalid_argument where members do not learn rows in turn.
    void require_stages() const;
    void learn_stage(std::size_t member, const CodeBlock& codes, const LabelledRows& rows,
                     const double* base);
    // Adds its scores to those of all rows. What its leaves have gathered is given up.
    void end_stage(std::size_t member, const CodeBlock& codes, const RowsView& x, double* scores);
    // The raw scores that are predicted of encoded rows, n_outputs() numbers a row: of the members
    // in use, or of the first of boosted ones.
    static constexpr std::size_t kInUse = static_cast<std::size_t>(-1);
    void write_scores(const CodeBlock& codes, const RowsView& x, double* raw,
                      std::size_t members = kInUse) const;
    // How many of the first boosted members are in use; all elsewhere, one where one is chosen.
    std::size_t n_in_use() const;
    // The mean losses of some rows by the first members, by as many as the place of the loss says:
    // the race begins with them. Throws std::invalid_argument where members are not boosted.
    void judge_members(const std::vector<double>& losses);
    void check_members(std::size_t members) const;
    // The warm-up: a row of weight above 0 has come.
    void add_warm_up_row(const double* y, double w) {
        for (auto& member : members_) member->objective->add_warm_up_row(y, w);
    }
    // Weight of rows that is counted beside the trees.
    void count(double weight) {
        for (auto& member : members_) member->objective->count(weight);
    }
    // Bytes of the model that no tree has, in equal parts.
    void count_bytes(std::size_t n);
    void keep_within_budget() {
        for (auto& member : members_) member->keep_within_budget();
    }
    // Rounds: see gathering_loop.hpp. A row has the derivatives of one member after the other.
    std::size_t n_derivatives() const;
    void compute_derivatives(const CodeBlock& codes, const LabelledRows& rows,
                             std::size_t first_row, std::vector<double>& derivatives);
    void gather(const CodeBlock& codes, const LabelledRows& rows,
                const std::vector<double>& derivatives, Partial& partial);

    // Throw MergeError where the other does not fit, or where this one has not come from the base.
    void check_merge(const Ensemble& other, const CategoryCodes& codes) const;
    void check_base(const Ensemble& base) const;
    // Adds what the other has gathered since the base (or null). Both have features of their own.
    void merge(const Ensemble& other, const FeatureSpace& others, const CategoryCodes& codes,
               const Ensemble* base, const FeatureSpace* bases);

    // Leaves forget what they have followed.
    void restart_following();
    // For good: rows that come again say nothing about how sure predictions may be.
    void stop_calibration() {
        calibration_.reset();
    }

    void save(Archive& archive, bool inference_only) const;
    // Fails where the archive does not have the members that there are to be.
    static void require_members(const Options& options, const ArchiveView& archive);
    void load(const ArchiveView& archive, const WarmUp& warm_up, const KnownCodes& codes,
              bool inference_only);

private:
    std::string prefix(std::size_t member) const;
    void add_scores(std::size_t member, const CodeBlock& codes, std::size_t begin, std::size_t end,
                    const RowsView& x, std::vector<NodeIndex>& nodes, double* raw) const;
    bool has_race() const {
        return combination_ == Combination::boosting || combination_ == Combination::choosing;
    }
    // Whether a member learns at the scores of those before it.
    bool learns_in_turn() const;
    // Whether the scores of members add up; otherwise the score is that of one.
    bool adds_up() const;
    bool is_used(std::size_t member) const;
    // By which scores are multiplied before they are predicted.
    double factor() const {
        return calibration_ ? calibration_->factor() : 1.0;
    }
    // The member whose scores are predicted, where there is a race: boosting begins with all
    // members in use.
    std::size_t predicted_member() const {
        return member_of_way(race_.choice(0));
    }
    std::size_t member_of_way(std::size_t way) const {
        return combination_ == Combination::boosting ? members_.size() - 1 - way : way;
    }

    // --- learning by several members ---
    struct Block;
    void learn_bags(const CodeBlock& codes, const LabelledRows& rows);
    // The rows up to the next one of a new class.
    void learn_segment(Block& block, std::size_t begin, std::size_t end);
    void run_members(Block& block, std::size_t begin, std::size_t end);
    void run_pipeline(Block& block, std::size_t begin, std::size_t end);
    template <class F>
    void for_each_in_turn(std::size_t n, F&& f);
    // The scores of all members together, of the rows from `begin` to `end`.
    void add_up(Block& block, std::size_t begin, std::size_t end) const;
    const double* combined(const Block& block, std::size_t row) const;
    void predict(const Block& block, std::size_t row, std::vector<double>& raw) const;
    // What a row that has been learned says of the ways to predict.
    void note_row(const Block& block, std::size_t row);
    void note_losses(const Block& block, std::size_t row);

    Combination combination_;
    std::vector<std::unique_ptr<Member>> members_;
    std::vector<double> start_;  // boosting; elsewhere a tree's root holds it
    Team* team_ = nullptr;
    Race race_;  // between the first members, or the members
    std::optional<Calibration> calibration_;
};

}  // namespace sgt
