// Partial statistics: what a block of rows says to the leaves of trees that stand still. They are
// formed by whoever has the rows, added to those of other blocks, and absorbed by the trees in the
// end (docs/algorithm.md, "Rounds").
//
// Only leaves that rows came to are in it, and only cells that occurred. Its sums are formed from
// zero in the order of the rows; moments are about the first of its rows in the leaf.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sgt/archive.hpp"
#include "sgt/cells.hpp"
#include "sgt/codes.hpp"
#include "sgt/leaf_statistics.hpp"
#include "sgt/nodes.hpp"

namespace sgt {

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

// One leaf of a PartialTree, which it looks into.
struct PartialLeaf {
    Place place;
    std::uint64_t rows = 0;
    double weight = 0.0, weight_squares = 0.0;
    std::span<const Reference> references;
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
    // The largest code of a nominal feature.
    std::uint32_t largest_code() const;
    // Adds what later rows say.
    void add(const PartialTree& later);

    void save(Archive& archive, const std::string& prefix) &&;
    static PartialTree load(const ArchiveView& archive, const std::string& prefix);

private:
    struct Leaf {
        Place place;
        std::uint64_t rows = 0;
        double weight = 0.0, weight_squares = 0.0;
        std::size_t numeric_begin = 0, numeric_end = 0, nominal_begin = 0, nominal_end = 0;
        std::size_t sums_begin = 0;  // total and cells
    };

    void append_sum(const PartialLeaf& first, const PartialLeaf& later);
    std::size_t n_references() const {
        return layout_.counts_classes() ? 0 : layout_.outputs;
    }

    Layout layout_;
    std::vector<Leaf> leaves_;
    std::vector<Reference> references_;  // of each leaf as many as there are outputs
    std::vector<std::uint32_t> numeric_;
    std::vector<NominalCell> nominal_;
    std::vector<double> sums_;
};

// What a block, or blocks that follow one another, say to all trees of a model.
struct Partial {
    std::uint64_t blocks = 0;
    std::uint64_t rows = 0;
    double weight = 0.0;  // of the rows that the learner counts beside its trees
    std::vector<PartialTree> trees;

    // Adds what the blocks that follow say. Throws std::invalid_argument where they are of another
    // model.
    void add(const Partial& later);

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
    void push(Partial next);
    Partial take();

    void save(Archive& archive, const std::string& prefix) const;
    static PairwiseSum load(const ArchiveView& archive, const std::string& prefix);

private:
    std::vector<Partial> parts_;
};

}  // namespace sgt
