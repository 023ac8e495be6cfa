#include "games/fruitbot_walls.h"

#include <algorithm>

#include "core/numbers.h"
#include "core/physics.h"
#include "generate/draw_until.h"

namespace wm::fruitbot {
namespace {

constexpr int kWallGap = 4;            // between walls, at least
constexpr float kDoorTile = 1.95f;     // the width of a door is a multiple of it, and a lock
constexpr float kDoorChance = 0.125f;  // of walls further than kDoorGap from the one before
constexpr int kDoorGap = 5;
constexpr float kOpeningVaries = 0.2f;

Opening draw_opening(const Rules& rules, int gap, Random& level) {
    const float width = static_cast<float>(rules.width);
    Opening opening;
    opening.door = rules.doors && gap > kDoorGap && level.chance(kDoorChance);
    opening.width = width * level.uniform(rules.narrowest, rules.narrowest + kOpeningVaries);
    if (opening.door) {
        constexpr float kWider = 0.1f, kLocks = 2 * 2 * kLockRadiusX;
        const float tiles = (opening.width + kWider * width - kLocks) / kDoorTile;
        opening.width = kLocks + kDoorTile * static_cast<float>(-floor_int(-tiles));
        opening.lock_on_the_right = level.coin();
    }
    opening.left = level.uniform(0, width - opening.width);
    return opening;
}

}  // namespace

float reach(float height) {
    constexpr float kSpared = 1;  // steps
    return kTerminal * std::max(height / kClimb - kLostInStarting - kSpared, 0.0f);
}

// Walls stand at whole heights, the last one four cells below the end. Presses move the robot by multiples of
// kTerminal, so it needs that much room in every opening, and before it, wherever it then has to go.
FixedList<Wall, kMostWalls> plan_walls(const Rules& rules, float start_x, Random& level) {
    FixedList<Wall, kMostWalls> walls;
    int gaps[kMostWalls];
    std::fill_n(gaps, rules.walls, kWallGap);
    for (int spare = kHeight - kWallGap * (rules.walls + 1); spare > 0; --spare) ++gaps[level.below(rules.walls)];
    float y = 0;
    float leftmost = start_x, rightmost = start_x;  // where the robot can be, whatever it does
    for (int i = 0; i < rules.walls; ++i) {
        const float climbed = static_cast<float>(gaps[i]) - 2 * kRadius - (i > 0 ? 2 : 1) * kWallRadius;
        Opening opening;
        float left = 0, right = 0;
        draw_until([&] {
            opening = draw_opening(rules, gaps[i], level);
            const float reached = reach(climbed - (opening.door ? kUnlocking : 0));
            left = std::max(opening.passable_from(), leftmost - reached);
            right = std::min(opening.passable_to(), rightmost + reached);
            return left + kTerminal <= right + kContactEpsilon;
        });
        y += static_cast<float>(gaps[i]);
        walls.push_back({y, opening});
        leftmost = left + kTerminal;
        rightmost = right - kTerminal;
    }
    return walls;
}

}  // namespace wm::fruitbot
