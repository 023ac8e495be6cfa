// Where a runner can get to: the moves of `ReachMap`. How far jumps reach is measured once, with the runner itself in
// an empty world, and then compared with the cells of a level.
#include <algorithm>
#include <array>
#include <utility>

#include "generate/coinrun_platforms_level.h"
#include "generate/coinrun_platforms_runner.h"
#include "generate/platforms.h"

namespace wm {
namespace {

// The keys of a jump: sideways while rising, then sideways until it ends.
struct JumpPlan {
    int first, second;
    float speed;  // at the start
};

constexpr int kRise = 6;         // steps for which the first direction is held
constexpr int kJumpSteps = 30;   // longer falls are left out
constexpr float kRunUp = 0.28f;  // speed after running for two cells and charging
constexpr std::array<JumpPlan, 9> kPlans = {{{0, 1, 0},
                                             {0, -1, 0},
                                             {1, 1, 0},
                                             {-1, -1, 0},
                                             {1, -1, 0},
                                             {-1, 1, 0},
                                             {0, 0, 0},
                                             {1, 1, kRunUp},
                                             {-1, -1, -kRunUp}}};

// The cells of a runner's feet and head after half a step, relative to where it jumped.
struct JumpCells {
    std::int8_t left, right, middle, row, head;
    bool falls;
};

using Jump = std::vector<JumpCells>;

Jump measured(const JumpPlan& plan) {
    constexpr int kMiddle = 50;
    Grid empty(2 * kMiddle, 2 * kMiddle);
    Runner runner;
    runner.x = runner.y = kMiddle;
    runner.vx = plan.speed;
    runner.spring = Runner::kCharge;
    Jump jump;
    for (int i = 0; i < kJumpSteps; ++i)
        runner.step(empty, i < kRise ? plan.first : plan.second, 0, [&] {
            const auto cell = [](float position) { return static_cast<std::int8_t>(floor_int(position) - kMiddle); };
            jump.push_back({cell(runner.x + Runner::kLeftFoot), cell(runner.x + Runner::kRightFoot),
                            cell(runner.x + 0.5f), cell(runner.y), cell(runner.y + 1), runner.vy < 0});
            return true;
        });
    return jump;
}

const std::array<Jump, kPlans.size()>& all_jumps() {
    static const auto kJumps = [] {
        std::array<Jump, kPlans.size()> jumps;
        for (std::size_t i = 0; i < jumps.size(); ++i) jumps[i] = measured(kPlans[i]);
        return jumps;
    }();
    return kJumps;
}

bool carries(Cell cell) { return is_ground(cell) || cell == kCrate; }

}  // namespace

ReachMap::ReachMap(const Grid& grid, Place start)
    : grid_(grid), index_(static_cast<std::size_t>(grid.width() * grid.height()), -1) {
    add_fall(start, start, 0);
    for (std::size_t i = 0; i < places_.size(); ++i) explore(places_[i]);
}

int ReachMap::index(Place place) const {
    if (!grid_.contains(place.x, place.y)) return -1;
    return index_[static_cast<std::size_t>(place.y * grid_.width() + place.x)];
}

bool ReachMap::is_rest(Place place) const {
    const Cell cell = grid_.at(place.x, place.y);
    return !is_ground(cell) && (cell == kLadder || carries(grid_.at(place.x, place.y - 1)));
}

void ReachMap::explore(Place from) {
    explore_walks(from);
    if (grid_.at(from.x, from.y) == kLadder) explore_ladder(from);
    if (carries(grid_.at(from.x, from.y - 1))) explore_jumps(from);
}

void ReachMap::explore_walks(Place from) {
    constexpr int kWalk = 3;
    for (const int side : {-1, 1}) add_fall(from, {from.x + side, from.y}, kWalk);
    if (grid_.at(from.x, from.y - 1) == kCrate) add_fall(from, {from.x, from.y - 1}, kWalk);
}

void ReachMap::explore_ladder(Place from) {
    constexpr int kClimb = 3, kStepOff = 6;
    const Place above = {from.x, from.y + 1};
    if (grid_.at(above.x, above.y) == kLadder) add(from, above, kClimb);
    else if (!is_ground(grid_.at(above.x, above.y)))
        for (const int side : {-1, 1})
            if (is_rest({above.x + side, above.y})) add(from, {above.x + side, above.y}, kStepOff);
    if (grid_.at(from.x, from.y - 1) == kLadder) add(from, {from.x, from.y - 1}, kClimb);
}

void ReachMap::explore_jumps(Place from) {
    for (std::size_t i = 0; i < kPlans.size(); ++i) {
        const int direction = kPlans[i].first;
        const bool runs = kPlans[i].speed != 0;
        if (runs && !(is_rest({from.x - direction, from.y}) && is_rest({from.x - 2 * direction, from.y}))) continue;
        const Jump& jump = all_jumps()[i];
        int row = from.y;
        for (std::size_t k = 0; k < jump.size(); ++k) {
            const JumpCells& cells = jump[k];
            const int left = from.x + cells.left, right = from.x + cells.right, next = from.y + cells.row;
            const bool lands =
                cells.falls && next < row && (carries(grid_.at(left, next)) || carries(grid_.at(right, next)));
            if (lands) {
                const int middle = from.x + cells.middle;
                const int column = carries(grid_.at(middle, next)) ? middle
                                   : carries(grid_.at(left, next)) ? left
                                                                   : right;
                add_fall(from, {column, next + 1}, static_cast<int>(k) / Runner::kSubsteps + 2);
                break;
            }
            row = next;
            if (is_ground(grid_.at(left, row)) || is_ground(grid_.at(right, row))) break;
            const int head = from.y + cells.head;
            if (!cells.falls && (is_ground(grid_.at(left, head)) || is_ground(grid_.at(right, head)))) break;
        }
    }
}

void ReachMap::add(Place from, Place to, int steps) {
    int& known = index_[static_cast<std::size_t>(to.y * grid_.width() + to.x)];
    if (known < 0) {
        known = static_cast<int>(places_.size());
        places_.push_back(to);
    }
    if (index(from) != known) moves_.push_back({index(from), known, steps});
}

// From the cell `to`, unless it is solid, the runner falls to where it can rest.
void ReachMap::add_fall(Place from, Place to, int steps) {
    if (is_ground(grid_.at(to.x, to.y))) return;
    while (!is_rest(to)) {
        --to.y;
        ++steps;
    }
    add(from, to, steps);
}

std::vector<int> ReachMap::steps_to(const std::vector<Place>& goals) const {
    constexpr int kFar = 1 << 20;
    std::vector<int> steps(places_.size(), kFar);
    for (const Place& goal : goals)
        if (reaches(goal)) steps[static_cast<std::size_t>(index(goal))] = 0;
    // Moves were found outwards from the start, so going through them backwards settles most places at once.
    for (bool changed = true; changed;) {
        changed = false;
        const auto relax = [&](const Move& move) {
            int& here = steps[static_cast<std::size_t>(move.from)];
            const int there = steps[static_cast<std::size_t>(move.to)] + move.steps;
            if (there >= here) return;
            here = there;
            changed = true;
        };
        std::for_each(moves_.rbegin(), moves_.rend(), relax);
        std::for_each(moves_.begin(), moves_.end(), relax);
    }
    std::vector<int> found(index_.size(), -1);
    for (std::size_t i = 0; i < index_.size(); ++i)
        if (index_[i] >= 0 && steps[static_cast<std::size_t>(index_[i])] < kFar)
            found[i] = steps[static_cast<std::size_t>(index_[i])];
    return found;
}

}  // namespace wm
