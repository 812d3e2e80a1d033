#include "sgt/explain/shap.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "sgt/clones.hpp"
#include "sgt/explain/quadrature.hpp"

namespace sgt {

namespace {

// Rows that are taken through the tree together, side by side in a vector register.
constexpr std::size_t kTogether = 8;

// All nodes, down before on.
std::vector<NodeIndex> walk(const Nodes& nodes) {
    std::vector<std::vector<NodeIndex>> children(nodes.size());
    for (NodeIndex i = 1; i < nodes.size(); ++i) children[nodes[i].parent].push_back(i);
    std::vector<NodeIndex> order, open{0};
    while (!open.empty()) {
        const NodeIndex node = open.back();
        open.pop_back();
        order.push_back(node);
        open.insert(open.end(), children[node].rbegin(), children[node].rend());
    }
    return order;
}

template <class T>
using Lanes = std::array<T, kTogether>;

// The kernels: all points of all rows together. Which factor a row takes is chosen, not branched.

SGT_INLINE void multiply(Lanes<double>* __restrict to, const Lanes<double>* __restrict from,
                         double by, std::size_t n_points) {
    for (std::size_t q = 0; q < n_points; ++q) {
        SGT_LANES
        for (std::size_t r = 0; r < kTogether; ++r) to[q][r] = from[q][r] * by;
    }
}

SGT_INLINE void go_down(Lanes<double>* __restrict to, const Lanes<double>* __restrict from,
                        const Lanes<std::int64_t>& was_on, const Lanes<std::int64_t>& is_on,
                        const double* on, const double* off, double share, std::size_t n_points) {
    for (std::size_t q = 0; q < n_points; ++q) {
        const double by_on = on[q], by_off = off[q];
        SGT_LANES
        for (std::size_t r = 0; r < kTogether; ++r) {
            const double by = is_on[r] != 0 ? by_on : by_off;
            to[q][r] = from[q][r] * (was_on[r] != 0 ? by : share);
        }
    }
}

SGT_INLINE void go_up(Lanes<double>* __restrict to, const Lanes<double>* __restrict from,
                      const Lanes<std::int64_t>& was_on, const Lanes<std::int64_t>& is_on,
                      const double* on, const double* off, std::size_t n_points,
                      Lanes<double>& total) {
    Lanes<double> value{};
    for (std::size_t q = 0; q < n_points; ++q) {
        const double by_on = on[q], by_off = off[q];
        SGT_LANES
        for (std::size_t r = 0; r < kTogether; ++r) {
            const double share = from[q][r];
            value[r] += share * (is_on[r] != 0 ? by_on : by_off);
            to[q][r] += share;
        }
    }
    SGT_LANES
    for (std::size_t r = 0; r < kTogether; ++r) total[r] += was_on[r] != 0 ? value[r] : 0.0;
}

}  // namespace

// Of the rows that are taken through the tree together, at each depth of the path that is open:
// whether the row goes that way, where it goes on, the products, and the sums of the leaves below.
// Numbers of different rows are next to each other.
struct ShapTree::Together {
    Together(const ShapTree& tree, std::size_t n_features)
        : n_points(tree.n_points_),
          n_outputs(tree.n_outputs_),
          codes(n_features),
          path(tree.depth_ + 1),
          is_on(tree.depth_ + 1),
          chosen(tree.depth_ + 1),
          products((tree.depth_ + 1) * n_points),
          sums((tree.depth_ + 1) * n_outputs * n_points),
          values(n_features * n_outputs) {}

    Lanes<double>* product(std::size_t depth) {
        return products.data() + depth * n_points;
    }
    Lanes<double>* sum(std::size_t depth, std::size_t output) {
        return sums.data() + (depth * n_outputs + output) * n_points;
    }
    Lanes<double>& value(std::size_t feature, std::size_t output) {
        return values[feature * n_outputs + output];
    }
    // Whether the rows follow the step above that tests the same feature as this one.
    const Lanes<std::int64_t>& was_on(const Step& step) const {
        return is_on[step.above];  // at the root, depth 0, all are on
    }
    void take(const Rows& rows, std::size_t first) {
        // Where there are fewer rows than lanes the others go along with the last one.
        for (std::size_t f = 0; f < codes.size(); ++f)
            for (std::size_t r = 0; r < kTogether; ++r)
                codes[f][r] = rows.row(std::min(first + r, rows.n_rows - 1))[f];
        std::fill(values.begin(), values.end(), Lanes<double>{});
    }
    void give(const Rows& rows, std::size_t first) const {
        const std::size_t n = std::min(kTogether, rows.n_rows - first);
        for (std::size_t r = 0; r < n; ++r) {
            double* out = rows.out + (first + r) * rows.n_features * rows.stride;
            for (std::size_t f = 0; f < rows.n_features; ++f)
                for (std::size_t k = 0; k < n_outputs; ++k)
                    out[f * rows.stride + k] += values[f * n_outputs + k][r];
        }
    }

    std::size_t n_points, n_outputs;
    std::vector<Lanes<std::uint32_t>> codes;  // by feature
    std::vector<std::size_t> path;            // the step at each depth
    std::vector<Lanes<std::int64_t>> is_on, chosen;
    std::vector<Lanes<double>> products, sums;
    std::vector<Lanes<double>> values;  // of each feature and output
};

// ---- preparing ----------------------------------------------------------------------------------

ShapTree::ShapTree(const Tree& tree, double weight)
    : n_outputs_(tree.nodes().outputs()), depth_(tree.nodes().depth()) {
    copy_splits(tree, weight);
    set_rule();
    set_factors();
    set_base();
}

void ShapTree::copy_splits(const Tree& tree, double weight) {
    const Nodes& nodes = tree.nodes();
    const std::vector<double> covers = tree.covers();
    step_of_node_.resize(nodes.size());
    for (const NodeIndex node : walk(nodes)) {
        Step step;
        step.node = node;
        step.depth = nodes[node].depth;
        if (node != 0) {
            const NodeIndex parent = nodes[node].parent;
            step.parent_feature = static_cast<std::uint32_t>(nodes.feature(parent));
            step.share = covers[parent] > 0.0 ? covers[node] / covers[parent] : 0.0;
            for (NodeIndex at = parent; at != 0 && step.above == 0; at = nodes[at].parent)
                if (nodes.feature(nodes[at].parent) == nodes.feature(parent))
                    step.above = nodes[at].depth;
        }
        step.feature = nodes.feature(node);
        step.is_nominal = nodes.is_nominal_split(node);
        if (step.is_nominal) {
            step.split = static_cast<std::uint32_t>(nominal_.size());
            nominal_.push_back(nodes.nominal(node));
        } else if (step.feature >= 0) {
            step.split = static_cast<std::uint32_t>(numeric_.size());
            numeric_.push_back(
                {nodes.boundary(node) + 1, nodes.left(node), nodes.missing_goes_left(node)});
        }
        step_of_node_[node] = static_cast<std::uint32_t>(steps_.size());
        steps_.push_back(step);
        for (std::size_t k = 0; k < n_outputs_; ++k)
            values_.push_back(weight * tree.predicted_value(node, k));
    }
}

void ShapTree::set_rule() {
    std::size_t most = 0;  // different features on a path
    std::vector<std::size_t> different(depth_ + 1, 0);
    for (const Step& step : steps_) {
        if (step.depth > 0)
            different[step.depth] = different[step.depth - 1] + (step.above == 0 ? 1 : 0);
        most = std::max(most, different[step.depth]);
    }
    n_points_ = std::max<std::size_t>(1, (most + 1) / 2);
    Quadrature rule = gauss_legendre(n_points_);
    points_ = std::move(rule.nodes);
    weights_ = std::move(rule.weights);
}

void ShapTree::set_factors() {
    factors_.resize(steps_.size() * kFactors * n_points_);
    // Of the feature that leads to the node at each depth of the path: the share of the covers over
    // all of the path's steps that test it.
    std::vector<double> shares(depth_ + 1, 1.0);
    for (std::size_t at = 1; at < steps_.size(); ++at) {
        const Step& step = steps_[at];
        const double above = step.above == 0 ? 1.0 : shares[step.above];
        const double share = shares[step.depth] = above * step.share;
        double* factors = factors_.data() + at * kFactors * n_points_;
        for (std::size_t q = 0; q < n_points_; ++q) {
            const double t = points_[q], w = weights_[q];
            const double on = t + (1.0 - t) * share, on_above = t + (1.0 - t) * above;
            // The value of the way above has been counted for the leaves below this one too.
            const double counted = (1.0 - above) / on_above;
            factors[kOn * n_points_ + q] = on / on_above;
            factors[kOff * n_points_ + q] = (1.0 - t) * share / on_above;
            factors[kValueOn * n_points_ + q] = w * ((1.0 - share) / on - counted);
            factors[kValueOff * n_points_ + q] = w * (-1.0 / (1.0 - t) - counted);
        }
    }
}

void ShapTree::set_base() {
    base_.assign(n_outputs_, 0.0);
    std::vector<double> shares(depth_ + 1, 1.0);
    for (std::size_t at = 0; at < steps_.size(); ++at) {
        const Step& step = steps_[at];
        if (step.depth > 0) shares[step.depth] = shares[step.depth - 1] * step.share;
        for (std::size_t k = 0; k < n_outputs_ && step.feature < 0; ++k)
            base_[k] += shares[step.depth] * values_[at * n_outputs_ + k];
    }
}

// ---- explaining ---------------------------------------------------------------------------------

NodeIndex ShapTree::next(const Step& step, std::uint32_t code) const {
    if (step.is_nominal) {
        const NodeIndex child = nominal_[step.split].child(code);
        return child == kNoNode ? step.node : child;
    }
    const NumericSplit& split = numeric_[step.split];
    const bool is_left = code == kMissingCode ? split.missing_left : code <= split.threshold;
    return split.left + (is_left ? 0 : 1);
}

NodeIndex ShapTree::route(const std::uint32_t* row) const {
    for (NodeIndex node = 0;;) {
        const Step& step = steps_[step_of_node_[node]];
        if (step.feature < 0) return node;
        const NodeIndex at = next(step, row[step.feature]);
        if (at == node) return node;
        node = at;
    }
}

void ShapTree::explain(const Rows& rows) const {
    Together together(*this, rows.n_features);
    for (std::size_t first = 0; first < rows.n_rows; first += kTogether) {
        together.take(rows, first);
        explain_together(together);
        together.give(rows, first);
    }
}

SGT_INLINE void ShapTree::arrive(std::size_t at, Together& rows) const {
    const Step& step = steps_[at];
    const std::size_t depth = step.depth;
    Lanes<double>* product = rows.product(depth);
    if (depth == 0) {
        rows.is_on[0].fill(1);
        for (std::size_t q = 0; q < n_points_; ++q) product[q].fill(1.0);
    } else {
        const Lanes<std::int64_t>& was_on = rows.was_on(step);
        const Lanes<std::int64_t>& chosen = rows.chosen[depth - 1];
        Lanes<std::int64_t>& is_on = rows.is_on[depth];
        SGT_LANES
        for (std::size_t r = 0; r < kTogether; ++r)
            is_on[r] = was_on[r] & -static_cast<std::int64_t>(chosen[r] == step.node);
        go_down(product, rows.product(depth - 1), was_on, is_on, factor(at, kOn), factor(at, kOff),
                step.share, n_points_);
    }
    if (step.feature < 0) {
        for (std::size_t k = 0; k < n_outputs_; ++k)
            multiply(rows.sum(depth, k), product, values_[at * n_outputs_ + k], n_points_);
    } else {
        std::fill_n(rows.sum(depth, 0), n_outputs_ * n_points_, Lanes<double>{});
        choose(at, rows);
    }
}

// Where each row goes on from a split.
SGT_INLINE void ShapTree::choose(std::size_t at, Together& rows) const {
    const Step& step = steps_[at];
    const Lanes<std::uint32_t>& codes = rows.codes[static_cast<std::size_t>(step.feature)];
    Lanes<std::int64_t>& chosen = rows.chosen[step.depth];
    if (step.is_nominal) {
        for (std::size_t r = 0; r < kTogether; ++r) {
            chosen[r] = next(step, codes[r]);
            if (chosen[r] == step.node) end_at_split(at, r, rows);
        }
        return;
    }
    const NumericSplit& split = numeric_[step.split];
    // Missing is code 0. Where it goes right it becomes the highest code.
    const std::uint32_t shift = split.missing_left ? 0 : 1;
    const std::uint32_t limit = split.threshold - shift;
    SGT_LANES
    for (std::size_t r = 0; r < kTogether; ++r)
        chosen[r] = std::int64_t{split.left} + (codes[r] - shift > limit ? 1 : 0);
}

// All leaves below the node are in its sums: as far as these go, the value of the feature that
// leads to the node is complete.
SGT_INLINE void ShapTree::leave(std::size_t at, Together& rows) const {
    const Step& step = steps_[at];
    for (std::size_t k = 0; k < n_outputs_; ++k)
        go_up(rows.sum(step.depth - 1, k), rows.sum(step.depth, k), rows.was_on(step),
              rows.is_on[step.depth], factor(at, kValueOn), factor(at, kValueOff), n_points_,
              rows.value(step.parent_feature, k));
}

// The way of the share 0 that a category takes which the split has not seen: its factor is t.
void ShapTree::end_at_split(std::size_t at, std::size_t row, Together& rows) const {
    const Step& step = steps_[at];
    const auto* product = rows.product(step.depth);
    for (std::size_t k = 0; k < n_outputs_; ++k) {
        const double value = values_[at * n_outputs_ + k];
        auto* sum = rows.sum(step.depth, k);
        double& total = rows.value(static_cast<std::size_t>(step.feature), k)[row];
        for (std::size_t q = 0; q < n_points_; ++q) {
            total += value * weights_[q] * product[q][row];
            sum[q][row] += value * points_[q] * product[q][row];
        }
    }
}

// Compiled for several instruction sets, with all that it calls.
SGT_CLONES void ShapTree::explain_together(Together& rows) const {
    std::size_t open = 0;  // depth of the path that is open
    for (std::size_t at = 0; at < steps_.size(); ++at) {
        const std::size_t depth = steps_[at].depth;
        for (; at > 0 && open >= depth; --open) leave(rows.path[open], rows);
        arrive(at, rows);
        rows.path[depth] = at;
        open = depth;
    }
    for (; open > 0; --open) leave(rows.path[open], rows);
}

}  // namespace sgt
