// What a leaf has gathered since its last change: a total, and for each feature one cell for each
// bin or category that occurred, and one for missing.
//
// Rows first wait in a buffer and are added to the cells when the leaf considers a change or the
// buffer is full: the cells of one leaf are then in the cache, and a leaf with few rows holds few
// bytes. The additions to each cell happen in the order of the rows, so when the buffer is emptied
// changes nothing, to the last bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sgt/cells.hpp"
#include "sgt/codes.hpp"
#include "sgt/features.hpp"

namespace sgt {

// The categories of one nominal feature that occurred in the leaf, as codes, with their cells.
struct NominalCells {
    std::vector<std::uint32_t> codes;
    std::vector<double> cells;
};

// Where a nominal code stands in a leaf's NominalCells. Shared by all leaves, one array for each
// nominal feature; an entry counts only where the leaf's list confirms it, so it is never cleared.
struct FlushScratch {
    std::vector<std::vector<std::uint32_t>> slot_of_code;
    std::vector<std::vector<std::uint32_t>> slots;  // of the buffered rows
};

struct LeafArrays;
class LeafArraysReader;

class LeafStatistics {
public:
    LeafStatistics(Layout layout, bool keeps_cells, std::size_t grace_period)
        : layout_(layout),
          keeps_cells_(keeps_cells),
          grace_period_(grace_period),
          rows_to_attempt_(grace_period) {}

    Layout layout() const {
        return layout_;
    }
    std::uint64_t rows() const {
        return rows_;
    }
    double weight() const {
        return weight_;
    }
    // (sum w)^2 / sum w^2: the number of rows, where all weights are equal.
    double effective_rows() const {
        return weight_ * weight_ / weight_squares_;
    }
    const Reference& reference() const {
        return reference_;
    }
    bool keeps_cells() const {
        return keeps_cells_;
    }
    std::size_t bytes() const;

    // Adds one row. At every grace_period-th row since the last change an attempt is due; a full
    // buffer must be flushed before the next row.
    struct Appended {
        bool attempt_is_due = false;
        bool buffer_is_full = false;
        bool buffer_grew = false;
    };
    Appended append(const std::byte* codes, std::size_t row_bytes, const Evidence& evidence,
                    std::size_t buffer_rows);
    void prefetch_for_append(std::size_t row_bytes) const;

    // Empties the buffer: prepare, then add_to_cells for all features (in any order, or on several
    // threads), then finish.
    void prepare_flush(const FeatureSpace& features, FlushScratch& scratch);
    void add_numeric(const FeatureSpace& features, CodeWidth width, std::size_t begin,
                     std::size_t end);
    void add_nominal(const FeatureSpace& features, CodeWidth width, FlushScratch& scratch,
                     std::size_t begin, std::size_t end);
    void finish_flush();
    void flush(const FeatureSpace& features, CodeWidth width, FlushScratch& scratch);
    bool has_waiting_rows() const {
        return waiting_ > 0;
    }

    // Valid when no rows wait.
    const Cell& total() const {
        return total_;
    }
    bool has_cells() const {
        return has_cells_;
    }
    const double* numeric_cell(std::size_t cell) const {
        return numeric_.data() + cell * cell_width(layout_);
    }
    const NominalCells& nominal(std::size_t i) const {
        return nominal_[i];
    }

    // Forgets all rows (after the leaf's value changed).
    void clear();
    // Gives the features' cells up and keeps the total only, from now on.
    void drop_cells();
    // Class counts become moments (a third class came). No rows may wait.
    void become_moments(const CellReader& reader);
    // Rows that wait get room for more features (missing in them) or for wider codes.
    void reshape_rows(std::size_t old_features, CodeWidth old_width, std::size_t new_features,
                      CodeWidth new_width);
    // Features that were laid out after the cells: all rows so far are missing there. No rows may
    // wait.
    void lay_out_late_features(const FeatureSpace& features);

    void save(LeafArrays& arrays, std::size_t row_bytes) const;
    static LeafStatistics load(LeafArraysReader& arrays, Layout layout,
                               const FeatureSpace& features, std::size_t grace_period);

private:
    template <class Code, bool kAllNumeric>
    void add_numeric_as(const FeatureSpace& features, std::size_t begin, std::size_t end);
    template <class Code>
    void add_nominal_as(const FeatureSpace& features, FlushScratch& scratch, std::size_t begin,
                        std::size_t end);
    Evidence waiting_evidence(std::size_t row) const;
    void add_to_total(const Evidence& evidence);
    void grow_buffer(std::size_t row_bytes, std::size_t limit);

    Layout layout_;
    bool keeps_cells_;
    bool has_cells_ = false;
    std::size_t grace_period_;
    std::size_t rows_to_attempt_;
    std::uint64_t rows_ = 0;
    std::size_t waiting_ = 0;
    double weight_ = 0.0, weight_squares_ = 0.0;
    Reference reference_;
    Cell total_{};
    std::vector<std::byte> codes_;  // of the waiting rows, room for capacity() of them
    std::vector<double> evidence_;  // likewise
    std::vector<double> numeric_;   // cells, by FeatureSpace::numeric_offsets
    std::vector<NominalCells> nominal_;

    std::size_t capacity() const {
        return evidence_.size() / evidence_width(layout_);
    }
};

}  // namespace sgt
