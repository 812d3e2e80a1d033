// Explainer: a learner's trees at one moment, seen from Python.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "arrays.hpp"
#include "learner_arguments.hpp"
#include "rows.hpp"
#include "sgt/explain/explainer.hpp"
#include "sgt/learner/learner.hpp"

namespace bindings {

namespace {

sgt::Explainer explainer_of(const sgt::Learner& learner) {
    return read_without_gil(learner,
                            [](const sgt::Ensemble& ensemble, const sgt::FeatureSpace& features) {
                                return sgt::Explainer(ensemble, features);
                            });
}

sgt::RowsView checked_rows(const sgt::Explainer& explainer, const Rows& x) {
    const sgt::RowsView view = rows_view(x);
    require(view.features == explainer.n_features(), "X has the wrong number of columns");
    return view;
}

auto shap_values(const sgt::Explainer& explainer, const Rows& x, std::size_t n_threads) {
    const sgt::RowsView rows = checked_rows(explainer, x);
    std::vector<double> values(rows.rows * rows.features * explainer.n_outputs());
    {
        const NoGil release;
        explainer.explain(rows, n_threads, values.data());
    }
    return to_numpy(std::move(values), rows.rows, rows.features, explainer.n_outputs());
}

auto route(const sgt::Explainer& explainer, const Rows& x, std::size_t n_threads) {
    const sgt::RowsView rows = checked_rows(explainer, x);
    std::vector<sgt::NodeIndex> nodes(rows.rows * explainer.n_trees());
    {
        const NoGil release;
        explainer.route(rows, n_threads, nodes.data());
    }
    return to_numpy(std::move(nodes), rows.rows, explainer.n_trees());
}

}  // namespace

void bind_explainer(nb::module_& m) {
    using sgt::Explainer;
    nb::class_<Explainer>(m, "Explainer")
        .def(
            "__init__",
            [](Explainer* self, const sgt::Learner& learner) {
                new (self) Explainer(explainer_of(learner));
            },
            nb::arg("learner"))
        .def_prop_ro("n_features", &Explainer::n_features)
        .def_prop_ro("n_trees", &Explainer::n_trees)
        .def("base",
             [](const Explainer& explainer) {
                 return to_numpy(std::vector<double>(explainer.base()));
             })
        .def("shap_values", &shap_values, nb::arg("X"), nb::arg("n_threads") = 1)
        .def("route", &route, nb::arg("X"), nb::arg("n_threads") = 1);
}

}  // namespace bindings
