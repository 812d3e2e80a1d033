// Classification: a committee of K - 1 trees under softmax cross entropy. Class 0, the first seen,
// is the reference with f = 0; class k has tree k - 1. With two classes that is one logistic tree,
// for which class counts are sufficient.
#pragma once

#include <vector>

#include "sgt/learner/class_learner.hpp"

namespace sgt {

class Committee final : public ClassLearner {
public:
    Committee(const Options& options, const std::vector<bool>& nominal, const Ranges* ranges)
        : ClassLearner(options, nominal, ranges) {}
    Committee(const Options& options, const ArchiveView& archive);

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

    // Rows from `begin` on, with any number of trees.
    template <class Code, bool linear>
    void learn_in_all_trees(const CodeBlock& codes, const Rows& rows, std::size_t begin,
                            std::size_t first_row, Predictions* before);
    // Rows while there are two classes. Returns how many: all, or those before a third class.
    template <class Code>
    std::size_t learn_two_classes(const CodeBlock& codes, const Rows& rows, std::size_t first_row,
                                  Predictions* before);
    // The class of a row of weight w, which no row before had.
    void add_class(double w, std::size_t rows_in_block);
    // What the leaves keep while there are so many classes.
    Layout layout_for(std::size_t n_classes) const;
    Evidence evidence_for(std::size_t tree, std::size_t y, double w) const;
    // Whether a tree learns a row of this number; marks the evidence where it stands for others.
    bool is_learned(Evidence& evidence, std::uint64_t row, std::size_t tree) const;
    // Not without lambda, where nothing but the rows at hand bounds a step.
    bool thins() const {
        const Options& options = workshop_.options;
        return options.thinning && options.reg_lambda > 0.0 && n_classes_ > 2 &&
               !has_linear_leaves();
    }

    double reference_weight_ = 0.0;               // of class 0 over the rows learned
    std::vector<double> probabilities_, others_;  // of the row being learned
};

}  // namespace sgt
