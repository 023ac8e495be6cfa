// The looks of bigfish. Everybody swims right. A picture is exactly as wide as the box that it stands for, because who
// is wider decides who is eaten; so there is a picture for each of many sizes.
#pragma once

#include "core/sprites.h"

namespace wm::art::bigfish {

constexpr float kSmallest = 0.25F, kLargest = 2;  // half-widths, in cells
constexpr int kSizes = 22;                        // a 12th of a cell apart: two pixels of a picture for people

constexpr int kShapes = 3;  // of the other fish; each has its own proportions
constexpr float kAspects[kShapes] = {1.696F, 1.273F, 1.862F};

// Pictures of a fish: its tail to the left or to the right. Those that may eat the player look it.
enum Mood : int { Timid, Fierce };
constexpr int kTails = 2, kMoods = 2;
// Pictures of the player: its tail to the left or to the right, and a bite.
constexpr int kPlayerFrames = 3, kBite = 2;

inline int size_index(float radius) {
    const float share = (radius - kSmallest) / (kLargest - kSmallest);
    const int index = static_cast<int>(share * (kSizes - 1) + 0.5F);
    return index < 0 ? 0 : index < kSizes ? index : kSizes - 1;
}

// Indices into the table.
inline int player_sprite(int frame, float radius) { return frame * kSizes + size_index(radius); }
inline int fish_sprite(int shape, Mood mood, int tail, float radius) {
    return ((kPlayerFrames + (shape * kMoods + mood) * kTails + tail) * kSizes) + size_index(radius);
}

const ArtTable& table();

}  // namespace wm::art::bigfish
