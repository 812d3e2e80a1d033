// Options, and Learner, which all learners are, seen from Python.
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "learner_arguments.hpp"
#include "partials.hpp"
#include "sgt/learner/learner.hpp"
#include "states.hpp"
#include "tree_arrays.hpp"

namespace bindings {

namespace {

nb::object boundaries_of(const sgt::Learner& learner, std::size_t feature) {
    using Boundaries = std::optional<std::vector<double>>;
    Boundaries boundaries = read_without_gil(
        learner, [&](const sgt::Ensemble&, const sgt::FeatureSpace& features) -> Boundaries {
            if (feature >= features.size()) throw nb::index_error("there is no such feature");
            if (features.is_nominal(feature) || !features.is_ready(feature)) return std::nullopt;
            return features.boundaries(feature);
        });
    return boundaries ? nb::cast(to_numpy(std::move(*boundaries))) : nb::none();
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
    const auto round = [&] {
        const NoGil release;
        return learner.round();
    }();
    return nb::make_tuple(round.size.rows, round.size.is_frozen, round.rows, round.waiting,
                          round.size.rows_of_block());
}

using CategoryCounts = std::vector<std::int64_t>;

void absorb(sgt::Learner& learner, const State& state, const CategoryCounts& categories) {
    const NoGil release;
    learner.absorb(sgt::Partial::load(to_archive(state)), categories);
}

nb::dict add_partials(sgt::Learner& learner, const State& first, const State& later,
                      const CategoryCounts& categories) {
    return partial_of([&] {
        return learner.add(sgt::Partial::load(to_archive(first)),
                           sgt::Partial::load(to_archive(later)), categories);
    });
}

// Of linear leaves: the features that they use, with their means and standard deviations.
nb::tuple standards_of(const sgt::Learner& learner) {
    const sgt::Standardiser standards = [&] {
        const NoGil release;
        return learner.standards();
    }();
    return nb::make_tuple(to_numpy(std::vector(standards.features())),
                          to_numpy(std::vector(standards.means())),
                          to_numpy(std::vector(standards.deviations())));
}

// Rows, features and reasons of the updates of ranges.
nb::list range_updates_of(const sgt::Learner& learner) {
    const std::vector<sgt::RangeUpdate> updates = [&] {
        const NoGil release;
        return learner.range_updates();
    }();
    nb::list rows;
    for (const auto& [row, feature, reason] : updates)
        rows.append(nb::make_tuple(
            row, feature, reason == sgt::RangeUpdate::Reason::outside ? "outside" : "crowded"));
    return rows;
}

// Of each event: kind, row, two pairs of numbers that say why, and the member.
nb::list drifts_of(const sgt::Learner& learner) {
    constexpr std::array kKinds{"alarm", "replaced", "no lead", "no memory", "merged", "harm"};
    nb::list events;
    for (const sgt::DriftEvent& event : learner.drifts())
        events.append(nb::make_tuple(kKinds[static_cast<std::size_t>(event.kind)], event.row,
                                     event.first, event.second, event.n_first, event.n_second,
                                     event.member));
    return events;
}

// Sets the option of this name, in whichever type it has. A limit may be None.
template <class T>
void set(T& option, nb::handle value) {
    option = nb::cast<T>(value);
}
void set_limit(std::size_t& option, nb::handle value) {
    option = value.is_none() ? sgt::kUnlimited : nb::cast<std::size_t>(value);
}
void set_combination(sgt::Combination& option, nb::handle value) {
    constexpr std::array kNames{"one", "boosting", "averaging", "choosing"};
    const auto name = nb::cast<std::string>(value);
    for (std::size_t i = 0; i < kNames.size(); ++i)
        if (name == kNames[i]) {
            option = static_cast<sgt::Combination>(i);
            return;
        }
    throw nb::value_error("combination must be one, boosting, averaging or choosing");
}

// Options by their names; TypeError for one that does not exist.
void set_option(sgt::Options& options, const std::string& name, nb::handle value) {
#define SGT_OPTION(field, setter) \
    if (name == #field) return setter(options.field, value)
    SGT_OPTION(n_bins, set);
    SGT_OPTION(quantile_bins, set);
    SGT_OPTION(warm_up, set);
    SGT_OPTION(grace_period, set);
    SGT_OPTION(grace_growth, set);
    SGT_OPTION(delta, set);
    SGT_OPTION(reg_lambda, set);
    SGT_OPTION(lambda_per_row, set);
    SGT_OPTION(gamma, set);
    SGT_OPTION(max_depth, set_limit);
    SGT_OPTION(max_leaves, set_limit);
    SGT_OPTION(max_memory, set_limit);
    SGT_OPTION(start_from_data, set);
    SGT_OPTION(n_threads, set);
    SGT_OPTION(kept_rows, set);
    SGT_OPTION(thinning, set);
    SGT_OPTION(units_of_leaf, set);
    SGT_OPTION(linear_leaves, set);
    SGT_OPTION(following_rates, set);
    SGT_OPTION(label_delay, set);
    SGT_OPTION(round_rows, set);
    SGT_OPTION(adaptive_ranges, set);
    SGT_OPTION(replaces_on_drift, set);
    SGT_OPTION(detects_by_page_hinkley, set);
    SGT_OPTION(drift_delta, set);
    SGT_OPTION(combination, set_combination);
    SGT_OPTION(n_estimators, set);
    SGT_OPTION(learning_rate, set);
    SGT_OPTION(mean_copies, set);
    SGT_OPTION(feature_share, set);
    SGT_OPTION(calibrates, set);
    SGT_OPTION(seed, set);
#undef SGT_OPTION
    throw nb::type_error(("there is no option " + name).c_str());
}

void bind_options(nb::module_& m) {
    nb::class_<sgt::Options>(m, "Options")
        .def("__init__", [](sgt::Options* self, const nb::kwargs& named) {
            sgt::Options options;
            for (const auto& [name, value] : named)
                set_option(options, nb::cast<std::string>(name), value);
            options.check();
            new (self) sgt::Options(options);
        });
}

void bind_learner_class(nb::module_& m) {
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
        .def("absorb", &absorb, nb::arg("partial"), nb::arg("categories"))
        .def("add_partials", &add_partials, nb::arg("first"), nb::arg("later"),
             nb::arg("categories"))
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
        .def("watch_errors", &Learner::watch_errors, nb::arg("on"), no_gil)
        .def_prop_ro("has_background", &Learner::has_background, no_gil)
        .def_prop_ro("drifts", &drifts_of)
        .def("restart_following", &Learner::restart_following, no_gil)
        .def("collect_rows", &Learner::collect_rows, no_gil)
        .def("begin_stages", &Learner::begin_stages, no_gil)
        .def(
            "learn_stage",
            [](Learner& learner, const RowNumbers& order) {
                const NoGil release;
                learner.learn_stage({order.data(), order.size()});
            },
            nb::arg("order"))
        .def("end_stage", &Learner::end_stage, no_gil)
        .def("end_stages", &Learner::end_stages, no_gil)
        .def_prop_ro("n_members_in_use", &Learner::n_members_in_use, no_gil)
        .def("judge_members", &Learner::judge_members, nb::arg("losses"), no_gil)
        .def("boundaries", &boundaries_of, nb::arg("feature"))
        .def("range_updates", &range_updates_of)
        .def_prop_ro("n_range_updates", &Learner::n_range_updates)
        .def("standards", &standards_of)
        .def("start",
             [](const Learner& learner) {
                 return to_numpy(read_without_gil(
                     learner, [](const sgt::Ensemble& ensemble, const sgt::FeatureSpace&) {
                         return ensemble.predicted_start();
                     }));
             })
        .def("tree", &tree_arrays, nb::arg("index"))
        .def("tree_outputs", &tree_outputs, nb::arg("index"))
        .def("tree_shrinkage", &tree_shrinkage, nb::arg("index"))
        .def("state", &state_of, nb::arg("inference_only") = false);
}

}  // namespace

void bind_learner(nb::module_& m) {
    bind_options(m);
    bind_learner_class(m);
}

}  // namespace bindings
