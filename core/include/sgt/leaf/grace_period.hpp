// When a leaf considers a change: after `least` rows, and, where that brings none, again when it
// has `least` more, or `growth` times those that it has, whichever is more: fifty rows hardly
// change the statistics of a thousand. It never waits for more than kMostPeriods times `least`,
// since what it learns may have changed. The rows at which a look is due are the same for all
// leaves.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace sgt {

struct GracePeriod {
    static constexpr std::size_t kMostPeriods = 8;
    std::size_t least;
    double growth;

    GracePeriod(std::size_t rows, double more = 0.0) : least(rows), growth(more) {}

    // Rows from a look at `rows` to the next one.
    std::size_t after(std::uint64_t rows) const {
        const double grown = growth * static_cast<double>(rows);
        return std::clamp(static_cast<std::size_t>(std::min(grown, static_cast<double>(most()))),
                          least, most());
    }
    // Where the first look after `rows` is due.
    std::uint64_t next(std::uint64_t rows) const {
        std::uint64_t due = least;
        while (due <= rows) {
            const std::size_t step = after(due);
            // Steps only become longer, so that the longest one stays; without growth, the first.
            const bool is_last = step == most() || growth == 0.0;
            due += is_last ? ((rows - due) / step + 1) * step : step;
        }
        return due;
    }

private:
    std::size_t most() const {
        return kMostPeriods * least;
    }
};

}  // namespace sgt
