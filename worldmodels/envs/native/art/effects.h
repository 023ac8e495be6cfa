// Pictures of short-lived effects that several games share.
#pragma once

#include "core/sprites.h"

namespace wm::art {

constexpr int kExplosionFrames = 5;

// Appends the five pictures of an explosion, each 1.4 times as large as the one before; the first is `size` cells wide.
void add_explosion(std::vector<SpriteSpec>& sprites, float size);

}  // namespace wm::art
