// Memory that flushing leaves share: what all parts of a flush read, and what each of them needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sgt/leaf/cell_kernels.hpp"
#include "sgt/leaf/nominal_cells.hpp"

namespace sgt {

struct FlushScratch {
    std::vector<double> steps;  // of the waiting rows
    // The codes of their cells: from prepare_cells on, until the leaf's buffer changes.
    CodeRows rows;
    std::vector<std::byte> cells_of_rows;                      // where several codes share a cell
    std::vector<std::uint32_t> smallest_codes, largest_codes;  // in the waiting rows, by feature
    std::vector<SlotIndex> slot_of_code;                       // by nominal feature
    std::vector<double> numeric;                               // cells that leaves borrow
    std::vector<NominalCells> nominal;                         // likewise
    std::vector<double> heads;                                 // likewise, of numeric cells
    std::vector<double> heads_of_steps;                        // of the waiting rows
    std::vector<double> nominal_heads;                         // of cells of nominal features
    std::vector<double*> heads_of_nominal;                     // by position
    struct Targets {
        std::vector<std::uint32_t> columns;
        std::vector<double*> cells;
        std::size_t n = 0;

        // At most so many are added.
        void begin(std::size_t most) {
            n = 0;
            if (columns.size() >= most) return;
            columns.resize(most);
            cells.resize(most);
        }
        void add(std::uint32_t column, double* of_column) {
            columns[n] = column;
            cells[n++] = of_column;
        }
    };
    struct Part {
        Targets any, of_two_codes, heads;
        std::vector<double*> of_one_code;  // the cells themselves
    };
};

}  // namespace sgt
