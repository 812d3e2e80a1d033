// ADWIN and Page-Hinkley: what they find, what they do not, and their saved state.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "check.hpp"
#include "sgt/drift/adwin.hpp"
#include "sgt/drift/page_hinkley.hpp"

namespace {

// A series of 0 and 1 whose share of ones is `before`, and from row `at` on `after`.
std::vector<double> coin_flips(std::size_t n, double before, double after, std::size_t at) {
    std::vector<double> x(n);
    std::uint64_t z = 88172645463325252U;
    for (std::size_t i = 0; i < n; ++i) {
        z ^= z << 13U;
        z ^= z >> 7U;
        z ^= z << 17U;
        x[i] = static_cast<double>(z >> 11U) * 0x1p-53 < (i < at ? before : after) ? 1.0 : 0.0;
    }
    return x;
}

template <class Detector>
std::vector<std::size_t> changes(Detector& detector, const std::vector<double>& x) {
    std::vector<std::size_t> at;
    for (std::size_t i = 0; i < x.size(); ++i)
        if (detector.add(x[i])) at.push_back(i);
    return at;
}

// The moments of a detector that is saved and loaded at every `period` inputs.
template <class Detector>
std::vector<std::size_t> changes_with_pauses(Detector detector, const std::vector<double>& x,
                                             std::size_t period) {
    std::vector<std::size_t> at;
    const Detector empty = detector;
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (i % period == 0) {
            sgt::Archive archive;
            detector.save(archive, "detector/");
            detector = empty;
            detector.load(archive, "detector/");
        }
        if (detector.add(x[i])) at.push_back(i);
    }
    return at;
}

}  // namespace

TEST(adwin_finds_a_rise_soon_and_says_from_where_to_where) {
    for (const std::size_t bucket_inputs : {1, 32}) {
        sgt::Adwin adwin(0.01, bucket_inputs);
        const auto at = changes(adwin, coin_flips(5000, 0.1, 0.5, 4000));
        CHECK(!at.empty());
        if (at.empty()) continue;
        CHECK(at.front() >= 4000 && at.front() < 4200);
        CHECK_CLOSE(adwin.mean(), 0.5, 0.06);
        CHECK(adwin.size() >= 900 && adwin.size() < 1200);
        CHECK(adwin.change().is_rise());
    }
}

TEST(adwin_finds_a_fall_too_and_calls_it_one) {
    sgt::Adwin adwin(0.01);
    const auto at = changes(adwin, coin_flips(5000, 0.5, 0.1, 4000));
    CHECK(!at.empty() && at.front() >= 4000);
    CHECK(!adwin.change().is_rise());
}

TEST(a_window_without_change_holds_all_its_inputs) {
    sgt::Adwin adwin(0.002);
    CHECK(changes(adwin, coin_flips(100'000, 0.3, 0.3, 0)).empty());
    CHECK(adwin.size() == 100'000);
    CHECK_CLOSE(adwin.mean(), 0.3, 0.01);
}

TEST(constant_inputs_are_no_change) {
    for (const double x : {0.0, 1.0, 0.3, 1e6}) {
        sgt::Adwin adwin(0.05);
        sgt::PageHinkley page_hinkley;
        CHECK(changes(adwin, std::vector<double>(20'000, x)).empty());
        CHECK(changes(page_hinkley, std::vector<double>(20'000, x)).empty());
    }
}

TEST(inputs_that_are_not_finite_are_left_out) {
    const double infinity = std::numeric_limits<double>::infinity();
    sgt::Adwin adwin(0.05);
    sgt::PageHinkley page_hinkley;
    for (int i = 0; i < 5000; ++i) {
        const double x = i % 3 == 0 ? 1.0 : 0.0;
        for (const double y : {x, infinity, -infinity, std::nan("")}) {
            CHECK(!adwin.add(y));
            CHECK(!page_hinkley.add(y));
        }
    }
    CHECK(adwin.size() == 5000);
    CHECK_CLOSE(adwin.mean(), 1.0 / 3.0, 1e-3);
}

TEST(page_hinkley_finds_a_rise_and_no_fall) {
    sgt::PageHinkley rising({0.005, 20.0, 1.0, 30}), falling({0.005, 50.0, 1.0, 30});
    const auto at = changes(rising, coin_flips(5000, 0.1, 0.5, 4000));
    CHECK(!at.empty() && at.front() >= 4000 && at.front() < 4200);
    CHECK(rising.change().is_rise());
    CHECK_CLOSE(rising.change().before, 0.1, 0.02);
    CHECK(changes(falling, coin_flips(5000, 0.5, 0.1, 4000)).empty());
}

TEST(a_detector_that_was_saved_goes_on_as_if_it_had_not_been) {
    const auto x = coin_flips(20'000, 0.1, 0.4, 7000);
    for (const std::size_t bucket_inputs : {1, 32}) {
        sgt::Adwin adwin(0.05, bucket_inputs);
        const auto with_pauses = changes_with_pauses(adwin, x, 13);
        CHECK(with_pauses == changes(adwin, x));
    }
    sgt::PageHinkley page_hinkley({0.005, 10.0, 0.9999, 30});
    const auto with_pauses = changes_with_pauses(page_hinkley, x, 13);
    CHECK(with_pauses == changes(page_hinkley, x));
}

TEST(the_saved_state_is_the_same_after_loading) {
    sgt::Adwin adwin(0.05, 32), other(0.05, 32);
    changes(adwin, coin_flips(12'345, 0.1, 0.4, 7000));
    sgt::Archive first, second;
    adwin.save(first, "");
    other.load(first, "");
    other.save(second, "");
    CHECK(first.arrays() == second.arrays());
}

TEST(a_damaged_state_is_refused) {
    sgt::Adwin adwin(0.05, 32);
    changes(adwin, coin_flips(2000, 0.1, 0.4, 1000));
    sgt::Archive good;
    adwin.save(good, "");
    const auto refused = [&](auto damage) {
        auto counts = good.get<std::int64_t>("counts");
        auto sums = good.get<double>("sums");
        damage(counts, sums);
        sgt::Archive bad;
        bad.put("counts", counts);
        bad.put("sums", sums);
        CHECK_THROWS(std::invalid_argument, adwin.load(bad, ""));
    };
    refused([](auto& counts, auto&) { counts[0] = 32; });
    refused([](auto& counts, auto&) { counts[1] = -1; });
    refused([](auto& counts, auto&) { counts.resize(3); });
    refused([](auto& counts, auto&) { counts[4] = 6; });
    refused([](auto& counts, auto&) { counts.push_back(0); });
    refused([](auto&, auto& sums) { sums.pop_back(); });
    refused([](auto&, auto& sums) { sums.push_back(0.0); });
    refused([](auto&, auto& sums) { sums[5] = std::nan(""); });

    sgt::PageHinkley page_hinkley;
    sgt::Archive bad;
    bad.put<std::int64_t>("counts", {1, 2, 0, 0});
    bad.put<double>("sums", std::vector<double>(7, 0.0));
    CHECK_THROWS(std::invalid_argument, page_hinkley.load(bad, ""));
}

TEST(options_out_of_range_are_refused) {
    CHECK_THROWS(std::invalid_argument, sgt::Adwin(0.0));
    CHECK_THROWS(std::invalid_argument, sgt::Adwin(1.0));
    CHECK_THROWS(std::invalid_argument, sgt::Adwin(std::nan("")));
    CHECK_THROWS(std::invalid_argument, sgt::Adwin(0.1, 0));
    CHECK_THROWS(std::invalid_argument, sgt::PageHinkley({-1.0, 50.0, 1.0, 30}));
    CHECK_THROWS(std::invalid_argument, sgt::PageHinkley({0.0, 0.0, 1.0, 30}));
    CHECK_THROWS(std::invalid_argument, sgt::PageHinkley({0.0, 50.0, 1.1, 30}));
}

int main(int argc, char** argv) {
    return check::run(argc, argv);
}
