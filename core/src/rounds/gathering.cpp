// Partial statistics: they are formed by a tree that does not change, and absorbed by one that
// grows.
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "sgt/clones.hpp"
#include "sgt/leaf/leaf_statistics.hpp"
#include "sgt/rounds/partial.hpp"
#include "sgt/tree/tree.hpp"

namespace sgt {

// -------------------------------------------------------------------------------------------------
// Rows
// -------------------------------------------------------------------------------------------------

namespace {

// Rows that are added to the cells together.
constexpr std::size_t kRowsTogether = 256;
// Rows of a leaf are anywhere in their block: they are fetched so many ahead.
constexpr std::ptrdiff_t kPrefetched = 12;

// What partial statistics hold of a row's record.
void write_evidence(Layout layout, const double* record, double* evidence) {
    const bool only_g = layout.kind == CellKind::constant_hessian;
    for (std::size_t i = 0; i < evidence_width(layout); ++i)
        evidence[i] = record[only_g ? place_of_g(i) : 1 + i];
}

// Calls f(codes, record) for the rows of a leaf.
template <class F>
void for_each_row(Layout layout, const PartialLeaf& leaf, const PartialRows& rows, F&& f) {
    std::vector<double> record(record_width(layout));
    const std::size_t width = evidence_width(layout);
    const double* kept = leaf.records;
    for (const std::uint32_t row : leaf.latest) {
        record[0] = rows.weights[row];
        if (layout.kind == CellKind::constant_hessian) {
            record[1] = 1.0;
            for (std::size_t j = 0; j < layout.outputs; ++j) {
                record[place_of_g(j)] = kept[j];
                record[place_of_h(j)] = leaf.references[j].h;
            }
        } else {
            std::copy_n(kept, width, record.begin() + 1);
        }
        f(rows.codes.row(row), record.data());
        kept += width;
    }
}

}  // namespace

void LeafSum::absorb(const PartialLeaf& part) {
    statistics_.absorb(part, rows_, features_, scratch_, kRowsTogether);
}

PartialLeaf LeafSum::take(Place place) {
    statistics_.flush(features_, scratch_);
    sums_ = PartialTree(sums_.layout());
    statistics_.hand_over(place, sums_);
    return sums_.leaf(0);
}

// -------------------------------------------------------------------------------------------------
// Leaves
// -------------------------------------------------------------------------------------------------

void LeafStatistics::hand_over(Place place, PartialTree& to) {
    const std::size_t width = cell_width(layout_);
    std::vector<std::uint32_t> numeric;
    std::vector<NominalCell> nominal;
    std::vector<double> cells;
    for (std::size_t i = 0; i * width < numeric_.size(); ++i) {
        double* cell = numeric_.data() + i * width;
        if (cell_weight(layout_, cell) == 0.0) continue;
        numeric.push_back(static_cast<std::uint32_t>(i));
        cells.insert(cells.end(), cell, cell + width);
        std::fill_n(cell, width, 0.0);
    }
    for (std::uint32_t f = 0; f < nominal_.size(); ++f) {
        for (const auto& [code, cell] : nominal_[f].by_code(layout_)) {
            nominal.push_back({f, code});
            cells.insert(cells.end(), cell, cell + width);
        }
        nominal_[f].clear();
    }
    to.append({place,
               rows_,
               references_,
               {},
               nullptr,
               true,
               weight_,
               weight_squares_,
               total_.data(),
               numeric,
               nominal,
               cells.data()});
    rows_ = 0;
    rows_to_attempt_ = grace_period_.least;
    weight_ = weight_squares_ = 0.0;
    std::fill(total_.begin(), total_.end(), 0.0);
}

bool LeafStatistics::absorb(const PartialLeaf& more, const PartialRows& rows,
                            const FeatureSpace& features, FlushScratch& scratch,
                            std::size_t buffer_rows) {
    if (more.has_sums) {
        flush(features, scratch);
        const bool is_due = absorb_sums(more, features);
        keep_rows(more, rows);
        return is_due;
    }
    bool is_due = false;
    expect(std::min(more.latest.size(), buffer_rows), rows.codes.row_bytes(), buffer_rows);
    for_each_row(layout_, more, rows, [&](const std::byte* codes, const double* record) {
        const Appended appended = append(codes, rows.codes.row_bytes(), record, buffer_rows);
        is_due |= appended.attempt_is_due();
        if (appended.buffer_is_full()) flush(features, scratch);
    });
    return is_due;
}

// Rows that are in the sums, to be handed down.
void LeafStatistics::keep_rows(const PartialLeaf& more, const PartialRows& rows) {
    const std::size_t n = more.latest.size(), row_bytes = rows.codes.row_bytes();
    if (n == 0 || most_kept_ == 0 || !keeps_cells_) return;
    make_room_for_kept(n, row_bytes);
    for_each_row(layout_, more, rows, [&](const std::byte* codes, const double* record) {
        std::copy_n(codes, row_bytes, codes_.data() + kept_ * row_stride_);
        keep(record, records_.data() + kept_ * kept_width_);
        ++kept_;
    });
}

bool LeafStatistics::absorb_sums(const PartialLeaf& more, const FeatureSpace& features) {
    const std::size_t width = cell_width(layout_);
    if (rows_ == 0) references_.assign(more.references.begin(), more.references.end());
    const std::uint64_t due = rows_ + rows_to_attempt_;
    rows_ += more.rows;
    rows_to_attempt_ = grace_period_.next(rows_) - rows_;
    weight_ += more.weight;
    weight_squares_ += more.weight_squares;
    std::vector<double> moved(width);
    const auto add = [&](const double* cell, double* to) {
        std::copy_n(cell, width, moved.begin());
        move_references(layout_, more.references.data(), references_.data(), moved.data());
        for (std::size_t k = 0; k < width; ++k) to[k] += moved[k];
    };
    add(more.total, total_.data());
    const bool is_due = rows_ >= due;
    if (!keeps_cells_) return is_due;
    if (!has_cells_) {
        numeric_.assign(features.n_numeric_cells() * width, 0.0);
        nominal_.resize(features.nominal().size());
        has_cells_ = true;
    }
    const double* cell = more.cells;
    for (const std::uint32_t i : more.numeric) {
        add(cell, numeric_.data() + i * width);
        cell += width;
    }
    SlotIndex slots;
    for (std::size_t i = 0; i < more.nominal.size();) {
        const std::uint32_t feature = more.nominal[i].feature;
        std::size_t end = i;
        while (end < more.nominal.size() && more.nominal[end].feature == feature) ++end;
        NominalCells& cells = nominal_[feature];
        cells.make_room(more.nominal[end - 1].code, layout_);
        const bool listed = !cells.is_indexed_by_code();
        if (listed) cells.write_slots(slots);
        for (; i < end; ++i, cell += width) {
            const std::uint32_t code = more.nominal[i].code;
            add(cell,
                listed ? cells.find_or_make(code, width, slots) : cells.cells() + code * width);
        }
    }
    return is_due;
}

// -------------------------------------------------------------------------------------------------
// Trees
// -------------------------------------------------------------------------------------------------

namespace {

// Rows by the node they came to, in their order; those at a split are in the order of their
// categories.
class RowsByPlace {
public:
    RowsByPlace(const Nodes& nodes, const CodeBlock& codes, const NodeIndex* at)
        : nodes_(nodes), codes_(codes), at_(at), begin_(nodes.size() + 1, 0) {
        for (std::size_t r = 0; r < codes.rows; ++r)
            if (at[r] != kNoNode) ++begin_[at[r] + 1];
        for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
        order_.resize(begin_.back());
        std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
        for (std::uint32_t r = 0; r < codes.rows; ++r)
            if (at[r] != kNoNode) order_[next[at[r]]++] = r;
    }

    // f(place, first row, last row), the rows being numbers of rows, for each place in order.
    template <class F>
    void for_each(F&& f) {
        for (NodeIndex node = 0; node + 1 < begin_.size(); ++node) {
            const auto begin = order_.begin() + static_cast<std::ptrdiff_t>(begin_[node]);
            const auto end = order_.begin() + static_cast<std::ptrdiff_t>(begin_[node + 1]);
            if (begin == end) continue;
            if (nodes_.is_leaf(node)) {
                f(Place{node}, begin, end);
                continue;
            }
            const auto branch = [&](std::uint32_t row) { return branch_of(node, row); };
            std::stable_sort(begin, end, [&](std::uint32_t a, std::uint32_t b) {
                return branch(a) < branch(b);
            });
            for (auto first = begin; first != end;) {
                const auto last = std::find_if(
                    first, end, [&](std::uint32_t r) { return branch(r) != branch(*first); });
                f(Place{node, branch(*first)}, first, last);
                first = last;
            }
        }
    }

private:
    std::uint32_t branch_of(NodeIndex node, std::uint32_t row) const {
        return with_code_type(codes_.width, [&]<class Code>(Code) -> std::uint32_t {
            return reinterpret_cast<const Code*>(codes_.row(row))[nodes_.feature(node)];
        });
    }

    const Nodes& nodes_;
    const CodeBlock& codes_;
    const NodeIndex* at_;
    std::vector<std::size_t> begin_;    // of each node's rows in order_
    std::vector<std::uint32_t> order_;  // rows
};

}  // namespace

PartialTree Tree::gather(const CodeBlock& codes, const NodeIndex* nodes, const double* records,
                         const TreeContext& context) const {
    const Options& options = context.options;
    PartialTree partial(layout_);
    FlushScratch scratch;
    // One leaf at a time, by the same additions as everywhere.
    const GracePeriod grace_period = options.grace();
    LeafStatistics with_cells(layout_, true, grace_period);
    LeafStatistics without(layout_, false, grace_period);
    const std::size_t width = record_width(layout_), n_evidence = evidence_width(layout_);
    std::vector<std::uint32_t> latest;
    std::vector<double> kept;
    std::vector<Reference> references(layout_.counts_classes() ? 0 : layout_.outputs);
    RowsByPlace(nodes_, codes, nodes).for_each([&](Place place, auto first, auto last) {
        const auto n = static_cast<std::size_t>(last - first);
        const std::size_t depth = nodes_[place.node].depth + (place.is_leaf() ? 0 : 1);
        const bool may_split = may_split_at(depth, options);
        const bool as_rows = may_split && n <= LeafForm::most_rows(options.kept_rows);
        const std::size_t n_kept = as_rows ? n : may_split ? options.kept_rows : 0;
        latest.assign(last - static_cast<std::ptrdiff_t>(n_kept), last);
        kept.resize(n_kept * n_evidence);
        for (std::size_t i = 0; i < n_kept; ++i)
            write_evidence(layout_, records + latest[i] * width, kept.data() + i * n_evidence);
        if (as_rows) {
            for (std::size_t j = 0; j < references.size(); ++j)
                references[j] = {records[*first * width + place_of_g(j)],
                                 records[*first * width + place_of_h(j)]};
            PartialLeaf leaf;
            leaf.place = place;
            leaf.rows = n;
            leaf.references = references;
            leaf.has_sums = false;
            partial.append(leaf);
            partial.set_latest(latest, kept.data());
            return;
        }
        LeafStatistics& leaf = may_split ? with_cells : without;
        for (auto row = first; row != last; ++row) {
            if (last - row > kPrefetched) {
                const std::byte* coming = codes.row(row[kPrefetched]);
                SGT_PREFETCH_READ(coming);
                SGT_PREFETCH_READ(coming + codes.row_bytes() - 1);
                SGT_PREFETCH_READ(records + row[kPrefetched] * width);
            }
            if (leaf.append(codes.row(*row), codes.row_bytes(), records + *row * width,
                            kRowsTogether)
                    .buffer_is_full())
                leaf.flush(context.features, scratch);
        }
        leaf.flush(context.features, scratch);
        leaf.hand_over(place, partial);
        partial.set_latest(latest, kept.data());
    });
    return partial;
}

namespace {

void require_category(const KnownCodes& known, std::size_t feature, std::uint32_t code) {
    if (!known.has_category(feature, code))
        throw std::invalid_argument("the partial statistics have category " +
                                    std::to_string(code - 1) + " of feature " +
                                    std::to_string(feature) + ", which does not have so many");
}

}  // namespace

void Tree::check_absorb(const PartialTree& partial, const LeafForm& form,
                        const KnownCodes& known) const {
    const auto require = [](bool holds) {
        if (!holds)
            throw std::invalid_argument("the partial statistics were not gathered for this tree");
    };
    require(partial.layout() == layout_);
    for (std::size_t i = 0; i < partial.n_leaves(); ++i) {
        const PartialLeaf leaf = partial.leaf(i);
        const auto [node, branch] = leaf.place;
        require(node < nodes_.size());
        require(leaf.place.is_leaf() ? nodes_.is_leaf(node)
                                     : nodes_.is_nominal_split(node) &&
                                           nodes_.nominal(node).child(branch) == kNoNode);
        require(leaf.latest.size() <= (leaf.has_sums ? form.kept_rows : form.most_rows()));
        require(leaf.numeric.empty() || leaf.numeric.back() < form.features.n_numeric_cells());
        require(leaf.nominal.empty() ||
                leaf.nominal.back().feature < form.features.nominal().size());
        // Memory follows the largest code, so that one which no row can have is refused here.
        if (!leaf.place.is_leaf()) require_category(known, nodes_.feature(node), branch);
        for (const auto [position, code] : leaf.nominal)
            require_category(known, form.features.nominal()[position], code);
    }
}

std::vector<NodeIndex> Tree::absorb(const PartialTree& partial, const PartialRows& kept,
                                    TreeContext& context) {
    const std::size_t together = buffer_rows(context.options);
    std::vector<NodeIndex> due;
    std::uint64_t rows = 0;
    for (std::size_t i = 0; i < partial.n_leaves(); ++i) {
        const PartialLeaf more = partial.leaf(i);
        const NodeIndex leaf = leaf_for_learning(more.place.node, more.place.branch, context);
        if (leaf == kNoNode) continue;
        LeafStatistics& mine = statistics_of(leaf, context);
        if (mine.absorb(more, kept, context.features, context.flush, together)) due.push_back(leaf);
        account(leaf, context);
        rows += more.rows;
    }
    rows_ += rows;
    std::sort(due.begin(), due.end());
    return due;
}

}  // namespace sgt
