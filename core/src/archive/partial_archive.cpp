// Saving and loading of partial statistics. What is loaded is checked before anything can follow a
// number in it.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "sgt/archive/feature_archive.hpp"
#include "sgt/rounds/partial.hpp"

namespace sgt {

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

// Node, branch, rows, latest rows, whether there are sums, numeric cells, nominal cells.
constexpr std::size_t kIntegersOfLeaf = 7;

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
        integers.push_back(static_cast<std::int64_t>(leaf.latest_end - leaf.latest_begin));
        integers.push_back(leaf.has_sums ? 1 : 0);
        integers.push_back(static_cast<std::int64_t>(leaf.numeric_end - leaf.numeric_begin));
        integers.push_back(static_cast<std::int64_t>(leaf.nominal_end - leaf.nominal_begin));
        if (!leaf.has_sums) continue;
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
                              {static_cast<std::int64_t>(layout_.kind), layout_.outputs});
    archive.put(prefix + "leaves", std::move(integers));
    archive.put(prefix + "weights", std::move(weights));
    archive.put(prefix + "references", std::move(references));
    archive.put(prefix + "latest", as_bytes(latest_.data(), latest_.size()));
    archive.put(prefix + "records", std::move(records_));
    archive.put(prefix + "numeric", as_bytes(numeric_.data(), numeric_.size()));
    archive.put(
        prefix + "nominal",
        as_bytes(reinterpret_cast<const std::uint32_t*>(nominal_.data()), 2 * nominal_.size()));
    archive.put(prefix + "sums", std::move(sums_));
}

void PartialRows::save(Archive& archive, const std::string& prefix) && {
    archive.put<std::int64_t>(prefix + "shape", {static_cast<std::int64_t>(codes.rows),
                                                 static_cast<std::int64_t>(codes.features),
                                                 static_cast<std::int64_t>(codes.width)});
    std::vector<std::uint8_t> bytes(codes.bytes.size());
    if (!bytes.empty()) std::memcpy(bytes.data(), codes.bytes.data(), bytes.size());
    archive.put(prefix + "codes", std::move(bytes));
    // Where none is passed all weights are 1.
    if (std::all_of(weights.begin(), weights.end(), [](double w) { return w == 1.0; }))
        weights.clear();
    archive.put(prefix + "weights", std::move(weights));
}

PartialRows PartialRows::load(const ArchiveView& archive, const std::string& prefix) {
    const std::string name = prefix + "shape";
    const auto shape = archive.get<std::int64_t>(name, 3);
    const std::uint64_t n = to_count(shape[0], name), features = to_count(shape[1], name);
    if (shape[2] != 1 && shape[2] != 2 && shape[2] != 4)
        Archive::fail(name, "has an unknown code width");
    const auto bytes = archive.get<std::uint8_t>(prefix + "codes");
    const auto width = static_cast<CodeWidth>(shape[2]);
    const bool fits = n == 0 ? bytes.empty()
                             : features > 0 && bytes.size() % n == 0 &&
                                   bytes.size() / n % features == 0 &&
                                   bytes.size() / n / features == bytes_of(width);
    if (!fits || n >= kUnseenCode<std::uint32_t>) Archive::fail(name, "does not fit the codes");
    PartialRows rows;
    rows.codes.shape(n, features, width);
    if (!bytes.empty()) std::memcpy(rows.codes.bytes.data(), bytes.data(), bytes.size());
    rows.weights = to_vector(archive.get<double>(prefix + "weights"));
    if (rows.weights.empty()) rows.weights.assign(n, 1.0);
    if (rows.weights.size() != n) Archive::fail(prefix + "weights", "has the wrong size");
    return rows;
}

void PartialRows::check(const FeatureSpace& features, const KnownCodes& known) const {
    if (size() == 0) return;
    bool exist = features.has_codes(
        RowsView::of_codes(codes.bytes.data(), codes.width, size(), codes.features));
    with_code_type(codes.width, [&]<class Code>(Code) {
        for (std::size_t r = 0; exist && r < size(); ++r)
            for (const std::uint32_t f : features.nominal())
                exist &= known.has_category(f, reinterpret_cast<const Code*>(codes.row(r))[f]);
    });
    if (!exist) Archive::fail("rows/codes", "has a bin or category that does not exist");
}

PartialTree PartialTree::load(const ArchiveView& archive, const std::string& prefix,
                              std::size_t n_kept) {
    const auto layout = archive.get<std::int64_t>(prefix + "layout", 2);
    if (layout[0] < 0 || layout[0] > static_cast<std::int64_t>(CellKind::softmax_counts) ||
        layout[1] < 1 || layout[1] > (1 << 24))
        Archive::fail(prefix + "layout", "is unknown");
    PartialTree tree({static_cast<CellKind>(layout[0]), static_cast<std::uint32_t>(layout[1])});
    const auto integers = archive.get<std::int64_t>(prefix + "leaves");
    if (integers.size() % kIntegersOfLeaf != 0)
        Archive::fail(prefix + "leaves", "has the wrong size");
    const std::size_t n = integers.size() / kIntegersOfLeaf;
    const auto references = archive.get<double>(prefix + "references", 2 * n * tree.n_references());
    for (std::size_t i = 0; i < references.size(); i += 2)
        tree.references_.push_back({references[i], references[i + 1]});
    tree.latest_ = from_bytes(archive, prefix + "latest");
    tree.records_ = to_vector(archive.get<double>(
        prefix + "records", tree.latest_.size() * evidence_width(tree.layout_)));
    tree.numeric_ = from_bytes(archive, prefix + "numeric");
    const std::vector<std::uint32_t> nominal = from_bytes(archive, prefix + "nominal");
    if (nominal.size() % 2 != 0) Archive::fail(prefix + "nominal", "has the wrong size");
    for (std::size_t i = 0; i < nominal.size(); i += 2)
        tree.nominal_.push_back({nominal[i], nominal[i + 1]});
    tree.sums_ = to_vector(archive.get<double>(prefix + "sums"));
    ArrayReader<double> weights(archive, prefix + "weights");
    for (std::size_t i = 0; i < n; ++i)
        tree.load_leaf(integers.data() + i * kIntegersOfLeaf, weights, n_kept, prefix);
    weights.finish();
    const Leaf end = tree.end_of_leaves();
    if (end.latest_end != tree.latest_.size() || end.numeric_end != tree.numeric_.size() ||
        end.nominal_end != tree.nominal_.size() || end.sums_begin != tree.sums_.size())
        Archive::fail(prefix + "sums", "is too long");
    tree.check_records(prefix);
    return tree;
}

// Where the leaves so far end.
PartialTree::Leaf PartialTree::end_of_leaves() const {
    Leaf end;
    if (leaves_.empty()) return end;
    end = leaves_.back();
    if (end.has_sums)
        end.sums_begin +=
            (1 + end.numeric_end - end.numeric_begin + end.nominal_end - end.nominal_begin) *
            cell_width(layout_);
    return end;
}

void PartialTree::load_leaf(const std::int64_t* of_leaf, ArrayReader<double>& weights,
                            std::size_t n_kept, const std::string& prefix) {
    const std::string name = prefix + "leaves";
    if (of_leaf[0] < 0 || of_leaf[0] >= kNoNode || of_leaf[1] < -1 ||
        of_leaf[1] >= kUnseenCode<std::uint32_t>)
        Archive::fail(name, "names a node or branch that is out of range");
    const Leaf before = end_of_leaves();
    Leaf leaf;
    leaf.place = {static_cast<NodeIndex>(of_leaf[0]),
                  of_leaf[1] < 0 ? Place::kNoBranch : static_cast<std::uint32_t>(of_leaf[1])};
    if (!leaves_.empty() && !(before.place < leaf.place)) Archive::fail(name, "must be in order");
    leaf.rows = to_count(of_leaf[2], name);
    const std::uint64_t n_latest = to_count(of_leaf[3], name);
    leaf.has_sums = of_leaf[4] != 0;
    const std::uint64_t n_numeric = to_count(of_leaf[5], name);
    const std::uint64_t n_nominal = to_count(of_leaf[6], name);
    const bool fits = leaf.rows > 0 && n_latest <= latest_.size() - before.latest_end &&
                      n_numeric <= numeric_.size() - before.numeric_end &&
                      n_nominal <= nominal_.size() - before.nominal_end &&
                      (leaf.has_sums ? n_latest <= leaf.rows
                                     : n_latest == leaf.rows && n_numeric + n_nominal == 0);
    const std::size_t n_sums = leaf.has_sums ? 1 + n_numeric + n_nominal : 0;
    if (!fits || n_sums * cell_width(layout_) > sums_.size() - before.sums_begin)
        Archive::fail(name, "does not fit the sums");
    leaf.latest_begin = before.latest_end;
    leaf.latest_end = before.latest_end + n_latest;
    leaf.numeric_begin = before.numeric_end;
    leaf.numeric_end = before.numeric_end + n_numeric;
    leaf.nominal_begin = before.nominal_end;
    leaf.nominal_end = before.nominal_end + n_nominal;
    leaf.sums_begin = before.sums_begin;
    if (leaf.has_sums) {
        leaf.weight = weights.next();
        leaf.weight_squares = weights.next();
    }
    leaves_.push_back(leaf);
    const PartialLeaf loaded = this->leaf(leaves_.size() - 1);
    if (!std::is_sorted(loaded.numeric.begin(), loaded.numeric.end()) ||
        !std::is_sorted(loaded.nominal.begin(), loaded.nominal.end()))
        Archive::fail(name, "has cells that are not in order");
    if (!std::is_sorted(loaded.latest.begin(), loaded.latest.end()) ||
        (n_latest > 0 && loaded.latest.back() >= n_kept))
        Archive::fail(prefix + "latest", "names rows that do not exist");
}

void PartialTree::check_records(const std::string& prefix) const {
    if (layout_.kind == CellKind::moments)
        for (std::size_t i = 0; i < records_.size(); i += evidence_width(layout_))
            if (!(std::isfinite(records_[i]) && records_[i] > 0.0))
                Archive::fail(prefix + "records",
                              "has a row whose number of copies is not above 0");
    if (!layout_.counts_classes()) return;
    const auto n_classes = static_cast<double>(cell_width(layout_));
    for (const double y : records_)
        if (!(y >= 0.0 && y < n_classes && y == std::floor(y)))
            Archive::fail(prefix + "records", "has a class that does not exist");
}

void Partial::save(Archive& archive, const std::string& prefix) && {
    archive.put<std::int64_t>(prefix + "counts",
                              {static_cast<std::int64_t>(blocks), static_cast<std::int64_t>(rows),
                               static_cast<std::int64_t>(trees.size())});
    archive.put<double>(prefix + "weight", {weight});
    std::move(kept).save(archive, prefix + "rows/");
    for (std::size_t t = 0; t < trees.size(); ++t)
        std::move(trees[t]).save(archive, prefix + "tree" + std::to_string(t) + "/");
}

Partial Partial::load(const ArchiveView& archive, const std::string& prefix) {
    const auto counts = archive.get<std::int64_t>(prefix + "counts", 3);
    Partial partial;
    partial.blocks = to_count(counts[0], prefix + "counts");
    partial.rows = to_count(counts[1], prefix + "counts");
    partial.weight = archive.get_one<double>(prefix + "weight");
    partial.kept = PartialRows::load(archive, prefix + "rows/");
    const std::uint64_t n_trees = to_count(counts[2], prefix + "counts");
    for (std::uint64_t t = 0; t < n_trees; ++t)
        partial.trees.push_back(PartialTree::load(
            archive, prefix + "tree" + std::to_string(t) + "/", partial.kept.size()));
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
