#include "sgt/rounds/partial.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace sgt {

// -------------------------------------------------------------------------------------------------
// Rows
// -------------------------------------------------------------------------------------------------

void PartialRows::widen(CodeWidth width) {
    if (codes.width == width) return;
    CodeBlock wider;
    wider.shape(codes.rows, codes.features, width);
    with_code_type(codes.width, [&]<class Old>(Old) {
        with_code_type(width, [&]<class New>(New) {
            const auto* from = reinterpret_cast<const Old*>(codes.bytes.data());
            auto* to = reinterpret_cast<New*>(wider.bytes.data());
            for (std::size_t i = 0; i < codes.rows * codes.features; ++i)
                to[i] = static_cast<New>(from[i]);
        });
    });
    codes = std::move(wider);
}

void PartialRows::append(const PartialRows& later) {
    codes.bytes.insert(codes.bytes.end(), later.codes.bytes.begin(), later.codes.bytes.end());
    codes.rows += later.codes.rows;
    weights.insert(weights.end(), later.weights.begin(), later.weights.end());
}

std::vector<std::uint32_t> PartialRows::keep(const std::vector<bool>& is_kept) {
    std::vector<std::uint32_t> numbers(size());
    std::uint32_t n = 0;
    for (std::size_t r = 0; r < size(); ++r) {
        numbers[r] = n;
        if (!is_kept[r]) continue;
        if (n != r) std::copy_n(codes.row(r), codes.row_bytes(), codes.row(n));
        weights[n] = weights[r];
        ++n;
    }
    codes.shape(n, codes.features, codes.width);
    weights.resize(n);
    return numbers;
}

std::uint32_t PartialRows::largest_code(const FeatureSpace& features) const {
    std::uint32_t largest = kMissingCode;
    with_code_type(codes.width, [&]<class Code>(Code) {
        for (std::size_t r = 0; r < size(); ++r)
            for (const std::uint32_t f : features.nominal())
                largest = std::max<std::uint32_t>(largest,
                                                  reinterpret_cast<const Code*>(codes.row(r))[f]);
    });
    return largest;
}

// -------------------------------------------------------------------------------------------------
// Leaves
// -------------------------------------------------------------------------------------------------

PartialLeaf PartialTree::leaf(std::size_t i) const {
    const Leaf& leaf = leaves_[i];
    const double* sums = sums_.data() + leaf.sums_begin;
    return {leaf.place,
            leaf.rows,
            {references_.data() + i * n_references(), n_references()},
            {latest_.data() + leaf.latest_begin, leaf.latest_end - leaf.latest_begin},
            records_.data() + leaf.latest_begin * evidence_width(layout_),
            leaf.has_sums,
            leaf.weight,
            leaf.weight_squares,
            sums,
            {numeric_.data() + leaf.numeric_begin, leaf.numeric_end - leaf.numeric_begin},
            {nominal_.data() + leaf.nominal_begin, leaf.nominal_end - leaf.nominal_begin},
            leaf.has_sums ? sums + cell_width(layout_) : sums};
}

std::uint32_t PartialTree::largest_code() const {
    std::uint32_t largest = kMissingCode;
    for (const NominalCell& cell : nominal_) largest = std::max(largest, cell.code);
    for (const Leaf& leaf : leaves_)
        if (!leaf.place.is_leaf()) largest = std::max(largest, leaf.place.branch);
    return largest;
}

PartialTree::Leaf PartialTree::begin_leaf(const PartialLeaf& leaf) const {
    return {leaf.place,      leaf.rows,       leaf.weight,     leaf.weight_squares,
            latest_.size(),  latest_.size(),  numeric_.size(), numeric_.size(),
            nominal_.size(), nominal_.size(), sums_.size(),    leaf.has_sums};
}

void PartialTree::append_latest(std::span<const std::uint32_t> rows, const double* records) {
    latest_.insert(latest_.end(), rows.begin(), rows.end());
    records_.insert(records_.end(), records, records + rows.size() * evidence_width(layout_));
}

void PartialTree::set_latest(std::span<const std::uint32_t> rows, const double* records) {
    append_latest(rows, records);
    leaves_.back().latest_end = latest_.size();
}

void PartialTree::append(const PartialLeaf& leaf) {
    const std::size_t width = cell_width(layout_);
    const std::size_t n_cells = leaf.numeric.size() + leaf.nominal.size();
    leaves_.push_back(begin_leaf(leaf));
    references_.insert(references_.end(), leaf.references.begin(), leaf.references.end());
    set_latest(leaf.latest, leaf.records);
    if (!leaf.has_sums) return;
    numeric_.insert(numeric_.end(), leaf.numeric.begin(), leaf.numeric.end());
    nominal_.insert(nominal_.end(), leaf.nominal.begin(), leaf.nominal.end());
    leaves_.back().numeric_end = numeric_.size();
    leaves_.back().nominal_end = nominal_.size();
    sums_.insert(sums_.end(), leaf.total, leaf.total + width);
    sums_.insert(sums_.end(), leaf.cells, leaf.cells + n_cells * width);
}

void PartialTree::add_to_numbers(std::uint32_t n) {
    for (std::uint32_t& row : latest_) row += n;
}

void PartialTree::mark(std::vector<bool>& is_kept) const {
    for (const std::uint32_t row : latest_) is_kept[row] = true;
}

void PartialTree::renumber(const std::vector<std::uint32_t>& numbers) {
    for (std::uint32_t& row : latest_) row = numbers[row];
}

// -------------------------------------------------------------------------------------------------
// Adding
// -------------------------------------------------------------------------------------------------

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

// Two leaves in the same place become one of a third tree: as an empty leaf absorbs them.
class PartialTree::Adding {
public:
    Adding(PartialTree& to, const PartialRows& rows, const LeafForm& form)
        : to_(to), form_(form), sum_(to.layout_, rows, form.features) {}

    void add(const PartialLeaf& first, const PartialLeaf& later) {
        const bool as_rows =
            !first.has_sums && !later.has_sums && first.rows + later.rows <= form_.most_rows();
        if (as_rows) {
            add_references(first);
            to_.leaves_.push_back(to_.begin_leaf(first));
            to_.leaves_.back().rows += later.rows;
        } else if (first.has_sums && later.has_sums) {
            add_sums(first, later);
        } else {
            sum_.absorb(first);
            sum_.absorb(later);
            to_.append(sum_.take(first.place));
        }
        add_latest(first, later, as_rows ? form_.most_rows() : form_.kept_rows);
    }

private:
    void add_references(const PartialLeaf& first) {
        to_.references_.insert(to_.references_.end(), first.references.begin(),
                               first.references.end());
    }

    void add_latest(const PartialLeaf& first, const PartialLeaf& later, std::size_t most) {
        const std::size_t width = evidence_width(to_.layout_);
        const std::size_t of_later = std::min(later.latest.size(), most);
        const std::size_t of_first = std::min(first.latest.size(), most - of_later);
        for (const auto& [leaf, n] : {std::pair(&first, of_first), std::pair(&later, of_later)}) {
            const std::size_t gone = leaf->latest.size() - n;
            to_.append_latest(leaf->latest.subspan(gone), leaf->records + gone * width);
        }
        to_.leaves_.back().latest_end = to_.latest_.size();
    }

    void add_sums(const PartialLeaf& first, const PartialLeaf& later) {
        const Layout layout = to_.layout_;
        const std::size_t width = cell_width(layout);
        add_references(first);
        Leaf sum = to_.begin_leaf(first);
        sum.rows += later.rows;
        sum.weight += later.weight;
        sum.weight_squares += later.weight_squares;
        std::vector<double>& sums = to_.sums_;
        moved_.resize(width);
        const auto put = [&](const double* of_first, const double* of_later) {
            const std::size_t at = sums.size();
            if (of_first != nullptr)
                sums.insert(sums.end(), of_first, of_first + width);
            else
                sums.resize(at + width, 0.0);
            if (of_later == nullptr) return;
            std::copy_n(of_later, width, moved_.begin());
            move_references(layout, later.references.data(), first.references.data(),
                            moved_.data());
            for (std::size_t k = 0; k < width; ++k) sums[at + k] += moved_[k];
        };
        put(first.total, later.total);
        join(first.numeric, first.cells, later.numeric, later.cells, width,
             [&](std::uint32_t cell, const double* a, const double* b) {
                 to_.numeric_.push_back(cell);
                 put(a, b);
             });
        join(first.nominal, first.cells + first.numeric.size() * width, later.nominal,
             later.cells + later.numeric.size() * width, width,
             [&](NominalCell cell, const double* a, const double* b) {
                 to_.nominal_.push_back(cell);
                 put(a, b);
             });
        sum.numeric_end = to_.numeric_.size();
        sum.nominal_end = to_.nominal_.size();
        to_.leaves_.push_back(sum);
    }

    PartialTree& to_;
    const LeafForm& form_;
    LeafSum sum_;
    std::vector<double> moved_;
};

void PartialTree::add(const PartialTree& later, const PartialRows& rows, const LeafForm& form) {
    if (layout_ != later.layout_)
        throw std::invalid_argument("partial statistics of different models cannot be added");
    PartialTree sum(layout_);
    // As if they had nothing in common: room that is never touched costs nothing.
    sum.leaves_.reserve(leaves_.size() + later.leaves_.size());
    sum.sums_.reserve(sums_.size() + later.sums_.size());
    sum.numeric_.reserve(numeric_.size() + later.numeric_.size());
    sum.latest_.reserve(latest_.size() + later.latest_.size());
    sum.records_.reserve(records_.size() + later.records_.size());
    Adding adding(sum, rows, form);
    std::size_t i = 0, j = 0;
    while (i < n_leaves() || j < later.n_leaves()) {
        if (j == later.n_leaves() || (i < n_leaves() && leaves_[i].place < later.leaves_[j].place))
            sum.append(leaf(i++));
        else if (i == n_leaves() || later.leaves_[j].place < leaves_[i].place)
            sum.append(later.leaf(j++));
        else
            adding.add(leaf(i++), later.leaf(j++));
    }
    *this = std::move(sum);
}

void Partial::let_rows_go() {
    std::vector<bool> is_kept(kept.size(), false);
    for (const PartialTree& tree : trees) tree.mark(is_kept);
    const std::vector<std::uint32_t> numbers = kept.keep(is_kept);
    for (PartialTree& tree : trees) tree.renumber(numbers);
}

void Partial::add(Partial later, const LeafForm& form) {
    if (trees.size() != later.trees.size())
        throw std::invalid_argument("partial statistics of different models cannot be added");
    const CodeWidth width = form.features.width();
    const auto shift = static_cast<std::uint32_t>(kept.size());
    kept.widen(width);
    later.kept.widen(width);
    kept.append(later.kept);
    for (std::size_t t = 0; t < trees.size(); ++t) {
        later.trees[t].add_to_numbers(shift);
        trees[t].add(later.trees[t], kept, form);
    }
    let_rows_go();
    blocks += later.blocks;
    rows += later.rows;
    weight += later.weight;
}

std::uint64_t PairwiseSum::rows() const {
    std::uint64_t rows = 0;
    for (const Partial& part : parts_) rows += part.rows;
    return rows;
}

void PairwiseSum::push(Partial next, const LeafForm& form) {
    while (!parts_.empty() && parts_.back().blocks == next.blocks) {
        Partial first = std::move(parts_.back());
        parts_.pop_back();
        first.add(std::move(next), form);
        next = std::move(first);
    }
    parts_.push_back(std::move(next));
}

Partial PairwiseSum::take(const LeafForm& form) {
    Partial sum = std::move(parts_.back());
    parts_.pop_back();
    for (; !parts_.empty(); parts_.pop_back()) {
        parts_.back().add(std::move(sum), form);
        sum = std::move(parts_.back());
    }
    return sum;
}

}  // namespace sgt
