#include "sgt/split/code_sums.hpp"

#include <algorithm>

#include "sgt/clones.hpp"
#include "sgt/leaf/cell_kernels.hpp"

namespace sgt {

namespace {

// Where the sums of a cell that the objective needs are. `of_output`: from the moments of an output
// to those of the next.
void list_places(Layout layout, std::size_t of_output, std::vector<std::size_t>& places) {
    const bool has_moments = layout.kind == CellKind::moments;
    places.assign(1, 0);
    for (std::size_t j = 0; j < layout.outputs; ++j) {
        places.push_back(1 + (has_moments ? of_output : 2) * j);
        if (has_moments) places.push_back(2 + of_output * j);
    }
}

// The first of several columns, of n numbers each: the sum of the others.
SGT_CLONES void sum_weights(std::size_t n_others, std::size_t n, double* columns) {
    const double* other = columns + n;
    for (std::size_t k = 0; k < n; ++k) columns[k] = 0.0;
    for (std::size_t c = 0; c < n_others; ++c, other += n)
        for (std::size_t k = 0; k < n; ++k) columns[k] += other[k];
}

// So many columns of n numbers each, one after the other.
double* columns_in_scratch(std::size_t columns, std::size_t n, SearchScratch& s) {
    s.sums.resize(columns * n);
    s.places.resize(columns);
    for (std::size_t c = 0; c < columns; ++c) s.places[c] = c * n;
    return s.sums.data();
}

}  // namespace

CodeSums sums_of_cells(const LeafStatistics& leaf, const BranchScoring& scoring,
                       const FeatureSpace& features, std::size_t position, SearchScratch& s) {
    const Layout layout = leaf.layout();
    const std::uint32_t feature = features.numeric()[position];
    const std::size_t n_codes = features.n_candidates(feature) + 2;
    const auto [cells, width, of_output] =
        leaf.cells_to_search(features.numeric_offsets()[position]);
    if (!layout.counts_classes()) {
        list_places(layout, of_output, s.places);
        const auto [first, last] = leaf.codes_to_search(feature, n_codes);
        return {cells + first * width, width, last - first + 1, first};
    }
    const std::size_t classes = scoring.n_classes_to_search();
    double* columns = columns_in_scratch(1 + classes, n_codes, s);
    for (std::size_t c = 0; c < classes; ++c) {
        double* column = columns + (1 + c) * n_codes;
        const double* of_class = cells + scoring.class_to_search(c);
        for (std::size_t k = 0; k < n_codes; ++k) column[k] = of_class[k * width];
    }
    sum_weights(classes, n_codes, columns);
    return {columns, 1, n_codes, 0};
}

CodeSums sums_of_rows(const LeafStatistics& leaf, const BranchScoring& scoring,
                      std::uint32_t feature, SearchScratch& s) {
    const std::size_t classes = scoring.n_classes_to_search();
    const auto [smallest, largest] = leaf.extreme_codes(feature);
    const std::size_t n = largest - smallest + 1;
    double* columns = columns_in_scratch(1 + classes, n, s);
    std::fill_n(columns + n, classes * n, 0.0);
    count_in_columns(leaf.rows_to_search(), feature, smallest, s.class_of_row.data(),
                     s.weight_of_row.data(), n, columns + n);
    sum_weights(classes, n, columns);
    return {columns, 1, n, smallest};
}

void SearchScratch::begin(const LeafStatistics& leaf, const BranchScoring& scoring) {
    if (!leaf.has_rows_to_search()) return;
    number_of_class.assign(leaf.layout().outputs, 0);
    for (std::size_t c = 0; c < scoring.n_classes_to_search(); ++c)
        number_of_class[scoring.class_to_search(c)] = static_cast<std::uint32_t>(c);
    const std::size_t n = leaf.rows_to_search().rows;
    class_of_row.resize(n);
    weight_of_row.resize(n);
    const double* step = leaf.steps_to_search();
    for (std::size_t r = 0; r < n; ++r, step += step_width(leaf.layout())) {
        weight_of_row[r] = step[0];
        class_of_row[r] = number_of_class[static_cast<std::size_t>(step[1])];
    }
}

}  // namespace sgt
