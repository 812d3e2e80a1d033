#include "sgt/committee.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "sgt/loss.hpp"

namespace sgt {

namespace {

// raw[0] is the reference's score. The largest score is taken off first, so nothing overflows.
void softmax(const double* raw, std::size_t n, double* probabilities) {
    if (n == 2) {
        probabilities[1] = BinaryLogLoss::probability(raw[1] - raw[0]);
        probabilities[0] = BinaryLogLoss::probability(raw[0] - raw[1]);
        return;
    }
    const double largest = *std::max_element(raw, raw + n);
    double sum = 0.0;
    for (std::size_t k = 0; k < n; ++k) sum += probabilities[k] = std::exp(raw[k] - largest);
    for (std::size_t k = 0; k < n; ++k) probabilities[k] /= sum;
}

// others[k] = sum of all probabilities but the k-th, without the digits that 1 - p would lose where
// p is nearly 1.
void sums_of_others(const std::vector<double>& p, std::vector<double>& others) {
    others.resize(p.size());
    double before = 0.0, after = 0.0;
    for (std::size_t k = 0; k < p.size(); ++k) {
        others[k] = before;
        before += p[k];
    }
    for (std::size_t k = p.size(); k-- > 0;) {
        others[k] += after;
        after += p[k];
    }
}

std::int32_t best_class(const double* scores, std::size_t n, const std::int32_t* rank) {
    if (n == 0) return -1;
    std::size_t best = 0;
    for (std::size_t k = 1; k < n; ++k)
        if (scores[k] > scores[best] || (scores[k] == scores[best] && rank[k] < rank[best]))
            best = k;
    return static_cast<std::int32_t>(best);
}

void write(const double* raw, std::size_t n_classes, std::size_t row, Committee::Predictions& out) {
    if (out.labels != nullptr) out.labels[row] = best_class(raw, n_classes, out.rank);
    if (out.probabilities != nullptr && n_classes > 0)
        softmax(raw, n_classes, out.probabilities + row * out.stride);
}

}  // namespace

Committee::Committee(const Options& options, const std::vector<bool>& nominal, const Ranges* ranges)
    : Learner(options, nominal, ranges) {}

Committee::Committee(const Options& options, const Archive& archive) : Learner(options, archive) {
    n_classes_ = static_cast<std::size_t>(archive.get<std::int64_t>("classes", 1)[0]);
    class_weights_ = archive.get<double>("class_weights");
    reference_weight_ = archive.get<double>("reference_weight", 1)[0];
    const bool fits = warm_up_.is_active()
                          ? trees_.empty() && class_weights_.size() == n_classes_
                          : trees_.size() + 1 == std::max<std::size_t>(n_classes_, 1);
    if (!fits) Archive::fail("classes", "does not fit the trees");
    for (const Tree& tree : trees_)
        if (tree.layout() != (n_classes_ == 2 ? Layout::class_counts : Layout::moments))
            Archive::fail("classes", "does not fit the trees' statistics");
    for (const double y : warm_up_.targets())
        if (!(y >= 0.0 && y < static_cast<double>(n_classes_) && y == std::floor(y)))
            Archive::fail("warm_up/y", "has a class that does not exist");
}

void Committee::save_outputs(Archive& archive) const {
    archive.put<std::int64_t>("classes", {static_cast<std::int64_t>(n_classes_)});
    archive.put("class_weights", class_weights_);
    archive.put<double>("reference_weight", {reference_weight_});
}

std::size_t Committee::n_classes() const {
    const std::shared_lock lock(state_);
    return n_classes_;
}

void Committee::check_classes(const RowsView& x, const double* classes, const double* w) const {
    auto next = static_cast<double>(n_classes());
    for (std::size_t r = 0; r < x.rows; ++r) {
        if (w != nullptr && w[r] == 0.0) continue;
        if (!(classes[r] >= 0.0 && classes[r] <= next && classes[r] == std::floor(classes[r])))
            throw std::invalid_argument("class numbers must be in order of first appearance");
        if (classes[r] == next) ++next;
    }
}

void Committee::learn(const RowsView& x, const double* classes, const double* w,
                      Predictions* before) {
    check_classes(x, classes, w);
    learn_rows({x, classes, w}, before);
}

// During the warm-up the scores are the logarithms of the classes' weights.
void Committee::note_warm_up_row(double y, double w, std::size_t row, Sink* sink) {
    if (sink != nullptr) {
        raw_.resize(class_weights_.size());
        for (std::size_t k = 0; k < raw_.size(); ++k) raw_[k] = std::log(class_weights_[k]);
        write(raw_.data(), raw_.size(), row, static_cast<Predictions&>(*sink));
    }
    if (w == 0.0) return;
    const auto k = static_cast<std::size_t>(y);
    if (k == class_weights_.size()) {
        class_weights_.push_back(0.0);
        ++n_classes_;
    }
    class_weights_.at(k) += w;
}

void Committee::plant(bool from_data) {
    const Layout layout = n_classes_ == 2 ? Layout::class_counts : Layout::moments;
    for (std::size_t k = 1; k < n_classes_; ++k) {
        const double start = from_data ? std::log(class_weights_[k] / class_weights_[0]) : 0.0;
        trees_.emplace_back(start, layout, workshop_);
    }
}

CellReader Committee::reader_at(const Tree& tree, NodeIndex leaf) const {
    if (tree.layout() == Layout::class_counts) return BinaryLogLoss::reader(tree.value(leaf));
    return CellReader::shifted(Layout::moments, tree.statistics(leaf)->reference());
}

void Committee::add_class(double w, std::size_t rows_in_block) {
    ++n_classes_;
    if (n_classes_ == 1) return;
    if (n_classes_ == 3)
        trees_[0].become_moments(
            [this](const Tree& tree, NodeIndex leaf) { return reader_at(tree, leaf); }, workshop_);
    // As rare as it is so far. At 0 it would be held as likely as the reference everywhere.
    const double start = workshop_.options.start_from_data ? std::log(w / reference_weight_) : 0.0;
    trees_.emplace_back(start, n_classes_ == 2 ? Layout::class_counts : Layout::moments, workshop_);
    nodes_.resize(trees_.size() * rows_in_block, 0);  // all rows stand at the new tree's root
}

Evidence Committee::evidence_for(std::size_t tree, std::size_t y, double w) const {
    if (n_classes_ == 2) return {w, static_cast<double>(y), 0.0};
    const double p = probabilities_[tree + 1], q = others_[tree + 1];
    return {w, y == tree + 1 ? -q : p, p * q};
}

template <class Code>
void Committee::learn_in_all_trees(const CodeBlock& codes, const Rows& rows, std::size_t begin,
                                   std::size_t first_row, Predictions* before) {
    const std::size_t n = codes.rows;
    nodes_.resize(trees_.size() * n);
    for (std::size_t t = 0; t < trees_.size(); ++t)
        descend(trees_[t], codes, nodes_.data() + t * n);
    for (std::size_t r = begin; r < n; ++r) {
        const auto* row = reinterpret_cast<const Code*>(codes.row(r));
        raw_.assign(n_classes_, 0.0);
        for (std::size_t t = 0; t < trees_.size(); ++t) {
            NodeIndex& node = nodes_[t * n + r];
            node = trees_[t].nodes().descend(node, row);
            raw_[t + 1] = trees_[t].value(node);
            if (r + kPrefetchRows < n)
                trees_[t].prefetch(nodes_[t * n + r + kPrefetchRows], codes.row_bytes());
        }
        if (before != nullptr) write(raw_.data(), n_classes_, first_row + r, *before);
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
        for (std::size_t t = 0; t < trees_.size(); ++t)
            learn_in_tree(trees_[t], nodes_[t * n + r], row, evidence_for(t, y, w));
        keep_within_budget();
    }
}

template <class Code>
std::size_t Committee::learn_two_classes(const CodeBlock& codes, const Rows& rows,
                                         std::size_t first_row, Predictions* before) {
    return learn_in_only_tree<Code>(
        codes, rows,
        [&](std::size_t r, double raw) {
            if (before == nullptr) return;
            const double scores[] = {0.0, raw};
            write(scores, 2, first_row + r, *before);
        },
        [&](std::size_t r, double, double w) {
            if (rows.y[r] == 0.0) reference_weight_ += w;
            return Evidence{w, rows.y[r], 0.0};
        },
        [&](std::size_t r) { return rows.y[r] >= 2.0; });
}

void Committee::learn_codes(const CodeBlock& codes, const Rows& rows, std::size_t first_row,
                            Sink* sink) {
    auto* before = static_cast<Predictions*>(sink);
    with_code_type(codes.width, [&]<class Code>(Code) {
        std::size_t done = 0;
        if (n_classes_ == 2) done = learn_two_classes<Code>(codes, rows, first_row, before);
        if (done < codes.rows) learn_in_all_trees<Code>(codes, rows, done, first_row, before);
    });
}

void Committee::predict(const RowsView& x, Predictions& out, std::size_t most_classes) const {
    const std::shared_lock lock(state_);
    const std::size_t n_classes = std::min(n_classes_, most_classes);
    if (warm_up_.is_active()) {
        std::vector<double> raw(n_classes);
        for (std::size_t k = 0; k < n_classes; ++k) raw[k] = std::log(class_weights_[k]);
        for (std::size_t r = 0; r < x.rows; ++r) write(raw.data(), n_classes, r, out);
        return;
    }
    for_each_block(x, [&](const CodeBlock& codes, std::size_t first_row) {
        const std::size_t n = codes.rows;
        std::vector<NodeIndex> nodes(n);
        std::vector<double> raw(n * n_classes, 0.0);
        for (std::size_t t = 0; t + 1 < n_classes; ++t) {
            trees_[t].nodes().descend_block(codes, 0, n, nodes.data());
            for (std::size_t r = 0; r < n; ++r)
                raw[r * n_classes + t + 1] = trees_[t].value(nodes[r]);
        }
        for (std::size_t r = 0; r < n; ++r)
            write(raw.data() + r * n_classes, n_classes, first_row + r, out);
    });
}

}  // namespace sgt
