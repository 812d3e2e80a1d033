#include "sgt/leaf_statistics.hpp"

#include <algorithm>
#include <cstring>

#include "sgt/cell_kernels.hpp"
#include "sgt/clones.hpp"

namespace sgt {

std::size_t LeafStatistics::bytes() const {
    std::size_t n =
        sizeof(*this) + codes_.size() + sizeof(double) * (evidence_.size() + numeric_.size());
    for (const NominalCells& cells : nominal_) n += cells.bytes();
    return n;
}

void LeafStatistics::grow_buffer(std::size_t row_bytes, std::size_t limit) {
    // A model may have been loaded with a smaller limit: the rows that wait keep their room.
    const std::size_t room =
        std::max(std::min(std::max<std::size_t>(4, 4 * capacity()), limit), waiting_ + 1);
    codes_.resize(room * row_bytes);
    evidence_.resize(room * evidence_width(layout_));
}

void LeafStatistics::add_to_total(const Evidence& evidence) {
    if (layout_ == Layout::class_counts) {
        total_[static_cast<std::size_t>(evidence.g)] += evidence.w;
        return;
    }
    const Cell step = increment(layout_, reference_, evidence);
    for (std::size_t i = 0; i < kMaxCellWidth; ++i) total_[i] += step[i];
}

LeafStatistics::Appended LeafStatistics::append(const std::byte* codes, std::size_t row_bytes,
                                                const Evidence& evidence, std::size_t buffer_rows) {
    if (rows_ == 0 && layout_ != Layout::class_counts) reference_ = {evidence.g, evidence.h};
    ++rows_;
    weight_ += evidence.w;
    weight_squares_ += evidence.w * evidence.w;
    const bool is_due = --rows_to_attempt_ == 0;
    if (is_due) rows_to_attempt_ = grace_period_;
    if (!keeps_cells_) {
        add_to_total(evidence);
        return {is_due, false, false};
    }
    const bool must_grow = waiting_ == capacity();
    if (must_grow) grow_buffer(row_bytes, buffer_rows);
    std::memcpy(codes_.data() + waiting_ * row_bytes, codes, row_bytes);
    double* kept = evidence_.data() + waiting_ * evidence_width(layout_);
    kept[0] = evidence.w;
    kept[1] = evidence.g;
    if (layout_ == Layout::moments) kept[2] = evidence.h;
    ++waiting_;
    return {is_due, waiting_ >= buffer_rows, must_grow};
}

void LeafStatistics::prefetch_for_append(std::size_t row_bytes) const {
    SGT_PREFETCH_WRITE(codes_.data() + waiting_ * row_bytes);
    SGT_PREFETCH_WRITE(evidence_.data() + waiting_ * evidence_width(layout_));
}

Evidence LeafStatistics::waiting_evidence(std::size_t row) const {
    const double* kept = evidence_.data() + row * evidence_width(layout_);
    return {kept[0], kept[1], layout_ == Layout::moments ? kept[2] : 0.0};
}

void LeafStatistics::prepare_flush(const FeatureSpace& features, FlushScratch& scratch) {
    for (std::size_t r = 0; r < waiting_; ++r) add_to_total(waiting_evidence(r));
    if (!keeps_cells_) return;
    if (!has_cells_) {
        numeric_.assign(features.n_numeric_cells() * cell_width(layout_), 0.0);
        nominal_.resize(features.nominal().size());
        has_cells_ = true;
    }
    scratch.steps.resize(waiting_);
    for (std::size_t r = 0; r < waiting_; ++r) {
        const Evidence e = waiting_evidence(r);
        scratch.steps[r] =
            layout_ == Layout::class_counts ? Cell{e.w, e.g} : increment(layout_, reference_, e);
    }
    if (nominal_.empty()) return;
    scratch.slot_of_code.resize(nominal_.size());
    scratch.largest_codes.assign(features.size(), 0);
    find_largest_codes(waiting_rows(features), scratch.largest_codes.data());
}

CodeRows LeafStatistics::waiting_rows(const FeatureSpace& features) const {
    return {features.width(), codes_.data(), waiting_, features.size()};
}

void LeafStatistics::add_to_cells(const FeatureSpace& features, const FeatureRange& range,
                                  FlushScratch& scratch, FlushScratch::Part& part) {
    if (waiting_ == 0) return;
    const std::size_t width = cell_width(layout_);
    part.columns.clear();
    part.cells.clear();
    for (std::size_t i = range.numeric_begin; i < range.numeric_end; ++i) {
        part.columns.push_back(features.numeric()[i]);
        part.cells.push_back(numeric_.data() + features.numeric_offsets()[i] * width);
    }
    for (std::size_t i = range.nominal_begin; i < range.nominal_end; ++i) {
        const std::uint32_t column = features.nominal()[i];
        nominal_[i].make_room(scratch.largest_codes[column], layout_);
        if (nominal_[i].is_indexed_by_code()) {
            part.columns.push_back(column);
            part.cells.push_back(nominal_[i].cells());
        } else {
            add_to_listed_cells(i, features, scratch);
        }
    }
    const bool in_order =
        nominal_.empty() && range.numeric_begin == 0 && features.columns_are_numeric_in_order();
    add_steps(layout_, waiting_rows(features), scratch.steps.data(),
              {in_order ? nullptr : part.columns.data(), part.cells.data(), part.cells.size()});
}

void LeafStatistics::add_to_listed_cells(std::size_t position, const FeatureSpace& features,
                                         FlushScratch& scratch) {
    const std::size_t width = cell_width(layout_);
    NominalCells& cells = nominal_[position];
    SlotIndex& slot_of = scratch.slot_of_code[position];
    cells.write_slots(slot_of);
    with_code_type(features.width(), [&]<class Code>(Code) {
        const auto* code =
            reinterpret_cast<const Code*>(codes_.data()) + features.nominal()[position];
        for (std::size_t r = 0; r < waiting_; ++r, code += features.size()) {
            double* cell = cells.find_or_make(*code, width, slot_of);
            const Cell& step = scratch.steps[r];
            if (layout_ == Layout::class_counts)
                cell[static_cast<std::size_t>(step[1])] += step[0];
            else
                for (std::size_t i = 0; i < width; ++i) cell[i] += step[i];
        }
    });
}

void LeafStatistics::finish_flush() {
    waiting_ = 0;
}

void LeafStatistics::flush(const FeatureSpace& features, FlushScratch& scratch) {
    prepare_flush(features, scratch);
    FlushScratch::Part part;
    if (keeps_cells_)
        add_to_cells(features, {0, features.numeric().size(), 0, nominal_.size()}, scratch, part);
    finish_flush();
}

void LeafStatistics::clear() {
    rows_ = 0;
    rows_to_attempt_ = grace_period_;
    waiting_ = 0;
    weight_ = weight_squares_ = 0.0;
    reference_ = {};
    total_ = {};
    std::fill(numeric_.begin(), numeric_.end(), 0.0);
    for (NominalCells& cells : nominal_) cells.clear();
}

void LeafStatistics::drop_cells() {
    for (std::size_t r = 0; r < waiting_; ++r) add_to_total(waiting_evidence(r));
    waiting_ = 0;
    keeps_cells_ = has_cells_ = false;
    codes_ = {};
    evidence_ = {};
    numeric_ = {};
    nominal_ = {};
}

void LeafStatistics::become_moments(const CellReader& reader) {
    // Any reference serves; this is the gradient of one of the two classes.
    const Cell one{0.0, 1.0};
    const Sums unit = reader.sums(one.data());
    reference_ = {unit.g, unit.h};
    const auto as_moments = [&](const double* cell) {
        return reader.counts_as_moments(cell, reference_);
    };
    total_ = as_moments(total_.data());
    std::vector<double> moments;
    for (std::size_t i = 0; i < numeric_.size(); i += 2) {
        const Cell cell = as_moments(numeric_.data() + i);
        moments.insert(moments.end(), cell.begin(), cell.end());
    }
    numeric_ = std::move(moments);
    for (NominalCells& cells : nominal_) cells.convert(2, 6, as_moments);
    evidence_.clear();  // the rows' records have another width now
    codes_.clear();
    layout_ = Layout::moments;
}

void LeafStatistics::reshape_rows(std::size_t old_features, CodeWidth old_width,
                                  std::size_t new_features, CodeWidth new_width) {
    std::vector<std::byte> reshaped(capacity() * new_features * bytes_of(new_width));
    with_code_type(old_width, [&]<class Old>(Old) {
        with_code_type(new_width, [&]<class New>(New) {
            const auto* from = reinterpret_cast<const Old*>(codes_.data());
            auto* to = reinterpret_cast<New*>(reshaped.data());
            for (std::size_t r = 0; r < waiting_; ++r)
                for (std::size_t f = 0; f < old_features; ++f)
                    to[r * new_features + f] = static_cast<New>(from[r * old_features + f]);
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

}  // namespace sgt
