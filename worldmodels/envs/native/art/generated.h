// Random procedural textures, shown in place of the painted art with `use_generated_assets`.
#pragma once

#include "core/painter.h"

namespace wm::art {

// A texture that belongs to a game and one of its types. A block fills its whole rectangle; anything else is a shape made of
// bars on transparent ground.
void paint_generated_sprite(Painter& painter, const char* game, int type, bool block);

// A square texture for the place of a background.
void paint_generated_background(Painter& painter, int variant);

}  // namespace wm::art
