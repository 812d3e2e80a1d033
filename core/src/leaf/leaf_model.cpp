#include "sgt/leaf/leaf_model.hpp"

#include "sgt/leaf/linear_leaves.hpp"

namespace sgt {

std::unique_ptr<LeafModel> make_leaf_model(const Options& options, std::size_t outputs,
                                           std::size_t features) {
    if (options.linear_leaves)
        return std::make_unique<LinearLeaves>(outputs, 1 + features,
                                              options.lambda_of_linear_leaves());
    return std::make_unique<ConstantLeaves>();
}

std::unique_ptr<LeafModel> load_leaf_model(const Options& options, const ArchiveView& archive,
                                           const std::string& prefix, std::size_t nodes,
                                           std::size_t outputs, std::size_t features,
                                           bool inference_only) {
    if (options.linear_leaves)
        return std::make_unique<LinearLeaves>(
            LinearLeaves::load(archive, prefix, nodes, outputs, 1 + features,
                               options.lambda_of_linear_leaves(), inference_only));
    return std::make_unique<ConstantLeaves>();
}

}  // namespace sgt
