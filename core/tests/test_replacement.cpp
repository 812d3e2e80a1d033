// Trees that are replaced: alarm, background, proof; saved, limited, and with a class that comes
// late.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "check.hpp"
#include "sgt/drift/proof.hpp"
#include "sgt/drift/replacement.hpp"
#include "sgt/learner/class_learner.hpp"
#include "sgt/learner/loss_learner.hpp"
#include "streams.hpp"

namespace {

using sgt::DriftEvent;

sgt::Options replacing() {
    sgt::Options options;
    options.warm_up = 100;
    options.grace_period = 25;
    options.grace_growth = 0.5;
    options.delta = 0.05;
    options.kept_rows = 200;
    options.n_bins = 32;
    options.replaces_on_drift = true;
    return options;
}

// Two classes, of which the first feature decides, and from row `at` on the second.
streams::Stream changing(std::size_t rows, std::size_t at, std::uint64_t seed = 7) {
    streams::Random random(seed);
    streams::Stream s;
    s.rows = rows;
    s.features = 2;
    for (std::size_t r = 0; r < rows; ++r) {
        const double a = random.uniform(), b = random.uniform();
        s.x.insert(s.x.end(), {a, b});
        const bool is_one = (r < at ? a : 1.0 - b) > 0.5;
        s.y.push_back(r == 0 ? 0.0 : r == 1 ? 1.0 : random.chance(0.05) != is_one ? 1.0 : 0.0);
    }
    return s;
}

// Leaves follow, and labels come late.
sgt::Options replacing_with_delay() {
    sgt::Options options = replacing();
    options.following_rates = {0.06, 0.7};
    options.label_delay = 60;
    return options;
}

sgt::ClassLearner class_learner(const sgt::Options& options) {
    return {options, {false, false}, nullptr};
}

void learn(sgt::ClassLearner& learner, const streams::Stream& s, std::size_t begin,
           std::size_t end) {
    learner.learn(s.view(begin, end), s.y.data() + begin, nullptr, nullptr);
}

std::vector<DriftEvent::Kind> kinds(const sgt::Learner& learner) {
    std::vector<DriftEvent::Kind> kinds;
    for (const DriftEvent& event : learner.drifts()) kinds.push_back(event.kind);
    return kinds;
}

double error_of_last(sgt::ClassLearner& learner, const streams::Stream& s, std::size_t begin) {
    std::vector<std::int32_t> labels(s.rows), rank{0, 1, 2};
    sgt::ClassPredictions sink;
    sink.labels = labels.data();
    sink.rank = rank.data();
    const std::size_t n = s.rows - begin;
    learner.predict(s.view(begin, s.rows), sink);
    std::size_t wrong = 0;
    for (std::size_t r = 0; r < n; ++r) wrong += labels[r] != static_cast<int>(s.y[begin + r]);
    return static_cast<double>(wrong) / static_cast<double>(n);
}

}  // namespace

TEST(a_change_is_noticed_and_the_trees_are_replaced) {
    const auto s = changing(8000, 4000);
    auto learner = class_learner(replacing());
    learn(learner, s, 0, s.rows);
    CHECK((kinds(learner) == std::vector{DriftEvent::Kind::alarm, DriftEvent::Kind::replaced}));
    const auto events = learner.drifts();
    if (events.size() < 2) return;
    CHECK(events[0].row >= 4000 && events[0].row < 4200);
    CHECK(events[0].second > events[0].first);
    CHECK(events[1].row >= events[0].row + 100 && events[1].row < 4700);
    CHECK(events[1].second > sgt::Replacement::kProvingT);
    CHECK(error_of_last(learner, s, 7000) < 0.1);
}

TEST(without_the_option_nothing_happens) {
    const auto s = changing(8000, 4000);
    auto options = replacing();
    options.replaces_on_drift = false;
    auto learner = class_learner(options);
    learn(learner, s, 0, s.rows);
    CHECK(learner.drifts().empty());
}

TEST(a_stream_that_does_not_change_raises_no_alarm) {
    const auto s = changing(20'000, 20'000);
    auto learner = class_learner(replacing()), ignoring = class_learner([] {
                                                   auto options = replacing();
                                                   options.replaces_on_drift = false;
                                                   return options;
                                               }());
    learn(learner, s, 0, s.rows);
    learn(ignoring, s, 0, s.rows);
    CHECK(learner.drifts().empty());
    CHECK(learner.n_nodes() == ignoring.n_nodes());
}

TEST(blocks_parts_and_rows_give_the_same_model_and_so_do_threads) {
    const auto s = changing(6000, 3000);
    for (sgt::Options options : {replacing(), replacing_with_delay()}) {
        auto whole = class_learner(options), rows = class_learner(options);
        options.n_threads = 3;
        auto threads = class_learner(options);
        learn(whole, s, 0, s.rows);
        learn(threads, s, 0, s.rows);
        for (std::size_t r = 0; r < s.rows; ++r) learn(rows, s, r, r + 1);
        CHECK(whole.save().arrays() == rows.save().arrays());
        CHECK(whole.save().arrays() == threads.save().arrays());
    }
}

TEST(a_model_that_is_saved_at_any_row_goes_on_the_same) {
    const auto s = changing(5000, 3000);
    for (const sgt::Options& options : {replacing(), replacing_with_delay()}) {
        auto whole = class_learner(options);
        learn(whole, s, 0, s.rows);
        // Before the alarm, with a background, and after the replacement.
        bool had_background = false;
        for (const std::size_t at : {2999U, 3100U, 3137U, 3180U, 4000U}) {
            auto first = class_learner(options);
            learn(first, s, 0, at);
            had_background |= first.has_background();
            const sgt::Archive state = first.save();
            sgt::ClassLearner second(options, state);
            CHECK(second.save().arrays() == state.arrays());
            learn(second, s, at, s.rows);
            CHECK(second.save().arrays() == whole.save().arrays());
        }
        CHECK(had_background);
    }
}

TEST(with_late_labels_trees_prove_themselves_by_what_could_have_been_predicted) {
    const auto s = changing(8000, 4000);
    auto options = replacing();
    auto at_once = class_learner(options);
    options.label_delay = 200;
    auto late = class_learner(options);
    learn(at_once, s, 0, s.rows);
    learn(late, s, 0, s.rows);
    const auto events = at_once.drifts(), later = late.drifts();
    CHECK(kinds(late) == kinds(at_once) && events.size() == 2);
    if (later.size() != 2) return;
    CHECK(later[0].row == events[0].row);
    // For 200 rows nothing that they have learned counts.
    CHECK(later[1].row >= later[0].row + 200 && later[1].row > events[1].row);
}

TEST(trees_in_the_background_are_saved_and_damaged_ones_refused) {
    const auto s = changing(5000, 3000);
    auto learner = class_learner(replacing());
    std::size_t at = 0;
    while (!learner.has_background() && at < s.rows) learn(learner, s, at, at + 1), ++at;
    CHECK(learner.has_background());
    const sgt::Archive good = learner.save();
    CHECK(good.has("background/tree0/nodes/parent"));
    for (const char* name : {"background", "background/trees", "background/tree0/nodes/value",
                             "drift/detector/sums", "drift/proof/sums", "drift/events/numbers"}) {
        sgt::ArchiveView bad;
        for (const auto& [key, array] : good.arrays())
            if (key != name)
                std::visit([&, &k = key](const auto& v) { bad.put(k, std::span(v)); }, array);
        CHECK_THROWS(std::invalid_argument, sgt::ClassLearner(replacing(), bad));
    }
    // To predict the background is not needed.
    CHECK(!learner.save(true).has("background/trees"));
    const sgt::Archive to_predict = learner.save(true);
    CHECK(sgt::ClassLearner(replacing(), to_predict).drifts().size() == 1);
}

TEST(a_class_that_comes_late_reaches_the_background) {
    auto s = changing(6000, 3000);
    auto learner = class_learner(replacing());
    std::size_t at = 0;
    while (!learner.has_background() && at < s.rows) learn(learner, s, at, at + 1), ++at;
    for (std::size_t r = at + 3; r < s.rows; ++r)
        if (s.x[2 * r] > 0.7) s.y[r] = 2.0;
    learn(learner, s, at, s.rows);
    CHECK(learner.n_classes() == 3);
    CHECK(learner.n_trees() == 2);
    CHECK(error_of_last(learner, s, 5000) < 0.15);
}

TEST(the_background_is_dropped_first_when_memory_is_short) {
    const auto s = changing(8000, 4000);
    auto options = replacing();
    auto unlimited = class_learner(options);
    learn(unlimited, s, 0, 4000);
    bool dropped = false;
    for (const std::size_t percent : {100, 110, 120, 130}) {
        options.max_memory = unlimited.memory_bytes() / 100 * percent;
        auto learner = class_learner(options);
        learn(learner, s, 0, s.rows);
        for (const DriftEvent& event : learner.drifts())
            dropped |= event.kind == DriftEvent::Kind::no_memory;
    }
    CHECK(dropped);
}

TEST(numbers_are_replaced_too) {
    streams::Random random(3);
    streams::Stream s;
    s.rows = 8000;
    s.features = 2;
    for (std::size_t r = 0; r < s.rows; ++r) {
        const double a = random.uniform(), b = random.uniform();
        s.x.insert(s.x.end(), {a, b});
        s.y.push_back((r < 4000 ? (a > 0.5 ? 10.0 : 0.0) : (b > 0.5 ? 0.0 : 20.0)) +
                      random.between(-1.0, 1.0));
    }
    auto options = replacing();
    options.units_of_leaf = true;
    sgt::LossLearner learner(options, {false, false}, nullptr, sgt::make_loss("squared_error", {}));
    learner.learn(s.view(), s.y.data(), nullptr, nullptr);
    const auto found = kinds(learner);
    CHECK(found.size() >= 2 && found[0] == DriftEvent::Kind::alarm &&
          found[1] == DriftEvent::Kind::replaced);
}

TEST(targets_of_one_value_and_vast_ones_raise_no_alarm) {
    for (const double target : {0.0, 5.0, 1e308}) {
        streams::Stream s = changing(3000, 3000);
        s.y.assign(s.rows, target);
        sgt::LossLearner learner(replacing(), {false, false}, nullptr,
                                 sgt::make_loss("squared_error", {}));
        learner.learn(s.view(), s.y.data(), nullptr, nullptr);
        CHECK(learner.drifts().empty());
    }
}

TEST(losses_and_errors_that_are_infinite_decide_nothing) {
    const double infinity = std::numeric_limits<double>::infinity();
    for (const std::size_t n_targets : {1U, 2U}) {
        sgt::Replacement replacement(sgt::Detector(), n_targets);
        const std::vector<double> endless(n_targets, infinity), none(n_targets, 0.0);
        for (std::uint64_t row = 0; row < 4000; ++row) {
            replacement.note_errors(endless.data());
            const double error = replacement.in_units(0, endless[0]);
            CHECK(error == 1.0 && !replacement.add_error(error, row));
        }
        for (std::uint64_t row = 0; row < 4000; ++row)
            CHECK(replacement.add_losses(1.0, {1.0, endless.data()}, {0.0, none.data()}, 1.0,
                                         row) == sgt::Replacement::Verdict::wait);
    }
}

TEST(trees_that_have_proved_worse_are_given_up_before_their_trial_ends) {
    using Verdict = sgt::Replacement::Verdict;
    // Of trees whose loss is higher by this much on average, and differs by 1 from row to row.
    const auto rows_until_given_up = [](double more_loss) {
        sgt::Replacement replacement;
        std::uint64_t row = 0;
        Verdict verdict = Verdict::wait;
        while (verdict == Verdict::wait && row < 10'000) {
            const double in_place = 1.0, in_background = more_loss + (row % 2 == 0 ? 1.5 : 0.5);
            verdict =
                replacement.add_losses(0.0, {0.0, &in_place}, {0.0, &in_background}, 1.0, row);
            ++row;
        }
        CHECK(verdict == Verdict::give_up);
        return row;
    };
    CHECK(rows_until_given_up(0.5) == 1024);  // the first look at trees that are no longer young
    CHECK(rows_until_given_up(0.01) == 5024);
}

TEST(a_proof_without_differences_proves_nothing) {
    sgt::Proof proof;
    CHECK(proof.t() == 0.0);
    for (int i = 0; i < 100; ++i) proof.add(0.0);
    CHECK(proof.t() == 0.0);
    const double infinity = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 25; ++i)
        for (const double beyond : {std::nan(""), infinity, -infinity, 1e200}) proof.add(beyond);
    CHECK(proof.t() == 0.0 && proof.rows() == 200);
    for (int i = 0; i < 100; ++i) proof.add(i % 2 == 0 ? 1.0 : -1.0);
    CHECK(std::fabs(proof.t()) < 1.0);
    for (int i = 0; i < 100; ++i) proof.add(i % 2 == 0 ? 2.0 : 1.0);
    CHECK(proof.t() > 3.0);
}

int main(int argc, char** argv) {
    return check::run(argc, argv);
}
