#include "sgt/learner/bags.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "sgt/loss/loss.hpp"

namespace sgt {

namespace {

// Instances that are encoded together, in whole bags.
constexpr std::size_t kInstancesAtOnce = 1024;

}  // namespace

double Pooling::pool(const double* scores, std::size_t n, double* shares) const {
    const auto highest = static_cast<std::size_t>(std::max_element(scores, scores + n) - scores);
    if (!is_soft()) {
        std::fill(shares, shares + n, 0.0);
        shares[highest] = 1.0;
        return scores[highest];
    }
    double sum = 0.0;
    for (std::size_t i = 0; i < n; ++i)
        sum += shares[i] = std::exp(sharpness * (scores[i] - scores[highest]));
    for (std::size_t i = 0; i < n; ++i) shares[i] /= sum;
    return scores[highest] + std::log(sum / static_cast<double>(n)) / sharpness;
}

Bags::Bags(const Options& options, const std::vector<bool>& nominal, const Ranges* ranges,
           Pooling pooling)
    : Learner(options, nominal, ranges), pooling_(pooling) {
    require_constant_leaves();
    if (!warm_up_.is_active()) plant(false);
}

Bags::Bags(const Options& options, const ArchiveView& archive, Pooling pooling)
    : Learner(options, archive), pooling_(pooling) {
    require_constant_leaves();
    const auto sizes = archive.get<std::int64_t>("bags/sizes");
    labels_ = to_vector(archive.get<double>("bags/labels", sizes.size()));
    weights_ = to_vector(archive.get<double>("bags/weights", sizes.size()));
    std::size_t rows = 0;
    for (const std::int64_t size : sizes) {
        if (size < 1 || static_cast<std::size_t>(size) > warm_up_.rows() - rows)
            Archive::fail("bags/sizes", "does not fit the rows that wait");
        rows += static_cast<std::size_t>(size);
        sizes_.push_back(static_cast<std::size_t>(size));
    }
    if (rows != warm_up_.rows()) Archive::fail("bags/sizes", "does not fit the rows that wait");
    if (trees_.size() != (warm_up_.is_active() ? 0U : 1U) ||
        (!trees_.empty() && trees_[0].layout() != Layout::moments))
        Archive::fail("trees", "does not fit bags");
}

void Bags::save_outputs(Archive& archive) const {
    const bool waiting = warm_up_.is_active();
    archive.put("bags/sizes", waiting ? std::vector<std::int64_t>(sizes_.begin(), sizes_.end())
                                      : std::vector<std::int64_t>{});
    archive.put("bags/labels", waiting ? labels_ : std::vector<double>{});
    archive.put("bags/weights", waiting ? weights_ : std::vector<double>{});
}

void Bags::check_outputs(const Learner& other) const {
    const auto* same = dynamic_cast<const Bags*>(&other);
    if (same == nullptr || same->pooling_.sharpness != pooling_.sharpness)
        throw MergeError("the models are not of one kind");
}

void Bags::merge_outputs(const Learner&, const Learner*) {}

void Bags::learn(const RowsView& x, const std::vector<std::size_t>& sizes, const double* labels,
                 const double* weights) {
    std::size_t rows = 0;
    for (const std::size_t size : sizes) {
        if (size == 0) throw std::invalid_argument("a bag must have at least one instance");
        rows += size;
    }
    if (rows != x.rows)
        throw std::invalid_argument("the sizes of the bags must add up to the rows");
    require_learning();
    const std::lock_guard one_learns(one_learns_);
    for (std::size_t bag = 0, row = 0; bag < sizes.size();) {
        std::size_t n_bags = 0, n_rows = 0;
        while (bag + n_bags < sizes.size() &&
               (n_bags == 0 || n_rows + sizes[bag + n_bags] <= kInstancesAtOnce))
            n_rows += sizes[bag + n_bags++];
        const std::unique_lock lock(state_);
        learn_group(x.slice(row, row + n_rows), sizes.data() + bag, n_bags, labels + bag,
                    weights == nullptr ? nullptr : weights + bag);
        bag += n_bags;
        row += n_rows;
    }
}

// While the warm-up lasts bags are added to it one by one, and it ends with a whole bag.
void Bags::learn_group(const RowsView& x, const std::size_t* sizes, std::size_t n_bags,
                       const double* labels, const double* weights) {
    std::size_t bag = 0, row = 0;
    const auto weight = [&](std::size_t i) { return weights == nullptr ? 1.0 : weights[i]; };
    for (; bag < n_bags && warm_up_.is_active(); row += sizes[bag++]) {
        if (weight(bag) == 0.0) continue;
        sizes_.push_back(sizes[bag]);
        labels_.push_back(labels[bag]);
        weights_.push_back(weight(bag));
        for (std::size_t r = row; r < row + sizes[bag]; ++r)
            warm_up_.add(x, r, labels + bag, weight(bag));
        n_rows_ += sizes[bag];
        if (warm_up_.is_full()) finish_warm_up();
    }
    // Codes may have to widen between two bags, but not within what is encoded together.
    const std::size_t together = workshop_.features.nominal().empty() ? n_bags : 1;
    while (bag < n_bags) {
        sizes_.clear();
        labels_.clear();
        weights_.clear();
        std::vector<double> y, w;
        const std::size_t first = row;
        for (; bag < n_bags && sizes_.size() < together; row += sizes[bag++]) {
            sizes_.push_back(sizes[bag]);
            labels_.push_back(labels[bag]);
            weights_.push_back(weight(bag));
            y.insert(y.end(), sizes[bag], labels[bag]);
            w.insert(w.end(), sizes[bag], weight(bag));
        }
        const RowsView rows = x.slice(first, row);
        if (weights_.front() != 0.0) widen_codes(rows);
        learn_encoded({rows, y.data(), w.data()}, 0, nullptr);
    }
}

double Bags::constant() const {
    double of_class[2] = {0.0, 0.0};
    for (std::size_t i = 0; i < labels_.size(); ++i) of_class[labels_[i] > 0.5] += weights_[i];
    if (of_class[0] == 0.0 && of_class[1] == 0.0) return 0.0;
    // A class that is not there counts as half a bag.
    const double half = 0.5 * (of_class[0] + of_class[1]) / static_cast<double>(labels_.size());
    return std::log((of_class[1] > 0.0 ? of_class[1] : half) /
                    (of_class[0] > 0.0 ? of_class[0] : half));
}

void Bags::note_warm_up_row(const double*, double, std::size_t, Sink*) {}

void Bags::plant(bool from_data) {
    trees_.emplace_back(std::vector{from_data ? constant() : 0.0}, Layout::moments, workshop_);
}

CellReader Bags::reader_at(const Tree& tree, NodeIndex leaf) const {
    return CellReader::shifted(Layout::moments, tree.statistics(leaf)->references());
}

void Bags::learn_codes(const CodeBlock& codes, const Rows&, std::size_t, Sink*) {
    nodes_.resize(codes.rows);
    descend(trees_[0], codes, nodes_.data());
    with_code_type(codes.width, [&]<class Code>(Code) {
        std::size_t row = 0;
        for (std::size_t bag = 0; bag < sizes_.size(); row += sizes_[bag++])
            if (weights_[bag] != 0.0)
                learn_bag<Code>(codes, row, row + sizes_[bag], labels_[bag], weights_[bag]);
    });
}

template <class Code>
void Bags::learn_bag(const CodeBlock& codes, std::size_t begin, std::size_t end, double label,
                     double w) {
    Tree& tree = trees_[0];
    const std::size_t n = end - begin;
    const auto row_at = [&](std::size_t r) { return reinterpret_cast<const Code*>(codes.row(r)); };
    scores_.resize(n);
    shares_.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        nodes_[begin + i] = tree.nodes().descend(nodes_[begin + i], row_at(begin + i));
        scores_[i] = tree.value(nodes_[begin + i]);
    }
    const double score = pooling_.pool(scores_.data(), n, shares_.data());
    const double p = BinaryLogLoss::probability(score), q = BinaryLogLoss::probability(-score);
    const double g = label > 0.5 ? -q : p;
    due_.clear();
    for (std::size_t i = 0; i < n; ++i) {
        // Another instance of the bag may have made a leaf for this one's category meanwhile.
        NodeIndex leaf = tree.nodes().descend(nodes_[begin + i], row_at(begin + i));
        if (!tree.nodes().is_leaf(leaf))
            leaf = tree.leaf_for_learning(leaf, row_at(begin + i)[tree.nodes().feature(leaf)],
                                          workshop_);
        if (leaf == kNoNode) continue;
        const auto record = Evidence{w, g * shares_[i], p * q * shares_[i]}.record();
        if (!tree.add(leaf, codes.row(begin + i), record.data(), workshop_)) continue;
        tree.flush(leaf, workshop_);
        if (std::find(due_.begin(), due_.end(), leaf) == due_.end()) due_.push_back(leaf);
    }
    for (const NodeIndex leaf : due_) tree.consider(leaf, reader_at(tree, leaf), workshop_);
    keep_within_budget();
}

void Bags::score(const RowsView& x, double* scores) const {
    const std::shared_lock lock(state_);
    if (warm_up_.is_active()) {
        std::fill(scores, scores + x.rows, constant());
        return;
    }
    for_each_block(x, [&](const CodeBlock& codes, const RowsView&, std::size_t first_row) {
        std::vector<NodeIndex> nodes(codes.rows);
        trees_[0].nodes().descend_block(codes, 0, codes.rows, nodes.data());
        for (std::size_t r = 0; r < codes.rows; ++r)
            scores[first_row + r] = trees_[0].value(nodes[r]);
    });
}

}  // namespace sgt
