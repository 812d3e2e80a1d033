// Detectors of change over a whole series of inputs, for the tests.
#include <cstddef>
#include <cstdint>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "arrays.hpp"
#include "sgt/drift/adwin.hpp"
#include "sgt/drift/page_hinkley.hpp"

namespace bindings {

namespace {

// The numbers of the inputs at which the detector speaks, and the means before and after.
template <class Detector>
nb::tuple changes(Detector detector, const Floats& inputs) {
    std::vector<std::int64_t> at;
    std::vector<double> means;
    for (std::size_t i = 0; i < inputs.shape(0); ++i) {
        if (!detector.add(inputs.data()[i])) continue;
        at.push_back(static_cast<std::int64_t>(i));
        means.insert(means.end(), {detector.change().before, detector.change().after});
    }
    const std::size_t n = at.size();
    return nb::make_tuple(to_numpy(std::move(at)), to_numpy(std::move(means), n, std::size_t{2}));
}

}  // namespace

void bind_drift(nb::module_& m) {
    m.def(
        "adwin_changes",
        [](const Floats& inputs, double delta, std::size_t bucket_inputs, std::size_t test_inputs) {
            return changes(sgt::Adwin(delta, bucket_inputs, test_inputs), inputs);
        },
        nb::arg("inputs"), nb::arg("delta"), nb::arg("bucket_inputs") = 1,
        nb::arg("test_inputs") = 32);
    m.def(
        "page_hinkley_changes",
        [](const Floats& inputs, double tolerance, double threshold, double fading,
           std::size_t least_inputs) {
            return changes(sgt::PageHinkley({tolerance, threshold, fading, least_inputs}), inputs);
        },
        nb::arg("inputs"), nb::arg("tolerance"), nb::arg("threshold"), nb::arg("fading"),
        nb::arg("least_inputs"));
}

}  // namespace bindings
