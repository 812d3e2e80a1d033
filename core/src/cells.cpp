#include "sgt/cells.hpp"

#include <algorithm>

namespace sgt {

CellReader CellReader::class_counts(Reference class0, Reference class1) {
    CellReader reader;
    reader.layout_ = Layout::class_counts;
    reader.a_ = class0;
    reader.b_ = class1;
    return reader;
}

CellReader CellReader::shifted(Layout layout, Reference reference) {
    CellReader reader;
    reader.layout_ = layout;
    reader.a_ = reference;
    return reader;
}

LossChange CellReader::change(const double* cell, double v) const {
    const Sums s = sums(cell);
    if (s.w <= 0.0) return {};
    if (layout_ == Layout::class_counts) {
        const double change0 = v * (a_.g + 0.5 * v * a_.h), change1 = v * (b_.g + 0.5 * v * b_.h);
        const double mean = (cell[0] * change0 + cell[1] * change1) / s.w;
        const double d0 = change0 - mean, d1 = change1 - mean;
        return {s.w, mean, cell[0] * d0 * d0 + cell[1] * d1 * d1};
    }
    const double mean = v * (s.g + 0.5 * v * s.h) / s.w;
    // Sums about the reference.
    const double g = s.g - a_.g * s.w, h = s.h - a_.h * s.w;
    if (layout_ == Layout::constant_hessian)
        return {s.w, mean, v * v * std::max(cell[2] - g * g / s.w, 0.0)};
    // The paper's eq. 17, with sums of squared deviations in the place of variances.
    const double gg = cell[3] - g * g / s.w;
    const double gh = cell[4] - g * h / s.w;
    const double hh = cell[5] - h * h / s.w;
    return {s.w, mean, std::max(v * v * (gg + v * (gh + 0.25 * v * hh)), 0.0)};
}

double CellReader::energy(const double* cell) const {
    if (layout_ == Layout::class_counts) return cell[0] * a_.g * a_.g + cell[1] * b_.g * b_.g;
    const double gg = layout_ == Layout::constant_hessian ? cell[2] : cell[3];
    return gg + a_.g * (2.0 * cell[1] - a_.g * cell[0]);
}

Cell CellReader::counts_as_moments(const double* cell, Reference reference) const {
    const Cell zero = increment(Layout::moments, reference, {cell[0], a_.g, a_.h});
    const Cell one = increment(Layout::moments, reference, {cell[1], b_.g, b_.h});
    Cell both{};
    for (std::size_t i = 0; i < kMaxCellWidth; ++i) both[i] = zero[i] + one[i];
    return both;
}

}  // namespace sgt
