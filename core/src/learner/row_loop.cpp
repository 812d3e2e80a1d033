#include "sgt/learner/row_loop.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "sgt/leaf/leaf_models.hpp"
#include "sgt/learner/bag_objective.hpp"
#include "sgt/learner/class_objective.hpp"
#include "sgt/learner/loss_objective.hpp"

namespace sgt {

namespace {

// Leaves are fetched so many rows before their row is learned.
constexpr std::size_t kPrefetchRows = 8;

// The code type of a loop that does not route rows on: it reads no codes.
struct NoCode {};

// The raw scores of a row at which each stage learns it, and those that are predicted. It stands at
// `nodes[0]` of the first tree; the node in the next tree is `stride` further.
template <class Leaves>
void add_up_scores(const Ensemble& ensemble, const NodeIndex* nodes, std::size_t stride,
                   const double* inputs, double* raw, double* predicted) {
    const std::size_t outputs = ensemble.n_outputs();
    std::copy(ensemble.start().begin(), ensemble.start().end(), predicted);
    std::size_t next_stage = 0;
    for (const auto& [tree, first_output, stage] : ensemble) {
        for (; next_stage <= stage; ++next_stage)
            std::copy_n(predicted, outputs, raw + next_stage * outputs);
        tree.template add_scores<Leaves>(*nodes, inputs, tree.options().shrinkage,
                                         predicted + first_output);
        tree.template add_scores<Leaves>(*nodes, inputs, 1.0, raw + stage * outputs + first_output);
        nodes += stride;
    }
}

template <class Objective, class Leaves, class Code>
class RowLoop {
public:
    RowLoop(LearningState& state, const CodeBlock& codes, const LabelledRows& rows)
        : RowLoop(state, state.ensemble, state.following, state.scratch, codes, rows) {
        route();
        watches_errors_ = state.watches_errors();
        if (state.background == nullptr) return;
        run_background();
        background_->route();
    }

    // Of the model's trees, or of those in the background. All rows stand at the roots.
    RowLoop(LearningState& state, Ensemble& ensemble, Following& following,
            LearningState::Scratch& scratch, const CodeBlock& codes, const LabelledRows& rows)
        : state_(state),
          context_(state.context),
          ensemble_(ensemble),
          following_(following),
          objective_(static_cast<Objective&>(*state.objective)),
          scratch_(scratch),
          codes_(codes),
          rows_(rows),
          n_(codes.rows),
          row_bytes_(codes.row_bytes()) {
        if constexpr (Leaves::kReadsInputs)
            scratch_.inputs.resize(1 + context_.standardiser.size());
        begin_at_roots();
    }

    void learn(std::size_t first_row, typename Objective::Sink* sink) {
        if constexpr (kTakesBlocks) compute_block(first_row);
        for (std::size_t r = 0; r < n_; ++r) learn_row(r, first_row, sink);
    }

    // Whole bags: their scores, routes and evidence are fixed before they are learned, and leaves
    // consider changes after a bag's last instance.
    void learn_bags(const Bags& bags) {
        std::vector<double> scores;
        std::size_t row = 0;
        for (std::size_t bag = 0; bag < bags.size(); row += bags.sizes[bag++]) {
            if (bags.weights[bag] == 0.0) continue;
            const std::size_t end = row + bags.sizes[bag];
            scores.clear();
            for (std::size_t r = row; r < end; ++r) scores.push_back(*score(r));
            objective_.set_bag(bags.labels[bag], bags.weights[bag], scores);
            for (std::size_t t = 0; t < ensemble_.size(); ++t) learn_bag_in_tree(t, row, end);
            state_.n_rows += end - row;
            state_.keep_within_budget();
        }
    }

    void compute_derivatives(std::size_t first_row, std::vector<double>& derivatives) {
        compute_block(first_row);
        for (std::size_t r = 0; r < n_; ++r) {
            if (rows_.weight(r) == 0.0) continue;
            objective_.set_row(r, rows_.target(r), rows_.weight(r),
                               block_raw_.data() + r * objective_.n_outputs());
            const double* of_row = objective_.derivatives_of_row();
            derivatives.insert(derivatives.end(), of_row, of_row + objective_.n_derivatives());
        }
    }

    void gather(const std::vector<double>& derivatives, Partial& partial) {
        const std::size_t n_trees = ensemble_.size();
        std::vector<std::vector<double>> records(n_trees);
        for (std::size_t t = 0; t < n_trees; ++t)
            records[t].resize(n_ * record_width(ensemble_[t].tree.layout()));
        const double* next_derivatives = derivatives.data();
        std::uint64_t number = 0;  // of the row in its block
        for (std::size_t r = 0; r < n_; ++r) {
            const double w = rows_.weight(r);
            if (w == 0.0) {
                for (std::size_t t = 0; t < n_trees; ++t) node(t, r) = kNoNode;
                continue;
            }
            partial.weight += objective_.counted_weight(rows_.target(r), w);
            const double* raw = score<false>(r);
            if constexpr (kTakesBlocks) {
                objective_.set_row(w, next_derivatives);
                next_derivatives += objective_.n_derivatives();
            }
            for_each_stage(raw, r, w, [&](std::size_t t) {
                const double* record = record_for(t, number);
                if (record == nullptr) {
                    node(t, r) = kNoNode;
                    return;
                }
                const std::size_t width = record_width(ensemble_[t].tree.layout());
                std::copy_n(record, width, records[t].data() + r * width);
            });
            ++number;
        }
        for (std::size_t t = 0; t < n_trees; ++t)
            partial.trees.push_back(
                ensemble_[t].tree.gather(codes_, &node(t, 0), records[t].data(), context_));
    }

private:
    static constexpr bool kTakesBlocks = std::is_same_v<Objective, BlockLossObjective>;
    static constexpr bool kWatchesErrors =
        requires(Objective& o, Replacement& r) { o.error(nullptr, nullptr, r); };

    const Code* row_of_codes(std::size_t r) const {
        return reinterpret_cast<const Code*>(codes_.bytes.data() + r * row_bytes_);
    }
    NodeIndex& node(std::size_t tree, std::size_t r) {
        return scratch_.nodes[tree * n_ + r];
    }

    // All rows down all trees, on the team of the call.
    void route() {
        for (std::size_t t = 0; t < ensemble_.size(); ++t) {
            const Nodes& nodes = ensemble_[t].tree.nodes();
            if (context_.team == nullptr) {
                nodes.descend_block(codes_, 0, n_, &node(t, 0));
                continue;
            }
            context_.team->split(n_, [&](std::size_t begin, std::size_t end) {
                nodes.descend_block(codes_, begin, end, &node(t, 0));
            });
        }
    }

    // Fetches the leaves in which the next rows will be learned.
    void prefetch_ahead(const Tree& tree, const NodeIndex* nodes, std::size_t r) const {
        if (r + 2 * kPrefetchRows < n_) tree.prefetch(nodes[r + 2 * kPrefetchRows]);
        if (r + kPrefetchRows < n_) tree.prefetch_buffer(nodes[r + kPrefetchRows], row_bytes_);
    }

    // What the numbers of trees and outputs decide: they change with a new class only.
    void set_shape() {
        outputs_ = ensemble_.n_outputs();
        n_stages_ = ensemble_.n_stages();
        trees_of_stage_ = ensemble_.size() / n_stages_;
        value_is_score_ = ensemble_.value_is_score();
        scratch_.losses.resize(state_.replacement.n_targets());
        scratch_.raw.resize((n_stages_ + (value_is_score_ ? 0 : 1)) * outputs_);
        predicted_ = scratch_.raw.data() + scratch_.raw.size() - outputs_;
        std::copy(ensemble_.start().begin(), ensemble_.start().end(), predicted_);
        follows_ = following_.is_on() && value_is_score_;
        if (!follows_) return;
        scratch_.moves.resize((following_.n_ways() - 1) * outputs_);
        scratch_.followed.resize(scratch_.moves.size());
    }

    // The raw scores of a row at which each stage learns it; sets `predicted_`. Leaves may have
    // split since it was routed; where none has, it need not descend.
    template <bool kDescends = true>
    const double* score(std::size_t r) {
        if constexpr (Leaves::kReadsInputs)
            context_.standardiser.write(rows_.x, r, scratch_.inputs.data());
        double* raw = scratch_.raw.data();
        const double* inputs = scratch_.inputs.data();
        NodeIndex* nodes = scratch_.nodes.data();
        // No two trees add to the same output, so that there is nothing to add up.
        if (value_is_score_) {
            for (const Ensemble::Member& member : ensemble_) {
                if constexpr (kDescends) descend(member.tree, nodes, r);
                member.tree.template write_scores<Leaves>(nodes[r], inputs,
                                                          raw + member.first_output);
                nodes += n_;
            }
            return raw;
        }
        if constexpr (kDescends)
            for (std::size_t t = 0; t < ensemble_.size(); ++t)
                descend(ensemble_[t].tree, nodes + t * n_, r);
        add_up_scores<Leaves>(ensemble_, nodes + r, n_, inputs, raw, predicted_);
        return raw;
    }

    void descend(const Tree& tree, NodeIndex* nodes, std::size_t r) const {
        prefetch_ahead(tree, nodes, r);
        nodes[r] = tree.nodes().descend(nodes[r], row_of_codes(r));
    }

    // The scores that are predicted of a row, from those of its leaves' values.
    const double* predictions(std::size_t r, const double* raw) {
        if (!follows_) return predicted_;
        double* scores = scratch_.followed.data();
        for (std::size_t k = 0; k < outputs_; ++k) scores[k] = raw[k];
        for (std::size_t t = 0; t < ensemble_.size(); ++t)
            ensemble_[t].tree.add_chosen_offsets(node(t, r), scores + ensemble_[t].first_output);
        return scores;
    }

    // The scores of a row at each way above 0.
    template <class OffsetsOf>
    const double* scores_of_ways(std::size_t r, const double* raw, OffsetsOf&& offsets_of) {
        const std::size_t n_rates = following_.n_ways() - 1;
        double* scores = scratch_.followed.data();
        for (std::size_t i = 0; i < n_rates; ++i)
            for (std::size_t k = 0; k < outputs_; ++k) scores[i * outputs_ + k] = raw[k];
        for (std::size_t t = 0; t < ensemble_.size(); ++t) {
            Ensemble::Member& member = ensemble_[t];
            const std::size_t outputs = member.tree.layout().outputs;
            const double* offsets = offsets_of(member.tree.offsets(), node(t, r));
            double* of_tree = scores + member.first_output;
            for (std::size_t i = 0; i < n_rates; ++i)
                for (std::size_t j = 0; j < outputs; ++j)
                    of_tree[i * outputs_ + j] += offsets[i * outputs + j];
        }
        return scores;
    }

    // The row's leaves follow it, and the race sees it. Its evidence is not touched by that.
    void follow(std::size_t r, const double* raw, double w) {
        Following& following = following_;
        FollowedRow row{rows_.target(r), following.relative_weight(w), r, 0};
        const bool has_delay = following.has_delay();
        if constexpr (std::is_same_v<Objective, ClassObjective>) {
            if (objective_.has_log_odds() && !has_delay) {
                Tree& tree = ensemble_[0].tree;
                const NodeIndex leaf = node(0, r);
                objective_.pursue_log_odds(
                    row, raw[1], tree.nodes().is_leaf(leaf) ? tree.offsets().at(leaf) : nullptr,
                    following);
                return following.end_row(ensemble_);
            }
        }
        objective_.pursue(row, raw, raw, true, following, nullptr);
        const double* at = scores_of_ways(
            r, raw, [](Offsets& offsets, NodeIndex leaf) { return offsets.at(leaf); });
        double* moves = scratch_.moves.data();
        for (row.way = 1; row.way < following.n_ways(); ++row.way, at += outputs_)
            objective_.pursue(row, raw, at, !has_delay, following,
                              moves + (row.way - 1) * outputs_);
        if (has_delay) {  // the race sees what could have been predicted
            at = scores_of_ways(
                r, raw, [](Offsets& offsets, NodeIndex leaf) { return offsets.judged(leaf); });
            for (row.way = 1; row.way < following.n_ways(); ++row.way, at += outputs_)
                objective_.pursue(row, raw, at, true, following, nullptr);
        }
        following.move(ensemble_, &node(0, r), n_, scratch_.moves.data());
        following.end_row(ensemble_);
    }

    // Sets the objective's row at the scores of each stage, and calls f(tree) for the stage's
    // trees.
    template <class F>
    void for_each_stage(const double* raw, std::size_t r, double w, F&& f) {
        std::size_t t = 0;
        for (std::size_t stage = 0; stage < n_stages_; ++stage) {
            if constexpr (!kTakesBlocks) objective_.set_row(r, rows_.target(r), w, raw);
            for (const std::size_t end = t + trees_of_stage_; t < end; ++t) f(t);
            raw += outputs_;
        }
    }

    const double* record_for(std::size_t t, std::uint64_t number) {
        const Ensemble::Member& member = ensemble_[t];
        if (!member.tree.options().learns(number)) return nullptr;
        return objective_.record(member.first_output, t, number);
    }

    void learn_row(std::size_t r, std::size_t first_row, typename Objective::Sink* sink) {
        const double* raw = score(r);
        if (sink != nullptr) sink->write(predictions(r, raw), outputs_, first_row + r);
        const double w = rows_.weight(r);
        if (w == 0.0) return;
        if (objective_.is_new_class(rows_.target(r))) raw = admit_class_and_score(r, w);
        objective_.count(objective_.counted_weight(rows_.target(r), w));
        if constexpr (kTakesBlocks) objective_.set_row(r, rows_.target(r), w, raw);
        double error = 0.0;
        if constexpr (kWatchesErrors)
            if (watches_errors_) error = see(rows_.target(r), predictions(r, raw));
        if (follows_) follow(r, raw, w);
        const bool changed = learn_in_trees(r, w, raw);
        if constexpr (kWatchesErrors)
            if (watches_errors_) watch(r, w, error);
        ++state_.n_rows;
        if constexpr (kTakesBlocks)
            if (changed) recompute_moved_rows(r);
        state_.keep_within_budget();
        if (background_ != nullptr && state_.background == nullptr) background_.reset();
    }

    // Returns whether a leaf changed.
    bool learn_in_trees(std::size_t r, double w, const double* raw) {
        bool changed = false;
        for_each_stage(raw, r, w, [&](std::size_t t) {
            if (const double* record = record_for(t, state_.n_rows); record != nullptr)
                changed |= learn_in_tree(ensemble_[t].tree, node(t, r), row_of_codes(r), record);
        });
        return changed;
    }

    // What a row's prediction, made before it was learned, says about the trees: its error, and
    // where there are others in the background, its losses.
    double see(const double* y, const double* predicted) {
        if (background_ != nullptr) objective_.write_losses(y, predicted, scratch_.losses.data());
        objective_.note_errors(y, predicted, state_.replacement);
        return objective_.error(y, predicted, state_.replacement);
    }

    // Whether others are started, and whether these take over.
    void watch(std::size_t r, double w, double error) {
        Replacement& replacement = state_.replacement;
        if (background_ == nullptr) {
            if (!replacement.add_error(error, state_.n_rows)) return;
            state_.start_background();
            return run_background();
        }
        const double error_of_background = background_->learn_in_background(r, w);
        switch (replacement.add_losses({error, scratch_.losses.data()},
                                       {error_of_background, background_->scratch_.losses.data()},
                                       w, state_.n_rows)) {
            case Replacement::Verdict::wait:
                return;
            case Replacement::Verdict::give_up:
                state_.drop_background();
                break;
            case Replacement::Verdict::replace:
                state_.replace_ensemble();
                set_shape();
                break;
        }
        background_.reset();
    }

    // Returns the error of the prediction made before.
    double learn_in_background(std::size_t r, double w) {
        const double* raw = score(r);
        const double *y = rows_.target(r), *predicted = predictions(r, raw);
        objective_.write_losses(y, predicted, scratch_.losses.data());
        const double error = objective_.error(y, predicted, state_.replacement);
        if (follows_) follow(r, raw, w);
        learn_in_trees(r, w, raw);
        return error;
    }

    void run_background() {
        LearningState::Background& background = *state_.background;
        background_ = std::make_unique<RowLoop>(state_, background.ensemble, background.following,
                                                background.scratch, codes_, rows_);
    }

    void begin_at_roots() {
        set_shape();
        scratch_.nodes.assign(std::max<std::size_t>(ensemble_.size(), 1) * n_, 0);
    }

    const double* admit_class_and_score(std::size_t r, double w) {
        state_.admit_class(w);
        begin_at_roots();
        if (background_ != nullptr) background_->begin_at_roots();
        return score(r);
    }

    // The leaf where a row is learned that has come down to a node; kNoNode where there is none.
    NodeIndex leaf_for_learning(Tree& tree, NodeIndex node, const Code* row) {
        if (tree.nodes().is_leaf(node)) return node;
        return tree.leaf_for_learning(node, row[tree.nodes().feature(node)], context_);
    }

    // Returns whether the leaf changed.
    bool learn_in_tree(Tree& tree, NodeIndex node, const Code* row, const double* record) {
        const NodeIndex leaf = leaf_for_learning(tree, node, row);
        if (leaf == kNoNode) return false;
        tree.template learn_in_leaf_model<Leaves>(leaf, scratch_.inputs.data(), record);
        return tree.add(leaf, reinterpret_cast<const std::byte*>(row), record, context_) &&
               tree.consider(leaf, state_.reader_at(tree, leaf), context_);
    }

    void learn_bag_in_tree(std::size_t t, std::size_t begin, std::size_t end) {
        Tree& tree = ensemble_[t].tree;
        std::vector<NodeIndex>& due = scratch_.due;
        due.clear();
        for (std::size_t r = begin; r < end; ++r) {
            const Code* row = row_of_codes(r);
            // Another instance of the bag may have made a leaf for this one's category meanwhile.
            const NodeIndex leaf =
                leaf_for_learning(tree, tree.nodes().descend(node(t, r), row), row);
            if (leaf == kNoNode) continue;
            if (!tree.add(leaf, codes_.row(r), objective_.record(r - begin), context_)) continue;
            tree.flush(leaf, context_);
            if (std::find(due.begin(), due.end(), leaf) == due.end()) due.push_back(leaf);
        }
        for (const NodeIndex leaf : due)
            tree.consider(leaf, state_.reader_at(tree, leaf), context_);
    }

    // A loss that takes blocks is called once for all rows of the block, and again for those rows
    // whose raw scores a change has moved since: the same as row by row.
    void compute_block(std::size_t first_row) {
        block_raw_.resize(n_ * outputs_);
        for (std::size_t r = 0; r < n_; ++r)
            std::copy_n(score<false>(r), outputs_, block_raw_.data() + r * outputs_);
        objective_.compute_block(rows_.y, block_raw_.data(), n_, first_row);
    }

    // Whether the scores of a row may have changed with the leaf of a row before it.
    bool may_have_moved(std::size_t r, std::size_t row_before) {
        for (std::size_t t = 0; t < ensemble_.size(); ++t)
            // A row at a split that does not know its category may have a leaf there by now.
            if (node(t, r) == node(t, row_before) || !ensemble_[t].tree.nodes().is_leaf(node(t, r)))
                return true;
        return false;
    }

    void recompute_moved_rows(std::size_t row_before) {
        const std::size_t outputs = outputs_;
        std::vector<std::size_t> moved;
        std::vector<double> y, raw;
        for (std::size_t r = row_before + 1; r < n_; ++r) {
            if (!may_have_moved(r, row_before)) continue;
            double* known = block_raw_.data() + r * outputs;
            const double* now = score(r);
            if (std::equal(now, now + outputs, known)) continue;
            std::copy_n(now, outputs, known);
            moved.push_back(r);
            y.insert(y.end(), rows_.target(r), rows_.target(r) + outputs);
            raw.insert(raw.end(), now, now + outputs);
        }
        if (!moved.empty()) objective_.recompute(moved, y.data(), raw.data());
    }

    LearningState& state_;
    TreeContext& context_;
    Ensemble& ensemble_;
    Following& following_;
    Objective& objective_;
    LearningState::Scratch& scratch_;
    const CodeBlock& codes_;
    const LabelledRows& rows_;
    std::size_t n_, row_bytes_;
    std::size_t outputs_ = 0, n_stages_ = 1, trees_of_stage_ = 0;
    bool value_is_score_ = true;
    bool follows_ = false;
    double* predicted_ = nullptr;  // the raw scores that are predicted of a row
    std::vector<double> block_raw_;
    bool watches_errors_ = false;
    std::unique_ptr<RowLoop> background_;  // over the trees in the background
};

template <class Objective, class Leaves>
void learn_with(LearningState& state, const CodeBlock& codes, const LabelledRows& rows,
                std::size_t first_row, Predictions* sink) {
    with_code_type(codes.width, [&]<class Code>(Code) {
        RowLoop<Objective, Leaves, Code>(state, codes, rows)
            .learn(first_row, static_cast<typename Objective::Sink*>(sink));
    });
}

template <class Objective>
void learn_with_any_leaves(LearningState& state, const CodeBlock& codes, const LabelledRows& rows,
                           std::size_t first_row, Predictions* sink) {
    with_leaf_model(state.context.options, [&]<class Leaves>(Leaves*) {
        learn_with<Objective, Leaves>(state, codes, rows, first_row, sink);
    });
}

// A loss that takes blocks, bags and rounds have constant leaves only.
template <class Objective>
using GatheringLoop = RowLoop<Objective, ConstantLeaves, NoCode>;

}  // namespace

void learn_in_order(LearningState& state, const CodeBlock& codes, const LabelledRows& rows,
                    std::size_t first_row, Predictions* sink) {
    switch (state.objective->kind()) {
        case Objective::Kind::classes:
            return learn_with_any_leaves<ClassObjective>(state, codes, rows, first_row, sink);
        case Objective::Kind::loss:
            return learn_with_any_leaves<RowLossObjective>(state, codes, rows, first_row, sink);
        case Objective::Kind::block_loss:
            return learn_with<BlockLossObjective, ConstantLeaves>(state, codes, rows, first_row,
                                                                  sink);
        case Objective::Kind::bags:
            break;
    }
    const Bags bags = static_cast<BagObjective&>(*state.objective).take_bags();
    with_code_type(codes.width, [&]<class Code>(Code) {
        RowLoop<BagObjective, ConstantLeaves, Code>(state, codes, rows).learn_bags(bags);
    });
}

void compute_derivatives(LearningState& state, const CodeBlock& codes, const LabelledRows& rows,
                         std::size_t first_row, std::vector<double>& derivatives) {
    if (state.objective->kind() != Objective::Kind::block_loss) return;
    GatheringLoop<BlockLossObjective>(state, codes, rows)
        .compute_derivatives(first_row, derivatives);
}

void gather_in_order(LearningState& state, const CodeBlock& codes, const LabelledRows& rows,
                     const std::vector<double>& derivatives, Partial& partial) {
    switch (state.objective->kind()) {
        case Objective::Kind::classes:
            return GatheringLoop<ClassObjective>(state, codes, rows).gather(derivatives, partial);
        case Objective::Kind::loss:
            return GatheringLoop<RowLossObjective>(state, codes, rows).gather(derivatives, partial);
        case Objective::Kind::block_loss:
            return GatheringLoop<BlockLossObjective>(state, codes, rows)
                .gather(derivatives, partial);
        case Objective::Kind::bags:
            break;
    }
    throw std::invalid_argument("bags are learned as a whole");
}

}  // namespace sgt
