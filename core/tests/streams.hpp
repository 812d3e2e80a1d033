// Rows for the tests, made from numbers that are the same everywhere, and the comparison of whole
// models by what they save.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "sgt/archive/archive.hpp"
#include "sgt/data/features.hpp"

namespace streams {

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// splitmix64: the standard library's distributions differ between implementations.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t bits() {
        std::uint64_t z = state_ += 0x9E3779B97F4A7C15ULL;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
        return z ^ (z >> 31);
    }
    // In [0, 1).
    double uniform() {
        return static_cast<double>(bits() >> 11) * 0x1p-53;
    }
    double between(double lo, double hi) {
        return lo + (hi - lo) * uniform();
    }
    // In 0 .. n - 1.
    std::size_t below(std::size_t n) {
        return static_cast<std::size_t>(bits() % n);
    }
    bool chance(double p) {
        return uniform() < p;
    }

private:
    std::uint64_t state_;
};

struct Stream {
    std::size_t rows = 0, features = 0;
    std::vector<double> x, y, w;

    sgt::RowsView view() const {
        return view(0, rows);
    }
    sgt::RowsView view(std::size_t begin, std::size_t end) const {
        return sgt::RowsView{x.data(), false, rows, features}.slice(begin, end);
    }
    const double* weights() const {
        return w.empty() ? nullptr : w.data();
    }
};

// The same numbers with an array for each feature.
template <class Real>
class Columns {
public:
    Columns(const std::vector<Real>& by_row, std::size_t features)
        : rows_(by_row.size() / features), columns_(features) {
        for (std::size_t i = 0; i < by_row.size(); ++i) columns_[i % features].push_back(by_row[i]);
        for (const std::vector<Real>& column : columns_) places_.push_back(column.data());
    }
    sgt::RowsView view() const {
        return {nullptr, sizeof(Real) == sizeof(float), rows_, columns_.size(), places_.data()};
    }

private:
    std::size_t rows_;
    std::vector<std::vector<Real>> columns_;
    std::vector<const void*> places_;
};

struct Shape {
    std::size_t rows = 1000;
    std::vector<bool> nominal = {false, false, false};
    std::size_t classes = 0;  // 0: y is a number
    std::size_t categories = 5;
    double missing = 0.0;   // share of values
    bool weighted = false;  // weights, some of them 0
    std::uint64_t seed = 1;
    std::size_t late_class_from = 0;  // rows before this one have only the first two classes
};

// y depends on the first features, with noise; class numbers come in order of first appearance.
inline Stream make(const Shape& shape) {
    Random random(shape.seed);
    Stream s;
    s.rows = shape.rows;
    s.features = shape.nominal.size();
    double next_class = 0.0;
    std::vector<double> number_of(shape.classes, -1.0);
    for (std::size_t r = 0; r < s.rows; ++r) {
        double signal = 0.0;
        for (std::size_t f = 0; f < s.features; ++f) {
            double value = 0.0;
            if (shape.nominal[f]) {
                const double u = random.uniform();
                value = std::floor(u * u * static_cast<double>(shape.categories));
                if (f < 4) signal += std::fmod(value * 0.37, 1.0);
            } else {
                value = random.between(-1.0, 1.0);
                if (f < 4) signal += value > 0.25 ? 1.0 : 0.0;
            }
            s.x.push_back(random.chance(shape.missing) ? kNan : value);
        }
        s.w.push_back(!shape.weighted ? 1.0 : random.chance(0.1) ? 0.0 : random.between(0.25, 3.0));
        signal += random.between(-0.2, 0.2);
        if (shape.classes == 0) {
            s.y.push_back(3.0 * signal + 10.0);
            continue;
        }
        const std::size_t most = r < shape.late_class_from ? 2 : shape.classes;
        const auto rough = static_cast<std::size_t>(std::fmax(0.0, std::floor(signal * 1.5)));
        double& number = number_of[rough % most];
        if (number < 0.0 && s.w.back() == 0.0) {
            s.y.push_back(0.0);
            continue;
        }
        if (number < 0.0) number = next_class++;
        s.y.push_back(number);
    }
    if (!shape.weighted) s.w.clear();
    return s;
}

// The same with several targets a row, of other sizes and signs, each with noise of its own; all of
// them above 0.
inline Stream make_targets(const Shape& shape, std::size_t targets) {
    Stream s = make(shape);
    if (targets == 1) return s;
    Random random(shape.seed + 1000);
    const std::vector<double> first = std::move(s.y);
    s.y.clear();
    for (std::size_t r = 0; r < s.rows; ++r) {
        s.y.push_back(first[r]);
        for (std::size_t j = 1; j < targets; ++j) {
            const double size = static_cast<double>(j), way = j % 2 == 0 ? 1.0 : -1.0;
            const double x = s.x[r * s.features + (j - 1) % s.features];
            const double own = std::isnan(x) ? 1.0 : x > 0.0 ? 2.0 : -2.0;
            const double centred = way * (first[r] - 15.0) + own + random.between(-0.5, 0.5);
            s.y.push_back(std::exp(0.1 * centred) * size);
        }
    }
    return s;
}

// The name of the first array in which two archives differ in any bit; empty where there is none.
inline std::string difference(const sgt::Archive& a, const sgt::Archive& b) {
    if (a.arrays().size() != b.arrays().size()) return "(the number of arrays)";
    for (const auto& [name, array] : a.arrays()) {
        const auto at = b.arrays().find(name);
        if (at == b.arrays().end() || at->second.index() != array.index()) return name;
        const bool same = std::visit(
            [&](const auto& left) {
                const auto& right = std::get<std::decay_t<decltype(left)>>(at->second);
                return left.size() == right.size() &&
                       (left.empty() ||
                        std::memcmp(left.data(), right.data(), left.size() * sizeof(left[0])) == 0);
            },
            array);
        if (!same) return name;
    }
    return "";
}

inline bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
    return a.size() == b.size() &&
           (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

}  // namespace streams
