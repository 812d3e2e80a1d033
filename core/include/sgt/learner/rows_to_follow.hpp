// Rows of two classes that their leaves follow a little later, several of them together: a row's
// exponentials wait for each other, those of different rows do not. Nobody sees the difference:
// rows that wait are followed before anything of their leaves is read or changed, in their order.
#pragma once

#include <array>
#include <cstddef>

#include "sgt/clones.hpp"
#include "sgt/learner/follow_classes.hpp"
#include "sgt/learner/following.hpp"
#include "sgt/learner/tree_set.hpp"

namespace sgt {

class RowsToFollow {
public:
    // A row at a node, which is no leaf where its split has not seen the row's category. No row
    // that waits is at this leaf. Rows of weight 1 in units of the recent mean.
    SGT_INLINE void add(NodeIndex node, const LogOddsRow& row, double likelihood) {
        nodes_[n_] = node;
        rows_[n_++] = {row, likelihood, nullptr};
    }
    bool is_full() const {
        return n_ == kMost;
    }
    SGT_INLINE bool has(NodeIndex node) const {
        for (std::size_t i = 0; i < n_; ++i)
            if (nodes_[i] == node) return true;
        return false;
    }
    // The leaves follow all of them now.
    SGT_INLINE void settle(TreeSet& trees, Following& following) {
        if (n_ > 0) settle_some(trees[0].tree, following);
    }

private:
    static constexpr std::size_t kMost = 4;

    SGT_NOINLINE void settle_some(Tree& tree, Following& following) {
        for (std::size_t i = 0; i < n_; ++i)
            rows_[i].offsets =
                tree.nodes().is_leaf(nodes_[i]) ? tree.offsets().at(nodes_[i]) : nullptr;
        following.race.add_likelihoods(1.0, [&](double* products) {
            follow_log_odds(rows_.data(), n_, following.rates(), products);
        });
        n_ = 0;
    }

    std::array<NodeIndex, kMost> nodes_{};
    std::array<FollowedLogOdds, kMost> rows_{};
    std::size_t n_ = 0;
};

}  // namespace sgt
