// Things that move: plain structs in a flat vector. Entity 0 is the agent by convention.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/grid.h"

namespace wm {

// What the entities of a game can be; a field that it leaves out keeps the value that entities begin with. What differs
// between their types, a game checks itself.
struct EntityRanges {
    EntityRanges(FloatRange places, float fastest, FloatRange radii, IntRange types)
        : x(places), y(places), speed(either_way(fastest)), radius(radii), type(types) {}

    FloatRange x, y;
    FloatRange speed, radius;  // along each axis
    IntRange type, theme = exactly(0), frame = exactly(0);
    IntRange age = exactly(0), lifetime = exactly(-1), timer = exactly(-1), health = exactly(1);
    FloatRange rotation = exactly(0.0f), spin = exactly(0.0f), grow = exactly(1.0f);
};

// Lengths are cells, speeds cells per step, angles degrees (0 is +x, 90 is +y), times steps.
struct Entity {
    float x = 0, y = 0;            // centre
    float vx = 0, vy = 0;          // velocity
    float rx = 0.4f, ry = 0.4f;    // half-extents
    float rotation = 0, spin = 0;  // angle, and its change per step
    float grow = 1;                // half-extents are multiplied by it each step
    std::int32_t age = 0;
    std::int32_t lifetime = -1;  // removed when age exceeds it; -1: never
    std::int32_t timer = -1;     // the game's own use (time of firing, period, ...)
    std::int16_t health = 1;
    std::int16_t type = 0;   // each game numbers its own
    std::int16_t theme = 0;  // which look of its type
    std::int16_t frame = 0;  // which picture of its animation
    bool mirrored = false;   // drawn left-right reversed
    bool dead = false;       // to be removed at the end of this step; touches nothing any more

    float left() const { return x - rx; }
    float right() const { return x + rx; }
    float bottom() const { return y - ry; }
    float top() const { return y + ry; }

    void visit(Archive& archive, const EntityRanges& r) {
        archive("x", x, r.x)("y", y, r.y);
        archive("vx", vx, r.speed)("vy", vy, r.speed)("rx", rx, r.radius)("ry", ry, r.radius);
        archive("rotation", rotation, r.rotation)("spin", spin, r.spin)("grow", grow, r.grow);
        archive("age", age, r.age)("lifetime", lifetime, r.lifetime)("timer", timer, r.timer);
        archive("health", health, r.health)("type", type, r.type)("theme", theme, r.theme)("frame", frame, r.frame);
        archive("mirrored", mirrored)("dead", dead);
    }
};

using Entities = std::vector<Entity>;

// Is the agent where it must be, and nothing else one?
inline bool only_first_is(const Entities& entities, int type) {
    for (std::size_t i = 0; i < entities.size(); ++i)
        if ((entities[i].type == type) != (i == 0)) return false;
    return true;
}

// Boxes that only touch do not overlap. A negative margin asks for a deeper overlap. For anything that has x, y, rx,
// ry.
template <class A, class B>
bool overlap(const A& a, const B& b, float margin = 0.0f) {
    return std::fabs(a.x - b.x) < a.rx + b.rx + margin && std::fabs(a.y - b.y) < a.ry + b.ry + margin;
}

inline bool completely_outside(const Entity& e, const Grid& grid) {
    return e.right() < 0 || e.top() < 0 || e.left() > static_cast<float>(grid.width()) ||
           e.bottom() > static_cast<float>(grid.height());
}

// Removes what is dead, and what left the world; the order of the rest stays. The agent (entity 0) always stays.
inline void remove_dead(Entities& entities, const Grid& grid) {
    std::size_t kept = 1;
    for (std::size_t i = 1; i < entities.size(); ++i) {
        const Entity& e = entities[i];
        if (e.dead || completely_outside(e, grid)) continue;
        if (kept != i) entities[kept] = e;
        ++kept;
    }
    if (kept < entities.size()) entities.resize(kept);
}

}  // namespace wm
