#include "sgt/data/features.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>
#include <stdexcept>

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

}  // namespace sgt
