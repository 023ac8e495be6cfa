// Painted backgrounds. Each is an image that repeats sideways (space and top-down ones also up and down), two views wide and one
// and a half high; soft and muted, so that sprites stand out. They are painted on first use and shared by the process.
#pragma once

#include <memory>

#include "core/canvas.h"

namespace wm {

enum class BackgroundFamily { Space, Platform, TopDown };

// How many variants a family has: space 13, platform 62 (49 landscapes, then the space ones), top-down 9.
// With generated assets there are as many random textures for every family.
int background_count(BackgroundFamily family);

struct BackgroundLook {
    BackgroundFamily family;
    int variant = 0;
    bool generated = false;
};

// Views up to 128 pixels stay for ever and are found without a lock; of larger ones the last few are kept.
std::shared_ptr<const Image> background(const BackgroundLook& look, int view);

// The whole drawing of a background behind a camera that moves in a world of width x height cells (parallax: the top of the
// picture belongs to the top of the world). `phase` in 0 to 1 shifts it sideways, drawn once per level from the look stream.
class Camera;
void draw_background(Canvas& canvas, const BackgroundLook& look, const Camera& camera, float world_height, float phase);

}  // namespace wm
