// The features: their kinds, bins and categories, and how a row of numbers becomes a row of codes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sgt/data/bin_guess.hpp"
#include "sgt/data/binning.hpp"
#include "sgt/data/codes.hpp"
#include "sgt/data/rows_view.hpp"

namespace sgt {

// What becomes of the codes and cells of a feature whose bins were renewed. A row of which the old
// bin has a new boundary within counts as missing.
struct RenewedBins {
    std::size_t feature = 0;
    std::size_t position = 0;                  // in FeatureSpace::numeric()
    std::size_t first_cell = 0;                // of the feature
    std::vector<std::uint32_t> new_code;       // of each old code
    std::vector<std::uint32_t> new_cell;       // of each old cell, the missing rows' first
    std::vector<std::uint32_t> new_threshold;  // of each old one: the largest code that goes left
    std::size_t n_cells = 0;                   // from now on
};

class FeatureSpace {
public:
    FeatureSpace() = default;
    explicit FeatureSpace(const std::vector<bool>& nominal);

    std::size_t size() const {
        return features_.size();
    }
    bool is_nominal(std::size_t f) const {
        return features_[f].nominal;
    }
    // A numeric feature without boundaries yet counts as missing in every row.
    bool is_ready(std::size_t f) const {
        return features_[f].ready;
    }
    // All boundaries, by which codes are given.
    const std::vector<double>& boundaries(std::size_t f) const {
        return features_[f].boundaries.values;
    }
    const Boundaries& all_boundaries(std::size_t f) const {
        return features_[f].boundaries;
    }
    // The boundaries between the bins, which have a cell each: all of them, but where the bins were
    // renewed only the present ones. The others serve splits that were made before.
    std::size_t n_candidates(std::size_t f) const {
        const Feature& feature = features_[f];
        return feature.is_coarse() ? feature.candidates.size() : feature.boundaries.values.size();
    }
    // The place of the k-th of them among all boundaries.
    std::uint32_t candidate(std::size_t f, std::uint32_t k) const {
        const Feature& feature = features_[f];
        return feature.is_coarse() ? feature.candidates[k] : k;
    }
    std::vector<double> candidates(std::size_t f) const;
    Boundaries bins(std::size_t f) const {
        return {candidates(f), features_[f].boundaries.lo, features_[f].boundaries.hi, 0};
    }
    // Whether some feature has codes that share a cell, and the cells of its codes if it is so.
    bool has_coarse_cells() const {
        return !coarse_.empty();
    }
    const std::vector<std::uint32_t>& coarse() const {
        return coarse_;
    }
    const std::vector<std::uint32_t>& cell_of_code(std::size_t f) const {
        return features_[f].cell_of_code;
    }
    // The cell of each of these values, of which none is missing.
    void write_cells(std::size_t f, const double* x, std::size_t n, std::uint32_t* cells) const;
    CodeWidth width() const {
        return width_;
    }

    void append(const std::vector<bool>& nominal);
    // Of numeric features that have none yet.
    void set_boundaries(std::vector<std::pair<std::size_t, Boundaries>> of_features);
    void set_boundaries(std::size_t f, Boundaries boundaries) {
        set_boundaries({{f, std::move(boundaries)}});
    }
    // New bins for a numeric feature that has some. The boundaries `used` by splits stay.
    RenewedBins renew(std::size_t f, Boundaries bins, const std::vector<double>& used);
    // Some boundaries of a feature are no candidates any more: those without a mark.
    void set_candidates(std::size_t f, const std::vector<bool>& marks);
    // Widens the codes, where needed, for this category number.
    void admit_category(std::uint64_t number);

    // Features in the order in which a leaf lays out their cells. Late ones come last.
    const std::vector<std::uint32_t>& numeric() const {
        return numeric_;
    }
    const std::vector<std::uint32_t>& nominal() const {
        return nominal_;
    }
    // The first cell of the i-th feature of numeric(); as many cells as bins, and one for missing.
    const std::vector<std::uint32_t>& numeric_offsets() const {
        return offsets_;
    }
    // Whether numeric()[i] == i.
    bool columns_are_numeric_in_order() const {
        return numeric_in_order_;
    }
    std::size_t n_numeric_cells() const {
        return n_numeric_cells_;
    }

    // Whether rows of codes are of these features, and none of them has a bin that does not exist
    // or the code that means unseen.
    bool has_codes(const RowsView& x) const;
    // The largest category number in the nominal columns of these rows; -1 where there is none.
    std::int64_t largest_category(const RowsView& x) const;
    // Rows [begin, end) of x, into the same rows of `out`, which has its shape already. Returns
    // whether some category has no code of this width.
    bool encode_rows(const RowsView& x, std::size_t begin, std::size_t end, CodeBlock& out) const {
        return encode_rows(x.slice(begin, end), out, begin);
    }
    // All rows of x, into the rows of `out` from `first` on.
    bool encode_rows(const RowsView& x, CodeBlock& out, std::size_t first) const;

private:
    struct Feature {
        bool nominal = false;
        bool ready = false;
        bool searched = false;  // its bins cannot be guessed
        Boundaries boundaries;
        // Where not all boundaries are candidates: the places of those that are, and the cell of
        // each code.
        std::vector<std::uint32_t> candidates, cell_of_code;

        bool is_coarse() const {
            return !cell_of_code.empty();
        }
    };

    // What the quick encoder needs of each feature (see BinGuess), repeated for several rows, so
    // that it can encode several rows as one.
    struct Guesses {
        std::vector<double> lo, scale, last, width, n_bins;
        std::vector<std::uint32_t> searched;  // features that cannot be guessed
        bool powers_of_two = true;

        // How often they are repeated where there are so many features.
        static std::size_t times_for(std::size_t features);
        void add(const Boundaries& boundaries);
        void repeat(std::size_t times);
        BinGuess of(std::size_t f) const {
            return {lo[f], scale[f], last[f], width[f], n_bins[f]};
        }
    };

    void lay_out_guesses();
    void add_guess(std::size_t f);
    void lay_out_cells();
    template <class Code, class Real>
    void encode_numbers_by_row(const RowsView& x, Code* codes) const;
    template <class Code>
    bool encode_by_row(const RowsView& x, Code* codes) const;
    template <class Code>
    bool finish_row(const RowsView& x, std::size_t row, Code* codes) const;
    template <class Code>
    std::vector<Code> largest_codes() const;
    template <class Code>
    bool copy_codes(const RowsView& x, Code* codes) const;
    template <class Code, class Real>
    bool encode_by_column(const RowsView& x, Code* codes) const;
    template <class Code, class Real>
    bool encode_column(std::size_t f, const Real* x, std::size_t n, Code* codes) const;

    std::vector<Feature> features_;
    std::vector<std::uint32_t> numeric_, nominal_, offsets_;
    std::size_t n_numeric_cells_ = 0;
    bool numeric_in_order_ = true;
    CodeWidth width_ = CodeWidth::one;
    Guesses guesses_;
    std::vector<std::uint32_t> absent_;  // numeric features that are not ready
    std::vector<std::uint32_t> coarse_;  // features of which several codes share a cell
};

}  // namespace sgt
