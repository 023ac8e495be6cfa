// The looks of ninja.
#pragma once

#include "core/sprites.h"

namespace wm::art::ninja {

enum Sprite : int {
    PlayerStand,
    PlayerCrouch,
    PlayerJump,
    PlayerRunA,
    PlayerRunB,  // faces right; larger than its box: use draw_standing
    Mushroom,
    Bomb,
    Star,   // may be turned
    Flame,  // and two more pictures; wider than a cell, so that they close up
    Brick = Flame + 3,
    BrickTop,   // patterns for LevelTiles
    Explosion,  // and four more frames, each larger
};

constexpr int kFlames = 3;
constexpr int kStarTurns = 8;

const ArtTable& table();

// In its own file: the cave.
void paint_brick(Painter& painter, int theme);
void paint_brick_top(Painter& painter, int theme);
void paint_flame(Painter& painter, int frame);

constexpr float kTileUnits = 100;  // artist's units of a cell

}  // namespace wm::art::ninja
