#include "sgt/partial.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace sgt {

// -------------------------------------------------------------------------------------------------
// Leaves
// -------------------------------------------------------------------------------------------------

PartialLeaf PartialTree::leaf(std::size_t i) const {
    const Leaf& leaf = leaves_[i];
    const std::size_t width = cell_width(layout_);
    const double* sums = sums_.data() + leaf.sums_begin;
    return {leaf.place,
            leaf.rows,
            leaf.weight,
            leaf.weight_squares,
            {references_.data() + i * n_references(), n_references()},
            sums,
            {numeric_.data() + leaf.numeric_begin, leaf.numeric_end - leaf.numeric_begin},
            {nominal_.data() + leaf.nominal_begin, leaf.nominal_end - leaf.nominal_begin},
            sums + width};
}

std::uint32_t PartialTree::largest_code() const {
    std::uint32_t largest = kMissingCode;
    for (const NominalCell& cell : nominal_) largest = std::max(largest, cell.code);
    for (const Leaf& leaf : leaves_)
        if (!leaf.place.is_leaf()) largest = std::max(largest, leaf.place.branch);
    return largest;
}

void PartialTree::append(const PartialLeaf& leaf) {
    const std::size_t width = cell_width(layout_);
    const std::size_t n_cells = leaf.numeric.size() + leaf.nominal.size();
    leaves_.push_back({leaf.place, leaf.rows, leaf.weight, leaf.weight_squares, numeric_.size(),
                       numeric_.size() + leaf.numeric.size(), nominal_.size(),
                       nominal_.size() + leaf.nominal.size(), sums_.size()});
    references_.insert(references_.end(), leaf.references.begin(), leaf.references.end());
    numeric_.insert(numeric_.end(), leaf.numeric.begin(), leaf.numeric.end());
    nominal_.insert(nominal_.end(), leaf.nominal.begin(), leaf.nominal.end());
    sums_.insert(sums_.end(), leaf.total, leaf.total + width);
    sums_.insert(sums_.end(), leaf.cells, leaf.cells + n_cells * width);
}

namespace {

// Calls f(key, cell of the first or null, cell of the later or null) for the keys of either, in
// order.
template <class Key, class F>
void join(std::span<const Key> first, const double* cells, std::span<const Key> later,
          const double* later_cells, std::size_t width, F&& f) {
    std::size_t i = 0, j = 0;
    while (i < first.size() || j < later.size()) {
        const bool has_first = i < first.size() && (j == later.size() || first[i] <= later[j]);
        const bool has_later = j < later.size() && (i == first.size() || later[j] <= first[i]);
        f(has_first ? first[i] : later[j], has_first ? cells + i * width : nullptr,
          has_later ? later_cells + j * width : nullptr);
        i += has_first;
        j += has_later;
    }
}

}  // namespace

void PartialTree::append_sum(const PartialLeaf& first, const PartialLeaf& later) {
    const std::size_t width = cell_width(layout_);
    Leaf sum{first.place,
             first.rows + later.rows,
             first.weight + later.weight,
             first.weight_squares + later.weight_squares,
             numeric_.size(),
             0,
             nominal_.size(),
             0,
             sums_.size()};
    references_.insert(references_.end(), first.references.begin(), first.references.end());
    std::vector<double> moved(width);
    const auto put = [&](const double* of_first, const double* of_later) {
        const std::size_t at = sums_.size();
        if (of_first != nullptr)
            sums_.insert(sums_.end(), of_first, of_first + width);
        else
            sums_.resize(at + width, 0.0);
        if (of_later == nullptr) return;
        std::copy_n(of_later, width, moved.begin());
        move_references(layout_, later.references.data(), first.references.data(), moved.data());
        for (std::size_t k = 0; k < width; ++k) sums_[at + k] += moved[k];
    };
    put(first.total, later.total);
    join(first.numeric, first.cells, later.numeric, later.cells, width,
         [&](std::uint32_t cell, const double* a, const double* b) {
             numeric_.push_back(cell);
             put(a, b);
         });
    join(first.nominal, first.cells + first.numeric.size() * width, later.nominal,
         later.cells + later.numeric.size() * width, width,
         [&](NominalCell cell, const double* a, const double* b) {
             nominal_.push_back(cell);
             put(a, b);
         });
    sum.numeric_end = numeric_.size();
    sum.nominal_end = nominal_.size();
    leaves_.push_back(sum);
}

void PartialTree::add(const PartialTree& later) {
    if (layout_ != later.layout_)
        throw std::invalid_argument("partial statistics of different models cannot be added");
    PartialTree sum(layout_);
    // As if they had nothing in common: room that is never touched costs nothing.
    sum.leaves_.reserve(leaves_.size() + later.leaves_.size());
    sum.sums_.reserve(sums_.size() + later.sums_.size());
    sum.numeric_.reserve(numeric_.size() + later.numeric_.size());
    std::size_t i = 0, j = 0;
    while (i < n_leaves() || j < later.n_leaves()) {
        if (j == later.n_leaves() || (i < n_leaves() && leaves_[i].place < later.leaves_[j].place))
            sum.append(leaf(i++));
        else if (i == n_leaves() || later.leaves_[j].place < leaves_[i].place)
            sum.append(later.leaf(j++));
        else
            sum.append_sum(leaf(i++), later.leaf(j++));
    }
    *this = std::move(sum);
}

void Partial::add(const Partial& later) {
    if (trees.size() != later.trees.size())
        throw std::invalid_argument("partial statistics of different models cannot be added");
    for (std::size_t t = 0; t < trees.size(); ++t) trees[t].add(later.trees[t]);
    blocks += later.blocks;
    rows += later.rows;
    weight += later.weight;
}

std::uint64_t PairwiseSum::rows() const {
    std::uint64_t rows = 0;
    for (const Partial& part : parts_) rows += part.rows;
    return rows;
}

void PairwiseSum::push(Partial next) {
    while (!parts_.empty() && parts_.back().blocks == next.blocks) {
        Partial first = std::move(parts_.back());
        parts_.pop_back();
        first.add(next);
        next = std::move(first);
    }
    parts_.push_back(std::move(next));
}

Partial PairwiseSum::take() {
    Partial sum = std::move(parts_.back());
    parts_.pop_back();
    for (; !parts_.empty(); parts_.pop_back()) {
        parts_.back().add(sum);
        sum = std::move(parts_.back());
    }
    return sum;
}

// -------------------------------------------------------------------------------------------------
// Saving and loading
// -------------------------------------------------------------------------------------------------

namespace {

// Numbers below 2^32 take four bytes each.
std::vector<std::uint8_t> as_bytes(const std::uint32_t* numbers, std::size_t n) {
    std::vector<std::uint8_t> bytes(n * sizeof(std::uint32_t));
    if (n > 0) std::memcpy(bytes.data(), numbers, bytes.size());
    return bytes;
}

std::vector<std::uint32_t> from_bytes(const ArchiveView& archive, const std::string& name) {
    const auto bytes = archive.get<std::uint8_t>(name);
    if (bytes.size() % sizeof(std::uint32_t) != 0) Archive::fail(name, "has the wrong size");
    std::vector<std::uint32_t> numbers(bytes.size() / sizeof(std::uint32_t));
    if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), bytes.size());
    return numbers;
}

constexpr std::size_t kIntegersOfLeaf = 5;

}  // namespace

void PartialTree::save(Archive& archive, const std::string& prefix) && {
    std::vector<std::int64_t> integers;
    std::vector<double> weights;
    integers.reserve(leaves_.size() * kIntegersOfLeaf);
    for (const Leaf& leaf : leaves_) {
        integers.push_back(leaf.place.node);
        integers.push_back(leaf.place.is_leaf() ? -1
                                                : static_cast<std::int64_t>(leaf.place.branch));
        integers.push_back(static_cast<std::int64_t>(leaf.rows));
        integers.push_back(static_cast<std::int64_t>(leaf.numeric_end - leaf.numeric_begin));
        integers.push_back(static_cast<std::int64_t>(leaf.nominal_end - leaf.nominal_begin));
        weights.push_back(leaf.weight);
        weights.push_back(leaf.weight_squares);
    }
    std::vector<double> references;
    for (const Reference& reference : references_) {
        references.push_back(reference.g);
        references.push_back(reference.h);
    }
    static_assert(sizeof(NominalCell) == 2 * sizeof(std::uint32_t));
    archive.put<std::int64_t>(prefix + "layout",
                              {static_cast<std::int64_t>(layout_.kept), layout_.outputs});
    archive.put(prefix + "leaves", std::move(integers));
    archive.put(prefix + "weights", std::move(weights));
    archive.put(prefix + "references", std::move(references));
    archive.put(prefix + "numeric", as_bytes(numeric_.data(), numeric_.size()));
    archive.put(
        prefix + "nominal",
        as_bytes(reinterpret_cast<const std::uint32_t*>(nominal_.data()), 2 * nominal_.size()));
    archive.put(prefix + "sums", std::move(sums_));
}

PartialTree PartialTree::load(const ArchiveView& archive, const std::string& prefix) {
    const auto layout = archive.get<std::int64_t>(prefix + "layout", 2);
    if (layout[0] < 0 || layout[0] > static_cast<std::int64_t>(Kept::softmax_counts) ||
        layout[1] < 1 || layout[1] > (1 << 24))
        Archive::fail(prefix + "layout", "is none that exists");
    PartialTree tree({static_cast<Kept>(layout[0]), static_cast<std::uint32_t>(layout[1])});
    const auto integers = archive.get<std::int64_t>(prefix + "leaves");
    if (integers.size() % kIntegersOfLeaf != 0)
        Archive::fail(prefix + "leaves", "has the wrong size");
    const std::size_t n = integers.size() / kIntegersOfLeaf;
    const auto weights = archive.get<double>(prefix + "weights", 2 * n);
    const auto references = archive.get<double>(prefix + "references", 2 * n * tree.n_references());
    for (std::size_t i = 0; i < references.size(); i += 2)
        tree.references_.push_back({references[i], references[i + 1]});
    tree.numeric_ = from_bytes(archive, prefix + "numeric");
    const std::vector<std::uint32_t> nominal = from_bytes(archive, prefix + "nominal");
    if (nominal.size() % 2 != 0) Archive::fail(prefix + "nominal", "has the wrong size");
    for (std::size_t i = 0; i < nominal.size(); i += 2)
        tree.nominal_.push_back({nominal[i], nominal[i + 1]});
    tree.sums_ = to_vector(archive.get<double>(prefix + "sums"));
    const std::size_t width = cell_width(tree.layout_);
    std::size_t numeric_at = 0, nominal_at = 0, sums_at = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const std::int64_t* of_leaf = integers.data() + i * kIntegersOfLeaf;
        if (of_leaf[0] < 0 || of_leaf[0] >= kNoNode || of_leaf[1] < -1 ||
            of_leaf[1] >= kUnseenCode<std::uint32_t>)
            Archive::fail(prefix + "leaves", "names a place that cannot be");
        const std::uint64_t rows = to_count(of_leaf[2], prefix + "leaves");
        const std::uint64_t n_numeric = to_count(of_leaf[3], prefix + "leaves");
        const std::uint64_t n_nominal = to_count(of_leaf[4], prefix + "leaves");
        if (rows == 0 || n_numeric > tree.numeric_.size() - numeric_at ||
            n_nominal > tree.nominal_.size() - nominal_at ||
            (1 + n_numeric + n_nominal) * width > tree.sums_.size() - sums_at)
            Archive::fail(prefix + "leaves", "does not fit the sums");
        const Place place{
            static_cast<NodeIndex>(of_leaf[0]),
            of_leaf[1] < 0 ? Place::kNoBranch : static_cast<std::uint32_t>(of_leaf[1])};
        if (i > 0 && !(tree.leaves_.back().place < place))
            Archive::fail(prefix + "leaves", "must be in order");
        tree.leaves_.push_back({place, rows, weights[2 * i], weights[2 * i + 1], numeric_at,
                                numeric_at + n_numeric, nominal_at, nominal_at + n_nominal,
                                sums_at});
        numeric_at += n_numeric;
        nominal_at += n_nominal;
        sums_at += (1 + n_numeric + n_nominal) * width;
        const PartialLeaf leaf = tree.leaf(i);
        if (!std::is_sorted(leaf.numeric.begin(), leaf.numeric.end()) ||
            !std::is_sorted(leaf.nominal.begin(), leaf.nominal.end()))
            Archive::fail(prefix + "leaves", "has cells that are not in order");
    }
    if (numeric_at != tree.numeric_.size() || nominal_at != tree.nominal_.size() ||
        sums_at != tree.sums_.size())
        Archive::fail(prefix + "sums", "is too long");
    return tree;
}

void Partial::save(Archive& archive, const std::string& prefix) && {
    archive.put<std::int64_t>(prefix + "counts",
                              {static_cast<std::int64_t>(blocks), static_cast<std::int64_t>(rows),
                               static_cast<std::int64_t>(trees.size())});
    archive.put<double>(prefix + "weight", {weight});
    for (std::size_t t = 0; t < trees.size(); ++t)
        std::move(trees[t]).save(archive, prefix + "tree" + std::to_string(t) + "/");
}

Partial Partial::load(const ArchiveView& archive, const std::string& prefix) {
    const auto counts = archive.get<std::int64_t>(prefix + "counts", 3);
    Partial partial;
    partial.blocks = to_count(counts[0], prefix + "counts");
    partial.rows = to_count(counts[1], prefix + "counts");
    partial.weight = archive.get_one<double>(prefix + "weight");
    const std::uint64_t n_trees = to_count(counts[2], prefix + "counts");
    for (std::uint64_t t = 0; t < n_trees; ++t)
        partial.trees.push_back(
            PartialTree::load(archive, prefix + "tree" + std::to_string(t) + "/"));
    return partial;
}

void PairwiseSum::save(Archive& archive, const std::string& prefix) const {
    archive.put<std::int64_t>(prefix + "parts", {static_cast<std::int64_t>(parts_.size())});
    for (std::size_t i = 0; i < parts_.size(); ++i)
        Partial(parts_[i]).save(archive, prefix + "part" + std::to_string(i) + "/");
}

PairwiseSum PairwiseSum::load(const ArchiveView& archive, const std::string& prefix) {
    PairwiseSum sum;
    const std::uint64_t n = archive.get_count(prefix + "parts");
    for (std::uint64_t i = 0; i < n; ++i)
        sum.parts_.push_back(Partial::load(archive, prefix + "part" + std::to_string(i) + "/"));
    return sum;
}

}  // namespace sgt
