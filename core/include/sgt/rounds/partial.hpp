// Partial statistics: what the leaves of trees gather from a block of rows while the trees do not
// change. They are formed where the rows are, added to those of other blocks, and absorbed by the
// trees in the end (docs/algorithm.md, "Rounds").
//
// Only leaves that rows came to are in it. Where so few came that a leaf keeps them all anyway
// (kept_rows), it has the rows themselves; otherwise their sums, of the cells that occurred, and
// the latest rows. Sums are formed from zero in the order of the rows; moments are about the first
// of its rows in the leaf.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sgt/archive/archive.hpp"
#include "sgt/data/codes.hpp"
#include "sgt/data/features.hpp"
#include "sgt/leaf/cells.hpp"
#include "sgt/leaf/leaf_statistics.hpp"
#include "sgt/tree/nodes.hpp"

namespace sgt {

// What adding partial statistics needs to know: where a leaf has its cells, how many rows it keeps.
struct LeafForm {
    const FeatureSpace& features;
    std::size_t kept_rows = 0;

    // Up to so many rows are passed on as they are. Their sums, and those that are kept, would take
    // more bytes, and more time to form.
    static std::size_t most_rows(std::size_t kept_rows) {
        return 2 * kept_rows;
    }
    std::size_t most_rows() const {
        return most_rows(kept_rows);
    }
};

// The rows that leaves were given, each once, however many trees have it. A tree has the
// row's record for it.
struct PartialRows {
    CodeBlock codes;
    std::vector<double> weights;

    std::size_t size() const {
        return weights.size();
    }
    void widen(CodeWidth width);
    void append(const PartialRows& later);
    // Removes those that no place has; returns the new numbers of the rest.
    std::vector<std::uint32_t> keep(const std::vector<bool>& is_kept);

    void save(Archive& archive, const std::string& prefix) &&;
    static PartialRows load(const ArchiveView& archive, const std::string& prefix);
    // Throws std::invalid_argument where a code has no cell.
    void check(const FeatureSpace& features, const KnownCodes& known) const;
    // The largest code of a nominal feature.
    std::uint32_t largest_code(const FeatureSpace& features) const;
};

// Rows that share a leaf; or, at a nominal split that does not know their category, the category.
struct Place {
    static constexpr std::uint32_t kNoBranch = static_cast<std::uint32_t>(-1);

    NodeIndex node = 0;
    std::uint32_t branch = kNoBranch;

    bool is_leaf() const {
        return branch == kNoBranch;
    }
    auto operator<=>(const Place&) const = default;
};

// A cell of a nominal feature, by the feature's position in FeatureSpace::nominal().
struct NominalCell {
    std::uint32_t feature = 0, code = 0;

    auto operator<=>(const NominalCell&) const = default;
};

// Doubles that are passed on of a row's record: what a leaf keeps, without the weight.
constexpr std::size_t evidence_width(Layout layout) {
    return kept_width(layout) - 1;
}

// A view of one leaf of a PartialTree.
struct PartialLeaf {
    Place place;
    std::uint64_t rows = 0;
    std::span<const Reference> references;
    std::span<const std::uint32_t> latest;  // numbers of the latest rows, or of all, ascending
    const double* records = nullptr;        // of these
    // Otherwise the rows are all there is.
    bool has_sums = true;
    double weight = 0.0, weight_squares = 0.0;
    const double* total = nullptr;
    std::span<const std::uint32_t> numeric;  // cells, as a leaf lays them out, ascending
    std::span<const NominalCell> nominal;    // ascending
    const double* cells = nullptr;           // the sums of these: numeric, then nominal
};

class PartialTree {
public:
    explicit PartialTree(Layout layout) : layout_(layout) {}

    Layout layout() const {
        return layout_;
    }
    std::size_t n_leaves() const {
        return leaves_.size();
    }
    PartialLeaf leaf(std::size_t i) const;

    // Leaves come by place, ascending.
    void append(const PartialLeaf& leaf);
    // The latest rows of the leaf, and their records, where it has sums.
    void set_latest(std::span<const std::uint32_t> rows, const double* records);
    // The largest code of a nominal feature.
    std::uint32_t largest_code() const;
    // Adds the statistics of later rows. Both have their rows in `rows`.
    void add(const PartialTree& later, const PartialRows& rows, const LeafForm& form);

    // Rows are numbered anew.
    void add_to_numbers(std::uint32_t n);
    void mark(std::vector<bool>& is_kept) const;
    void renumber(const std::vector<std::uint32_t>& numbers);

    void save(Archive& archive, const std::string& prefix) &&;
    // Its rows are some of `n_kept`.
    static PartialTree load(const ArchiveView& archive, const std::string& prefix,
                            std::size_t n_kept);

private:
    struct Leaf {
        Place place;
        std::uint64_t rows = 0;
        double weight = 0.0, weight_squares = 0.0;
        std::size_t latest_begin = 0, latest_end = 0;
        std::size_t numeric_begin = 0, numeric_end = 0, nominal_begin = 0, nominal_end = 0;
        std::size_t sums_begin = 0;  // total and cells
        bool has_sums = true;
    };
    class Adding;

    Leaf begin_leaf(const PartialLeaf& leaf) const;
    void append_latest(std::span<const std::uint32_t> rows, const double* records);
    Leaf end_of_leaves() const;
    void load_leaf(const std::int64_t* of_leaf, ArrayReader<double>& weights, std::size_t n_kept,
                   const std::string& prefix);
    void check_records(const std::string& prefix) const;
    std::size_t n_references() const {
        return layout_.counts_classes() ? 0 : layout_.outputs;
    }

    Layout layout_;
    std::vector<Leaf> leaves_;
    std::vector<Reference> references_;  // of each leaf as many as there are outputs
    std::vector<std::uint32_t> latest_;
    std::vector<double> records_;  // of latest_
    std::vector<std::uint32_t> numeric_;
    std::vector<NominalCell> nominal_;
    std::vector<double> sums_;
};

// Sums of one leaf: what an empty one holds that absorbs parts, one after the other.
class LeafSum {
public:
    LeafSum(Layout layout, const PartialRows& rows, const FeatureSpace& features)
        : rows_(rows), features_(features), statistics_(layout, true, 1), sums_(layout) {}

    void absorb(const PartialLeaf& part);
    // Returns what has been absorbed, and begins anew. It is there until the next one is taken.
    PartialLeaf take(Place place);

private:
    const PartialRows& rows_;
    const FeatureSpace& features_;
    LeafStatistics statistics_;
    FlushScratch scratch_;
    PartialTree sums_;
};

// The statistics of a block, or of blocks that follow one another, for all trees of a model.
struct Partial {
    std::uint64_t blocks = 0;
    std::uint64_t rows = 0;
    double weight = 0.0;  // of the rows that the learner counts beside its trees
    PartialRows kept;
    std::vector<PartialTree> trees;

    // Adds the statistics of the blocks that follow. Throws std::invalid_argument where they are of
    // another model.
    void add(Partial later, const LeafForm& form);
    // Removes rows that no tree has.
    void let_rows_go();

    void save(Archive& archive, const std::string& prefix = "") &&;
    static Partial load(const ArchiveView& archive, const std::string& prefix = "");
};

// Partial statistics of blocks as they come, added pairwise: those of as many blocks at once, as
// the digits of a binary counter. So the order of additions depends on the number of blocks only.
class PairwiseSum {
public:
    bool empty() const {
        return parts_.empty();
    }
    std::uint64_t rows() const;
    void push(Partial next, const LeafForm& form);
    Partial take(const LeafForm& form);
    const std::vector<Partial>& parts() const {
        return parts_;
    }

    void save(Archive& archive, const std::string& prefix) const;
    static PairwiseSum load(const ArchiveView& archive, const std::string& prefix);

private:
    std::vector<Partial> parts_;
};

}  // namespace sgt
