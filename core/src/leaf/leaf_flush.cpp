// The rows that wait in a leaf are added to its cells.
#include <algorithm>
#include <memory>

#include "sgt/leaf/cell_kernels.hpp"
#include "sgt/leaf/leaf_statistics.hpp"

namespace sgt {

namespace {

// Rows wait on while they take at most one in so many bytes of what cells of their own would take.
constexpr std::size_t kShareOfCells = 2;
// Of a nominal feature, about.
constexpr std::size_t kCellsOfNominal = 3;

// n zeros from a boundary of the cache's lines on, so that no head of a cell lies across two.
double* zeros_in_lines(std::vector<double>& memory, std::size_t n) {
    constexpr std::size_t kLine = 64;
    if (memory.size() < n + kLine / sizeof(double)) memory.resize(n + kLine / sizeof(double));
    void* begin = memory.data();
    std::size_t bytes = memory.size() * sizeof(double);
    auto* zeros = static_cast<double*>(std::align(kLine, n * sizeof(double), begin, bytes));
    std::fill_n(zeros, n, 0.0);
    return zeros;
}

}  // namespace

void LeafStatistics::sum_up(FlushScratch& scratch) {
    widen_cells();
    const std::size_t width = step_width(layout_);
    scratch.steps.resize(waiting_ * width + kStepPadding);
    double* steps = scratch.steps.data();
    if (layout_ == Layout::moments)
        return sum_moments(waiting_record(0), waiting_, references_[0], steps, total_.data());
    for (std::size_t r = 0; r < waiting_; ++r, steps += width) {
        write_step(layout_, references_.data(), waiting_record(r), steps);
        add_step(layout_, steps, total_.data());
    }
}

void LeafStatistics::prepare_cells(const FeatureSpace& features, FlushScratch& scratch) {
    if (!keeps_cells_) return;
    if (!has_cells_) {
        if (gathers_heads_)
            heads_ = zeros_in_lines(scratch.heads, features.n_numeric_cells() * kHeadWidth);
        else
            numeric_.assign(features.n_numeric_cells() * cell_width(layout_), 0.0);
        nominal_.resize(features.nominal().size());
        has_cells_ = true;
    }
    if (waiting_ > 0 && features.has_coarse_cells()) write_cells_of_waiting_rows(features, scratch);
    const bool numeric_need_extremes = layout_ == Layout::moments && heads_ == nullptr;
    if ((nominal_.empty() && !numeric_need_extremes) || waiting_ == 0) return;
    scratch.slot_of_code.resize(nominal_.size());
    const CodeRows rows = cells_of_waiting_rows(features, scratch);
    scratch.smallest_codes.resize(rows.stride);
    scratch.largest_codes.resize(rows.stride);
    find_extreme_codes(rows, scratch.smallest_codes.data(), scratch.largest_codes.data());
}

CodeRows LeafStatistics::rows_of_buffer(std::size_t first, std::size_t n,
                                        const FeatureSpace& features) const {
    return {features.width(), codes_.data() + first * row_stride_, n,
            row_stride_ / bytes_of(features.width())};
}

CodeRows LeafStatistics::waiting_rows(const FeatureSpace& features) const {
    return rows_of_buffer(oldest_ + kept_, waiting_, features);
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
    part.any.begin(features.size());
    part.of_two_codes.begin(features.size());
    part.heads.begin(features.size());
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
        const std::size_t first = features.numeric_offsets()[i];
        if (heads_ != nullptr) {
            part.heads.add(column, heads_ + first * kHeadWidth);
            continue;
        }
        double* cells = numeric_.data() + first * width;
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
    const auto listed = [&](const FlushScratch::Targets& targets) {
        const bool in_order =
            targets.n == features.size() && features.columns_are_numeric_in_order();
        return CellTargets{in_order ? nullptr : targets.columns.data(), targets.cells.data(),
                           targets.n};
    };
    const CodeRows rows = cells_of_waiting_rows(features, scratch);
    add_steps(layout_, rows, scratch.steps.data(), listed(part.any));
    if (part.heads.n > 0) add_heads_of_steps(rows, scratch.steps.data(), listed(part.heads));
    const FlushScratch::Targets& pairs = part.of_two_codes;
    add_steps_of_two_codes(rows, scratch.steps.data(),
                           {pairs.columns.data(), pairs.cells.data(), pairs.n});
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

bool LeafStatistics::may_borrow_cells(const FeatureSpace& features, std::size_t buffer_rows) const {
    if (!keeps_cells_ || has_cells_ || waiting_ != rows_ || waiting_ >= buffer_rows) return false;
    const std::size_t cells =
        features.n_numeric_cells() + kCellsOfNominal * features.nominal().size();
    return kShareOfCells * waiting_ * (row_stride_ + kept_width_ * sizeof(double)) <=
           cells * cell_width(layout_) * sizeof(double);
}

LeafStatistics::Look::Look(LeafStatistics& leaf, const FeatureSpace& features,
                           FlushScratch& scratch, std::size_t buffer_rows)
    : leaf_(leaf),
      scratch_(scratch),
      borrows_(leaf.may_borrow_cells(features, buffer_rows)),
      oldest_(leaf.oldest_),
      waiting_(leaf.waiting_) {
    if (borrows_) leaf.borrow_cells(scratch);
}

void LeafStatistics::Look::complete_cells(std::size_t position, const FeatureSpace& features) {
    if (!borrows_ || !leaf_.gathers_heads_) return;
    const std::size_t width = cell_width(leaf_.layout_);
    const std::uint32_t column = features.numeric()[position];
    const std::size_t n_cells = features.n_candidates(column) + 2;
    const std::size_t first = features.numeric_offsets()[position] * width;
    std::vector<double>& numeric = leaf_.numeric_;
    if (numeric.size() < first + n_cells * width)
        numeric.resize(features.n_numeric_cells() * width);
    double* cells = numeric.data() + first;
    std::fill_n(cells, n_cells * width, 0.0);
    CodeRows rows = leaf_.rows_of_buffer(oldest_, waiting_, features);
    if (features.has_coarse_cells()) rows.codes = scratch_.cells_of_rows.data();
    add_steps(leaf_.layout_, rows, scratch_.steps.data(), {&column, &cells, 1});
}

void LeafStatistics::Look::undo() {
    leaf_.oldest_ = oldest_;
    leaf_.waiting_ = waiting_;
    leaf_.kept_ = 0;
    std::fill(leaf_.total_.begin(), leaf_.total_.end(), 0.0);
}

void LeafStatistics::borrow_cells(FlushScratch& scratch) {
    numeric_.swap(scratch.numeric);
    nominal_.swap(scratch.nominal);
    for (NominalCells& cells : nominal_) cells.clear();
    gathers_heads_ = layout_ == Layout::moments;
}

void LeafStatistics::give_cells_back(FlushScratch& scratch) {
    numeric_.swap(scratch.numeric);
    nominal_.swap(scratch.nominal);
    has_cells_ = gathers_heads_ = false;
    heads_ = nullptr;
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

}  // namespace sgt
