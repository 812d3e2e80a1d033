// Rows of numbers, one for each node of a tree, that become longer when a class is added.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "sgt/wider_rows.hpp"

namespace sgt {

// A row may have room for more numbers than it holds, so that many new classes move the rows only a
// few times. What is spare is 0.
class GrowingRows {
public:
    GrowingRows() = default;
    GrowingRows(std::vector<double> numbers, std::size_t width)
        : numbers_(std::move(numbers)), width_(width), room_(width) {}

    double* row(std::size_t i) {
        return numbers_.data() + i * room_;
    }
    const double* row(std::size_t i) const {
        return numbers_.data() + i * room_;
    }
    std::size_t width() const {
        return width_;
    }
    // From one row to the next.
    std::size_t room() const {
        return room_;
    }
    bool empty() const {
        return numbers_.empty();
    }
    std::size_t size() const {
        return room_ == 0 ? 0 : numbers_.size() / room_;
    }

    // More rows, of zeros.
    void append(std::size_t n) {
        numbers_.resize(numbers_.size() + n * room_, 0.0);
    }
    // More numbers in each row, which are 0.
    void widen(std::size_t more, bool with_slack) {
        width_ += more;
        if (width_ <= room_) return;
        const std::size_t room = width_ + (with_slack ? width_ / kShareOfSlack : 0);
        widen_rows(numbers_, size(), room_, room);
        room_ = room;
    }
    void clear() {
        numbers_.assign(numbers_.size(), 0.0);
    }
    // One row after the other, without what is spare.
    std::vector<double> packed() const {
        std::vector<double> numbers;
        numbers.reserve(size() * width_);
        for (std::size_t i = 0; i < size(); ++i)
            numbers.insert(numbers.end(), row(i), row(i) + width_);
        return numbers;
    }

private:
    static constexpr std::size_t kShareOfSlack = 4;

    std::vector<double> numbers_;
    std::size_t width_ = 0, room_ = 0;
};

}  // namespace sgt
