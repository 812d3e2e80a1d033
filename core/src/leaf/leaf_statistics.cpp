#include "sgt/leaf/leaf_statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include "sgt/leaf/cell_kernels.hpp"
#include "sgt/wider_rows.hpp"

namespace sgt {

namespace {

// (`values = {}` would leave the vector its memory.)
template <class T>
void give_back(std::vector<T>& values) {
    std::vector<T>().swap(values);
}

// Rows that a buffer may hold though they were let go: so it is closed up once for many rows.
constexpr std::size_t kMostLetGo = 256;

// Rows that get more features get room for this share of them beside, so that a stream of ever new
// features does not copy all rows for each.
constexpr std::size_t kShareOfSlack = 4;

}  // namespace

LeafStatistics::LeafStatistics(Layout layout, bool keeps_cells, GracePeriod grace_period,
                               std::size_t kept_rows)
    : layout_(layout),
      keeps_cells_(keeps_cells),
      rows_to_attempt_(grace_period.least),
      kept_width_(kept_width(layout)),
      grace_period_(grace_period),
      most_kept_(kept_rows),
      references_(layout.counts_classes() ? 0 : layout.outputs),
      total_(cell_width(layout), 0.0) {
    if (layout == Layout::class_counts) {  // room to become moments
        references_.reserve(1);
        total_.reserve(cell_width(Layout::moments));
    }
}

std::size_t LeafStatistics::bytes_without_cells(Layout layout) {
    if (layout == Layout::class_counts) layout = Layout::moments;
    return sizeof(LeafStatistics) + sizeof(double) * cell_width(layout) +
           (layout.counts_classes() ? 0 : sizeof(Reference) * layout.outputs);
}

std::size_t LeafStatistics::bytes() const {
    std::size_t n = bytes_without_cells(layout_) + codes_.size() +
                    sizeof(double) * (records_.size() + numeric_.size());
    for (const NominalCells& cells : nominal_) n += cells.bytes();
    if (late_classes_ == 0) return n;
    // As if the cells were as wide as they are to be.
    const std::size_t width = cell_width(layout_);
    std::size_t n_cells = 1 + numeric_.size() / width;
    for (const NominalCells& cells : nominal_) n_cells += cells.n_slots(width);
    return n + sizeof(double) * late_classes_ * n_cells;
}

std::size_t LeafStatistics::most_room(std::size_t buffer_rows) const {
    return most_kept_ + std::max(buffer_rows, std::min(most_kept_ / 2, kMostLetGo));
}

void LeafStatistics::grow_buffer(std::size_t more_rows, std::size_t row_bytes,
                                 std::size_t buffer_rows) {
    if (room_ >= filled() + more_rows) return;
    const std::size_t limit = most_room(buffer_rows);
    if (oldest_ > 0 && room_ >= limit) close_up();
    if (room_ == 0) row_stride_ = row_bytes;
    // A model may have been loaded with a smaller limit: the rows that wait keep their room.
    while (room_ < filled() + more_rows) {
        const std::size_t larger =
            room_ < kLargeRoom ? std::max<std::size_t>(4, 4 * room_) : 2 * room_;
        room_ = std::max(std::min(larger, limit), room_ + 1);
    }
    codes_.resize(room_ * row_stride_);
    records_.resize(room_ * kept_width_);
}

void LeafStatistics::give_up_buffer() {
    give_back(codes_);
    give_back(records_);
    room_ = oldest_ = 0;
}

void LeafStatistics::keep(const double* record, double* kept) const {
    // The first two numbers by themselves: where there are no more, a loop would cost as much
    // again.
    kept[0] = record[0];
    if (layout_.kind == CellKind::constant_hessian) {
        kept[1] = record[place_of_g(0)];
        for (std::size_t j = 1; j < layout_.outputs; ++j) kept[1 + j] = record[place_of_g(j)];
        return;
    }
    kept[1] = record[1];
    for (std::size_t i = kRecordHead; i < kept_width_; ++i) kept[i] = record[i];
}

void LeafStatistics::add_to_total(const double* kept) {
    if (layout_.counts_classes()) {
        total_[static_cast<std::size_t>(kept[1])] += kept[0];
        return;
    }
    Cell of_one_output;
    std::vector<double> of_several;
    double* step = of_one_output.data();
    if (layout_.outputs > 1) {
        of_several.resize(step_width(layout_));
        step = of_several.data();
    }
    write_step(layout_, references_.data(), kept, step);
    add_step(layout_, step, total_.data());
}

void LeafStatistics::add_record_to_total(const double* record) {
    widen_cells();
    std::array<double, record_width(Layout::moments)> of_one_output{};
    std::vector<double> of_several;
    double* kept = of_one_output.data();
    if (kept_width_ > of_one_output.size()) {
        of_several.resize(kept_width_);
        kept = of_several.data();
    }
    keep(record, kept);
    add_to_total(kept);
}

LeafStatistics::Appended LeafStatistics::append(const std::byte* codes, std::size_t row_bytes,
                                                const double* record, std::size_t buffer_rows) {
    if (rows_ == 0)
        for (std::size_t j = 0; j < references_.size(); ++j)
            references_[j] = {record[place_of_g(j)], record[place_of_h(j)]};
    ++rows_;
    const double copies = layout_.counts_classes() ? 1.0 : record[1];
    weight_ += copies * record[0];
    weight_squares_ += copies * record[0] * record[0];
    const bool is_due = --rows_to_attempt_ == 0;
    if (is_due) rows_to_attempt_ = grace_period_.after(rows_);
    if (!keeps_cells_) {
        add_record_to_total(record);
        return {is_due, false, false};
    }
    const bool must_grow = filled() == room_;
    if (must_grow) grow_buffer(1, row_bytes, buffer_rows);
    std::memcpy(codes_.data() + filled() * row_stride_, codes, row_bytes);
    keep(record, buffered_record(filled()));
    ++waiting_;
    return {is_due, waiting_ >= buffer_rows, must_grow};
}

void LeafStatistics::expect(std::size_t rows, std::size_t row_bytes, std::size_t buffer_rows) {
    if (keeps_cells_) grow_buffer(rows, row_bytes, buffer_rows);
}

void LeafStatistics::sum_up(FlushScratch& scratch) {
    widen_cells();
    const std::size_t width = step_width(layout_);
    scratch.steps.resize(waiting_ * width + kStepPadding);
    for (std::size_t r = 0; r < waiting_; ++r) {
        double* step = scratch.steps.data() + r * width;
        write_step(layout_, references_.data(), waiting_record(r), step);
        add_step(layout_, step, total_.data());
    }
}

void LeafStatistics::prepare_cells(const FeatureSpace& features, FlushScratch& scratch) {
    if (!keeps_cells_) return;
    if (!has_cells_) {
        numeric_.assign(features.n_numeric_cells() * cell_width(layout_), 0.0);
        nominal_.resize(features.nominal().size());
        has_cells_ = true;
    }
    if (waiting_ > 0 && features.has_coarse_cells()) write_cells_of_waiting_rows(features, scratch);
    if ((nominal_.empty() && layout_ != Layout::moments) || waiting_ == 0) return;
    scratch.slot_of_code.resize(nominal_.size());
    const CodeRows rows = cells_of_waiting_rows(features, scratch);
    scratch.smallest_codes.resize(rows.stride);
    scratch.largest_codes.resize(rows.stride);
    find_extreme_codes(rows, scratch.smallest_codes.data(), scratch.largest_codes.data());
}

CodeRows LeafStatistics::waiting_rows(const FeatureSpace& features) const {
    return {features.width(), codes_.data() + (oldest_ + kept_) * row_stride_, waiting_,
            row_stride_ / bytes_of(features.width())};
}

CodeRows LeafStatistics::cells_of_waiting_rows(const FeatureSpace& features,
                                               const FlushScratch& scratch) const {
    CodeRows rows = waiting_rows(features);
    if (features.has_coarse_cells()) rows.codes = scratch.cells_of_rows.data();
    return rows;
}

void LeafStatistics::write_cells_of_waiting_rows(const FeatureSpace& features,
                                                 FlushScratch& scratch) const {
    const CodeRows rows = waiting_rows(features);
    const std::size_t n = rows.rows * rows.stride;
    scratch.cells_of_rows.assign(rows.codes, rows.codes + n * bytes_of(rows.width));
    with_code_type(rows.width, [&]<class Code>(Code) {
        auto* codes = reinterpret_cast<Code*>(scratch.cells_of_rows.data());
        for (const std::uint32_t f : features.coarse()) {
            const std::vector<std::uint32_t>& cell_of_code = features.cell_of_code(f);
            for (std::size_t i = f; i < n; i += rows.stride)
                codes[i] = static_cast<Code>(cell_of_code[codes[i]]);
        }
    });
}

void LeafStatistics::add_to_cells(const FeatureSpace& features, const FeatureRange& range,
                                  FlushScratch& scratch, FlushScratch::Part& part) {
    if (waiting_ == 0) return;
    const std::size_t width = cell_width(layout_);
    part.any.clear();
    part.of_two_codes.clear();
    part.of_one_code.clear();
    const auto has_one_code = [&](std::uint32_t column) {
        return layout_ == Layout::moments &&
               scratch.smallest_codes[column] == scratch.largest_codes[column];
    };
    const auto add_one_code = [&](std::uint32_t column, double* cells) {
        part.of_one_code.push_back(cells + width * scratch.largest_codes[column]);
    };
    for (std::size_t i = range.numeric_begin; i < range.numeric_end; ++i) {
        const std::uint32_t column = features.numeric()[i];
        double* cells = numeric_.data() + features.numeric_offsets()[i] * width;
        has_one_code(column) ? add_one_code(column, cells) : part.any.add(column, cells);
    }
    for (std::size_t i = range.nominal_begin; i < range.nominal_end; ++i) {
        const std::uint32_t column = features.nominal()[i];
        const bool two_codes = layout_ == Layout::moments && scratch.smallest_codes[column] >= 1 &&
                               scratch.largest_codes[column] <= 2;
        nominal_[i].make_room(scratch.largest_codes[column], layout_);
        if (!nominal_[i].is_indexed_by_code())
            add_to_listed_cells(i, features, scratch);
        else if (has_one_code(column))
            add_one_code(column, nominal_[i].cells());
        else
            (two_codes ? part.of_two_codes : part.any).add(column, nominal_[i].cells());
    }
    const bool in_order =
        part.any.columns.size() == features.size() && features.columns_are_numeric_in_order();
    const CodeRows rows = cells_of_waiting_rows(features, scratch);
    add_steps(layout_, rows, scratch.steps.data(),
              {in_order ? nullptr : part.any.columns.data(), part.any.cells.data(),
               part.any.cells.size()});
    const FlushScratch::Targets& pairs = part.of_two_codes;
    add_steps_of_two_codes(rows, scratch.steps.data(),
                           {pairs.columns.data(), pairs.cells.data(), pairs.cells.size()});
    add_steps_of_one_code(scratch.steps.data(), waiting_, part.of_one_code.data(),
                          part.of_one_code.size());
}

void LeafStatistics::add_to_listed_cells(std::size_t position, const FeatureSpace& features,
                                         FlushScratch& scratch) {
    const std::size_t width = cell_width(layout_);
    NominalCells& cells = nominal_[position];
    SlotIndex& slot_of = scratch.slot_of_code[position];
    cells.write_slots(slot_of);
    with_code_type(features.width(), [&]<class Code>(Code) {
        const CodeRows rows = waiting_rows(features);
        const auto* code = reinterpret_cast<const Code*>(rows.codes) + features.nominal()[position];
        for (std::size_t r = 0; r < waiting_; ++r, code += rows.stride) {
            double* cell = cells.find_or_make(*code, width, slot_of);
            add_step(layout_, scratch.steps.data() + r * step_width(layout_), cell);
        }
    });
}

void LeafStatistics::finish_flush() {
    kept_ = most_kept_ > 0 ? buffered() : 0;
    waiting_ = 0;
    keep_latest(most_kept_);
}

void LeafStatistics::keep_latest(std::size_t rows) {
    if (kept_ <= rows) return;
    oldest_ += kept_ - rows;
    kept_ = rows;
}

void LeafStatistics::close_up() {
    if (oldest_ == 0) return;
    std::memmove(codes_.data(), codes_.data() + oldest_ * row_stride_, buffered() * row_stride_);
    std::copy_n(buffered_record(oldest_), buffered() * kept_width_, buffered_record(0));
    oldest_ = 0;
}

void LeafStatistics::make_room_for_kept(std::size_t more_rows, std::size_t row_bytes) {
    keep_latest(std::min(kept_, most_kept_ - more_rows));
    close_up();
    if (room_ >= kept_ + more_rows) return;
    if (room_ == 0) row_stride_ = row_bytes;
    room_ = kept_ + more_rows;
    codes_.resize(room_ * row_stride_);
    records_.resize(room_ * kept_width_);
}

void LeafStatistics::write_record(std::size_t row, double* record) const {
    const double* kept = buffered_record(oldest_ + row);
    if (layout_.counts_classes() || layout_.kind == CellKind::moments) {
        std::copy_n(kept, kept_width_, record);
        return;
    }
    record[0] = kept[0];
    record[1] = 1.0;
    for (std::size_t j = 0; j < layout_.outputs; ++j) {
        record[place_of_g(j)] = kept[1 + j];
        record[place_of_h(j)] = references_[j].h;
    }
}

void LeafStatistics::flush(const FeatureSpace& features, FlushScratch& scratch) {
    sum_up(scratch);
    flush_summed(features, scratch);
}

void LeafStatistics::flush_summed(const FeatureSpace& features, FlushScratch& scratch) {
    prepare_cells(features, scratch);
    FlushScratch::Part part;
    if (keeps_cells_)
        add_to_cells(features, {0, features.numeric().size(), 0, nominal_.size()}, scratch, part);
    finish_flush();
}

void LeafStatistics::clear() {
    const bool cells_hold_rows = rows_ > waiting_;
    rows_ = 0;
    rows_to_attempt_ = grace_period_.least;
    kept_ = waiting_ = oldest_ = 0;
    if (most_kept_ > 0 && room_ > kLargeRoom) give_up_buffer();
    weight_ = weight_squares_ = 0.0;
    std::fill(references_.begin(), references_.end(), Reference{});
    std::fill(total_.begin(), total_.end(), 0.0);
    if (!cells_hold_rows) return;
    std::fill(numeric_.begin(), numeric_.end(), 0.0);
    for (NominalCells& cells : nominal_) cells.clear();
}

void LeafStatistics::drop_cells() {
    widen_cells();
    for (std::size_t r = 0; r < waiting_; ++r) add_to_total(waiting_record(r));
    kept_ = waiting_ = 0;
    keeps_cells_ = has_cells_ = false;
    give_up_buffer();
    give_back(numeric_);
    give_back(nominal_);
}

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
