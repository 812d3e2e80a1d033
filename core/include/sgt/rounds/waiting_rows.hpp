// Rows of a block that is not complete yet. The trees do not change meanwhile, so the codes of the
// rows, and the derivatives of a loss that takes blocks, are computed when the rows come.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "sgt/archive/archive.hpp"
#include "sgt/archive/feature_archive.hpp"
#include "sgt/rounds/partial.hpp"

namespace sgt {

class WaitingRows {
public:
    std::size_t rows() const {
        return coded_.size();
    }
    const CodeBlock& codes() const {
        return coded_.codes;
    }
    // All targets of a row together.
    const std::vector<double>& targets() const {
        return y_;
    }
    const std::vector<double>& weights() const {
        return coded_.weights;
    }
    // g and h of each target, where the loss takes blocks.
    const std::vector<double>& derivatives() const {
        return derivatives_;
    }
    std::size_t bytes() const;

    // The rows from `begin` to before `end`, of which none has the weight 0; `y` and `w` (null: all
    // 1) are those of the first row of `codes`. Codes become as wide as the new ones.
    void add(const CodeBlock& codes, std::size_t begin, std::size_t end, const double* y,
             std::size_t n_targets, const double* w);
    void add_derivatives(std::span<const double> derivatives);
    void widen(CodeWidth width) {
        coded_.widen(width);
    }
    // Keeps its memory.
    void clear();

    void save(Archive& archive, const std::string& prefix) const;
    static WaitingRows load(const ArchiveView& archive, const std::string& prefix,
                            const KnownCodes& known, std::size_t n_targets);

private:
    PartialRows coded_;
    std::vector<double> y_, derivatives_;
};

}  // namespace sgt
