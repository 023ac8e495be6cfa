// Levels of chaser: mazes without dead ends, with things spread over their four quarters.
#pragma once

#include <vector>

#include "generate/maze.h"

namespace wm {

struct ChaserLevel {
    Maze maze;
    Maze::Place start;
    std::vector<Maze::Place> stars;  // one in each quarter, and `more_stars` (which may be negative) in one of them
    std::vector<Maze::Place> eggs;
};

// All places are different ones. `size` is odd and at least 7.
ChaserLevel generate_chaser_level(int size, int more_stars, int eggs, Random& random);

}  // namespace wm
