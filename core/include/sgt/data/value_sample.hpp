// A sample of a stream of numbers: the latest ones, and some of all those before them. So bins that
// are laid for it suit what comes now, and still tell apart what has come before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sgt {

class ValueSample {
public:
    // Of the latest ones, and of those before.
    static constexpr std::size_t kHalf = 64;

    ValueSample();

    void take(double value) {
        take(value, place_in_earlier(taken_));
    }
    // The same for samples that have taken equally many, with what is drawn for all of them.
    void take(double value, std::uint64_t place) {
        const std::uint64_t number = taken_++;
        if (number < kHalf) return latest_.push_back(value);
        double& oldest = latest_[number % kHalf];
        if (number < 2 * kHalf)
            earlier_.push_back(oldest);
        else if (place < kHalf)
            earlier_[place] = oldest;
        oldest = value;
    }
    // Where the value goes that is no longer among the latest when so many have been taken: nowhere
    // if not below kHalf. Those that were the latest once have all the same chance.
    static std::uint64_t place_in_earlier(std::uint64_t taken);

    std::uint64_t taken() const {
        return taken_;
    }
    std::size_t size() const {
        return latest_.size() + earlier_.size();
    }
    const std::vector<double>& latest() const {
        return latest_;
    }
    const std::vector<double>& earlier() const {
        return earlier_;
    }
    std::vector<double> sorted() const;
    // The distance between the least and the greatest of the latest ones.
    double latest_spread() const;
    static constexpr std::size_t bytes() {
        return sizeof(ValueSample) + 2 * kHalf * sizeof(double);
    }

    // A sample of so many numbers that holds these: values_in(taken) of them, the latest first.
    static std::size_t values_in(std::uint64_t taken);
    static ValueSample restored(std::uint64_t taken, const double* values);

private:
    std::uint64_t taken_ = 0;
    std::vector<double> latest_, earlier_;
};

}  // namespace sgt
