// The looks of coinrun. Player, 5 themes, drawn 1.74 times taller than its box: use draw_standing.
#pragma once

#include "core/sprites.h"

namespace wm::art::coinrun {

enum Sprite : int {
    PlayerStand, PlayerJump, PlayerRunA, PlayerRunB,  // facing right, 5 themes
    Coin,
    SawA, SawB,
    WalkerA, WalkerB,                                     // facing right, 9 themes
    Crate,                                                  // 4 themes
    WallTop, WallMiddle,                                  // patterns for draw_tiles, 6 themes
    LavaTop, LavaMiddle,                                  // patterns for draw_tiles
    Puff,                                                   // cosmetic, fades with age
};

const ArtTable& table();

}  // namespace wm::art::coinrun
