// Classifier and Regressor: the learners of the core, seen from Python.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "archives.hpp"
#include "arrays.hpp"
#include "losses.hpp"
#include "sgt/bags.hpp"
#include "sgt/committee.hpp"
#include "sgt/loss_tree.hpp"
#include "sgt/softmax_tree.hpp"

namespace bindings {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
using NoGil = nb::gil_scoped_release;

// ---------------------------------------------------------------------------------------------
// Arguments
// ---------------------------------------------------------------------------------------------

using RangesArray = nb::ndarray<const double, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;

std::optional<sgt::Ranges> to_ranges(const std::optional<RangesArray>& array) {
    if (!array) return std::nullopt;
    sgt::Ranges ranges;
    for (std::size_t f = 0; f < array->shape(0); ++f)
        ranges.emplace_back(array->data()[2 * f], array->data()[2 * f + 1]);
    return ranges;
}

sgt::RowsView checked_rows(const sgt::Learner& learner, const Block& x) {
    const sgt::RowsView view = rows_view(x);
    require(view.features == learner.n_features(), "X has the wrong number of columns");
    return view;
}

const double* checked_weights(const MaybeFloats& weight, std::size_t rows) {
    if (!weight) return nullptr;
    require(weight->shape(0) == rows, "weight must have one number for each row");
    return weight->data();
}

std::vector<double> class_targets(const Ints& y, std::size_t rows) {
    require(y.shape(0) == rows, "y must have one class number for each row");
    return {y.data(), y.data() + rows};
}

sgt::RowsView one_row(const sgt::Learner& learner, const Floats& row) {
    require(row.shape(0) == learner.n_features(), "the row has the wrong number of values");
    return {row.data(), false, 1, row.shape(0)};
}

std::size_t or_unlimited(const std::optional<std::size_t>& limit) {
    return limit.value_or(sgt::kUnlimited);
}

// ---------------------------------------------------------------------------------------------
// State
// ---------------------------------------------------------------------------------------------

nb::dict state_of(const sgt::Learner& learner, bool inference_only) {
    sgt::Archive archive;
    {
        const NoGil release;
        archive = learner.save(inference_only);
    }
    return to_dict(std::move(archive));
}

// ---------------------------------------------------------------------------------------------
// A tree as arrays
// ---------------------------------------------------------------------------------------------

struct TreeArrays {
    std::vector<std::int32_t> parent, depth, feature, default_child, category;
    std::vector<double> value, threshold, cover, gain;
    std::vector<std::uint8_t> is_nominal, is_missing_branch, is_left;
    std::vector<std::int64_t> rows;
    std::size_t outputs = 1;

    void add(const sgt::Tree& tree, const sgt::FeatureSpace& features, sgt::NodeIndex i) {
        const sgt::Nodes& nodes = tree.nodes();
        const sgt::Node& node = nodes[i];
        const bool leaf = nodes.is_leaf(i), nominal = nodes.is_nominal_split(i);
        parent.push_back(i == 0 ? -1 : static_cast<std::int32_t>(node.parent));
        depth.push_back(static_cast<std::int32_t>(node.depth));
        value.insert(value.end(), nodes.values(i), nodes.values(i) + nodes.outputs());
        outputs = nodes.outputs();
        feature.push_back(nodes.feature(i));
        is_nominal.push_back(nominal);
        const bool numeric = !leaf && !nominal;
        threshold.push_back(numeric ? features.boundaries(static_cast<std::size_t>(
                                          nodes.feature(i)))[nodes.boundary(i)]
                                    : kNaN);
        default_child.push_back(
            leaf ? -1
            : nominal
                ? static_cast<std::int32_t>(nodes.nominal(i).default_child)
                : static_cast<std::int32_t>(nodes.left(i) + (nodes.missing_goes_left(i) ? 0 : 1)));
        const bool under_nominal = i != 0 && nodes.is_nominal_split(node.parent);
        category.push_back(under_nominal ? static_cast<std::int32_t>(node.branch) - 1 : -1);
        is_missing_branch.push_back(under_nominal && node.branch == sgt::kMissingCode);
        is_left.push_back(i != 0 && !under_nominal && node.branch == 0);
        cover.push_back(leaf ? tree.cover(i) : 0.0);
        gain.push_back(node.gain);
        const sgt::LeafStatistics* s = tree.statistics(i);
        rows.push_back(s == nullptr ? 0 : static_cast<std::int64_t>(s->rows()));
    }
    // An inner node's cover is the sum of its children's, which have higher numbers.
    void sum_covers() {
        for (std::size_t i = parent.size(); i-- > 1;)
            cover[static_cast<std::size_t>(parent[i])] += cover[i];
    }
    nb::dict to_dict() && {
        nb::dict arrays;
        arrays["parent"] = to_numpy(std::move(parent));
        arrays["depth"] = to_numpy(std::move(depth));
        arrays["value"] = rows_of_outputs(std::move(value), outputs);
        arrays["feature"] = to_numpy(std::move(feature));
        arrays["threshold"] = to_numpy(std::move(threshold));
        arrays["is_nominal"] = to_numpy_bool(std::move(is_nominal));
        arrays["default_child"] = to_numpy(std::move(default_child));
        arrays["category"] = to_numpy(std::move(category));
        arrays["is_missing_branch"] = to_numpy_bool(std::move(is_missing_branch));
        arrays["is_left"] = to_numpy_bool(std::move(is_left));
        arrays["cover"] = to_numpy(std::move(cover));
        arrays["gain"] = to_numpy(std::move(gain));
        arrays["rows"] = to_numpy(std::move(rows));
        return arrays;
    }
};

nb::dict tree_arrays(const sgt::Learner& learner, std::size_t index) {
    if (index >= learner.n_trees()) throw nb::index_error("there is no such tree");
    TreeArrays arrays;
    {
        const NoGil release;
        learner.read_tree(index, [&](const sgt::Tree& tree, const sgt::FeatureSpace& features) {
            for (sgt::NodeIndex i = 0; i < tree.nodes().size(); ++i) arrays.add(tree, features, i);
        });
        arrays.sum_covers();
    }
    return std::move(arrays).to_dict();
}

nb::object boundaries_of(const sgt::Learner& learner, std::size_t feature) {
    if (feature >= learner.n_features()) throw nb::index_error("there is no such feature");
    return learner.read_features([&](const sgt::FeatureSpace& features) -> nb::object {
        if (features.is_nominal(feature) || !features.is_ready(feature)) return nb::none();
        return nb::cast(to_numpy(std::vector<double>(features.boundaries(feature))));
    });
}

// ---------------------------------------------------------------------------------------------
// Rounds
// ---------------------------------------------------------------------------------------------

nb::tuple round_of(const sgt::Learner& learner) {
    const sgt::Learner::RoundState round = learner.round();
    return nb::make_tuple(round.size.rows, round.size.is_frozen, round.rows, round.waiting);
}

// What `gather` gives: calls it without the GIL.
template <class Gather>
nb::dict partial_of(Gather&& gather) {
    sgt::Archive archive;
    {
        const NoGil release;
        gather().save(archive);
    }
    return to_dict(std::move(archive));
}

void absorb(sgt::Learner& learner, const State& state) {
    const NoGil release;
    learner.absorb(sgt::Partial::load(to_archive(state)));
}

nb::dict add_partials(const State& first, const State& later) {
    return partial_of([&] {
        sgt::Partial sum = sgt::Partial::load(to_archive(first));
        sum.add(sgt::Partial::load(to_archive(later)));
        return sum;
    });
}

// ---------------------------------------------------------------------------------------------
// Classifier
// ---------------------------------------------------------------------------------------------

using sgt::ClassLearner;

void classifier_learn(ClassLearner& model, const Block& x, const Ints& y,
                      const MaybeFloats& weight) {
    const sgt::RowsView rows = checked_rows(model, x);
    const double* w = checked_weights(weight, rows.rows);
    const NoGil release;
    model.learn(rows, class_targets(y, rows.rows).data(), w, nullptr);
}

nb::dict classifier_gather(ClassLearner& model, const Block& x, const Ints& y,
                           const MaybeFloats& weight) {
    const sgt::RowsView rows = checked_rows(model, x);
    const double* w = checked_weights(weight, rows.rows);
    const std::vector<double> classes = class_targets(y, rows.rows);
    return partial_of([&] { return model.gather(rows, classes.data(), w); });
}

auto classifier_learn_labels(ClassLearner& model, const Block& x, const Ints& y,
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

auto classifier_learn_proba(ClassLearner& model, const Block& x, const Ints& y,
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

auto classifier_labels(const ClassLearner& model, const Block& x, const Ints& rank) {
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

auto classifier_proba(const ClassLearner& model, const Block& x) {
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

// ---------------------------------------------------------------------------------------------
// Regressor
// ---------------------------------------------------------------------------------------------

using sgt::LossTree;
const double* checked_targets(const LossTree& model, const Numbers& y, std::size_t rows) {
    require(y.ndim() >= 1 && y.shape(0) == rows && y.size() == rows * model.n_outputs(),
            "y must have a number for each output of each row");
    return y.data();
}

nb::object regressor_learn_predict(LossTree& model, const Block& x, const Numbers& y,
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

void regressor_learn(LossTree& model, const Block& x, const Numbers& y, const MaybeFloats& weight) {
    const sgt::RowsView rows = checked_rows(model, x);
    const double* w = checked_weights(weight, rows.rows);
    const double* targets = checked_targets(model, y, rows.rows);
    const NoGil release;
    model.learn(rows, targets, w, nullptr);
}

nb::dict regressor_gather(LossTree& model, const Block& x, const Numbers& y,
                          const MaybeFloats& weight) {
    const sgt::RowsView rows = checked_rows(model, x);
    const double* w = checked_weights(weight, rows.rows);
    const double* targets = checked_targets(model, y, rows.rows);
    return partial_of([&] { return model.gather(rows, targets, w); });
}

nb::object regressor_predict(const LossTree& model, const Block& x) {
    const sgt::RowsView rows = checked_rows(model, x);
    std::vector<double> raw(rows.rows * model.n_outputs());
    {
        const NoGil release;
        model.predict(rows, raw.data());
    }
    return rows_of_outputs(std::move(raw), model.n_outputs());
}

void regressor_learn_one(LossTree& model, const Floats& row, double y, double weight) {
    const sgt::RowsView rows = one_row(model, row);
    require(model.n_outputs() == 1, "y must have a number for each output");
    const NoGil release;
    model.learn(rows, &y, &weight, nullptr);
}

double regressor_predict_one(const LossTree& model, const Floats& row) {
    const sgt::RowsView rows = one_row(model, row);
    require(model.n_outputs() == 1, "there are several outputs");
    const NoGil release;
    double raw = kNaN;
    model.predict(rows, &raw);
    return raw;
}

// ---------------------------------------------------------------------------------------------
// Bags
// ---------------------------------------------------------------------------------------------

using sgt::Bags;
using Sizes = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void bags_learn(Bags& model, const Block& x, const Sizes& sizes, const Floats& labels,
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

auto bags_score(const Bags& model, const Block& x) {
    const sgt::RowsView rows = checked_rows(model, x);
    std::vector<double> scores(rows.rows);
    {
        const NoGil release;
        model.score(rows, scores.data());
    }
    return to_numpy(std::move(scores));
}

int visit_regressor(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    if (!nb::inst_ready(self)) return 0;
    return visit_python_loss(*nb::inst_ptr<LossTree>(self)->losses()[0], visit, arg);
}

int clear_regressor(PyObject* self) {
    drop_python_loss(*nb::inst_ptr<LossTree>(self)->losses()[0]);
    return 0;
}

PyType_Slot regressor_slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(visit_regressor)},
                                 {Py_tp_clear, reinterpret_cast<void*>(clear_regressor)},
                                 {0, nullptr}};

void bind_options(nb::module_& m) {
    nb::class_<sgt::Options>(m, "Options")
        .def(
            "__init__",
            [](sgt::Options* self, std::size_t n_bins, bool quantile_bins, std::size_t warm_up,
               std::size_t grace_period, double delta, double reg_lambda, bool lambda_per_row,
               double gamma, std::optional<std::size_t> max_depth,
               std::optional<std::size_t> max_leaves, std::optional<std::size_t> max_memory,
               bool start_from_data, std::size_t n_threads, bool slipped_variance,
               std::size_t round_rows) {
                const sgt::Options options{n_bins,
                                           quantile_bins,
                                           warm_up,
                                           grace_period,
                                           delta,
                                           reg_lambda,
                                           lambda_per_row,
                                           gamma,
                                           or_unlimited(max_depth),
                                           or_unlimited(max_leaves),
                                           or_unlimited(max_memory),
                                           start_from_data,
                                           n_threads,
                                           slipped_variance,
                                           round_rows};
                options.check();
                new (self) sgt::Options(options);
            },
            nb::kw_only(), nb::arg("n_bins") = 64, nb::arg("quantile_bins") = false,
            nb::arg("warm_up") = 1000, nb::arg("grace_period") = 200, nb::arg("delta") = 1e-7,
            nb::arg("reg_lambda") = 0.1, nb::arg("lambda_per_row") = true, nb::arg("gamma") = 1.0,
            nb::arg("max_depth") = nb::none(), nb::arg("max_leaves") = nb::none(),
            nb::arg("max_memory") = nb::none(), nb::arg("start_from_data") = true,
            nb::arg("n_threads") = 1, nb::arg("slipped_variance") = false,
            nb::arg("round_rows") = 1);
}

void bind_learner(nb::module_& m) {
    using sgt::Learner;
    const nb::call_guard<NoGil> no_gil;
    nb::class_<Learner>(m, "Learner")
        .def_prop_ro("warming_up", &Learner::is_warming_up, no_gil)
        .def_prop_ro("inference_only", &Learner::is_inference_only)
        .def_prop_ro("n_features", &Learner::n_features, no_gil)
        .def_prop_ro("n_rows", &Learner::n_rows, no_gil)
        .def_prop_ro("n_trees", &Learner::n_trees, no_gil)
        .def_prop_ro("n_nodes", &Learner::n_nodes, no_gil)
        .def_prop_ro("n_leaves", &Learner::n_leaves, no_gil)
        .def_prop_ro("depth", &Learner::depth, no_gil)
        .def_prop_ro("n_updates", &Learner::n_updates, no_gil)
        .def_prop_ro("n_splits", &Learner::n_splits, no_gil)
        .def_prop_ro("memory_bytes", &Learner::memory_bytes, no_gil)
        .def("end_warm_up", &Learner::end_warm_up, no_gil)
        .def_prop_ro("round", &round_of)
        .def("absorb", &absorb, nb::arg("partial"))
        .def("end_round", &Learner::end_round, no_gil)
        .def(
            "add_features",
            [](Learner& learner, const std::vector<bool>& nominal,
               const std::optional<RangesArray>& ranges) {
                const std::optional<sgt::Ranges> given = to_ranges(ranges);
                const NoGil release;
                learner.add_features(nominal, given ? &*given : nullptr);
            },
            nb::arg("nominal"), nb::arg("ranges") = nb::none())
        .def(
            "merge",
            [](Learner& learner, const Learner& other,
               std::vector<std::vector<std::uint32_t>> codes, const Learner* base) {
                const NoGil release;
                learner.merge(other, sgt::CategoryCodes(std::move(codes)), base);
            },
            nb::arg("other"), nb::arg("codes"), nb::arg("base").none() = nb::none())
        .def("set_threads", &Learner::set_threads, nb::arg("n_threads"), no_gil)
        .def("boundaries", &boundaries_of, nb::arg("feature"))
        .def("tree", &tree_arrays, nb::arg("index"))
        .def("state", &state_of, nb::arg("inference_only") = false);
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

void bind_regressor(nb::module_& m) {
    nb::class_<LossTree, sgt::Learner>(m, "Regressor", nb::type_slots(regressor_slots))
        .def(
            "__init__",
            [](LossTree* self, const sgt::Options& options, const std::vector<bool>& nominal,
               const std::optional<RangesArray>& ranges, const LossSpec& loss,
               std::size_t n_outputs) {
                require(n_outputs >= 1, "n_outputs must be at least 1");
                const std::optional<sgt::Ranges> given = to_ranges(ranges);
                new (self) LossTree(options, nominal, given ? &*given : nullptr,
                                    loss.make_all(n_outputs), n_outputs);
            },
            nb::arg("options"), nb::arg("nominal"), nb::arg("ranges") = nb::none(),
            nb::arg("loss") = LossSpec{}, nb::arg("n_outputs") = 1)
        .def_static(
            "from_state",
            [](const sgt::Options& options, const State& state, const LossSpec& loss,
               std::size_t n_outputs) {
                require(n_outputs >= 1, "n_outputs must be at least 1");
                return std::make_unique<LossTree>(options, to_archive(state),
                                                  loss.make_all(n_outputs), n_outputs);
            },
            nb::arg("options"), nb::arg("state"), nb::arg("loss") = LossSpec{},
            nb::arg("n_outputs") = 1)
        .def_prop_ro("n_outputs", &LossTree::n_outputs)
        .def_prop_ro(
            "loss_scales", [](const LossTree& model) { return to_numpy(model.scales()); },
            nb::rv_policy::move)
        .def("learn", &regressor_learn, nb::arg("X"), nb::arg("y"), nb::arg("weight") = nb::none())
        .def("gather", &regressor_gather, nb::arg("X"), nb::arg("y"),
             nb::arg("weight") = nb::none())
        .def("learn_predict", &regressor_learn_predict, nb::arg("X"), nb::arg("y"),
             nb::arg("weight") = nb::none())
        .def("predict", &regressor_predict, nb::arg("X"))
        .def("learn_one", &regressor_learn_one, nb::arg("row"), nb::arg("y"),
             nb::arg("weight") = 1.0)
        .def("predict_one", &regressor_predict_one, nb::arg("row"));
}

void bind_bags(nb::module_& m) {
    nb::class_<Bags, sgt::Learner>(m, "Bags")
        .def(
            "__init__",
            [](Bags* self, const sgt::Options& options, const std::vector<bool>& nominal,
               const std::optional<RangesArray>& ranges, double sharpness) {
                const std::optional<sgt::Ranges> given = to_ranges(ranges);
                new (self)
                    Bags(options, nominal, given ? &*given : nullptr, sgt::Pooling{sharpness});
            },
            nb::arg("options"), nb::arg("nominal"), nb::arg("ranges") = nb::none(),
            nb::arg("sharpness") = 0.0)
        .def_static(
            "from_state",
            [](const sgt::Options& options, const State& state, double sharpness) {
                return std::make_unique<Bags>(options, to_archive(state), sgt::Pooling{sharpness});
            },
            nb::arg("options"), nb::arg("state"), nb::arg("sharpness") = 0.0)
        .def("learn", &bags_learn, nb::arg("X"), nb::arg("sizes"), nb::arg("y"),
             nb::arg("weight") = nb::none())
        .def("score", &bags_score, nb::arg("X"));
}

}  // namespace

void bind_learners(nb::module_& m) {
    bind_options(m);
    bind_learner(m);
    bind_classifiers(m);
    bind_regressor(m);
    bind_bags(m);
    m.attr("ROWS_OF_PARTIAL") = sgt::kRowsOfPartial;
    m.def("add_partials", &add_partials, nb::arg("first"), nb::arg("later"));
}

}  // namespace bindings
