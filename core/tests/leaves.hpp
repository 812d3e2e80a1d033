// Leaves made by hand: rows as codes, one evidence each, of one output or of several.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "sgt/data/features.hpp"
#include "sgt/leaf/cells.hpp"
#include "sgt/leaf/leaf_statistics.hpp"
#include "streams.hpp"

namespace leaves {

struct Row {
    std::vector<std::uint32_t> codes;
    sgt::Evidence evidence = {};    // of the first output; or the class, as g
    std::vector<double> more = {};  // g and h of each further output

    std::vector<double> record() const {
        std::vector<double> all = {evidence.w, evidence.copies, evidence.g, evidence.h};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    std::vector<double> record(sgt::Layout layout) const {
        if (layout.counts_classes()) return {evidence.w, evidence.g};
        return record();
    }
};

// The reader of class counts at this value, one class for each output.
inline sgt::CellReader softmax_reader(const std::vector<double>& value) {
    std::vector<long double> powers;
    long double sum = 0;
    for (const double f : value) sum += powers.emplace_back(std::exp(static_cast<long double>(f)));
    const auto k = static_cast<long double>(value.size());
    std::vector<sgt::SoftmaxOutput> outputs;
    for (std::size_t i = 0; i < value.size(); ++i) {
        long double others = 0;
        for (std::size_t j = 0; j < value.size(); ++j) others += j == i ? 0 : powers[j];
        const long double p = powers[i] / sum, q = others / sum;
        outputs.push_back({static_cast<double>(p), static_cast<double>(q),
                           static_cast<double>(k / (k - 1) * p * q)});
    }
    return sgt::CellReader::softmax(std::move(outputs));
}

inline std::vector<std::byte> packed(const std::vector<std::uint32_t>& codes,
                                     sgt::CodeWidth width) {
    std::vector<std::byte> bytes(codes.size() * sgt::bytes_of(width));
    sgt::with_code_type(width, [&]<class Code>(Code) {
        for (std::size_t f = 0; f < codes.size(); ++f) {
            const auto code = static_cast<Code>(codes[f]);
            std::memcpy(bytes.data() + f * sizeof(Code), &code, sizeof(Code));
        }
    });
    return bytes;
}

inline sgt::LeafStatistics::Appended append(sgt::LeafStatistics& leaf, const Row& row,
                                            sgt::CodeWidth width, std::size_t buffer_rows) {
    const std::vector<std::byte> bytes = packed(row.codes, width);
    return leaf.append(bytes.data(), bytes.size(), row.record(leaf.layout()).data(), buffer_rows);
}

// A leaf that has seen these rows, with all of them in its cells.
inline sgt::LeafStatistics filled(const std::vector<Row>& rows, const sgt::FeatureSpace& features,
                                  sgt::Layout layout) {
    sgt::LeafStatistics leaf(layout, true, 1'000'000);
    sgt::FlushScratch scratch;
    for (const Row& row : rows) append(leaf, row, features.width(), rows.size() + 1);
    leaf.flush(features, scratch);
    return leaf;
}

// Numeric features with this many bins each, 0 for a nominal one.
inline sgt::FeatureSpace space(const std::vector<std::size_t>& bins) {
    std::vector<bool> nominal;
    for (const std::size_t n : bins) nominal.push_back(n == 0);
    sgt::FeatureSpace features(nominal);
    for (std::size_t f = 0; f < bins.size(); ++f) {
        if (bins[f] == 0) continue;
        sgt::Boundaries boundaries;
        for (std::size_t k = 1; k < bins[f]; ++k)
            boundaries.values.push_back(static_cast<double>(k));
        features.set_boundaries(f, boundaries);
    }
    return features;
}

inline Row random_row(const sgt::FeatureSpace& features, sgt::Layout layout, double missing,
                      bool weighted, std::size_t categories, streams::Random& random) {
    Row row;
    double signal = 0.0;
    for (std::size_t f = 0; f < features.size(); ++f) {
        const std::size_t n =
            features.is_nominal(f) ? categories : features.boundaries(f).size() + 1;
        std::uint32_t code =
            random.chance(missing)
                ? 0
                : 1 + static_cast<std::uint32_t>(static_cast<double>(n) * random.uniform() *
                                                 random.uniform());
        if (!features.is_ready(f)) code = 0;
        signal += f < 2 ? static_cast<double>(code) / static_cast<double>(n) : 0.0;
        row.codes.push_back(code);
    }
    row.evidence.w = weighted ? 0.25 * static_cast<double>(1 + random.below(8)) : 1.0;
    if (layout == sgt::Layout::class_counts) {
        row.evidence.g = random.chance(0.2 + 0.3 * signal) ? 1.0 : 0.0;
        return row;
    }
    if (layout.kind == sgt::CellKind::softmax_counts) {
        const auto next = static_cast<std::size_t>(signal * 1.5 + random.uniform());
        row.evidence.g = static_cast<double>(next % layout.outputs);
        return row;
    }
    const bool constant = layout.kind == sgt::CellKind::constant_hessian;
    row.evidence.g = random.between(-1.0, 1.0) + signal - 0.7;
    row.evidence.h = constant ? 1.0 : random.between(0.05, 0.3);
    for (std::size_t j = 1; j < layout.outputs; ++j) {
        // Other sizes, and a signal that goes up or down.
        const double size = static_cast<double>(1 + j), sign = j % 2 == 0 ? 1.0 : -1.0;
        row.more.push_back(size * (random.between(-1.0, 1.0) + sign * (signal - 0.5)));
        row.more.push_back(constant ? size : random.between(0.05, 0.3) * size);
    }
    return row;
}

}  // namespace leaves
