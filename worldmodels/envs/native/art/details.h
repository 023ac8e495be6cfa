// Small pieces that many pictures share: ink, shading, eyes, sparkle.
#pragma once

#include "core/painter.h"

namespace wm::art {

// The dark violet of every outline: softer than black, and it suits all palettes.
inline const Tint kInk = Tint::hex(0x1E1530);
inline const Tint kWhite = Tint::hex(0xFFFFFF);

// A body lit from the upper left.
inline Fill shaded(const Tint& tint, float x, float y, float radius) {
    return Fill::radial(tint.lighter(0.2F), tint.darker(0.3F), {x - 0.4F * radius, y - 0.5F * radius}, 1.9F * radius);
}

// From light above to shade below.
inline Fill upright(const Tint& tint, float top, float bottom) {
    return Fill::linear(tint.lighter(0.18F), tint.darker(0.25F), {0, top}, {0, bottom});
}

inline void ball(Painter& painter, float x, float y, float radius, const Tint& tint) {
    painter.fill(Shape::circle(x, y, radius), shaded(tint, x, y, radius));
}

// An eye whose pupil looks towards (look_x, look_y), each -1 to 1.
inline void eye(Painter& painter, float x, float y, float radius, float look_x, float look_y = 0) {
    painter.fill(Shape::circle(x, y, radius * 1.14F), kInk);
    painter.fill(Shape::circle(x, y, radius), kWhite);
    const float pupil = 0.58F * radius, u = x + 0.36F * radius * look_x, v = y + 0.36F * radius * look_y;
    painter.fill(Shape::circle(u, v, pupil), kInk);
    painter.fill(Shape::circle(u - 0.3F * pupil, v - 0.4F * pupil, 0.38F * pupil), kWhite);
}

// A soft reflection, as on something wet or polished.
inline void shine(Painter& painter, float x, float y, float radius_x, float radius_y, float strength = 0.6F) {
    painter.fill_inside(Shape::ellipse(x, y, radius_x, radius_y).turned(-30, x, y), kWhite.faded(strength));
}

}  // namespace wm::art
