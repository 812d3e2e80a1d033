// Rows of numbers become codes.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "sgt/clones.hpp"
#include "sgt/data/binning.hpp"
#include "sgt/data/column_codes.hpp"
#include "sgt/data/features.hpp"

namespace sgt {

namespace {

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

}  // namespace

void FeatureSpace::write_cells(std::size_t f, const double* x, std::size_t n,
                               std::uint32_t* cells) const {
    encode_column(f, x, n, cells);
    const std::vector<std::uint32_t>& cell_of_code = features_[f].cell_of_code;
    if (features_[f].is_coarse())
        for (std::size_t i = 0; i < n; ++i) cells[i] = cell_of_code[cells[i]];
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
    return some_unseen;
}

template <class Code, class Real>
void FeatureSpace::encode_numbers_by_row(const RowsView& x, Code* codes) const {
    const Guesses& g = guesses_;
    const GuessView guesses{g.lo.data(),     g.scale.data(), g.last.data(),  g.width.data(),
                            g.n_bins.data(), g.lo.size(),    g.powers_of_two};
    const auto* values = static_cast<const Real*>(x.data);
    encode_numeric(values, x.rows * x.features, guesses, codes);
    for (const std::uint32_t f : g.searched)
        encode_searched_column(values + f, x.features, x.rows, boundaries(f), codes + f,
                               x.features);
}

template <class Code>
bool FeatureSpace::encode_by_row(const RowsView& x, Code* codes) const {
    if (x.is_float32)
        encode_numbers_by_row<Code, float>(x, codes);
    else
        encode_numbers_by_row<Code, double>(x, codes);
    bool some_unseen = false;
    if (nominal_.empty() && absent_.empty()) return some_unseen;
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
        encode_searched_column(x, 1, n, boundaries(f), codes, 1);
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
