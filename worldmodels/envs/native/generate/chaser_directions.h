// Ranks the directions in which to go on for whoever collects everything that lies in a maze.
#pragma once

#include <array>

#include "generate/paths.h"

namespace wm {

// The directions: left, down, up, right.
constexpr Place kFourDirections[] = {{-1, 0}, {0, -1}, {0, 1}, {1, 0}};

struct RankedDirections {
    std::array<int, 4> directions{};  // indices of kFourDirections, the most promising first
    int count = 0;                    // how many are open
};

// Cells that are not kWall are open, cells that are `wanted` are to be visited. Near ones promise more, and of equally
// near ones the lonely, as coming back for them later is a long way.
RankedDirections rank_directions(const Grid& grid, Place start, Cell wanted);

}  // namespace wm
