// The looks of maze.
#pragma once

#include "core/sprites.h"

namespace wm::art::maze {

enum Sprite : int {
    MOUSE,   // faces right
    CHEESE,
    WALL,    // pattern for draw_tiles
};

const ArtTable& table();

}  // namespace wm::art::maze
