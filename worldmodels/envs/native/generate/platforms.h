// Levels of ledges, pits and obstacles to run and jump through from left to right.
#pragma once

#include <vector>

#include "core/grid.h"
#include "core/rng.h"

namespace wm {

// Cells of platform levels (their numbers decide the colours of the monochrome style).
constexpr Cell kCoin = 1;
constexpr Cell kGround = 15;
constexpr Cell kGroundTop = 16;
constexpr Cell kLava = 17;
constexpr Cell kLavaTop = 18;
constexpr Cell kBarrier = 19;  // invisible: only walkers turn back at it

// A function object, so that a template which is given it calls it directly.
inline constexpr auto is_ground = [](Cell cell) { return cell == kGround || cell == kGroundTop; };

struct PlatformOptions {
    bool walkers = true;  // on the surface; those in pits are always there
    bool pits = true;
    bool crates = true;
    bool steps = true;  // changes of height
};

// What stands in the middle of a cell.
struct PlatformItem {
    enum class Kind { Saw, Walker, Crate } kind;
    int x, y;
};

struct PlatformLevel {
    std::vector<PlatformItem> items;
    int coin_x = 0, coin_y = 0;
};

constexpr int kPlatformWorld = 64;  // cells per side

// Fills `grid` with a level; the agent starts in cell (1, 1), the coin is at the right end. Every rise, gap and
// obstacle is within reach of a jump of height 6 and width 7, so each level can be solved.
PlatformLevel generate_platforms(Grid& grid, const PlatformOptions& options, Random& random);

}  // namespace wm
