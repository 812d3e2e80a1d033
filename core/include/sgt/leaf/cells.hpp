// Cells: the sums that a leaf keeps for a set of its rows, as a few doubles. Which sums depends on
// what is sufficient for the loss while the leaf's value does not change (docs/algorithm.md):
//
//   class_counts      weight of class 0, weight of class 1 (log loss of one tree)
//   softmax_counts    weight of each class (softmax over a leaf's vector)
//   constant_hessian  w, then for each output w g, w g'^2 (squared error; labels)
//   moments           w, then for each output w g, w h, w g'^2, w g' h', w h'^2 (everything else)
//
// g' = g - the leaf's first g and h' = h - its first h since its last change, so that the variance
// of large values of small spread loses no digits. The sums of g and h themselves are not shifted,
// so that those of small values beside a large first one lose none. Cells of disjoint sets of rows
// add up.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sgt/leaf/pinball.hpp"
#include "sgt/leaf/thinning.hpp"

namespace sgt {

enum class CellKind : std::uint8_t {
    class_counts = 0,
    constant_hessian = 1,
    moments = 2,
    softmax_counts = 3
};

// What a cell holds, and of how many outputs: numbers in a leaf's value.
struct Layout {
    CellKind kind = CellKind::moments;
    std::uint32_t outputs = 1;

    bool operator==(const Layout&) const = default;

    constexpr bool counts_classes() const {
        return kind == CellKind::class_counts || kind == CellKind::softmax_counts;
    }

    // Of one output.
    static const Layout class_counts, constant_hessian, moments;
};

inline constexpr Layout Layout::class_counts{CellKind::class_counts, 1};
inline constexpr Layout Layout::constant_hessian{CellKind::constant_hessian, 1};
inline constexpr Layout Layout::moments{CellKind::moments, 1};

// A cell of one output.
inline constexpr std::size_t kMaxCellWidth = 6;
using Cell = std::array<double, kMaxCellWidth>;

constexpr std::size_t cell_width(Layout layout) {
    const std::size_t outputs = layout.outputs;
    switch (layout.kind) {
        case CellKind::class_counts:
            return 2;
        case CellKind::softmax_counts:
            return outputs;
        case CellKind::constant_hessian:
            return 1 + 2 * outputs;
        case CellKind::moments:
            break;
    }
    return 1 + 5 * outputs;
}

inline double cell_weight(Layout layout, const double* cell) {
    if (layout.kind == CellKind::class_counts) return cell[0] + cell[1];
    if (layout.kind != CellKind::softmax_counts) return cell[0];
    double w = 0.0;
    for (std::size_t k = 0; k < layout.outputs; ++k) w += cell[k];
    return w;
}

// The evidence of one row for a leaf is a record of doubles. Where classes are counted: its weight
// and its class (0, 1, ...). Otherwise: its weight, the number of rows that it stands for
// (thinning.hpp), then g and h of each output.
inline constexpr std::size_t kRecordHead = 2;

constexpr std::size_t record_width(Layout layout) {
    return kRecordHead + (layout.counts_classes() ? 0 : 2 * std::size_t{layout.outputs});
}
constexpr std::size_t place_of_g(std::size_t output) {
    return kRecordHead + 2 * output;
}
constexpr std::size_t place_of_h(std::size_t output) {
    return place_of_g(output) + 1;
}

// The record of a row for a tree of one output.
struct Evidence {
    double w = 1.0, g = 0.0, h = 0.0;
    double copies = 1.0;

    std::array<double, 4> record() const {
        return {w, copies, g, h};
    }
};

// Doubles kept of a record while its row waits in a leaf's buffer: where h is constant it is left
// out, and rows stand for themselves only.
constexpr std::size_t kept_width(Layout layout) {
    return layout.kind == CellKind::constant_hessian ? 1 + std::size_t{layout.outputs}
                                                     : record_width(layout);
}
// Rows that a row stands for, by what is kept of its record.
inline double copies_of(Layout layout, const double* kept) {
    return layout.kind == CellKind::moments ? kept[1] : 1.0;
}

// The first g and h of a leaf since its last change.
struct Reference {
    double g = 0.0, h = 0.0;
};

// Weighted sums over a set of rows: the split objective (the paper's eq. 9) needs no more.
struct Sums {
    double w = 0.0, g = 0.0, h = 0.0;
    Sums& operator+=(const Sums& other) {
        w += other.w;
        g += other.g;
        h += other.h;
        return *this;
    }
};

// The rows' changes in loss when their value moves: weight, mean, sum of squared deviations.
struct LossChange {
    double w = 0.0, mean = 0.0, m2 = 0.0;
};

// One class under the softmax of a leaf's value: its probability p, that of all others q, and the
// hessian of its output.
struct SoftmaxOutput {
    double p = 0.0, q = 0.0, h = 0.0;
};

// How to read cells: turns them into sums of gradients and hessians, and into loss changes.
class CellReader {
public:
    // Class counts: the derivatives of class 0 and class 1 at the leaf's value.
    static CellReader class_counts(Reference class0, Reference class1);
    static CellReader softmax(std::vector<SoftmaxOutput> of_class);
    static CellReader shifted(Layout layout, const std::vector<Reference>& references);
    static CellReader shifted(Layout layout, Reference reference);

    Layout layout() const {
        return layout_;
    }
    // Class counts: the derivatives of class 0 and class 1.
    std::pair<Reference, Reference> classes() const {
        return {a_, b_};
    }
    const std::vector<SoftmaxOutput>& softmax_outputs() const {
        return softmax_;
    }
    // Whether the hessian is the same for all rows; and then that of an output.
    bool has_one_hessian() const {
        if (layout_.kind == CellKind::class_counts) return a_.h == b_.h;
        return layout_.kind != CellKind::moments;
    }
    double constant_hessian(std::size_t output) const {
        return layout_.kind == CellKind::softmax_counts ? softmax_[output].h : reference(output).h;
    }

    // Of one output.
    Sums sums(const double* cell) const {
        if (layout_.kind == CellKind::class_counts) return sums_as<CellKind::class_counts>(cell);
        if (layout_.kind == CellKind::constant_hessian)
            return sums_as<CellKind::constant_hessian>(cell);
        return sums_as<CellKind::moments>(cell);
    }
    // The same where the layout is known.
    template <CellKind kind>
    Sums sums_as(const double* cell) const {
        if constexpr (kind == CellKind::class_counts)
            return {cell[0] + cell[1], cell[0] * a_.g + cell[1] * b_.g,
                    cell[0] * a_.h + cell[1] * b_.h};
        else if constexpr (kind == CellKind::constant_hessian)
            return {cell[0], cell[1], a_.h * cell[0]};
        else
            return {cell[0], cell[1], cell[2]};
    }
    // Of any output; w is the cell's weight.
    Sums sums(const double* cell, double w, std::size_t output) const;

    // The changes in loss when the outputs' values move by `steps`: of the rows' whole loss, where
    // that is known exactly, and otherwise for each output by itself.
    std::size_t n_changes() const {
        return layout_.counts_classes() ? 1 : layout_.outputs;
    }
    LossChange change(const double* cell, const double* steps, std::size_t index) const;
    LossChange change(const double* cell, double step) const {
        return change(cell, &step, 0);
    }
    // sum of w g^2, of an output or over all of them: how far the rows still are from their best
    // value; w is the cell's weight
    double energy(const double* cell, double w, std::size_t output) const;
    double energy(const double* cell) const;
    // The units in which regularisation may count, where classes are not counted: the mean hessian
    // of an output; and the dispersion sum w (g - mean g)^2 / sum w h, summed over the outputs,
    // which is twice what a branch of pure noise seems to gain.
    double mean_hessian(const double* cell) const;
    double dispersion(const double* cell) const;
    // Twice what such a branch seems to gain by steps that lambda, for each row, holds back. Over
    // several outputs it is the root of the sum of squares: by so much noise varies.
    double noise(const double* cell, double lambda) const;
    // What is to be learned of a row whose value has moved by a step. Under log loss and under
    // quantile losses that is known; otherwise it follows the parabola by which the leaf has judged
    // the row.
    struct Step {
        double value, odds;  // exp(-|value|), the same for all rows of a branch
        explicit Step(double v) : value(v), odds(std::exp(-std::fabs(v))) {}
    };
    CellReader& under_log_loss() {
        log_loss_ = true;
        return *this;
    }
    CellReader& under_quantiles(std::vector<Pinball> of_output) {
        pinballs_ = std::move(of_output);
        return *this;
    }
    bool knows_residuals() const {
        return !pinballs_.empty();
    }
    const Pinball& pinball(std::size_t output) const {
        return pinballs_[output];
    }
    Reference moved(Reference of_row, const Step& step, std::size_t output = 0) const;
    // The rows of a class_counts cell as a moments cell about `reference`.
    Cell counts_as_moments(const double* cell, Reference reference) const;

private:
    // sum w (g - mean g)^2
    double spread(const double* cell, std::size_t output) const;
    const Reference& reference(std::size_t output) const {
        return layout_.outputs == 1 ? a_ : references_[output];
    }
    LossChange change_of_counts(const double* cell, double step) const;
    LossChange change_of_softmax(const double* cell, const double* steps) const;

    Layout layout_ = Layout::moments;
    bool log_loss_ = false;
    Reference a_, b_;                    // class 0 and class 1; or the reference, and nothing
    std::vector<Reference> references_;  // of several outputs
    std::vector<SoftmaxOutput> softmax_;
    std::vector<Pinball> pinballs_;  // of each output, under quantile losses
};

// Doubles in the step of a row: what it adds to each of its cells, or, where classes are counted,
// its weight and its class.
constexpr std::size_t step_width(Layout layout) {
    return layout.counts_classes() ? 2 : cell_width(layout);
}
// The step of a row whose record is kept in a buffer.
inline void write_step(Layout layout, const Reference* references, const double* kept,
                       double* step) {
    if (layout.counts_classes()) {
        step[0] = kept[0];
        step[1] = kept[1];
        return;
    }
    const double w = kept[0] * copies_of(layout, kept);
    step[0] = w;
    for (std::size_t j = 0; j < layout.outputs; ++j) {
        if (layout.kind == CellKind::constant_hessian) {
            const double g = kept[1 + j], shifted = g - references[j].g;
            step[1 + 2 * j] = w * g;
            step[2 + 2 * j] = w * shifted * shifted;
        } else {
            const double g = kept[place_of_g(j)], h = kept[place_of_h(j)];
            const double dg = g - references[j].g, dh = h - references[j].h, wg = w * dg;
            double* of_output = step + 1 + 5 * j;
            of_output[0] = w * g;
            of_output[1] = w * h;
            of_output[2] = wg * dg;
            of_output[3] = wg * dh;
            of_output[4] = w * dh * dh;
        }
    }
}
inline void add_step(Layout layout, const double* step, double* cell) {
    if (layout.counts_classes()) {
        cell[static_cast<std::size_t>(step[1])] += step[0];
        return;
    }
    const std::size_t width = cell_width(layout);
    for (std::size_t i = 0; i < width; ++i) cell[i] += step[i];
}

// The cell's sums of squares and products, about other references; its plain sums are not shifted.
void move_references(Layout layout, const Reference* from, const Reference* to, double* cell);

}  // namespace sgt
