#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "check.hpp"
#include "sgt/data/features.hpp"
#include "streams.hpp"

using namespace sgt;
using streams::kNan;
using streams::Random;

namespace {

constexpr double kMax = std::numeric_limits<double>::max();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::uint32_t code_at(const CodeBlock& block, std::size_t row, std::size_t feature) {
    return with_code_type(block.width, [&]<class Code>(Code) {
        return std::uint32_t{reinterpret_cast<const Code*>(block.row(row))[feature]};
    });
}

std::uint32_t unseen(CodeWidth width) {
    return with_code_type(width, []<class Code>(Code) { return std::uint32_t{kUnseenCode<Code>}; });
}

// What the code must be, by the definitions.
std::uint32_t expected_code(const FeatureSpace& features, std::size_t f, double x,
                            CodeWidth width) {
    if (std::isnan(x) || !features.is_ready(f)) return kMissingCode;
    if (!features.is_nominal(f))
        return static_cast<std::uint32_t>(1 + bin_of(features.boundaries(f), x));
    if (x < 0.0 || x + 1.0 >= static_cast<double>(unseen(width))) return unseen(width);
    return static_cast<std::uint32_t>(x) + 1;
}

std::size_t wrong_codes(const FeatureSpace& features, const RowsView& x, CodeWidth width,
                        std::size_t rows_at_once) {
    CodeBlock block;
    block.shape(x.rows, x.features, width);
    bool some_unseen = false, must_be_unseen = false;
    for (std::size_t begin = 0; begin < x.rows; begin += rows_at_once)
        some_unseen |=
            features.encode_rows(x, begin, std::min(begin + rows_at_once, x.rows), block);
    std::size_t wrong = 0;
    for (std::size_t r = 0; r < x.rows; ++r)
        for (std::size_t f = 0; f < x.features; ++f) {
            const std::uint32_t expected = expected_code(features, f, x.at(r, f), width);
            must_be_unseen |= features.is_nominal(f) && expected == unseen(width);
            wrong += code_at(block, r, f) != expected ? 1 : 0;
        }
    return wrong + (some_unseen != must_be_unseen ? 1 : 0);
}

// Encodes the block at every width that holds its codes, by row and by column, whole and in uneven
// parts; returns the number of codes that are not what they must be.
template <class Real>
std::size_t wrong_codes(const FeatureSpace& features, const std::vector<Real>& values) {
    const std::size_t d = features.size(), rows = values.size() / d;
    const RowsView by_row{values.data(), sizeof(Real) == sizeof(float), rows, d};
    const streams::Columns<Real> columns(values, d);
    std::size_t wrong = 0;
    for (const CodeWidth width : {CodeWidth::one, CodeWidth::two, CodeWidth::four})
        if (width >= features.width())
            for (const std::size_t rows_at_once : {rows, std::size_t{7}})
                for (const RowsView& x : {by_row, columns.view()})
                    wrong += wrong_codes(features, x, width, rows_at_once);
    return wrong;
}

// Every boundary and its neighbours, as doubles and as floats, and values outside.
std::vector<double> probes(const std::vector<double>& boundaries, Random& random) {
    std::vector<double> all = {0.0,  -0.0,  kNan,      5e-324,     -5e-324, 1.0,
                               kMax, -kMax, kInfinity, -kInfinity, 1e30,    -1e30};
    const auto around = [&](double x) {
        all.push_back(x);
        all.push_back(std::nextafter(x, kInfinity));
        all.push_back(std::nextafter(x, -kInfinity));
        if (std::fabs(x) > 1e38) return;
        const auto single = static_cast<float>(x);
        all.push_back(single);
        all.push_back(std::nextafter(single, std::numeric_limits<float>::infinity()));
        all.push_back(std::nextafter(single, -std::numeric_limits<float>::infinity()));
    };
    for (const double b : boundaries) around(b);
    if (!boundaries.empty()) {
        const double lo = boundaries.front(), hi = boundaries.back();
        const double bin = boundaries.size() > 1 ? boundaries[1] - boundaries[0] : 1.0;
        for (const double x :
             {lo - bin, lo - bin / 1000, lo + bin / 1000, hi + bin, lo - 100 * bin, hi + 100 * bin})
            around(x);
        for (int i = 0; i < 300; ++i) all.push_back(random.between(lo - bin, hi + bin));
    }
    return all;
}

std::vector<float> as_floats(const std::vector<double>& values) {
    std::vector<float> floats;
    for (const double v : values)
        floats.push_back(
            std::isfinite(v) && std::fabs(v) > 3e38
                ? std::copysign(std::numeric_limits<float>::infinity(), v > 0 ? 1.0F : -1.0F)
                : static_cast<float>(v));
    return floats;
}

// A block whose column f holds the probes of feature f, from another place for every feature.
std::vector<double> probe_block(const FeatureSpace& features, Random& random) {
    std::vector<std::vector<double>> columns;
    std::size_t rows = 0;
    for (std::size_t f = 0; f < features.size(); ++f) {
        std::vector<double> column;
        if (features.is_nominal(f))
            for (int i = 0; i < 100; ++i)
                column.push_back(random.chance(0.1) ? kNan : std::floor(random.between(0, 200)));
        else
            column = probes(features.boundaries(f), random);
        rows = std::max(rows, column.size());
        columns.push_back(std::move(column));
    }
    std::vector<double> values;
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t f = 0; f < columns.size(); ++f)
            values.push_back(columns[f][(r + 13 * f) % columns[f].size()]);
    return values;
}

void check_encoder(const FeatureSpace& features, Random& random) {
    const std::vector<double> values = probe_block(features, random);
    CHECK(wrong_codes(features, values) == 0);
    CHECK(wrong_codes(features, as_floats(values)) == 0);
}

void check_ranges(const std::vector<std::pair<double, double>>& ranges, std::size_t n_bins) {
    Random random(n_bins);
    FeatureSpace all(std::vector<bool>(ranges.size(), false));
    for (std::size_t f = 0; f < ranges.size(); ++f) {
        const Boundaries b = uniform_boundaries(ranges[f].first, ranges[f].second, n_bins);
        all.set_boundaries(f, b);
        FeatureSpace one({false});
        one.set_boundaries(0, b);
        check_encoder(one, random);
    }
    check_encoder(all, random);
}

const std::vector<std::pair<double, double>> kRanges = {
    {0.0, 1.0},
    {-0.1, 0.7},
    {1e9, 1e9 + 1.0},
    {1e9, 1e9 + 1e-3},
    {1e9, 1e9 + 1e-5},
    {1e9, 1e9 + 1e-6},
    {1e9, 1e9 + 2e-7},
    {-1e15, -1e15 + 8.0},
    {1.0, 1.0000000000000009},
    {-1e-300, 1e-300},
    {0.0, 1e-310},
    {0.0, 5e-324},
    {-kMax / 2, kMax / 2},
    {-kMax, kMax},
    {0.0, kMax},
    {-1e308, 1e300},
    {3.0, 3.0},
    {-7.0, 1e20},
    {16777216.0, 16777300.0},
    {0.1, 0.1 + 1e-9},
};

}  // namespace

TEST(the_quick_encoder_agrees_with_the_definition_for_64_bins) {
    check_ranges(kRanges, 64);
}

TEST(the_quick_encoder_agrees_with_the_definition_for_numbers_of_bins_that_are_no_powers_of_two) {
    for (const std::size_t n : {3U, 10U, 63U, 65U, 100U, 253U}) check_ranges(kRanges, n);
}

TEST(the_quick_encoder_agrees_with_the_definition_for_two_bins) {
    check_ranges(kRanges, 2);
}

TEST(the_quick_encoder_agrees_with_the_definition_where_codes_need_two_bytes) {
    check_ranges(kRanges, 254);
    check_ranges(kRanges, 1000);
    check_ranges({{0.0, 1.0}, {1e9, 1e9 + 1.0}}, 65'000);
}

TEST(the_quick_encoder_agrees_with_the_definition_on_random_ranges) {
    Random random(5);
    for (int round = 0; round < 60; ++round) {
        std::vector<std::pair<double, double>> ranges;
        for (int i = 0; i < 6; ++i) {
            const double offset = random.between(-1, 1) * std::pow(10.0, random.between(-12, 12));
            const double width = std::pow(10.0, random.between(-12, 12));
            ranges.emplace_back(offset, offset + width);
        }
        check_ranges(ranges, 2 + random.below(300));
    }
}

TEST(quantile_boundaries_and_uniform_ones_are_encoded_side_by_side_with_nominal_columns) {
    Random random(11);
    for (int round = 0; round < 20; ++round) {
        FeatureSpace features({false, true, false, false, true, false, false});
        std::vector<double> sample;
        for (int i = 0; i < 500; ++i) sample.push_back(std::pow(random.uniform(), 5.0));
        features.set_boundaries(0, sample_boundaries(sample, 40, true));
        features.set_boundaries(2, uniform_boundaries(1e9, 1e9 + 1e-6, 64));
        features.set_boundaries(3, uniform_boundaries(-1, 1, round % 2 == 0 ? 64 : 100));
        features.set_boundaries(5, Boundaries{});  // all missing in the warm-up
        // Feature 6 stays without boundaries: missing.
        CHECK(!features.is_ready(6));
        check_encoder(features, random);
    }
}

TEST(any_number_of_quantile_boundaries_is_searched) {
    Random random(16);
    std::vector<double> sample;
    for (int i = 0; i < 3000; ++i) sample.push_back(std::pow(random.between(-1.0, 1.0), 7.0));
    for (const std::size_t n : {2U, 3U, 7U, 33U, 63U, 64U, 65U, 66U, 67U, 128U, 200U, 2000U}) {
        FeatureSpace features({false, false});
        features.set_boundaries(0, sample_boundaries(sample, n, true));
        features.set_boundaries(1, uniform_boundaries(-1.0, 1.0, 10));
        check_encoder(features, random);
    }
}

TEST(features_of_different_numbers_of_bins_share_one_encoder) {
    Random random(12);
    FeatureSpace features(std::vector<bool>(5, false));
    std::size_t f = 0;
    for (const std::size_t n : {64U, 10U, 2U, 128U, 3U})
        features.set_boundaries(f++, uniform_boundaries(-0.3, 1.1, n));
    check_encoder(features, random);
}

TEST(more_columns_than_the_encoder_takes_at_once_are_encoded_too) {
    Random random(13);
    FeatureSpace features(std::vector<bool>(300, false));
    for (std::size_t f = 0; f < 300; ++f)
        features.set_boundaries(f, uniform_boundaries(-1.0, 1.0 + static_cast<double>(f), 64));
    check_encoder(features, random);
}

TEST(more_rows_than_columns_lay_in_rows_at_once_are_encoded_too) {
    Random random(14);
    for (const std::size_t d : {1U, 7U, 8U, 19U}) {
        std::vector<bool> nominal(d);
        for (std::size_t f = 0; f < d; ++f) nominal[f] = f % 3 != 0;
        FeatureSpace features(nominal);
        for (std::size_t f = 0; f < d; f += 3)
            features.set_boundaries(f, uniform_boundaries(0.0, 200.0, 64));
        std::vector<double> values;
        for (std::size_t i = 0; i < 2500 * d; ++i)
            values.push_back(random.chance(0.1) ? kNan : std::floor(random.between(0, 200)));
        CHECK(wrong_codes(features, values) == 0);
        CHECK(wrong_codes(features, as_floats(values)) == 0);
    }
}

TEST(missing_is_code_0_in_every_kind_of_column) {
    FeatureSpace features({false, true, false});
    features.set_boundaries(0, uniform_boundaries(0, 1, 64));
    const std::vector<double> values(3, kNan);
    CodeBlock block;
    block.shape(1, 3, CodeWidth::one);
    CHECK(!features.encode_rows({values.data(), false, 1, 3}, 0, 1, block));
    for (std::size_t f = 0; f < 3; ++f) CHECK(code_at(block, 0, f) == kMissingCode);
}

TEST(a_category_without_a_code_of_the_width_is_unseen_and_reported) {
    FeatureSpace features({true});
    const auto encode = [&](double x, CodeWidth width) {
        const void* column = &x;
        CodeBlock block, by_column;
        block.shape(1, 1, width);
        by_column.shape(1, 1, width);
        const bool some_unseen = features.encode_rows({&x, false, 1, 1}, 0, 1, block);
        CHECK(features.encode_rows({nullptr, false, 1, 1, &column}, 0, 1, by_column) ==
              some_unseen);
        CHECK(by_column.bytes == block.bytes);
        return std::pair(code_at(block, 0, 0), some_unseen);
    };
    CHECK(encode(0, CodeWidth::one) == std::pair(1U, false));
    CHECK(encode(253, CodeWidth::one) == std::pair(254U, false));
    CHECK(encode(254, CodeWidth::one) == std::pair(255U, true));
    CHECK(encode(-1, CodeWidth::one) == std::pair(255U, true));
    CHECK(encode(254, CodeWidth::two) == std::pair(255U, false));
    CHECK(encode(65'533, CodeWidth::two) == std::pair(65'534U, false));
    CHECK(encode(65'534, CodeWidth::two) == std::pair(65'535U, true));
    CHECK(encode(65'534, CodeWidth::four) == std::pair(65'535U, false));
    CHECK(encode(4'294'967'293.0, CodeWidth::four) == std::pair(4'294'967'294U, false));
    CHECK(encode(4'294'967'294.0, CodeWidth::four) == std::pair(4'294'967'295U, true));
    CHECK(encode(kInfinity, CodeWidth::four) == std::pair(4'294'967'295U, true));
}

TEST(codes_widen_for_categories_and_bins_and_never_narrow) {
    FeatureSpace features({true, false, false});
    CHECK(features.width() == CodeWidth::one);
    features.admit_category(253);
    CHECK(features.width() == CodeWidth::one);
    features.set_boundaries(1, uniform_boundaries(0, 1, 253));
    CHECK(features.width() == CodeWidth::one);
    features.admit_category(254);
    CHECK(features.width() == CodeWidth::two);
    features.set_boundaries(2, uniform_boundaries(0, 1, 3));
    features.admit_category(3);
    CHECK(features.width() == CodeWidth::two);
    features.admit_category(65'534);
    CHECK(features.width() == CodeWidth::four);
    CHECK_THROWS(std::invalid_argument, features.admit_category(4'294'967'294ULL));
    CHECK_THROWS(std::invalid_argument, features.admit_category(1ULL << 60));
}

TEST(boundaries_can_be_set_once_and_for_numeric_features_only) {
    FeatureSpace features({true, false});
    CHECK_THROWS(std::logic_error, features.set_boundaries(0, uniform_boundaries(0, 1, 4)));
    features.set_boundaries(1, uniform_boundaries(0, 1, 4));
    CHECK_THROWS(std::logic_error, features.set_boundaries(1, uniform_boundaries(0, 1, 4)));
}

TEST(the_largest_category_ignores_missing_values_and_numeric_columns) {
    const FeatureSpace features({true, false, true});
    const std::vector<double> values = {3, 1e6, kNan, kNan, 1e6, 17, 2, 1e6, 0};
    CHECK(features.largest_category({values.data(), false, 3, 3}) == 17);
    CHECK(features.largest_category({values.data(), false, 0, 3}) == -1);
    const std::vector<float> floats = {3, 1e6, 4};
    CHECK(features.largest_category({floats.data(), true, 1, 3}) == 4);
}

TEST(codes_are_copied_wider_and_narrower) {
    FeatureSpace features({false, true});
    features.set_boundaries(0, uniform_boundaries(0, 1, 4));
    const std::vector<std::uint16_t> given = {1, 0, 4, 254, 0, 255, 3, 1000};
    const RowsView x = RowsView::of_codes(given.data(), CodeWidth::two, 4, 2);
    CHECK(features.largest_category(x) == 999);
    for (const CodeWidth width : {CodeWidth::one, CodeWidth::two, CodeWidth::four}) {
        CodeBlock block;
        block.shape(4, 2, width);
        const bool some_unseen = features.encode_rows(x, 0, 2, block);
        CHECK(!some_unseen);
        CHECK(features.encode_rows(x, 2, 4, block) == (width == CodeWidth::one));
        for (std::size_t i = 0; i < given.size(); ++i)
            CHECK(code_at(block, i / 2, i % 2) == std::min<std::uint32_t>(given[i], unseen(width)));
    }
}

TEST(codes_without_a_bin_or_category_are_known) {
    FeatureSpace features({false, true, false});
    features.set_boundaries(0, uniform_boundaries(0, 1, 4));
    const auto has = [&](std::uint8_t bin, std::uint8_t category, std::uint8_t late) {
        const std::vector<std::uint8_t> codes = {0, 0, 0, bin, category, late, 1, 1, 0};
        return features.has_codes(RowsView::of_codes(codes.data(), CodeWidth::one, 3, 3));
    };
    CHECK(has(4, 254, 0));
    CHECK(!has(5, 254, 0));
    CHECK(!has(4, 255, 0));
    CHECK(!has(4, 254, 1));
    CHECK(features.has_codes(RowsView::of_codes(nullptr, CodeWidth::four, 0, 3)));
    CHECK(!features.has_codes(RowsView::of_codes(nullptr, CodeWidth::four, 0, 4)));
    // Codes that were changed after they had been looked at.
    const std::vector<std::uint8_t> changed = {9, 255, 7};
    CodeBlock block;
    block.shape(1, 3, CodeWidth::one);
    CHECK(features.encode_rows(RowsView::of_codes(changed.data(), CodeWidth::one, 1, 3), block, 0));
    CHECK(code_at(block, 0, 0) == kMissingCode);
    CHECK(code_at(block, 0, 2) == kMissingCode);
}

TEST(cells_are_laid_out_one_after_the_other_with_room_for_missing) {
    FeatureSpace features({false, true, false, false});
    features.set_boundaries(0, uniform_boundaries(0, 1, 4));
    CHECK(features.columns_are_numeric_in_order());
    features.set_boundaries(3, Boundaries{});
    features.set_boundaries(2, uniform_boundaries(5, 5, 4));
    CHECK(!features.columns_are_numeric_in_order());
    CHECK(features.numeric() == std::vector<std::uint32_t>({0, 3, 2}));
    CHECK(features.nominal() == std::vector<std::uint32_t>({1}));
    CHECK(features.numeric_offsets() == std::vector<std::uint32_t>({0, 5, 7}));
    CHECK(features.n_numeric_cells() == 10);
}

int main(int argc, char** argv) {
    return check::run(argc, argv);
}
