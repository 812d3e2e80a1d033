#include "sgt/data/string_codes.hpp"

#include <cstring>

namespace sgt {

namespace {

constexpr std::size_t kWord = sizeof(std::uint64_t);

// Up to eight bytes as a number; strings of one length have one number only if they are equal.
std::uint64_t word_of(const char* bytes, std::size_t n) {
    if (n >= kWord / 2) {
        std::uint32_t first = 0, last = 0;
        std::memcpy(&first, bytes, sizeof first);
        std::memcpy(&last, bytes + n - sizeof last, sizeof last);
        return first | static_cast<std::uint64_t>(last) << 32U;
    }
    if (n == 0) return 0;
    const auto byte = [bytes](std::size_t i) {
        return static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i]));
    };
    return byte(0) | byte(n / 2) << 8U | byte(n - 1) << 16U;
}

// Both halves of the product of two numbers, as one.
std::uint64_t folded_product(std::uint64_t a, std::uint64_t b) {
    constexpr std::uint64_t kLow = 0xFFFFFFFF;
    const std::uint64_t a0 = a & kLow, a1 = a >> 32U, b0 = b & kLow, b1 = b >> 32U;
    const std::uint64_t low = a0 * b0, one = a1 * b0, other = a0 * b1;
    const std::uint64_t middle = (low >> 32U) + (one & kLow) + (other & kLow);
    const std::uint64_t high = a1 * b1 + (one >> 32U) + (other >> 32U) + (middle >> 32U);
    return high ^ (a * b);
}

// Hashes that cannot be foreseen without the seed.
class Hash {
public:
    explicit Hash(std::uint64_t seed)
        : added_(seed), factor_(((seed << 32U | seed >> 32U) ^ 0x9E3779B97F4A7C15ULL) | 1U) {}

    std::uint64_t of(std::uint64_t x) const {
        return folded_product(x ^ added_, factor_);
    }
    // A short string's own bytes; a hash of a longer one's.
    std::uint64_t key_of(std::string_view string) const {
        const char* bytes = string.data();
        std::size_t left = string.size();
        std::uint64_t key = 0;
        for (; left > kWord; bytes += kWord, left -= kWord)
            key = of(key ^ word_of(bytes, kWord)) + left;
        return key ^ word_of(bytes, left);
    }

private:
    std::uint64_t added_, factor_;
};

// Open addressing from a string to its code.
template <class Place>
class CodeTable {
public:
    CodeTable(const Strings<Place>& strings, std::uint64_t seed)
        : strings_(strings), hash_(seed), slots_(kFirstSlots) {}

    std::int64_t code_of(std::size_t row) {
        const std::string_view string = strings_[row];
        const std::uint64_t key = hash_.key_of(string);
        Slot* slot = &slots_[first_slot(key, string.size())];
        for (; slot->code != kEmpty; slot = next(slot))
            if (slot->key == key && slot->length == string.size() && is_at(*slot, string))
                return slot->code;
        const auto code = static_cast<std::int64_t>(rows_.size());
        *slot = {key, string.size(), code};
        rows_.push_back(row);
        if (2 * rows_.size() > slots_.size()) grow();
        return code;
    }
    std::vector<std::size_t> take_rows() {
        return std::move(rows_);
    }

private:
    static constexpr std::int64_t kEmpty = -1;
    static constexpr std::size_t kFirstSlots = 64;

    struct Slot {
        std::uint64_t key = 0;
        std::size_t length = 0;
        std::int64_t code = kEmpty;
    };

    std::size_t first_slot(std::uint64_t key, std::size_t length) const {
        return hash_.of(key + length) & (slots_.size() - 1);
    }
    Slot* next(Slot* slot) {
        return slot + 1 == slots_.data() + slots_.size() ? slots_.data() : slot + 1;
    }
    // Keys and lengths are the same.
    bool is_at(const Slot& slot, std::string_view string) const {
        return slot.length <= kWord ||
               strings_[rows_[static_cast<std::size_t>(slot.code)]] == string;
    }
    void grow() {
        std::vector<Slot> before(2 * slots_.size());
        before.swap(slots_);
        for (const Slot& slot : before) {
            if (slot.code == kEmpty) continue;
            Slot* to = &slots_[first_slot(slot.key, slot.length)];
            while (to->code != kEmpty) to = next(to);
            *to = slot;
        }
    }

    const Strings<Place>& strings_;
    Hash hash_;
    std::vector<Slot> slots_;
    std::vector<std::size_t> rows_;
};

template <class Place>
StringCodes code(const Strings<Place>& strings, std::uint64_t seed) {
    CodeTable<Place> table(strings, seed);
    StringCodes found;
    found.codes.resize(strings.n);
    for (std::size_t row = 0; row < strings.n; ++row) found.codes[row] = table.code_of(row);
    found.rows = table.take_rows();
    return found;
}

}  // namespace

StringCodes code_strings(const Strings<std::int32_t>& strings, std::uint64_t seed) {
    return code(strings, seed);
}

StringCodes code_strings(const Strings<std::int64_t>& strings, std::uint64_t seed) {
    return code(strings, seed);
}

}  // namespace sgt
