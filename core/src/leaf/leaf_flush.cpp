// The rows that wait in a leaf are added to its cells.
#include <algorithm>
#include <memory>

#include "sgt/leaf/cell_kernels.hpp"
#include "sgt/leaf/leaf_statistics.hpp"

namespace sgt {

namespace {

// Rows wait on while they take at most one in so many bytes of what cells of their own would take;
// with several outputs, of which a search reads few numbers, while they take no more than cells.
constexpr std::size_t kShareOfCells = 2;
// Of a nominal feature, about.
constexpr std::size_t kCellsOfNominal = 3;

void make_room(std::vector<double>& memory, std::size_t n) {
    if (memory.size() < n) memory.resize(n);
}

// n numbers from a boundary of the cache's lines on, so that no head of a cell lies across two.
double* in_lines(std::vector<double>& memory, std::size_t n) {
    make_room(memory, n + kCacheLine / sizeof(double));
    void* begin = memory.data();
    std::size_t bytes = memory.size() * sizeof(double);
    return static_cast<double*>(std::align(kCacheLine, n * sizeof(double), begin, bytes));
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
    const std::size_t n_cells = features.n_numeric_cells();
    if (!has_cells_) {
        if (lender_ == nullptr)
            numeric_.assign(n_cells * cell_width(layout_), 0.0);
        else if (layout_.kind == CellKind::moments)
            heads_ = in_lines(scratch.heads, n_cells * head_width(layout_));
        else if (!has_rows_to_search())
            make_room(numeric_, n_cells * cell_width(layout_));
        nominal_.resize(features.nominal().size());
        has_cells_ = true;
    }
    if (waiting_ == 0) return;
    if (features.has_coarse_cells()) write_cells_of_waiting_rows(features, scratch);
    if (heads_ != nullptr && layout_.outputs > 1) {
        make_room(scratch.heads_of_steps, waiting_ * head_width(layout_));
        write_heads(layout_, scratch.steps.data(), waiting_, scratch.heads_of_steps.data());
    }
    scratch.rows = cells_of_waiting_rows(features, scratch);
    if (nominal_.empty() && layout_.kind != CellKind::moments && lender_ == nullptr) return;
    scratch.slot_of_code.resize(nominal_.size());
    scratch.smallest_codes.resize(scratch.rows.stride);
    scratch.largest_codes.resize(scratch.rows.stride);
    find_extreme_codes(scratch.rows, scratch.smallest_codes.data(), scratch.largest_codes.data());
    if (heads_ != nullptr && layout_.outputs > 1) lay_out_nominal_heads(features, scratch);
}

void LeafStatistics::lay_out_nominal_heads(const FeatureSpace& features,
                                           FlushScratch& scratch) const {
    const std::size_t width = head_width(layout_);
    std::size_t n = 0;
    const auto for_each = [&](auto&& f) {
        for (std::size_t i = 0; i < nominal_.size(); ++i) {
            const std::uint32_t column = features.nominal()[i];
            if (gathers_cells_of(column) && lacks_cells_of_nominal(column))
                f(i, (1 + extreme_codes(column).second) * width);
        }
    };
    for_each([&](std::size_t, std::size_t more) { n += more; });
    double* heads = in_lines(scratch.nominal_heads, n);
    scratch.heads_of_nominal.assign(nominal_.size(), nullptr);
    for_each([&](std::size_t i, std::size_t more) {
        scratch.heads_of_nominal[i] = heads;
        heads += more;
    });
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
    part.any.begin(features.size());
    part.of_two_codes.begin(features.size());
    part.heads.begin(features.size());
    part.of_one_code.clear();
    const auto has_one_code = [&](std::uint32_t column) {
        return layout_.kind == CellKind::moments && lender_ == nullptr &&
               scratch.smallest_codes[column] == scratch.largest_codes[column];
    };
    const auto add_one_code = [&](std::uint32_t column, double* cells) {
        part.of_one_code.push_back(cells + width * scratch.largest_codes[column]);
    };
    for (std::size_t i = range.numeric_begin; i < range.numeric_end; ++i) {
        const std::uint32_t column = features.numeric()[i];
        if (has_rows_to_search() || !gathers_cells_of(column)) continue;
        const bool are_heads = heads_ != nullptr;
        const std::size_t of_cell = are_heads ? head_width(layout_) : width;
        double* cells =
            (are_heads ? heads_ : numeric_.data()) + features.numeric_offsets()[i] * of_cell;
        if (lender_ != nullptr) {
            const auto [first, last] = codes_to_search(column, features.n_candidates(column) + 2);
            std::fill_n(cells + first * of_cell, (last - first + 1) * of_cell, 0.0);
        }
        if (are_heads)
            part.heads.add(column, cells);
        else
            has_one_code(column) ? add_one_code(column, cells) : part.any.add(column, cells);
    }
    for (std::size_t i = range.nominal_begin; i < range.nominal_end; ++i) {
        const std::uint32_t column = features.nominal()[i];
        if (!gathers_cells_of(column)) continue;
        if (lacks_cells_of_nominal(column)) {
            if (has_rows_to_search()) continue;
            double* heads = scratch.heads_of_nominal[i];
            std::fill_n(heads, (1 + scratch.largest_codes[column]) * head_width(layout_), 0.0);
            part.heads.add(column, heads);
            continue;
        }
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
    const CodeRows& rows = scratch.rows;
    add_steps(layout_, rows, scratch.steps.data(), listed(part.any));
    if (part.heads.n > 0) {
        const auto& heads = layout_.outputs == 1 ? scratch.steps : scratch.heads_of_steps;
        add_heads(layout_, rows, heads.data(), listed(part.heads));
    }
    const FlushScratch::Targets& pairs = part.of_two_codes;
    add_steps_of_two_codes(rows, scratch.steps.data(),
                           {pairs.columns.data(), pairs.cells.data(), pairs.n});
    add_steps_of_one_code(layout_, scratch.steps.data(), waiting_, part.of_one_code.data(),
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
    const std::size_t share = layout_.outputs > 1 ? 1 : kShareOfCells;
    return share * waiting_ * (row_stride_ + kept_width_ * sizeof(double)) <=
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

void LeafStatistics::Look::complete_numeric(std::size_t position, const FeatureSpace& features) {
    if (leaf_.heads_ == nullptr && !leaf_.has_rows_to_search()) return;
    const std::size_t width = cell_width(leaf_.layout_);
    const std::uint32_t column = features.numeric()[position];
    const std::size_t n_cells = features.n_candidates(column) + 2;
    const std::size_t first = features.numeric_offsets()[position] * width;
    std::vector<double>& numeric = leaf_.numeric_;
    if (numeric.size() < first + n_cells * width)
        numeric.resize(features.n_numeric_cells() * width);
    double* cells = numeric.data() + first;
    std::fill_n(cells, n_cells * width, 0.0);
    add_rows(column, cells);
}

void LeafStatistics::Look::complete_nominal(std::size_t position, const FeatureSpace& features) {
    const std::uint32_t column = features.nominal()[position];
    if (!leaf_.lacks_cells_of_nominal(column)) return;
    NominalCells& cells = leaf_.nominal_[position];
    cells.make_room(scratch_.largest_codes[column], leaf_.layout_);
    add_rows(column, cells.cells());
}

void LeafStatistics::Look::add_rows(std::uint32_t column, double* cells) const {
    add_steps(leaf_.layout_, scratch_.rows, scratch_.steps.data(), {&column, &cells, 1});
}

void LeafStatistics::Look::undo() {
    leaf_.oldest_ = oldest_;
    leaf_.waiting_ = waiting_;
    leaf_.kept_ = 0;
    std::fill(leaf_.total_.begin(), leaf_.total_.end(), 0.0);
}

void LeafStatistics::borrow_cells(FlushScratch& scratch) {
    widen_cells();  // not those that are lent
    numeric_.swap(scratch.numeric);
    nominal_.swap(scratch.nominal);
    for (NominalCells& cells : nominal_) cells.clear();
    lender_ = &scratch;
}

void LeafStatistics::give_cells_back(FlushScratch& scratch) {
    numeric_.swap(scratch.numeric);
    nominal_.swap(scratch.nominal);
    has_cells_ = false;
    lender_ = nullptr;
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
