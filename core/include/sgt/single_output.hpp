// One tree under a loss of one output.
#pragma once

#include <memory>
#include <vector>

#include "sgt/learner.hpp"
#include "sgt/loss.hpp"

namespace sgt {

class SingleOutput final : public Learner {
public:
    SingleOutput(const Options& options, const std::vector<bool>& nominal, const Ranges* ranges,
                 std::unique_ptr<Loss> loss);
    SingleOutput(const Options& options, const Archive& archive, std::unique_ptr<Loss> loss);

    const Loss& loss() const {
        return *loss_;
    }
    Loss& loss() {
        return *loss_;
    }
    // `before`: the raw prediction of each row just before it is learned (or null).
    void learn(const RowsView& x, const double* y, const double* w, double* before);
    void predict(const RowsView& x, double* raw) const;

private:
    struct Predictions final : Sink {
        double* raw = nullptr;
    };

    void note_warm_up_row(double y, double w, std::size_t row, Sink* sink) override;
    void plant(bool from_data) override;
    void learn_codes(const CodeBlock& codes, const Rows& rows, std::size_t first_row,
                     Sink* sink) override;
    CellReader reader_at(const Tree& tree, NodeIndex leaf) const override;
    void save_outputs(Archive& archive) const override;

    // The best constant over the warm-up rows so far.
    double constant() const;
    // For a loss that takes blocks. It is asked once for all rows of the block, and again for those
    // rows whose raw score a change has moved since: the same as row by row.
    template <class Code>
    void learn_with_block_loss(const CodeBlock& codes, const Rows& rows, std::size_t first_row,
                               double* before);
    void ask_again(const CodeBlock& codes, const Rows& rows, std::size_t from, NodeIndex changed);

    std::unique_ptr<Loss> loss_;
    // Of the block being learned, for a loss that takes blocks.
    std::vector<double> raw_;
    std::vector<Derivatives> derivatives_;
};

}  // namespace sgt
