// The cells of one nominal feature in one leaf: those of the categories that occurred there, so
// that the cost follows them and not the number of categories there are.
//
// While all codes are small the cells are an array indexed by code; from the first larger code on
// they stand in order of first occurrence, with their codes beside them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "sgt/leaf/cells.hpp"

namespace sgt {

// Where a code stands in a NominalCells. Shared by all leaves; an entry counts only where the
// leaf's own list confirms it, so it is never cleared.
using SlotIndex = std::vector<std::uint32_t>;

class NominalCells {
public:
    static constexpr std::uint32_t kSmallCodes = 16;

    bool is_indexed_by_code() const {
        return !listed_;
    }
    bool empty() const {
        return cells_.empty();
    }
    std::size_t bytes() const {
        return sizeof(*this) + sizeof(std::uint32_t) * codes_.size() +
               sizeof(double) * cells_.size();
    }

    // Cells, those of categories that did not occur too.
    std::size_t n_slots(std::size_t width) const {
        return cells_.size() / width;
    }

    // Before rows with these codes are added.
    void make_room(std::uint32_t largest_code, Layout layout);
    // Indexed by code.
    double* cells() {
        return cells_.data();
    }
    // Otherwise: write the slots of the present codes; then find the cell of a code, or make it.
    void write_slots(SlotIndex& slot_of) const;
    double* find_or_make(std::uint32_t code, std::size_t width, SlotIndex& slot_of);

    // f(code, cell) for every category that occurred, in a fixed order.
    template <class F>
    void for_each(Layout layout, F&& f) const {
        const std::size_t width = cell_width(layout), n = cells_.size() / width;
        for (std::size_t slot = 0; slot < n; ++slot) {
            const double* cell = cells_.data() + slot * width;
            if (cell_weight(layout, cell) > 0.0)
                f(is_indexed_by_code() ? static_cast<std::uint32_t>(slot) : codes_[slot], cell);
        }
    }
    // The same as a list, by code ascending (missing first).
    std::vector<std::pair<std::uint32_t, const double*>> by_code(Layout layout) const;

    // Replaces all cells by f(cell), of another width.
    template <class F>
    void convert(std::size_t old_width, std::size_t new_width, F&& f) {
        std::vector<double> converted(cells_.size() / old_width * new_width);
        for (std::size_t slot = 0; slot < cells_.size() / old_width; ++slot)
            std::copy_n(f(cells_.data() + slot * old_width).data(), new_width,
                        converted.data() + slot * new_width);
        cells_ = std::move(converted);
    }
    // f(cell) for every cell, those of categories that did not occur too.
    template <class F>
    void for_each_slot(std::size_t width, F&& f) {
        for (std::size_t i = 0; i < cells_.size(); i += width) f(cells_.data() + i);
    }
    // Takes away the cells that a leaf had earlier, or adds another leaf's, whose codes are
    // here(code) in this one.
    void subtract(const NominalCells& base, Layout layout);
    void add(const NominalCells& other, Layout layout,
             const std::function<std::uint32_t(std::uint32_t)>& here);
    // From codes and cells as for_each gives them.
    void load(const std::int64_t* codes, const double* cells, std::size_t n, Layout layout);
    void clear() {
        listed_ = false;
        codes_.clear();
        cells_.clear();
    }

private:
    template <class Here, class Change>
    void change_cells(const NominalCells& by, Layout layout, Here here, Change change);

    bool listed_ = false;
    std::vector<std::uint32_t> codes_;  // of the cells, if they are listed
    std::vector<double> cells_;
};

}  // namespace sgt
