#include "sgt/leaf/cells.hpp"

#include <algorithm>
#include <cmath>

namespace sgt {

CellReader CellReader::class_counts(Reference class0, Reference class1) {
    CellReader reader;
    reader.layout_ = Layout::class_counts;
    reader.a_ = class0;
    reader.b_ = class1;
    return reader;
}

CellReader CellReader::softmax(std::vector<SoftmaxOutput> of_class) {
    CellReader reader;
    reader.layout_ = {CellKind::softmax_counts, static_cast<std::uint32_t>(of_class.size())};
    reader.softmax_ = std::move(of_class);
    return reader;
}

CellReader CellReader::shifted(Layout layout, const std::vector<Reference>& references) {
    CellReader reader;
    reader.layout_ = layout;
    reader.a_ = references.front();
    if (layout.outputs > 1) reader.references_ = references;
    return reader;
}

CellReader CellReader::shifted(Layout layout, Reference reference) {
    CellReader reader;
    reader.layout_ = layout;
    reader.a_ = reference;
    return reader;
}

Sums CellReader::sums(const double* cell, double w, std::size_t output) const {
    if (layout_.outputs == 1) return sums(cell);
    if (layout_.kind == CellKind::softmax_counts) {
        const SoftmaxOutput& s = softmax_[output];
        return {w, (w - cell[output]) * s.p - cell[output] * s.q, w * s.h};
    }
    if (layout_.kind == CellKind::constant_hessian)
        return {w, cell[1 + 2 * output], w * references_[output].h};
    return {w, cell[1 + 5 * output], cell[2 + 5 * output]};
}

LossChange CellReader::change(const double* cell, const double* steps, std::size_t index) const {
    if (layout_.kind == CellKind::class_counts) return change_of_counts(cell, steps[0]);
    if (layout_.kind == CellKind::softmax_counts) return change_of_softmax(cell, steps);
    const double v = steps[index];
    const Sums s = sums(cell, cell[0], index);
    if (s.w <= 0.0) return {};
    const double mean = v * (s.g + 0.5 * v * s.h) / s.w;
    // Sums about the reference.
    const Reference& shift = reference(index);
    const double g = s.g - shift.g * s.w, h = s.h - shift.h * s.w;
    if (layout_.kind == CellKind::constant_hessian)
        return {s.w, mean, v * v * std::max(cell[2 + 2 * index] - g * g / s.w, 0.0)};
    // The paper's eq. 17, with sums of squared deviations in the place of variances.
    const double* of_output = cell + 1 + 5 * index;
    const double gg = of_output[2] - g * g / s.w;
    const double gh = of_output[3] - g * h / s.w;
    const double hh = of_output[4] - h * h / s.w;
    return {s.w, mean, std::max(v * v * (gg + v * (gh + 0.25 * v * hh)), 0.0)};
}

LossChange CellReader::change_of_counts(const double* cell, double v) const {
    const double w = cell[0] + cell[1];
    if (w <= 0.0) return {};
    const double change0 = v * (a_.g + 0.5 * v * a_.h), change1 = v * (b_.g + 0.5 * v * b_.h);
    const double mean = (cell[0] * change0 + cell[1] * change1) / w;
    const double d0 = change0 - mean, d1 = change1 - mean;
    return {w, mean, cell[0] * d0 * d0 + cell[1] * d1 * d1};
}

// A row's loss changes by the sum of v (p + h v / 2) over all outputs, less the v of its own class:
// rows of different classes differ in that only.
LossChange CellReader::change_of_softmax(const double* cell, const double* steps) const {
    const double w = cell_weight(layout_, cell);
    if (w <= 0.0) return {};
    // Steps are taken about that of one of the classes that occur. So rows of one class have no
    // variance at all: in a leaf that is nearly sure of it, one by rounding would be far above the
    // square of the mean.
    std::size_t first = 0;
    while (!(cell[first] > 0.0) && first + 1 < softmax_.size()) ++first;
    double change = 0.0, own = 0.0;
    for (std::size_t k = 0; k < softmax_.size(); ++k) {
        const Sums s = sums(cell, w, k);
        change += steps[k] * (s.g + 0.5 * steps[k] * s.h);
        own += cell[k] * (steps[k] - steps[first]);
    }
    const double mean_own = own / w;
    double m2 = 0.0;
    for (std::size_t k = 0; k < softmax_.size(); ++k) {
        const double deviation = steps[k] - steps[first] - mean_own;
        m2 += cell[k] * deviation * deviation;
    }
    return {w, change / w, m2};
}

double CellReader::energy(const double* cell) const {
    const double w = cell_weight(layout_, cell);
    double energy = 0.0;
    for (std::size_t j = 0; j < layout_.outputs; ++j) energy += this->energy(cell, w, j);
    return energy;
}

double CellReader::energy(const double* cell, double w, std::size_t output) const {
    if (layout_.kind == CellKind::class_counts)
        return cell[0] * a_.g * a_.g + cell[1] * b_.g * b_.g;
    if (layout_.kind == CellKind::softmax_counts) {
        const SoftmaxOutput& s = softmax_[output];
        return (w - cell[output]) * s.p * s.p + cell[output] * s.q * s.q;
    }
    const double g = reference(output).g;
    const bool constant = layout_.kind == CellKind::constant_hessian;
    const double* of_output = cell + 1 + (constant ? 2 : 5) * output;
    return of_output[constant ? 1 : 2] + g * (2.0 * of_output[0] - g * w);
}

double CellReader::mean_hessian(const double* cell) const {
    double sum = 0.0;
    for (std::size_t j = 0; j < layout_.outputs; ++j) sum += sums(cell, cell[0], j).h;
    return sum / (cell[0] * layout_.outputs);
}

double CellReader::spread(const double* cell, std::size_t output) const {
    const bool constant = layout_.kind == CellKind::constant_hessian;
    const double squares = cell[constant ? 2 + 2 * output : 3 + 5 * output];
    // About the reference.
    const double g = sums(cell, cell[0], output).g - reference(output).g * cell[0];
    return std::max(squares - g * g / cell[0], 0.0);
}

double CellReader::dispersion(const double* cell) const {
    double sum = 0.0;
    for (std::size_t j = 0; j < layout_.outputs; ++j)
        if (const double h = sums(cell, cell[0], j).h; h > 0.0) sum += spread(cell, j) / h;
    return sum;
}

double CellReader::noise(const double* cell, double lambda) const {
    const double w = cell[0];
    double squares = 0.0;
    for (std::size_t j = 0; j < layout_.outputs; ++j) {
        const double h = sums(cell, w, j).h / w, curvature = h + lambda;
        if (!(curvature > 0.0)) continue;
        const double of_output = spread(cell, j) / w * (h + 2.0 * lambda) / (curvature * curvature);
        squares += of_output * of_output;
    }
    return std::sqrt(squares);
}

Reference CellReader::moved(Reference of_row, const Step& step, std::size_t output) const {
    if (knows_residuals()) {
        const Pinball& pinball = pinballs_[output];
        const double r = pinball.residual(of_row.g, of_row.h) + step.value;
        return {pinball.gradient(r), pinball.hessian(r)};
    }
    if (!log_loss_) return {of_row.g + of_row.h * step.value, of_row.h};
    // g = p where the row is of another class, and -(1 - p) where it is of this one.
    const bool is_of_class = std::signbit(of_row.g);
    // The other of the two is h divided by it: 1 less it would lose its digits.
    const double known = std::fabs(of_row.g), other = known > 0.0 ? of_row.h / known : 1.0;
    double p = is_of_class ? other : known, q = is_of_class ? known : other;
    (step.value > 0.0 ? q : p) *= step.odds;
    const double sum = p + q;
    if (!(sum > 0.0)) return of_row;
    p /= sum;
    q /= sum;
    return {is_of_class ? -q : p, p * q};
}

Cell CellReader::counts_as_moments(const double* cell, Reference reference) const {
    const auto zero = Evidence{cell[0], a_.g, a_.h}.record(),
               one = Evidence{cell[1], b_.g, b_.h}.record();
    Cell of_zero{}, of_one{}, both{};
    write_step(Layout::moments, &reference, zero.data(), of_zero.data());
    write_step(Layout::moments, &reference, one.data(), of_one.data());
    for (std::size_t i = 0; i < kMaxCellWidth; ++i) both[i] = of_zero[i] + of_one[i];
    return both;
}

void move_references(Layout layout, const Reference* from, const Reference* to, double* cell) {
    if (layout.counts_classes()) return;
    const double w = cell[0];
    for (std::size_t j = 0; j < layout.outputs; ++j) {
        const double d = from[j].g - to[j].g, e = from[j].h - to[j].h;
        if (layout.kind == CellKind::constant_hessian) {
            double* of_output = cell + 1 + 2 * j;
            of_output[1] += d * (2.0 * (of_output[0] - from[j].g * w) + d * w);
            continue;
        }
        double* of_output = cell + 1 + 5 * j;
        const double g = of_output[0] - from[j].g * w, h = of_output[1] - from[j].h * w;
        of_output[2] += d * (2.0 * g + d * w);
        of_output[3] += e * g + d * h + d * e * w;
        of_output[4] += e * (2.0 * h + e * w);
    }
}

}  // namespace sgt
