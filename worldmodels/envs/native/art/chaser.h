// The looks of chaser: a frog, fireflies and dragons in a garden by night. Frog and dragons are a little larger than
// their boxes.
#pragma once

#include "core/sprites.h"

namespace wm::art::chaser {

enum Sprite : int {
    Frog,  // seen from above, looks up, may be turned
    FrogLeap,
    Star,
    SmallStar,
    Egg,
    EggLeft,  // the four pictures of an egg that will hatch soon
    EggMiddle,
    EggRight,
    EggMiddleAgain,
    Dragon,  // flies right: wings up, level, down
    DragonLevel,
    DragonDown,
    ScaredDragon,
    ScaredDragonDown,
    Firefly,
    Dusk,  // a shade over the floor of a cell
    Wall,  // pattern for draw_tiles
};

const ArtTable& table();

}  // namespace wm::art::chaser
