// Statistics whose shape changes while a leaf lives: more classes, more features, other bins.
#include <algorithm>
#include <utility>

#include "sgt/leaf/leaf_statistics.hpp"
#include "sgt/wider_rows.hpp"

namespace sgt {

namespace {

// Rows that get more features get room for this share of them beside, so that a stream of ever new
// features does not copy all rows for each.
constexpr std::size_t kShareOfSlack = 4;

}  // namespace

void LeafStatistics::become_moments(const CellReader& reader) {
    // Any reference serves; this is the gradient of one of the two classes.
    const Cell one{0.0, 1.0};
    const Sums unit = reader.sums(one.data());
    const Reference reference{unit.g, unit.h};
    const auto as_moments = [&](const double* cell) {
        return reader.counts_as_moments(cell, reference);
    };
    references_ = {reference};
    const Cell total = as_moments(total_.data());
    total_.assign(total.begin(), total.end());
    std::vector<double> moments;
    for (std::size_t i = 0; i < numeric_.size(); i += 2) {
        const Cell cell = as_moments(numeric_.data() + i);
        moments.insert(moments.end(), cell.begin(), cell.end());
    }
    numeric_ = std::move(moments);
    for (NominalCells& cells : nominal_) {
        cells.convert(2, 6, as_moments);
        if (!cells.empty()) cells.make_room(kMissingCode, Layout::moments);
    }
    const Cell other{1.0, 0.0};
    const Sums of_other = reader.sums(other.data());
    close_up();
    constexpr std::size_t width = kept_width(Layout::moments);
    std::vector<double> records(room_ * width);
    for (std::size_t r = 0; r < kept_; ++r) {
        const double* counted = buffered_record(r);
        const Sums& s = counted[1] == 0.0 ? of_other : unit;
        const auto record = Evidence{counted[0], s.g, s.h}.record();
        std::copy(record.begin(), record.end(), records.data() + r * width);
    }
    records_ = std::move(records);
    layout_ = Layout::moments;
    kept_width_ = kept_width(layout_);
}

void LeafStatistics::add_class(bool at_once) {
    ++late_classes_;
    if (at_once || layout_.kind != CellKind::softmax_counts) widen_cells();
}

void LeafStatistics::widen_cells() {
    if (late_classes_ == 0) return;
    const std::size_t old_width = cell_width(layout_);
    layout_.outputs += std::exchange(late_classes_, 0);
    const std::size_t new_width = cell_width(layout_);
    const auto widen = [&](const double* cell) {
        std::vector<double> wider(cell, cell + old_width);
        wider.resize(new_width, 0.0);
        return wider;
    };
    total_.resize(new_width, 0.0);
    numeric_.reserve(numeric_.size() / old_width * new_width);  // and no more
    widen_rows(numeric_, numeric_.size() / old_width, old_width, new_width);
    for (NominalCells& cells : nominal_) cells.convert(old_width, new_width, widen);
    if (layout_.kind == CellKind::moments) widen_records();
}

// Rows so far say nothing about the new class: their g and h are 0.
void LeafStatistics::widen_records() {
    references_.emplace_back();
    const std::size_t old_width = std::exchange(kept_width_, kept_width(layout_));
    std::vector<double> records(records_.size() / old_width * kept_width_, 0.0);
    for (std::size_t r = 0; r < records_.size() / old_width; ++r)
        std::copy_n(records_.data() + r * old_width, old_width, records.data() + r * kept_width_);
    records_ = std::move(records);
}

void LeafStatistics::reshape_rows(std::size_t old_features, CodeWidth old_width,
                                  std::size_t new_features, CodeWidth new_width, bool with_slack) {
    if (room_ == 0) return;
    const std::size_t needed = new_features * bytes_of(new_width);
    if (new_width == old_width && needed <= row_stride_) return;
    const std::size_t old_stride = row_stride_ / bytes_of(old_width);
    const std::size_t new_stride = new_features + (with_slack ? new_features / kShareOfSlack : 0);
    row_stride_ = new_stride * bytes_of(new_width);
    std::vector<std::byte> reshaped(room_ * row_stride_);
    with_code_type(old_width, [&]<class Old>(Old) {
        with_code_type(new_width, [&]<class New>(New) {
            const auto* from = reinterpret_cast<const Old*>(codes_.data());
            auto* to = reinterpret_cast<New*>(reshaped.data());
            for (std::size_t r = 0; r < filled(); ++r)
                for (std::size_t f = 0; f < old_features; ++f)
                    to[r * new_stride + f] = static_cast<New>(from[r * old_stride + f]);
        });
    });
    codes_ = std::move(reshaped);
}

void LeafStatistics::lay_out_late_features(const FeatureSpace& features) {
    if (!has_cells_) return;
    const std::size_t width = cell_width(layout_);
    const auto put_total = [&](double* cell) { std::copy_n(total_.begin(), width, cell); };
    const std::size_t known_cells = numeric_.size() / width;
    numeric_.resize(features.n_numeric_cells() * width, 0.0);
    if (rows_ > 0)
        for (const std::uint32_t offset : features.numeric_offsets())
            if (offset >= known_cells) put_total(numeric_.data() + width * offset);
    while (nominal_.size() < features.nominal().size()) {
        NominalCells& cells = nominal_.emplace_back();
        if (rows_ == 0) continue;
        cells.make_room(kMissingCode, layout_);
        put_total(cells.cells());
    }
}

void LeafStatistics::renew_bins(const RenewedBins& renewed, const FeatureSpace& features) {
    with_code_type(features.width(), [&]<class Code>(Code) {
        auto* codes = reinterpret_cast<Code*>(codes_.data());
        const std::size_t stride = row_stride_ / sizeof(Code);
        for (std::size_t i = renewed.feature; i < filled() * stride; i += stride)
            codes[i] = static_cast<Code>(renewed.new_code[codes[i]]);
    });
    if (!has_cells_) return;
    const std::size_t width = cell_width(layout_);
    std::vector<double> cells(renewed.n_cells * width, 0.0);
    double* first = numeric_.data() + renewed.first_cell * width;
    const std::size_t old_size = renewed.new_cell.size() * width;
    for (std::size_t c = 0; c < renewed.new_cell.size(); ++c)
        for (std::size_t i = 0; i < width; ++i)
            cells[renewed.new_cell[c] * width + i] += first[c * width + i];
    if (cells.size() == old_size) {
        std::copy(cells.begin(), cells.end(), first);
        return;
    }
    // Of the right size: what is in the budget is what there is.
    std::vector<double> all;
    all.reserve(features.n_numeric_cells() * width);
    all.insert(all.end(), numeric_.data(), first);
    all.insert(all.end(), cells.begin(), cells.end());
    all.insert(all.end(), first + old_size, numeric_.data() + numeric_.size());
    numeric_ = std::move(all);
}

}  // namespace sgt
