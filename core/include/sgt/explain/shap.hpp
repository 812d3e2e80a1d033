// Exact SHAP values: how far each feature of a row moves a tree's raw score away from its mean.
//
// The game is that of path-dependent TreeSHAP: a feature that is known sends the row down its way,
// a feature that is not sends it down all ways, in proportion to the covers. A leaf of value v that
// d features lead to, feature j with the share z_j of the covers, and o_j = 1 where the row goes
// that way (else 0), then gives feature i
//
//     v (o_i - z_i) * integral from 0 to 1 of  prod_{j != i} (o_j t + z_j (1 - t))  dt,
//
// since the Shapley weights s! (d - 1 - s)! / d! are the integrals of t^s (1 - t)^(d - 1 - s). The
// integrand is a polynomial of degree d - 1, so that a Gauss-Legendre rule with d / 2 points is
// exact. The products are kept at the rule's points on the way down, and the leaves' sums on the
// way up: one visit to each node, and no terms that cancel each other.
//
// A category that a split has not seen ends at the split, at the value that it keeps: a way of its
// own, of which the covers have no share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sgt/tree/nodes.hpp"
#include "sgt/tree/tree.hpp"

namespace sgt {

// One tree at one moment, prepared for explanations.
class ShapTree {
public:
    // Its values are multiplied by the weight.
    ShapTree(const Tree& tree, double weight);

    std::size_t n_outputs() const {
        return n_outputs_;
    }
    // The mean of the leaves' values, weighted by their covers; one for each output.
    const std::vector<double>& base() const {
        return base_;
    }

    // Rows with their codes as wide as can be, row after row, and where their values go: those of
    // output k to out[(row * n_features + feature) * stride + k].
    struct Rows {
        const std::uint32_t* codes = nullptr;
        std::size_t n_rows = 0;
        std::size_t n_features = 0;
        double* out = nullptr;
        std::size_t stride = 0;

        const std::uint32_t* row(std::size_t r) const {
            return codes + r * n_features;
        }
    };
    // Adds the values of all outputs.
    void explain(const Rows& rows) const;
    // The node at which a row ends: a leaf, or a split that does not know the row's category.
    NodeIndex route(const std::uint32_t* row) const;

private:
    static constexpr std::uint32_t kNone = static_cast<std::uint32_t>(-1);

    // A node, and the way to it from its parent.
    struct Step {
        NodeIndex node = 0;
        std::uint32_t depth = 0;
        std::uint32_t parent_feature = kNone;  // the feature that its parent tests
        std::uint32_t above = 0;    // depth of the next node above to which the same feature
                                    // leads; 0: there is none
        double share = 1.0;         // of its parent's cover
        std::int32_t feature = -1;  // that it tests itself; -1: a leaf
        std::uint32_t split = 0;    // its place in numeric_ or nominal_
        bool is_nominal = false;
    };
    struct NumericSplit {
        std::uint32_t threshold = 0;  // the largest code that goes left
        NodeIndex left = 0;
        bool missing_left = false;
    };
    // At the rule's points, for rows that follow the step above that tests the same feature: the
    // factor of the products where they follow this step, and where not; and the factor of the
    // sums of the leaves below in the feature's value.
    enum Factor : std::uint8_t { kOn, kOff, kValueOn, kValueOff, kFactors };

    // Of rows that are taken through the tree together.
    struct Together;

    void copy_splits(const Tree& tree, double weight);
    void set_rule();
    void set_factors();
    void set_base();
    const double* factor(std::size_t step, Factor which) const {
        return factors_.data() + (step * kFactors + which) * n_points_;
    }
    NodeIndex next(const Step& step, std::uint32_t code) const;
    void explain_together(Together& rows) const;
    void arrive(std::size_t at, Together& rows) const;
    void choose(std::size_t at, Together& rows) const;
    void leave(std::size_t at, Together& rows) const;
    void end_at_split(std::size_t at, std::size_t row, Together& rows) const;

    std::size_t n_outputs_, depth_;
    std::size_t n_points_ = 0;
    std::vector<double> points_, weights_;
    std::vector<double> base_;
    std::vector<Step> steps_;      // down before on: a node's children follow it, each with its own
    std::vector<double> values_;   // of each step's node, by output
    std::vector<double> factors_;  // of each step
    std::vector<NumericSplit> numeric_;
    std::vector<NominalSplit> nominal_;
    std::vector<std::uint32_t> step_of_node_;
};

}  // namespace sgt
