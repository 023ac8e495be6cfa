// The looks of maze.
#pragma once

#include "core/sprites.h"

namespace wm::art::maze {

enum Sprite : int {
    Mouse,  // faces right
    Cheese,
    Wall,  // pattern for draw_tiles
};

const ArtTable& table();

}  // namespace wm::art::maze
