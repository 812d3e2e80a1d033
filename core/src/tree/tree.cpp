#include "sgt/tree/tree.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "sgt/leaf/leaf_models.hpp"
#include "sgt/split/quantile_step.hpp"

namespace sgt {

namespace {

// Below this many cell updates and boundary scores a search is not worth a second thread.
constexpr std::size_t kWorkForThreads = 20'000;

// Weight, in rows of the tree, of the rate that a leaf inherits against what it shows itself.
constexpr double kInheritedRows = 1000.0;

// Where it knows the residuals of the rows a new value is their quantile. That may be the old one.
void take_quantile(const LeafStatistics& leaf, const CellReader& reader, Change& change) {
    std::vector<std::uint32_t> rows(leaf.n_latest());
    std::iota(rows.begin(), rows.end(), 0U);
    std::vector<double>& steps = change.branches.front().steps;
    take_quantile_steps(leaf, rows, reader, steps);
    change.passes = std::any_of(steps.begin(), steps.end(), [](double v) { return v != 0.0; });
}

}  // namespace

std::size_t Tree::buffer_rows(const Options& options) {
    constexpr std::size_t kMost = 256;
    return options.grace_growth > 0.0 ? kMost : std::min(options.grace_period, kMost);
}

Tree::Tree(std::vector<double> root_value, Layout layout, TreeContext& context, TreeOptions options)
    : nodes_(std::move(root_value)),
      layout_(layout),
      options_(std::move(options)),
      leaf_model_(with_leaf_model(context.options,
                                  [&]<class Leaves>(Leaves*) {
                                      return Leaves::make({context.options, layout.outputs,
                                                           context.standardiser.size()});
                                  })),
      offsets_(context.options, layout.outputs),
      statistics_(1),
      counted_bytes_(1, 0) {
    account_nodes(1, 1, context);
}

double Tree::cover(NodeIndex leaf) const {
    const LeafStatistics* s = statistics_[leaf].get();
    return nodes_[leaf].cover + (s != nullptr ? s->weight() : 0.0);
}

std::vector<double> Tree::covers() const {
    std::vector<double> covers(nodes_.size(), 0.0);
    for (std::size_t i = nodes_.size(); i-- > 0;) {  // children have higher numbers
        const auto node = static_cast<NodeIndex>(i);
        if (nodes_.is_leaf(node)) covers[i] = cover(node);
        if (i > 0) covers[nodes_[node].parent] += covers[i];
    }
    return covers;
}

std::size_t Tree::bytes() const {
    std::size_t n = nodes_.size() * node_bytes();
    for (const auto& s : statistics_)
        if (s) n += s->bytes();
    return n;
}

void Tree::account(NodeIndex leaf, TreeContext& context) {
    if (!context.budget.is_limited()) return;
    const std::size_t now = statistics_[leaf] ? statistics_[leaf]->bytes() - leaf_bytes() : 0;
    context.budget.used += now - counted_bytes_[leaf];
    counted_bytes_[leaf] = now;
}

void Tree::give_back_memory(TreeContext& context) const {
    if (!context.budget.is_limited()) return;
    std::size_t counted = nodes_.size() * node_bytes() + nodes_.n_leaves() * leaf_bytes();
    for (const std::size_t of_leaf : counted_bytes_) counted += of_leaf;
    context.budget.used -= counted;
}

void Tree::account_nodes(std::size_t nodes, std::size_t leaves, TreeContext& context) const {
    if (context.budget.is_limited())
        context.budget.used += nodes * node_bytes() + leaves * leaf_bytes();
}

bool Tree::may_split(NodeIndex leaf, const Options& options) const {
    return may_split_at(nodes_[leaf].depth, options);
}

bool Tree::may_split_at(std::size_t depth, const Options& options) const {
    return depth < options.max_depth && nodes_.n_leaves() < options.max_leaves;
}

void Tree::make_statistics(NodeIndex leaf, TreeContext& context) {
    statistics_[leaf] =
        std::make_unique<LeafStatistics>(layout_, may_split(leaf, context.options),
                                         context.options.grace(), context.options.kept_rows);
    account(leaf, context);
}

NodeIndex Tree::leaf_for_learning(NodeIndex node, std::uint32_t code, TreeContext& context) {
    if (nodes_.is_leaf(node)) return node;
    const MemoryBudget& budget = context.budget;
    if (nodes_.n_leaves() >= context.options.max_leaves) return kNoNode;
    if (budget.is_limited() && budget.used + node_bytes() + leaf_bytes() > budget.limit)
        return kNoNode;
    const NodeIndex leaf = nodes_.add_branch(node, code);
    nodes_[leaf].since = rows_;
    leaf_model_->add_children(node, 1);
    offsets_.add_nodes(1);
    statistics_.emplace_back();
    counted_bytes_.push_back(0);
    account_nodes(1, 1, context);
    if (nodes_.n_leaves() >= context.options.max_leaves) drop_all_cells(context);
    return leaf;
}

bool Tree::add(NodeIndex leaf, const std::byte* codes, const double* record, TreeContext& context) {
    LeafStatistics& s = statistics_of(leaf, context);
    const Options& options = context.options;
    const std::size_t row_bytes = context.features.size() * bytes_of(context.features.width());
    const auto appended = s.append(codes, row_bytes, record, buffer_rows(options));
    ++rows_;
    if (appended.buffer_grew()) account(leaf, context);
    if (appended.attempt_is_due()) return true;
    if (appended.buffer_is_full()) flush(leaf, context);
    return false;
}

void Tree::flush(NodeIndex leaf, TreeContext& context) {
    statistics_[leaf]->flush(context.features, context.flush);
    account(leaf, context);
}

SearchRules Tree::rules_for(NodeIndex leaf, const TreeContext& context) const {
    const Options& options = context.options;
    const MemoryBudget& budget = context.budget;
    SearchRules rules(options);
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

std::vector<Candidate> Tree::flush_and_search(NodeIndex leaf, const CellReader& reader,
                                              const SearchRules& rules, TreeContext& context) {
    LeafStatistics& s = *statistics_[leaf];
    const FeatureSpace& features = context.features;
    const std::size_t n_numeric = features.numeric().size(), n_nominal = features.nominal().size();
    std::vector<Candidate> of_feature;
    s.prepare_cells(features, context.flush);
    if (s.keeps_cells()) {
        of_feature.resize(features.size());
        const auto do_part = [&](std::size_t part, std::size_t parts) {
            const LeafStatistics::FeatureRange range{
                n_numeric * part / parts, n_numeric * (part + 1) / parts, n_nominal * part / parts,
                n_nominal * (part + 1) / parts};
            TreeContext::ThreadScratch& scratch = context.threads[part];
            s.add_to_cells(features, range, context.flush, scratch.flush);
            double to_beat = score_new_value(s, reader, rules).score;
            for (std::size_t i = range.numeric_begin; i < range.numeric_end; ++i) {
                if (!options_.may_split_on(features.numeric()[i])) continue;
                Candidate& candidate = of_feature[features.numeric()[i]];
                candidate = best_boundary(s, features, reader, rules, i, to_beat, scratch.search);
                if (candidate.kind != Candidate::Kind::none)
                    to_beat = std::min(to_beat, candidate.score);
            }
            for (std::size_t i = range.nominal_begin; i < range.nominal_end; ++i)
                if (options_.may_split_on(features.nominal()[i]))
                    of_feature[features.nominal()[i]] =
                        score_nominal(s, features, reader, rules, i);
        };
        const std::size_t work =
            features.n_numeric_cells() + features.size() * context.options.grace_period;
        if (context.team != nullptr && context.team->size() > 1 && work >= kWorkForThreads)
            context.team->run([&](std::size_t part) { do_part(part, context.team->size()); });
        else
            do_part(0, 1);
    }
    s.finish_flush();
    return of_feature;
}

bool Tree::consider(NodeIndex leaf, const CellReader& reader, TreeContext& context) {
    LeafStatistics& s = *statistics_[leaf];
    s.prefetch_cells();
    SearchRules rules = rules_for(leaf, context);
    s.sum_up(context.flush);
    if (context.options.units_of_leaf) rules.take_units(reader, s.total());
    const bool searches = a_split_may_win(s, reader, rules);
    std::vector<Candidate> of_feature;
    if (searches) of_feature = flush_and_search(leaf, reader, rules, context);
    Change change = choose_change(of_feature, s, context.features, reader, rules);
    const bool is_value = change.candidate.kind == Candidate::Kind::new_value;
    if (change.passes && is_value && reader.knows_residuals()) take_quantile(s, reader, change);
    if (change.passes) {
        if (is_value)
            apply_value(leaf, change);
        else
            apply_split(leaf, change, reader, context);
    } else if (!searches) {
        s.flush_summed(context.features, context.flush);
    }
    account(leaf, context);
    return change.passes;
}

void Tree::add_to_value(NodeIndex node, const std::vector<double>& steps) {
    double* values = nodes_.values_to_change(node);
    for (std::size_t j = 0; j < steps.size(); ++j) values[j] += steps[j];
}

void Tree::apply_value(NodeIndex leaf, const Change& change) {
    Node& node = nodes_[leaf];
    const double age = static_cast<double>(rows_ - node.since) + 1.0;
    add_to_value(leaf, change.branches.front().steps);
    offsets_.carry(leaf, leaf, change.branches.front().steps);
    node.cover += statistics_[leaf]->weight();
    node.rate = change.branches.front().energy / age;
    node.since = rows_;
    statistics_[leaf]->clear();
    ++n_updates_;
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
        std::vector<CellReader::Step> steps;
        for (const double step : change.branches[b].steps) steps.emplace_back(step);
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

void Tree::become_moments(const ReaderAt& reader, TreeContext& context) {
    flush_all(context);
    change_layout(Layout::moments, context,
                  [&](NodeIndex leaf) { statistics_[leaf]->become_moments(reader(*this, leaf)); });
}

void Tree::add_class(const std::vector<double>& values, TreeContext& context) {
    const std::size_t before = node_bytes();
    // What is counted must not depend on which leaves have been used since.
    const bool is_limited = context.budget.is_limited();
    nodes_.add_output(values, !is_limited);
    offsets_.add_output(!is_limited);
    if (is_limited) context.budget.used += nodes_.size() * (node_bytes() - before);
    change_layout({layout_.kind, layout_.outputs + 1}, context,
                  [&](NodeIndex leaf) { statistics_[leaf]->add_class(is_limited); });
}

// Calls change_leaf for every leaf with statistics.
void Tree::change_layout(Layout layout, TreeContext& context,
                         const std::function<void(NodeIndex)>& change_leaf) {
    const std::size_t before = leaf_bytes();
    for (NodeIndex i = 0; i < statistics_.size(); ++i)
        if (statistics_[i]) change_leaf(i);
    layout_ = layout;
    if (context.budget.is_limited())
        context.budget.used += nodes_.n_leaves() * (leaf_bytes() - before);
    for (NodeIndex i = 0; i < statistics_.size(); ++i)
        if (statistics_[i]) account(i, context);
}

void Tree::flush_all(TreeContext& context) {
    for (NodeIndex i = 0; i < statistics_.size(); ++i)
        if (statistics_[i]) flush(i, context);
}

void Tree::reshape_rows(std::size_t old_features, CodeWidth old_width, TreeContext& context) {
    for (NodeIndex i = 0; i < statistics_.size(); ++i) {
        if (!statistics_[i]) continue;
        statistics_[i]->reshape_rows(old_features, old_width, context.features.size(),
                                     context.features.width(), !context.budget.is_limited());
        account(i, context);
    }
}

void Tree::lay_out_late_features(TreeContext& context) {
    for (NodeIndex i = 0; i < statistics_.size(); ++i) {
        if (!statistics_[i]) continue;
        statistics_[i]->lay_out_late_features(context.features);
        account(i, context);
    }
}

void Tree::renew_bins(const RenewedBins& renewed, TreeContext& context) {
    nodes_.renew_bins(renewed);
    for (NodeIndex i = 0; i < statistics_.size(); ++i) {
        if (!statistics_[i]) continue;
        statistics_[i]->renew_bins(renewed, context.features);
        account(i, context);
    }
}

double Tree::promise(NodeIndex leaf, const CellReader& reader) const {
    const Node& node = nodes_[leaf];
    const double energy = reader.energy(statistics_[leaf]->total().data());
    return (energy + node.rate * kInheritedRows) /
           (static_cast<double>(rows_ - node.since) + kInheritedRows);
}

void Tree::drop_cells(NodeIndex leaf, TreeContext& context) {
    if (!statistics_[leaf]) return;
    statistics_[leaf]->drop_cells();
    account(leaf, context);
}

void Tree::drop_all_cells(TreeContext& context) {
    for (NodeIndex i = 0; i < statistics_.size(); ++i) drop_cells(i, context);
}

}  // namespace sgt
