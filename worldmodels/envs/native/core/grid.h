// A grid of cells. Cell (x, y) covers [x, x+1) x [y, y+1); row 0 is the bottom; y points up.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "core/archive.h"

namespace wm {

using Cell = std::uint8_t;

// Each game numbers its own cells; these two mean the same everywhere.
constexpr Cell kWall = 51;
constexpr Cell kSpace = 100;

// Kinds of cells that a game knows.
class CellKinds {
public:
    CellKinds(std::initializer_list<Cell> cells) {
        for (const Cell cell : cells) words_[cell / 64] |= std::uint64_t{1} << cell % 64;
    }

    bool allows(Cell cell) const { return (words_[cell / 64] >> cell % 64 & 1) != 0; }
    std::string text() const {
        std::string text;
        for (int cell = 0; cell < 256; ++cell)
            if (allows(static_cast<Cell>(cell))) text += (text.empty() ? "one of " : ", ") + std::to_string(cell);
        return text;
    }

private:
    std::uint64_t words_[4] = {};
};

// What the grid of a loaded state may be.
struct GridRange {
    IntRange width, height;
    CellKinds kinds;
    Cell outside;
};

// The rule of a world whose size the game decides.
inline GridRange world_grid(int width, int height, const CellKinds& kinds, Cell outside = kWall) {
    return {exactly(width), exactly(height), kinds, outside};
}

class Grid {
public:
    Grid() = default;
    Grid(int width, int height, Cell fill = kSpace, Cell outside = kWall) { reset(width, height, fill, outside); }

    // Keeps the memory of the level before.
    void reset(int width, int height, Cell fill = kSpace, Cell outside = kWall) {
        width_ = width;
        height_ = height;
        outside_ = outside;
        cells_.assign(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), fill);
    }

    int width() const { return width_; }
    int height() const { return height_; }
    Cell outside() const { return outside_; }

    bool contains(int x, int y) const {
        return static_cast<unsigned>(x) < static_cast<unsigned>(width_) &&
               static_cast<unsigned>(y) < static_cast<unsigned>(height_);
    }

    // Outside the world everything reads as `outside()`.
    Cell at(int x, int y) const { return contains(x, y) ? cells_[index(x, y)] : outside_; }

    // The cells of row y, for scans of the whole world.
    const Cell* row(int y) const { return cells_.data() + index(0, y); }

    int count(Cell cell) const { return static_cast<int>(std::count(cells_.begin(), cells_.end(), cell)); }

    // (x, y) must be inside the world.
    void set(int x, int y, Cell cell) { cells_[index(x, y)] = cell; }

    // Fills the part of the rectangle [x, x+width) x [y, y+height) that is inside the world.
    void fill(int x, int y, int width, int height, Cell cell) {
        for (int row = std::max(y, 0); row < std::min(y + height, height_); ++row)
            for (int column = std::max(x, 0); column < std::min(x + width, width_); ++column) set(column, row, cell);
    }

    // Runs of equal cells are stored once: walls and sky make most of every level.
    void visit(Archive& archive, const GridRange& range) {
        archive("width", width_, range.width)("height", height_, range.height);
        archive("outside", outside_, exactly(range.outside));
        const std::size_t count = static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_);
        archive.runs("cells", cells_, count, range.kinds);
    }

private:
    std::size_t index(int x, int y) const {
        return static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x);
    }

    int width_ = 0;
    int height_ = 0;
    Cell outside_ = kWall;
    std::vector<Cell> cells_;
};

// The rule of a number that says how many cells of a grid are of one kind, or of either of two.
struct CellCount {
    const Grid& grid;
    Cell kind, other_kind;

    int counted() const { return grid.count(kind) + (kind == other_kind ? 0 : grid.count(other_kind)); }
    bool allows(int value) const { return value == counted(); }
    std::string text() const { return number_text(counted()); }
};

}  // namespace wm
