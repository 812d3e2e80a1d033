// The learners of classes, seen from Python.
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
#include "sgt/learner/committee.hpp"
#include "sgt/learner/softmax_tree.hpp"
#include "states.hpp"

namespace bindings {

namespace {

std::vector<double> class_targets(const Ints& y, std::size_t rows) {
    require(y.shape(0) == rows, "y must have one class number for each row");
    return {y.data(), y.data() + rows};
}

using sgt::ClassLearner;

nb::dict classifier_gather(ClassLearner& model, const std::vector<Rows>& x, const Ints& y,
                           const MaybeFloats& weight) {
    const Pieces pieces(model, x);
    const double* w = checked_weights(weight, pieces.rows);
    const std::vector<double> classes = class_targets(y, pieces.rows);
    return partial_of([&] { return model.gather(pieces.views, classes.data(), w); });
}

void classifier_learn(ClassLearner& model, const Rows& x, const Ints& y,
                      const MaybeFloats& weight) {
    const sgt::RowsView rows = checked_rows(model, x);
    const double* w = checked_weights(weight, rows.rows);
    const NoGil release;
    model.learn(rows, class_targets(y, rows.rows).data(), w, nullptr);
}

auto classifier_learn_labels(ClassLearner& model, const Rows& x, const Ints& y,
                             const MaybeFloats& weight, const Ints& rank) {
    const sgt::RowsView rows = checked_rows(model, x);
    const double* w = checked_weights(weight, rows.rows);
    const std::vector<double> classes = class_targets(y, rows.rows);
    const double most = classes.empty() ? 0.0 : *std::max_element(classes.begin(), classes.end());
    require(static_cast<double>(rank.shape(0)) > most && rank.shape(0) >= model.n_classes(),
            "rank must have a place for each class");
    std::vector<std::int32_t> labels(rows.rows);
    {
        const NoGil release;
        ClassLearner::Predictions before;
        before.labels = labels.data();
        before.rank = rank.data();
        model.learn(rows, classes.data(), w, &before);
    }
    return to_numpy(std::move(labels));
}

auto classifier_learn_proba(ClassLearner& model, const Rows& x, const Ints& y,
                            const MaybeFloats& weight, std::size_t n_classes) {
    const sgt::RowsView rows = checked_rows(model, x);
    const double* w = checked_weights(weight, rows.rows);
    const std::vector<double> classes = class_targets(y, rows.rows);
    const double most = classes.empty() ? 0.0 : *std::max_element(classes.begin(), classes.end());
    require(static_cast<double>(n_classes) > most && n_classes >= model.n_classes(),
            "n_classes must count every class");
    std::vector<double> probabilities(rows.rows * n_classes, 0.0);
    {
        const NoGil release;
        ClassLearner::Predictions before;
        before.probabilities = probabilities.data();
        before.stride = n_classes;
        model.learn(rows, classes.data(), w, &before);
    }
    return to_numpy(std::move(probabilities), rows.rows, n_classes);
}

auto classifier_labels(const ClassLearner& model, const Rows& x, const Ints& rank) {
    const sgt::RowsView rows = checked_rows(model, x);
    std::vector<std::int32_t> labels(rows.rows);
    ClassLearner::Predictions out;
    out.labels = labels.data();
    out.rank = rank.data();
    {
        const NoGil release;
        model.predict(rows, out, rank.shape(0));
    }
    return to_numpy(std::move(labels));
}

auto classifier_proba(const ClassLearner& model, const Rows& x) {
    const sgt::RowsView rows = checked_rows(model, x);
    const std::size_t n_classes = model.n_classes();
    std::vector<double> probabilities(rows.rows * n_classes);
    ClassLearner::Predictions out;
    out.probabilities = probabilities.data();
    out.stride = n_classes;
    {
        const NoGil release;
        model.predict(rows, out, n_classes);
    }
    return to_numpy(std::move(probabilities), rows.rows, n_classes);
}

void classifier_learn_one(ClassLearner& model, const Floats& row, std::int32_t y, double weight) {
    const sgt::RowsView rows = one_row(model, row);
    const NoGil release;
    const double target = y;
    model.learn(rows, &target, &weight, nullptr);
}

std::vector<double> classifier_proba_one(const ClassLearner& model, const Floats& row) {
    const sgt::RowsView rows = one_row(model, row);
    const NoGil release;
    std::vector<double> probabilities(model.n_classes());
    ClassLearner::Predictions out;
    out.probabilities = probabilities.data();
    out.stride = probabilities.size();
    model.predict(rows, out, probabilities.size());
    return probabilities;
}

template <class Model>
void bind_classifier(nb::module_& m, const char* name) {
    nb::class_<Model, ClassLearner>(m, name)
        .def(
            "__init__",
            [](Model* self, const sgt::Options& options, const std::vector<bool>& nominal,
               const std::optional<RangesArray>& ranges) {
                const std::optional<sgt::Ranges> given = to_ranges(ranges);
                new (self) Model(options, nominal, given ? &*given : nullptr);
            },
            nb::arg("options"), nb::arg("nominal"), nb::arg("ranges") = nb::none())
        .def_static(
            "from_state",
            [](const sgt::Options& options, const State& state) {
                return std::make_unique<Model>(options, to_archive(state));
            },
            nb::arg("options"), nb::arg("state"));
}

}  // namespace

void bind_classifiers(nb::module_& m) {
    nb::class_<ClassLearner, sgt::Learner>(m, "ClassLearner")
        .def_prop_ro("n_classes", &ClassLearner::n_classes, nb::call_guard<NoGil>())
        .def("learn", &classifier_learn, nb::arg("X"), nb::arg("y"), nb::arg("weight") = nb::none())
        .def("gather", &classifier_gather, nb::arg("X"), nb::arg("y"),
             nb::arg("weight") = nb::none())
        .def("admit_class", &ClassLearner::admit, nb::arg("weight"), nb::call_guard<NoGil>())
        .def("learn_predict_labels", &classifier_learn_labels, nb::arg("X"), nb::arg("y"),
             nb::arg("weight").none(), nb::arg("rank"))
        .def("learn_predict_proba", &classifier_learn_proba, nb::arg("X"), nb::arg("y"),
             nb::arg("weight").none(), nb::arg("n_classes"))
        .def("predict_labels", &classifier_labels, nb::arg("X"), nb::arg("rank"))
        .def("predict_proba", &classifier_proba, nb::arg("X"))
        .def("learn_one", &classifier_learn_one, nb::arg("row"), nb::arg("y"),
             nb::arg("weight") = 1.0)
        .def("predict_proba_one", &classifier_proba_one, nb::arg("row"));
    bind_classifier<sgt::Committee>(m, "Classifier");
    bind_classifier<sgt::SoftmaxTree>(m, "VectorClassifier");
}

}  // namespace bindings
