// An objective: from raw scores and a target to the evidence (w, g, h) that trees learn from. It
// also knows the trees' first values, how cells are read, and when there is a new class. It knows
// no tree.
//
// The row loop knows the objective's type, so that what happens for every row is inlined there:
//
//   using Sink;                              // where predictions go
//   bool is_new_class(y) const;              // of a row that is about to be learned
//   double counted_weight(y, w) const;       // what `count` adds up for this row
//   void set_row(row, y, w, raw);            // the row that is learned now, at these raw scores
//   const double* record(output, tree, number);  // its record for a tree that adds to this output;
//                                            // null where the tree does not learn the row
//
// Everything else uses this interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sgt/archive/archive.hpp"
#include "sgt/data/warm_up.hpp"
#include "sgt/leaf/cells.hpp"

namespace sgt {

// A tree that an objective needs: it adds to as many outputs as its root has values.
struct TreeStart {
    std::size_t first_output = 0;
    std::vector<double> root;
    Layout layout;
};

// What a new class brings.
struct NewClass {
    std::optional<TreeStart> tree;    // that it needs, in each stage
    bool is_in_every_leaf = false;    // trees get one more output, the class's
    double log_share = 0.0;           // of the class among all rows
    bool moments_are_needed = false;  // class counts are not sufficient any more
};

class Objective {
public:
    enum class Kind : std::uint8_t { classes, loss, block_loss, bags };

    explicit Objective(std::size_t n_targets) : n_targets_(n_targets) {}
    virtual ~Objective() = default;
    Objective(const Objective&) = delete;
    Objective& operator=(const Objective&) = delete;

    virtual Kind kind() const = 0;
    // Numbers in the target of a row.
    std::size_t n_targets() const {
        return n_targets_;
    }
    virtual std::size_t n_outputs() const {
        return n_targets_;
    }

    // The warm-up: a row of weight above 0 has come; the raw scores of any row meanwhile; the
    // warm-up ends.
    virtual void add_warm_up_row(const double* /*y*/, double /*w*/) {}
    virtual std::vector<double> warm_up_scores(const WarmUp& warm_up) const = 0;
    virtual void take_scales(const WarmUp& /*warm_up*/) {}

    // The trees of one stage: how many, and how they start, from the rows of the warm-up or from 0.
    virtual std::size_t n_trees() const {
        return 1;
    }
    virtual std::vector<TreeStart> trees(const WarmUp& warm_up, bool from_data) const = 0;
    // How the cells of a leaf with this value are read.
    virtual CellReader reader(Layout layout, const double* value,
                              const std::vector<Reference>& references) const = 0;

    // A class that no row had comes with a row of weight w.
    virtual bool has_new_class(const double* /*y*/) const {
        return false;
    }
    virtual NewClass admit_class(double /*w*/, bool /*from_data*/) {
        return {};
    }
    // Doubles that are kept of a row that waits in a round: derivatives, where a loss takes blocks.
    virtual std::size_t n_derivatives() const {
        return 0;
    }
    // The weight of rows that is counted beside the trees.
    virtual void count(double /*weight*/) {}
    // What it is for a row.
    virtual double weight_to_count(const double* /*y*/, double /*w*/) const {
        return 0.0;
    }

    virtual void save(Archive& archive) const = 0;
    virtual void load(const ArchiveView& archive, const WarmUp& warm_up) = 0;
    // Targets that wait must be ones that can be learned.
    virtual void check_targets(const std::vector<double>& /*y*/, const char* /*name*/) const {}

    // Throws MergeError where the other is of another kind.
    virtual void check_merge(const Objective& other) const = 0;
    // Adds what the trees do not know.
    virtual void merge(const Objective& /*other*/, const Objective* /*base*/) {}

private:
    std::size_t n_targets_;
};

}  // namespace sgt
