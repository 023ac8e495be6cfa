// The looks of plunder, seen from above. Ships of some size are drawn in that size, so each size has its own table.
#pragma once

#include "core/sprites.h"

namespace wm::art::plunder {

enum Sprite : int {
    Ship,        // sails right
    PlayerShip,  // points up, like the one in the legend
    LegendShip,
    LegendDisc,
    Ball,
    Panel,
    Explosion,  // and four more frames, each larger
};

constexpr int kShips = 6;
constexpr float kShipAspect = 1.712F;            // length / width
constexpr float kLegendScale = 1.5F;             // of the ship in the legend
constexpr float kDiscRadius = 2;                 // cells
constexpr float kPanelX = 1.2F, kPanelY = 0.5F;  // half-extents of a panel

// The half-length of ships, in cells: small or large.
constexpr float kSmallShip = 1, kLargeShip = 1.5F;
const ArtTable& table(bool large);

}  // namespace wm::art::plunder
