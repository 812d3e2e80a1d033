// A leaf considers a change, and the tree applies it.
#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "sgt/leaf/leaf_models.hpp"
#include "sgt/split/nominal_search.hpp"
#include "sgt/split/quantile_step.hpp"
#include "sgt/tree/tree.hpp"

namespace sgt {

namespace {

// Below this many cell updates and boundary scores a search is not worth a second thread.
constexpr std::size_t kWorkForThreads = 20'000;

// Where it knows the residuals of the rows a new value is their quantile. That may be the old one.
void take_quantile(const LeafStatistics& leaf, const CellReader& reader, Change& change) {
    std::vector<std::uint32_t> rows(leaf.n_latest());
    std::iota(rows.begin(), rows.end(), 0U);
    std::vector<double>& steps = change.branches.front().steps;
    take_quantile_steps(leaf, rows, reader, steps);
    change.passes = std::any_of(steps.begin(), steps.end(), [](double v) { return v != 0.0; });
}

}  // namespace

SearchRules Tree::rules_for(NodeIndex leaf, const TreeContext& context) const {
    const Options& options = context.options;
    const MemoryBudget& budget = context.budget;
    SearchRules rules(options, context.delta);
    rules.used_nominals = nodes_.nominals_above(leaf);
    if (!may_split(leaf, options)) rules.max_branches = 0;
    if (options.max_leaves != kUnlimited && rules.max_branches > 0)
        rules.max_branches = options.max_leaves - nodes_.n_leaves() + 1;
    if (budget.is_limited()) {
        const std::size_t used = budget.used - counted_bytes_[leaf];  // a split frees these
        const std::size_t room = used < budget.limit ? budget.limit - used : 0;
        rules.max_branches =
            std::min(rules.max_branches, (room + leaf_bytes()) / (node_bytes() + leaf_bytes()));
    }
    return rules;
}

void Tree::flush_and_search(NodeIndex leaf, const BranchScoring& scoring, TreeContext& context) {
    LeafStatistics& s = *statistics_[leaf];
    const FeatureSpace& features = context.features;
    const std::size_t n_numeric = features.numeric().size(), n_nominal = features.nominal().size();
    std::vector<Candidate>& of_feature = context.candidates;
    s.prepare_cells(features, context.flush);
    if (s.keeps_cells()) {
        of_feature.resize(features.size());
        const auto may_part = [&](std::uint32_t feature) {
            return options_.may_split_on(feature) && s.gathers_cells_of(feature);
        };
        const auto do_part = [&](std::size_t part, std::size_t parts) {
            const LeafStatistics::FeatureRange range{
                n_numeric * part / parts, n_numeric * (part + 1) / parts, n_nominal * part / parts,
                n_nominal * (part + 1) / parts};
            TreeContext::ThreadScratch& scratch = context.threads[part];
            s.add_to_cells(features, range, context.flush, scratch.flush);
            scratch.search.begin(s, features, scoring);
            double to_beat = score_new_value(s, scoring).score;
            for (std::size_t i = range.numeric_begin; i < range.numeric_end; ++i) {
                if (!may_part(features.numeric()[i])) continue;
                Candidate& candidate = of_feature[features.numeric()[i]];
                candidate = best_boundary(s, features, scoring, i, to_beat, scratch.search);
                if (candidate.kind != Candidate::Kind::none)
                    to_beat = std::min(to_beat, candidate.score);
            }
            for (std::size_t i = range.nominal_begin; i < range.nominal_end; ++i)
                if (may_part(features.nominal()[i]))
                    of_feature[features.nominal()[i]] =
                        score_nominal(s, features, scoring, i, scratch.search);
        };
        const std::size_t work =
            features.n_numeric_cells() + features.size() * context.options.grace_period;
        if (context.team != nullptr && context.team->size() > 1 && work >= kWorkForThreads)
            context.team->run([&](std::size_t part) { do_part(part, context.team->size()); });
        else
            do_part(0, 1);
    }
    s.finish_flush();
}

bool Tree::consider(NodeIndex leaf, const CellReader& reader, TreeContext& context) {
    LeafStatistics& s = *statistics_[leaf];
    s.prefetch_cells();
    Change change = find_change(leaf, reader, context);
    if (change.passes) {
        if (change.candidate.kind == Candidate::Kind::new_value)
            apply_value(leaf, change, context);
        else
            apply_split(leaf, change, reader, context);
    }
    account(leaf, context);
    return change.passes;
}

Change Tree::find_change(NodeIndex leaf, const CellReader& reader, TreeContext& context) {
    LeafStatistics& s = *statistics_[leaf];
    LeafStatistics::Look look(s, context.features, context.flush, buffer_rows(context.options));
    SearchRules rules = rules_for(leaf, context);
    s.sum_up(context.flush);
    if (context.options.units_of_leaf)
        rules.take_units(reader, s.total());
    else if (context.noise_is_unit)
        rules.take_noise_as_unit(reader, s.total());
    else
        rules.charge_for(reader.layout().outputs);
    const BranchScoring scoring(reader, rules, s.total());
    const bool searches = a_split_may_win(s, scoring);
    context.candidates.clear();
    if (searches) flush_and_search(leaf, scoring, context);
    const Candidate best = best_candidate(context.candidates, s, scoring);
    if (best.kind == Candidate::Kind::numeric)
        look.complete_numeric(best.position, context.features);
    else if (best.kind == Candidate::Kind::nominal)
        look.complete_nominal(best.position, context.features);
    Change change = examine(best, s, context.features, scoring);
    const bool is_value = change.candidate.kind == Candidate::Kind::new_value;
    if (change.passes && is_value && reader.knows_residuals()) take_quantile(s, reader, change);
    if (change.passes) return change;
    if (look.borrows())
        look.undo();
    else if (!searches)
        s.flush_summed(context.features, context.flush);
    return change;
}

void Tree::add_to_value(NodeIndex node, const std::vector<double>& steps) {
    double* values = nodes_.values_to_change(node);
    for (std::size_t j = 0; j < steps.size(); ++j) values[j] += steps[j];
}

void Tree::apply_value(NodeIndex leaf, const Change& change, const TreeContext& context) {
    const double age = static_cast<double>(rows_ - nodes_[leaf].since) + 1.0;
    nodes_[leaf].rate = change.branches.front().energy / age;
    offsets_.carry(leaf, leaf, change.branches.front().steps);
    past_values_.note_value(leaf, values(leaf), layout_.outputs, context.n_rows,
                            context.past_bytes);
    move_leaf(leaf, change.branches.front().steps);
}

void Tree::move_leaf(NodeIndex leaf, const std::vector<double>& steps) {
    add_to_value(leaf, steps);
    nodes_[leaf].since = rows_;
    if (LeafStatistics* s = statistics_[leaf].get()) {
        nodes_[leaf].cover += s->weight();
        s->clear();
    }
    ++n_updates_;
}

void Tree::take_quantiles(const LearnedRows& rows, const std::vector<double>& alphas,
                          TreeContext& context) {
    std::vector<std::vector<std::optional<double>>> found;
    for (std::size_t j = 0; j < alphas.size(); ++j)
        found.push_back(quantiles_of_leaves(nodes_, rows.of_output(j), alphas[j]));
    std::vector<double> steps(alphas.size());
    for (NodeIndex i = 0; i < nodes_.size(); ++i) {
        for (std::size_t j = 0; j < alphas.size(); ++j)
            steps[j] = found[j][i] ? *found[j][i] - nodes_.values(i)[j] : 0.0;
        if (std::all_of(steps.begin(), steps.end(), [](double v) { return v == 0.0; })) continue;
        move_leaf(i, steps);
        // Not by steps, which would be rounded.
        for (std::size_t j = 0; j < alphas.size(); ++j)
            if (found[j][i]) nodes_.values_to_change(i)[j] = *found[j][i];
        account(i, context);
    }
}

void Tree::apply_split(NodeIndex leaf, Change& change, const CellReader& reader,
                       TreeContext& context) {
    const Candidate& best = change.candidate;
    const double age = static_cast<double>(rows_ - nodes_[leaf].since) + 1.0;
    NodeIndex first = 0;
    if (best.kind == Candidate::Kind::numeric) {
        first = nodes_.split_numeric(leaf, best.feature,
                                     context.features.candidate(best.feature, best.boundary),
                                     best.missing_left);
    } else {
        std::vector<std::uint32_t> codes;
        std::size_t heaviest = 0;
        for (std::size_t j = 0; j < change.branches.size(); ++j) {
            codes.push_back(change.branches[j].code);
            if (change.branches[j].weight > change.branches[heaviest].weight) heaviest = j;
        }
        if (codes.front() == kMissingCode) heaviest = 0;
        first = nodes_.split_nominal(leaf, best.feature, codes, heaviest);
    }
    const RowsOfBranches rows_of =
        kept_rows_of_children(leaf, first, change.branches.size(), context.features);
    if (reader.knows_residuals())
        for (std::size_t j = 0; j < change.branches.size(); ++j)
            take_quantile_steps(*statistics_[leaf], rows_of[j], reader, change.branches[j].steps);
    leaf_model_->add_children(leaf, change.branches.size());
    past_values_.note_nodes(first, context.n_rows, context.past_bytes);
    offsets_.add_nodes(change.branches.size());
    for (std::size_t j = 0; j < change.branches.size(); ++j) {
        const NodeIndex index = first + static_cast<NodeIndex>(j);
        Node& child = nodes_[index];
        add_to_value(index, change.branches[j].steps);
        offsets_.carry(leaf, index, change.branches[j].steps);
        child.cover = change.branches[j].weight;
        child.rate = change.branches[j].energy / age;
        child.since = rows_;
    }
    offsets_.clear(leaf);
    nodes_[leaf].cover += statistics_[leaf]->weight();
    nodes_[leaf].gain = change.gain / statistics_[leaf]->weight();
    const std::unique_ptr<LeafStatistics> gathered = std::move(statistics_[leaf]);
    statistics_.resize(nodes_.size());
    counted_bytes_.resize(nodes_.size(), 0);
    account_nodes(change.branches.size(), change.branches.size() - 1, context);
    ++n_splits_;
    if (nodes_.n_leaves() >= context.options.max_leaves) drop_all_cells(context);
    hand_down(*gathered, rows_of, first, change, reader, context);
}

Tree::RowsOfBranches Tree::kept_rows_of_children(NodeIndex leaf, NodeIndex first_child,
                                                 std::size_t n,
                                                 const FeatureSpace& features) const {
    const LeafStatistics& kept = *statistics_[leaf];
    RowsOfBranches rows_of(n);
    for (auto& rows : rows_of) rows.reserve(kept.n_kept() / n);
    with_code_type(features.width(), [&]<class Code>(Code) {
        for (std::uint32_t r = 0; r < kept.n_kept(); ++r) {
            const auto* codes = reinterpret_cast<const Code*>(kept.kept_codes(r));
            const NodeIndex child = nodes_.descend(leaf, codes);
            // Kept rows are in the cells, so their categories have branches; but a loaded
            // file may be inconsistent.
            if (child != leaf) rows_of[child - first_child].push_back(r);
        }
    });
    return rows_of;
}

void Tree::hand_down(const LeafStatistics& kept, const RowsOfBranches& rows_of,
                     NodeIndex first_child, const Change& change, const CellReader& reader,
                     TreeContext& context) {
    const FeatureSpace& features = context.features;
    const std::size_t row_bytes = features.size() * bytes_of(features.width());
    std::vector<double> record(record_width(layout_));
    for (std::size_t b = 0; b < rows_of.size(); ++b) {
        if (rows_of[b].empty()) continue;
        const NodeIndex child = first_child + static_cast<NodeIndex>(b);
        const std::vector<double>& by_output = change.branches[b].steps;
        std::vector<CellReader::Step> steps;
        if (!layout_.counts_classes()) steps = {by_output.begin(), by_output.end()};
        LeafStatistics& s = statistics_of(child, context);
        s.expect(rows_of[b].size(), row_bytes, buffer_rows(context.options));
        double cover = nodes_[child].cover;  // these rows count in the branch's weight already
        for (const std::uint32_t r : rows_of[b]) {
            kept.write_record(r, record.data());
            for (std::size_t j = 0; j < layout_.outputs && !layout_.counts_classes(); ++j) {
                double *g = &record[place_of_g(j)], *h = &record[place_of_h(j)];
                const Reference moved = reader.moved({*g, *h}, steps[j], j);
                *g = moved.g;
                *h = moved.h;
            }
            const double copies = layout_.counts_classes() ? 1.0 : record[1];
            cover = std::max(cover - record[0] * copies, 0.0);
            const std::byte* codes = kept.kept_codes(r);
            const auto appended =
                s.append(codes, row_bytes, record.data(), buffer_rows(context.options));
            if (appended.buffer_is_full()) s.flush(features, context.flush);
        }
        nodes_[child].cover = cover;
        account(child, context);
    }
}

}  // namespace sgt
