#include "sgt/leaf/leaf_statistics.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace sgt {

namespace {

// (`values = {}` would leave the vector its memory.)
template <class T>
void give_back(std::vector<T>& values) {
    std::vector<T>().swap(values);
}

// A row's codes: few bytes, for which a call would take longer than the copy.
void copy_codes(const std::byte* from, std::size_t bytes, std::byte* to) {
    constexpr std::size_t kTogether = 16;
    if (bytes < kTogether || bytes > 8 * kTogether) {
        std::memcpy(to, from, bytes);
        return;
    }
    for (std::size_t at = 0; at + kTogether <= bytes; at += kTogether)
        std::memcpy(to + at, from + at, kTogether);
    std::memcpy(to + bytes - kTogether, from + bytes - kTogether, kTogether);
}

// Rows that a buffer may hold though they were let go: so it is closed up once for many rows.
constexpr std::size_t kMostLetGo = 256;

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
    copy_codes(codes, row_bytes, codes_.data() + filled() * row_stride_);
    keep(record, buffered_record(filled()));
    ++waiting_;
    return {is_due, waiting_ >= buffer_rows, must_grow};
}

void LeafStatistics::expect(std::size_t rows, std::size_t row_bytes, std::size_t buffer_rows) {
    if (keeps_cells_) grow_buffer(rows, row_bytes, buffer_rows);
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

void LeafStatistics::clear() {
    rows_ = 0;
    rows_to_attempt_ = grace_period_.least;
    kept_ = waiting_ = oldest_ = 0;
    if (room_ > kLargeRoom) give_up_buffer();
    weight_ = weight_squares_ = 0.0;
    std::fill(references_.begin(), references_.end(), Reference{});
    std::fill(total_.begin(), total_.end(), 0.0);
    if (has_cells_ && lender_ == nullptr) give_up_cells();
}

void LeafStatistics::drop_cells() {
    widen_cells();
    for (std::size_t r = 0; r < waiting_; ++r) add_to_total(waiting_record(r));
    kept_ = waiting_ = 0;
    keeps_cells_ = false;
    give_up_buffer();
    give_up_cells();
}

void LeafStatistics::give_up_cells() {
    has_cells_ = false;
    give_back(numeric_);
    give_back(nominal_);
}

}  // namespace sgt
