// How the player of the classic CoinRun runs, jumps and climbs. The game moves by it, and the generator measures with
// it how far jumps reach.
//
// The position is the lower left corner of a cell-sized body. Its feet, as wide as 0.8 cells, meet walls at the sides;
// the head, one cell above them, meets ceilings.
#pragma once

#include <algorithm>
#include <cmath>

#include "core/archive.h"
#include "core/grid.h"
#include "core/numbers.h"
#include "generate/platforms.h"

namespace wm {

constexpr Cell kCrate = 20;  // solid from above only
constexpr Cell kLadder = 21;

struct Runner {
    static constexpr float kGravity = 0.2f;
    static constexpr float kJumpSpeed = 1.5f;
    static constexpr float kMaxSpeed = 0.5f;
    static constexpr float kGroundMix = 0.2f;
    static constexpr float kAirMix = 0.03f;
    static constexpr float kCharge = 0.375f;   // per step of pressing up
    static constexpr float kDucking = -0.01f;  // the spring while down is pressed
    static constexpr float kLadderMix = 0.4f;
    static constexpr float kLadderSpeed = 0.4f;  // at most
    static constexpr float kLeftFoot = 0.1f, kRightFoot = 0.9f;
    static constexpr float kGap = 0.001f;  // to a wall that one leans on
    static constexpr int kSubsteps = 2;

    float x = 0, y = 0, vx = 0, vy = 0;
    float spring = 0;  // charged by pressing up; the jump comes with the release
    bool supported = false, on_ladder = false;

    // One step with the keys held to (dx, dy). Calls `touch()` after each sub-step and stops when it returns false.
    template <class Touch>
    void step(const Grid& grid, int dx, int dy, Touch touch) {
        grip_ladder(grid, dy);
        if (on_ladder) climb(dx, dy);
        else if (spring > 0 && vy == 0 && dy == 0) jump();
        else vy -= kGravity;
        vy = std::clamp(vy, -kJumpSpeed, kJumpSpeed);
        vx = std::clamp(vx, -kMaxSpeed, kMaxSpeed);
        supported = false;
        for (int i = 0; i < kSubsteps && (vx != 0 || vy != 0); ++i) {
            move_up_or_down(grid, vy / kSubsteps, dy < 0);
            move_sideways(grid, vx / kSubsteps);
            if (!touch()) return;
        }
        prepare(dx, dy);
    }

    void visit(Archive& archive) {
        constexpr FloatRange kPlaces = {-1, kPlatformWorld};
        constexpr float kFastest = kMaxSpeed + kAirMix;  // until the next step clamps it
        archive("x", x, kPlaces)("y", y, kPlaces)("vx", vx, either_way(kFastest))("vy", vy, either_way(kJumpSpeed));
        archive("spring", spring, within(kDucking, kJumpSpeed));
        archive("supported", supported)("on_ladder", on_ladder);
    }

private:
    void grip_ladder(const Grid& grid, int dy) {
        constexpr float kReach = 0.2f;
        const int column = floor_int(x + 0.5f);
        const bool near =
            grid.at(column, floor_int(y + kReach)) == kLadder || grid.at(column, floor_int(y - kReach)) == kLadder;
        on_ladder = near && (on_ladder || dy != 0);
    }

    // Slow, and drawn towards the middle of the ladder.
    void climb(int dx, int dy) {
        constexpr float kPull = 0.2f;
        const float column = static_cast<float>(floor_int(x + 0.5f));
        const float wanted = static_cast<float>(dx) + kPull * (column - x);
        vx = (1 - kLadderMix) * vx + kLadderMix * kMaxSpeed * wanted;
        vy = (1 - kLadderMix) * vy + kLadderMix * kMaxSpeed * static_cast<float>(dy);
        vx = std::clamp(vx, -kLadderSpeed, kLadderSpeed);
        vy = std::clamp(vy, -kLadderSpeed, kLadderSpeed);
    }

    void jump() {
        vy = kJumpSpeed;
        spring = 0;
    }

    template <class Test>
    bool either_foot(const Grid& grid, int row, Test test) const {
        return test(grid.at(floor_int(x + kLeftFoot), row)) || test(grid.at(floor_int(x + kRightFoot), row));
    }

    void move_up_or_down(const Grid& grid, float delta, bool ducking) {
        const float next = y + delta;
        const int row = floor_int(next);
        if (delta > 0 && either_foot(grid, floor_int(next + 1), is_ground)) {
            y = static_cast<float>(floor_int(next + 1) - 1);
            vy = 0;
            return;
        }
        const auto is_crate = [](Cell cell) { return cell == kCrate; };
        const bool lands_on_crate = !ducking && row != floor_int(y) && either_foot(grid, row, is_crate);
        if (delta < 0 && (either_foot(grid, row, is_ground) || lands_on_crate)) {
            y = static_cast<float>(row + 1);
            vy = 0;
            supported = true;
            return;
        }
        y = next;
    }

    void move_sideways(const Grid& grid, float delta) {
        if (delta == 0) return;
        const float next = x + delta, foot = delta < 0 ? kLeftFoot : kRightFoot;
        const int column = floor_int(next + foot);
        if (!is_ground(grid.at(column, floor_int(y)))) {
            x = next;
            return;
        }
        x = delta < 0 ? static_cast<float>(column + 1) - kLeftFoot + kGap
                      : static_cast<float>(column) - kRightFoot - kGap;
        vx = 0;
    }

    // Charging brakes: one runs on only while the spring is loose.
    void prepare(int dx, int dy) {
        const float direction = static_cast<float>(dx);
        if (!supported) {
            spring = 0;
            vx = (1 - kAirMix) * vx + kAirMix * direction;
            return;
        }
        if (dy > 0) spring = std::min(spring + kCharge, kJumpSpeed);
        if (dy < 0) spring = kDucking;
        if (dy >= 0 && spring < 0) spring = 0;
        vx = (1 - kGroundMix) * vx + (spring == 0 ? kGroundMix * kMaxSpeed * direction : 0);
        if (std::fabs(vx) < kGroundMix * kMaxSpeed) vx = 0;
    }
};

}  // namespace wm
