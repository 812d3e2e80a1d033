// All rows of a `fit` of boosting, which its members learn one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sgt/data/codes.hpp"
#include "sgt/data/features.hpp"
#include "sgt/data/labelled_rows.hpp"
#include "sgt/data/warm_up.hpp"

namespace sgt {

class StageRows {
public:
    explicit StageRows(std::size_t n_targets) : n_targets_(n_targets), rows_(1, n_targets) {}

    // --- before the first stage ---

    // Adds those of a weight above 0.
    void add(const LabelledRows& rows);
    // In the order in which they came.
    LabelledRows all(std::size_t n_features) const {
        return {rows_.view(n_features), rows_.targets().data(), rows_.weights().data(), n_targets_};
    }
    // A warm-up has the rows for a while.
    WarmUp hand_over() {
        return std::move(rows_);
    }
    void take(WarmUp rows) {
        rows_ = std::move(rows);
    }
    // All rows get codes, and begin with these scores. Their numbers are given up unless leaves
    // read them. Throws std::invalid_argument where a category number is negative.
    void begin(const FeatureSpace& features, const std::vector<double>& start, bool keeps_numbers);

    // --- stages ---

    bool has_begun() const {
        return has_begun_;
    }
    std::size_t size() const {
        return codes_.rows;
    }
    std::size_t bytes() const {
        return rows_.bytes() + codes_.bytes.size() + scores_.size() * sizeof(double);
    }
    const CodeBlock& codes() const {
        return codes_;
    }
    // Of the members that have learned: the outputs of a row, row after row.
    std::vector<double>& scores() {
        return scores_;
    }
    // Some of the rows, next to one another.
    struct Block {
        CodeBlock codes;
        std::vector<double> x, y, w, scores;
        std::size_t n_targets = 1;

        LabelledRows rows() const {
            return {{x.data(), false, codes.rows, codes.features}, y.data(), w.data(), n_targets};
        }
    };
    void copy(std::span<const std::uint32_t> places, Block& block) const;

private:
    std::size_t n_targets_;
    WarmUp rows_;
    bool has_begun_ = false, keeps_numbers_ = false;
    CodeBlock codes_;
    std::vector<double> scores_;
};

}  // namespace sgt
