// The looks of starpilot. Ships are a little larger than their boxes: a near miss should look like one.
#pragma once

#include "core/sprites.h"

namespace wm::art::starpilot {

// Those that stand for one type of thing come in the order of the game's types.
enum Sprite : int {
    Player,  // flies right
    PlayerShot,
    FlyerShot,
    TurretShot,
    Flyer,   // flies left
    Meteor,  // may be turned
    Cloud,
    Turret,     // aims left
    FastFlyer,  // flies left
    Finish,     // as high as the world
    SmallPlayerShot,
    SmallFlyerShot,
    SmallTurretShot,
    Explosion,  // and four more frames, each larger
};

constexpr int kMeteorTurns = 24;
constexpr int kFinishes = 4;
constexpr float kFinishAspects[kFinishes] = {0.326F, 0.508F, 0.375F, 0.369F};  // width / height
constexpr float kTurretAspect = 3.308F;

const ArtTable& table();

void paint_flyer(Painter& painter, int theme);
void paint_fast_flyer(Painter& painter, int theme);
void paint_finish(Painter& painter, int theme);

}  // namespace wm::art::starpilot
