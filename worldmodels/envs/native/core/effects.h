// What is seen but part of no rule: explosions, puffs of smoke, splashes. Each is a place and an age; after its last
// picture it is gone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/archive.h"
#include "core/camera.h"
#include "core/sprites.h"

namespace wm {

// What the effects of a game can be: its kinds, by their first picture, and how many pictures each has.
struct EffectRanges {
    FloatRange x, y;
    struct Kind {
        int sprite, frames;
    } kinds[2];

    bool allows(std::int16_t sprite) const { return sprite == kinds[0].sprite || sprite == kinds[1].sprite; }
    std::string text() const { return number_text(kinds[0].sprite) + " or " + number_text(kinds[1].sprite); }
    int frames_of(int sprite) const { return kinds[sprite == kinds[0].sprite ? 0 : 1].frames; }
};

struct Effect {
    float x = 0, y = 0;
    std::int16_t sprite = 0;  // of its first picture, in the game's art table; its other pictures follow
    std::int16_t frames = 1;
    std::int32_t age = 0;

    void visit(Archive& archive, const EffectRanges& r) {
        archive("x", x, r.x)("y", y, r.y)("sprite", sprite, r);
        archive("frames", frames, exactly(r.frames_of(sprite)))("age", age, below(frames));
    }
};

using Effects = std::vector<Effect>;

constexpr IntRange effect_count() { return {0, 2000}; }  // far more than are ever seen at once

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
