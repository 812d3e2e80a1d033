// Category numbers of columns of numbers, in order of first appearance.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <vector>

namespace sgt {

// Whether all values are whole numbers from 0 to n - 1, or NaN.
bool are_whole_below(const float* values, std::size_t n_values, std::size_t n);
bool are_whole_below(const double* values, std::size_t n_values, std::size_t n);

// The categories of a column of numbers: category i has the value that was appended as number i,
// from 0. Open addressing from a value to its number; -0.0 is 0.0.
class CategoryTable {
public:
    CategoryTable() : slots_(kFirstSlots, kEmpty) {}

    std::size_t size() const {
        return values_.size();
    }
    const std::vector<double>& values() const {
        return values_;
    }
    // Categories 0, 1, ... below this one are their own values.
    std::size_t n_own_numbers() const {
        return n_own_numbers_;
    }
    // The number of a value, -1 if it is not there.
    std::int64_t find(double value) const {
        for (std::size_t slot = hash(value);; slot = (slot + 1) & (slots_.size() - 1)) {
            const std::int32_t number = slots_[slot];
            if (number == kEmpty || values_[static_cast<std::size_t>(number)] == value)
                return number;
        }
    }
    // A value that is not there. Returns its number.
    std::int64_t append(double value) {
        if (values_.size() == kMost) throw std::length_error("a column has too many categories");
        values_.push_back(value);
        if (2 * values_.size() > slots_.size()) {
            slots_.assign(2 * slots_.size(), kEmpty);
            for (std::size_t i = 0; i + 1 < values_.size(); ++i) place(i);
        }
        const std::size_t number = values_.size() - 1;
        place(number);
        if (number == n_own_numbers_ && value == static_cast<double>(number)) ++n_own_numbers_;
        return static_cast<std::int64_t>(number);
    }
    std::size_t bytes() const {
        return values_.capacity() * sizeof(double) + slots_.size() * sizeof(std::int32_t);
    }

private:
    static constexpr std::int32_t kEmpty = -1;
    static constexpr std::size_t kFirstSlots = 16;
    static constexpr std::size_t kMost = std::size_t{1} << 30U;

    std::size_t hash(double value) const {
        std::uint64_t bits = std::bit_cast<std::uint64_t>(value + 0.0);
        bits = (bits ^ (bits >> 32)) * 0x9E3779B97F4A7C15ULL;
        return static_cast<std::size_t>(bits >> 20) & (slots_.size() - 1);
    }
    void place(std::size_t number) {
        std::size_t slot = hash(values_[number]);
        while (slots_[slot] != kEmpty) slot = (slot + 1) & (slots_.size() - 1);
        slots_[slot] = static_cast<std::int32_t>(number);
    }

    std::vector<double> values_;
    std::vector<std::int32_t> slots_;
    std::size_t n_own_numbers_ = 0;
};

// The category numbers of one column of numbers, and the values that are new. What a block costs
// does not depend on how many categories are known.
class ColumnEncoder {
public:
    explicit ColumnEncoder(const CategoryTable& known)
        : known_(known), n_known_(known.size()), n_own_numbers_(known.n_own_numbers()) {}

    template <class From, class To>
    void encode(const From* from, std::int64_t from_stride, To* to, std::int64_t to_stride,
                std::size_t n, bool learn) {
        for (std::size_t r = 0; r < n; ++r, from += from_stride, to += to_stride) {
            const auto value = static_cast<double>(*from);
            // Neighbouring rows often agree, and those of 0/1 columns nearly always.
            if (value != last_value_) look_up(value, learn);
            *to = static_cast<To>(last_number_);
        }
    }
    // The numbers of a column, or nothing where each value is its number (or missing): then the
    // column can stay as it is.
    template <class Real>
    std::optional<std::vector<Real>> numbers_or_nothing(const Real* values, std::size_t n,
                                                        bool learn) {
        constexpr std::size_t kAtATime = 1024;
        std::optional<std::vector<Real>> numbers;
        Real coded[kAtATime];
        for (std::size_t begin = 0; begin < n; begin += kAtATime) {
            const Real* part = values + begin;
            const std::size_t length = std::min(kAtATime, n - begin);
            if (!numbers && are_whole_below(part, length, n_own_numbers_)) continue;
            encode(part, 1, coded, 1, length, learn);
            if (!numbers && !are_the_same(part, coded, length)) {
                numbers.emplace(values, part);
                numbers->reserve(n);
            }
            if (numbers) numbers->insert(numbers->end(), coded, coded + length);
        }
        return numbers;
    }
    const std::vector<double>& new_values() const {
        return new_.values();
    }

private:
    void look_up(double value, bool learn) {
        last_value_ = value;
        last_number_ = std::numeric_limits<double>::quiet_NaN();
        if (std::isnan(value)) return;
        std::int64_t number = known_.find(value);
        if (number < 0) {
            number = new_.find(value);
            if (number < 0 && learn) number = new_.append(value);
            if (number >= 0) number += static_cast<std::int64_t>(n_known_);
        }
        last_number_ = static_cast<double>(number);
        if (number == static_cast<std::int64_t>(n_own_numbers_) && last_number_ == value)
            ++n_own_numbers_;
    }
    template <class Real>
    static bool are_the_same(const Real* a, const Real* b, std::size_t n) {
        return std::equal(a, a + n, b, [](Real x, Real y) { return x == y || (x != x && y != y); });
    }

    const CategoryTable& known_;
    std::size_t n_known_;
    CategoryTable new_;
    std::size_t n_own_numbers_;  // categories 0, 1, ... below this one are their own values
    double last_value_ = std::numeric_limits<double>::quiet_NaN(),
           last_number_ = std::numeric_limits<double>::quiet_NaN();
};

// Copies rows `from`, the same but for these columns, which get category numbers.
template <class Real>
void encode_category_columns(const Real* from, Real* to, std::size_t rows, std::size_t features,
                             const std::vector<std::size_t>& columns,
                             std::vector<ColumnEncoder>& encoders, bool learn) {
    constexpr std::size_t kRowsAtATime = 512;  // all columns of so many rows fit into the cache
    for (std::size_t begin = 0; begin < rows; begin += kRowsAtATime) {
        const std::size_t n = std::min(kRowsAtATime, rows - begin);
        std::copy_n(from + begin * features, n * features, to + begin * features);
        const auto stride = static_cast<std::int64_t>(features);
        for (std::size_t i = 0; i < columns.size(); ++i) {
            Real* column = to + begin * features + columns[i];
            encoders[i].encode(column, stride, column, stride, n, learn);
        }
    }
}

}  // namespace sgt
