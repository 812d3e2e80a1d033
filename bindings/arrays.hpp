// NumPy arrays in and out.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

namespace nb = nanobind;

namespace bindings {

using Floats = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Ints = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using RowNumbers = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
// Of one dimension, or of rows with a number for each output.
using Numbers = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
using MaybeFloats = std::optional<Floats>;

inline void require(bool holds, const char* message) {
    if (!holds) throw nb::value_error(message);
}

// A NumPy array that takes the vector over.
template <class T>
auto to_numpy(std::vector<T> values) {
    auto owned = std::make_unique<std::vector<T>>(std::move(values));
    T* data = owned->data();
    const std::size_t n = owned->size();
    nb::capsule owner(owned.release(),
                      [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {n}, owner);
}

// Bytes as a NumPy array of what they are.
template <class As, class Byte, class... Sizes>
auto bytes_to_numpy(std::vector<Byte> bytes, Sizes... sizes) {
    static_assert(sizeof(Byte) == 1);
    auto owned = std::make_unique<std::vector<Byte>>(std::move(bytes));
    auto* data = reinterpret_cast<As*>(owned->data());
    nb::capsule owner(owned.release(),
                      [](void* p) noexcept { delete static_cast<std::vector<Byte>*>(p); });
    return nb::ndarray<nb::numpy, As, nb::ndim<sizeof...(sizes)>>(data, {sizes...}, owner);
}

// Zeros and ones as a NumPy array of bool.
inline auto to_numpy_bool(std::vector<std::uint8_t> values) {
    static_assert(sizeof(bool) == sizeof(std::uint8_t));
    const std::size_t n = values.size();
    return bytes_to_numpy<bool>(std::move(values), n);
}

// The same with several dimensions.
template <class T, class... Sizes>
auto to_numpy(std::vector<T> values, std::size_t first, Sizes... others) {
    auto owned = std::make_unique<std::vector<T>>(std::move(values));
    T* data = owned->data();
    nb::capsule owner(owned.release(),
                      [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::ndarray<nb::numpy, T, nb::ndim<1 + sizeof...(others)>>(data, {first, others...},
                                                                      owner);
}

// Numbers for each output: one dimension where there is one output, otherwise rows of them.
inline nb::object rows_of_outputs(std::vector<double> values, std::size_t outputs) {
    if (outputs == 1) return nb::cast(to_numpy(std::move(values)));
    const std::size_t rows = values.size() / outputs;
    return nb::cast(to_numpy(std::move(values), rows, outputs));
}

}  // namespace bindings
