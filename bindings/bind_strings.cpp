// Columns of strings, as Arrow has them.
#include <cstdint>
#include <string_view>
#include <utility>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "arrays.hpp"
#include "sgt/data/string_codes.hpp"

namespace bindings {

namespace {

using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class Place>
using Places = nb::ndarray<const Place, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

nb::object to_python(std::string_view string) {
    const auto size = static_cast<Py_ssize_t>(string.size());
    PyObject* text = PyUnicode_FromStringAndSize(string.data(), size);
    if (text == nullptr) nb::raise_python_error();  // it is no UTF-8
    return nb::steal(text);
}

template <class Place>
nb::tuple code_strings(const Places<Place>& places, const Bytes& text, std::uint64_t seed) {
    require(places.shape(0) > 0, "places must have an end");
    const sgt::Strings<Place> strings{reinterpret_cast<const char*>(text.data()), places.data(),
                                      places.shape(0) - 1};
    sgt::StringCodes found;
    {
        const nb::gil_scoped_release release;
        require(strings.are_within(text.shape(0)), "the strings must be within the text");
        found = sgt::code_strings(strings, seed);
    }
    nb::list values;
    for (const std::size_t row : found.rows) values.append(to_python(strings[row]));
    return nb::make_tuple(to_numpy(std::move(found.codes)), values);
}

}  // namespace

void bind_strings(nb::module_& m) {
    m.def("code_strings", &code_strings<std::int32_t>, nb::arg("places").noconvert(),
          nb::arg("text"), nb::arg("seed"));
    m.def("code_strings", &code_strings<std::int64_t>, nb::arg("places").noconvert(),
          nb::arg("text"), nb::arg("seed"));
}

}  // namespace bindings
