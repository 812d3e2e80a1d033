// Classification by one tree whose leaves hold a score for each class, under softmax cross entropy.
// While a leaf's value stands still a row's derivatives depend on its class alone, so class counts
// are sufficient.
#pragma once

#include <vector>

#include "sgt/learner/class_learner.hpp"

namespace sgt {

class SoftmaxTree final : public ClassLearner {
public:
    SoftmaxTree(const Options& options, const std::vector<bool>& nominal, const Ranges* ranges);
    SoftmaxTree(const Options& options, const ArchiveView& archive);

private:
    void plant(bool from_data) override;
    void learn_codes(const CodeBlock& codes, const Rows& rows, std::size_t first_row,
                     Sink* sink) override;
    void gather_codes(const CodeBlock& codes, const Rows& rows, const std::vector<double>& said,
                      Partial& partial) override;
    void absorb_outputs(double weight) override;
    void admit_class(double weight) override;
    CellReader reader_at(const Tree& tree, NodeIndex leaf) const override;
    void save_outputs(Archive& archive) const override;
    void check_outputs(const Learner& other) const override;
    void merge_outputs(const Learner& other, const Learner* base) override;
    void predict_codes(const CodeBlock& codes, const RowsView& x, std::size_t first_row,
                       std::size_t n_classes, Predictions& out) const override;

    // A row that may be of a new class, or that comes before there are two.
    template <class Code>
    void learn_row(const CodeBlock& codes, const Rows& rows, std::size_t r, std::size_t first_row,
                   Predictions* before);
    // The class of a row of weight w, which no row before had. With the second one there is a tree.
    void add_class(double w);

    double learned_weight_ = 0.0;  // of all rows learned
};

}  // namespace sgt
