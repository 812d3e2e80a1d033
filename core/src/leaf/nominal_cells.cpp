#include "sgt/leaf/nominal_cells.hpp"

namespace sgt {

namespace {

void reserve_slot(std::uint32_t code, SlotIndex& slot_of) {
    if (code >= slot_of.size())
        slot_of.resize(std::max<std::size_t>(std::size_t{code} + 1, 2 * slot_of.size()));
}

}  // namespace

void NominalCells::make_room(std::uint32_t largest_code, Layout layout) {
    if (listed_) return;
    // The quick way to add moments to two categories needs the cells of both.
    const std::size_t largest = std::max(largest_code, layout == Layout::moments ? 2U : 0U);
    const std::size_t needed = (largest + 1) * cell_width(layout);
    if (largest_code < kSmallCodes) {
        if (cells_.size() < needed) cells_.resize(needed, 0.0);
        return;
    }
    std::vector<double> listed;
    for_each(layout, [&](std::uint32_t code, const double* cell) {
        codes_.push_back(code);
        listed.insert(listed.end(), cell, cell + cell_width(layout));
    });
    cells_ = std::move(listed);
    listed_ = true;
}

void NominalCells::write_slots(SlotIndex& slot_of) const {
    for (std::uint32_t slot = 0; slot < codes_.size(); ++slot) {
        reserve_slot(codes_[slot], slot_of);
        slot_of[codes_[slot]] = slot;
    }
}

double* NominalCells::find_or_make(std::uint32_t code, std::size_t width, SlotIndex& slot_of) {
    reserve_slot(code, slot_of);
    std::uint32_t slot = slot_of[code];
    if (slot >= codes_.size() || codes_[slot] != code) {
        slot = static_cast<std::uint32_t>(codes_.size());
        slot_of[code] = slot;
        codes_.push_back(code);
        cells_.resize(cells_.size() + width, 0.0);
    }
    return cells_.data() + slot * width;
}

void NominalCells::load(const std::int64_t* codes, const double* cells, std::size_t n,
                        Layout layout) {
    const std::size_t width = cell_width(layout);
    listed_ = n > 0 && *std::max_element(codes, codes + n) >= kSmallCodes;
    for (std::size_t i = 0; i < n; ++i) {
        const auto code = static_cast<std::uint32_t>(codes[i]);
        make_room(code, layout);
        if (listed_) {
            codes_.push_back(code);
            cells_.insert(cells_.end(), cells + i * width, cells + (i + 1) * width);
        } else {
            std::copy_n(cells + i * width, width, cells_.data() + code * width);
        }
    }
}

std::vector<std::pair<std::uint32_t, const double*>> NominalCells::by_code(Layout layout) const {
    std::vector<std::pair<std::uint32_t, const double*>> list;
    for_each(layout,
             [&](std::uint32_t code, const double* cell) { list.emplace_back(code, cell); });
    std::sort(list.begin(), list.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    return list;
}

}  // namespace sgt
