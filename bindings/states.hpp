// A learner's whole state: arrays by their names.
#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>

#include "arrays.hpp"
#include "sgt/archive/archive.hpp"
#include "sgt/learner/learner.hpp"

namespace bindings {

inline nb::dict to_dict(sgt::Archive archive) {
    std::map<std::string, sgt::Archive::Array> arrays = std::move(archive).arrays();
    nb::dict state;
    for (auto& [name, array] : arrays)
        std::visit(
            [&, &key = name](auto& values) { state[key.c_str()] = to_numpy(std::move(values)); },
            array);
    return state;
}

inline nb::dict state_of(const sgt::Learner& learner, bool inference_only) {
    sgt::Archive archive;
    {
        const nb::gil_scoped_release release;
        archive = learner.save(inference_only);
    }
    return to_dict(std::move(archive));
}

using StateArray = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

using State = std::map<std::string, StateArray>;

// A view: the arrays are Python's, and stay for as long as the state does.
inline sgt::ArchiveView to_archive(const State& state) {
    sgt::ArchiveView archive;
    const auto put = [&]<class T>(const std::string& name, const StateArray& array, T) {
        archive.put(name, std::span(static_cast<const T*>(array.data()), array.shape(0)));
    };
    for (const auto& [name, array] : state) {
        if (array.dtype() == nb::dtype<double>())
            put(name, array, double{});
        else if (array.dtype() == nb::dtype<std::int64_t>())
            put(name, array, std::int64_t{});
        else if (array.dtype() == nb::dtype<std::uint8_t>())
            put(name, array, std::uint8_t{});
        else
            sgt::Archive::fail(name, "has the wrong type");
    }
    return archive;
}

}  // namespace bindings
