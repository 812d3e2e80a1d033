// Classification: a committee of K - 1 trees under softmax cross entropy. Class 0, the first seen,
// is the reference with f = 0; class k has tree k - 1. With two classes that is one logistic tree,
// for which class counts are sufficient.
#pragma once

#include <cstdint>
#include <vector>

#include "sgt/learner.hpp"

namespace sgt {

class Committee final : public Learner {
public:
    Committee(const Options& options, const std::vector<bool>& nominal, const Ranges* ranges);
    Committee(const Options& options, const Archive& archive);

    // Classes seen so far.
    std::size_t n_classes() const;

    // Where predictions go. Labels: class numbers, -1 before any class; on a tie the class of the
    // lowest rank. Probabilities: `stride` of them a row, by class number.
    struct Predictions final : Sink {
        std::int32_t* labels = nullptr;
        const std::int32_t* rank = nullptr;
        double* probabilities = nullptr;
        std::size_t stride = 0;
    };
    // Targets are class numbers; a new one may only be the next (std::invalid_argument otherwise).
    void learn(const RowsView& x, const double* classes, const double* w, Predictions* before);
    // Over the first `most_classes` classes: the caller's arrays have room for these, and another
    // thread may have added one since it made them.
    void predict(const RowsView& x, Predictions& out, std::size_t most_classes) const;

private:
    void note_warm_up_row(double y, double w, std::size_t row, Sink* sink) override;
    void plant(bool from_data) override;
    void learn_codes(const CodeBlock& codes, const Rows& rows, std::size_t first_row,
                     Sink* sink) override;
    CellReader reader_at(const Tree& tree, NodeIndex leaf) const override;
    void save_outputs(Archive& archive) const override;

    // Rows from `begin` on, with any number of trees.
    template <class Code>
    void learn_in_all_trees(const CodeBlock& codes, const Rows& rows, std::size_t begin,
                            std::size_t first_row, Predictions* before);
    // Rows while there are two classes. Returns how many: all, or those before a third class.
    template <class Code>
    std::size_t learn_two_classes(const CodeBlock& codes, const Rows& rows, std::size_t first_row,
                                  Predictions* before);
    void check_classes(const RowsView& x, const double* classes, const double* w) const;
    // The class of a row of weight w, which no row before had.
    void add_class(double w, std::size_t rows_in_block);
    Evidence evidence_for(std::size_t tree, std::size_t y, double w) const;

    std::size_t n_classes_ = 0;
    std::vector<double> class_weights_;  // over the warm-up rows
    double reference_weight_ = 0.0;      // of class 0 over the rows learned

    std::vector<double> raw_, probabilities_, others_;  // of the row being learned
};

}  // namespace sgt
