// The looks of miner. Where a cell has only three pixels, colour alone tells things apart: brown dirt, dark tunnels,
// light grey boulders, cyan diamonds, a yellow and red miner, a green exit.
#pragma once

#include "core/sprites.h"

namespace wm::art::miner {

enum Sprite : int {
    MinerA,   // faces right
    MinerB,   // the other foot in front
    Boulder,  // may be turned
    FallingBoulder,
    Diamond,
    FallingDiamond,
    ExitShut,
    ExitOpen,
    Dirt,  // patterns as high as the view
    Rock,  // outside of the world
};

constexpr int kBoulderTurns = 8;

const ArtTable& table();

}  // namespace wm::art::miner
