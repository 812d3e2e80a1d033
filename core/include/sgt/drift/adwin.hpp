// ADWIN: a window over the latest inputs that is cut where two of its parts have different means
// (Bifet and Gavalda, Learning from Time-Changing Data with Adaptive Windowing, SIAM 2007).
//
// The window is an exponential histogram: buckets whose sizes are powers of two, at most
// kBucketsOfSize of a size. Cuts are looked for between buckets. A part of n0 inputs and one of n1
// differ if their means do by at least
//
//   sqrt(2 / m * variance * ln(2 / d)) + 2 / (3 m) * ln(2 / d),
//
// m = 1 / (1 / n0 + 1 / n1), d = delta / ln(n), variance and n those of the whole window.
//
// For streams of errors that must cost little, the smallest bucket may hold many inputs: they are
// added up first, and the window sees their sum.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sgt/archive/archive.hpp"
#include "sgt/clones.hpp"
#include "sgt/drift/mean_change.hpp"

namespace sgt {

class Adwin {
public:
    // delta: the probability of a false alarm at a test, as the paper bounds it.
    // bucket_inputs: of the smallest bucket. test_inputs: from one test to the next.
    explicit Adwin(double delta = 0.002, std::size_t bucket_inputs = 1,
                   std::size_t test_inputs = 32);

    // Takes an input. Returns whether the window was cut, which `change` then describes. What is
    // not finite is no input.
    bool add(double x) {
        if (!std::isfinite(x)) return false;
        newest_.sum += x;
        newest_.squares += x * x;
        if (++n_newest_ < bucket_inputs_) return false;
        return add_newest();
    }
    const MeanChange& change() const {
        return change_;
    }
    // Inputs in the window, and their mean (0 where there are none).
    std::uint64_t size() const {
        return size_;
    }
    double mean() const;

    void save(Archive& archive, const std::string& prefix) const;
    // With the options of this one. Fails where the arrays cannot have come from `save`.
    void load(const ArchiveView& archive, const std::string& prefix);

private:
    static constexpr std::size_t kBucketsOfSize = 5;
    // Parts with fewer inputs are not compared: their means say nothing.
    static constexpr std::uint64_t kSmallestPart = 5;

    struct Bucket {
        double sum = 0.0;
        double squares = 0.0;  // the sum of squared distances from the mean
    };
    // The buckets of one size, oldest first, and their sums.
    struct Level {
        std::size_t n = 0;
        std::array<Bucket, kBucketsOfSize + 1> buckets{};
        Bucket all;

        void add_up();
        // The oldest ones go.
        void drop(std::size_t n_oldest);
    };
    // The sums of the whole window.
    struct Whole {
        std::uint64_t n = 0;
        double sum = 0.0, squares = 0.0;
    };

    SGT_NOINLINE bool add_newest();  // so that `add` stays small
    void insert(Bucket bucket);
    static Bucket joined(const Bucket& older, const Bucket& newer, std::uint64_t n_each);
    std::uint64_t inputs_of_bucket(std::size_t level) const {
        return static_cast<std::uint64_t>(bucket_inputs_) << level;
    }
    Whole whole() const;
    // Whether two parts of the window differ.
    bool must_be_cut(const Whole& whole) const;
    void drop_oldest();

    double delta_;
    std::size_t bucket_inputs_, test_inputs_;
    std::vector<Level> levels_;  // by size, the newest and smallest buckets first
    std::uint64_t size_ = 0;
    Bucket newest_;  // that is not full yet; its squares are those of the inputs themselves
    std::uint64_t n_newest_ = 0;
    std::uint64_t since_test_ = 0;
    MeanChange change_;
};

}  // namespace sgt
