// LossLearner, seen from Python.
#include <limits>
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
#include "losses.hpp"
#include "partials.hpp"
#include "sgt/learner/loss_learner.hpp"
#include "states.hpp"

namespace bindings {

namespace {

using sgt::LossLearner;
const double* checked_targets(const LossLearner& model, const Numbers& y, std::size_t rows) {
    require(y.ndim() >= 1 && y.shape(0) == rows && y.size() == rows * model.n_outputs(),
            "y must have a number for each output of each row");
    return y.data();
}

nb::object learn_predict(LossLearner& model, const Rows& x, const Numbers& y,
                         const MaybeFloats& weight) {
    const sgt::RowsView rows = checked_rows(model, x);
    const double* w = checked_weights(weight, rows.rows);
    const double* targets = checked_targets(model, y, rows.rows);
    std::vector<double> before(rows.rows * model.n_outputs());
    {
        const NoGil release;
        model.learn(rows, targets, w, before.data());
    }
    return rows_of_outputs(std::move(before), model.n_outputs());
}

nb::dict gather_targets(LossLearner& model, const std::vector<Rows>& x, const Numbers& y,
                        const MaybeFloats& weight) {
    const Pieces pieces(model, x);
    const double* w = checked_weights(weight, pieces.rows);
    const double* targets = checked_targets(model, y, pieces.rows);
    return partial_of([&] { return model.gather(pieces.views, targets, w); });
}

void learn_targets(LossLearner& model, const Rows& x, const Numbers& y, const MaybeFloats& weight) {
    const sgt::RowsView rows = checked_rows(model, x);
    const double* w = checked_weights(weight, rows.rows);
    const double* targets = checked_targets(model, y, rows.rows);
    const NoGil release;
    model.learn(rows, targets, w, nullptr);
}

using NodeNumbers = nb::ndarray<const sgt::NodeIndex, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
void settle_quantiles(LossLearner& model, const NodeNumbers& nodes, const Numbers& y,
                      const MaybeFloats& weight) {
    const double* w = checked_weights(weight, nodes.shape(0));
    const double* targets = checked_targets(model, y, nodes.shape(0));
    const NoGil release;
    model.settle_quantiles(nodes.data(), targets, w, nodes.shape(0));
}

nb::object predict(const LossLearner& model, const Rows& x, std::optional<std::size_t> members) {
    const sgt::RowsView rows = checked_rows(model, x);
    std::vector<double> raw(rows.rows * model.n_outputs());
    {
        const NoGil release;
        model.predict(rows, raw.data(), members.value_or(sgt::Ensemble::kInUse));
    }
    return rows_of_outputs(std::move(raw), model.n_outputs());
}

// Returns whether a feature got new bins.
bool learn_target(LossLearner& model, const Floats& row, double y, double weight) {
    const sgt::RowsView rows = one_row(model, row);
    require(model.n_outputs() == 1, "y must have a number for each output");
    const NoGil release;
    const std::uint64_t updates = model.n_range_updates();
    model.learn(rows, &y, &weight, nullptr);
    return model.n_range_updates() != updates;
}

double predict_one(const LossLearner& model, const Floats& row) {
    const sgt::RowsView rows = one_row(model, row);
    require(model.n_outputs() == 1, "there are several outputs");
    const NoGil release;
    double raw = std::numeric_limits<double>::quiet_NaN();
    model.predict(rows, &raw);
    return raw;
}

std::vector<double> scales(const LossLearner& model) {
    const NoGil release;
    return model.scales();
}

int visit_learner(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    if (!nb::inst_ready(self)) return 0;
    return visit_python_loss(*nb::inst_ptr<LossLearner>(self)->losses()[0], visit, arg);
}

int clear_learner(PyObject* self) {
    if (!nb::inst_ready(self)) return 0;
    drop_python_loss(*nb::inst_ptr<LossLearner>(self)->losses()[0]);
    return 0;
}

PyType_Slot learner_slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(visit_learner)},
                               {Py_tp_clear, reinterpret_cast<void*>(clear_learner)},
                               {0, nullptr}};

}  // namespace

void bind_loss_learner(nb::module_& m) {
    nb::class_<LossLearner, sgt::Learner>(m, "LossLearner", nb::type_slots(learner_slots))
        .def(
            "__init__",
            [](LossLearner* self, const sgt::Options& options, const std::vector<bool>& nominal,
               const std::optional<RangesArray>& ranges, const LossSpec& loss,
               std::size_t n_outputs) {
                require(n_outputs >= 1, "n_outputs must be at least 1");
                const std::optional<sgt::Ranges> given = to_ranges(ranges);
                new (self) LossLearner(options, nominal, given ? &*given : nullptr,
                                       loss.make_all(n_outputs), n_outputs);
            },
            nb::arg("options"), nb::arg("nominal"), nb::arg("ranges") = nb::none(),
            nb::arg("loss") = LossSpec{}, nb::arg("n_outputs") = 1)
        .def_static(
            "from_state",
            [](const sgt::Options& options, const State& state, const LossSpec& loss,
               std::size_t n_outputs) {
                require(n_outputs >= 1, "n_outputs must be at least 1");
                return std::make_unique<LossLearner>(options, to_archive(state),
                                                     loss.make_all(n_outputs), n_outputs);
            },
            nb::arg("options"), nb::arg("state"), nb::arg("loss") = LossSpec{},
            nb::arg("n_outputs") = 1)
        .def_prop_ro("n_outputs", &LossLearner::n_outputs)
        .def_prop_ro(
            "loss_scales", [](const LossLearner& model) { return to_numpy(scales(model)); },
            nb::rv_policy::move)
        .def("learn", &learn_targets, nb::arg("X"), nb::arg("y"), nb::arg("weight") = nb::none())
        .def("gather", &gather_targets, nb::arg("X"), nb::arg("y"), nb::arg("weight") = nb::none())
        .def("learn_predict", &learn_predict, nb::arg("X"), nb::arg("y"),
             nb::arg("weight") = nb::none())
        .def("settle_quantiles", &settle_quantiles, nb::arg("nodes"), nb::arg("y"),
             nb::arg("weight") = nb::none())
        .def("predict", &predict, nb::arg("X"), nb::arg("members").none() = nb::none())
        .def("learn_one", &learn_target, nb::arg("row"), nb::arg("y"), nb::arg("weight") = 1.0)
        .def("predict_one", &predict_one, nb::arg("row"));
}

}  // namespace bindings
