// Levels of caveflyer: a start and a goal in a cave, and on the way things that stand still or fly to and fro.
#pragma once

#include <vector>

#include "generate/caves.h"

namespace wm {

struct CaveflyerItem {
    enum class Kind { Obstacle, Target, Enemy };

    Kind kind;
    Place place;
    float vx = 0, vy = 0;  // of enemies: along one axis
};

struct CaveflyerLevel {
    CellSet open;
    Place start, goal;
    std::vector<CaveflyerItem> items;
    int way = -1;  // steps by sides from the start to the goal past all items
};

// A cave of `size` x `size` cells; `pruned`: only what is near the shortest way from start to goal is left of it.
// For every 80 open cells off that way there are an obstacle, a target and an enemy. None of them begins near the
// start, and every level has a way past them: where one has not, another is made.
CaveflyerLevel generate_caveflyer_level(int size, bool pruned, Random& random);

}  // namespace wm
