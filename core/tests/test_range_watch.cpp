#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "check.hpp"
#include "learners.hpp"
#include "leaves.hpp"
#include "sgt/data/binning.hpp"
#include "sgt/data/features.hpp"
#include "sgt/data/range_watch.hpp"
#include "sgt/data/value_sample.hpp"
#include "streams.hpp"

using sgt::bin_of;
using sgt::Boundaries;
using sgt::crowding;
using sgt::FeatureSpace;
using sgt::NewBins;
using sgt::RangeUpdate;
using sgt::RenewedBins;
using sgt::ValueSample;

namespace {

ValueSample sample_of(const std::vector<double>& values) {
    ValueSample sample;
    for (const double value : values) sample.take(value);
    return sample;
}

std::vector<double> random_boundaries(streams::Random& random, std::size_t most) {
    std::vector<double> values;
    for (std::size_t k = random.below(most + 1); k > 0; --k)
        values.push_back(static_cast<double>(random.below(40)));
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
}

// Its first feature grows for ever, the second is multiplied by 1,000 after 700 rows, and the third
// has an outlier among its first rows.
streams::Stream moving_stream(std::size_t rows, bool weighted) {
    streams::Shape shape;
    shape.rows = rows;
    shape.missing = 0.05;
    shape.weighted = weighted;
    streams::Stream s = streams::make(shape);
    for (std::size_t r = 0; r < rows; ++r) {
        s.x[3 * r] += 0.01 * static_cast<double>(r);
        if (r >= 700) s.x[3 * r + 1] *= 1000.0;
    }
    s.x[3 * 5 + 2] = 1e9;
    return s;
}

sgt::Options adaptive_options() {
    sgt::Options options = learners::quick_options();
    options.n_bins = 16;
    options.kept_rows = 100;
    options.adaptive_ranges = true;
    return options;
}

sgt::LossLearner squared_error(const sgt::Options& options) {
    return {options, {false, false, false}, nullptr, sgt::make_loss("squared_error", {})};
}

}  // namespace

TEST(crowding_is_the_chance_that_values_which_differ_share_a_bin) {
    CHECK(crowding({1.0, 2.0, 3.0, 4.0}, {2.0}) == 4.0 / 12.0);
    CHECK(crowding({0.0, 0.0, 0.0, 5.0}, {}) == 1.0);
    CHECK(crowding({0.0, 0.0, 0.0, 5.0}, {2.0}) == 0.0);
    CHECK(crowding({7.0, 7.0}, {}) == 0.0);
    CHECK(crowding({}, {}) == 0.0);
}

TEST(a_sample_holds_the_latest_values_and_some_of_all_before) {
    ValueSample sample;
    for (int i = 0; i < 10'000; ++i) sample.take(static_cast<double>(i));
    CHECK(sample.size() == 2 * ValueSample::kHalf);
    CHECK(*std::min_element(sample.latest().begin(), sample.latest().end()) == 10'000.0 - 64.0);
    double sum = 0.0;
    for (const double value : sample.earlier()) sum += value / 64.0;
    CHECK(sum > 4000.0 && sum < 6000.0);
    CHECK(sample.latest_spread() == 63.0);
}

TEST(a_sample_goes_on_where_it_was_saved) {
    for (const std::size_t n : {3U, 64U, 100U, 500U}) {
        ValueSample sample;
        for (std::size_t i = 0; i < n; ++i) sample.take(static_cast<double>(i));
        std::vector<double> values = sample.latest();
        values.insert(values.end(), sample.earlier().begin(), sample.earlier().end());
        ValueSample restored = ValueSample::restored(sample.taken(), values.data());
        for (std::size_t i = 0; i < 300; ++i) {
            sample.take(static_cast<double>(i));
            restored.take(static_cast<double>(i));
        }
        CHECK(sample.latest() == restored.latest() && sample.earlier() == restored.earlier());
    }
}

TEST(bins_that_suit_the_values_stay) {
    std::vector<double> values;
    for (int i = 0; i < 200; ++i) values.push_back(static_cast<double>(i % 97));
    const Boundaries bins = sgt::sample_boundaries(values, 16, false);
    CHECK(!sgt::better_bins(sample_of(values), bins, 16));
    CHECK(!sgt::better_bins(sample_of({1e9, 2e9}), bins, 16));  // too few to say
    // One value outside is no reason, nor are many that are equal and have a bin of their own.
    const std::vector<double> one_other(100, 500.0);
    const Boundaries constant = sgt::sample_boundaries({0.0, 0.0}, 16, false);
    CHECK(!sgt::better_bins(sample_of(one_other), constant, 16));
}

TEST(one_value_far_off_makes_the_others_crowd_and_quantiles_part_them) {
    std::vector<double> values = {1e9};
    for (int i = 0; i < 150; ++i) values.push_back(static_cast<double>(i));
    const Boundaries bins = sgt::sample_boundaries(values, 16, false);
    std::sort(values.begin(), values.end());
    const auto better = sgt::less_crowded_bins(values, bins, 16);
    CHECK(better.has_value() && better->values.size() == 15 && better->values.back() < 150.0);
}

TEST(a_feature_that_grows_gets_bins_ahead_and_one_that_falls_too) {
    for (const double way : {1.0, -1.0}) {
        ValueSample sample;
        for (int i = 0; i < 300; ++i) sample.take(way * static_cast<double>(i));
        const Boundaries old =
            sgt::uniform_boundaries(way > 0 ? 0.0 : -100.0, way > 0 ? 100.0 : 0.0, 8);
        const auto better = sgt::better_bins(sample, old, 8);
        CHECK(better.has_value() && better->reason == RangeUpdate::Reason::outside);
        const std::vector<double>& b = better->bins.values;
        CHECK(b.size() == 7);
        CHECK(std::count_if(b.begin(), b.end(), [&](double x) { return way * x >= 299.0; }) == 4);
        CHECK((way > 0 ? better->bins.hi : -better->bins.lo) == 299.0 + 63.0);
    }
}

TEST(numbers_at_the_ends_of_their_range_make_no_boundary_that_is_not_finite) {
    constexpr double kMax = std::numeric_limits<double>::max();
    ValueSample sample;
    for (int i = 0; i < 300; ++i) sample.take((i % 2 == 0 ? 1.0 : -1.0) * (kMax / (1.0 + i % 7)));
    const auto better = sgt::better_bins(sample, sgt::uniform_boundaries(0.0, 1.0, 8), 8);
    CHECK(better.has_value());
    for (const double b : better->bins.values) CHECK(b >= -kMax && b <= kMax);
    CHECK(std::is_sorted(better->bins.values.begin(), better->bins.values.end()));
}

TEST(renewed_bins_route_every_value_as_before_and_recode_only_what_is_known) {
    streams::Random random(5);
    for (int trial = 0; trial < 300; ++trial) {
        FeatureSpace features({true, false});
        features.set_boundaries(1, {random_boundaries(random, 12), 0.0, 40.0, 0});
        for (int times = 0; times < 3; ++times) {
            const FeatureSpace before = features;
            const std::vector<double>& old = before.boundaries(1);
            std::vector<double> used;
            for (const double boundary : old)
                if (random.chance(0.4)) used.push_back(boundary);
            const RenewedBins renewed =
                features.renew(1, {random_boundaries(random, 12), 0.0, 40.0, 0}, used);
            for (double x = -1.0; x < 42.0; x += 0.25) {
                const std::size_t code = 1 + bin_of(old, x);
                const std::size_t now = 1 + bin_of(features.boundaries(1), x);
                for (const double boundary : used) {
                    const std::size_t threshold = 1 + bin_of(old, boundary);
                    CHECK((code <= threshold) == (now <= renewed.new_threshold[threshold]));
                }
                CHECK(renewed.new_code[code] == 0 || renewed.new_code[code] == now);
                std::uint32_t old_cell = 0, new_cell = 0;
                before.write_cells(1, &x, 1, &old_cell);
                features.write_cells(1, &x, 1, &new_cell);
                CHECK(new_cell < renewed.n_cells);
                CHECK(renewed.new_cell[old_cell] == 0 || renewed.new_cell[old_cell] == new_cell);
                CHECK((renewed.new_cell[old_cell] == 0) == (renewed.new_code[code] == 0));
            }
        }
    }
}

// Leaves that have no cells need none for it: their rows wait on.
TEST(rows_that_wait_while_bins_are_renewed_are_known_as_those_in_cells_are) {
    streams::Random random(6);
    for (int trial = 0; trial < 100; ++trial) {
        const sgt::Layout layout = trial % 2 == 0 ? sgt::Layout::class_counts
                                                  : sgt::Layout{sgt::CellKind::softmax_counts, 3};
        FeatureSpace features({true, false, false});
        for (const std::size_t f : {1U, 2U})
            features.set_boundaries(f, {random_boundaries(random, 12), 0.0, 40.0, 0});
        sgt::LeafStatistics waiting(layout, true, 1000), flushed(layout, true, 1000);
        sgt::FlushScratch scratch;
        for (int r = 0; r < 80; ++r) {
            const leaves::Row row = leaves::random_row(features, layout, 0.1, true, 4, random);
            leaves::append(waiting, row, features.width(), 1000);
            leaves::append(flushed, row, features.width(), 1000);
        }
        flushed.flush(features, scratch);
        const std::vector<double> used = {
            features.boundaries(1).begin(),
            features.boundaries(1).begin() + (features.boundaries(1).empty() ? 0 : 1)};
        const RenewedBins renewed =
            features.renew(1, {random_boundaries(random, 12), 0.0, 40.0, 0}, used);
        waiting.renew_bins(renewed, features);
        flushed.renew_bins(renewed, features);
        CHECK(!waiting.has_cells() && waiting.has_waiting_rows());
        waiting.flush(features, scratch);
        // Weights are quarters, so that no sum is rounded.
        CHECK(waiting.total() == flushed.total());
        const std::size_t n = features.n_numeric_cells() * sgt::cell_width(layout);
        CHECK(std::equal(waiting.numeric_cell(0), waiting.numeric_cell(0) + n,
                         flushed.numeric_cell(0)));
        const auto categories = waiting.nominal(0).by_code(layout);
        CHECK(categories.size() == flushed.nominal(0).by_code(layout).size());
    }
}

TEST(codes_become_wider_where_splits_use_many_boundaries) {
    FeatureSpace features({false});
    features.set_boundaries(0, sgt::uniform_boundaries(0.0, 1.0, 200));
    const std::vector<double> used = features.boundaries(0);
    const RenewedBins renewed = features.renew(0, sgt::uniform_boundaries(2.0, 3.0, 200), used);
    CHECK(features.boundaries(0).size() == 398);
    CHECK(features.width() == sgt::CodeWidth::two);
    CHECK(features.n_candidates(0) == 199 && renewed.n_cells == 201);
    CHECK(features.n_numeric_cells() == 201);
    CHECK(features.has_coarse_cells());
}

// Values that spread over all bins at first, and crowd into ever fewer of them; or the other way.
TEST(what_a_watch_remembers_of_its_last_look_decides_nothing) {
    std::size_t n_found = 0, n_fine = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        streams::Random random(seed);
        FeatureSpace features({false});
        features.set_boundaries(0, sgt::uniform_boundaries(0.0, 1.0, 16));
        sgt::RangeWatch watch;
        watch.add(0, {});
        const bool crowds = seed % 2 == 0;
        for (std::size_t look = 0; look < 12; ++look) {
            const double now = static_cast<double>(crowds ? look : 11 - look) / 11.0;
            for (std::size_t n = 8 + random.below(40); n > 0; --n) {
                const double value =
                    random.chance(now) ? 0.01 * random.uniform() : random.uniform();
                watch.take(sgt::RowsView{&value, false, 1, 1}, 0);
            }
            const auto reasons = [&](sgt::RangeWatch& looking) {
                std::vector<RangeUpdate::Reason> found;
                looking.look(features, 16, [&](std::size_t, const NewBins& better) {
                    found.push_back(better.reason);
                });
                return found;
            };
            sgt::Archive archive;
            watch.save(archive);
            sgt::RangeWatch fresh = sgt::RangeWatch::load(sgt::ArchiveView(archive), features);
            const auto found = reasons(watch);
            CHECK(found == reasons(fresh));
            ++(found.empty() ? n_fine : n_found);
        }
    }
    CHECK(n_found > 40 && n_fine > 40);
}

TEST(a_learner_renews_bins_and_learns_rows_in_any_blocks_to_the_same_model) {
    for (const bool weighted : {false, true}) {
        const streams::Stream s = moving_stream(6000, weighted);
        sgt::LossLearner whole = squared_error(adaptive_options());
        learners::learn(whole, s, 0, s.rows);
        CHECK(whole.range_updates().size() >= 4);
        sgt::LossLearner parts = squared_error(adaptive_options());
        streams::Random random(3);
        for (std::size_t begin = 0; begin < s.rows;) {
            const std::size_t end = std::min(s.rows, begin + 1 + random.below(700));
            learners::learn(parts, s, begin, end);
            begin = end;
        }
        CHECK(streams::difference(whole.save(), parts.save()) == "");
    }
}

TEST(a_learner_that_renews_bins_goes_on_from_any_row_where_it_was_saved) {
    const streams::Stream s = moving_stream(4000, true);
    sgt::LossLearner whole = squared_error(adaptive_options());
    learners::learn(whole, s, 0, s.rows);
    for (const std::size_t at : {100U, 800U, 1100U, 2600U, 3900U}) {
        sgt::LossLearner first = squared_error(adaptive_options());
        learners::learn(first, s, 0, at);
        sgt::LossLearner second(adaptive_options(), first.save(),
                                sgt::make_loss("squared_error", {}));
        learners::learn(second, s, at, s.rows);
        CHECK(streams::difference(whole.save(), second.save()) == "");
    }
}

TEST(given_ranges_are_not_renewed) {
    const streams::Stream s = moving_stream(3000, false);
    const sgt::Ranges ranges = {{-1.0, 1.0}, {-1.0, 1.0}, {-1.0, 1.0}};
    sgt::LossLearner learner(adaptive_options(), {false, false, false}, &ranges,
                             sgt::make_loss("squared_error", {}));
    learners::learn(learner, s, 0, s.rows);
    CHECK(learner.range_updates().empty());
}

TEST(samples_count_as_memory_and_are_left_out_where_there_is_little) {
    const streams::Stream s = moving_stream(3000, false);
    for (const std::size_t limit : {4096U, 20'000U, 60'000U}) {
        sgt::Options options = adaptive_options();
        options.max_memory = limit;
        sgt::LossLearner learner = squared_error(options);
        learners::learn(learner, s, 0, s.rows);
        const bool watched = 8 * ValueSample::bytes() <= limit;
        CHECK((learner.range_updates().size() > 1) == watched);
        sgt::LossLearner loaded(options, learner.save(), sgt::make_loss("squared_error", {}));
        CHECK(loaded.memory_bytes() == learner.memory_bytes());
        learners::learn(loaded, s, 0, s.rows);
        learners::learn(learner, s, 0, s.rows);
        CHECK(streams::difference(loaded.save(), learner.save()) == "");
    }
}

int main(int argc, char** argv) {
    return check::run(argc, argv);
}
