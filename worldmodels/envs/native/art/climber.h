// The looks of climber: four animals with helmets in towers of four kinds.
#pragma once

#include "core/sprites.h"

namespace wm::art::climber {

enum Sprite : int {
    PlayerStand,
    PlayerJump,
    PlayerRunA,
    PlayerRunB,  // faces right; larger than its box: use draw_standing
    Crystal,
    BatA,
    BatB,  // faces right
    WallTop,
    WallMiddle,  // patterns for LevelTiles
};

const ArtTable& table();

// In its own file: the towers.
void paint_wall_top(Painter& painter, int theme);
void paint_wall_middle(Painter& painter, int theme);

constexpr float kTileUnits = 100;  // artist's units of a cell

}  // namespace wm::art::climber
