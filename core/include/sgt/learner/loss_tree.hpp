// One tree under a loss: with one number to predict, or with several, a vector in each leaf.
#pragma once

#include <memory>
#include <vector>

#include "sgt/learner/learner.hpp"
#include "sgt/loss/loss.hpp"

namespace sgt {

class LossTree final : public Learner {
public:
    // The loss of each output. A loss that takes blocks is one for all `outputs` of a row.
    using Losses = std::vector<std::unique_ptr<Loss>>;

    LossTree(const Options& options, const std::vector<bool>& nominal, const Ranges* ranges,
             Losses losses, std::size_t outputs);
    LossTree(const Options& options, const ArchiveView& archive, Losses losses,
             std::size_t outputs);
    // With one output.
    LossTree(const Options& options, const std::vector<bool>& nominal, const Ranges* ranges,
             std::unique_ptr<Loss> loss)
        : LossTree(options, nominal, ranges, just(std::move(loss)), 1) {}
    LossTree(const Options& options, const ArchiveView& archive, std::unique_ptr<Loss> loss)
        : LossTree(options, archive, just(std::move(loss)), 1) {}

    std::size_t n_outputs() const {
        return n_targets_;
    }
    const Losses& losses() const {
        return losses_;
    }
    // Of each loss; 0 where it has none.
    std::vector<double> scales() const;
    // Rows of y and of raw scores have a number for each output. `before`: the raw scores of each
    // row just before it is learned (or null).
    void learn(const RowsView& x, const double* y, const double* w, double* before);
    void predict(const RowsView& x, double* raw) const;
    Partial gather(const std::vector<RowsView>& pieces, const double* y, const double* w) {
        return gather_rows(pieces, {{}, y, w, n_targets_});
    }

private:
    struct Predictions final : Sink {
        double* raw = nullptr;
    };

    void note_warm_up_row(const double* y, double w, std::size_t row, Sink* sink) override;
    void plant(bool from_data) override;
    void learn_codes(const CodeBlock& codes, const Rows& rows, std::size_t first_row,
                     Sink* sink) override;
    void gather_codes(const CodeBlock& codes, const Rows& rows, const std::vector<double>& said,
                      Partial& partial) override;
    void predict_rows(const Rows& rows, std::size_t first_row, Sink& sink) override;
    void ask_loss(const CodeBlock& codes, const Rows& rows, std::size_t first_row,
                  std::vector<double>& said) override;
    CellReader reader_at(const Tree& tree, NodeIndex leaf) const override;
    void save_outputs(Archive& archive) const override;
    void check_outputs(const Learner& other) const override;
    void merge_outputs(const Learner& other, const Learner* base) override;

    static Losses just(std::unique_ptr<Loss> loss) {
        Losses losses;
        losses.push_back(std::move(loss));
        return losses;
    }
    // Throws std::invalid_argument where leaves are linear and the loss takes blocks.
    void check_linear() const;
    Layout layout() const;
    // From the targets of the warm-up.
    void take_scales();
    // The best constant for each output over the warm-up rows so far.
    std::vector<double> constants() const;
    template <class Code>
    void learn_linear(const CodeBlock& codes, const Rows& rows, double* before);
    // For a loss that takes blocks. It is asked once for all rows of the block, and again for those
    // rows whose raw scores a change has moved since: the same as row by row.
    template <class Code>
    void learn_with_block_loss(const CodeBlock& codes, const Rows& rows, std::size_t first_row,
                               double* before);
    // Routes the rows and asks a loss that takes blocks about all of them.
    void ask_about_block(const CodeBlock& codes, const Rows& rows);
    void ask_again(const CodeBlock& codes, const Rows& rows, std::size_t from, NodeIndex changed);
    // The record of a row, by a loss that is asked row by row.
    void write_record(const double* y, const double* raw, double w);
    // The record of a row; throws where it holds what is no derivative.
    void write_record(const Rows& rows, std::size_t row, std::size_t first_row, double w);

    Losses losses_;
    std::vector<double> record_;  // of the row being learned
    // Of the block being learned, for a loss that takes blocks.
    std::vector<double> raw_;
    std::vector<Derivatives> derivatives_;
};

}  // namespace sgt
