// What the features are, and how a row of numbers becomes a row of codes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sgt/binning.hpp"
#include "sgt/codes.hpp"

namespace sgt {

// Rows of float32 or float64 numbers, row after row; NaN = missing.
struct RowsView {
    const void* data = nullptr;
    bool is_float32 = false;
    std::size_t rows = 0;
    std::size_t features = 0;

    RowsView slice(std::size_t begin, std::size_t end) const;
    double at(std::size_t row, std::size_t feature) const;
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

    // The largest category number in the nominal columns of these rows; -1 where there is none.
    std::int64_t largest_category(const RowsView& x) const;
    // Rows [begin, end) of x, into the same rows of `out`, which has its shape already. Returns
    // whether some category has no code of this width.
    bool encode_rows(const RowsView& x, std::size_t begin, std::size_t end, CodeBlock& out) const;

private:
    struct Feature {
        bool nominal = false;
        bool ready = false;
        Boundaries boundaries;
    };

    // What the quick encoder knows of each feature, several rows' worth after each other, so that
    // it can take several rows as one. It guesses the bin by arithmetic, never too high and at most
    // one too low, and compares with the boundary above the guess, which it computes.
    struct Guesses {
        std::vector<double> lo, scale, last;  // guess = (x - lo) * scale, in [0, last]
        // boundary = lo + width * (k / n_bins), or lo + width * k where all n_bins are powers of
        // two
        std::vector<double> width, n_bins;
        std::vector<std::uint32_t> searched;  // features that cannot be guessed
        bool powers_of_two = true;

        void add(const Boundaries& boundaries);
        void repeat(std::size_t times);
    };

    void lay_out_guesses();
    template <class Code>
    bool finish_row(const RowsView& x, std::size_t row, Code* codes) const;

    std::vector<Feature> features_;
    std::vector<std::uint32_t> numeric_, nominal_, offsets_;
    std::size_t n_numeric_cells_ = 0;
    bool numeric_in_order_ = true;
    CodeWidth width_ = CodeWidth::one;
    Guesses guesses_;
    std::vector<std::uint32_t> absent_;  // numeric features that are not ready
};

}  // namespace sgt
