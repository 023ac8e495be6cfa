// The four patterns by which the boss of bossfight fires while its shield is up, one for each round.
#pragma once

#include <cstdint>
#include <cstdlib>

#include "core/rng.h"

namespace wm {

enum Attack : std::int8_t {
    Fan,     // five shots downwards, a quarter of a turn wide
    Spiral,  // four at right angles, swinging to and fro over a quarter of a turn
    Ring,    // eight evenly spread, each time from another angle
    Rain,    // single shots, somewhere into the lower half
    kAttacks
};

// Calls `shoot(degrees)` for each shot of this step.
template <class Shoot>
void fire_by_pattern(Attack attack, int step, Random& random, Shoot shoot) {
    constexpr int kPeriods[kAttacks] = {8, 5, 10, 4};
    if (step % kPeriods[attack] != 0) return;
    const auto shoot_all = [&](int shots, float first, float between) {
        for (int i = 0; i < shots; ++i) shoot(first + between * static_cast<float>(i));
    };
    switch (attack) {
        case Fan: return shoot_all(5, 225, 22.5f);
        case Spiral: return shoot_all(4, 225 + 11.25f * static_cast<float>(std::abs(8 - step / 5 % 16)), 90);
        case Ring: return shoot_all(8, random.uniform(0, 45), 45);
        default: shoot(random.uniform(180, 360));
    }
}

}  // namespace wm
