// Perfect mazes by Kruskal's algorithm: exactly one path leads from any open cell to any other, so whatever is placed
// on an open cell can be reached. Opening their dead ends adds loops.
#pragma once

#include <cstdint>
#include <vector>

#include "core/rng.h"

namespace wm {

struct Maze {
    struct Place {
        int x, y;
    };

    int size = 0;                    // cells per side
    std::vector<std::uint8_t> open;  // size * size, row by row from the bottom: 1 open, 0 wall
    std::vector<Place> places;       // every open cell once, in the order of opening

    bool is_open(int x, int y) const { return open[static_cast<std::size_t>(y * size + x)] != 0; }
};

// `size` is at least 3. Rooms are the cells with even coordinates; the bottom left one is (0, 0). Where the size is
// even, the last column and row stay wall.
Maze generate_maze(int size, Random& random);

// Opens one random wall beside each open cell from which only one way leads, so that mazes have loops; `places` grows.
void open_dead_ends(Maze& maze, Random& random);

}  // namespace wm
