// The looks of random_mazes: flat colours, as in the classic release.
#pragma once

#include "core/sprites.h"

namespace wm::art::random_mazes {

enum Sprite : int {
    Player,  // faces right
    Coin,
    Wall,  // pattern for draw_tiles
};

constexpr Colour kFloor = {30, 30, 30};

const ArtTable& table();

}  // namespace wm::art::random_mazes
