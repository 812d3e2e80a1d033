// Where predictions go: raw scores as they are, or as labels and probabilities of classes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "sgt/loss/softmax.hpp"
#include "sgt/options.hpp"

namespace sgt {

class Predictions {
public:
    virtual ~Predictions() = default;
    // From the n raw scores of a row.
    virtual void write(const double* raw, std::size_t n, std::size_t row) = 0;
    // Of so many rows from this one on.
    virtual void write_rows(const double* raw, std::size_t n, std::size_t row, std::size_t rows) {
        for (std::size_t r = 0; r < rows; ++r) write(raw + r * n, n, row + r);
    }
    // Where the n raw scores of this row and of those after it may be written instead; or null.
    virtual double* place_for_scores(std::size_t /*row*/, std::size_t /*n*/) {
        return nullptr;
    }
};

struct RawPredictions final : Predictions {
    double* raw = nullptr;  // a number for each output of each row

    void write(const double* scores, std::size_t n, std::size_t row) override {
        for (std::size_t j = 0; j < n; ++j) raw[row * n + j] = scores[j];
    }
    double* place_for_scores(std::size_t row, std::size_t n) override {
        return raw + row * n;
    }
};

// Labels: class numbers, -1 before any class; on a tie the class of the lowest rank.
// Probabilities: `stride` of them a row, by class number.
struct ClassPredictions final : Predictions {
    std::int32_t* labels = nullptr;
    const std::int32_t* rank = nullptr;
    double* probabilities = nullptr;
    std::size_t stride = 0;
    // The caller's arrays have room for these: another thread may have added a class since it made
    // them.
    std::size_t most_classes = kUnlimited;

    void write(const double* raw, std::size_t n, std::size_t row) override {
        n = std::min(n, most_classes);
        if (labels != nullptr) labels[row] = best_class(raw, n);
        if (probabilities != nullptr && n > 0) softmax(raw, n, probabilities + row * stride);
    }
    // The same, without a virtual call for each row.
    void write_rows(const double* raw, std::size_t n, std::size_t row, std::size_t rows) override {
        for (std::size_t r = 0; r < rows; ++r) ClassPredictions::write(raw + r * n, n, row + r);
    }

private:
    std::int32_t best_class(const double* scores, std::size_t n) const {
        if (n == 0) return -1;
        if (n == 2) {  // without a branch, which nobody can foresee
            const auto above = static_cast<std::int32_t>(scores[1] > scores[0]);
            const auto equal = static_cast<std::int32_t>(scores[1] == scores[0]);
            return above | (equal & static_cast<std::int32_t>(rank[1] < rank[0]));
        }
        std::size_t best = 0;
        for (std::size_t k = 1; k < n; ++k)
            if (scores[k] > scores[best] || (scores[k] == scores[best] && rank[k] < rank[best]))
                best = k;
        return static_cast<std::int32_t>(best);
    }
};

}  // namespace sgt
