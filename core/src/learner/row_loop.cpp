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
// A member that adds to the scores of others is not judged before so many rows.
constexpr std::uint64_t kRowsOfYouth = 1000;

// The code type of a loop that does not route rows on: it reads no codes.
struct NoCode {};

template <class Objective, class Leaves, class Code>
class RowLoop {
public:
    RowLoop(Member& member, const CodeBlock& codes, const LabelledRows& rows)
        : RowLoop(member, member.trees, member.following, member.scratch, codes, rows) {
        route();
        watches_errors_ = member.watches_errors();
        if (member.background == nullptr) return;
        run_background();
        background_->route();
    }

    // Of the model's trees, or of those in the background. All rows stand at the roots.
    RowLoop(Member& member, TreeSet& trees, Following& following, Member::Scratch& scratch,
            const CodeBlock& codes, const LabelledRows& rows)
        : member_(member),
          context_(member.context),
          trees_(trees),
          following_(following),
          objective_(static_cast<Objective&>(*member.objective)),
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

    // --- as one of several members (MemberLoop) ---
    void set_rows(const MemberRows& rows) {
        const bool is_new_shape = outputs_ != trees_.n_outputs();
        member_rows_ = rows;
        if (!is_new_shape) return;
        begin_at_roots();
        if (background_ != nullptr) background_->begin_at_roots();
    }
    void learn(std::size_t begin, std::size_t end) {
        for (std::size_t r = begin; r < end; ++r) learn_row_as_member(r);
    }
    void score_row(std::size_t row) {
        score(row);
        write_member_scores(row);
    }

    // Whole bags: their scores, routes and evidence are fixed before they are learned, and leaves
    // consider changes after a bag's last instance.
    void learn_bags(const Bags& bags, const MemberRows& of_member) {
        member_rows_ = of_member;
        std::vector<double> scores;
        std::size_t row = 0;
        for (std::size_t bag = 0; bag < bags.size(); row += bags.sizes[bag++]) {
            if (bags.weights[bag] == 0.0) continue;
            const std::size_t end = row + bags.sizes[bag];
            scores.clear();
            for (std::size_t r = row; r < end; ++r) {
                scores.push_back(*score(r));
                if (member_rows_.scores != nullptr) write_member_scores(r);
            }
            if (member_rows_.losses != nullptr)
                member_rows_.losses[bag] =
                    objective_.loss(bags.labels[bag], member_rows_.scores + row, end - row);
            const double w = bags.weights[bag] * trees_.options().copies(member_.n_rows);
            objective_.set_bag(bags.labels[bag], w, scores);
            for (std::size_t t = 0; t < trees_.size() && w != 0.0; ++t)
                learn_bag_in_tree(t, row, end);
            member_.n_rows += end - row;
            member_.keep_within_budget();
        }
    }

    void compute_derivatives(const MemberRows& of_member, std::size_t first_row,
                             std::vector<double>& derivatives) {
        member_rows_ = of_member;
        compute_block(first_row);
        for (std::size_t r = 0; r < n_; ++r) {
            if (rows_.weight(r) == 0.0) continue;
            objective_.set_row(r, rows_.target(r), rows_.weight(r),
                               block_raw_.data() + r * objective_.n_outputs());
            const double* of_row = objective_.derivatives_of_row();
            derivatives.insert(derivatives.end(), of_row, of_row + objective_.n_derivatives());
        }
    }

    void gather(const MemberRows& of_member, const std::vector<double>& derivatives,
                Partial& partial) {
        member_rows_ = of_member;
        const std::size_t n_trees = trees_.size();
        std::vector<std::vector<double>> records(n_trees);
        for (std::size_t t = 0; t < n_trees; ++t)
            records[t].resize(n_ * record_width(trees_[t].tree.layout()));
        const double* next_derivatives = derivatives.data();
        std::uint64_t number = 0;  // of the row in its block
        for (std::size_t r = 0; r < n_; ++r) {
            const double w = rows_.weight(r);
            if (w == 0.0) {
                for (std::size_t t = 0; t < n_trees; ++t) node(t, r) = kNoNode;
                continue;
            }
            if (of_member.counts_weight)
                partial.weight += objective_.counted_weight(rows_.target(r), w);
            const double* raw = score<false>(r);
            if (member_rows_.scores != nullptr) write_member_scores(r);
            const double copies = trees_.options().copies(number);
            if constexpr (kTakesBlocks) {
                objective_.set_row(w * copies, next_derivatives);
                next_derivatives += objective_.n_derivatives();
            } else {
                objective_.set_row(r, rows_.target(r), w * copies, raw);
            }
            for (std::size_t t = 0; t < n_trees; ++t) {
                const double* record = copies == 0.0 ? nullptr : record_for(t, number);
                if (record == nullptr) {
                    node(t, r) = kNoNode;
                    continue;
                }
                const std::size_t width = record_width(trees_[t].tree.layout());
                std::copy_n(record, width, records[t].data() + r * width);
            }
            ++number;
        }
        for (std::size_t t = 0; t < n_trees; ++t)
            partial.trees.push_back(
                trees_[t].tree.gather(codes_, &node(t, 0), records[t].data(), context_));
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
        for (std::size_t t = 0; t < trees_.size(); ++t) {
            const Nodes& nodes = trees_[t].tree.nodes();
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
        if (r + kPrefetchRows < n_) tree.prefetch_buffer(nodes[r + kPrefetchRows]);
    }

    // What the numbers of trees and outputs decide: they change with a new class only.
    void set_shape() {
        outputs_ = trees_.n_outputs();
        scratch_.losses.resize(member_.replacement.n_targets());
        // (A committee has no tree for its reference class.)
        scratch_.values.assign(outputs_, 0.0);
        scratch_.raw.resize(outputs_);
        follows_ = following_.is_on() && member_.is_watched;
        if (!follows_) return;
        scratch_.moves.resize((following_.n_ways() - 1) * outputs_);
        scratch_.followed.resize(scratch_.moves.size());
    }

    // The raw scores of a row at which it is learned. Leaves may have split since it was routed;
    // where none has, it need not descend.
    template <bool kDescends = true>
    const double* score(std::size_t r) {
        if constexpr (Leaves::kReadsInputs)
            context_.standardiser.write(rows_.x, r, scratch_.inputs.data());
        double* values = scratch_.values.data();
        const double* inputs = scratch_.inputs.data();
        NodeIndex* nodes = scratch_.nodes.data();
        for (const TreeSet::Entry& entry : trees_) {
            if constexpr (kDescends) descend(entry.tree, nodes, r);
            entry.tree.template write_scores<Leaves>(nodes[r], inputs, values + entry.first_output);
            nodes += n_;
        }
        const double* base = base_of(r);
        if (base == nullptr) return values;
        double* raw = scratch_.raw.data();
        for (std::size_t k = 0; k < outputs_; ++k) raw[k] = base[k] + values[k];
        return raw;
    }
    // The scores of other members to which this one adds; null where it is alone.
    const double* base_of(std::size_t r) const {
        const MemberRows& rows = member_rows_;
        return rows.base == nullptr ? nullptr : rows.base + r * rows.base_stride;
    }

    void descend(const Tree& tree, NodeIndex* nodes, std::size_t r) const {
        prefetch_ahead(tree, nodes, r);
        nodes[r] = tree.nodes().descend(nodes[r], row_of_codes(r));
    }

    // The scores that are predicted of a row, from those at which it is learned.
    const double* predictions(std::size_t r, const double* raw) {
        if (!follows_) return raw;
        double* scores = scratch_.followed.data();
        for (std::size_t k = 0; k < outputs_; ++k) scores[k] = raw[k];
        const NodeIndex* nodes = scratch_.nodes.data() + r;
        for (const TreeSet::Entry& entry : trees_) {
            entry.tree.add_chosen_offsets(*nodes, scores + entry.first_output);
            nodes += n_;
        }
        return scores;
    }

    // One of several: the scores with its own added, after `score`.
    const double* write_member_scores(std::size_t r) {
        const double *own = predictions(r, scratch_.values.data()), *base = base_of(r);
        const double shrinkage = trees_.options().shrinkage;
        double* scores = member_rows_.scores + r * outputs_;
        for (std::size_t k = 0; k < outputs_; ++k)
            scores[k] = base == nullptr ? shrinkage * own[k] : base[k] + shrinkage * own[k];
        return scores;
    }

    // The scores of a row at each way above 0.
    template <class OffsetsOf>
    const double* scores_of_ways(std::size_t r, const double* raw, OffsetsOf&& offsets_of) {
        const std::size_t n_rates = following_.n_ways() - 1;
        double* scores = scratch_.followed.data();
        for (std::size_t i = 0; i < n_rates; ++i)
            for (std::size_t k = 0; k < outputs_; ++k) scores[i * outputs_ + k] = raw[k];
        for (std::size_t t = 0; t < trees_.size(); ++t) {
            TreeSet::Entry& entry = trees_[t];
            const std::size_t outputs = entry.tree.layout().outputs;
            const double* offsets = offsets_of(entry.tree.offsets(), node(t, r));
            double* of_tree = scores + entry.first_output;
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
                Tree& tree = trees_[0].tree;
                const NodeIndex leaf = node(0, r);
                objective_.pursue_log_odds(
                    row, raw[1], tree.nodes().is_leaf(leaf) ? tree.offsets().at(leaf) : nullptr,
                    following);
                return following.end_row(trees_);
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
        following.move(trees_, &node(0, r), n_, scratch_.moves.data());
        following.end_row(trees_);
    }

    // The row's record for a tree, if it learns the row.
    const double* record_for(std::size_t t, std::uint64_t number) {
        return objective_.record(trees_[t].first_output, t, number);
    }

    void learn_row(std::size_t r, std::size_t first_row, typename Objective::Sink* sink) {
        const double* raw = score(r);
        const double* predicted = predictions(r, raw);
        if (sink != nullptr) sink->write(predicted, outputs_, first_row + r);
        const double w = rows_.weight(r);
        if (w == 0.0) return;
        if (objective_.is_new_class(rows_.target(r))) {
            raw = admit_class_and_score(r, w);
            predicted = predictions(r, raw);
        }
        objective_.count(objective_.counted_weight(rows_.target(r), w));
        if constexpr (kTakesBlocks) objective_.set_row(r, rows_.target(r), w, raw);
        double error = 0.0;
        if constexpr (kWatchesErrors)
            if (watches_errors_) error = see(rows_.target(r), predicted);
        if (follows_) follow(r, raw, w);
        const bool changed = learn_in_trees(r, w, raw);
        if constexpr (kWatchesErrors)
            if (watches_errors_) watch(r, w, error);
        if constexpr (kTakesBlocks)
            if (changed) recompute_moved_rows(r);
        end_row();
    }

    void end_row() {
        ++member_.n_rows;
        member_.keep_within_budget();
        if (background_ != nullptr && member_.background == nullptr) background_.reset();
    }

    // One of several: no row is of a new class.
    void learn_row_as_member(std::size_t r) {
        const double* raw = score(r);
        const double* scores = write_member_scores(r);
        const double w = rows_.weight(r);
        if (w == 0.0) return;
        const double* y = rows_.target(r);
        objective_.count(objective_.counted_weight(y, w));
        if (member_rows_.losses != nullptr) judge(r, y, scores);
        double error = 0.0;
        if (watches_errors_) error = see(y, predictions(r, raw));
        if (follows_) follow(r, raw, w);
        learn_in_trees(r, w * trees_.options().copies(member_.n_rows), raw);
        if (watches_errors_) watch(r, w, error);
        if (has_done_harm_) begin_anew();
        end_row();
    }

    // The loss of the scores, and whether the member has made it lower.
    void judge(std::size_t r, const double* y, const double* scores) {
        double* losses = scratch_.losses.data();
        objective_.write_losses(y, scores, losses);
        double sum = 0.0;
        for (std::size_t j = 0; j < scratch_.losses.size(); ++j) sum += losses[j];
        member_rows_.losses[r] = sum;
        if (member_rows_.losses_before == nullptr || !member_.watches_benefit()) return;
        member_.benefit.add(member_rows_.losses_before[r] - sum);
        const std::uint64_t n = member_.benefit.rows();
        has_done_harm_ = n >= kRowsOfYouth && n % Replacement::kRowsOfLook == 0 &&
                         member_.benefit.t() < -Replacement::kProvingT;
    }

    void begin_anew() {
        member_.begin_anew();
        begin_at_roots();
        has_done_harm_ = false;
    }

    // Returns whether a leaf changed.
    bool learn_in_trees(std::size_t r, double w, const double* raw) {
        if (w == 0.0) return false;
        if constexpr (!kTakesBlocks) objective_.set_row(r, rows_.target(r), w, raw);
        bool changed = false;
        for (std::size_t t = 0; t < trees_.size(); ++t)
            if (const double* record = record_for(t, member_.n_rows); record != nullptr)
                changed |= learn_in_tree(trees_[t].tree, node(t, r), row_of_codes(r), record);
        return changed;
    }

    // What a row's prediction, made before it was learned, says about the trees: its error, and
    // where there are others in the background, its losses.
    double see(const double* y, const double* predicted) {
        if (background_ != nullptr) objective_.write_losses(y, predicted, scratch_.losses.data());
        objective_.note_errors(y, predicted, member_.replacement);
        return objective_.error(y, predicted, member_.replacement);
    }

    // Whether others are started, and whether these take over.
    void watch(std::size_t r, double w, double error) {
        Replacement& replacement = member_.replacement;
        if (background_ == nullptr) {
            if (!replacement.add_error(error, member_.n_rows)) return;
            member_.start_background();
            return run_background();
        }
        const double error_of_background = background_->learn_in_background(r, w);
        switch (replacement.add_losses({error, scratch_.losses.data()},
                                       {error_of_background, background_->scratch_.losses.data()},
                                       w, member_.n_rows)) {
            case Replacement::Verdict::wait:
                return;
            case Replacement::Verdict::give_up:
                member_.drop_background();
                break;
            case Replacement::Verdict::replace:
                member_.replace_trees();
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
        const double error = objective_.error(y, predicted, member_.replacement);
        if (follows_) follow(r, raw, w);
        learn_in_trees(r, w * trees_.options().copies(member_.n_rows), raw);
        return error;
    }

    void run_background() {
        Member::Background& background = *member_.background;
        background_ = std::make_unique<RowLoop>(member_, background.trees, background.following,
                                                background.scratch, codes_, rows_);
    }

    void begin_at_roots() {
        set_shape();
        scratch_.nodes.assign(std::max<std::size_t>(trees_.size(), 1) * n_, 0);
    }

    const double* admit_class_and_score(std::size_t r, double w) {
        member_.admit_class(w);
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
               tree.consider(leaf, member_.reader_at(tree, leaf), context_);
    }

    void learn_bag_in_tree(std::size_t t, std::size_t begin, std::size_t end) {
        Tree& tree = trees_[t].tree;
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
            tree.consider(leaf, member_.reader_at(tree, leaf), context_);
    }

    // A loss that takes blocks is called once for all rows of the block, and again for those rows
    // whose raw scores a change has moved since: the same as row by row.
    void compute_block(std::size_t first_row) {
        block_raw_.resize(n_ * outputs_);
        for (std::size_t r = 0; r < n_; ++r) {
            std::copy_n(score<false>(r), outputs_, block_raw_.data() + r * outputs_);
            if (member_rows_.scores != nullptr) write_member_scores(r);
        }
        objective_.compute_block(rows_.y, block_raw_.data(), n_, first_row);
    }

    // Whether the scores of a row may have changed with the leaf of a row before it.
    bool may_have_moved(std::size_t r, std::size_t row_before) {
        for (std::size_t t = 0; t < trees_.size(); ++t)
            // A row at a split that does not know its category may have a leaf there by now.
            if (node(t, r) == node(t, row_before) || !trees_[t].tree.nodes().is_leaf(node(t, r)))
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

    Member& member_;
    TreeContext& context_;
    TreeSet& trees_;
    Following& following_;
    Objective& objective_;
    Member::Scratch& scratch_;
    const CodeBlock& codes_;
    const LabelledRows& rows_;
    std::size_t n_, row_bytes_;
    std::size_t outputs_ = 0;
    bool follows_ = false;
    MemberRows member_rows_;
    bool has_done_harm_ = false;
    std::vector<double> block_raw_;
    bool watches_errors_ = false;
    std::unique_ptr<RowLoop> background_;  // over the trees in the background
};

template <class Objective, class Leaves, class Code>
class LoopOfMember final : public MemberLoop {
public:
    LoopOfMember(Member& member, const CodeBlock& codes, const LabelledRows& rows)
        : loop_(member, codes, rows) {}

    void set_rows(const MemberRows& rows) override {
        loop_.set_rows(rows);
    }
    void learn(std::size_t begin, std::size_t end) override {
        loop_.learn(begin, end);
    }
    void score_row(std::size_t row) override {
        loop_.score_row(row);
    }

private:
    RowLoop<Objective, Leaves, Code> loop_;
};

template <class Objective, class Leaves>
void learn_with(Member& member, const CodeBlock& codes, const LabelledRows& rows,
                std::size_t first_row, Predictions* sink) {
    with_code_type(codes.width, [&]<class Code>(Code) {
        RowLoop<Objective, Leaves, Code>(member, codes, rows)
            .learn(first_row, static_cast<typename Objective::Sink*>(sink));
    });
}

template <class Objective>
void learn_with_any_leaves(Member& member, const CodeBlock& codes, const LabelledRows& rows,
                           std::size_t first_row, Predictions* sink) {
    with_leaf_model(member.context.options, [&]<class Leaves>(Leaves*) {
        learn_with<Objective, Leaves>(member, codes, rows, first_row, sink);
    });
}

// A loss that takes blocks, bags and rounds have constant leaves only.
template <class Objective>
using GatheringLoop = RowLoop<Objective, ConstantLeaves, NoCode>;

}  // namespace

void learn_in_order(Member& member, const CodeBlock& codes, const LabelledRows& rows,
                    std::size_t first_row, Predictions* sink) {
    switch (member.objective->kind()) {
        case Objective::Kind::classes:
            return learn_with_any_leaves<ClassObjective>(member, codes, rows, first_row, sink);
        case Objective::Kind::loss:
            return learn_with_any_leaves<RowLossObjective>(member, codes, rows, first_row, sink);
        case Objective::Kind::block_loss:
            return learn_with<BlockLossObjective, ConstantLeaves>(member, codes, rows, first_row,
                                                                  sink);
        case Objective::Kind::bags:
            break;
    }
    throw std::invalid_argument("bags are learned as a whole");
}

void learn_bags(Member& member, const CodeBlock& codes, const LabelledRows& rows, const Bags& bags,
                const MemberRows& of_member) {
    with_code_type(codes.width, [&]<class Code>(Code) {
        RowLoop<BagObjective, ConstantLeaves, Code>(member, codes, rows)
            .learn_bags(bags, of_member);
    });
}

std::unique_ptr<MemberLoop> make_loop(Member& member, const CodeBlock& codes,
                                      const LabelledRows& rows) {
    return with_code_type(codes.width, [&]<class Code>(Code) -> std::unique_ptr<MemberLoop> {
        return with_leaf_model(
            member.context.options, [&]<class Leaves>(Leaves*) -> std::unique_ptr<MemberLoop> {
                if (member.objective->kind() == Objective::Kind::classes)
                    return std::make_unique<LoopOfMember<ClassObjective, Leaves, Code>>(
                        member, codes, rows);
                if (member.objective->kind() == Objective::Kind::loss)
                    return std::make_unique<LoopOfMember<RowLossObjective, Leaves, Code>>(
                        member, codes, rows);
                throw std::invalid_argument(
                    "an ensemble of several members learns rows by a built-in loss");
            });
    });
}

void compute_derivatives(Member& member, const CodeBlock& codes, const LabelledRows& rows,
                         const MemberRows& of_member, std::size_t first_row,
                         std::vector<double>& derivatives) {
    GatheringLoop<BlockLossObjective>(member, codes, rows)
        .compute_derivatives(of_member, first_row, derivatives);
}

void gather_in_order(Member& member, const CodeBlock& codes, const LabelledRows& rows,
                     const MemberRows& of_member, const std::vector<double>& derivatives,
                     Partial& partial) {
    switch (member.objective->kind()) {
        case Objective::Kind::classes:
            return GatheringLoop<ClassObjective>(member, codes, rows)
                .gather(of_member, derivatives, partial);
        case Objective::Kind::loss:
            return GatheringLoop<RowLossObjective>(member, codes, rows)
                .gather(of_member, derivatives, partial);
        case Objective::Kind::block_loss:
            return GatheringLoop<BlockLossObjective>(member, codes, rows)
                .gather(of_member, derivatives, partial);
        case Objective::Kind::bags:
            break;
    }
    throw std::invalid_argument("bags are learned as a whole");
}

}  // namespace sgt
