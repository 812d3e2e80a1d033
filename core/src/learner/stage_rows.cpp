#include "sgt/learner/stage_rows.hpp"

#include <algorithm>
#include <stdexcept>

namespace sgt {

void StageRows::add(const LabelledRows& rows) {
    for (std::size_t r = 0; r < rows.x.rows; ++r)
        if (const double w = rows.weight(r); w != 0.0) rows_.add(rows.x, r, rows.target(r), w);
}

void StageRows::begin(const FeatureSpace& features, const std::vector<double>& start,
                      bool keeps_numbers) {
    const RowsView x = rows_.view(features.size());
    codes_.shape(x.rows, features.size(), features.width());
    if (features.encode_rows(x, 0, x.rows, codes_))
        throw std::invalid_argument("a category number must not be negative in learning");
    scores_.reserve(x.rows * start.size());
    for (std::size_t r = 0; r < x.rows; ++r)
        scores_.insert(scores_.end(), start.begin(), start.end());
    keeps_numbers_ = keeps_numbers;
    if (!keeps_numbers) rows_.give_up_numbers();
    has_begun_ = true;
}

void StageRows::copy(std::span<const std::uint32_t> places, Block& block) const {
    const std::size_t n = places.size(), features = codes_.features;
    const std::size_t outputs = size() == 0 ? 0 : scores_.size() / size();
    const LabelledRows rows = all(features);
    block.n_targets = n_targets_;
    block.codes.shape(n, features, codes_.width);
    block.y.resize(n * n_targets_);
    block.w.resize(n);
    block.scores.resize(n * outputs);
    block.x.resize(keeps_numbers_ ? n * features : 0);
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t row = places[i];
        std::copy_n(codes_.row(row), codes_.row_bytes(), block.codes.row(i));
        std::copy_n(rows.target(row), n_targets_, block.y.data() + i * n_targets_);
        block.w[i] = rows.weight(row);
        std::copy_n(scores_.data() + row * outputs, outputs, block.scores.data() + i * outputs);
        for (std::size_t f = 0; keeps_numbers_ && f < features; ++f)
            block.x[i * features + f] = rows.x.at(row, f);
    }
}

}  // namespace sgt
