// Named arrays of numbers: what a learner's whole state is written to and read from. Reading checks
// names, types and sizes, and throws std::invalid_argument naming the array.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace sgt {

// What is written.
class Archive {
public:
    using Array =
        std::variant<std::vector<std::uint8_t>, std::vector<std::int64_t>, std::vector<double>>;

    template <class T>
    void put(const std::string& name, std::vector<T> values) {
        arrays_[name] = std::move(values);
    }
    template <class T>
    const std::vector<T>& get(const std::string& name) const {
        const auto at = arrays_.find(name);
        if (at == arrays_.end()) fail(name, "is missing");
        const auto* values = std::get_if<std::vector<T>>(&at->second);
        if (values == nullptr) fail(name, "has the wrong type");
        return *values;
    }
    bool has(const std::string& name) const {
        return arrays_.contains(name);
    }
    const std::map<std::string, Array>& arrays() const& {
        return arrays_;
    }
    std::map<std::string, Array> arrays() && {
        return std::move(arrays_);
    }

    [[noreturn]] static void fail(const std::string& name, const char* what);

private:
    std::map<std::string, Array> arrays_;
};

// What is read: views of arrays, which the caller keeps.
class ArchiveView {
public:
    using Array = std::variant<std::span<const std::uint8_t>, std::span<const std::int64_t>,
                               std::span<const double>>;

    ArchiveView() = default;
    ArchiveView(const Archive& archive) {  // NOLINT: an archive is one that can be read
        for (const auto& [name, array] : archive.arrays())
            std::visit([&, &key = name](const auto& values) { put(key, std::span(values)); },
                       array);
    }

    template <class T>
    void put(const std::string& name, std::span<const T> values) {
        arrays_[name] = values;
    }
    bool has(const std::string& name) const {
        return arrays_.contains(name);
    }
    template <class T>
    std::span<const T> get(const std::string& name) const {
        const auto at = arrays_.find(name);
        if (at == arrays_.end()) Archive::fail(name, "is missing");
        const auto* values = std::get_if<std::span<const T>>(&at->second);
        if (values == nullptr) Archive::fail(name, "has the wrong type");
        return *values;
    }
    template <class T>
    std::span<const T> get(const std::string& name, std::size_t size) const {
        const std::span<const T> values = get<T>(name);
        if (values.size() != size) Archive::fail(name, "has the wrong size");
        return values;
    }
    // One number.
    template <class T>
    T get_one(const std::string& name) const {
        return get<T>(name, 1)[0];
    }
    // One number that counts something.
    std::uint64_t get_count(const std::string& name) const;

private:
    std::map<std::string, Array> arrays_;
};

template <class T>
std::vector<T> to_vector(std::span<const T> values) {
    return {values.begin(), values.end()};
}

// A number that counts something; fails where it is negative, or above 2^62.
std::uint64_t to_count(std::int64_t number, const std::string& name);

// Reads an array from front to back, with bounds checked.
template <class T>
class ArrayReader {
public:
    ArrayReader(const ArchiveView& archive, std::string name)
        : name_(std::move(name)), values_(archive.get<T>(name_)) {}

    T next() {
        return *take(1);
    }
    const T* take(std::size_t n) {
        if (n > values_.size() - at_) Archive::fail(name_, "is too short");
        at_ += n;
        return values_.data() + (at_ - n);
    }
    void finish() const {
        if (at_ != values_.size()) Archive::fail(name_, "is too long");
    }

private:
    std::string name_;
    std::span<const T> values_;
    std::size_t at_ = 0;
};

}  // namespace sgt
