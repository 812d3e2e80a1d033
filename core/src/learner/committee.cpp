#include "sgt/learner/committee.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "sgt/loss/loss.hpp"
#include "sgt/loss/softmax.hpp"

namespace sgt {

Committee::Committee(const Options& options, const ArchiveView& archive)
    : ClassLearner(options, archive) {
    reference_weight_ = archive.get_one<double>("reference_weight");
    if (!warm_up_.is_active() && trees_.size() + 1 != std::max<std::size_t>(n_classes_, 1))
        Archive::fail("classes", "does not fit the trees");
    for (const Tree& tree : trees_)
        if (tree.layout() != layout_for(n_classes_))
            Archive::fail("classes", "does not fit the trees' statistics");
}

void Committee::save_outputs(Archive& archive) const {
    ClassLearner::save_outputs(archive);
    archive.put<double>("reference_weight", {reference_weight_});
}

void Committee::check_outputs(const Learner& other) const {
    const auto* same = dynamic_cast<const Committee*>(&other);
    if (same == nullptr) throw MergeError("the models are not of one kind");
    if (same->n_classes_ != n_classes_) throw MergeError("the models' classes differ");
}

void Committee::merge_outputs(const Learner& other, const Learner* base) {
    const double before =
        base == nullptr ? 0.0 : dynamic_cast<const Committee&>(*base).reference_weight_;
    reference_weight_ += dynamic_cast<const Committee&>(other).reference_weight_ - before;
}

// Class counts are sufficient only while a leaf's rows all have the same score.
Layout Committee::layout_for(std::size_t n_classes) const {
    return n_classes == 2 && !has_linear_leaves() ? Layout::class_counts : Layout::moments;
}

void Committee::plant(bool from_data) {
    const Layout layout = layout_for(n_classes_);
    for (std::size_t k = 1; k < n_classes_; ++k) {
        const double start = from_data ? std::log(class_weights_[k] / class_weights_[0]) : 0.0;
        trees_.emplace_back(std::vector{start}, layout, workshop_);
    }
}

CellReader Committee::reader_at(const Tree& tree, NodeIndex leaf) const {
    if (tree.layout() == Layout::class_counts) return BinaryLogLoss::reader(tree.value(leaf));
    return CellReader::shifted(Layout::moments, tree.statistics(leaf)->references())
        .under_log_loss();
}

void Committee::add_class(double w, std::size_t rows_in_block) {
    ++n_classes_;
    if (n_classes_ == 1) return;
    if (n_classes_ == 3 && !has_linear_leaves())
        trees_[0].become_moments(
            [this](const Tree& tree, NodeIndex leaf) { return reader_at(tree, leaf); }, workshop_);
    // As rare as it is so far. At 0 it would be held as likely as the reference everywhere.
    const double start = workshop_.options.start_from_data ? std::log(w / reference_weight_) : 0.0;
    trees_.emplace_back(std::vector{start}, layout_for(n_classes_), workshop_);
    nodes_.resize(trees_.size() * rows_in_block, 0);  // all rows stand at the new tree's root
}

Evidence Committee::evidence_for(std::size_t tree, std::size_t y, double w) const {
    if (layout_for(n_classes_) == Layout::class_counts) return {w, static_cast<double>(y), 0.0};
    const double p = probabilities_[tree + 1], q = others_[tree + 1];
    return {w, y == tree + 1 ? -q : p, p * q};
}

bool Committee::is_learned(Evidence& evidence, std::uint64_t row, std::size_t tree) const {
    if (!thins() || std::fabs(evidence.g) >= kSureGradient) return true;
    evidence.h = as_copies(evidence.h);
    return is_drawn(row, tree);
}

template <class Code, bool linear>
void Committee::learn_in_all_trees(const CodeBlock& codes, const Rows& rows, std::size_t begin,
                                   std::size_t first_row, Predictions* before) {
    const std::size_t n = codes.rows;
    nodes_.resize(trees_.size() * n);
    for (std::size_t t = 0; t < trees_.size(); ++t)
        descend(trees_[t], codes, nodes_.data() + t * n);
    std::uint64_t number = n_rows_;
    for (std::size_t r = 0; r < begin; ++r) number += rows.weight(r) != 0.0;
    for (std::size_t r = begin; r < n; ++r) {
        const auto* row = reinterpret_cast<const Code*>(codes.row(r));
        raw_.assign(n_classes_, 0.0);
        if constexpr (linear) take_inputs(rows.x, r);
        for (std::size_t t = 0; t < trees_.size(); ++t) {
            NodeIndex& node = nodes_[t * n + r];
            node = trees_[t].nodes().descend(node, row);
            if constexpr (linear)
                trees_[t].write_scores(node, inputs_.data(), &raw_[t + 1]);
            else
                raw_[t + 1] = trees_[t].value(node);
            prefetch_ahead(trees_[t], nodes_.data() + t * n, r, codes);
        }
        if (before != nullptr) before->write(raw_.data(), n_classes_, first_row + r);
        const double w = rows.weight(r);
        if (w == 0.0) continue;
        const auto y = static_cast<std::size_t>(rows.y[r]);
        if (y == n_classes_) {
            add_class(w, n);
            raw_.push_back(trees_.empty() ? 0.0 : trees_.back().value(0));
        }
        if (y == 0) reference_weight_ += w;
        probabilities_.resize(n_classes_);
        softmax(raw_.data(), n_classes_, probabilities_.data());
        sums_of_others(probabilities_, others_);
        for (std::size_t t = 0; t < trees_.size(); ++t) {
            Evidence evidence = evidence_for(t, y, w);
            if (!is_learned(evidence, number, t)) continue;
            const auto record = evidence.record();
            if constexpr (linear)
                learn_in_linear_tree(trees_[t], nodes_[t * n + r], row, record.data());
            else
                learn_in_tree(trees_[t], nodes_[t * n + r], row, record.data());
        }
        ++number;
        keep_within_budget();
    }
}

template <class Code>
std::size_t Committee::learn_two_classes(const CodeBlock& codes, const Rows& rows,
                                         std::size_t first_row, Predictions* before) {
    std::array<double, 2> record{};
    const bool tie_to_one =
        before != nullptr && before->labels != nullptr && before->rank[1] < before->rank[0];
    return learn_in_only_tree<Code>(
        codes, rows, 0,
        [&](std::size_t r, const double* raw) {
            if (before == nullptr) return;
            const double scores[] = {0.0, *raw};
            if (before->probabilities != nullptr) return before->write(scores, 2, first_row + r);
            before->labels[first_row + r] = *raw > 0.0 || (*raw == 0.0 && tie_to_one) ? 1 : 0;
        },
        [&](std::size_t r, const double*, double w) {
            if (rows.y[r] == 0.0) reference_weight_ += w;
            record = {w, rows.y[r]};
            return record.data();
        },
        [&](std::size_t r) { return rows.y[r] >= 2.0; });
}

void Committee::learn_codes(const CodeBlock& codes, const Rows& rows, std::size_t first_row,
                            Sink* sink) {
    auto* before = static_cast<Predictions*>(sink);
    with_code_type(codes.width, [&]<class Code>(Code) {
        if (has_linear_leaves())
            return learn_in_all_trees<Code, true>(codes, rows, 0, first_row, before);
        std::size_t done = 0;
        if (n_classes_ == 2) done = learn_two_classes<Code>(codes, rows, first_row, before);
        if (done < codes.rows)
            learn_in_all_trees<Code, false>(codes, rows, done, first_row, before);
    });
}

void Committee::predict_codes(const CodeBlock& codes, const RowsView& x, std::size_t first_row,
                              std::size_t n_classes, Predictions& out) const {
    const std::size_t n = codes.rows;
    std::vector<NodeIndex> nodes(n);
    std::vector<double> raw(n * n_classes, 0.0);
    for (std::size_t t = 0; t + 1 < n_classes; ++t) {
        trees_[t].nodes().descend_block(codes, 0, n, nodes.data());
        if (has_linear_leaves()) {
            write_linear_scores(trees_[t], x, nodes.data(), raw.data() + t + 1, n_classes);
            continue;
        }
        for (std::size_t r = 0; r < n; ++r) raw[r * n_classes + t + 1] = trees_[t].value(nodes[r]);
    }
    for (std::size_t r = 0; r < n; ++r)
        out.write(raw.data() + r * n_classes, n_classes, first_row + r);
}

void Committee::admit_class(double weight) {
    add_class(weight, 0);
}

void Committee::absorb_outputs(double weight) {
    reference_weight_ += weight;
}

void Committee::gather_codes(const CodeBlock& codes, const Rows& rows, const std::vector<double>&,
                             Partial& partial) {
    constexpr std::size_t width = 3;
    const std::size_t n = codes.rows, n_trees = trees_.size();
    nodes_.resize(n_trees * n);
    for (std::size_t t = 0; t < n_trees; ++t) descend(trees_[t], codes, nodes_.data() + t * n);
    std::vector<double> records(n_trees * n * width);
    std::uint64_t number = 0;  // of the row in its block
    for (std::size_t r = 0; r < n; ++r) {
        const double w = rows.weight(r);
        const auto y = static_cast<std::size_t>(rows.y[r]);
        if (w != 0.0 && y == 0) partial.weight += w;
        if (w != 0.0 && n_classes_ > 2) {
            raw_.assign(n_classes_, 0.0);
            for (std::size_t t = 0; t < n_trees; ++t)
                raw_[t + 1] = trees_[t].value(nodes_[t * n + r]);
            probabilities_.resize(n_classes_);
            softmax(raw_.data(), n_classes_, probabilities_.data());
            sums_of_others(probabilities_, others_);
        }
        for (std::size_t t = 0; t < n_trees; ++t) {
            if (w == 0.0) {
                nodes_[t * n + r] = kNoNode;
                continue;
            }
            Evidence evidence = evidence_for(t, y, w);
            if (!is_learned(evidence, number, t)) {
                nodes_[t * n + r] = kNoNode;
                continue;
            }
            const auto record = evidence.record();
            std::copy(record.begin(), record.end(), records.data() + (t * n + r) * width);
        }
        number += w != 0.0;
    }
    for (std::size_t t = 0; t < n_trees; ++t)
        partial.trees.push_back(trees_[t].gather(codes, nodes_.data() + t * n,
                                                 records.data() + t * n * width, width, workshop_));
}

}  // namespace sgt
