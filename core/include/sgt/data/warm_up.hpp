// Rows that wait until the ranges of the numeric features are known, and numeric features that came
// after that and wait for ranges of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sgt/archive/archive.hpp"
#include "sgt/archive/feature_archive.hpp"
#include "sgt/data/features.hpp"

namespace sgt {

class WarmUp {
public:
    WarmUp() = default;
    // Each row has `targets` numbers to predict.
    WarmUp(std::size_t rows_wanted, std::size_t targets)
        : wanted_(rows_wanted), n_targets_(targets) {}

    bool is_active() const {
        return wanted_ > 0;
    }
    bool is_full() const {
        return w_.size() >= wanted_;
    }
    std::size_t rows() const {
        return w_.size();
    }
    // All targets of a row together.
    const std::vector<double>& targets() const {
        return y_;
    }
    std::vector<double> targets(std::size_t index) const;
    const std::vector<double>& weights() const {
        return w_;
    }
    std::size_t bytes() const {
        return sizeof(double) * (x_.size() + y_.size() + w_.size());
    }

    void add(const RowsView& x, std::size_t row, const double* y, double w);
    // Undoes the last add.
    void take_back(std::size_t n_features);
    // Values of one feature, missing ones left out.
    std::vector<double> sample(std::size_t feature, std::size_t n_features) const;
    // (Their numbers may have been given up.)
    RowsView view(std::size_t n_features) const;
    // Room for more features, missing in the rows so far.
    void widen(std::size_t old_features, std::size_t new_features);
    // They are not needed any more; the targets are.
    void give_up_numbers() {
        x_ = std::vector<double>();  // (`= {}` would keep the memory)
    }
    void finish() {
        *this = WarmUp();
    }

    // To predict during the warm-up its targets are enough, so that the rows may be left out.
    void save(Archive& archive, bool without_rows, const std::string& name = "warm_up") const;
    static WarmUp load(const ArchiveView& archive, const KnownCodes& codes, std::size_t n_targets,
                       bool without_rows, const std::string& name = "warm_up");

private:
    std::size_t wanted_ = 0;  // 0: the warm-up is over
    std::size_t n_targets_ = 1;
    std::vector<double> x_, y_, w_;
};

// Numeric features that came late, each with the values seen of it so far.
class LateFeatures {
public:
    bool empty() const {
        return features_.empty();
    }
    void expect(std::size_t feature) {
        sample_of(feature);
    }
    // Takes the value of every late feature in a row. Returns the features that have enough now.
    std::vector<std::size_t> take(const RowsView& x, std::size_t row, std::size_t wanted);
    std::vector<double> hand_over(std::size_t feature);

    void save(Archive& archive) const;
    static LateFeatures load(const ArchiveView& archive, const FeatureSpace& space);

private:
    // Makes an empty one where there is none.
    std::vector<double>& sample_of(std::size_t feature);

    std::vector<std::size_t> features_;  // ascending: every row asks for all of them
    std::vector<std::vector<double>> samples_;
};

}  // namespace sgt
