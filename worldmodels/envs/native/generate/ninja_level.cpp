#include "generate/ninja_level.h"

#include <algorithm>
#include <cstdlib>

namespace wm {
namespace {

constexpr int kStartWidth = 5;
constexpr int kStartRoof = 40;
constexpr int kHeadroom = 10;  // from the highest ledge of a section to its roof
constexpr int kGoalHeadroom = 6;
constexpr int kBombHeight = 2;   // above the highest ledge of its section
constexpr int kFireDepth = 2;    // below the lowest place
constexpr int kHighGround = 49;  // from here the way leads down again
constexpr int kLowGround = 5;    // from here it may
constexpr int kLowest = 3;
constexpr int kSectionRoom = 15;  // cells that must be free on the right before another ledge is begun
constexpr float kDown = 0.4f;     // probability
constexpr float kBombs = 0.25f;   // probability of a bomb in a section, for each difficulty above the first

class NinjaLevelBuilder {
public:
    NinjaLevelBuilder(Grid& grid, const NinjaLevelOptions& options, Random& random)
        : grid_(grid), options_(options), random_(random) {}

    Place build() {
        grid_.reset(kNinjaWorld, kNinjaWorld, kSpace, kBrick);
        grid_.fill(0, 0, 1, kNinjaWorld, kBrick);
        grid_.fill(0, 0, kStartWidth, kNinjaStart, kBrick);
        grid_.fill(0, kStartRoof, kStartWidth, kNinjaWorld, kBrick);
        difficulty_ = 1 + random_.below(3);
        const int sections = difficulty_ + random_.below(difficulty_);
        for (int i = 0; i < sections; ++i) section();
        finish();
        return {x_, y_};
    }

private:
    // One ledge, or two of different height beside each other: an upper and a lower way.
    void section() {
        const int start = x_, height = y_, ledges = 1 + random_.below(2);
        int highest = 0;
        for (int i = 0; i < ledges && start + i + kSectionRoom < kNinjaWorld; ++i) {
            const int before = y_;
            x_ = start + i;
            y_ = std::max(kLowest, height + draw_rise(height));
            if (i > 0 && std::abs(y_ - before) <= 1) y_ = before + 2;
            ledge();
            highest = std::max(highest, y_);
            lowest_ = std::min(lowest_, y_);
        }
        if (x_ == start) return;  // the world is full
        if (random_.chance(kBombs * static_cast<float>(difficulty_ - 1)))
            grid_.set(start + random_.below(x_ - start + 1), highest + kBombHeight, kBomb);
        grid_.fill(start, highest + kHeadroom, x_ - start, kNinjaWorld, kBrick);
    }

    int draw_rise(int height) {
        const int extra = difficulty_ == 3 ? 1 : 0;
        const int rise = std::min(options_.highest_rise, 1 + random_.below(options_.rises) + extra);
        const bool down = height >= kHighGround || (height >= kLowGround && random_.chance(kDown));
        return down ? -rise : rise;
    }

    void ledge() {
        const int width = options_.narrowest + random_.below(3);
        grid_.fill(x_, y_ - 1, width, 1, kBrick);
        const int gap = std::max(0, difficulty_ - 1 - options_.gap_discount);
        x_ += width + gap + random_.below(difficulty_ == 1 ? 2 : 3);
    }

    void finish() {
        grid_.set(x_, y_ - 1, kBrick);
        grid_.set(x_, y_, kSpace);
        grid_.fill(x_, y_ + kGoalHeadroom, 1, kNinjaWorld, kBrick);
        const int fire = std::max(1, lowest_ - kFireDepth);
        grid_.fill(kStartWidth, 0, kNinjaWorld, fire, kBrick);
        grid_.fill(kStartWidth, fire, kNinjaWorld, 1, kFire);
        grid_.fill(x_ + 1, 0, kNinjaWorld, kNinjaWorld, kBrick);
    }

    Grid& grid_;
    const NinjaLevelOptions& options_;
    Random& random_;
    int difficulty_ = 1;
    int x_ = kStartWidth, y_ = kNinjaStart;  // where the next section begins, and the height of the way there
    int lowest_ = kNinjaStart;
};

}  // namespace

Place generate_ninja_level(Grid& grid, const NinjaLevelOptions& options, Random& random) {
    return NinjaLevelBuilder(grid, options, random).build();
}

}  // namespace wm
