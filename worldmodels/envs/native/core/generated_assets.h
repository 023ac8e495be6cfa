// Random procedural textures, shown in place of the painted art with `use_generated_assets`.
#pragma once

#include "core/painter.h"

namespace wm {

// The look of a game's type: a texture that fills each tile of the given size, all tiles alike.
void paint_generated_tiles(Painter& painter, const char* game, int type, float tile_width, float tile_height);

// The same for what is not a block: a shape made of bars on transparent ground.
void paint_generated_figure(Painter& painter, const char* game, int type);

// A texture in the place of a background.
void paint_generated_background(Painter& painter, int variant);

}  // namespace wm
