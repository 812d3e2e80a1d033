// What the functions of all learners are given, checked.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "arrays.hpp"
#include "rows.hpp"
#include "sgt/learner/learner.hpp"

namespace bindings {

using NoGil = nb::gil_scoped_release;

using RangesArray = nb::ndarray<const double, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;

inline std::optional<sgt::Ranges> to_ranges(const std::optional<RangesArray>& array) {
    if (!array) return std::nullopt;
    sgt::Ranges ranges;
    for (std::size_t f = 0; f < array->shape(0); ++f)
        ranges.emplace_back(array->data()[2 * f], array->data()[2 * f + 1]);
    return ranges;
}

// A learner's lock is never waited for while holding the GIL: the thread that has the lock may wait
// for the GIL, to call a loss.
template <class F>
auto read_without_gil(const sgt::Learner& learner, F&& f) {
    const NoGil release;
    return learner.read(std::forward<F>(f));
}

inline bool has_features(const sgt::Learner& learner, std::size_t n) {
    const NoGil release;
    return learner.n_features() == n;
}

inline sgt::RowsView checked_rows(const sgt::Learner& learner, const Rows& x) {
    const Codes* const* codes = std::get_if<const Codes*>(&x);
    const bool is_coded = codes != nullptr && *codes != nullptr;
    const sgt::RowsView view = is_coded ? (*codes)->view() : rows_view(x);
    require(has_features(learner, view.features), "X has the wrong number of columns");
    if (is_coded) {
        const NoGil release;
        learner.check_codes(view);
    }
    return view;
}

// Rows that come in several pieces.
struct Pieces {
    Pieces(const sgt::Learner& learner, const std::vector<Rows>& pieces) {
        for (const Rows& piece : pieces) {
            views.push_back(checked_rows(learner, piece));
            rows += views.back().rows;
        }
    }

    std::vector<sgt::RowsView> views;
    std::size_t rows = 0;
};

inline const double* checked_weights(const MaybeFloats& weight, std::size_t rows) {
    if (!weight) return nullptr;
    require(weight->shape(0) == rows, "weight must have one number for each row");
    return weight->data();
}

inline sgt::RowsView one_row(const sgt::Learner& learner, const Floats& row) {
    require(has_features(learner, row.shape(0)), "the row has the wrong number of values");
    return {row.data(), false, 1, row.shape(0)};
}

}  // namespace bindings
