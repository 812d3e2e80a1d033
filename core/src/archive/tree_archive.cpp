// Saving and loading of trees. What is loaded is checked before anything can follow a link in it.
#include <algorithm>
#include <cmath>

#include "sgt/archive/feature_archive.hpp"
#include "sgt/archive/leaf_arrays.hpp"
#include "sgt/leaf/leaf_models.hpp"
#include "sgt/tree/tree.hpp"

namespace sgt {

namespace {

constexpr std::int64_t kNoFeature = -1;  // of a leaf

template <class T>
void append_all(std::vector<T>& to, const T* from, std::size_t n) {
    to.insert(to.end(), from, from + n);
}

// A leaf's buffer never has room for more rows that wait than one more than may. Rows that are kept
// need more, but are there then: it grows twofold, and is never emptied.
bool may_have_room(Layout layout, std::size_t room, std::size_t kept, std::size_t waiting,
                   std::size_t kept_rows) {
    const std::size_t most = LeafStatistics::most_waiting(layout) + 1;
    if (room <= most) return true;
    if (kept_rows == 0) return false;
    return room <= 2 * (kept + waiting) || (kept == kept_rows && room - kept <= most);
}

// Every code of a waiting row must have a cell, so that adding it stays in bounds.
template <class Code>
bool codes_fit(const Code* row, std::size_t rows, const KnownCodes& codes) {
    const std::size_t d = codes.n_features();
    for (std::size_t r = 0; r < rows; ++r, row += d)
        for (std::size_t f = 0; f < d; ++f)
            if (!codes.has(f, row[f])) return false;
    return true;
}

void load_nominal_cells(LeafArraysReader& arrays, Layout layout, const KnownCodes& codes,
                        std::size_t feature, NominalCells& cells) {
    const std::size_t width = cell_width(layout), n = arrays.size(kUnseenCode<std::uint32_t>);
    const std::int64_t* categories = arrays.categories.take(n);
    std::vector<std::int64_t> sorted(categories, categories + n);
    std::sort(sorted.begin(), sorted.end());
    if (n > 0 &&
        (sorted.front() < 0 || !codes.has(feature, static_cast<std::uint64_t>(sorted.back()))))
        Archive::fail("leaves/categories", "names a category that does not exist");
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
        Archive::fail("leaves/categories", "repeats a category");
    const double* numbers = arrays.numbers.take(n * width);
    cells.load(categories, numbers, n, layout);
}

Layout load_layout(const ArchiveView& archive, const std::string& prefix) {
    const auto layout = archive.get<std::int64_t>(prefix + "layout", 2);
    const std::size_t n_values = archive.get<double>(prefix + "nodes/value").size();
    if (layout[0] < 0 || layout[0] > static_cast<std::int64_t>(CellKind::softmax_counts))
        Archive::fail(prefix + "layout", "is unknown");
    const auto kind = static_cast<CellKind>(layout[0]);
    if (layout[1] < (kind == CellKind::softmax_counts ? 2 : 1) ||
        static_cast<std::uint64_t>(layout[1]) > std::min<std::size_t>(n_values, 1U << 24) ||
        (kind == CellKind::class_counts && layout[1] != 1))
        Archive::fail(prefix + "layout", "does not fit the nodes' values");
    return {kind, static_cast<std::uint32_t>(layout[1])};
}

}  // namespace

void LeafStatistics::save(LeafArrays& arrays, std::size_t row_bytes) const {
    const auto put = [&](std::size_t n) {
        arrays.integers.push_back(static_cast<std::int64_t>(n));
    };
    put(keeps_cells_);
    put(has_cells_);
    put(rows_);
    put(waiting_);
    put(room_);
    if (most_kept_ > 0) {
        put(kept_);
        put(oldest_);
    }
    for (const double number : {weight_, weight_squares_}) arrays.numbers.push_back(number);
    for (const Reference& reference : references_) {
        arrays.numbers.push_back(reference.g);
        arrays.numbers.push_back(reference.h);
    }
    // As wide as they will be when they are next needed.
    const auto append_cell = [&](const double* cell) {
        append_all(arrays.numbers, cell, cell_width(layout_));
        arrays.numbers.insert(arrays.numbers.end(), late_classes_, 0.0);
    };
    append_cell(total_.data());
    append_all(arrays.numbers, buffered_record(oldest_), buffered() * kept_width_);
    for (std::size_t i = 0; i < numeric_.size(); i += cell_width(layout_))
        append_cell(numeric_.data() + i);
    for (std::size_t r = 0; r < buffered(); ++r)
        append_all(arrays.codes, reinterpret_cast<const std::uint8_t*>(kept_codes(r)), row_bytes);
    for (const NominalCells& cells : nominal_) {
        const std::size_t counted_at = arrays.integers.size();
        put(0);
        cells.for_each(layout_, [&](std::uint32_t code, const double* cell) {
            ++arrays.integers[counted_at];
            arrays.categories.push_back(code);
            append_cell(cell);
        });
    }
}

LeafStatistics LeafStatistics::load(LeafArraysReader& arrays, Layout layout,
                                    const FeatureSpace& features, const KnownCodes& known,
                                    GracePeriod grace_period, std::size_t kept_rows) {
    const auto fail = [](const char* what) { Archive::fail("leaves/integers", what); };
    const std::size_t width = cell_width(layout);
    const std::size_t row_bytes = features.size() * bytes_of(features.width());
    const bool keeps = arrays.size(1) != 0, has = arrays.size(1) != 0;
    LeafStatistics s(layout, keeps, grace_period, kept_rows);
    s.has_cells_ = has;
    s.rows_ = arrays.size(1ULL << 62);
    s.rows_to_attempt_ = grace_period.next(s.rows_) - s.rows_;
    s.waiting_ = arrays.size(s.rows_);
    const std::size_t room = arrays.size(1ULL << 62);
    if (kept_rows > 0) {
        s.kept_ = arrays.size(std::min<std::uint64_t>(s.rows_ - s.waiting_, kept_rows));
        s.oldest_ = arrays.size(s.kept_ == kept_rows ? room : 0);
    }
    if (!may_have_room(layout, room, s.kept_, s.waiting_, kept_rows)) fail("has too much room");
    if (s.filled() > room || (s.kept_ > 0 && !has) || (has && !keeps) || (room > 0 && !keeps))
        fail("is inconsistent");
    // It grows fourfold when it is full, and only a small one is there though it was emptied.
    if (!has && room > std::max(kLargeRoom, 4 * s.waiting_)) fail("has too much room");
    s.weight_ = arrays.numbers.next();
    s.weight_squares_ = arrays.numbers.next();
    for (Reference& reference : s.references_) {
        reference.g = arrays.numbers.next();
        reference.h = arrays.numbers.next();
    }
    std::copy_n(arrays.numbers.take(s.total_.size()), s.total_.size(), s.total_.begin());
    const std::size_t n_kept = s.buffered() * kept_width(layout);
    const double* records = arrays.numbers.take(n_kept);
    const std::uint8_t* codes = arrays.codes.take(s.buffered() * row_bytes);
    s.room_ = room;
    s.records_.resize(room * kept_width(layout));
    s.row_stride_ = row_bytes;
    s.codes_.resize(room * row_bytes);
    std::copy_n(records, n_kept, s.buffered_record(s.oldest_));
    std::copy_n(reinterpret_cast<const std::byte*>(codes), s.buffered() * row_bytes,
                s.codes_.data() + s.oldest_ * row_bytes);
    for (std::size_t r = 0; r < s.buffered() && layout.counts_classes(); ++r) {
        const double y = records[2 * r + 1];
        if (!(y >= 0.0 && y < static_cast<double>(width) && y == std::floor(y)))
            Archive::fail("leaves/numbers", "has a class that does not exist");
    }
    for (std::size_t r = 0; r < s.buffered(); ++r)
        if (const double copies = copies_of(layout, records + r * kept_width(layout));
            !(std::isfinite(copies) && copies > 0.0))
            Archive::fail("leaves/numbers", "has a row whose number of copies is not above 0");
    const bool fit = with_code_type(features.width(), [&]<class Code>(Code) {
        return codes_fit(reinterpret_cast<const Code*>(s.kept_codes(0)), s.buffered(), known);
    });
    if (!fit) Archive::fail("leaves/codes", "has a bin or category that does not exist");
    if (!has) return s;
    const std::size_t n_cells = features.n_numeric_cells() * width;
    const double* cells = arrays.numbers.take(n_cells);
    s.numeric_.assign(cells, cells + n_cells);
    s.nominal_.reserve(features.nominal().size());
    for (const std::uint32_t f : features.nominal())
        load_nominal_cells(arrays, layout, known, f, s.nominal_.emplace_back());
    return s;
}

void Nodes::save(Archive& archive, const std::string& prefix) const {
    std::vector<std::int64_t> parent, branch, feature, threshold, bias, default_child, since;
    std::vector<double> cover, gain, rate;
    for (NodeIndex i = 0; i < nodes_.size(); ++i) {
        const Node& node = nodes_[i];
        parent.push_back(i == 0 ? -1 : static_cast<std::int64_t>(node.parent));
        branch.push_back(node.branch);
        feature.push_back(this->feature(i));
        threshold.push_back(is_leaf(i) || is_nominal_split(i) ? 0 : routes_[i].threshold);
        bias.push_back(is_leaf(i) ? 0 : routes_[i].bias);
        default_child.push_back(
            is_nominal_split(i) ? static_cast<std::int64_t>(nominal(i).default_child) : -1);
        since.push_back(static_cast<std::int64_t>(node.since));
        cover.push_back(node.cover);
        gain.push_back(node.gain);
        rate.push_back(node.rate);
    }
    archive.put(prefix + "nodes/parent", std::move(parent));
    archive.put(prefix + "nodes/branch", std::move(branch));
    archive.put(prefix + "nodes/feature", std::move(feature));
    archive.put(prefix + "nodes/threshold", std::move(threshold));
    archive.put(prefix + "nodes/bias", std::move(bias));
    archive.put(prefix + "nodes/default_child", std::move(default_child));
    archive.put(prefix + "nodes/since", std::move(since));
    archive.put(prefix + "nodes/value", values_.packed());
    archive.put(prefix + "nodes/cover", std::move(cover));
    archive.put(prefix + "nodes/gain", std::move(gain));
    archive.put(prefix + "nodes/rate", std::move(rate));
}

Nodes Nodes::load(const ArchiveView& archive, const std::string& prefix,
                  const FeatureSpace& features, const KnownCodes& codes, std::size_t outputs) {
    const auto parent = archive.get<std::int64_t>(prefix + "nodes/parent");
    const std::size_t n = parent.size();
    const auto integers = [&](const char* name) {
        return archive.get<std::int64_t>(prefix + "nodes/" + name, n);
    };
    const auto numbers = [&](const char* name) {
        return archive.get<double>(prefix + "nodes/" + name, n);
    };
    const auto branch = integers("branch"), feature = integers("feature"),
               threshold = integers("threshold"), bias = integers("bias"),
               default_child = integers("default_child"), since = integers("since");
    const auto cover = numbers("cover"), gain = numbers("gain"), rate = numbers("rate");
    if (n == 0 || n >= kNoNode || parent[0] != -1) Archive::fail(prefix + "nodes", "has no root");

    Nodes nodes(std::vector<double>(outputs, 0.0));
    nodes.values_ =
        GrowingRows(to_vector(archive.get<double>(prefix + "nodes/value", n * outputs)), outputs);
    nodes.routes_.resize(n);
    nodes.nodes_.resize(n);
    nodes.n_leaves_ = 0;
    for (std::size_t i = 0; i < n; ++i) {
        if (i > 0 && (parent[i] < 0 || parent[i] >= static_cast<std::int64_t>(i)))
            Archive::fail(prefix + "nodes/parent", "must come before its children");
        if (branch[i] < 0 || branch[i] >= kUnseenCode<std::uint32_t>)
            Archive::fail(prefix + "nodes/branch", "is out of range");
        if (feature[i] < kNoFeature || feature[i] >= static_cast<std::int64_t>(features.size()))
            Archive::fail(prefix + "nodes/feature", "names a feature that does not exist");
        Route& route = nodes.routes_[i];
        Node& node = nodes.nodes_[i];
        node = {i == 0 ? kNoNode : static_cast<NodeIndex>(parent[i]),
                i == 0 ? 0 : nodes.nodes_[static_cast<std::size_t>(parent[i])].depth + 1,
                static_cast<std::uint32_t>(branch[i]),
                kNoNode,  // until it is linked to its parent
                cover[i],
                gain[i],
                rate[i],
                to_count(since[i], prefix + "nodes/since")};
        nodes.depth_ = std::max<std::size_t>(nodes.depth_, node.depth);
        route.child = kNoNode;
        if (feature[i] == kNoFeature) {
            route.child = static_cast<NodeIndex>(i);
            ++nodes.n_leaves_;
        } else if (const auto f = static_cast<std::size_t>(feature[i]); features.is_nominal(f)) {
            route.column = static_cast<std::uint32_t>(f);
            if (bias[i] != kNominal || default_child[i] <= static_cast<std::int64_t>(i) ||
                default_child[i] >= static_cast<std::int64_t>(n))
                Archive::fail(prefix + "nodes/default_child", "does not fit its split");
            route.bias = kNominal;
            route.child = static_cast<NodeIndex>(nodes.nominal_.size());
            nodes.nominal_.emplace_back().default_child = static_cast<NodeIndex>(default_child[i]);
        } else {
            if ((bias[i] != 0 && bias[i] != 1) || threshold[i] < 1 ||
                threshold[i] > static_cast<std::int64_t>(features.boundaries(f).size()))
                Archive::fail(prefix + "nodes/threshold", "does not fit its feature");
            route.column = static_cast<std::uint32_t>(f);
            route.bias = static_cast<std::uint32_t>(bias[i]);
            route.threshold = static_cast<std::uint32_t>(threshold[i]);
        }
        if (i > 0) nodes.link_to_parent(static_cast<NodeIndex>(i), codes, prefix);
    }
    nodes.finish_splits(prefix);
    return nodes;
}

void Nodes::link_to_parent(NodeIndex child, const KnownCodes& codes, const std::string& prefix) {
    Route& route = routes_[nodes_[child].parent];
    const std::uint32_t branch = nodes_[child].branch;
    if (route.bias == kLeaf) Archive::fail(prefix + "nodes/parent", "is a leaf with children");
    nodes_[child].nominal_above = nominal_from(nodes_[child].parent, route.bias == kNominal);
    if (route.bias == kNominal) {
        if (!codes.has(route.column, branch))
            Archive::fail(prefix + "nodes/branch", "is a category that does not exist");
        nominal_[route.child].codes.push_back(branch);
        nominal_[route.child].children.push_back(child);
    } else if (branch == 0 && route.child == kNoNode) {
        route.child = child;
    } else if (branch != 1 || route.child == kNoNode || child != route.child + 1) {
        Archive::fail(prefix + "nodes/branch", "does not fit its split");
    }
}

void Nodes::finish_splits(const std::string& prefix) {
    for (NodeIndex i = 0; i < nodes_.size(); ++i) {
        if (is_leaf(i)) continue;
        bool whole =
            left(i) != kNoNode && left(i) + 1 < nodes_.size() && nodes_[left(i) + 1].parent == i;
        if (is_nominal_split(i)) {
            NominalSplit& split = nominal_[routes_[i].child];
            if (!split.sort()) Archive::fail(prefix + "nodes/branch", "repeats a category");
            whole = std::find(split.children.begin(), split.children.end(), split.default_child) !=
                    split.children.end();
            note_pair(i);
        }
        if (!whole) Archive::fail(prefix + "nodes", "has a split that lacks a branch");
    }
}

// More than the leaves have: an array that grows as it is written would be there twice at times.
std::size_t Tree::most_numbers() const {
    std::size_t bytes = 0;
    for (const auto& statistics : statistics_)
        if (statistics) bytes += statistics->bytes();
    return bytes / sizeof(double);
}

void Tree::save(Archive& archive, const std::string& prefix, const TreeContext& context,
                bool inference_only) const {
    nodes_.save(archive, prefix);
    LeafArrays leaves;
    std::vector<std::int64_t> with_statistics;
    std::vector<double> covers;
    const std::size_t row_bytes = context.features.size() * bytes_of(context.features.width());
    if (!inference_only) leaves.numbers.reserve(most_numbers());
    for (NodeIndex i = 0; i < statistics_.size(); ++i) {
        covers.push_back(cover(i));
        if (!statistics_[i] || inference_only) continue;
        with_statistics.push_back(i);
        statistics_[i]->save(leaves, row_bytes);
    }
    // Without the statistics the covers must hold the rows that these have gathered.
    if (inference_only) archive.put(prefix + "nodes/cover", std::move(covers));
    std::move(leaves).put(archive, prefix);
    leaf_model_->save(archive, prefix, inference_only);
    offsets_.save(archive, prefix);
    if (!inference_only) past_values_.save(archive, prefix);
    archive.put(prefix + "leaves/nodes", std::move(with_statistics));
    archive.put<std::int64_t>(prefix + "layout",
                              {static_cast<std::int64_t>(layout_.kind), layout_.outputs});
    archive.put<std::int64_t>(prefix + "counters", {static_cast<std::int64_t>(rows_),
                                                    static_cast<std::int64_t>(n_updates_),
                                                    static_cast<std::int64_t>(n_splits_)});
}

Tree Tree::load(const ArchiveView& archive, const std::string& prefix, const KnownCodes& codes,
                const TreeOptions& options, TreeContext& context) {
    const Layout layout = load_layout(archive, prefix);
    const auto counters = archive.get<std::int64_t>(prefix + "counters", 3);
    const bool inference_only = archive.get_one<std::uint8_t>("inference_only") != 0;
    Tree tree(Nodes::load(archive, prefix, context.features, codes, layout.outputs), layout);
    tree.rows_ = to_count(counters[0], prefix + "counters");
    tree.n_updates_ = to_count(counters[1], prefix + "counters");
    tree.n_splits_ = to_count(counters[2], prefix + "counters");
    tree.leaf_model_ = with_leaf_model(context.options, [&]<class Leaves>(Leaves*) {
        return Leaves::load({context.options, layout.outputs, context.standardiser.size()}, archive,
                            prefix, tree.nodes_.size(), inference_only);
    });
    tree.offsets_ = Offsets(context.options, layout.outputs);
    tree.offsets_.load(archive, prefix, tree.nodes_.size());
    tree.past_values_ = PastValues(context.options.rows_of_past_values());
    if (!inference_only)
        tree.past_values_.load(archive, prefix, tree.nodes_.size(), layout.outputs);
    tree.options_ = options;
    tree.statistics_.resize(tree.nodes_.size());
    tree.counted_bytes_.resize(tree.nodes_.size(), 0);
    tree.account_nodes(tree.nodes_.size(), tree.nodes_.n_leaves(), context);
    LeafArraysReader leaves(archive, prefix);
    for (const std::int64_t node : archive.get<std::int64_t>(prefix + "leaves/nodes")) {
        if (node < 0 || node >= static_cast<std::int64_t>(tree.nodes_.size()))
            Archive::fail(prefix + "leaves/nodes", "names a node that does not exist");
        const auto i = static_cast<NodeIndex>(node);
        if (!tree.nodes_.is_leaf(i) || tree.statistics_[i])
            Archive::fail(prefix + "leaves/nodes", "names a split, or a leaf twice");
        tree.statistics_[i] = std::make_unique<LeafStatistics>(
            LeafStatistics::load(leaves, tree.layout_, context.features, codes,
                                 context.options.grace(), context.options.kept_rows));
        tree.account(i, context);
    }
    leaves.finish();
    return tree;
}

}  // namespace sgt
