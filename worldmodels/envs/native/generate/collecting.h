// Which way to go for somebody who wants to collect everything that lies in a maze.
#pragma once

#include <array>

#include "generate/paths.h"

namespace wm {

// Numbers of ways: left, down, up, right.
constexpr Place kFourWays[] = {{-1, 0}, {0, -1}, {0, 1}, {1, 0}};

struct RankedWays {
    std::array<int, 4> ways{};  // indices of kFourWays, the most promising first
    int count = 0;              // how many are open
};

// Cells that are not kWall are open, cells that are `wanted` are to be visited. Near ones promise more, and of equally
// near ones the lonely, as coming back for them later is a long way.
RankedWays rank_ways(const Grid& grid, Place start, Cell wanted);

}  // namespace wm
