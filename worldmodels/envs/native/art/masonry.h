// Walls laid of stone, and what patterns that repeat sideways need.
#pragma once

#include "core/painter.h"

namespace wm::art {

// A shape near a seam is drawn on both sides of it.
template <class Draw>
void around(float x, float width, float reach, Draw draw) {
    draw(x);
    if (x < reach) draw(x + width);
    if (x > width - reach) draw(x - width);
}

struct Courses {
    float high, wide;    // of a stone, in artist's units; they divide the size of a tile
    std::uint32_t salt;  // for the tone of each stone
};

// Covers everything with bricks, each course half a brick further.
void paint_bricks(Painter& painter, const Tint& stone, const Tint& joint, const Courses& courses = {50, 100, 21});

}  // namespace wm::art
