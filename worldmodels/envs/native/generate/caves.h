// Caves: what cellular automata make of noise, the largest room of it, and shortest paths and wide ways through it.
//
// Sets of cells are kept as one bit a cell and one number a row, so all of this works on whole rows at once: smoothing
// a world of 60 x 60 takes a few hundred operations.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/grid.h"
#include "core/rng.h"
#include "generate/paths.h"

namespace wm {

// Some cells of a square world of at most 64 x 64. No cell outside the world is ever in it.
class CellSet {
public:
    static constexpr int kMost = 64;
    using Row = std::uint64_t;  // bit x is the cell in column x

    explicit CellSet(int size = 0) : size_(size) {}

    int size() const { return size_; }
    Row full_row() const { return size_ == kMost ? ~Row{0} : (Row{1} << size_) - 1; }
    // Rows outside are empty.
    Row row(int y) const { return y < 0 || y >= size_ ? 0 : rows_[static_cast<std::size_t>(y)]; }
    void set_row(int y, Row cells) { rows_[static_cast<std::size_t>(y)] = cells & full_row(); }

    bool has(int x, int y) const { return x >= 0 && x < size_ && ((row(y) >> x) & 1) != 0; }
    bool has(Place place) const { return has(place.x, place.y); }
    // The cell must be inside the world.
    void add(int x, int y) { rows_[static_cast<std::size_t>(y)] |= Row{1} << x; }
    void remove(int x, int y) { rows_[static_cast<std::size_t>(y)] &= ~(Row{1} << x); }

    int count() const;
    Place nth(int index) const;             // from the bottom row up, each from the left
    std::vector<Place> places() const;      // in the same order
    CellSet without(const CellSet&) const;  // of the same size
    CellSet with(const CellSet&) const;
    CellSet common(const CellSet&) const;
    CellSet around(Place middle, int reach) const;  // those that are at most `reach` columns and rows away

private:
    int size_;
    std::array<Row, kMost> rows_{};
};

// Each cell with probability 1/2.
CellSet random_cells(int size, Random& random);

// One step of a cellular automaton: a cell is open if at least 5 of the 9 cells around and at it are. Outside is wall.
CellSet smoothed(const CellSet& open);

// The largest part of `open` that hangs together by sides, the first of those of equal size.
CellSet largest_room(const CellSet& open);

// Shortest way by sides through `open`, both ends included; empty if there is none.
std::vector<Place> shortest_path(const CellSet& open, Place start, Place goal);

// `cells` and what is at most `rounds` steps (also diagonal ones) away from it through `room`.
CellSet widened(CellSet cells, const CellSet& room, int rounds);

// The cells of wall that touch `open` by a side or a corner.
CellSet edge_of(const CellSet& open);

// The places as a set.
CellSet cells_of(int size, const std::vector<Place>& places);

// A maze with loops whose cells, 3 x 3 each, are blurred: the largest room of it, which leaves a border of wall.
CellSet cave_from_maze(int size, Random& random);

// The world as a grid: space where `open` is, wall elsewhere and outside.
void write_cells(Grid& grid, const CellSet& open);

}  // namespace wm
