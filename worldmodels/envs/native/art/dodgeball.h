// The looks of dodgeball, seen from above: people and their balls look to the right and may be turned.
#pragma once

#include "core/camera.h"
#include "core/entity.h"
#include "core/sprites.h"

namespace wm::art::dodgeball {

enum Sprite : int {
    Player,
    Enemy,
    LockedExit,
    OpenExit,
    PlayerBall,
    EnemyBall,
    WallRim,
    WallCore,
    Outside,
    Puff,  // and eight more
};

constexpr int kPuffs = 9;

// Half of the sides of the boxes, in cells.
struct Sizes {
    float player, enemy, ball, exit;
};

constexpr Sizes kLarge = {1, 1, 0.5F, 1.5F}, kMedium = {0.75F, 0.75F, 0.375F, 0.75F},
                kSmall = {0.4F, 0.5F, 0.25F, 0.75F};

// One of the three sizes above.
const ArtTable& table(const Sizes& sizes);

// How far to turn a picture of somebody who goes towards (x, y): eighths of a turn, clockwise.
int eighths(float x, float y);

void draw_wall(Canvas& canvas, const Camera& camera, const Sheet& sheet, const Entity& wall);

}  // namespace wm::art::dodgeball
