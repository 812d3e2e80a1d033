// How the members of an ensemble learn: each for itself, or one after the other.
#include <algorithm>
#include <atomic>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

#include "sgt/learner/bag_loop.hpp"
#include "sgt/learner/ensemble.hpp"
#include "sgt/learner/gathering_loop.hpp"
#include "sgt/learner/member_loop.hpp"
#include "sgt/learner/row_loop.hpp"
#include "sgt/loss/loss.hpp"

namespace sgt {

namespace {

// Rows that a member hands to the next one at once, where each has a thread.
constexpr std::size_t kRowsOfChunk = 64;

}  // namespace

// A block of rows, and what the members say about them.
struct Ensemble::Block {
    const CodeBlock& codes;
    const LabelledRows& rows;
    std::vector<std::unique_ptr<MemberLoop>> loops;
    std::size_t outputs = 0;
    std::vector<double> scores;  // by member, row and output: summed up so far, where they add up
    std::vector<double> losses;  // of these, by member and row
    std::vector<double> sums;    // of the scores of all members, by row and output

    double* scores_of(std::size_t member) {
        return scores.data() + member * codes.rows * outputs;
    }
    double* losses_of(std::size_t member) {
        return losses.data() + member * codes.rows;
    }
    const double* scores_of(std::size_t member, std::size_t row) const {
        return scores.data() + (member * codes.rows + row) * outputs;
    }
};

void Ensemble::learn(const CodeBlock& codes, const LabelledRows& rows, std::size_t first_row,
                     Predictions* sink) {
    if (objective().kind() == Objective::Kind::bags) return learn_bags(codes, rows);
    if (combination_ == Combination::one)
        return learn_in_order(*members_.front(), codes, rows, first_row, sink);
    Block block{codes, rows, {}, 0, {}, {}, {}};
    for (auto& member : members_) block.loops.push_back(make_loop(*member, codes, rows));
    std::vector<double> raw;
    for (std::size_t begin = 0, next_to_predict = 0; begin < codes.rows;) {
        std::size_t end = begin;
        const auto is_of_new_class = [&](std::size_t row) {
            return rows.weight(row) != 0.0 && objective().has_new_class(rows.target(row));
        };
        while (end < codes.rows && !is_of_new_class(end)) ++end;
        learn_segment(block, begin, end);
        if (sink != nullptr || calibration_) add_up(block, begin, end);
        for (std::size_t r = begin; r < end; ++r) {
            if (sink != nullptr && r >= next_to_predict) {
                predict(block, r, raw);
                sink->write(raw.data(), raw.size(), first_row + r);
            }
            if (rows.weight(r) != 0.0) note_row(block, r);
        }
        begin = end;
        if (end == codes.rows) break;
        // The row is predicted before its class is known, and learned after.
        for (auto& loop : block.loops) loop->score_row(end);
        if (sink != nullptr) {
            add_up(block, end, end + 1);
            predict(block, end, raw);
            sink->write(raw.data(), raw.size(), first_row + end);
        }
        next_to_predict = end + 1;
        admit_class(rows.weight(end));
    }
}

void Ensemble::require_stages() const {
    const Objective::Kind kind = objective().kind();
    const bool has_rows = kind == Objective::Kind::classes || kind == Objective::Kind::loss;
    if (!learns_in_turn() || !has_rows || members_.front()->context.options.round_rows != 1)
        throw std::invalid_argument("only boosted members that learn row by row learn in stages");
}

void Ensemble::learn_stage(std::size_t member, const CodeBlock& codes, const LabelledRows& rows,
                           const double* base) {
    TreeContext& context = members_[member]->context;
    if (team_ != nullptr) context.threads.resize(std::max(context.threads.size(), team_->size()));
    // For this call only, also where it ends with an exception.
    struct ContextOfStage {
        TreeContext& context;
        ~ContextOfStage() {
            context.team = nullptr;
            context.noise_is_unit = false;
        }
    } const context_of_stage{context};
    context.team = team_;
    context.noise_is_unit = objective().kind() == Objective::Kind::classes;
    const auto loop = make_loop(*members_[member], codes, rows);
    std::vector<double> scores(codes.rows * n_outputs());
    MemberRows of_member;
    of_member.base = base;
    of_member.base_stride = n_outputs();
    of_member.scores = scores.data();
    of_member.counts_weight = false;
    of_member.draws_copies = false;
    loop->set_rows(of_member);
    loop->learn(0, codes.rows);
}

// Member after member, each with the scores of those before it.
template <class F>
void Ensemble::for_each_in_turn(std::size_t n, F&& f) {
    const std::size_t outputs = n_outputs();
    std::vector<double> base, scores;
    for (std::size_t m = 0; m < members_.size(); ++m) {
        MemberRows of_member;
        of_member.counts_weight = m == 0;
        if (learns_in_turn()) {
            scores.resize(n * outputs);
            of_member.base = m == 0 ? start_.data() : base.data();
            of_member.base_stride = m == 0 ? 0 : outputs;
            of_member.scores = scores.data();
        }
        f(m, of_member);
        std::swap(base, scores);
    }
}

// Bags are few: members have no threads of their own.
void Ensemble::learn_bags(const CodeBlock& codes, const LabelledRows& rows) {
    Bags bags;
    std::vector<double> losses;  // by member and bag
    for_each_in_turn(codes.rows, [&](std::size_t m, MemberRows of_member) {
        bags = static_cast<BagObjective&>(*members_[m]->objective).take_bags();
        losses.resize(members_.size() * bags.size());
        if (has_race()) of_member.losses = losses.data() + m * bags.size();
        sgt::learn_bags(*members_[m], codes, rows, bags, of_member);
    });
    if (!has_race()) return;
    for (std::size_t bag = 0; bag < bags.size(); ++bag)
        if (bags.weights[bag] != 0.0) {
            for (std::size_t way = 0; way < members_.size(); ++way)
                race_.add_loss(0, way,
                               bags.weights[bag] * losses[member_of_way(way) * bags.size() + bag]);
            race_.end_row();
        }
}

void Ensemble::learn_segment(Block& block, std::size_t begin, std::size_t end) {
    const std::size_t n = block.codes.rows;
    block.outputs = n_outputs();
    block.scores.resize(members_.size() * n * block.outputs);
    block.losses.resize(members_.size() * n);
    for (std::size_t m = 0; m < members_.size(); ++m) {
        MemberRows rows;
        rows.scores = block.scores_of(m);
        if (learns_in_turn()) {
            rows.base = m == 0 ? start_.data() : block.scores_of(m - 1);
            rows.base_stride = m == 0 ? 0 : block.outputs;
            rows.losses_before = m == 0 ? nullptr : block.losses_of(m - 1);
        }
        if (has_race()) rows.losses = block.losses_of(m);
        block.loops[m]->set_rows(rows);
    }
    run_members(block, begin, end);
}

void Ensemble::run_members(Block& block, std::size_t begin, std::size_t end) {
    if (team_ == nullptr || team_->size() == 1 || end - begin < kRowsOfChunk) {
        for (auto& loop : block.loops) loop->learn(begin, end);
        return;
    }
    if (learns_in_turn()) return run_pipeline(block, begin, end);
    std::atomic<std::size_t> next = 0;
    FirstError error;
    team_->run([&](std::size_t) {
        for (std::size_t m = next++; m < block.loops.size(); m = next++)
            error.guard([&] { block.loops[m]->learn(begin, end); });
    });
    error.rethrow();
}

// Member m learns a chunk of rows when member m - 1 has learned it.
void Ensemble::run_pipeline(Block& block, std::size_t begin, std::size_t end) {
    std::vector<std::atomic<std::size_t>> done(block.loops.size());
    for (auto& rows : done) rows = begin;
    FirstError error;
    team_->run([&](std::size_t thread) {
        for (std::size_t m = thread; m < block.loops.size(); m += team_->size())
            for (std::size_t at = begin; at < end; at += kRowsOfChunk) {
                const std::size_t to = std::min(at + kRowsOfChunk, end);
                while (m > 0 && done[m - 1].load(std::memory_order_acquire) < to)
                    std::this_thread::yield();
                error.guard([&] { block.loops[m]->learn(at, to); });
                done[m].store(to, std::memory_order_release);
            }
    });
    error.rethrow();
}

void Ensemble::add_up(Block& block, std::size_t begin, std::size_t end) const {
    if (has_race()) return;
    const std::size_t outputs = block.outputs, n = (end - begin) * outputs;
    block.sums.resize(block.codes.rows * outputs);
    double* sums = block.sums.data() + begin * outputs;
    std::fill_n(sums, n, 0.0);
    for (std::size_t m = 0; m < members_.size(); ++m) {
        const double* scores = block.scores_of(m, begin);
        for (std::size_t i = 0; i < n; ++i) sums[i] += scores[i];
    }
}

const double* Ensemble::combined(const Block& block, std::size_t row) const {
    return has_race() ? block.scores_of(predicted_member(), row)
                      : block.sums.data() + row * block.outputs;
}

void Ensemble::predict(const Block& block, std::size_t row, std::vector<double>& raw) const {
    const double* scores = combined(block, row);
    const double calibrated = factor();
    raw.assign(scores, scores + block.outputs);
    for (double& score : raw) score *= calibrated;
}

void Ensemble::note_row(const Block& block, std::size_t row) {
    if (calibration_)
        calibration_->see(combined(block, row), block.outputs,
                          static_cast<std::size_t>(*block.rows.target(row)),
                          block.rows.weight(row));
    if (has_race()) note_losses(block, row);
}

void Ensemble::note_losses(const Block& block, std::size_t row) {
    for (std::size_t way = 0; way < members_.size(); ++way) {
        const double loss = block.losses[member_of_way(way) * block.codes.rows + row];
        race_.add_loss(0, way, block.rows.weight(row) * loss);
    }
    race_.end_row();
}

// -------------------------------------------------------------------------------------------------
// Rounds
// -------------------------------------------------------------------------------------------------

std::size_t Ensemble::n_derivatives() const {
    return members_.size() * objective().n_derivatives();
}

void Ensemble::compute_derivatives(const CodeBlock& codes, const LabelledRows& rows,
                                   std::size_t first_row, std::vector<double>& derivatives) {
    const std::size_t width = objective().n_derivatives(), of_row = n_derivatives();
    if (width == 0) return;
    std::size_t common = codes.rows;  // rows that all members have derivatives of
    std::optional<LossFailure> first_failure;
    std::vector<double> of_member;
    derivatives.resize(codes.rows * of_row);
    for_each_in_turn(codes.rows, [&](std::size_t m, const MemberRows& given) {
        of_member.clear();
        try {
            sgt::compute_derivatives(*members_[m], codes, rows, given, first_row, of_member);
        } catch (const LossFailure& failure) {
            if (!first_failure || failure.row() < first_failure->row()) first_failure = failure;
        }
        common = std::min(common, of_member.size() / width);
        for (std::size_t r = 0; r < common; ++r)
            std::copy_n(of_member.data() + r * width, width,
                        derivatives.data() + r * of_row + m * width);
    });
    derivatives.resize(common * of_row);
    if (first_failure) throw LossFailure(*first_failure);
}

void Ensemble::gather(const CodeBlock& codes, const LabelledRows& rows,
                      const std::vector<double>& derivatives, Partial& partial) {
    const std::size_t width = objective().n_derivatives(), of_row = n_derivatives();
    std::vector<double> of_member;
    for_each_in_turn(codes.rows, [&](std::size_t m, const MemberRows& given) {
        of_member.clear();
        for (std::size_t at = m * width; at < derivatives.size(); at += of_row)
            of_member.insert(of_member.end(), derivatives.data() + at,
                             derivatives.data() + at + width);
        gather_in_order(*members_[m], codes, rows, given, of_member, partial);
    });
}

}  // namespace sgt
