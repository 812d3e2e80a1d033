// What all learners share: the way of a block of rows from numbers to the trees, the warm-up, the
// memory budget, and the locks. What differs (how many trees, which derivatives) is in the
// subclasses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

#include "sgt/archive/archive.hpp"
#include "sgt/data/features.hpp"
#include "sgt/data/warm_up.hpp"
#include "sgt/loss/loss.hpp"
#include "sgt/rounds/merge.hpp"
#include "sgt/rounds/rounds.hpp"
#include "sgt/tree/tree.hpp"

namespace sgt {

// A lower and an upper end for each feature; NaN where there is none: the feature is nominal, or
// the warm-up will tell.
using Ranges = std::vector<std::pair<double, double>>;

class Learner {
public:
    virtual ~Learner() = default;
    Learner(const Learner&) = delete;
    Learner& operator=(const Learner&) = delete;

    bool is_warming_up() const;
    // Whether rows of codes say as much as rows of numbers: all ranges are known, and leaves are
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

    // Rows as codes, in which form any model with the same features takes them. They are as wide as
    // the categories in them need, which this one need not know.
    CodeBlock encode(const RowsView& x) const;
    // Throws std::invalid_argument where it takes no codes, or not these.
    void check_codes(const RowsView& codes) const;

    // Calls f(tree, features) under the lock for readers.
    template <class F>
    auto read_tree(std::size_t index, F&& f) const {
        const std::shared_lock lock(state_);
        return f(trees_.at(index), workshop_.features);
    }
    // Calls f(trees, features): all trees of one moment.
    template <class F>
    auto read_trees(F&& f) const {
        const std::shared_lock lock(state_);
        return f(trees_, workshop_.features);
    }
    template <class F>
    auto read_features(F&& f) const {
        const std::shared_lock lock(state_);
        return f(workshop_.features);
    }

    template <class F>
    auto read_standards(F&& f) const {
        const std::shared_lock lock(state_);
        return f(workshop_.standardiser);
    }

    // Fixes the ranges from the rows that have come and learns these rows.
    void end_warm_up();
    // Appends features; all rows so far are missing there.
    void add_features(const std::vector<bool>& nominal, const Ranges* ranges);
    void set_threads(std::size_t n_threads);

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
    // What a copy of this model has gathered, from the next rows of the round.
    void absorb(Partial partial);
    // The sum of what copies of this model have gathered from rows that follow one another. Leaves
    // the trees as they are.
    Partial add(Partial first, Partial later);
    // The round's last row has come, however many there were to be.
    void end_round();

    // Whether it was saved to predict only: then all calls that learn throw.
    bool is_inference_only() const {
        return inference_only_;
    }

    // The whole state, or as much of it as predicting needs.
    Archive save(bool inference_only = false) const;

protected:
    // Rows to learn: targets are class numbers or numbers to predict, `targets` of them for each
    // row; no weights = all 1.
    struct Rows {
        RowsView x;
        const double* y = nullptr;
        const double* w = nullptr;
        std::size_t targets = 1;

        double weight(std::size_t row) const {
            return w == nullptr ? 1.0 : w[row];
        }
        Rows slice(std::size_t begin, std::size_t end) const;
    };
    // Where test-then-train predictions go; each learner knows its own kinds.
    struct Sink {
        virtual ~Sink() = default;
    };

    Learner(const Options& options, const std::vector<bool>& nominal, const Ranges* ranges,
            std::size_t n_targets = 1);
    Learner(const Options& options, const ArchiveView& archive, std::size_t n_targets = 1);

    // Throws std::invalid_argument where it takes no codes, or not of so many features.
    void require_codes(const RowsView& x) const;
    // Throws std::invalid_argument where this learner only predicts.
    void require_learning() const;

    // The one way in: learns rows in order; the prediction made before each goes to its row of the
    // sink (which may be null).
    void learn_rows(const Rows& rows, Sink* sink);

    // Partial statistics of rows, all of a weight above 0, against the trees as they are; the rows
    // are the next ones of a round after a whole number of blocks. They may come in several pieces,
    // of which `rows` has the targets and weights. Changes nothing.
    Partial gather_rows(const std::vector<RowsView>& pieces, Rows rows);
    // The same for rows that have been encoded (of `rows` only targets and weights are there), of
    // which a user's loss has been asked: adds each tree's, and the weight of the rows that are
    // counted beside the trees.
    virtual void gather_codes(const CodeBlock& codes, const Rows& rows,
                              const std::vector<double>& said, Partial& partial);
    virtual void absorb_outputs(double /*weight*/) {}
    // Predictions of rows go to their rows of the sink.
    virtual void predict_rows(const Rows& /*rows*/, std::size_t /*first_row*/, Sink& /*sink*/) {}
    // Asks a user's loss, once, of rows that a frozen tree has met: g and h of each target of the
    // rows with a weight above 0. Throws LossFailure where it fails, after those before that row.
    virtual void ask_loss(const CodeBlock& /*codes*/, const Rows& /*rows*/,
                          std::size_t /*first_row*/, std::vector<double>& /*said*/) {}
    // A class that no row had is admitted between two rounds.
    virtual bool is_of_new_class(const Rows& /*rows*/, std::size_t /*row*/) const {
        return false;
    }
    virtual void admit_class(double /*weight*/) {}
    void begin_round();
    void finish_round();

    // For the subclasses' predictions: encodes rows block by block and calls
    // f(codes, rows, first_row) for each, on as many threads as the options say. The caller holds
    // the lock for readers.
    void for_each_block(
        const RowsView& x,
        const std::function<void(const CodeBlock&, const RowsView&, std::size_t)>& f) const;
    // Down one tree with all rows of a block, on the team of the current call.
    void descend(const Tree& tree, const CodeBlock& codes, NodeIndex* nodes) const;

    // --- what a subclass adds ---
    // A warm-up row has come: note its targets, after predicting them into the sink.
    virtual void note_warm_up_row(const double* y, double w, std::size_t row, Sink* sink) = 0;
    // The warm-up has ended (or there is none): make the trees.
    virtual void plant(bool from_data) = 0;
    // Learn encoded rows in order.
    virtual void learn_codes(const CodeBlock& codes, const Rows& rows, std::size_t first_row,
                             Sink* sink) = 0;
    virtual CellReader reader_at(const Tree& tree, NodeIndex leaf) const = 0;

    // One row of a block in one tree: adds its record to the leaf below `node` and lets the leaf
    // consider a change if one is due. The row must have come down to `node`. Returns whether the
    // leaf changed.
    template <class Code>
    bool learn_in_tree(Tree& tree, NodeIndex node, const Code* row, const double* record) {
        if (!tree.nodes().is_leaf(node)) {
            node = tree.leaf_for_learning(node, row[tree.nodes().feature(node)], workshop_);
            if (node == kNoNode) return false;
        }
        return tree.add(node, reinterpret_cast<const std::byte*>(row), record, workshop_) &&
               tree.consider(node, reader_at(tree, node), workshop_);
    }
    // Fetches the leaves that the rows a little ahead will be learned in.
    static void prefetch_ahead(const Tree& tree, const NodeIndex* nodes, std::size_t row,
                               const CodeBlock& codes) {
        if (row + 2 * kPrefetchRows < codes.rows) tree.prefetch(nodes[row + 2 * kPrefetchRows]);
        if (row + kPrefetchRows < codes.rows)
            tree.prefetch_buffer(nodes[row + kPrefetchRows], codes.row_bytes());
    }
    // The rows of a block from `begin` on for a learner with one tree: for each, predict(row, raw),
    // then, unless its weight is 0, record(row, raw, w) is learned. Stops before the first row
    // where `stop_before(row)` holds; returns the number of that row.
    template <class Code, class Predict, class ToRecord, class StopBefore>
    std::size_t learn_in_only_tree(const CodeBlock& codes, const Rows& rows, std::size_t begin,
                                   Predict predict, ToRecord record, StopBefore stop_before) {
        Tree& tree = trees_[0];
        nodes_.resize(codes.rows);
        descend(tree, codes, nodes_.data());
        for (std::size_t r = begin; r < codes.rows; ++r) {
            prefetch_ahead(tree, nodes_.data(), r, codes);
            const auto* row = reinterpret_cast<const Code*>(codes.row(r));
            const NodeIndex node = tree.nodes().descend(nodes_[r], row);
            const double* raw = tree.values(node);
            const double w = rows.weight(r);
            if (w != 0.0 && stop_before(r)) return r;
            predict(r, raw);
            if (w == 0.0) continue;
            learn_in_tree(tree, node, row, record(r, raw, w));
            keep_within_budget();
        }
        return codes.rows;
    }
    // The same with linear leaves; `inputs_` are those of the row.
    template <class Code>
    void learn_in_linear_tree(Tree& tree, NodeIndex node, const Code* row, const double* record) {
        if (!tree.nodes().is_leaf(node)) {
            node = tree.leaf_for_learning(node, row[tree.nodes().feature(node)], workshop_);
            if (node == kNoNode) return;
        }
        tree.learn_linear(node, inputs_.data(), record);
        if (tree.add(node, reinterpret_cast<const std::byte*>(row), record, workshop_))
            tree.consider(node, reader_at(tree, node), workshop_);
    }
    // For learners that have no linear leaves: throws std::invalid_argument where the options ask
    // for them.
    void require_constant_leaves() const;
    bool has_linear_leaves() const {
        return workshop_.options.linear_leaves;
    }
    // The inputs of linear leaves, of one row.
    void take_inputs(const RowsView& x, std::size_t row) {
        inputs_.resize(1 + workshop_.standardiser.size());
        workshop_.standardiser.write(x, row, inputs_.data());
    }
    // For predicting: the scores of a block's rows in one tree, which go to
    // scores + stride * (number of the row in the block).
    void write_linear_scores(const Tree& tree, const RowsView& x, const NodeIndex* nodes,
                             double* scores, std::size_t stride) const;
    virtual void save_outputs(Archive& archive) const = 0;
    // Merging: throw MergeError where the other is of another kind; add what the trees do not know.
    virtual void check_outputs(const Learner& other) const = 0;
    virtual void merge_outputs(const Learner& other, const Learner* base) = 0;

    // The two steps of learn_rows, for learners with a way in of their own; they hold both locks.
    // The warm-up's rows are enough: sets the ranges, plants the trees and learns these rows.
    void finish_warm_up();
    // Makes codes wide enough for the categories of these rows.
    void widen_codes(const RowsView& x);
    // Encodes rows and hands them to learn_codes, in several parts where something changes between
    // two rows: codes become wider, or a late feature gets its boundaries.
    void learn_encoded(const Rows& rows, std::size_t first_row, Sink* sink);

    // After any row that may have made the model larger.
    void keep_within_budget() {
        if (workshop_.budget.is_exceeded()) drop_least_promising();
    }

    Workshop workshop_;
    WarmUp warm_up_;
    Round round_;
    std::vector<Tree> trees_;
    std::size_t n_targets_;
    std::uint64_t n_rows_ = 0;
    // Counted by learners that can fail in the middle of a block.
    std::size_t learned_of_block_ = 0;
    std::vector<double> inputs_;    // of linear leaves, of the row being learned
    std::vector<NodeIndex> nodes_;  // where each row of the block being learned stands, by tree
    static constexpr std::size_t kPrefetchRows = 8;
    std::mutex one_learns_;            // held for a whole call that learns
    mutable std::shared_mutex state_;  // readers share it, a block being learned has it alone

private:
    // learn_encoded, in rounds where the options say so.
    void learn_in_rounds(const Rows& rows, std::size_t first_row, Sink* sink);
    std::size_t learn_stretch(const Rows& rows, std::size_t first_row, Sink* sink);
    std::size_t learn_new_class(const Rows& rows, std::size_t first_row, Sink* sink);
    std::size_t learn_frozen(const Rows& rows, std::size_t first_row, Sink* sink);
    void add_to_round(const Rows& rows, std::size_t first_row);
    void gather_waiting();
    Partial gather_block(const CodeBlock& codes, const Rows& rows, const std::vector<double>& said);
    // Into codes_.
    void encode_block(const RowsView& x);
    RoundSize next_round() const;
    LeafForm leaf_form() const {
        return {workshop_.features, workshop_.options.kept_rows};
    }
    // Throws std::invalid_argument where this cannot have been gathered by a copy of this model.
    void check(const Partial& partial) const;
    // Makes codes wide enough for its categories.
    void admit(const Partial& partial);
    // The rows up to the n-th of a weight above 0.
    static std::size_t rows_with_weight(const Rows& rows, std::size_t n);
    void admit_category(std::uint64_t number);

    void check_merge(const Learner& other, const CategoryCodes& codes) const;
    void drop_least_promising();
    // From the rows of the warm-up.
    void take_standards();
    void set_given_ranges(const Ranges& ranges, std::size_t first_feature);
    void learn_block(const Rows& rows, std::size_t first_row, Sink* sink);
    std::size_t take_warm_up_rows(const Rows& rows, std::size_t first_row, Sink* sink);
    // Learns the rows of the warm-up. A user's loss may fail for some. Those that came with an
    // earlier call cannot be sent again: of them only these are left out.
    void learn_waiting_rows(const WarmUp& waiting);
    // Encodes rows into codes_: all of them, or those before the first that needs wider codes.
    void encode_for_learning(const Rows& rows);
    std::size_t first_unseen_row(const Rows& rows) const;
    void set_late_boundaries(std::size_t feature, Boundaries boundaries);
    std::size_t first_complete_row(const RowsView& x, const double* w,
                                   std::vector<std::size_t>& complete);

    bool inference_only_ = false;
    LateFeatures late_;
    std::size_t waiting_before_ = 0;  // rows of the warm-up that came before the call
    CodeBlock codes_;                 // of the block being learned
};

}  // namespace sgt
