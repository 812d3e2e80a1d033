// What the learners of classes share: class numbers, what is known of them during the warm-up, and
// where predictions go.
#pragma once

#include <cstdint>
#include <vector>

#include "sgt/learner/learner.hpp"

namespace sgt {

class ClassLearner : public Learner {
public:
    // Classes seen so far.
    std::size_t n_classes() const;

    // Where predictions go. Labels: class numbers, -1 before any class; on a tie the class of the
    // lowest rank. Probabilities: `stride` of them a row, by class number.
    struct Predictions final : Sink {
        std::int32_t* labels = nullptr;
        const std::int32_t* rank = nullptr;
        double* probabilities = nullptr;
        std::size_t stride = 0;

        // From the scores of n classes.
        void write(const double* raw, std::size_t n, std::size_t row);
    };
    // Targets are class numbers; a new one may only be the next (std::invalid_argument otherwise).
    void learn(const RowsView& x, const double* classes, const double* w, Predictions* before);
    Partial gather(const std::vector<RowsView>& pieces, const double* classes, const double* w);
    // Between two rounds: the next row is of a class that no row had, and has this weight. Returns
    // false where the next rows are learned one after the other: nothing has changed then.
    bool admit(double w);
    // Over the first `most_classes` classes: the caller's arrays have room for these, and another
    // thread may have added one since it made them.
    void predict(const RowsView& x, Predictions& out, std::size_t most_classes) const;

protected:
    ClassLearner(const Options& options, const std::vector<bool>& nominal, const Ranges* ranges)
        : Learner(options, nominal, ranges) {}
    ClassLearner(const Options& options, const ArchiveView& archive);

    void note_warm_up_row(const double* y, double w, std::size_t row, Sink* sink) override;
    void predict_rows(const Rows& rows, std::size_t first_row, Sink& sink) override;
    bool is_of_new_class(const Rows& rows, std::size_t row) const override {
        return rows.weight(row) != 0.0 && rows.y[row] == static_cast<double>(n_classes_);
    }
    void save_outputs(Archive& archive) const override;
    // Predictions of encoded rows, over the first n classes.
    virtual void predict_codes(const CodeBlock& codes, const RowsView& x, std::size_t first_row,
                               std::size_t n_classes, Predictions& out) const = 0;

    std::size_t n_classes_ = 0;
    std::vector<double> class_weights_;  // over the warm-up rows
    std::vector<double> raw_;            // of the row being learned

private:
    void check_classes(const RowsView& x, const double* classes, const double* w) const;
};

}  // namespace sgt
