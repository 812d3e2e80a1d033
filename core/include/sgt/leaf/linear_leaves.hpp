// Linear leaves: a leaf adds a linear function of the standardised features to its value.
//
// Each row moves a leaf's value and weights by a step of Newton's method that takes them one by
// one: a_j is the sum of w (h + lambda) z_j^2 over the rows so far (z with a 1 for the value in
// front), and the step of each is in proportion to z_j w g / a_j. All are scaled together, so that
// a row's own score moves by g / (h + lambda) at most. What a row costs, and what a leaf keeps,
// grow with the number of features.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sgt/archive/archive.hpp"
#include "sgt/leaf/leaf_model.hpp"

namespace sgt {

class LinearLeaves final : public LeafModel {
public:
    static constexpr bool kReadsInputs = true;

    // `inputs`: 1 and the standardised features. `reg_lambda` is added to each row's hessian.
    LinearLeaves(std::size_t outputs, std::size_t inputs, double reg_lambda);

    std::size_t n_inputs() const override {
        return inputs_;
    }
    const double* weights(std::size_t node) const override {
        return nodes_[node].weights.data();
    }
    // The score of a row for an output: the node's value and its linear term.
    double score(std::size_t node, std::size_t output, const double* inputs, double value) const {
        const double* w = weights(node) + output * (inputs_ - 1);
        double sum = 0.0;
        for (std::size_t j = 1; j < inputs_; ++j) sum += w[j - 1] * inputs[j];
        return value + sum;
    }

    // A row's step, by its record: moves the weights, and the node's values.
    void learn(std::size_t node, const double* inputs, const double* record, double* values);
    // New nodes, which start with the weights of `parent`; its rows count in them like a few rows.
    void add_children(std::size_t parent, std::size_t n) override;

    std::size_t bytes_per_node() const override;

    void save(Archive& archive, const std::string& prefix, bool inference_only) const override;
    static LinearLeaves load(const ArchiveView& archive, const std::string& prefix,
                             std::size_t nodes, std::size_t outputs, std::size_t inputs,
                             double reg_lambda, bool inference_only);
    static std::unique_ptr<LeafModel> make(LeafModelShape shape);
    static std::unique_ptr<LeafModel> load(LeafModelShape shape, const ArchiveView& archive,
                                           const std::string& prefix, std::size_t nodes,
                                           bool inference_only);

private:
    struct Node {
        std::vector<double> weights;     // features, by output
        std::vector<double> curvatures;  // a_j: inputs, by output; 0 before its first row
        double rows = 0.0;               // that the curvatures stand for
    };

    LinearLeaves(std::size_t outputs, std::size_t inputs, double reg_lambda,
                 std::vector<Node> nodes);

    void learn_output(Node& node, std::size_t output, const double* inputs, double w, double g,
                      double h, double& value);

    std::size_t outputs_, inputs_;
    double reg_lambda_;
    std::vector<Node> nodes_;
    std::vector<double> direction_;  // z_j / a_j of the row being learned
};

}  // namespace sgt
