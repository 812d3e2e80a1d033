// Category numbers of columns of numbers, in order of first appearance.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace sgt {

// Whether all values are whole numbers from 0 to n - 1, or NaN.
bool are_whole_below(const float* values, std::size_t n_values, std::size_t n);
bool are_whole_below(const double* values, std::size_t n_values, std::size_t n);

// Open addressing from a number to its category; -0.0 is 0.0.
class CategoryTable {
public:
    explicit CategoryTable(std::size_t expected) {
        std::size_t size = 16;
        while (size < 2 * expected) size *= 2;
        slots_.assign(size, kEmpty);
    }
    // The number of a value, -1 if it is not there. `values[i]` is the value of category i.
    std::int64_t find(double value, const std::vector<double>& values) const {
        for (std::size_t slot = hash(value);; slot = (slot + 1) & (slots_.size() - 1)) {
            const std::int64_t category = slots_[slot];
            if (category == kEmpty || values[static_cast<std::size_t>(category)] == value)
                return category;
        }
    }
    void insert(double value, std::int64_t category, const std::vector<double>& values) {
        if (2 * (static_cast<std::size_t>(category) + 1) > slots_.size()) grow(values);
        place(value, category);
    }

private:
    static constexpr std::int64_t kEmpty = -1;

    std::size_t hash(double value) const {
        std::uint64_t bits = std::bit_cast<std::uint64_t>(value + 0.0);
        bits = (bits ^ (bits >> 32)) * 0x9E3779B97F4A7C15ULL;
        return static_cast<std::size_t>(bits >> 20) & (slots_.size() - 1);
    }
    void place(double value, std::int64_t category) {
        std::size_t slot = hash(value);
        while (slots_[slot] != kEmpty) slot = (slot + 1) & (slots_.size() - 1);
        slots_[slot] = category;
    }
    void grow(const std::vector<double>& values) {
        slots_.assign(slots_.size() * 4, kEmpty);
        for (std::size_t i = 0; i + 1 < values.size(); ++i)
            place(values[i], static_cast<std::int64_t>(i));
    }

    std::vector<std::int64_t> slots_;
};

// The categories of one column of numbers, with the values that are new.
class ColumnEncoder {
public:
    // known[i] is the value of category i.
    explicit ColumnEncoder(std::vector<double> known)
        : n_known_(known.size()), values_(std::move(known)), table_(n_known_) {
        for (std::size_t i = 0; i < n_known_; ++i)
            table_.insert(values_[i], static_cast<std::int64_t>(i), values_);
        count_own_numbers();
    }

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
    std::vector<double> new_values() const {
        return {values_.begin() + static_cast<std::ptrdiff_t>(n_known_), values_.end()};
    }

private:
    void look_up(double value, bool learn) {
        last_value_ = value;
        last_number_ = std::numeric_limits<double>::quiet_NaN();
        if (std::isnan(value)) return;
        std::int64_t number = table_.find(value, values_);
        if (number < 0 && learn) {
            number = static_cast<std::int64_t>(values_.size());
            values_.push_back(value);
            table_.insert(value, number, values_);
            count_own_numbers();
        }
        last_number_ = static_cast<double>(number);
    }
    void count_own_numbers() {
        while (n_own_numbers_ < values_.size() &&
               values_[n_own_numbers_] == static_cast<double>(n_own_numbers_))
            ++n_own_numbers_;
    }
    template <class Real>
    static bool are_the_same(const Real* a, const Real* b, std::size_t n) {
        return std::equal(a, a + n, b, [](Real x, Real y) { return x == y || (x != x && y != y); });
    }

    std::size_t n_known_;
    std::vector<double> values_;
    CategoryTable table_;
    std::size_t n_own_numbers_ = 0;  // categories 0, 1, ... below this one are their own values
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
