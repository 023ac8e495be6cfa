// The looks of coinrun: a player of five kinds in a land of six grounds.
#pragma once

#include "core/sprites.h"

namespace wm::art::coinrun {

enum Sprite : int {
    PlayerStand,
    PlayerJump,
    PlayerRunA,
    PlayerRunB,  // faces right; taller than its box: use draw_standing
    Coin,
    SawA,
    SawB,
    WalkerA,
    WalkerB,  // faces right
    Crate,
    WallTop,
    WallMiddle,  // patterns for LevelTiles
    LavaTop,
    LavaMiddle,  // patterns for LevelTiles
};

const ArtTable& table();

// For the game types of the classic release, which share them.
void paint_coin(Painter& painter, int);
void paint_crate(Painter& painter, int theme);

// In their own files: the characters and the ground.
void paint_player(Painter& painter, int theme, Sprite pose);
void paint_walker(Painter& painter, int theme, bool second_step);
void paint_wall_top(Painter& painter, int theme);
void paint_wall_middle(Painter& painter, int theme);
void paint_lava_top(Painter& painter, int theme);
void paint_lava_middle(Painter& painter, int theme);

constexpr float kTileUnits = 100;  // artist's units of a cell

}  // namespace wm::art::coinrun
