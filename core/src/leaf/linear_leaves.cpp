#include "sgt/leaf/linear_leaves.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sgt/leaf/cells.hpp"

namespace sgt {

namespace {

// The rows of a parent count in its children like at most so many rows.
constexpr double kInheritedRows = 100.0;

}  // namespace

LinearLeaves::LinearLeaves(std::size_t outputs, std::size_t inputs, double reg_lambda,
                           std::vector<Node> nodes)
    : outputs_(outputs),
      inputs_(inputs),
      reg_lambda_(reg_lambda),
      nodes_(std::move(nodes)),
      direction_(inputs) {}

LinearLeaves::LinearLeaves(std::size_t outputs, std::size_t inputs, double reg_lambda)
    : LinearLeaves(outputs, inputs, reg_lambda, std::vector<Node>(1)) {
    nodes_[0].weights.assign(outputs * (inputs - 1), 0.0);
    nodes_[0].curvatures.assign(outputs * inputs, 0.0);
}

std::size_t LinearLeaves::bytes_per_node() const {
    return sizeof(Node) + sizeof(double) * outputs_ * (inputs_ - 1 + inputs_);
}

void LinearLeaves::add_children(std::size_t parent, std::size_t n) {
    Node child = nodes_[parent];
    if (child.rows > kInheritedRows) {
        const double share = kInheritedRows / child.rows;
        for (double& curvature : child.curvatures) curvature *= share;
        child.rows = kInheritedRows;
    }
    nodes_.resize(nodes_.size() + n, child);
}

void LinearLeaves::learn(std::size_t index, const double* inputs, const double* record,
                         double* values) {
    Node& node = nodes_[index];
    for (std::size_t output = 0; output < outputs_; ++output)
        learn_output(node, output, inputs, record[0], record[place_of_g(output)],
                     record[place_of_h(output)], values[output]);
    node.rows += 1.0;
}

void LinearLeaves::learn_output(Node& node, std::size_t output, const double* inputs, double w,
                                double g, double h, double& value) {
    const std::size_t n = inputs_;
    double* curvatures = node.curvatures.data() + output * n;
    const double of_row = w * (h + reg_lambda_);
    if (curvatures[0] == 0.0) {  // the first row gives the unit: as if one row like it, with every
                                 // z at 1, held all weights at 0
        if (!(of_row > 0.0)) return;
        std::fill_n(curvatures, n, of_row);
    }
    double* direction = direction_.data();
    double reach = 0.0;
    for (std::size_t j = 0; j < n; ++j) {
        direction[j] = inputs[j] / curvatures[j];
        reach += inputs[j] * direction[j];
    }
    const double step = w * g / (1.0 + of_row * reach);
    if (!std::isfinite(step) || !std::isfinite(reach)) return;
    for (std::size_t j = 0; j < n; ++j) curvatures[j] += of_row * (inputs[j] * inputs[j]);
    value -= step * direction[0];
    double* weights = node.weights.data() + output * (n - 1);
    for (std::size_t j = 1; j < n; ++j) weights[j - 1] -= step * direction[j];
}

void LinearLeaves::save(Archive& archive, const std::string& prefix, bool inference_only) const {
    std::vector<double> weights, curvatures, rows;
    for (const Node& node : nodes_) {
        weights.insert(weights.end(), node.weights.begin(), node.weights.end());
        if (inference_only) continue;
        curvatures.insert(curvatures.end(), node.curvatures.begin(), node.curvatures.end());
        rows.push_back(node.rows);
    }
    archive.put(prefix + "linear/weights", std::move(weights));
    archive.put(prefix + "linear/curvatures", std::move(curvatures));
    archive.put(prefix + "linear/rows", std::move(rows));
}

LinearLeaves LinearLeaves::load(const ArchiveView& archive, const std::string& prefix,
                                std::size_t nodes, std::size_t outputs, std::size_t inputs,
                                double reg_lambda, bool inference_only) {
    const std::size_t n_weights = outputs * (inputs - 1), n_curvatures = outputs * inputs;
    const auto finite = [&](const char* name, std::size_t size) {
        const auto values = archive.get<double>(prefix + name, size);
        if (!std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); }))
            Archive::fail(prefix + name, "must be finite");
        return values;
    };
    const auto weights = finite("linear/weights", nodes * n_weights);
    const auto curvatures = finite("linear/curvatures", inference_only ? 0 : nodes * n_curvatures);
    const auto rows = finite("linear/rows", inference_only ? 0 : nodes);
    LinearLeaves leaves(outputs, inputs, reg_lambda, std::vector<Node>(nodes));
    for (std::size_t i = 0; i < nodes; ++i) {
        const auto* of_weights = weights.data() + i * n_weights;
        leaves.nodes_[i].weights.assign(of_weights, of_weights + n_weights);
        if (inference_only) continue;
        const auto* of_curvatures = curvatures.data() + i * n_curvatures;
        leaves.nodes_[i].curvatures.assign(of_curvatures, of_curvatures + n_curvatures);
        leaves.nodes_[i].rows = rows[i];
    }
    return leaves;
}

std::unique_ptr<LeafModel> LinearLeaves::make(LeafModelShape shape) {
    return std::make_unique<LinearLeaves>(shape.outputs, 1 + shape.features,
                                          shape.options.lambda_of_linear_leaves());
}

std::unique_ptr<LeafModel> LinearLeaves::load(LeafModelShape shape, const ArchiveView& archive,
                                              const std::string& prefix, std::size_t nodes,
                                              bool inference_only) {
    return std::make_unique<LinearLeaves>(
        load(archive, prefix, nodes, shape.outputs, 1 + shape.features,
             shape.options.lambda_of_linear_leaves(), inference_only));
}

}  // namespace sgt
