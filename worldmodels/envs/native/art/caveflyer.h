// The looks of caveflyer. Ship and enemies are a little larger than their boxes: a near miss should look like one.
#pragma once

#include "core/sprites.h"

namespace wm::art::caveflyer {

// Those that stand for one type of thing come in the order of the game's types.
enum Sprite : int {
    Player,  // points up; may be turned
    Goal,
    Obstacle,
    Target,
    Shot,  // flies up; may be turned
    Enemy,
    Wall,
    Rim,                         // patterns for LevelTiles: rock, and rock beside space
    Exhaust,                     // and three more pictures
    Explosion = Exhaust + 4,     // and four more frames, each larger
    TargetHurt = Explosion + 5,  // a target that was hit more than once
};

constexpr int kTurns = 64;  // of what may be turned
constexpr int kExhaustFrames = 4;

const ArtTable& table();

// In its own file: the rock of the caves.
void paint_wall(Painter& painter, int theme);
void paint_rim(Painter& painter, int theme);

}  // namespace wm::art::caveflyer
