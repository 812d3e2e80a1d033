// ClassLearner, seen from Python.
#include <algorithm>
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
#include "partials.hpp"
#include "sgt/learner/class_learner.hpp"
#include "states.hpp"

namespace bindings {

namespace {

std::vector<double> class_targets(const Ints& y, std::size_t rows) {
    require(y.shape(0) == rows, "y must have one class number for each row");
    return {y.data(), y.data() + rows};
}

using sgt::ClassLearner;

nb::dict gather_classes(ClassLearner& model, const std::vector<Rows>& x, const Ints& y,
                        const MaybeFloats& weight) {
    const Pieces pieces(model, x);
    const double* w = checked_weights(weight, pieces.rows);
    const std::vector<double> classes = class_targets(y, pieces.rows);
    return partial_of([&] { return model.gather(pieces.views, classes.data(), w); });
}

void learn_classes(ClassLearner& model, const Rows& x, const Ints& y, const MaybeFloats& weight) {
    const sgt::RowsView rows = checked_rows(model, x);
    const double* w = checked_weights(weight, rows.rows);
    const NoGil release;
    model.learn(rows, class_targets(y, rows.rows).data(), w, nullptr);
}

auto learn_labels(ClassLearner& model, const Rows& x, const Ints& y, const MaybeFloats& weight,
                  const Ints& rank) {
    const sgt::RowsView rows = checked_rows(model, x);
    const double* w = checked_weights(weight, rows.rows);
    const std::vector<double> classes = class_targets(y, rows.rows);
    const double most = classes.empty() ? 0.0 : *std::max_element(classes.begin(), classes.end());
    require(static_cast<double>(rank.shape(0)) > most && rank.shape(0) >= model.n_classes(),
            "rank must have a place for each class");
    std::vector<std::int32_t> labels(rows.rows);
    {
        const NoGil release;
        sgt::ClassPredictions before;
        before.labels = labels.data();
        before.rank = rank.data();
        before.most_classes = rank.shape(0);
        model.learn(rows, classes.data(), w, &before);
    }
    return to_numpy(std::move(labels));
}

auto learn_proba(ClassLearner& model, const Rows& x, const Ints& y, const MaybeFloats& weight,
                 std::size_t n_classes) {
    const sgt::RowsView rows = checked_rows(model, x);
    const double* w = checked_weights(weight, rows.rows);
    const std::vector<double> classes = class_targets(y, rows.rows);
    const double most = classes.empty() ? 0.0 : *std::max_element(classes.begin(), classes.end());
    require(static_cast<double>(n_classes) > most && n_classes >= model.n_classes(),
            "n_classes must count every class");
    std::vector<double> probabilities(rows.rows * n_classes, 0.0);
    {
        const NoGil release;
        sgt::ClassPredictions before;
        before.probabilities = probabilities.data();
        before.stride = before.most_classes = n_classes;
        model.learn(rows, classes.data(), w, &before);
    }
    return to_numpy(std::move(probabilities), rows.rows, n_classes);
}

auto labels(const ClassLearner& model, const Rows& x, const Ints& rank,
            std::optional<std::size_t> members) {
    const sgt::RowsView rows = checked_rows(model, x);
    std::vector<std::int32_t> labels(rows.rows);
    sgt::ClassPredictions out;
    out.labels = labels.data();
    out.rank = rank.data();
    out.most_classes = rank.shape(0);
    {
        const NoGil release;
        model.predict(rows, out, members.value_or(sgt::Ensemble::kInUse));
    }
    return to_numpy(std::move(labels));
}

auto proba(const ClassLearner& model, const Rows& x, std::optional<std::size_t> members) {
    const sgt::RowsView rows = checked_rows(model, x);
    const std::size_t n_classes = model.n_classes();
    std::vector<double> probabilities(rows.rows * n_classes);
    sgt::ClassPredictions out;
    out.probabilities = probabilities.data();
    out.stride = out.most_classes = n_classes;
    {
        const NoGil release;
        model.predict(rows, out, members.value_or(sgt::Ensemble::kInUse));
    }
    return to_numpy(std::move(probabilities), rows.rows, n_classes);
}

// Returns whether a feature got new bins.
bool learn_class(ClassLearner& model, const Floats& row, std::int32_t y, double weight) {
    const sgt::RowsView rows = one_row(model, row);
    const NoGil release;
    const double target = y;
    const std::uint64_t updates = model.n_range_updates();
    model.learn(rows, &target, &weight, nullptr);
    return model.n_range_updates() != updates;
}

std::vector<double> proba_one(const ClassLearner& model, const Floats& row) {
    const sgt::RowsView rows = one_row(model, row);
    const NoGil release;
    std::vector<double> probabilities(model.n_classes());
    sgt::ClassPredictions out;
    out.probabilities = probabilities.data();
    out.stride = out.most_classes = probabilities.size();
    model.predict(rows, out);
    return probabilities;
}

// None: when the warm-up ends, the number of classes decides.
ClassLearner::Leaves leaves_of(std::optional<bool> vector_leaves) {
    using Leaves = ClassLearner::Leaves;
    if (!vector_leaves) return Leaves::by_number;
    return *vector_leaves ? Leaves::vector : Leaves::scalar;
}

}  // namespace

void bind_class_learner(nb::module_& m) {
    nb::class_<ClassLearner, sgt::Learner>(m, "ClassLearner")
        .def(
            "__init__",
            [](ClassLearner* self, const sgt::Options& options, const std::vector<bool>& nominal,
               const std::optional<RangesArray>& ranges, std::optional<bool> vector_leaves) {
                const std::optional<sgt::Ranges> given = to_ranges(ranges);
                new (self) ClassLearner(options, nominal, given ? &*given : nullptr,
                                        leaves_of(vector_leaves));
            },
            nb::arg("options"), nb::arg("nominal"), nb::arg("ranges") = nb::none(), nb::kw_only(),
            nb::arg("vector_leaves").none() = false)
        .def_static(
            "from_state",
            [](const sgt::Options& options, const State& state, std::optional<bool> vector_leaves) {
                return std::make_unique<ClassLearner>(options, to_archive(state),
                                                      leaves_of(vector_leaves));
            },
            nb::arg("options"), nb::arg("state"), nb::kw_only(),
            nb::arg("vector_leaves").none() = false)
        .def_prop_ro("has_vector_leaves", &ClassLearner::has_vector_leaves, nb::call_guard<NoGil>())
        .def_prop_ro("n_classes", &ClassLearner::n_classes, nb::call_guard<NoGil>())
        .def("learn", &learn_classes, nb::arg("X"), nb::arg("y"), nb::arg("weight") = nb::none())
        .def("gather", &gather_classes, nb::arg("X"), nb::arg("y"), nb::arg("weight") = nb::none())
        .def("admit_class", &ClassLearner::admit_class, nb::arg("weight"), nb::call_guard<NoGil>())
        .def("learn_predict_labels", &learn_labels, nb::arg("X"), nb::arg("y"),
             nb::arg("weight").none(), nb::arg("rank"))
        .def("learn_predict_proba", &learn_proba, nb::arg("X"), nb::arg("y"),
             nb::arg("weight").none(), nb::arg("n_classes"))
        .def("predict_labels", &labels, nb::arg("X"), nb::arg("rank"),
             nb::arg("members").none() = nb::none())
        .def("predict_proba", &proba, nb::arg("X"), nb::arg("members").none() = nb::none())
        .def("learn_one", &learn_class, nb::arg("row"), nb::arg("y"), nb::arg("weight") = 1.0)
        .def("predict_proba_one", &proba_one, nb::arg("row"));
}

}  // namespace bindings
