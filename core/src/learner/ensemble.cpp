#include "sgt/learner/ensemble.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

#include "sgt/leaf/leaf_models.hpp"
#include "sgt/loss/loss.hpp"

namespace sgt {

namespace {

// Rows that a member hands to the next one at once, where each has a thread.
constexpr std::size_t kRowsOfChunk = 64;

std::size_t n_members(const Options& options) {
    switch (options.combination) {
        case Combination::one:
            return 1;
        case Combination::choosing:
            return 2;
        case Combination::boosting:
        case Combination::averaging:
            break;
    }
    return options.n_estimators;
}

std::string prefix_of(std::size_t member) {
    return "member" + std::to_string(member) + "/";
}

// A member shares nothing with the others that changes while it learns, so that the number of
// threads does not matter: it has its part of the memory for itself.
Options options_of_member(const Options& options, std::size_t member, std::size_t n) {
    Options of_member = options;
    if (n > 1) of_member.n_threads = 1;
    if (options.max_memory != kUnlimited) of_member.max_memory = options.max_memory / n;
    if (options.combination == Combination::choosing) of_member.linear_leaves = member == 1;
    return of_member;
}

TreeOptions tree_options_of_member(const Options& options, std::size_t member) {
    TreeOptions of_trees;
    if (options.combination == Combination::boosting) of_trees.shrinkage = options.learning_rate;
    if (options.combination == Combination::averaging)
        of_trees.shrinkage = 1.0 / static_cast<double>(options.n_estimators);
    if (options.combination != Combination::one && options.combination != Combination::choosing) {
        of_trees.mean_copies = options.mean_copies;
        of_trees.feature_share = options.feature_share;
    }
    of_trees.seed = options.seed * Options::kMostEstimators + member;
    return of_trees;
}

}  // namespace

Ensemble::Ensemble(const Options& options, FeatureSpace& features, const Standardiser& standardiser,
                   const MakeObjective& make_objective)
    : combination_(options.combination) {
    const std::size_t n = n_members(options);
    const bool adds_to_others = combination_ == Combination::boosting;
    for (std::size_t m = 0; m < n; ++m) {
        const Options of_member = options_of_member(options, m, n);
        members_.push_back(std::make_unique<Member>(
            of_member, features, standardiser,
            make_objective(of_member, !adds_to_others && !of_member.linear_leaves),
            TreeSet(tree_options_of_member(options, m), adds_to_others)));
    }
    if (has_race()) race_ = Race(1, n);
}

void Ensemble::set_n_rows(std::uint64_t n) {
    for (auto& member : members_) member->n_rows = n;
}

void Ensemble::count_bytes(std::size_t n) {
    for (auto& member : members_) {
        MemoryBudget& budget = member->context.budget;
        if (budget.is_limited()) budget.used += n / members_.size();
    }
}

bool Ensemble::is_used(std::size_t member) const {
    if (combination_ == Combination::boosting) return member <= predicted_member();
    return combination_ != Combination::choosing || member == predicted_member();
}

std::size_t Ensemble::n_in_use() const {
    std::size_t n = 0;
    for (std::size_t m = 0; m < size(); ++m) n += is_used(m);
    return n;
}

void Ensemble::judge_members(const std::vector<double>& losses) {
    if (combination_ != Combination::boosting)
        throw std::invalid_argument("only boosted members are judged in stages");
    if (losses.size() != size())
        throw std::invalid_argument("there must be a loss for each member");
    std::vector<double> by_way(size());
    for (std::size_t way = 0; way < size(); ++way) by_way[way] = losses[member_of_way(way)];
    race_.begin_with(by_way);
}

std::vector<Ensemble::Place> Ensemble::trees() const {
    std::vector<Place> places;
    for (std::size_t m = 0; m < members_.size(); ++m)
        for (const TreeSet::Entry& entry : members_[m]->trees)
            places.push_back({entry.tree, entry.first_output,
                              is_used(m) ? entry.tree.options().shrinkage : 0.0});
    return places;
}

std::size_t Ensemble::n_trees() const {
    std::size_t n = 0;
    for (const auto& member : members_) n += member->trees.size();
    return n;
}

void Ensemble::create(const WarmUp& warm_up, bool from_data) {
    for (auto& member : members_) {
        Objective& objective = *member->objective;
        if (warm_up.rows() > 0) objective.take_scales(warm_up);
        const std::vector<TreeStart> starts = objective.trees(warm_up, from_data);
        member->trees.create(starts, objective.n_outputs(), member->context);
        start_.assign(n_outputs(), 0.0);
        for (const TreeStart& start : starts)
            std::copy(start.root.begin(), start.root.end(),
                      start_.begin() + static_cast<std::ptrdiff_t>(start.first_output));
    }
}

void Ensemble::admit_class(double w) {
    double begins_at = 0.0;
    for (auto& member : members_) begins_at = member->admit_class(w);
    start_.resize(n_outputs(), begins_at);
}

// -------------------------------------------------------------------------------------------------
// Learning
// -------------------------------------------------------------------------------------------------

// A block of rows, and what the members say about them.
struct Ensemble::Block {
    const CodeBlock& codes;
    const LabelledRows& rows;
    std::vector<std::unique_ptr<MemberLoop>> loops;
    std::size_t outputs = 0;
    std::vector<double> scores;  // by member, row and output: summed up so far, where they add up
    std::vector<double> losses;  // of these, by member and row

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
    Block block{codes, rows, {}, 0, {}, {}};
    for (auto& member : members_) block.loops.push_back(make_loop(*member, codes, rows));
    std::vector<double> raw;
    for (std::size_t begin = 0, next_to_predict = 0; begin < codes.rows;) {
        std::size_t end = begin;
        const auto is_of_new_class = [&](std::size_t row) {
            return rows.weight(row) != 0.0 && objective().has_new_class(rows.target(row));
        };
        while (end < codes.rows && !is_of_new_class(end)) ++end;
        learn_segment(block, begin, end);
        raw.resize(block.outputs);
        for (std::size_t r = begin; r < end; ++r) {
            if (sink != nullptr && r >= next_to_predict) {
                combine(block, r, raw.data());
                sink->write(raw.data(), raw.size(), first_row + r);
            }
            if (has_race() && rows.weight(r) != 0.0) note_losses(block, r);
        }
        begin = end;
        if (end == codes.rows) break;
        // The row is predicted before its class is known, and learned after.
        for (auto& loop : block.loops) loop->score_row(end);
        if (sink != nullptr) {
            combine(block, end, raw.data());
            sink->write(raw.data(), raw.size(), first_row + end);
        }
        next_to_predict = end + 1;
        admit_class(rows.weight(end));
    }
}

// Member after member, each with the scores of those before it.
template <class F>
void Ensemble::for_each_in_turn(std::size_t n, F&& f) {
    const std::size_t outputs = n_outputs();
    std::vector<double> base, scores;
    for (std::size_t m = 0; m < members_.size(); ++m) {
        MemberRows of_member;
        of_member.counts_weight = m == 0;
        if (combination_ == Combination::boosting) {
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
        if (combination_ == Combination::boosting) {
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
    if (combination_ == Combination::boosting) return run_pipeline(block, begin, end);
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

void Ensemble::combine(Block& block, std::size_t row, double* raw) const {
    if (has_race()) {
        std::copy_n(block.scores_of(predicted_member(), row), block.outputs, raw);
        return;
    }
    std::fill_n(raw, block.outputs, 0.0);
    for (std::size_t m = 0; m < members_.size(); ++m) {
        const double* scores = block.scores_of(m, row);
        for (std::size_t k = 0; k < block.outputs; ++k) raw[k] += scores[k];
    }
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

void Ensemble::check_members(std::size_t members) const {
    if (members == kInUse) return;
    if (combination_ != Combination::boosting)
        throw std::invalid_argument("only boosted members predict in stages");
    if (members == 0 || members > size())
        throw std::invalid_argument("there is no such number of members");
}

void Ensemble::write_scores(const CodeBlock& codes, const RowsView& x, double* raw,
                            std::size_t members) const {
    const std::size_t n = codes.rows, outputs = n_outputs();
    std::vector<NodeIndex> nodes(n);
    std::vector<double> scores(outputs);
    const std::vector<double> before = start();
    for (std::size_t r = 0; r < n; ++r) std::copy_n(before.data(), outputs, raw + r * outputs);
    for (std::size_t m = 0; m < members_.size(); ++m) {
        if (members == kInUse ? !is_used(m) : m >= members) continue;
        const TreeContext& context = members_[m]->context;
        const bool is_sum =
            combination_ == Combination::boosting || combination_ == Combination::averaging;
        with_leaf_model(context.options, [&]<class Leaves>(Leaves*) {
            std::vector<double> inputs(Leaves::kReadsInputs ? 1 + context.standardiser.size() : 0);
            for (const TreeSet::Entry& entry : members_[m]->trees) {
                entry.tree.nodes().descend_block(codes, 0, n, nodes.data());
                const std::size_t of_tree = entry.tree.layout().outputs;
                const double weight = entry.tree.options().shrinkage;
                double* to = raw + entry.first_output;
                for (std::size_t r = 0; r < n; ++r, to += outputs) {
                    if constexpr (Leaves::kReadsInputs)
                        context.standardiser.write(x, r, inputs.data());
                    double* own = is_sum ? scores.data() : to;
                    entry.tree.template write_scores<Leaves>(nodes[r], inputs.data(), own);
                    entry.tree.add_chosen_offsets(nodes[r], own);
                    if (is_sum)
                        for (std::size_t j = 0; j < of_tree; ++j) to[j] += weight * own[j];
                }
            }
        });
    }
}

void Ensemble::restart_following() {
    for (auto& member : members_) member->following.restart(member->trees);
    // (The race goes on: which members predict best, all rows of the pass have told.)
}

// -------------------------------------------------------------------------------------------------
// Saving
// -------------------------------------------------------------------------------------------------

std::string Ensemble::prefix(std::size_t member) const {
    return combination_ == Combination::one ? "" : prefix_of(member);
}

void Ensemble::require_members(const Options& options, const ArchiveView& archive) {
    if (options.combination == Combination::one) return;
    const std::size_t n = n_members(options);
    if (archive.get_count("members") != n)
        Archive::fail("members", "does not fit the number of members");
    for (std::size_t m = 0; m < n; ++m)
        if (!archive.has(prefix_of(m) + "trees"))
            Archive::fail("members", "counts members that do not exist");
}

void Ensemble::save(Archive& archive, bool inference_only) const {
    archive.put<std::int64_t>("rows", {static_cast<std::int64_t>(n_rows())});
    objective().save(archive);
    for (std::size_t m = 0; m < members_.size(); ++m)
        members_[m]->save(archive, prefix(m), inference_only);
    if (combination_ == Combination::one) return;
    archive.put<std::int64_t>("members", {static_cast<std::int64_t>(members_.size())});
    if (combination_ == Combination::boosting) archive.put("start", start_);
    if (has_race()) race_.save(archive, "members/");
}

void Ensemble::load(const ArchiveView& archive, const WarmUp& warm_up, const KnownCodes& codes,
                    bool inference_only) {
    set_n_rows(archive.get_count("rows"));
    for (std::size_t m = 0; m < members_.size(); ++m)
        members_[m]->load(archive, prefix(m), warm_up, codes, inference_only);
    if (combination_ == Combination::boosting)
        start_ = to_vector(archive.get<double>("start", n_outputs()));
    if (has_race()) race_.load(archive, "members/");
}

}  // namespace sgt
