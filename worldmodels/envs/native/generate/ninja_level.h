// Levels of ninja: caves of thin ledges over a floor of fire, with bombs that hang in the air.
#pragma once

#include "core/grid.h"
#include "core/rng.h"
#include "generate/paths.h"

namespace wm {

// Cells of such caves (their numbers decide the colours of the monochrome style).
constexpr Cell kBomb = 6;
constexpr Cell kFire = 14;
constexpr Cell kBrick = 20;

constexpr int kNinjaWorld = 64;  // cells per side
constexpr int kNinjaStart = 32;  // the height at which the agent begins, in column 1

// What a mode decides. Widths and heights are cells.
struct NinjaLevelOptions {
    int narrowest;     // ledge
    int rises;         // a ledge is 1 to this many cells higher or lower than the one before
    int highest_rise;  // whatever the difficulty adds
    int gap_discount;  // how much narrower gaps are
};

// Fills `grid` with a cave; the goal's cell is returned. Nothing promises that it can be reached: play it.
Place generate_ninja_level(Grid& grid, const NinjaLevelOptions& options, Random& random);

}  // namespace wm
