// Leaf models: what a leaf adds to its value for a row, and how a row moves it. A leaf model knows
// gradients and hessians, never losses.
//
// The row loop knows the leaf model's type, so that `score` and `learn` are inlined there:
//
//   static constexpr bool kReadsInputs;  // whether it reads a row's numbers, and learns from them
//   double score(node, output, inputs, value) const;
//   void learn(node, inputs, record, values);  // where it reads them
//
// and makes and loads it:
//
//   static std::unique_ptr<LeafModel> make(LeafModelShape);
//   static std::unique_ptr<LeafModel> load(LeafModelShape, archive, prefix, nodes, inference_only);
//
// Everything else uses this interface.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "sgt/archive/archive.hpp"
#include "sgt/options.hpp"

namespace sgt {

// The outputs of a tree's leaves, and the features that they may read.
struct LeafModelShape {
    const Options& options;
    std::size_t outputs = 1, features = 0;
};

class LeafModel {
public:
    virtual ~LeafModel() = default;

    // New nodes, which begin like their parent.
    virtual void add_children(std::size_t /*parent*/, std::size_t /*n*/) {}
    virtual std::size_t bytes_per_node() const {
        return 0;
    }
    // The numbers of a row that it reads, with a 1 in front; 0 where it reads none.
    virtual std::size_t n_inputs() const {
        return 0;
    }
    // The weights of a node, by output and feature; null where it has none.
    virtual const double* weights(std::size_t /*node*/) const {
        return nullptr;
    }
    virtual void save(Archive& /*archive*/, const std::string& /*prefix*/,
                      bool /*inference_only*/) const {}
};

// A leaf is its value, which only a change that passes its test moves.
class ConstantLeaves final : public LeafModel {
public:
    static constexpr bool kReadsInputs = false;

    static std::unique_ptr<LeafModel> make(LeafModelShape /*shape*/) {
        return std::make_unique<ConstantLeaves>();
    }
    static std::unique_ptr<LeafModel> load(LeafModelShape shape, const ArchiveView& /*archive*/,
                                           const std::string& /*prefix*/, std::size_t /*nodes*/,
                                           bool /*inference_only*/) {
        return make(shape);
    }

    double score(std::size_t /*node*/, std::size_t /*output*/, const double* /*inputs*/,
                 double value) const {
        return value;
    }
};

}  // namespace sgt
