// Learning and predicting with either learner of classes, and what must hold for both.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <vector>

#include "check.hpp"
#include "learners.hpp"
#include "streams.hpp"

namespace class_learners {

using learners::quick_options;

struct Ranks {
    std::vector<std::int32_t> values;
    Ranks() {
        for (std::int32_t k = 0; k < 16; ++k) values.push_back(k);
    }
};

// Labels and probabilities of all rows just before they were learned.
struct Recorded {
    std::vector<std::int32_t> labels;
    std::vector<double> probabilities;
    Ranks ranks;
    std::size_t stride = 8;
};

// Learns rows [begin, end) in one call.
inline void learn(sgt::ClassLearner& model, const streams::Stream& s, std::size_t begin,
                  std::size_t end, Recorded* recorded = nullptr) {
    if (recorded == nullptr) return learners::learn(model, s, begin, end);
    const double* w = s.weights() == nullptr ? nullptr : s.weights() + begin;
    recorded->labels.resize(end);
    recorded->probabilities.resize(end * recorded->stride, 0.0);
    sgt::ClassPredictions before;
    before.labels = recorded->labels.data() + begin;
    before.rank = recorded->ranks.values.data();
    before.probabilities = recorded->probabilities.data() + begin * recorded->stride;
    before.stride = recorded->stride;
    model.learn(s.view(begin, end), s.y.data() + begin, w, &before);
}

inline std::vector<double> probabilities(const sgt::ClassLearner& model, const sgt::RowsView& x) {
    const Ranks ranks;
    sgt::ClassPredictions out;
    out.rank = ranks.values.data();
    out.stride = out.most_classes = model.n_classes();
    std::vector<double> p(x.rows * out.stride, 0.0);
    out.probabilities = p.data();
    model.predict(x, out);
    return p;
}

inline double error_rate(const Recorded& recorded, const streams::Stream& s, std::size_t from) {
    double wrong = 0;
    for (std::size_t r = from; r < s.rows; ++r)
        wrong += recorded.labels[r] != static_cast<std::int32_t>(s.y[r]) ? 1 : 0;
    return wrong / static_cast<double>(s.rows - from);
}

// Whole, in halves, in uneven parts and row by row.
template <class Model>
void check_blocks(const sgt::Options& options, const streams::Shape& shape,
                  const sgt::Ranges* ranges = nullptr) {
    const streams::Stream s = streams::make(shape);
    Model whole(options, shape.nominal, ranges);
    Recorded before;
    learn(whole, s, 0, s.rows, &before);
    const sgt::Archive expected = whole.save();
    CHECK(whole.n_splits() > 0);
    for (const std::size_t step : {(s.rows + 1) / 2, std::size_t{97}, std::size_t{1}}) {
        Model parts(options, shape.nominal, ranges);
        Recorded before_parts;
        for (std::size_t begin = 0; begin < s.rows; begin += step)
            learn(parts, s, begin, std::min(begin + step, s.rows), &before_parts);
        CHECK(streams::difference(expected, parts.save()) == "");
        CHECK(before.labels == before_parts.labels);
        CHECK(streams::same_bits(before.probabilities, before_parts.probabilities));
    }
}

template <class Model>
void check_blocks_of_weighted_rows() {
    for (const std::size_t classes : {2U, 4U})
        check_blocks<Model>(quick_options(), {.rows = 3000,
                                              .nominal = {true, false, false},
                                              .classes = classes,
                                              .missing = 0.05,
                                              .weighted = true,
                                              .seed = 3});
}

// Rows that come column by column, as float64 and as float32, give the same model.
template <class Model>
void check_columns() {
    const streams::Shape shape{
        .rows = 5000,
        .nominal = {false, true, false, true, true, false, true, true, false, true},
        .classes = 3,
        .categories = 300,
        .missing = 0.1,
        .weighted = true,
        .seed = 27};
    streams::Stream s = streams::make(shape);
    for (double& x : s.x) x = static_cast<float>(x);
    const std::vector<float> floats(s.x.begin(), s.x.end());
    const streams::Columns<double> by_column(s.x, s.features);
    const streams::Columns<float> single(floats, s.features);
    for (const std::size_t n_threads : {1U, 2U}) {
        sgt::Options options = quick_options();
        options.n_threads = n_threads;
        Model by_row(options, shape.nominal, nullptr);
        learn(by_row, s, 0, s.rows);
        CHECK(by_row.n_splits() > 0);
        for (const sgt::RowsView& x : {by_column.view(), single.view()}) {
            Model model(options, shape.nominal, nullptr);
            const std::size_t half = s.rows / 2;
            model.learn(x.slice(0, half), s.y.data(), s.weights(), nullptr);
            model.learn(x.slice(half, s.rows), s.y.data() + half,
                        s.weights() == nullptr ? nullptr : s.weights() + half, nullptr);
            CHECK(streams::difference(by_row.save(), model.save()) == "");
            CHECK(streams::same_bits(probabilities(by_row, s.view()), probabilities(model, x)));
        }
    }
}

// Wide enough that searches are cut into parts, and calls long enough for threads.
template <class Model>
void check_threads(std::size_t classes, std::size_t late_class_from = 0) {
    std::vector<bool> nominal(120, false);
    for (std::size_t f = 5; f < 120; f += 7) nominal[f] = true;
    const streams::Stream s = streams::make({.rows = 6000,
                                             .nominal = nominal,
                                             .classes = classes,
                                             .categories = 40,
                                             .missing = 0.02,
                                             .seed = 11,
                                             .late_class_from = late_class_from});
    sgt::Options options = quick_options();
    options.grace_period = 300;
    options.warm_up = 500;
    sgt::Archive expected;
    std::vector<double> before, after;
    for (const std::size_t n_threads : {1U, 2U, 3U}) {
        options.n_threads = n_threads;
        Model model(options, nominal, nullptr);
        Recorded recorded;
        learn(model, s, 0, s.rows, &recorded);
        CHECK(model.n_splits() > 0);
        if (n_threads == 1) {
            expected = model.save();
            before = recorded.probabilities;
            after = probabilities(model, s.view());
        }
        CHECK(streams::difference(expected, model.save()) == "");
        CHECK(streams::same_bits(before, recorded.probabilities));
        CHECK(streams::same_bits(after, probabilities(model, s.view())));
    }
}

// Other threads predict and save while one learns, `step` rows at a time.
template <class Model>
void check_readers(const streams::Shape& shape, std::size_t step) {
    const streams::Stream s = streams::make(shape);
    sgt::Options options = quick_options();
    options.n_threads = 2;
    Model model(options, shape.nominal, nullptr), alone(options, shape.nominal, nullptr);
    std::atomic<bool> done{false};
    std::size_t n_probabilities = 0, n_arrays = 0;
    std::thread predicts([&] {
        while (!done) n_probabilities += probabilities(model, s.view(0, 300)).size();
    });
    std::thread saves([&] {
        while (!done) n_arrays += model.save().arrays().size() + model.memory_bytes();
    });
    for (std::size_t begin = 0; begin < s.rows; begin += step)
        learn(model, s, begin, std::min(begin + step, s.rows));
    done = true;
    predicts.join();
    saves.join();
    learn(alone, s, 0, s.rows);
    CHECK(streams::difference(alone.save(), model.save()) == "");
}

// Predictions made before learning are those of predict.
template <class Model>
void check_predictions_before(const streams::Shape& shape) {
    const streams::Stream s = streams::make(shape);
    Model recorded(quick_options(), shape.nominal, nullptr);
    Recorded before;
    learn(recorded, s, 0, s.rows, &before);
    Model model(quick_options(), shape.nominal, nullptr);
    for (std::size_t r = 0; r < s.rows; ++r) {
        const std::vector<double> p = probabilities(model, s.view(r, r + 1));
        double sum = 0.0;
        for (std::size_t k = 0; k < p.size(); ++k) {
            CHECK(p[k] == before.probabilities[r * before.stride + k]);
            sum += p[k];
        }
        if (!p.empty()) CHECK_CLOSE(sum, 1.0, 1e-12);
        learn(model, s, r, r + 1);
    }
}

// Class numbers out of order are refused and leave the model as it was.
template <class Model>
void check_class_numbers(std::size_t classes) {
    const streams::Shape shape{.rows = 500, .classes = classes, .seed = 14};
    const streams::Stream s = streams::make(shape);
    Model model(quick_options(), shape.nominal, nullptr);
    learn(model, s, 0, 400);
    const sgt::Archive before = model.save();
    for (const double bad : {static_cast<double>(classes) + 1.0, -1.0, 0.5, streams::kNan}) {
        streams::Stream wrong = s;
        wrong.y[450] = bad;
        CHECK_THROWS(std::invalid_argument, learn(model, wrong, 400, 500));
        CHECK(streams::difference(before, model.save()) == "");
    }
    // In a row of weight 0 the target does not matter.
    streams::Stream ignored = s;
    ignored.w.assign(s.rows, 1.0);
    ignored.w[450] = 0.0;
    ignored.y[450] = 17.0;
    learn(model, ignored, 400, 500);
    CHECK(model.n_classes() == classes && model.n_rows() == 499);
}

template <class Model>
void check_scaled_weights(const streams::Shape& shape) {
    const streams::Stream s = streams::make(shape);
    streams::Stream scaled = s;
    for (double& w : scaled.w) w *= 0.0625;
    Model a(quick_options(), shape.nominal, nullptr), b(quick_options(), shape.nominal, nullptr);
    learn(a, s, 0, s.rows);
    learn(b, scaled, 0, s.rows);
    CHECK(a.n_splits() > 0 && a.n_splits() == b.n_splits());
    CHECK(streams::same_bits(probabilities(a, s.view()), probabilities(b, s.view())));
}

// Three features that come late; `late_class_from` counts from their first row.
template <class Model>
void check_late_features(std::size_t late_classes, std::size_t late_class_from = 0) {
    const streams::Shape early{.rows = 1500, .nominal = {false, true}, .classes = 3, .seed = 19};
    const streams::Shape late{.rows = 2500,
                              .nominal = {false, true, false, true, false},
                              .classes = late_classes,
                              .categories = 300,
                              .missing = 0.3,
                              .seed = 20,
                              .late_class_from = late_class_from};
    const streams::Stream a = streams::make(early), b = streams::make(late);
    const sgt::Ranges ranges = {
        {streams::kNan, streams::kNan}, {streams::kNan, streams::kNan}, {-1.0, 1.0}};
    sgt::Archive expected;
    for (const std::size_t step : {2500U, 130U, 1U}) {
        Model model(quick_options(), early.nominal, nullptr);
        for (std::size_t begin = 0; begin < a.rows; begin += step)
            learn(model, a, begin, std::min(begin + step, a.rows));
        model.add_features({false, true, false}, &ranges);
        CHECK(model.n_features() == 5);
        const auto ready = [](const sgt::FeatureSpace& f) { return f.is_ready(2); };
        CHECK(!learners::read_features(model, ready));
        for (std::size_t begin = 0; begin < b.rows; begin += step)
            learn(model, b, begin, std::min(begin + step, b.rows));
        CHECK(learners::read_features(model, ready));
        if (step == 2500) expected = model.save();
        CHECK(streams::difference(expected, model.save()) == "");
    }
}

}  // namespace class_learners
