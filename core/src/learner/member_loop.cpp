#include "sgt/learner/member_loop.hpp"

#include <stdexcept>
#include <utility>

#include "sgt/learner/class_objective.hpp"
#include "sgt/learner/loss_objective.hpp"
#include "sgt/learner/row_learner.hpp"

namespace sgt {

namespace {

template <class Learner>
class LoopOfMember final : public MemberLoop {
public:
    LoopOfMember(Member& member, const CodeBlock& codes, const LabelledRows& rows)
        : member_(member),
          learner_(member, codes, rows),
          rows_(learner_.rows()),
          rows_to_look_(Replacement::kRowsOfLook -
                        member.benefit.rows() % Replacement::kRowsOfLook) {}

    void set_rows(const MemberRows& rows) override {
        rows_.set_member_rows(rows);
        if (rows_.n_outputs() != rows_.trees().n_outputs()) learner_.begin_at_roots();
    }
    void learn(std::size_t begin, std::size_t end) override {
        first_to_judge_ = begin;
        for (std::size_t r = begin; r < end; ++r) learn_row(r);
        judge(end);
    }
    void score_row(std::size_t row) override {
        rows_.score(row);
        rows_.write_member_scores(row);
    }

private:
    // No row is of a new class.
    void learn_row(std::size_t r) {
        const double* raw = rows_.score(r);
        rows_.write_member_scores(r);
        const double w = rows_.weight(r);
        if (w == 0.0) return;
        const double* y = rows_.target(r);
        if (rows_.member_rows().counts_weight)
            learner_.objective().count(learner_.objective().counted_weight(y, w));
        if (++n_to_judge_ == rows_to_look_) judge(r + 1);
        const double error =
            learner_.watches_errors() ? learner_.see(r, rows_.predictions(r, raw)) : 0.0;
        learner_.follow(r, raw, w);
        learner_.learn(r, w * copies(), raw);
        learner_.watch(r, w, error);
        if (has_done_harm_) begin_anew();
        learner_.end_row();
    }

    double copies() const {
        if (!rows_.member_rows().draws_copies) return 1.0;
        return rows_.trees().options().copies(member_.context.n_rows);
    }

    // The losses of the rows before `end`, and whether the member has made them lower: many rows
    // together, up to the next one at which that is looked at.
    void judge(std::size_t end) {
        n_to_judge_ = 0;
        std::size_t r = std::exchange(first_to_judge_, end);
        if (rows_.member_rows().losses == nullptr) return;
        while (r < end) {
            std::size_t after = r;
            while (after < end && rows_.weight(after) != 0.0) ++after;
            judge(r, after);
            r = after + 1;  // without weight its target may be anything
        }
        const std::uint64_t n = member_.benefit.rows();
        has_done_harm_ = n >= Replacement::kRowsOfYouth && n % Replacement::kRowsOfLook == 0 &&
                         member_.benefit.t() < -Replacement::kProvingT;
        rows_to_look_ = Replacement::kRowsOfLook - n % Replacement::kRowsOfLook;
    }
    void judge(std::size_t begin, std::size_t end) {
        const MemberRows& of_member = rows_.member_rows();
        double* losses = of_member.losses;
        learner_.objective().write_losses(rows_.target(begin),
                                          of_member.scores + begin * rows_.n_outputs(), end - begin,
                                          losses + begin);
        if (of_member.losses_before == nullptr || !member_.watches_benefit()) return;
        for (std::size_t r = begin; r < end; ++r)
            member_.benefit.add(of_member.losses_before[r] - losses[r]);
    }
    void begin_anew() {
        member_.begin_anew();
        rows_.begin_at_roots();
        has_done_harm_ = false;
    }

    Member& member_;
    Learner learner_;
    typename Learner::Rows& rows_;
    bool has_done_harm_ = false;
    // Rows from which on losses are not known yet, how many of them have a weight, and up to how
    // many they wait.
    std::size_t first_to_judge_ = 0, n_to_judge_ = 0;
    std::size_t rows_to_look_;
};

}  // namespace

std::unique_ptr<MemberLoop> make_loop(Member& member, const CodeBlock& codes,
                                      const LabelledRows& rows) {
    return with_code_type(codes.width, [&]<class Code>(Code) -> std::unique_ptr<MemberLoop> {
        return with_leaf_model(
            member.context.options, [&]<class Leaves>(Leaves*) -> std::unique_ptr<MemberLoop> {
                const auto make = [&]<class Objective>(Objective*) {
                    return std::make_unique<LoopOfMember<RowLearner<Objective, Leaves, Code>>>(
                        member, codes, rows);
                };
                if (member.objective->kind() == Objective::Kind::classes)
                    return make(static_cast<ClassObjective*>(nullptr));
                if (member.objective->kind() == Objective::Kind::loss)
                    return make(static_cast<RowLossObjective*>(nullptr));
                throw std::invalid_argument(
                    "an ensemble of several members learns rows by a built-in loss");
            });
    });
}

}  // namespace sgt
