// A learner: an ensemble, and the steps that a block of rows goes through before it reaches that:
// warm-up, encoding, rounds; and the locks. Subclasses choose the objective, and have the calls
// that take its targets and return its predictions.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sgt/archive/archive.hpp"
#include "sgt/archive/feature_archive.hpp"
#include "sgt/data/features.hpp"
#include "sgt/data/labelled_rows.hpp"
#include "sgt/data/range_watch.hpp"
#include "sgt/data/warm_up.hpp"
#include "sgt/learner/ensemble.hpp"
#include "sgt/learner/objective.hpp"
#include "sgt/learner/predictions.hpp"
#include "sgt/learner/stage_rows.hpp"
#include "sgt/rounds/merge.hpp"
#include "sgt/rounds/rounds.hpp"

namespace sgt {

// A lower and an upper end for each feature; NaN where there is none: the feature is nominal, or
// its range comes from the warm-up.
using Ranges = std::vector<std::pair<double, double>>;

class Learner {
public:
    virtual ~Learner() = default;
    Learner(const Learner&) = delete;
    Learner& operator=(const Learner&) = delete;

    bool is_warming_up() const;
    // Whether rows of codes are as good as rows of numbers: all ranges are known, and leaves are
    // constant.
    bool takes_codes() const;
    std::size_t n_features() const;
    std::uint64_t n_rows() const;
    std::size_t n_trees() const;
    std::size_t memory_bytes() const;
    std::size_t n_nodes() const;
    std::size_t n_leaves() const;
    std::size_t depth() const;
    std::uint64_t n_updates() const;
    std::uint64_t n_splits() const;

    // The bins that features were given in place of others, in order.
    std::vector<RangeUpdate> range_updates() const;
    // How many there were, since it was made or loaded: it takes no lock.
    std::uint64_t n_range_updates() const {
        return n_range_updates_;
    }

    // Rows as codes, in which form any model with the same features takes them. They are as wide as
    // the categories in them need, which this one need not know.
    CodeBlock encode(const RowsView& x) const;
    // Throws std::invalid_argument where it takes no codes, or not these.
    void check_codes(const RowsView& codes) const;

    // Calls f(ensemble, features) under the lock for readers.
    template <class F>
    auto read(F&& f) const {
        const std::shared_lock lock(access_);
        return f(ensemble_, features_);
    }
    // Of linear leaves.
    Standardiser standards() const {
        const std::shared_lock lock(access_);
        return standardiser_;
    }

    // Fixes the ranges from the rows that have come and learns these rows.
    void end_warm_up();
    // Appends features; all rows so far are missing there.
    void add_features(const std::vector<bool>& nominal, const Ranges* ranges);
    // What has happened to the trees because errors rose, in order.
    std::vector<DriftEvent> drifts() const;
    // Whether trees learn in the background.
    bool has_background() const;
    // Errors are watched, or not: that is no part of the saved state. (Rows that come meanwhile may
    // come again: from then on the model is not calibrated.)
    void watch_errors(bool on);
    // Leaves forget what they have followed: their values alone are predicted, until rows have
    // come.
    void restart_following();

    // Boosting with all rows at hand. Rows that come are collected; then members learn them one
    // after the other, each in any number of passes, by the places of rows in the order in which
    // they came.
    void collect_rows();
    void begin_stages();
    void learn_stage(std::span<const std::uint32_t> order);
    // The member is what it will be; the next one learns at its scores, too.
    void end_stage();
    void end_stages();

    // Boosted members: how many are in use, and what rows that were not learned say about it.
    std::size_t n_members_in_use() const;
    void judge_members(const std::vector<double>& losses);

    // Adds what another learner has gathered since `base`, from which both have come (null: they
    // have no rows in common). Throws MergeError, and changes nothing, where they do not fit.
    void merge(const Learner& other, const CategoryCodes& codes, const Learner* base);

    // Rounds. The one under way, or the next one; the rows that have come, and those of them that
    // are in no partial statistics yet.
    struct RoundState {
        RoundSize size;
        std::size_t rows = 0, waiting = 0;
    };
    RoundState round() const;
    // What a copy of this model has gathered, from the next rows of the round. Categories beyond
    // the given numbers are refused.
    void absorb(Partial partial, CategoryCounts categories = {});
    // The sum of what copies of this model have gathered from rows that follow one another. Leaves
    // the trees as they are.
    Partial add(Partial first, Partial later, CategoryCounts categories = {});
    // The round's last row has come, however many there were to be.
    void end_round();

    // Whether it was saved to predict only: then all calls that learn throw.
    bool is_inference_only() const {
        return inference_only_;
    }

    // The whole state, or as much of it as predicting needs.
    Archive save(bool inference_only = false) const;

protected:
    using MakeObjective = Ensemble::MakeObjective;
    Learner(const Options& options, const std::vector<bool>& nominal, const Ranges* ranges,
            const MakeObjective& make_objective);
    Learner(const Options& options, const ArchiveView& archive,
            const MakeObjective& make_objective);

    // Throws std::invalid_argument where this learner only predicts.
    void require_learning() const;
    // Learns rows in order; the prediction made before each goes to its row of the sink (which may
    // be null).
    void learn_rows(const LabelledRows& rows, Predictions* sink);
    // By the members in use, or by so many of the first boosted ones.
    void predict_rows(const RowsView& x, Predictions& sink,
                      std::size_t members = Ensemble::kInUse) const;
    // Partial statistics of rows, all of a weight above 0, against the trees as they are; the rows
    // are the next ones of a round after a whole number of blocks. They may come in several pieces,
    // of which `rows` has the targets and weights. Changes nothing.
    Partial gather_rows(const std::vector<RowsView>& pieces, const LabelledRows& rows);
    // Between two rounds: the next row is of a class that no row had, and has this weight. Returns
    // false where the next rows are learned one after the other: nothing has changed then.
    bool admit_class_between_rounds(double w);

    // For learners that cut their rows themselves, and hold both locks.
    // Throws std::invalid_argument where the rows have more or fewer columns than there are
    // features.
    void require_columns(const RowsView& x) const;
    // The warm-up's rows are enough: sets the ranges, creates the trees and learns these rows.
    void finish_warm_up();
    // Whether something may have to change between two rows: codes may become wider, or a late
    // feature may get its boundaries.
    bool may_change_between_rows() const {
        return !features_.nominal().empty() || !late_.empty();
    }
    // Encodes rows and learns them, in several parts where something changes between two rows.
    // Bags are never cut: it changes before the first row or after the last.
    void learn_encoded(const LabelledRows& rows, std::size_t first_row, Predictions* sink);

    const Options options_;
    FeatureSpace features_;
    Standardiser standardiser_;  // for linear leaves
    Ensemble ensemble_;
    WarmUp warm_up_;
    std::mutex one_learns_;             // held for a whole call that learns
    mutable std::shared_mutex access_;  // readers share it, a block being learned has it alone

private:
    // --- learner.cpp ---
    template <class F>
    auto sum_over_trees(F&& f) const;
    void learn_block(const LabelledRows& rows, std::size_t first_row, Predictions* sink);
    std::size_t take_warm_up_rows(const LabelledRows& rows, std::size_t first_row,
                                  Predictions* sink);
    // Rows between which nothing changes but the width of codes.
    void learn_part(const LabelledRows& rows, std::size_t first_row, Predictions* sink);
    void predict_encoded(const RowsView& x, std::size_t first_row, Predictions& sink,
                         std::size_t members = Ensemble::kInUse) const;
    bool learns_bags() const {
        return ensemble_.objective().kind() == Objective::Kind::bags;
    }
    bool has_linear_leaves() const {
        return options_.linear_leaves || options_.combination == Combination::choosing;
    }
    // From the rows of the warm-up.
    void take_standards();
    // Learns the rows of the warm-up. A user's loss may fail for some. Those that came with an
    // earlier call cannot be sent again: of them only these are left out.
    void learn_waiting_rows(const WarmUp& waiting, const std::vector<std::size_t>& to_watch);

    // Sets the ranges that the warm-up tells, and creates the trees. Returns the features that have
    // them from there.
    std::vector<std::size_t> lay_out_features();

    // --- stages.cpp ---
    // Throws std::invalid_argument between collect_rows and end_stages.
    void require_no_stages() const;
    void collect(const LabelledRows& rows);
    // Before the first stage: all members know the class of a row, and count its weight.
    void admit_and_count(const double* y, double w);
    // The rows that were collected set ranges and start, as those of a warm-up.
    void end_warm_up_of_stages();
    StageRows& rows_of_stages();

    // --- encoding.cpp ---
    // Throws std::invalid_argument where a range is not finite, or its ends are in the wrong order.
    static void check_ranges(const Ranges* ranges, const std::vector<bool>& nominal);
    void set_given_ranges(const Ranges& ranges, std::size_t first_feature);
    // Encodes rows into codes_: all of them, or those before the first that needs wider codes.
    void encode_for_learning(const LabelledRows& rows);
    // Of the rows with a weight above 0 in codes_; their number where there is none.
    std::size_t first_unseen_row(const LabelledRows& rows) const;
    // Throws std::invalid_argument where a row in codes_ has a negative category number.
    void require_known_categories(const LabelledRows& rows) const;
    // Makes codes wide enough for the categories of these rows.
    void widen_codes(const RowsView& x);
    void admit_category(std::uint64_t number);
    // A late feature of which enough values have come gets its boundaries.
    void use_late_feature(std::size_t feature);
    // Adds the values of late features to their samples, up to the row with which one of these is
    // complete (in bags: up to the last row). Returns the number of rows up to there.
    std::size_t first_complete_row(const RowsView& x, const double* w,
                                   std::vector<std::size_t>& complete);
    // Throws std::invalid_argument where it takes no codes, or not of so many features.
    void require_codes(const RowsView& x) const;

    // --- ranges.cpp ---
    bool adapts_ranges() const;
    // Within a round, and in bags, bins do not change.
    bool may_renew_bins() const {
        return adapts_ranges() && options_.round_rows == 1;
    }
    // The first bins of a feature with these values.
    Boundaries first_bins(std::size_t feature, std::vector<double> values);
    // Watches a feature from now on; these are values that it has had.
    void watch(std::size_t feature, const std::vector<double>& values);
    // Learns rows and takes samples of them; looks at these if it is time.
    void learn_watched(const LabelledRows& rows, std::size_t first_row, Predictions* sink);
    // The rows up to the next look at the samples.
    std::size_t rows_to_look(const LabelledRows& rows) const;
    // Adds to the samples what is drawn of rows that have been learned; the first has this number.
    void take_samples(const LabelledRows& rows, std::uint64_t first_number);
    void look_at_ranges();
    void note_update(std::size_t feature, RangeUpdate::Reason reason);
    void save_ranges(Archive& archive, bool inference_only) const;
    void load_ranges(const ArchiveView& archive);
    void renew_bins(std::size_t feature, Boundaries bins);

    // --- rounds.cpp ---
    void learn_in_rounds(const LabelledRows& rows, std::size_t first_row, Predictions* sink);
    std::size_t learn_stretch(const LabelledRows& rows, std::size_t first_row, Predictions* sink);
    std::size_t learn_new_class(const LabelledRows& rows, std::size_t first_row, Predictions* sink);
    std::size_t learn_frozen(const LabelledRows& rows, std::size_t first_row, Predictions* sink);
    void add_to_round(const LabelledRows& rows, std::size_t first_row);
    void gather_waiting();
    Partial gather_block(const CodeBlock& codes, const LabelledRows& rows,
                         const std::vector<double>& derivatives);
    // Into codes_. Returns whether some category has no code of this width.
    bool encode_block(const RowsView& x);
    // Throws std::invalid_argument during the warm-up.
    void require_trees() const;
    void begin_round();
    void finish_round();
    RoundSize next_round() const;
    LeafForm leaf_form() const {
        return {features_, options_.kept_rows};
    }
    // Throws std::invalid_argument where this cannot have been gathered by a copy of this model.
    void check(const Partial& partial, const KnownCodes& known) const;
    // Makes codes wide enough for its categories.
    void admit(const Partial& partial);
    // The rows up to the n-th of a weight above 0.
    static std::size_t rows_with_weight(const LabelledRows& rows, std::size_t n);

    // --- merge.cpp ---
    void check_merge(const Learner& other, const CategoryCodes& codes) const;

    LateFeatures late_;
    RangeWatch watch_;
    std::vector<RangeUpdate> range_updates_;
    std::atomic<std::uint64_t> n_range_updates_ = 0;  // noted since it was made or loaded
    Round round_;
    std::unique_ptr<StageRows> stages_;  // while members learn one after the other
    std::size_t next_member_ = 0;        // the one that learns then
    bool inference_only_ = false;
    std::size_t waiting_before_ = 0;  // rows of the warm-up that came before the call
    CodeBlock codes_;                 // of the block being learned
};

}  // namespace sgt
