// Where the walls of fruitbot stand, and how they are laid out so that the robot can pass all of them.
#pragma once

#include "art/fruitbot.h"
#include "core/fixed_list.h"
#include "core/rng.h"

namespace wm::fruitbot {

constexpr int kHeight = 60;               // cells, of the alley
constexpr float kRadius = 0.4f;           // of the robot
constexpr float kTerminal = 0.6955f;      // speed sideways, approached within some steps; also what one press moves
constexpr float kLostInStarting = 0.82f;  // of that, until then: 0.45 + 0.45^2 + ...
constexpr float kClimb = 0.1391f;         // speed upwards

constexpr float kWallRadius = 0.3f;
constexpr float kLockRadiusX = 0.25f, kLockRadiusY = 0.45f;
constexpr float kUnlocking = 1.5f;  // climbed while a key flies into its lock, and to spare
constexpr int kMostWalls = 10;

// What a mode decides.
struct Rules {
    int width, walls;
    float narrowest;  // opening, as a part of the width
    bool doors;
    int kinds;
};

constexpr Rules kEasy = {10, 5, 0.2f, false, 2};
constexpr Rules kHard = {20, 10, 0.1f, true, art::fruitbot::kKinds};

struct Opening {
    float left = 0, width = 0;
    bool door = false, lock_on_the_right = false;

    float right() const { return left + width; }
    // Where the middle of the robot may pass; through a door close to the lock that it had to meet.
    float passable_from() const { return door && lock_on_the_right ? right() - kRadius - kTerminal : left + kRadius; }
    float passable_to() const { return door && !lock_on_the_right ? left + kRadius + kTerminal : right() - kRadius; }
    float lock_x() const { return lock_on_the_right ? right() - kLockRadiusX : left + kLockRadiusX; }
};

struct Wall {
    float y = 0;
    Opening opening;
};

// How far the robot surely gets sideways, from rest, while it climbs `height`.
float reach(float height);

// From below. `start_x` is where the robot starts.
FixedList<Wall, kMostWalls> plan_walls(const Rules& rules, float start_x, Random& level);

}  // namespace wm::fruitbot
