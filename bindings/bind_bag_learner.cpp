// BagLearner, seen from Python.
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "learner_arguments.hpp"
#include "sgt/learner/bag_learner.hpp"
#include "states.hpp"

namespace bindings {

namespace {

using sgt::BagLearner;
using Sizes = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void learn(BagLearner& model, const Rows& x, const Sizes& sizes, const Floats& labels,
           const MaybeFloats& weight) {
    const sgt::RowsView rows = checked_rows(model, x);
    const double* w = checked_weights(weight, sizes.shape(0));
    require(labels.shape(0) == sizes.shape(0), "y must have one label for each bag");
    std::vector<std::size_t> n_instances;
    for (std::size_t i = 0; i < sizes.shape(0); ++i) {
        require(sizes.data()[i] > 0, "a bag must have at least one instance");
        n_instances.push_back(static_cast<std::size_t>(sizes.data()[i]));
    }
    const NoGil release;
    model.learn(rows, n_instances, labels.data(), w);
}

auto score(const BagLearner& model, const Rows& x) {
    const sgt::RowsView rows = checked_rows(model, x);
    std::vector<double> scores(rows.rows);
    {
        const NoGil release;
        model.score(rows, scores.data());
    }
    return to_numpy(std::move(scores));
}

}  // namespace

void bind_bag_learner(nb::module_& m) {
    nb::class_<BagLearner, sgt::Learner>(m, "BagLearner")
        .def(
            "__init__",
            [](BagLearner* self, const sgt::Options& options, const std::vector<bool>& nominal,
               const std::optional<RangesArray>& ranges, double sharpness) {
                const std::optional<sgt::Ranges> given = to_ranges(ranges);
                new (self) BagLearner(options, nominal, given ? &*given : nullptr,
                                      sgt::Pooling{sharpness});
            },
            nb::arg("options"), nb::arg("nominal"), nb::arg("ranges") = nb::none(),
            nb::arg("sharpness") = 0.0)
        .def_static(
            "from_state",
            [](const sgt::Options& options, const State& state, double sharpness) {
                return std::make_unique<BagLearner>(options, to_archive(state),
                                                    sgt::Pooling{sharpness});
            },
            nb::arg("options"), nb::arg("state"), nb::arg("sharpness") = 0.0)
        .def("learn", &learn, nb::arg("X"), nb::arg("sizes"), nb::arg("y"),
             nb::arg("weight") = nb::none())
        .def("score", &score, nb::arg("X"));
}

}  // namespace bindings
