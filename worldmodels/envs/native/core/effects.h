// What is seen but part of no rule: explosions, puffs of smoke, splashes. Each is a place and an age; after its last
// picture it is gone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/camera.h"
#include "core/sprites.h"

namespace wm {

struct Effect {
    float x = 0, y = 0;
    std::int16_t sprite = 0;  // of its first picture, in the game's art table; its other pictures follow
    std::int16_t frames = 1;
    std::int32_t age = 0;

    void visit(Archive& archive) { archive("x", x)("y", y)("sprite", sprite)("frames", frames)("age", age); }
};

using Effects = std::vector<Effect>;

inline void grow_older(Effects& effects) {
    for (Effect& effect : effects) ++effect.age;
    effects.erase(std::remove_if(effects.begin(), effects.end(),
                                 [](const Effect& effect) { return effect.age >= effect.frames; }),
                  effects.end());
}

inline void draw_effects(Canvas& canvas, const Camera& camera, const Sheet& sheet, const Effects& effects) {
    for (const Effect& effect : effects)
        draw_centred(canvas, camera, sheet.get(effect.sprite + effect.age), effect.x, effect.y);
}

}  // namespace wm
