#include "sgt/explain/explainer.hpp"

#include <algorithm>

#include "sgt/parallel.hpp"

namespace sgt {

namespace {

// Rows that are encoded together, and rows that are worth a thread.
constexpr std::size_t kBlockRows = 1024;
constexpr std::size_t kRowsForThread = 64;

}  // namespace

Explainer::Explainer(const Ensemble& ensemble, const FeatureSpace& features)
    : features_(features), base_(ensemble.predicted_start()) {
    for (const auto& [of_model, first_output, weight] : ensemble.trees()) {
        const ShapTree& tree = trees_.emplace_back(of_model, weight);
        first_outputs_.push_back(first_output);
        for (std::size_t k = 0; k < tree.n_outputs(); ++k)
            base_[first_output + k] += tree.base()[k];
    }
}

// Calls f(codes, rows, first_row) for blocks of rows with their codes at full width.
template <class F>
void Explainer::for_each_block(const RowsView& x, std::size_t n_threads, F&& f) const {
    Team team(std::max<std::size_t>(1, std::min(n_threads, x.rows / kRowsForThread)));
    team.split(x.rows, [&](std::size_t first, std::size_t last) {
        CodeBlock block;
        std::vector<std::uint32_t> codes;
        for (std::size_t begin = first; begin < last; begin += kBlockRows) {
            const RowsView part = x.slice(begin, std::min(begin + kBlockRows, last));
            block.shape(part.rows, features_.size(), features_.width());
            features_.encode_rows(part, 0, part.rows, block);
            codes.resize(part.rows * features_.size());
            with_code_type(block.width, [&]<class Code>(Code) {
                const auto* narrow = reinterpret_cast<const Code*>(block.bytes.data());
                for (std::size_t i = 0; i < codes.size(); ++i)
                    codes[i] = narrow[i] == kUnseenCode<Code> ? kUnseenCode<std::uint32_t>
                                                              : std::uint32_t{narrow[i]};
            });
            f(codes.data(), part.rows, begin);
        }
    });
}

void Explainer::explain(const RowsView& x, std::size_t n_threads, double* out) const {
    const std::size_t d = features_.size(), n_outputs = base_.size();
    std::fill_n(out, x.rows * d * n_outputs, 0.0);
    for_each_block(x, n_threads, [&](const std::uint32_t* codes, std::size_t n, std::size_t first) {
        double* to = out + first * d * n_outputs;
        for (std::size_t t = 0; t < trees_.size(); ++t)
            trees_[t].explain({codes, n, d, to + first_outputs_[t], n_outputs});
    });
}

void Explainer::route(const RowsView& x, std::size_t n_threads, NodeIndex* nodes) const {
    const std::size_t d = features_.size(), n_trees = trees_.size();
    for_each_block(x, n_threads, [&](const std::uint32_t* codes, std::size_t n, std::size_t first) {
        for (std::size_t r = 0; r < n; ++r)
            for (std::size_t t = 0; t < n_trees; ++t)
                nodes[(first + r) * n_trees + t] = trees_[t].route(codes + r * d);
    });
}

}  // namespace sgt
