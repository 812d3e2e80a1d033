// Rounds: rows that are learned by one tree, which changes after the last of them
// (docs/algorithm.md).
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>

#include "sgt/archive/archive.hpp"
#include "sgt/rounds/partial.hpp"
#include "sgt/rounds/waiting_rows.hpp"

namespace sgt {

// Options::round_rows: the size of a round follows the size of the trees.
inline constexpr std::size_t kAutomaticRounds = 0;
// Statistics of a block are formed from zero, and those of blocks are added pairwise: any
// process that has the rows can do it. A round has 2^k blocks, so that 2^j of them have as much to
// do as each other: of a small size where that makes 8 at most, and larger ones where it would make
// more, since each block costs what its leaves have, however few its rows.
inline constexpr std::size_t kRowsOfSmallBlock = 32'768;
inline constexpr std::size_t kSmallBlocks = 8;
inline constexpr std::size_t kMostRowsOfBlock = 131'072;

struct RoundSize {
    std::size_t rows = 0;
    // Otherwise the rows are learned one after the other, and only then the size is taken again.
    bool is_frozen = false;

    // Of each block but the last.
    std::size_t rows_of_block() const {
        const auto blocks_of = [this](std::size_t most) {
            return std::bit_ceil((rows + most - 1) / most);
        };
        const std::size_t blocks = std::max(std::min(blocks_of(kRowsOfSmallBlock), kSmallBlocks),
                                            blocks_of(kMostRowsOfBlock));
        return (rows + blocks - 1) / blocks;
    }

    bool operator==(const RoundSize&) const = default;
};

// With `leaves` leaves in each of the trees, on average.
RoundSize size_of_round(std::size_t round_rows, double leaves, std::size_t grace_period);

// The round that is under way.
struct Round {
    RoundSize size;
    std::size_t rows = 0;  // that have come
    WaitingRows waiting;   // those of them that are in no partial statistics yet
    PairwiseSum gathered;

    bool has_begun() const {
        return size.rows > 0;
    }
    bool is_full() const {
        return rows >= size.rows;
    }
    // Rows that still belong to the block under way.
    std::size_t room_in_block() const {
        return std::min(size.rows - rows, size.rows_of_block() - waiting.rows());
    }

    void save(Archive& archive) const;
    static Round load(const ArchiveView& archive, const KnownCodes& known, std::size_t n_targets);
};

}  // namespace sgt
