// Walking and falling, as far as games of platforms share it.
#pragma once

#include "core/entity.h"

namespace wm {

// The speed follows the keys: it goes the part `mix` of the way to what is asked for (-1, 0 or +1 times `max_speed`).
inline float walk(float velocity, int direction, float max_speed, float mix) {
    return (1 - mix) * velocity + mix * max_speed * static_cast<float>(direction);
}

constexpr float kRunSpeed = 0.5f;
constexpr float kFallGravity = 0.2f, kFastFall = 2;
constexpr float kFastestFall = kFastFall + kFallGravity;  // faster than kFastFall, one falls no faster still

// How climbers and ninjas move: nimble on the ground, slow to turn in the air, and without support they fall faster
// and faster, up to about 2 cells a step. A jump sets `e.vy` afterwards.
inline void run_and_fall(Entity& e, int direction, bool supported) {
    constexpr float kGroundMix = 0.5f, kAirMix = 0.075f;
    e.vx = walk(e.vx, direction, kRunSpeed, supported ? kGroundMix : kAirMix);
    if (!supported && e.vy > -kFastFall) e.vy -= kFallGravity;
    if (direction != 0) e.mirrored = direction < 0;
}

}  // namespace wm
