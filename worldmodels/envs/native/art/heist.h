// The looks of heist: a red panda in a museum.
#pragma once

#include "core/sprites.h"

namespace wm::art::heist {

// Width / height of the boxes.
constexpr float kKeyAspect = 1.615F, kGemAspect = 1.458F;
// Of keys that are held, as parts of the view.
constexpr float kHeldKeySpacing = 0.06F, kHeldKeyHeight = 0.094F;

constexpr int kGemPictures = 4;

enum Sprite : int {
    Panda,  // all face right
    PandaBlink,
    PandaStep,
    PandaOtherStep,
    Door,  // a look for each colour
    Key,
    HeldKey,  // upright; its size is a part of the view: for a sheet of one cell
    Gem,      // and three more pictures of its glitter
    GemGlint,
    GemBright,
    GemGlintAgain,
    Wall,  // pattern for draw_tiles
};

const ArtTable& table();

}  // namespace wm::art::heist
