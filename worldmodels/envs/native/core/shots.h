// Shots: there are many of them, and they know little, so they are smaller than an Entity. They fly straight, and what
// they hit is the game's business.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/grid.h"

namespace wm {

// What the shots of a list can be.
struct ShotRanges {
    FloatRange x, y;
    float fastest;      // along each axis
    FloatRange radius;  // half-extents
    int life;           // steps
};

constexpr IntRange shot_count() { return {0, 1000}; }  // far more than are ever in the air at once

// Lengths are cells, speeds cells per step. `overlap` (core/entity.h) takes shots too.
struct Shot {
    float x = 0, y = 0, vx = 0, vy = 0;
    float rx = 0, ry = 0;  // half-extents
    std::int32_t age = 0;
    bool dead = false;  // to be removed at the end of this step

    void visit(Archive& archive, const ShotRanges& r) {
        archive("x", x, r.x)("y", y, r.y)("vx", vx, either_way(r.fastest))("vy", vy, either_way(r.fastest));
        archive("rx", rx, r.radius)("ry", ry, r.radius)("age", age, within(0, r.life))("dead", dead);
    }
};

using Shots = std::vector<Shot>;

// One step of flight; a shot dies when it gets older than `life` steps.
inline void move_shots(Shots& shots, int life) {
    for (Shot& shot : shots) {
        shot.x += shot.vx;
        shot.y += shot.vy;
        if (++shot.age > life) shot.dead = true;
    }
}

// Removes what is dead, and what left the world completely; the order of the rest stays.
inline void remove_dead(Shots& shots, const Grid& grid) {
    const float width = static_cast<float>(grid.width()), height = static_cast<float>(grid.height());
    const auto gone = [=](const Shot& s) {
        return s.dead || s.x + s.rx < 0 || s.x - s.rx > width || s.y + s.ry < 0 || s.y - s.ry > height;
    };
    shots.erase(std::remove_if(shots.begin(), shots.end(), gone), shots.end());
}

}  // namespace wm
