// The looks of bossfight. The shapes of ships, bosses and meteors decide how large their boxes are, so no option
// replaces those.
#pragma once

#include "art/effects.h"
#include "core/sprites.h"

namespace wm::art::bossfight {

constexpr int kTrails = 3;           // pictures behind a shot of the boss
constexpr float kTrailStep = 0.85F;  // how far apart, in steps of the shot
constexpr int kReflections = 5;      // pictures of a shot that was thrown back, one for each step

enum Sprite : int {
    Player,  // flies up
    PlayerShot,
    Boss,  // looks down
    StunnedBoss,
    Shield,  // around the boss of the same theme
    BossShot,
    Meteor,
    Trail,                             // and two more, each fainter
    Reflected = Trail + kTrails,       // and four more
    Spark = Reflected + kReflections,  // and four more frames, each larger
    Explosion = Spark + kExplosionFrames,
};

constexpr int kPlayers = 4, kBosses = 4, kMeteors = 8;
// Width / height.
constexpr float kPlayerAspects[kPlayers] = {1.32F, 1.32F, 1.493F, 1.307F};
constexpr float kBossAspects[kBosses] = {1.107F, 1.238F, 1.226F, 0.976F};
constexpr float kMeteorAspects[kMeteors] = {1.019F, 0.972F, 0.943F, 0.995F, 1.202F, 1.224F, 1.085F, 1.021F};

const ArtTable& table();

void paint_boss(Painter& painter, int theme, bool stunned);

}  // namespace wm::art::bossfight
