// The looks of coinrun. Player, 5 themes, drawn 1.74 times taller than its box: use draw_standing.
#pragma once

#include "core/sprites.h"

namespace wm::art::coinrun {

enum Sprite : int {
    PLAYER_STAND, PLAYER_JUMP, PLAYER_RUN_A, PLAYER_RUN_B,  // facing right, 5 themes
    COIN,
    SAW_A, SAW_B,
    WALKER_A, WALKER_B,                                     // facing right, 9 themes
    CRATE,                                                  // 4 themes
    WALL_TOP, WALL_MIDDLE,                                  // patterns for draw_tiles, 6 themes
    LAVA_TOP, LAVA_MIDDLE,                                  // patterns for draw_tiles
    PUFF,                                                   // cosmetic, fades with age
};

const ArtTable& table();

}  // namespace wm::art::coinrun
