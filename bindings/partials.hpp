// Partial statistics as dictionaries of arrays.
#pragma once

#include <utility>

#include <nanobind/nanobind.h>

#include "sgt/rounds/partial.hpp"
#include "states.hpp"

namespace bindings {

// What `gather` gives: calls it without the GIL.
template <class Gather>
nb::dict partial_of(Gather&& gather) {
    sgt::Archive archive;
    {
        const nb::gil_scoped_release release;
        gather().save(archive);
    }
    return to_dict(std::move(archive));
}

}  // namespace bindings
