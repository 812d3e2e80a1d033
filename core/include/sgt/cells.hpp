// Cells: the sums that a leaf keeps for a set of its rows, as a few doubles. Which sums depends on
// what is sufficient for the loss while the leaf's value stands still (docs/algorithm.md):
//
//   class_counts      weight of class 0, weight of class 1    log loss of one tree
//   constant_hessian  w, w g, w g'^2                          squared error
//   moments           w, w g, w h, w g'^2, w g' h', w h'^2    everything else
//
// g' = g - the leaf's first g and h' = h - its first h since its last change, so that the variance
// of large values of small spread loses no digits. The sums of g and h themselves are not shifted,
// so that those of small values beside a large first one lose none. Cells of disjoint sets of rows
// add up.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace sgt {

enum class Layout : std::uint8_t { class_counts = 0, constant_hessian = 1, moments = 2 };

inline constexpr std::size_t kMaxCellWidth = 6;
using Cell = std::array<double, kMaxCellWidth>;

constexpr std::size_t cell_width(Layout layout) {
    return layout == Layout::class_counts ? 2 : layout == Layout::constant_hessian ? 3 : 6;
}

inline double cell_weight(Layout layout, const double* cell) {
    return layout == Layout::class_counts ? cell[0] + cell[1] : cell[0];
}

// What one row says to a leaf. With class counts `g` is the class (0 or 1) and `h` is not used.
struct Evidence {
    double w = 1.0, g = 0.0, h = 0.0;
};

// Doubles kept for a row that waits in a leaf's buffer.
constexpr std::size_t evidence_width(Layout layout) {
    return layout == Layout::moments ? 3 : 2;
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

// The rows' changes in loss when their value moves by v: weight, mean, sum of squared deviations.
struct LossChange {
    double w = 0.0, mean = 0.0, m2 = 0.0;
};

// How to read cells: turns them into sums of gradients and hessians, and into loss changes.
class CellReader {
public:
    // Class counts: the derivatives of class 0 and class 1 at the leaf's value.
    static CellReader class_counts(Reference class0, Reference class1);
    static CellReader shifted(Layout layout, Reference reference);

    Layout layout() const {
        return layout_;
    }
    // Class counts: the derivatives of class 0 and class 1.
    std::pair<Reference, Reference> classes() const {
        return {a_, b_};
    }
    Sums sums(const double* cell) const {
        if (layout_ == Layout::class_counts) return sums_as<Layout::class_counts>(cell);
        if (layout_ == Layout::constant_hessian) return sums_as<Layout::constant_hessian>(cell);
        return sums_as<Layout::moments>(cell);
    }
    // The same where the layout is known.
    template <Layout layout>
    Sums sums_as(const double* cell) const {
        if constexpr (layout == Layout::class_counts)
            return {cell[0] + cell[1], cell[0] * a_.g + cell[1] * b_.g,
                    cell[0] * a_.h + cell[1] * b_.h};
        else if constexpr (layout == Layout::constant_hessian)
            return {cell[0], cell[1], a_.h * cell[0]};
        else
            return {cell[0], cell[1], cell[2]};
    }
    LossChange change(const double* cell, double v) const;
    // sum of w g^2: how much the rows still pull at the leaf's value
    double energy(const double* cell) const;
    // The rows of a class_counts cell as a moments cell about `reference`.
    Cell counts_as_moments(const double* cell, Reference reference) const;

private:
    Layout layout_ = Layout::moments;
    Reference a_, b_;  // class 0 and class 1; or the reference, and nothing
};

// The increment of a row to a shifted cell (not for class counts).
inline Cell increment(Layout layout, Reference reference, const Evidence& e) {
    const double g = e.g - reference.g, wg = e.w * g;
    if (layout == Layout::constant_hessian) return {e.w, e.w * e.g, wg * g, 0.0, 0.0, 0.0};
    const double h = e.h - reference.h;
    return {e.w, e.w * e.g, e.w * e.h, wg * g, wg * h, e.w * h * h};
}

}  // namespace sgt
