// Painted backgrounds, soft and muted so that sprites stand out. Each is an image two views wide and one and a half
// high that repeats sideways; space, floors and seas repeat downwards too, landscapes and underwater ones have a
// ground. They are painted on first use and shared by the process.
#pragma once

#include <memory>

#include "core/camera.h"
#include "core/options.h"

namespace wm::art {

enum class BackgroundFamily { Space, Platform, TopDown, Water };

// The colour of tunnels, and how much of a background is seen in them, of 255 parts.
constexpr Colour kDarkness = {20, 12, 28};
constexpr int kSeenInTheDark = 66;

// How many variants a family has: space 13, platform 62 (49 landscapes, then the space ones), top-down 9, water 7 (the
// first 4 are seas seen from above). With generated assets there are as many random textures.
int background_count(BackgroundFamily family);

struct BackgroundLook {
    BackgroundFamily family;
    int variant = 0;
    bool generated = false;
    bool dark = false;  // as one sees it from within a tunnel
};

// Views of up to 128 pixels stay for ever and are found without a lock; of larger ones the last few are kept.
std::shared_ptr<const Image> background(const BackgroundLook& look, int view);

// Covers the canvas with the part of a background that belongs to a camera. Landscapes and space move slower than the
// world, and the top of a landscape belongs to the top of a world that is `world_height` cells high; floors and water
// move with the world. `phase`, 0 to 1, shifts the picture sideways: drawn once per level, it gives variety.
void draw_background(Canvas& canvas, const BackgroundLook& look, const Camera& camera, float world_height, float phase);

// What most games draw first: the background, or black where the options want none.
inline void draw_background_or_black(Canvas& canvas, const GameOptions& options, BackgroundFamily family, int variant,
                                     const Camera& camera, float world_height, float phase) {
    if (options.use_backgrounds)
        draw_background(canvas, {family, variant, options.use_generated_assets}, camera, world_height, phase);
    else canvas.fill({});
}

}  // namespace wm::art
