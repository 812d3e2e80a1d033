// Named arrays of numbers: what a learner's whole state is written to and read from. Reading checks
// names, types and sizes, and throws std::invalid_argument naming the array.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace sgt {

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
    template <class T>
    const std::vector<T>& get(const std::string& name, std::size_t size) const {
        const std::vector<T>& values = get<T>(name);
        if (values.size() != size) fail(name, "has the wrong size");
        return values;
    }
    bool has(const std::string& name) const {
        return arrays_.contains(name);
    }
    const std::map<std::string, Array>& arrays() const {
        return arrays_;
    }

    [[noreturn]] static void fail(const std::string& name, const char* what);

private:
    std::map<std::string, Array> arrays_;
};

// Reads an array from front to back, with bounds checked.
template <class T>
class ArrayReader {
public:
    ArrayReader(const Archive& archive, std::string name)
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
    const std::vector<T>& values_;
    std::size_t at_ = 0;
};

}  // namespace sgt
