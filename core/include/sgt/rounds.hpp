// Rounds: rows that meet one tree, which changes after the last of them (docs/algorithm.md).
#pragma once

#include <algorithm>
#include <cstddef>

#include "sgt/archive.hpp"
#include "sgt/partial.hpp"
#include "sgt/warm_up.hpp"

namespace sgt {

// Options::round_rows: the size of a round follows the size of the trees.
inline constexpr std::size_t kAutomaticRounds = 0;
// Statistics of so many rows are formed from zero and added pairwise: whoever has these rows can do
// it.
inline constexpr std::size_t kRowsOfPartial = 32'768;

struct RoundSize {
    std::size_t rows = 0;
    // Otherwise the rows are learned one after the other, and only then the size is taken again.
    bool is_frozen = false;

    bool operator==(const RoundSize&) const = default;
};

// With `leaves` leaves in each of the trees, on average.
RoundSize size_of_round(std::size_t round_rows, double leaves, std::size_t grace_period);

// The round that is under way.
struct Round {
    RoundSize size;
    std::size_t rows = 0;  // that have come
    WarmUp waiting;        // those of them that are in no partial statistics yet
    PairwiseSum gathered;

    bool has_begun() const {
        return size.rows > 0;
    }
    bool is_full() const {
        return rows >= size.rows;
    }
    // Rows that still belong to the block under way.
    std::size_t room_in_block() const {
        return std::min(size.rows - rows, kRowsOfPartial - waiting.rows());
    }

    void save(Archive& archive) const;
    static Round load(const ArchiveView& archive, const KnownCodes& codes, std::size_t n_targets);
};

}  // namespace sgt
