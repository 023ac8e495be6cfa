// Remembers where the tiles of a level are, for games whose camera moves and whose tiles never change: to find them
// anew in each frame takes as long as to draw them.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "core/camera.h"
#include "core/canvas.h"
#include "core/grid.h"

namespace wm {

// A game holds it as a mutable member and calls `forget` in reset and when a state is loaded.
class LevelTiles {
public:
    void forget() {
        blocks_.clear();
        row_begins_.clear();
    }

    // Draws what `draw_tiles` would. `tile_of(x, y)` gives the number of a cell's pattern in `patterns`, counted from
    // 1, or 0 for an empty cell. It is asked once for each level, about cells outside the world too.
    template <class TileOf>
    void draw(Canvas& canvas, const Camera& camera, const Grid& grid, std::initializer_list<const Bitmap*> patterns,
              TileOf tile_of) {
        if (row_begins_.empty()) find(grid, tile_of);
        draw_blocks(canvas, camera, patterns.begin());
    }

private:
    static constexpr int kBeyond = 2;     // rows below and above the world: all others are like the last of them
    static constexpr int kFar = 1 << 14;  // further than any view reaches

    // Equal tiles from `left` to `right` and `lowest` to `highest`, which are excluded and included. Each of its rows
    // lists it.
    struct Block {
        std::int16_t left, right, lowest, highest;
        std::uint8_t tile;
    };

    template <class TileOf>
    void find(const Grid& grid, TileOf tile_of) {
        for (int y = -kBeyond; y < grid.height() + kBeyond; ++y) {
            row_begins_.push_back(blocks_.size());
            for (int x = -1, next = 0; x <= grid.width(); x = next) {
                const int tile = tile_of(x, y);
                for (next = x + 1; next <= grid.width() && tile_of(next, y) == tile;) ++next;
                if (tile != 0) add(x < 0 ? -kFar : x, next > grid.width() ? kFar : next, y, tile);
            }
        }
        row_begins_.push_back(blocks_.size());
        join_rows();
    }

    void add(int left, int right, int y, int tile) {
        const auto row = static_cast<std::int16_t>(y);
        blocks_.push_back({static_cast<std::int16_t>(left), static_cast<std::int16_t>(right), row, row,
                           static_cast<std::uint8_t>(tile)});
    }
    void join_rows();
    void draw_blocks(Canvas& canvas, const Camera& camera, const Bitmap* const* patterns) const;

    std::vector<Block> blocks_;            // by rows, each from left to right
    std::vector<std::size_t> row_begins_;  // where the blocks of each row begin, and where the last row ends
};

}  // namespace wm
