#include "sgt/split/code_sums.hpp"

#include <algorithm>
#include <array>

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

// Features whose rows are counted at once: an addition need not wait for the one before, as it
// would where the next row has the same class and the same code. With that no more numbers than the
// cache has at hand, but for a single feature.
constexpr std::size_t kFeaturesTogether = 8, kNumbersTogether = 4096;

// Counts the rows' classes, of the features from number `first` in the list on.
void count_some(const LeafStatistics& leaf, std::size_t classes, std::size_t first,
                SearchScratch& s) {
    SearchScratch::CountedRows& counted = s.counted;
    const std::uint32_t* features = counted.features.data() + first;
    const std::size_t most = std::min(kFeaturesTogether, counted.features.size() - first);
    counted.first = first;
    counted.n = counted.stride = 0;
    for (; counted.n < most; ++counted.n) {
        const auto [smallest, largest] = leaf.extreme_codes(features[counted.n]);
        const std::size_t stride = std::max<std::size_t>(counted.stride, largest - smallest + 1);
        const std::size_t numbers = (counted.n + 1) * (1 + classes) * stride;
        if (counted.n > 0 && numbers > kNumbersTogether) break;
        counted.stride = stride;
    }
    const std::size_t of_feature = (1 + classes) * counted.stride;
    s.sums.assign(counted.n * of_feature, 0.0);
    std::array<std::size_t, kFeaturesTogether> places{};
    for (std::size_t i = 0; i < counted.n; ++i)
        places[i] = i * of_feature + counted.stride - leaf.extreme_codes(features[i]).first;
    count_classes(leaf.rows_to_search(), counted.classes.data(), counted.weights.data(),
                  {features, places.data(), s.sums.data(), counted.n, counted.stride});
    for (std::size_t i = 0; i < counted.n; ++i)
        sum_weights(classes, counted.stride, s.sums.data() + i * of_feature);
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
    s.sums.resize((1 + classes) * n_codes);
    s.places.assign(1, 0);
    double* columns = s.sums.data();
    for (std::size_t c = 0; c < classes; ++c) {
        double* column = columns + (1 + c) * n_codes;
        const double* of_class = cells + scoring.class_to_search(c);
        for (std::size_t k = 0; k < n_codes; ++k) column[k] = of_class[k * width];
        s.places.push_back((1 + c) * n_codes);
    }
    sum_weights(classes, n_codes, columns);
    return {columns, 1, n_codes, 0};
}

CodeSums sums_of_rows(const LeafStatistics& leaf, const BranchScoring& scoring,
                      std::uint32_t feature, SearchScratch& s) {
    const std::size_t columns = 1 + scoring.n_classes_to_search();
    const SearchScratch::CountedRows& counted = s.counted;
    const std::size_t number = counted.number_of[feature];
    if (number < counted.first || number >= counted.first + counted.n)
        count_some(leaf, columns - 1, number, s);
    s.places.resize(columns);
    for (std::size_t c = 0; c < columns; ++c) s.places[c] = c * counted.stride;
    const auto [smallest, largest] = leaf.extreme_codes(feature);
    return {s.sums.data() + (number - counted.first) * columns * counted.stride, 1,
            largest - smallest + 1, smallest};
}

void SearchScratch::begin(const LeafStatistics& leaf, const FeatureSpace& features,
                          const BranchScoring& scoring) {
    if (!leaf.has_rows_to_search()) return;
    counted.first = counted.n = 0;
    counted.features.clear();
    counted.number_of.resize(features.size());
    const auto list = [&](std::uint32_t feature) {
        counted.number_of[feature] = counted.features.size();
        counted.features.push_back(feature);
    };
    for (const std::uint32_t f : features.numeric())
        if (leaf.gathers_cells_of(f)) list(f);
    for (const std::uint32_t f : features.nominal())
        if (leaf.gathers_cells_of(f) && leaf.lacks_cells_of_nominal(f)) list(f);
    counted.number_of_class.assign(leaf.layout().outputs, 0);
    for (std::size_t c = 0; c < scoring.n_classes_to_search(); ++c)
        counted.number_of_class[scoring.class_to_search(c)] = static_cast<std::uint32_t>(c);
    const std::size_t n = leaf.rows_to_search().rows;
    counted.classes.resize(n);
    counted.weights.resize(n);
    const double* step = leaf.steps_to_search();
    for (std::size_t r = 0; r < n; ++r, step += step_width(leaf.layout())) {
        counted.weights[r] = step[0];
        counted.classes[r] = counted.number_of_class[static_cast<std::size_t>(step[1])];
    }
}

}  // namespace sgt
