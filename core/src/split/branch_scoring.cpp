#include "sgt/split/branch_scoring.hpp"

#include <cmath>

namespace sgt {

BranchScoring::BranchScoring(const CellReader& reader, const SearchRules& rules,
                             const std::vector<double>& total)
    : reader_(&reader),
      rules_(&rules),
      lambda_(rules),
      counts_present_classes_(reader.layout().kind == CellKind::softmax_counts &&
                              rules.lambda_per_row) {
    if (!counts_present_classes_) return;
    const std::vector<SoftmaxOutput>& outputs = reader.softmax_outputs();
    present_.reserve(outputs.size());
    for (std::size_t k = 0; k < outputs.size(); ++k) {
        const auto& [p, q, h] = outputs[k];
        const double r = scale(h);
        if (total[k] > 0.0)
            present_.push_back({k, r * p, r * q});
        else
            of_absent_ -= (r * p) * (r * p);
    }
}

double BranchScoring::scale(double h) const {
    const double curvature = h + lambda_.of_row;
    return curvature > 0.0 ? std::sqrt(0.5 * h + lambda_.of_row) / curvature : 0.0;
}

double BranchScoring::share(const double* cell) const {
    const Layout layout = reader_->layout();
    if (counts_present_classes_) return share_of_counts(cell);
    if (layout.outputs == 1) return sgt::share(reader_->sums(cell), lambda_);
    const double w = cell_weight(layout, cell);
    double sum = 0.0;
    for (std::size_t j = 0; j < layout.outputs; ++j)
        sum += sgt::share(reader_->sums(cell, w, j), lambda_);
    return sum;
}

double BranchScoring::share_of_head(const double* head) const {
    double sum = 0.0;
    for (std::size_t j = 0; j < reader_->layout().outputs; ++j)
        sum += sgt::share({head[0], head[1 + 2 * j], head[2 + 2 * j]}, lambda_);
    return sum;
}

double BranchScoring::share_of_counts(const double* cell) const {
    double w = 0.0, squares = 0.0;
    for (const PresentClass& of_class : present_) w += cell[of_class.number];
    for (const PresentClass& of_class : present_)
        squares += of_class.square(w, cell[of_class.number]);
    return w > 0.0 ? w * of_absent_ - squares / w : 0.0;
}

// A branch of weight w gains (r G)^2 / w where all rows have one hessian, and otherwise
// G^2 / (lambda w) at most: no more than the sum of that over its rows.
double BranchScoring::most_to_gain(const double* total) const {
    const double w = cell_weight(reader_->layout(), total);
    double most = 0.0;
    for (std::size_t j = 0; j < reader_->layout().outputs; ++j) {
        const double energy = reader_->energy(total, w, j);
        if (reader_->has_one_hessian()) {
            const double r = scale(reader_->constant_hessian(j));
            most += energy * r * r;
        } else {
            most += energy / lambda_.of_row;
        }
    }
    return most;
}

}  // namespace sgt
