#include "sgt/learner/gathering_loop.hpp"

#include <algorithm>
#include <stdexcept>

#include "sgt/learner/block_scores.hpp"
#include "sgt/learner/class_objective.hpp"
#include "sgt/learner/loss_objective.hpp"
#include "sgt/learner/scored_rows.hpp"

namespace sgt {

namespace {

// Rounds have constant leaves only.
using RowsOfRound = ScoredRows<ConstantLeaves, NoCode>;

RowsOfRound routed(Member& member, const CodeBlock& codes, const LabelledRows& rows,
                   const MemberRows& of_member) {
    RowsOfRound routed(member, member.trees, member.following, member.scratch, codes, rows);
    routed.route();
    routed.set_member_rows(of_member);
    return routed;
}

template <class Objective>
class GatheringLoop {
public:
    GatheringLoop(Member& member, const CodeBlock& codes, const LabelledRows& rows,
                  const MemberRows& of_member)
        : objective_(static_cast<Objective&>(*member.objective)),
          rows_(routed(member, codes, rows, of_member)) {}

    void gather(const double* derivatives, Partial& partial) {
        const TreeSet& trees = rows_.trees();
        records_.resize(trees.size());
        for (std::size_t t = 0; t < trees.size(); ++t)
            records_[t].resize(rows_.size() * record_width(trees[t].tree.layout()));
        std::uint64_t number = 0;  // of the row in its block
        for (std::size_t r = 0; r < rows_.size(); ++r) {
            const double w = rows_.weight(r);
            if (w == 0.0) {
                for (std::size_t t = 0; t < trees.size(); ++t) rows_.node(t, r) = kNoNode;
                continue;
            }
            if (rows_.member_rows().counts_weight)
                partial.weight += objective_.counted_weight(rows_.target(r), w);
            gather_row(r, number++, derivatives);
            if constexpr (kTakesBlocks) derivatives += objective_.n_derivatives();
        }
        for (std::size_t t = 0; t < trees.size(); ++t)
            partial.trees.push_back(trees[t].tree.gather(
                rows_.codes(), &rows_.node(t, 0), records_[t].data(), rows_.member().context));
    }

private:
    static constexpr bool kTakesBlocks = std::is_same_v<Objective, BlockLossObjective>;

    void gather_row(std::size_t r, std::uint64_t number, const double* derivatives) {
        const TreeSet& trees = rows_.trees();
        const double* raw = rows_.score<false>(r);
        if (rows_.member_rows().scores != nullptr) rows_.write_member_scores(r);
        const double copies = trees.options().copies(number), w = rows_.weight(r) * copies;
        if constexpr (kTakesBlocks)
            objective_.set_row(w, derivatives);
        else
            objective_.set_row(r, rows_.target(r), w, raw);
        for (std::size_t t = 0; t < trees.size(); ++t) {
            const double* record =
                copies == 0.0 ? nullptr : objective_.record(trees[t].first_output, t, number);
            if (record == nullptr) {
                rows_.node(t, r) = kNoNode;
                continue;
            }
            const std::size_t width = record_width(trees[t].tree.layout());
            std::copy_n(record, width, records_[t].data() + r * width);
        }
    }

    Objective& objective_;
    RowsOfRound rows_;
    std::vector<std::vector<double>> records_;  // by tree and row
};

}  // namespace

void compute_derivatives(Member& member, const CodeBlock& codes, const LabelledRows& rows,
                         const MemberRows& of_member, std::size_t first_row,
                         std::vector<double>& derivatives) {
    auto& objective = static_cast<BlockLossObjective&>(*member.objective);
    RowsOfRound of_round = routed(member, codes, rows, of_member);
    const std::vector<double> raw = compute_block(objective, of_round, first_row);
    for (std::size_t r = 0; r < of_round.size(); ++r) {
        if (rows.weight(r) == 0.0) continue;
        objective.set_row(r, rows.target(r), rows.weight(r), raw.data() + r * of_round.n_outputs());
        const double* of_row = objective.derivatives_of_row();
        derivatives.insert(derivatives.end(), of_row, of_row + objective.n_derivatives());
    }
}

void gather_in_order(Member& member, const CodeBlock& codes, const LabelledRows& rows,
                     const MemberRows& of_member, const std::vector<double>& derivatives,
                     Partial& partial) {
    const auto gather = [&]<class Objective>(Objective*) {
        GatheringLoop<Objective>(member, codes, rows, of_member)
            .gather(derivatives.data(), partial);
    };
    switch (member.objective->kind()) {
        case Objective::Kind::classes:
            return gather(static_cast<ClassObjective*>(nullptr));
        case Objective::Kind::loss:
            return gather(static_cast<RowLossObjective*>(nullptr));
        case Objective::Kind::block_loss:
            return gather(static_cast<BlockLossObjective*>(nullptr));
        case Objective::Kind::bags:
            break;
    }
    throw std::invalid_argument("bags are learned as a whole");
}

}  // namespace sgt
