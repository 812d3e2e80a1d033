#include "sgt/leaf_statistics.hpp"

#include <algorithm>
#include <cstring>

#include "sgt/clones.hpp"

namespace sgt {

namespace {

template <std::size_t Width>
SGT_INLINE void add(double* cell, const double* increments) {
    for (std::size_t i = 0; i < Width; ++i) cell[i] += increments[i];
}

void make_room(std::uint32_t code, std::vector<std::uint32_t>& slot_of) {
    if (code >= slot_of.size())
        slot_of.resize(std::max<std::size_t>(std::size_t{code} + 1, 2 * slot_of.size()));
}

// Finds or makes the slot of a code. The entry in `slot_of` is trusted only where codes confirm it.
std::uint32_t slot_of_code(std::uint32_t code, NominalCells& cells, std::size_t width,
                           std::vector<std::uint32_t>& slot_of) {
    make_room(code, slot_of);
    const std::uint32_t slot = slot_of[code];
    if (slot < cells.codes.size() && cells.codes[slot] == code) return slot;
    const auto fresh = static_cast<std::uint32_t>(cells.codes.size());
    slot_of[code] = fresh;
    cells.codes.push_back(code);
    cells.cells.resize(cells.cells.size() + width, 0.0);
    return fresh;
}

}  // namespace

std::size_t LeafStatistics::bytes() const {
    std::size_t n =
        sizeof(*this) + codes_.size() + sizeof(double) * (evidence_.size() + numeric_.size());
    for (const NominalCells& cells : nominal_)
        n += sizeof(cells) + sizeof(std::uint32_t) * cells.codes.size() +
             sizeof(double) * cells.cells.size();
    return n;
}

void LeafStatistics::grow_buffer(std::size_t row_bytes, std::size_t limit) {
    const std::size_t room = std::min(std::max<std::size_t>(4, 4 * capacity()), limit);
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
    scratch.slot_of_code.resize(features.nominal().size());
    scratch.slots.resize(features.nominal().size());
    if (has_cells_) return;
    numeric_.assign(features.n_numeric_cells() * cell_width(layout_), 0.0);
    nominal_.resize(features.nominal().size());
    has_cells_ = true;
}

template <class Code, bool kAllNumeric>
void LeafStatistics::add_numeric_as(const FeatureSpace& features, std::size_t begin,
                                    std::size_t end) {
    const std::uint32_t* column = features.numeric().data();
    const std::uint32_t* offset = features.numeric_offsets().data();
    const auto* codes = reinterpret_cast<const Code*>(codes_.data());
    const std::size_t d = features.size();
    double* cells = numeric_.data();
    for (std::size_t r = 0; r < waiting_; ++r, codes += d) {
        const auto cell = [&](std::size_t i) {
            return std::size_t{offset[i]} + codes[kAllNumeric ? i : column[i]];
        };
        const Evidence e = waiting_evidence(r);
        if (layout_ == Layout::class_counts) {
            double* of_class = cells + static_cast<std::size_t>(e.g);
            for (std::size_t i = begin; i < end; ++i) of_class[2 * cell(i)] += e.w;
            continue;
        }
        const Cell step = increment(layout_, reference_, e);
        if (layout_ == Layout::constant_hessian)
            for (std::size_t i = begin; i < end; ++i) add<3>(cells + 3 * cell(i), step.data());
        else
            for (std::size_t i = begin; i < end; ++i) add<6>(cells + 6 * cell(i), step.data());
    }
}

template <class Code>
void LeafStatistics::add_nominal_as(const FeatureSpace& features, FlushScratch& scratch,
                                    std::size_t begin, std::size_t end) {
    const std::size_t d = features.size(), width = cell_width(layout_);
    const auto* codes = reinterpret_cast<const Code*>(codes_.data());
    for (std::size_t i = begin; i < end; ++i) {
        NominalCells& cells = nominal_[i];
        std::vector<std::uint32_t>& slot_of = scratch.slot_of_code[i];
        for (std::uint32_t s = 0; s < cells.codes.size(); ++s) {
            make_room(cells.codes[s], slot_of);
            slot_of[cells.codes[s]] = s;
        }
        scratch.slots[i].resize(waiting_);
        const Code* code = codes + features.nominal()[i];
        for (std::size_t r = 0; r < waiting_; ++r, code += d)
            scratch.slots[i][r] = slot_of_code(*code, cells, width, slot_of);
    }
    // Row by row over the features: neighbouring additions then do not wait for each other.
    for (std::size_t r = 0; r < waiting_; ++r) {
        const Evidence e = waiting_evidence(r);
        if (layout_ == Layout::class_counts) {
            for (std::size_t i = begin; i < end; ++i)
                nominal_[i].cells[2 * scratch.slots[i][r] + static_cast<std::size_t>(e.g)] += e.w;
            continue;
        }
        const Cell step = increment(layout_, reference_, e);
        for (std::size_t i = begin; i < end; ++i) {
            double* cell = nominal_[i].cells.data() + width * scratch.slots[i][r];
            if (layout_ == Layout::constant_hessian)
                add<3>(cell, step.data());
            else
                add<6>(cell, step.data());
        }
    }
}

void LeafStatistics::add_numeric(const FeatureSpace& features, CodeWidth width, std::size_t begin,
                                 std::size_t end) {
    with_code_type(width, [&]<class Code>(Code) {
        if (features.columns_are_numeric_in_order())
            add_numeric_as<Code, true>(features, begin, end);
        else
            add_numeric_as<Code, false>(features, begin, end);
    });
}

void LeafStatistics::add_nominal(const FeatureSpace& features, CodeWidth width,
                                 FlushScratch& scratch, std::size_t begin, std::size_t end) {
    with_code_type(width,
                   [&]<class Code>(Code) { add_nominal_as<Code>(features, scratch, begin, end); });
}

void LeafStatistics::finish_flush() {
    waiting_ = 0;
}

void LeafStatistics::flush(const FeatureSpace& features, CodeWidth width, FlushScratch& scratch) {
    prepare_flush(features, scratch);
    if (keeps_cells_) {
        add_numeric(features, width, 0, features.numeric().size());
        add_nominal(features, width, scratch, 0, nominal_.size());
    }
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
    for (NominalCells& cells : nominal_) {
        cells.codes.clear();
        cells.cells.clear();
    }
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
    const auto convert = [&](std::vector<double>& cells) {
        std::vector<double> moments(cells.size() / 2 * 6);
        for (std::size_t i = 0; i < cells.size() / 2; ++i) {
            const Cell cell = reader.counts_as_moments(cells.data() + 2 * i, reference_);
            std::copy(cell.begin(), cell.end(),
                      moments.begin() + static_cast<std::ptrdiff_t>(6 * i));
        }
        cells = std::move(moments);
    };
    total_ = reader.counts_as_moments(total_.data(), reference_);
    convert(numeric_);
    for (NominalCells& cells : nominal_) convert(cells.cells);
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
        cells.codes.push_back(kMissingCode);
        cells.cells.resize(width);
        put_total(cells.cells.data());
    }
}

}  // namespace sgt
