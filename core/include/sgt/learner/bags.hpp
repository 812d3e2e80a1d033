// Multi-instance learning: one tree scores instances, a bag's score is pooled from those of its
// instances, and the log loss of the bag's label is shared out among them (the paper's
// section 4.3).
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sgt/learner/learner.hpp"

namespace sgt {

struct Pooling {
    // The highest score (the first of equal ones), or, with a sharpness r > 0, the soft maximum
    // log(mean of exp(r f)) / r.
    double sharpness = 0.0;

    bool is_soft() const {
        return sharpness > 0.0;
    }
    // The pooled score, and into shares the derivative of it by each instance's score.
    double pool(const double* scores, std::size_t n, double* shares) const;
};

class Bags final : public Learner {
public:
    Bags(const Options& options, const std::vector<bool>& nominal, const Ranges* ranges,
         Pooling pooling);
    Bags(const Options& options, const ArchiveView& archive, Pooling pooling);

    // Bags one after the other: `sizes` instances each (at least one), labels 0 or 1, weights or
    // null.
    void learn(const RowsView& x, const std::vector<std::size_t>& sizes, const double* labels,
               const double* weights);
    // The raw score of each instance.
    void score(const RowsView& x, double* scores) const;

private:
    void note_warm_up_row(const double* y, double w, std::size_t row, Sink* sink) override;
    void plant(bool from_data) override;
    void learn_codes(const CodeBlock& codes, const Rows& rows, std::size_t first_row,
                     Sink* sink) override;
    CellReader reader_at(const Tree& tree, NodeIndex leaf) const override;
    void save_outputs(Archive& archive) const override;
    void check_outputs(const Learner& other) const override;
    void merge_outputs(const Learner& other, const Learner* base) override;

    void learn_group(const RowsView& x, const std::size_t* sizes, std::size_t n_bags,
                     const double* labels, const double* weights);
    template <class Code>
    void learn_bag(const CodeBlock& codes, std::size_t begin, std::size_t end, double label,
                   double w);
    // log(weight of positive bags / weight of negative bags) over the bags of the warm-up.
    double constant() const;

    Pooling pooling_;
    // Of the bags in the warm-up, or of those being learned.
    std::vector<std::size_t> sizes_;
    std::vector<double> labels_, weights_;
    // Of the bag being learned.
    std::vector<double> scores_, shares_;
    std::vector<NodeIndex> due_;
};

}  // namespace sgt
