// The looks of coinrun_platforms: those of coinrun, with ladders and flyers.
#pragma once

#include "core/sprites.h"

namespace wm::art::coinrun_platforms {

enum Sprite : int {
    PlayerStand,
    PlayerJump,
    PlayerRunA,
    PlayerRunB,  // faces right; taller than its cell: use draw_standing
    PlayerCharge,
    PlayerClimbA,
    PlayerClimbB,
    Coin,
    WalkerA,
    WalkerB,  // faces right
    FlyerA,
    FlyerB,  // faces right
    Crate,
    Ladder,
    WallTop,
    WallMiddle,  // patterns for LevelTiles
};

constexpr int kFlyerThemes = 3;

const ArtTable& table();

}  // namespace wm::art::coinrun_platforms
