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
    const std::vector<double>& boundaries(std::size_t f) const {
        return features_[f].boundaries.values;
    }
    const Boundaries& bins(std::size_t f) const {
        return features_[f].boundaries;
    }
    CodeWidth width() const {
        return width_;
    }

    void append(const std::vector<bool>& nominal);
    // Of numeric features that have none yet.
    void set_boundaries(std::vector<std::pair<std::size_t, Boundaries>> of_features);
    void set_boundaries(std::size_t f, Boundaries boundaries) {
        set_boundaries({{f, std::move(boundaries)}});
    }
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
    };

    // What the quick encoder needs of each feature (see BinGuess), repeated for several rows, so
    // that it can encode several rows as one.
    struct Guesses {
        std::vector<double> lo, scale, last, width, n_bins;
        std::vector<std::uint32_t> searched;  // features that cannot be guessed
        bool powers_of_two = true;

        void add(const Boundaries& boundaries);
        void repeat(std::size_t times);
        BinGuess of(std::size_t f) const {
            return {lo[f], scale[f], last[f], width[f], n_bins[f]};
        }
    };

    void lay_out_guesses();
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
};

}  // namespace sgt
