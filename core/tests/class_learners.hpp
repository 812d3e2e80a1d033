// Learning and predicting with either learner of classes, and what must hold for both.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "check.hpp"
#include "sgt/class_learner.hpp"
#include "streams.hpp"

namespace class_learners {

inline sgt::Options quick_options() {
    sgt::Options options;
    options.warm_up = 150;
    options.grace_period = 40;
    options.delta = 1e-3;
    options.gamma = 0.1;
    return options;
}

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
    const double* w = s.weights() == nullptr ? nullptr : s.weights() + begin;
    if (recorded == nullptr) return model.learn(s.view(begin, end), s.y.data() + begin, w, nullptr);
    recorded->labels.resize(end);
    recorded->probabilities.resize(end * recorded->stride, 0.0);
    sgt::ClassLearner::Predictions before;
    before.labels = recorded->labels.data() + begin;
    before.rank = recorded->ranks.values.data();
    before.probabilities = recorded->probabilities.data() + begin * recorded->stride;
    before.stride = recorded->stride;
    model.learn(s.view(begin, end), s.y.data() + begin, w, &before);
}

inline std::vector<double> probabilities(const sgt::ClassLearner& model, const sgt::RowsView& x) {
    const Ranks ranks;
    sgt::ClassLearner::Predictions out;
    out.rank = ranks.values.data();
    out.stride = model.n_classes();
    std::vector<double> p(x.rows * out.stride, 0.0);
    out.probabilities = p.data();
    model.predict(x, out, out.stride);
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

}  // namespace class_learners
