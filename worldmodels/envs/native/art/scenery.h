// What backgrounds show. All are painted on 200 x 150 units, of which a view shows 100 x 100.
#pragma once

#include "core/painter.h"

namespace wm::art {

constexpr float kSceneryWidth = 200, kSceneryHeight = 150;
constexpr int kLandscapes = 49, kSpaces = 13, kFloors = 9, kWaters = 7;
constexpr int kSeas = 4;  // of the waters: the first ones, seen from above

void paint_landscape(Painter& painter, int variant);  // repeats sideways
void paint_space(Painter& painter, int variant);      // repeats sideways and downwards
void paint_floor(Painter& painter, int variant);      // repeats sideways and downwards
void paint_water(Painter& painter, int variant);      // repeats sideways; seas downwards too, the others have a ground

void paint_underwater(Painter& painter, int scene, std::uint32_t seed);  // the waters that are no seas

// Draws a thing near a seam on the other side too. `draw(x, y)` paints it at a place; it reaches `reach` units from
// there.
template <class Draw>
void repeat_around(float x, float y, float reach, Draw draw, bool downwards = true) {
    const auto copies = [&](float at, float size, auto use) {
        use(at);
        if (at < reach) use(at + size);
        if (at > size - reach) use(at - size);
    };
    copies(x, kSceneryWidth, [&](float u) {
        if (!downwards) draw(u, y);
        else copies(y, kSceneryHeight, [&](float v) { draw(u, v); });
    });
}

}  // namespace wm::art
