#include "sgt/learner/row_loop.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "sgt/learner/block_scores.hpp"
#include "sgt/learner/class_objective.hpp"
#include "sgt/learner/loss_objective.hpp"
#include "sgt/learner/row_learner.hpp"

namespace sgt {

namespace {

template <class Learner>
class RowLoop {
public:
    using Sink = typename Learner::Objective::Sink;

    RowLoop(Member& member, const CodeBlock& codes, const LabelledRows& rows)
        : member_(member), learner_(member, codes, rows), rows_(learner_.rows()) {}

    void learn(std::size_t first_row, Sink* sink) {
        if constexpr (Learner::kTakesBlocks)
            block_raw_ = compute_block(objective(), rows_, first_row);
        learner_.let_rows_wait();
        for (std::size_t r = 0; r < rows_.size(); ++r) learn_row(r, first_row, sink);
        learner_.settle();
    }

private:
    typename Learner::Objective& objective() {
        return learner_.objective();
    }

    void learn_row(std::size_t r, std::size_t first_row, Sink* sink) {
        const double* raw = rows_.score(r);
        learner_.settle(r);
        const double* predicted = rows_.predictions(r, raw);
        if (sink != nullptr) sink->write(predicted, rows_.n_outputs(), first_row + r);
        const double w = rows_.weight(r);
        if (w == 0.0) return;
        const double* y = rows_.target(r);
        if (objective().is_new_class(y)) {
            learner_.settle();
            member_.admit_class(w);
            learner_.begin_at_roots();
            raw = rows_.score(r);
            predicted = rows_.predictions(r, raw);
        }
        objective().count(objective().counted_weight(y, w));
        if constexpr (Learner::kTakesBlocks) objective().set_row(r, y, w, raw);
        const double error = learner_.see(r, predicted);
        learner_.follow(r, raw, w);
        const bool changed = learner_.learn(r, w, raw);
        learner_.watch(r, w, error);
        if constexpr (Learner::kTakesBlocks)
            if (changed) recompute_moved_rows(r);
        learner_.end_row();
    }

    // Whether the scores of a row may have changed with the leaf of a row before it.
    bool may_have_moved(std::size_t r, std::size_t row_before) {
        for (std::size_t t = 0; t < rows_.trees().size(); ++t) {
            const NodeIndex node = rows_.node(t, r);
            // A row at a split that does not know its category may have a leaf there by now.
            if (node == rows_.node(t, row_before) || !rows_.trees()[t].tree.nodes().is_leaf(node))
                return true;
        }
        return false;
    }
    // A loss that takes blocks is called again for those rows whose raw scores a change has moved:
    // the same as row by row.
    void recompute_moved_rows(std::size_t row_before) {
        const std::size_t outputs = rows_.n_outputs();
        std::vector<std::size_t> moved;
        std::vector<double> y, raw;
        for (std::size_t r = row_before + 1; r < rows_.size(); ++r) {
            if (!may_have_moved(r, row_before)) continue;
            double* known = block_raw_.data() + r * outputs;
            const double* now = rows_.score(r);
            if (std::equal(now, now + outputs, known)) continue;
            std::copy_n(now, outputs, known);
            moved.push_back(r);
            y.insert(y.end(), rows_.target(r), rows_.target(r) + outputs);
            raw.insert(raw.end(), now, now + outputs);
        }
        if (!moved.empty()) objective().recompute(moved, y.data(), raw.data());
    }

    Member& member_;
    Learner learner_;
    typename Learner::Rows& rows_;
    std::vector<double> block_raw_;  // for a loss that takes blocks
};

template <class Objective, class Leaves>
void learn_with(Member& member, const CodeBlock& codes, const LabelledRows& rows,
                std::size_t first_row, Predictions* sink) {
    with_code_type(codes.width, [&]<class Code>(Code) {
        RowLoop<RowLearner<Objective, Leaves, Code>>(member, codes, rows)
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

}  // namespace

void learn_in_order(Member& member, const CodeBlock& codes, const LabelledRows& rows,
                    std::size_t first_row, Predictions* sink) {
    switch (member.objective->kind()) {
        case Objective::Kind::classes:
            return learn_with_any_leaves<ClassObjective>(member, codes, rows, first_row, sink);
        case Objective::Kind::loss:
            return learn_with_any_leaves<RowLossObjective>(member, codes, rows, first_row, sink);
        case Objective::Kind::block_loss:  // such a loss has constant leaves only
            return learn_with<BlockLossObjective, ConstantLeaves>(member, codes, rows, first_row,
                                                                  sink);
        case Objective::Kind::bags:
            break;
    }
    throw std::invalid_argument("bags are learned as a whole");
}

}  // namespace sgt
