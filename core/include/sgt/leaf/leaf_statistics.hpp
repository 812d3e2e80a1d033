// What a leaf has gathered since its last change: a total, and for each feature one cell for each
// bin or category that occurred, and one for missing.
//
// Rows first wait in a buffer and are added to the cells when the leaf considers a change or the
// buffer is full: the cells of one leaf are then in the cache, and a leaf with few rows holds few
// bytes. The additions to each cell happen in the order of the rows, so when the buffer is emptied
// changes nothing, to the last bit.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sgt/clones.hpp"
#include "sgt/data/codes.hpp"
#include "sgt/data/features.hpp"
#include "sgt/leaf/cell_kernels.hpp"
#include "sgt/leaf/cells.hpp"
#include "sgt/leaf/flush_scratch.hpp"
#include "sgt/leaf/grace_period.hpp"
#include "sgt/leaf/nominal_cells.hpp"

namespace sgt {

class CategoryCodes;
class KnownCodes;
struct LeafArrays;
class LeafArraysReader;
struct PartialLeaf;
struct PartialRows;
struct Place;
class PartialTree;

class LeafStatistics {
public:
    LeafStatistics(Layout layout, bool keeps_cells, GracePeriod grace_period,
                   std::size_t kept_rows = 0);

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
    // The sums of w and w^2 are both the number of rows only if every weight is 1.
    bool all_weights_are_one() const {
        const auto n = static_cast<double>(rows_);
        return weight_ == n && weight_squares_ == n;
    }
    // The first g and h of each output; not where classes are counted.
    const std::vector<Reference>& references() const {
        return references_;
    }
    bool keeps_cells() const {
        return keeps_cells_;
    }
    std::size_t bytes() const;
    // What is left when the cells are dropped.
    static std::size_t bytes_without_cells(Layout layout);

    // Rows that may wait, at most. (Cells of several outputs take the memory of many rows.)
    static constexpr std::size_t most_waiting(Layout layout) {
        return layout.outputs > 1 ? 512 : 256;
    }

    // Adds one row, by its record. An attempt may be due then; a full buffer must be flushed before
    // the next row.
    class Appended {
    public:
        bool attempt_is_due() const {
            return (flags_ & 1U) != 0;
        }
        bool buffer_is_full() const {
            return (flags_ & 2U) != 0;
        }
        bool buffer_grew() const {
            return (flags_ & 4U) != 0;
        }

    private:
        friend class LeafStatistics;
        Appended(bool is_due, bool is_full, bool grew)
            : flags_((is_due ? 1U : 0U) | (is_full ? 2U : 0U) | (grew ? 4U : 0U)) {}
        // One number, since it comes back in a register. Three bytes go through memory, and reading
        // them as one word waits until the row, on its way to a leaf far off, has been stored.
        unsigned flags_;
    };
    Appended append(const std::byte* codes, std::size_t row_bytes, const double* record,
                    std::size_t buffer_rows);
    // Makes room for rows that will come now, all at once.
    void expect(std::size_t rows, std::size_t row_bytes, std::size_t buffer_rows);
    // What the next row will need: first the leaf itself, and when that is there, its buffer.
    void prefetch() const {
        const auto* bytes = reinterpret_cast<const std::byte*>(this);
        for (std::size_t line = 0; line < kLinesOfRow; ++line)
            SGT_PREFETCH_WRITE(bytes + line * kCacheLine);
    }
    void prefetch_buffer() const {
        if (filled() >= room_) return;  // there is none, or it must grow
        const std::byte* codes = codes_.data() + filled() * row_stride_;
        const double* record = records_.data() + filled() * kept_width_;
        SGT_PREFETCH_WRITE(codes);
        SGT_PREFETCH_WRITE(codes + row_stride_ - 1);
        SGT_PREFETCH_WRITE(record);
        SGT_PREFETCH_WRITE(record + kept_width_ - 1);
    }

    // The cells, which a flush and a search will need.
    void prefetch_cells() const {
        const auto* bytes = reinterpret_cast<const std::byte*>(numeric_.data());
        const std::size_t n = numeric_.size() * sizeof(double);
        for (std::size_t at = 0; at < n; at += kCacheLine) SGT_PREFETCH_WRITE(bytes + at);
    }

    // Empties the buffer: sum_up, after which the total is that of all rows; prepare_cells;
    // add_to_cells for all features, in any parts, on any threads; finish. Only `clear` may come
    // instead of what follows sum_up. The features' ranges are positions in FeatureSpace::numeric()
    // and nominal().
    struct FeatureRange {
        std::size_t numeric_begin, numeric_end, nominal_begin, nominal_end;
    };
    void sum_up(FlushScratch& scratch);
    void prepare_cells(const FeatureSpace& features, FlushScratch& scratch);
    void add_to_cells(const FeatureSpace& features, const FeatureRange& range,
                      FlushScratch& scratch, FlushScratch::Part& part);
    void finish_flush();
    void flush(const FeatureSpace& features, FlushScratch& scratch);
    // A look at the rows of a leaf. While few have come all of them wait; the look then borrows
    // cells that leaves share and that stay in the processor's cache, and if it brings no change
    // the rows wait on. Cells of their own would take more memory than these rows, and longer to
    // read than adding the rows again.
    class Look {
    public:
        Look(LeafStatistics& leaf, const FeatureSpace& features, FlushScratch& scratch,
             std::size_t buffer_rows);
        Look(const Look&) = delete;
        Look& operator=(const Look&) = delete;
        ~Look() {
            if (borrows_) leaf_.give_cells_back(scratch_);
        }
        bool borrows() const {
            return borrows_;
        }
        // After the search: what it has not read of the cells of the feature at `position`.
        void complete_numeric(std::size_t position, const FeatureSpace& features);
        void complete_nominal(std::size_t position, const FeatureSpace& features);
        // The rows wait again. Only with borrowed cells.
        void undo();

    private:
        void add_rows(std::uint32_t column, double* cells) const;

        LeafStatistics& leaf_;
        FlushScratch& scratch_;
        bool borrows_;
        std::size_t oldest_, waiting_;
    };
    // All that follows sum_up.
    void flush_summed(const FeatureSpace& features, FlushScratch& scratch);
    bool has_waiting_rows() const {
        return waiting_ > 0;
    }

    // Valid when no rows wait.
    const std::vector<double>& total() const {
        return total_;
    }
    bool has_cells() const {
        return has_cells_;
    }
    const double* numeric_cell(std::size_t cell) const {
        return numeric_.data() + cell * cell_width(layout_);
    }
    // What a search over boundaries reads of a cell and of those after it, `width` numbers each.
    // Of moments these are cells or heads of cells: w first, then g and h of each output, whose
    // next one is `of_output` numbers further.
    struct CellsToSearch {
        const double* cells;
        std::size_t width, of_output;
    };
    CellsToSearch cells_to_search(std::size_t cell) const {
        constexpr std::size_t kOfHead = 2, kOfCell = 5;
        const std::size_t width = head_width(layout_);
        if (heads_ != nullptr) return {heads_ + cell * width, width, kOfHead};
        return {numeric_cell(cell), cell_width(layout_), kOfCell};
    }
    // A look at counts of several classes adds no row to cells (but of nominal features with large
    // codes): a search reads few of the classes, and counts the waiting rows itself.
    bool has_rows_to_search() const {
        return lender_ != nullptr && layout_.kind == CellKind::softmax_counts;
    }
    const CodeRows& rows_to_search() const {
        return lender_->rows;
    }
    const double* steps_to_search() const {
        return lender_->steps.data();
    }
    std::pair<std::uint32_t, std::uint32_t> extreme_codes(std::uint32_t feature) const {
        return {lender_->smallest_codes[feature], lender_->largest_codes[feature]};
    }
    // The first and the last of the codes whose cells a search may read, of so many. (Where only
    // heads of several outputs were gathered, those that occur; otherwise all.)
    std::pair<std::uint32_t, std::uint32_t> codes_to_search(std::uint32_t feature,
                                                            std::size_t n_codes) const {
        if (heads_ != nullptr && layout_.outputs > 1) return extreme_codes(feature);
        return {0, static_cast<std::uint32_t>(n_codes - 1)};
    }
    // A look at several outputs: whether there are no cells of this nominal feature. Of moments
    // their heads were gathered, by code from 0 to the largest.
    bool lacks_cells_of_nominal(std::uint32_t feature) const {
        return lender_ != nullptr && layout_.outputs > 1 &&
               layout_.kind != CellKind::constant_hessian &&
               lender_->largest_codes[feature] < NominalCells::kSmallCodes;
    }
    const double* heads_of_nominal(std::size_t position) const {
        return lender_->heads_of_nominal[position];
    }
    // After prepare_cells, whether a feature's cells are gathered. A look that borrows them leaves
    // out features of which all rows have one code: no split parts these rows.
    bool gathers_cells_of(std::uint32_t feature) const {
        if (lender_ == nullptr) return true;
        const auto [smallest, largest] = extreme_codes(feature);
        return smallest != largest;
    }
    const NominalCells& nominal(std::size_t i) const {
        return nominal_[i];
    }

    // Rows that are in the cells and were kept to be handed down: the latest ones, in their order.
    // Valid when no rows wait.
    std::size_t n_kept() const {
        return kept_;
    }
    const std::byte* kept_codes(std::size_t row) const {
        return codes_.data() + (oldest_ + row) * row_stride_;
    }
    // The records of the latest rows, as many as may be kept, those that wait among them. (Those of
    // the rows that are kept, where none wait.)
    std::size_t n_latest() const {
        return std::min(buffered(), most_kept_);
    }
    const double* latest_record(std::size_t row) const {
        return buffered_record(filled() - n_latest() + row);
    }
    // Writes the record of a kept row, h too.
    void write_record(std::size_t row, double* record) const;

    // Forgets all rows (after the leaf's value changed), and gives its cells up: the next rows may
    // never be so many that they need some.
    void clear();
    // Gives the features' cells up and keeps the total only, from now on.
    void drop_cells();
    // Class counts become moments (a third class came). No rows may wait.
    void become_moments(const CellReader& reader);
    // There is one more class, of which no row has come. Where classes are counted, cells may
    // become wider when they are next needed: a stream of many late classes would copy all of them
    // for each.
    void add_class(bool at_once = true);
    // Rows that wait get room for more features (missing in them) or for wider codes. With slack
    // there is room for some more features after that.
    void reshape_rows(std::size_t old_features, CodeWidth old_width, std::size_t new_features,
                      CodeWidth new_width, bool with_slack = false);
    // Features that were laid out after the cells: all rows so far are missing there. Where
    // there are cells no rows may wait.
    void lay_out_late_features(const FeatureSpace& features);

    // The bins of a feature were renewed: its cells are gathered anew, but for old bins that lie
    // within a new one. Where there are cells no rows may wait. Codes have the width that they have
    // from now on.
    void renew_bins(const RenewedBins& renewed, const FeatureSpace& features);

    // Merging: whether these are an earlier leaf's statistics and more; a copy in which no rows
    // wait; adding what another leaf has gained since the base.
    bool may_come_from(const LeafStatistics& base) const;
    LeafStatistics without_waiting_rows(const FeatureSpace& features) const;
    class Gain;
    void merge(Gain gain, const FeatureSpace& features, const FeatureSpace& others,
               const CategoryCodes& codes);

    // Rounds: passes all statistics on, and clears them (no rows may wait); adds partial statistics
    // of other rows, and returns whether an attempt has come due.
    void hand_over(Place place, PartialTree& to);
    bool absorb(const PartialLeaf& more, const PartialRows& rows, const FeatureSpace& features,
                FlushScratch& scratch, std::size_t buffer_rows);

    void save(LeafArrays& arrays, std::size_t row_bytes) const;
    static LeafStatistics load(LeafArraysReader& arrays, Layout layout,
                               const FeatureSpace& features, const KnownCodes& codes,
                               GracePeriod grace_period, std::size_t kept_rows);

private:
    bool may_borrow_cells(const FeatureSpace& features, std::size_t buffer_rows) const;
    // Of borrowed cells a search reads few numbers: of moments, their heads alone are gathered.
    void borrow_cells(FlushScratch& scratch);
    void lay_out_nominal_heads(const FeatureSpace& features, FlushScratch& scratch) const;
    void give_cells_back(FlushScratch& scratch);
    // Cells and total have a place for every class.
    void widen_cells();
    void widen_records();
    void add_to_listed_cells(std::size_t position, const FeatureSpace& features,
                             FlushScratch& scratch);
    CodeRows waiting_rows(const FeatureSpace& features) const;
    // The same, in which codes that share a cell are one.
    CodeRows cells_of_waiting_rows(const FeatureSpace& features, const FlushScratch& scratch) const;
    void write_cells_of_waiting_rows(const FeatureSpace& features, FlushScratch& scratch) const;
    // The buffer: rows that were let go, then those that are kept, then those that wait.
    std::size_t buffered() const {
        return kept_ + waiting_;
    }
    std::size_t filled() const {
        return oldest_ + buffered();
    }
    double* buffered_record(std::size_t row) {
        return records_.data() + row * kept_width_;
    }
    const double* buffered_record(std::size_t row) const {
        return records_.data() + row * kept_width_;
    }
    const double* waiting_record(std::size_t row) const {
        return buffered_record(oldest_ + kept_ + row);
    }
    bool absorb_sums(const PartialLeaf& more, const FeatureSpace& features);
    void keep_rows(const PartialLeaf& more, const PartialRows& rows);
    // Merging: the other's kept rows come after the own ones. No rows may wait.
    void take_kept_rows(const LeafStatistics& more, const FeatureSpace& features,
                        const FeatureSpace& others, const CategoryCodes& codes);
    // Lets go of the oldest rows that are kept, so that so many are left.
    void keep_latest(std::size_t rows);
    // Moves the buffer's rows to its front, over those that were let go.
    void close_up();
    // So that more rows, most_kept_ at most, can be put behind those that are kept. None may wait.
    void make_room_for_kept(std::size_t more_rows, std::size_t row_bytes);
    void keep(const double* record, double* kept) const;
    void add_to_total(const double* kept);
    void add_record_to_total(const double* record);
    void give_up_buffer();
    void give_up_cells();
    void grow_buffer(std::size_t more_rows, std::size_t row_bytes, std::size_t buffer_rows);
    std::size_t most_room(std::size_t buffer_rows) const;

    static constexpr std::size_t kLinesOfRow = 3;  // of what every row touches
    // From so many rows on a buffer grows twofold, not fourfold, since most of the memory is there;
    // and when it is emptied, it is given up.
    static constexpr std::size_t kLargeRoom = 64;

    // First what every row touches.
    Layout layout_;
    bool keeps_cells_;
    bool has_cells_ = false;
    std::size_t rows_to_attempt_;
    std::uint64_t rows_ = 0;
    double weight_ = 0.0, weight_squares_ = 0.0;
    std::size_t oldest_ = 0;  // place in the buffer of the first row that is kept
    std::size_t kept_ = 0, waiting_ = 0;
    std::size_t room_ = 0;  // for rows in the buffer
    std::size_t kept_width_;
    std::size_t row_stride_ = 0;    // bytes from a row's codes to the next; what is between is 0
    std::vector<std::byte> codes_;  // of the rows in the buffer
    std::vector<double> records_;   // likewise
    GracePeriod grace_period_;
    std::size_t most_kept_;
    std::vector<Reference> references_;
    std::vector<double> total_;    // a cell
    std::vector<double> numeric_;  // cells, by FeatureSpace::numeric_offsets
    std::vector<NominalCells> nominal_;
    FlushScratch* lender_ = nullptr;  // of cells, during a look
    double* heads_ = nullptr;         // of numeric cells, while they are borrowed
    std::uint32_t late_classes_ = 0;  // that have no place in cells and total yet
};

}  // namespace sgt
