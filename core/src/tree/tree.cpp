#include "sgt/tree/tree.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sgt {

namespace {

// Below this many cell updates and boundary scores a search is not worth a second thread.
constexpr std::size_t kWorkForThreads = 20'000;

// Weight, in rows of the tree, of the rate that a leaf inherits against what it shows itself.
constexpr double kInheritedRows = 1000.0;

}  // namespace

std::size_t Tree::buffer_rows(const Options& options) {
    constexpr std::size_t kMost = 256;
    return options.grace_growth > 0.0 ? kMost : std::min(options.grace_period, kMost);
}

Tree::Tree(std::vector<double> root_value, Layout layout, Workshop& workshop)
    : nodes_(std::move(root_value)), layout_(layout), statistics_(1), counted_bytes_(1, 0) {
    if (workshop.options.linear_leaves)
        linear_.emplace(layout.outputs, 1 + workshop.standardiser.size(),
                        workshop.options.lambda_of_linear_leaves());
    account_nodes(1, 1, workshop);
}

double Tree::cover(NodeIndex leaf) const {
    const LeafStatistics* s = statistics_[leaf].get();
    return nodes_[leaf].cover + (s != nullptr ? s->weight() : 0.0);
}

std::size_t Tree::bytes() const {
    std::size_t n = nodes_.size() * node_bytes();
    for (const auto& s : statistics_)
        if (s) n += s->bytes();
    return n;
}

void Tree::account(NodeIndex leaf, Workshop& workshop) {
    if (!workshop.budget.is_limited()) return;
    const std::size_t now = statistics_[leaf] ? statistics_[leaf]->bytes() - leaf_bytes() : 0;
    workshop.budget.used += now - counted_bytes_[leaf];
    counted_bytes_[leaf] = now;
}

void Tree::account_nodes(std::size_t nodes, std::size_t leaves, Workshop& workshop) const {
    if (workshop.budget.is_limited())
        workshop.budget.used += nodes * node_bytes() + leaves * leaf_bytes();
}

bool Tree::may_split(NodeIndex leaf, const Options& options) const {
    return may_split_at(nodes_[leaf].depth, options);
}

bool Tree::may_split_at(std::size_t depth, const Options& options) const {
    return depth < options.max_depth && nodes_.n_leaves() < options.max_leaves;
}

LeafStatistics& Tree::statistics_of(NodeIndex leaf, Workshop& workshop) {
    if (!statistics_[leaf]) {
        statistics_[leaf] =
            std::make_unique<LeafStatistics>(layout_, may_split(leaf, workshop.options),
                                             workshop.options.grace(), workshop.options.kept_rows);
        account(leaf, workshop);
    }
    return *statistics_[leaf];
}

NodeIndex Tree::leaf_for_learning(NodeIndex node, std::uint32_t code, Workshop& workshop) {
    if (nodes_.is_leaf(node)) return node;
    const MemoryBudget& budget = workshop.budget;
    if (nodes_.n_leaves() >= workshop.options.max_leaves) return kNoNode;
    if (budget.is_limited() && budget.used + node_bytes() + leaf_bytes() > budget.limit)
        return kNoNode;
    const NodeIndex leaf = nodes_.add_branch(node, code);
    nodes_[leaf].since = rows_;
    if (linear_) linear_->add_children(node, 1);
    statistics_.emplace_back();
    counted_bytes_.push_back(0);
    account_nodes(1, 1, workshop);
    if (nodes_.n_leaves() >= workshop.options.max_leaves) drop_all_cells(workshop);
    return leaf;
}

bool Tree::add(NodeIndex leaf, const std::byte* codes, const double* record, Workshop& workshop) {
    LeafStatistics& s = statistics_of(leaf, workshop);
    const Options& options = workshop.options;
    const std::size_t row_bytes = workshop.features.size() * bytes_of(workshop.features.width());
    const auto appended = s.append(codes, row_bytes, record, buffer_rows(options));
    ++rows_;
    if (appended.buffer_grew()) account(leaf, workshop);
    if (appended.attempt_is_due()) return true;
    if (appended.buffer_is_full()) flush(leaf, workshop);
    return false;
}

void Tree::flush(NodeIndex leaf, Workshop& workshop) {
    statistics_[leaf]->flush(workshop.features, workshop.flush);
    account(leaf, workshop);
}

SearchRules Tree::rules_for(NodeIndex leaf, const Workshop& workshop) const {
    const Options& options = workshop.options;
    const MemoryBudget& budget = workshop.budget;
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
                                              const SearchRules& rules, Workshop& workshop) {
    LeafStatistics& s = *statistics_[leaf];
    const FeatureSpace& features = workshop.features;
    const std::size_t n_numeric = features.numeric().size(), n_nominal = features.nominal().size();
    std::vector<Candidate> of_feature;
    s.prepare_cells(features, workshop.flush);
    if (s.keeps_cells()) {
        of_feature.resize(features.size());
        const auto do_part = [&](std::size_t part, std::size_t parts) {
            const LeafStatistics::FeatureRange range{
                n_numeric * part / parts, n_numeric * (part + 1) / parts, n_nominal * part / parts,
                n_nominal * (part + 1) / parts};
            Workshop::ThreadScratch& scratch = workshop.threads[part];
            s.add_to_cells(features, range, workshop.flush, scratch.flush);
            double to_beat = score_new_value(s, reader, rules).score;
            for (std::size_t i = range.numeric_begin; i < range.numeric_end; ++i) {
                Candidate& candidate = of_feature[features.numeric()[i]];
                candidate = best_boundary(s, features, reader, rules, i, to_beat, scratch.search);
                if (candidate.kind != Candidate::Kind::none)
                    to_beat = std::min(to_beat, candidate.score);
            }
            for (std::size_t i = range.nominal_begin; i < range.nominal_end; ++i)
                of_feature[features.nominal()[i]] = score_nominal(s, features, reader, rules, i);
        };
        const std::size_t work =
            features.n_numeric_cells() + features.size() * workshop.options.grace_period;
        if (workshop.team != nullptr && workshop.team->size() > 1 && work >= kWorkForThreads)
            workshop.team->run([&](std::size_t part) { do_part(part, workshop.team->size()); });
        else
            do_part(0, 1);
    }
    s.finish_flush();
    return of_feature;
}

bool Tree::consider(NodeIndex leaf, const CellReader& reader, Workshop& workshop) {
    LeafStatistics& s = *statistics_[leaf];
    SearchRules rules = rules_for(leaf, workshop);
    s.sum_up(workshop.flush);
    if (workshop.options.units_of_leaf) rules.take_units(reader, s.total());
    const bool searches = a_split_may_win(s, reader, rules);
    std::vector<Candidate> of_feature;
    if (searches) of_feature = flush_and_search(leaf, reader, rules, workshop);
    const Change change = choose_change(of_feature, s, workshop.features, reader, rules);
    if (change.passes) {
        if (change.candidate.kind == Candidate::Kind::new_value)
            apply_value(leaf, change);
        else
            apply_split(leaf, change, reader, workshop);
    } else if (!searches) {
        s.flush_summed(workshop.features, workshop.flush);
    }
    account(leaf, workshop);
    return change.passes;
}

void Tree::add_to_value(NodeIndex node, const std::vector<double>& steps) {
    double* values = nodes_.values(node);
    for (std::size_t j = 0; j < steps.size(); ++j) values[j] += steps[j];
}

void Tree::apply_value(NodeIndex leaf, const Change& change) {
    Node& node = nodes_[leaf];
    const double age = static_cast<double>(rows_ - node.since) + 1.0;
    add_to_value(leaf, change.branches.front().steps);
    node.cover += statistics_[leaf]->weight();
    node.rate = change.branches.front().energy / age;
    node.since = rows_;
    statistics_[leaf]->clear();
    ++n_updates_;
}

void Tree::apply_split(NodeIndex leaf, const Change& change, const CellReader& reader,
                       Workshop& workshop) {
    const Candidate& best = change.candidate;
    const double age = static_cast<double>(rows_ - nodes_[leaf].since) + 1.0;
    NodeIndex first = 0;
    if (best.kind == Candidate::Kind::numeric) {
        first = nodes_.split_numeric(leaf, best.feature, best.boundary, best.missing_left);
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
    if (linear_) linear_->add_children(leaf, change.branches.size());
    for (std::size_t j = 0; j < change.branches.size(); ++j) {
        const NodeIndex index = first + static_cast<NodeIndex>(j);
        Node& child = nodes_[index];
        add_to_value(index, change.branches[j].steps);
        child.cover = change.branches[j].weight;
        child.rate = change.branches[j].energy / age;
        child.since = rows_;
    }
    nodes_[leaf].cover += statistics_[leaf]->weight();
    nodes_[leaf].gain = change.gain / statistics_[leaf]->weight();
    const std::unique_ptr<LeafStatistics> gathered = std::move(statistics_[leaf]);
    statistics_.resize(nodes_.size());
    counted_bytes_.resize(nodes_.size(), 0);
    account_nodes(change.branches.size(), change.branches.size() - 1, workshop);
    ++n_splits_;
    if (nodes_.n_leaves() >= workshop.options.max_leaves) drop_all_cells(workshop);
    hand_down(*gathered, leaf, first, change, reader, workshop);
}

void Tree::hand_down(const LeafStatistics& kept, NodeIndex leaf, NodeIndex first_child,
                     const Change& change, const CellReader& reader, Workshop& workshop) {
    const FeatureSpace& features = workshop.features;
    const std::size_t row_bytes = features.size() * bytes_of(features.width());
    std::vector<std::vector<std::uint32_t>> rows_of(change.branches.size());
    with_code_type(features.width(), [&]<class Code>(Code) {
        for (std::uint32_t r = 0; r < kept.n_kept(); ++r) {
            const auto* codes = reinterpret_cast<const Code*>(kept.kept_codes(r, row_bytes));
            const NodeIndex child = nodes_.descend(leaf, codes);
            // Kept rows are in the cells, so their categories have branches; but a file may lie.
            if (child != leaf) rows_of[child - first_child].push_back(r);
        }
    });
    std::vector<double> record(1 + 2 * std::size_t{layout_.outputs});
    for (std::size_t b = 0; b < rows_of.size(); ++b) {
        if (rows_of[b].empty()) continue;
        const NodeIndex child = first_child + static_cast<NodeIndex>(b);
        const std::vector<double>& steps = change.branches[b].steps;
        LeafStatistics& s = statistics_of(child, workshop);
        s.expect(rows_of[b].size(), row_bytes, buffer_rows(workshop.options));
        double cover = nodes_[child].cover;  // these rows count in the branch's weight already
        for (const std::uint32_t r : rows_of[b]) {
            kept.write_record(r, record.data());
            for (std::size_t j = 0; j < layout_.outputs && !layout_.counts_classes(); ++j) {
                double *g = &record[1 + 2 * j], *h = &record[2 + 2 * j];
                const Reference moved = reader.moved({*g, std::fabs(*h)}, steps[j]);
                *g = moved.g;
                *h = std::copysign(moved.h, *h);
            }
            cover = std::max(cover - record[0] * copies_of(layout_, record.data()), 0.0);
            const std::byte* codes = kept.kept_codes(r, row_bytes);
            const auto appended =
                s.append(codes, row_bytes, record.data(), buffer_rows(workshop.options));
            if (appended.attempt_is_due() || appended.buffer_is_full())
                s.flush(features, workshop.flush);
        }
        nodes_[child].cover = cover;
        account(child, workshop);
    }
}

void Tree::become_moments(const ReaderAt& reader, Workshop& workshop) {
    flush_all(workshop);
    change_layout(Layout::moments, workshop,
                  [&](NodeIndex leaf) { statistics_[leaf]->become_moments(reader(*this, leaf)); });
}

void Tree::add_class(const std::vector<double>& values, Workshop& workshop) {
    const std::size_t before = nodes_.bytes_per_node();
    nodes_.add_output(values);
    if (workshop.budget.is_limited())
        workshop.budget.used += nodes_.size() * (nodes_.bytes_per_node() - before);
    change_layout({Kept::softmax_counts, layout_.outputs + 1}, workshop,
                  [&](NodeIndex leaf) { statistics_[leaf]->add_class(); });
}

// Calls change_leaf for every leaf with statistics.
void Tree::change_layout(Layout layout, Workshop& workshop,
                         const std::function<void(NodeIndex)>& change_leaf) {
    const std::size_t before = leaf_bytes();
    for (NodeIndex i = 0; i < statistics_.size(); ++i)
        if (statistics_[i]) change_leaf(i);
    layout_ = layout;
    if (workshop.budget.is_limited())
        workshop.budget.used += nodes_.n_leaves() * (leaf_bytes() - before);
    for (NodeIndex i = 0; i < statistics_.size(); ++i)
        if (statistics_[i]) account(i, workshop);
}

void Tree::flush_all(Workshop& workshop) {
    for (NodeIndex i = 0; i < statistics_.size(); ++i)
        if (statistics_[i]) flush(i, workshop);
}

void Tree::reshape_rows(std::size_t old_features, CodeWidth old_width, Workshop& workshop) {
    for (NodeIndex i = 0; i < statistics_.size(); ++i) {
        if (!statistics_[i]) continue;
        statistics_[i]->reshape_rows(old_features, old_width, workshop.features.size(),
                                     workshop.features.width());
        account(i, workshop);
    }
}

void Tree::lay_out_late_features(Workshop& workshop) {
    for (NodeIndex i = 0; i < statistics_.size(); ++i) {
        if (!statistics_[i]) continue;
        statistics_[i]->lay_out_late_features(workshop.features);
        account(i, workshop);
    }
}

double Tree::promise(NodeIndex leaf, const CellReader& reader) const {
    const Node& node = nodes_[leaf];
    const double energy = reader.energy(statistics_[leaf]->total().data());
    return (energy + node.rate * kInheritedRows) /
           (static_cast<double>(rows_ - node.since) + kInheritedRows);
}

void Tree::drop_cells(NodeIndex leaf, Workshop& workshop) {
    if (!statistics_[leaf]) return;
    statistics_[leaf]->drop_cells();
    account(leaf, workshop);
}

void Tree::drop_all_cells(Workshop& workshop) {
    for (NodeIndex i = 0; i < statistics_.size(); ++i) drop_cells(i, workshop);
}

}  // namespace sgt
