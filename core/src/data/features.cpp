#include "sgt/data/features.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>
#include <stdexcept>

#include "sgt/clones.hpp"
#include "sgt/data/binning.hpp"
#include "sgt/data/column_codes.hpp"

namespace sgt {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kValuesAtOnce = 256;

// The guess never decreases, so it is right everywhere, or one too low, if it is so at both ends of
// every bin.
bool guess_is_close(const std::vector<double>& boundaries, double lo, double scale) {
    if (!std::isfinite(lo) || !std::isfinite(scale)) return false;
    for (std::size_t j = 0; j < boundaries.size(); ++j) {
        const auto bin = static_cast<double>(j), last = static_cast<double>(boundaries.size() - 1);
        const double in_bin = guess(boundaries[j], lo, scale, last);
        const double in_next = guess(std::nextafter(boundaries[j], kInfinity), lo, scale, last);
        if (!(std::floor(in_bin) <= bin) || !(in_next >= bin)) return false;
    }
    return true;
}

struct GuessView {
    const double *lo, *scale, *last, *width, *n_bins;
    std::size_t values_at_once;
    bool powers_of_two;
};

template <bool kPowersOfTwo, class Real, class Code>
SGT_INLINE void guess_and_correct(const Real* __restrict x, std::size_t n_values,
                                  const GuessView& view, Code* __restrict out) {
    const double *lo = view.lo, *scale = view.scale, *last = view.last, *width = view.width,
                 *n_bins = view.n_bins;
    while (n_values > 0) {
        const std::size_t n = std::min(n_values, view.values_at_once);
        for (std::size_t i = 0; i < n; ++i) {
            const BinGuess b{lo[i], scale[i], last[i], width[i], n_bins[i]};
            out[i] = static_cast<Code>(guessed_code<kPowersOfTwo>(static_cast<double>(x[i]), b));
        }
        x += n;
        out += n;
        n_values -= n;
    }
}

#define SGT_DEFINE_ENCODER(Real, Code)                                                      \
    SGT_CLONES void encode_numeric(const Real* x, std::size_t n_values, const GuessView& v, \
                                   Code* out) {                                             \
        if (v.powers_of_two)                                                                \
            guess_and_correct<true>(x, n_values, v, out);                                   \
        else                                                                                \
            guess_and_correct<false>(x, n_values, v, out);                                  \
    }
SGT_FOR_REALS_AND_CODES(SGT_DEFINE_ENCODER)
#undef SGT_DEFINE_ENCODER

template <class Code>
Code category_code(double number) {
    if (std::isnan(number)) return static_cast<Code>(kMissingCode);
    if (number < 0.0 || number + 1.0 >= static_cast<double>(kUnseenCode<Code>))
        return kUnseenCode<Code>;
    return static_cast<Code>(number + 1.0);
}

template <class Code>
Code searched_code(const std::vector<double>& boundaries, double x) {
    return std::isnan(x) ? static_cast<Code>(kMissingCode)
                         : static_cast<Code>(1 + bin_of(boundaries, x));
}

}  // namespace

FeatureSpace::FeatureSpace(const std::vector<bool>& nominal) {
    append(nominal);
}

void FeatureSpace::append(const std::vector<bool>& nominal) {
    for (const bool is_nominal : nominal) {
        if (is_nominal) nominal_.push_back(static_cast<std::uint32_t>(features_.size()));
        features_.push_back({is_nominal, is_nominal, false, {}, {}, {}});
    }
    const std::size_t known = size() - nominal.size();
    if (known == 0 || Guesses::times_for(known) > 1) return lay_out_guesses();
    // Features without boundaries leave the others' guesses as they are.
    for (std::size_t f = known; f < size(); ++f) add_guess(f);
}

void FeatureSpace::add_guess(std::size_t f) {
    if (!features_[f].ready) absent_.push_back(static_cast<std::uint32_t>(f));
    guesses_.add(features_[f].boundaries);
}

void FeatureSpace::set_boundaries(std::vector<std::pair<std::size_t, Boundaries>> of_features) {
    for (auto& [f, boundaries] : of_features) {
        Feature& feature = features_.at(f);
        if (feature.nominal || feature.ready)
            throw std::logic_error("boundaries are set once, for numeric features");
        width_ = std::max(width_, width_for(boundaries.values.size() + 1));
        feature.boundaries = std::move(boundaries);
        feature.ready = true;
        numeric_in_order_ &= numeric_.size() == f;
        numeric_.push_back(static_cast<std::uint32_t>(f));
    }
    lay_out_cells();
    lay_out_guesses();
}

std::vector<double> FeatureSpace::candidates(std::size_t f) const {
    std::vector<double> values;
    for (std::uint32_t k = 0; k < n_candidates(f); ++k)
        values.push_back(boundaries(f)[candidate(f, k)]);
    return values;
}

void FeatureSpace::write_cells(std::size_t f, const double* x, std::size_t n,
                               std::uint32_t* cells) const {
    encode_column(f, x, n, cells);
    const std::vector<std::uint32_t>& cell_of_code = features_[f].cell_of_code;
    if (features_[f].is_coarse())
        for (std::size_t i = 0; i < n; ++i) cells[i] = cell_of_code[cells[i]];
}

void FeatureSpace::set_candidates(std::size_t f, const std::vector<bool>& marks) {
    Feature& feature = features_.at(f);
    feature.candidates.clear();
    feature.cell_of_code = {kMissingCode};
    for (std::uint32_t k = 0; k < marks.size(); ++k) {
        feature.cell_of_code.push_back(static_cast<std::uint32_t>(feature.candidates.size()) + 1);
        if (marks[k]) feature.candidates.push_back(k);
    }
    feature.cell_of_code.push_back(static_cast<std::uint32_t>(feature.candidates.size()) + 1);
    if (feature.candidates.size() == marks.size()) feature.cell_of_code.clear();
    lay_out_cells();
}

// Offsets of the cells, in the order in which the features have come.
void FeatureSpace::lay_out_cells() {
    offsets_.clear();
    coarse_.clear();
    n_numeric_cells_ = 0;
    for (const std::uint32_t f : numeric_) {
        offsets_.push_back(static_cast<std::uint32_t>(n_numeric_cells_));
        n_numeric_cells_ += n_candidates(f) + 2;
        if (features_[f].is_coarse()) coarse_.push_back(f);
    }
}

RenewedBins FeatureSpace::renew(std::size_t f, Boundaries bins, const std::vector<double>& used) {
    Feature& feature = features_.at(f);
    if (feature.nominal || !feature.ready)
        throw std::logic_error("only bins that a numeric feature has can be renewed");
    const std::vector<double> old_boundaries = feature.boundaries.values,
                              old_candidates = candidates(f);
    RenewedBins renewed;
    renewed.feature = f;
    renewed.position =
        static_cast<std::size_t>(std::find(numeric_.begin(), numeric_.end(), f) - numeric_.begin());
    renewed.first_cell = offsets_[renewed.position];
    const std::vector<double> new_candidates = bins.values;
    std::vector<double> all;
    std::set_union(new_candidates.begin(), new_candidates.end(), used.begin(), used.end(),
                   std::back_inserter(all));
    if (all.size() != new_candidates.size()) bins.n_bins = 0;
    bins.values = std::move(all);
    feature.boundaries = std::move(bins);
    const std::vector<double>& boundaries = feature.boundaries.values;

    // The new place of a bin that ends at its boundary, or has none above (the last one).
    const auto place = [](const std::vector<double>& among, const std::vector<double>& ends,
                          std::size_t bin) {
        return bin < ends.size() ? bin_of(among, ends[bin]) : among.size();
    };
    renewed.new_cell = {kMissingCode};
    for (std::size_t bin = 0; bin <= old_candidates.size(); ++bin) {
        const std::size_t last = place(new_candidates, old_candidates, bin);
        const std::size_t first =
            bin == 0 ? 0
                     : static_cast<std::size_t>(std::upper_bound(new_candidates.begin(),
                                                                 new_candidates.end(),
                                                                 old_candidates[bin - 1]) -
                                                new_candidates.begin());
        renewed.new_cell.push_back(first == last ? static_cast<std::uint32_t>(last) + 1
                                                 : kMissingCode);
    }
    renewed.new_code = {kMissingCode};
    for (std::size_t code = 1; code <= old_boundaries.size() + 1; ++code) {
        const std::uint32_t cell =
            feature.is_coarse() ? feature.cell_of_code[code] : static_cast<std::uint32_t>(code);
        const bool is_known = renewed.new_cell[cell] != kMissingCode;
        renewed.new_code.push_back(
            is_known ? static_cast<std::uint32_t>(place(boundaries, old_boundaries, code - 1)) + 1
                     : kMissingCode);
    }
    renewed.new_threshold.push_back(0);
    for (const double boundary : old_boundaries)
        renewed.new_threshold.push_back(static_cast<std::uint32_t>(bin_of(boundaries, boundary)) +
                                        1);

    std::vector<bool> marks;
    for (const double boundary : boundaries)
        marks.push_back(std::binary_search(new_candidates.begin(), new_candidates.end(), boundary));
    width_ = std::max(width_, width_for(boundaries.size() + 1));
    set_candidates(f, marks);
    lay_out_guesses();
    renewed.n_cells = n_candidates(f) + 2;
    return renewed;
}

void FeatureSpace::admit_category(std::uint64_t number) {
    if (number >= kUnseenCode<std::uint32_t> - 1)
        throw std::invalid_argument("a nominal feature can have at most 4,294,967,293 categories");
    width_ = std::max(width_, width_for(number + 1));
}

void FeatureSpace::Guesses::add(const Boundaries& boundaries) {
    const std::vector<double>& b = boundaries.values;
    // Without a boundary to compute: all values in bin 0, or on either side of the only boundary.
    double from = kInfinity, per_bin = 0.0, top = 0.0, range = 0.0, n = 1.0;
    if (b.size() == 1) from = b.front();
    if (b.size() > 1) {
        const auto bins = static_cast<double>(boundaries.n_bins);
        const double bin_width = (boundaries.hi - boundaries.lo) / bins;
        if (boundaries.are_uniform() && guess_is_close(b, boundaries.lo, 1.0 / bin_width)) {
            from = boundaries.lo;
            per_bin = 1.0 / bin_width;
            top = static_cast<double>(b.size() - 1);
            range = boundaries.hi - boundaries.lo;
            n = bins;
        } else {
            searched.push_back(static_cast<std::uint32_t>(lo.size()));
        }
    }
    lo.push_back(from);
    scale.push_back(per_bin);
    last.push_back(top);
    width.push_back(range);
    n_bins.push_back(n);
    powers_of_two &= std::has_single_bit(static_cast<std::uint64_t>(n));
}

std::size_t FeatureSpace::Guesses::times_for(std::size_t features) {
    return std::max<std::size_t>(1, kValuesAtOnce / std::max<std::size_t>(1, features));
}

void FeatureSpace::Guesses::repeat(std::size_t times) {
    if (powers_of_two)
        for (std::size_t f = 0; f < width.size(); ++f) width[f] /= n_bins[f];
    for (std::vector<double>* column : {&lo, &scale, &last, &width, &n_bins}) {
        const std::size_t n = column->size();
        column->reserve(n * times);
        for (std::size_t i = n; i < n * times; ++i) column->push_back((*column)[i - n]);
    }
}

void FeatureSpace::lay_out_guesses() {
    guesses_ = {};
    absent_.clear();
    for (std::size_t f = 0; f < features_.size(); ++f) {
        add_guess(f);
        features_[f].searched = false;
    }
    for (const std::uint32_t f : guesses_.searched) features_[f].searched = true;
    guesses_.repeat(Guesses::times_for(size()));
}

bool FeatureSpace::has_codes(const RowsView& x) const {
    if (x.features != size()) return false;
    return with_code_type(x.code_width, [&]<class Code>(Code) {
        const std::size_t n = size();
        std::vector<Code> largest(n, 0);
        const auto* row = static_cast<const Code*>(x.data);
        for (std::size_t r = 0; r < x.rows; ++r, row += n)
            for (std::size_t f = 0; f < n; ++f) largest[f] = std::max(largest[f], row[f]);
        const std::vector<Code> known = largest_codes<Code>();
        for (std::size_t f = 0; f < n; ++f)
            if (largest[f] > known[f] || largest[f] == kUnseenCode<Code>) return false;
        return true;
    });
}

// Any code of a category may come.
template <class Code>
std::vector<Code> FeatureSpace::largest_codes() const {
    std::vector<Code> largest;
    for (std::size_t f = 0; f < size(); ++f) {
        const std::size_t bins = is_ready(f) ? boundaries(f).size() + 1 : 0;
        largest.push_back(is_nominal(f) ? kUnseenCode<Code> : static_cast<Code>(bins));
    }
    return largest;
}

std::int64_t FeatureSpace::largest_category(const RowsView& x) const {
    if (x.is_coded)
        return with_code_type(x.code_width, [&]<class Code>(Code) {
            std::int64_t largest = -1;
            for (std::size_t r = 0; r < x.rows && !nominal_.empty(); ++r)
                for (const std::uint32_t f : nominal_)
                    largest = std::max(
                        largest,
                        std::int64_t{static_cast<const Code*>(x.data)[r * x.features + f]} - 1);
            return largest;
        });
    double largest = -1.0;
    for (std::size_t r = 0; r < x.rows && !nominal_.empty(); ++r)
        for (const std::uint32_t f : nominal_) {
            const double number = x.at(r, f);
            if (number > largest) largest = number;  // false for NaN
        }
    return static_cast<std::int64_t>(std::min(largest, 9e15));
}

template <class Code>
bool FeatureSpace::finish_row(const RowsView& x, std::size_t row, Code* codes) const {
    bool some_unseen = false;
    for (const std::uint32_t f : nominal_) {
        codes[f] = category_code<Code>(x.at(row, f));
        some_unseen |= codes[f] == kUnseenCode<Code>;
    }
    for (const std::uint32_t f : absent_) codes[f] = static_cast<Code>(kMissingCode);
    for (const std::uint32_t f : guesses_.searched)
        codes[f] = searched_code<Code>(boundaries(f), x.at(row, f));
    return some_unseen;
}

template <class Code>
bool FeatureSpace::encode_by_row(const RowsView& x, Code* codes) const {
    const Guesses& g = guesses_;
    const GuessView guesses{g.lo.data(),     g.scale.data(), g.last.data(),  g.width.data(),
                            g.n_bins.data(), g.lo.size(),    g.powers_of_two};
    if (x.is_float32)
        encode_numeric(static_cast<const float*>(x.data), x.rows * x.features, guesses, codes);
    else
        encode_numeric(static_cast<const double*>(x.data), x.rows * x.features, guesses, codes);
    bool some_unseen = false;
    if (nominal_.empty() && absent_.empty() && g.searched.empty()) return some_unseen;
    for (std::size_t r = 0; r < x.rows; ++r, codes += x.features)
        some_unseen |= finish_row(x, r, codes);
    return some_unseen;
}

// The codes may be wider or narrower, where a model with other categories has encoded the rows.
// They were checked, but the caller may have changed them since: a bin that does not exist is taken
// as a missing value.
template <class Code>
bool FeatureSpace::copy_codes(const RowsView& x, Code* codes) const {
    const std::vector<Code> known = largest_codes<Code>();
    return with_code_type(x.code_width, [&]<class Given>(Given) {
        const auto* given = static_cast<const Given*>(x.data);
        Code largest = 0;
        for (std::size_t r = 0; r < x.rows; ++r, given += x.features, codes += x.features)
            for (std::size_t f = 0; f < x.features; ++f) {
                Code code;
                if constexpr (sizeof(Given) <= sizeof(Code))
                    code = given[f];
                else
                    code = static_cast<Code>(std::min<Given>(given[f], kUnseenCode<Code>));
                codes[f] = code <= known[f] ? code : static_cast<Code>(kMissingCode);
                largest = std::max(largest, codes[f]);
            }
        return largest == kUnseenCode<Code>;
    });
}

template <class Code, class Real>
bool FeatureSpace::encode_column(std::size_t f, const Real* x, std::size_t n, Code* codes) const {
    const Feature& feature = features_[f];
    if (feature.nominal) return encode_category_column(x, n, codes);
    if (!feature.ready)
        std::fill_n(codes, n, static_cast<Code>(kMissingCode));
    else if (feature.searched)
        for (std::size_t i = 0; i < n; ++i) codes[i] = searched_code<Code>(boundaries(f), x[i]);
    else
        encode_guessed_column(x, n, guesses_.of(f), guesses_.powers_of_two, codes);
    return false;
}

template <class Code, class Real>
bool FeatureSpace::encode_by_column(const RowsView& x, Code* codes) const {
    Code of_columns[kColumnsTogether * kRowsTogether];
    bool some_unseen = false;
    for (std::size_t begin = 0; begin < x.rows; begin += kRowsTogether) {
        const std::size_t n = std::min(kRowsTogether, x.rows - begin);
        for (std::size_t f = 0; f < x.features; f += kColumnsTogether) {
            const std::size_t columns = std::min(kColumnsTogether, x.features - f);
            for (std::size_t c = 0; c < columns; ++c)
                some_unseen |= encode_column(f + c, x.column<Real>(f + c) + begin, n,
                                             of_columns + c * kRowsTogether);
            lay_in_rows(of_columns, columns, n, codes + begin * x.features + f, x.features);
        }
    }
    return some_unseen;
}

bool FeatureSpace::encode_rows(const RowsView& x, CodeBlock& out, std::size_t first) const {
    return with_code_type(out.width, [&]<class Code>(Code) {
        auto* codes = reinterpret_cast<Code*>(out.row(first));
        if (x.is_coded) return copy_codes(x, codes);
        if (!x.is_by_column()) return encode_by_row(x, codes);
        return x.is_float32 ? encode_by_column<Code, float>(x, codes)
                            : encode_by_column<Code, double>(x, codes);
    });
}

}  // namespace sgt
