// Options, and what all learners have in common, seen from Python.
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "learner_arguments.hpp"
#include "partials.hpp"
#include "sgt/learner/learner.hpp"
#include "states.hpp"
#include "tree_arrays.hpp"

namespace bindings {

namespace {

std::size_t or_unlimited(const std::optional<std::size_t>& limit) {
    return limit.value_or(sgt::kUnlimited);
}

nb::object boundaries_of(const sgt::Learner& learner, std::size_t feature) {
    if (feature >= learner.n_features()) throw nb::index_error("there is no such feature");
    return learner.read_features([&](const sgt::FeatureSpace& features) -> nb::object {
        if (features.is_nominal(feature) || !features.is_ready(feature)) return nb::none();
        return nb::cast(to_numpy(std::vector<double>(features.boundaries(feature))));
    });
}

// Rows as codes: an array of uint8, uint16 or uint32.
nb::object encode(const sgt::Learner& learner, const Rows& x) {
    const sgt::RowsView view = checked_rows(learner, x);
    sgt::CodeBlock codes;
    {
        const NoGil release;
        codes = learner.encode(view);
    }
    return sgt::with_code_type(codes.width, [&]<class Code>(Code) {
        return nb::cast(bytes_to_numpy<Code>(std::move(codes.bytes), view.rows, view.features));
    });
}

nb::tuple round_of(const sgt::Learner& learner) {
    const sgt::Learner::RoundState round = learner.round();
    return nb::make_tuple(round.size.rows, round.size.is_frozen, round.rows, round.waiting,
                          round.size.rows_of_block());
}

void absorb(sgt::Learner& learner, const State& state) {
    const NoGil release;
    learner.absorb(sgt::Partial::load(to_archive(state)));
}

nb::dict add_partials(sgt::Learner& learner, const State& first, const State& later) {
    return partial_of([&] {
        return learner.add(sgt::Partial::load(to_archive(first)),
                           sgt::Partial::load(to_archive(later)));
    });
}

// Of linear leaves: the features that they use, with their means and standard deviations.
nb::tuple standards_of(const sgt::Learner& learner) {
    return learner.read_standards([](const sgt::Standardiser& standards) {
        return nb::make_tuple(to_numpy(std::vector(standards.features())),
                              to_numpy(std::vector(standards.means())),
                              to_numpy(std::vector(standards.deviations())));
    });
}

void bind_options(nb::module_& m) {
    nb::class_<sgt::Options>(m, "Options")
        .def(
            "__init__",
            [](sgt::Options* self, std::size_t n_bins, bool quantile_bins, std::size_t warm_up,
               std::size_t grace_period, double grace_growth, double delta, double reg_lambda,
               bool lambda_per_row, double gamma, std::optional<std::size_t> max_depth,
               std::optional<std::size_t> max_leaves, std::optional<std::size_t> max_memory,
               bool start_from_data, std::size_t n_threads, std::size_t kept_rows, bool thinning,
               bool units_of_leaf, bool linear_leaves, std::size_t round_rows) {
                const sgt::Options options{n_bins,
                                           quantile_bins,
                                           warm_up,
                                           grace_period,
                                           grace_growth,
                                           delta,
                                           reg_lambda,
                                           lambda_per_row,
                                           gamma,
                                           or_unlimited(max_depth),
                                           or_unlimited(max_leaves),
                                           or_unlimited(max_memory),
                                           start_from_data,
                                           n_threads,
                                           kept_rows,
                                           thinning,
                                           units_of_leaf,
                                           linear_leaves,
                                           round_rows};
                options.check();
                new (self) sgt::Options(options);
            },
            nb::kw_only(), nb::arg("n_bins") = 64, nb::arg("quantile_bins") = false,
            nb::arg("warm_up") = 1000, nb::arg("grace_period") = 200, nb::arg("grace_growth") = 0.0,
            nb::arg("delta") = 1e-7, nb::arg("reg_lambda") = 0.1, nb::arg("lambda_per_row") = true,
            nb::arg("gamma") = 1.0, nb::arg("max_depth") = nb::none(),
            nb::arg("max_leaves") = nb::none(), nb::arg("max_memory") = nb::none(),
            nb::arg("start_from_data") = true, nb::arg("n_threads") = 1, nb::arg("kept_rows") = 0,
            nb::arg("thinning") = false, nb::arg("units_of_leaf") = false,
            nb::arg("linear_leaves") = false, nb::arg("round_rows") = 1);
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
        .def_prop_ro("takes_codes", &Learner::takes_codes, no_gil)
        .def("encode", &encode, nb::arg("X"))
        .def_prop_ro("round", &round_of)
        .def("absorb", &absorb, nb::arg("partial"))
        .def("add_partials", &add_partials, nb::arg("first"), nb::arg("later"))
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
        .def("standards", &standards_of)
        .def("tree", &tree_arrays, nb::arg("index"))
        .def("state", &state_of, nb::arg("inference_only") = false);
}

}  // namespace

void bind_learners(nb::module_& m) {
    bind_options(m);
    bind_learner(m);
}

}  // namespace bindings
