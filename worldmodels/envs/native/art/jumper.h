// The looks of jumper: a hare in caves of four styles. It is drawn larger than its box, standing on the same ground.
#pragma once

#include "core/sprites.h"

namespace wm::art::jumper {

enum Sprite : int {
    Stand,  // faces right, as all the others
    Air,
    RunLeftA,
    RunLeftB,  // to be mirrored
    RunRightA,
    RunRightB,
    Carrot,
    Spike,
    WallTop,
    WallMiddle,          // patterns for LevelTiles
    Dust,                // and three more pictures
    AirPuff = Dust + 4,  // the white ellipse under an air jump, and three more pictures
};

constexpr int kPuffFrames = 4;
constexpr int kWallThemes = 4;
constexpr float kTileUnits = 100;  // artist's units of a cell

const ArtTable& table();

// What is laid over the picture; no style option changes it.
enum Overlay : int {
    LargeDisc,
    LargeNeedle,  // points right; may be turned
    SmallDisc,
    SmallNeedle,
};

constexpr int kNeedleTurns = 64;
constexpr float kLargeDisc = 3, kSmallDisc = 2;  // cells across
constexpr Colour kDiscColour = {168, 166, 158}, kNeedleColour = {252, 186, 3};

const ArtTable& overlay();

// In their own files: the player and the ground.
void paint_player(Painter& painter, Sprite pose);
void paint_wall_top(Painter& painter, int theme);
void paint_wall_middle(Painter& painter, int theme);

}  // namespace wm::art::jumper
