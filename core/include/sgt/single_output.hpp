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

    std::unique_ptr<Loss> loss_;
    double mean_ = 0.0, weight_ = 0.0;  // of the warm-up's targets: the best constant
};

}  // namespace sgt
