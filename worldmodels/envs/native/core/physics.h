// Movement, walls and places as small functions. What differs between games arrives as a `Rules` object whose members
// are called directly (templates, no virtual calls): inherit `MovementRules` and hide what is different.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/entity.h"
#include "core/grid.h"
#include "core/numbers.h"
#include "core/rng.h"

namespace wm {

// Corners are probed a little inside the box, so that a box which fits a gap exactly may enter it.
constexpr float kProbeShrink = 0.98f;
constexpr float kContactEpsilon = 0.001f;
constexpr int kMinimumSubsteps = 4;
constexpr int kMaximumPushes = 5;
constexpr float kVelocityDecay = 0.9f;

// The default rule of motion: the speed approaches what is asked for (-1, 0 or +1 times `max_speed`), with friction.
inline float steer(float velocity, int direction, float max_speed, float mix = 0.5f) {
    return kVelocityDecay * ((1 - mix) * velocity + mix * max_speed * static_cast<float>(direction));
}

// One step of growing old; every entity has it once a step, after moving.
inline void grow_older(Entity& e) {
    e.rotation += e.spin;
    ++e.age;
    if (e.lifetime > 0 && e.age > e.lifetime) e.dead = true;
    e.rx *= e.grow;
    e.ry *= e.grow;
}

// Movement of things that meet nothing on their way.
inline void drift(Entity& e) {
    e.x += e.vx;
    e.y += e.vy;
}

// Movement in a world that has no walls but its border, which stops the box: the speed that remains is what it could
// use of this step. Does what a `Mover` does there, in a fraction of the time.
inline void drift_inside(Entity& e, float width, float height) {
    const auto along = [](float& position, float& velocity, float r, float extent) {
        const float wanted = position + velocity, reached = std::clamp(wanted, r, extent - r);
        if (wanted != reached) velocity = velocity * (reached - position) > 0 ? reached - position : 0;
        position = reached;
    };
    along(e.x, e.vx, e.rx, width);
    along(e.y, e.vy, e.ry, height);
}

inline int cell_of(float position) { return floor_int(position); }

// The cells at the four (shrunk) corners of a box whose middle is at (x, y).
class Corners {
public:
    Corners(const Entity& e, float x, float y, const Grid& grid) {
        const float rx = e.rx * kProbeShrink, ry = e.ry * kProbeShrink;
        const auto [left, right, bottom, top] = Floors(x - rx, x + rx, y - ry, y + ry).of;
        cells_[0] = grid.at(left, bottom);
        cells_[1] = grid.at(right, bottom);
        cells_[2] = grid.at(left, top);
        cells_[3] = grid.at(right, top);
    }

    template <class Test>
    bool any(Test test) const {
        return test(cells_[0]) || test(cells_[1]) || test(cells_[2]) || test(cells_[3]);
    }

private:
    Cell cells_[4];
};

// Does the box stand on a cell for which `solid(cell)` holds?
template <class Solid>
bool stands_on(const Entity& e, const Grid& grid, Solid solid) {
    constexpr float kInset = 0.01f;
    const float bottom = e.bottom() - kInset;
    const auto [left, right, below, same] = Floors(e.left() + kInset, e.right() - kInset, bottom, bottom).of;
    return solid(grid.at(left, below)) || solid(grid.at(right, same));
}

// Calls `visit(x, y, cell)` for every cell that the box overlaps.
template <class Visit>
void for_each_cell(const Entity& e, const Grid& grid, Visit visit) {
    const int right = cell_of(e.right() - kContactEpsilon), top = cell_of(e.top() - kContactEpsilon);
    for (int x = cell_of(e.left() + kContactEpsilon); x <= right; ++x)
        for (int y = cell_of(e.bottom() + kContactEpsilon); y <= top; ++y) visit(x, y, grid.at(x, y));
}

struct MovementRules {
    static constexpr bool kEntitiesBlock = false;  // true: the question about entities is asked
    bool blocks(const Entity& /*mover*/, Cell cell) { return cell == kWall; }
    bool reflects(const Entity& /*mover*/, Cell /*cell*/) { return false; }
    bool blocked_by(const Entity& /*mover*/, const Entity& /*other*/, bool /*horizontal*/) { return false; }
};

// Moves an entity in small sub-steps, one axis after the other, against walls and blocking entities.
template <class Rules>
class Mover {
public:
    Mover(const Grid& grid, Entities& entities, Rules& rules) : grid_(grid), entities_(entities), rules_(rules) {}

    // The faster axis goes first.
    void move(Entity& e, bool x_first_on_tie = true) {
        const float vx = std::fabs(e.vx), vy = std::fabs(e.vy);
        move_in_order(e, vx == vy ? x_first_on_tie : vx > vy, substeps(e));
    }

    // The axis that is pressed goes first; the vertical one if both are.
    void move_agent(Entity& e, int pressed_x, int pressed_y, bool x_first_on_tie = true) {
        const float vx = std::fabs(e.vx), vy = std::fabs(e.vy);
        bool x_first = vx == vy ? x_first_on_tie : vx > vy;
        if (pressed_x != 0) x_first = true;
        if (pressed_y != 0) x_first = false;
        move_in_order(e, x_first, substeps(e));
    }

private:
    static int substeps(const Entity& e) {
        const float speed = std::sqrt(e.vx * e.vx + e.vy * e.vy);
        return std::max(kMinimumSubsteps, static_cast<int>(kMinimumSubsteps * speed));
    }

    // Is anything so close that `e` could meet it within this step? It never goes further than its speed allows, and
    // where a wall pushes it.
    bool has_neighbours(const Entity& e) const {
        constexpr float kPushes = 2;
        const float reach = kPushes + std::fabs(e.vx) + std::fabs(e.vy);
        return std::any_of(entities_.begin(), entities_.end(), [&](const Entity& other) {
            return &other != &e && !other.dead && overlap(e, other, reach);
        });
    }

    // If no cell that the box can meet on its way means anything, goes there without looking at each sub-step.
    bool goes_freely(Entity& e, float dx, float dy, int substeps) {
        float x = e.x, y = e.y;
        for (int i = 0; i < substeps; ++i) {
            x += dx;
            y += dy;
        }
        const float rx = e.rx * kProbeShrink, ry = e.ry * kProbeShrink;
        const auto [left, right, bottom, top] =
            Floors(std::min(e.x, x) - rx, std::max(e.x, x) + rx, std::min(e.y, y) - ry, std::max(e.y, y) + ry).of;
        for (int j = bottom; j <= top; ++j)
            for (int i = left; i <= right; ++i) {
                const Cell cell = grid_.at(i, j);
                if (rules_.blocks(e, cell) || rules_.reflects(e, cell)) return false;
            }
        e.x = x;
        e.y = y;
        return true;
    }

    void move_in_order(Entity& e, bool x_first, int substeps) {
        if constexpr (Rules::kEntitiesBlock) may_meet_ = has_neighbours(e);
        const float count = static_cast<float>(substeps);
        if (!may_meet_ && goes_freely(e, e.vx / count, e.vy / count, substeps)) return;
        int free_x = 0, free_y = 0;
        for (int i = 0; i < substeps; ++i) {
            bool went_x = false, went_y = false;
            // Velocities are read again in each sub-step, so a bounce takes effect at once.
            if (x_first) went_x = move_axis(e, e.vx / count, 0, 0);
            went_y = move_axis(e, 0, e.vy / count, 0);
            if (!x_first) went_x = move_axis(e, e.vx / count, 0, 0);
            free_x += went_x;
            free_y += went_y;
            if (!went_x && !went_y) break;
        }
        e.vx *= static_cast<float>(free_x) / count;
        e.vy *= static_cast<float>(free_y) / count;
    }

    // Returns false when something was in the way. A bounce is not in the way: it costs no speed.
    bool move_axis(Entity& e, float dx, float dy, int depth) {
        const bool horizontal = dx != 0;
        const float x = e.x + dx, y = e.y + dy;
        float& velocity = horizontal ? e.vx : e.vy;
        bool free = true;
        const Corners corners(e, x, y, grid_);
        if ((dx != 0 || dy != 0) && corners.any([&](Cell c) { return rules_.reflects(e, c); })) {
            bounce_off_cell(e, horizontal, horizontal ? x : y, horizontal ? dx : dy);
            velocity = -velocity;
        } else if (corners.any([&](Cell c) { return rules_.blocks(e, c); })) {
            stop_at_cell(e, horizontal, horizontal ? x : y, horizontal ? dx : dy);
            free = false;
        } else {
            e.x = x;
            e.y = y;
        }
        if constexpr (Rules::kEntitiesBlock)
            if (may_meet_) free = meet_entities(e, horizontal, dx + dy, depth) && free;
        return free;
    }

    static void bounce_off_cell(Entity& e, bool horizontal, float centre, float delta) {
        float& position = horizontal ? e.x : e.y;
        const float r = horizontal ? e.rx : e.ry;
        position = delta > 0 ? 2 * std::floor(centre + r) - centre - 2 * r : 2 * std::ceil(centre - r) - centre + 2 * r;
    }

    static void stop_at_cell(Entity& e, bool horizontal, float centre, float delta) {
        float& position = horizontal ? e.x : e.y;
        const float r = horizontal ? e.rx : e.ry;
        position = delta > 0 ? std::floor(centre + r) - r : std::ceil(centre - r) + r;
    }

    bool meet_entities(Entity& e, bool horizontal, float delta, int depth) {
        bool free = true;
        for (std::size_t i = entities_.size(); i-- > 0;) {
            const Entity& other = entities_[i];
            if (&other == &e || other.dead || !overlap(e, other, -kContactEpsilon)) continue;
            float& velocity = horizontal ? e.vx : e.vy;
            const float touching = (horizontal ? other.rx + e.rx : other.ry + e.ry) * (delta > 0 ? -1.0f : 1.0f);
            const float edge = (horizontal ? other.x : other.y) + touching;
            const float here = horizontal ? e.x : e.y;
            if (rules_.blocked_by(e, other, horizontal)) {
                if (depth < kMaximumPushes)
                    move_axis(e, horizontal ? edge - here : 0, horizontal ? 0 : edge - here, depth + 1);
                velocity = 0;
                free = false;
            }
        }
        return free;
    }

    const Grid& grid_;
    Entities& entities_;
    Rules& rules_;
    bool may_meet_ = false;
};

// Puts `e` at a uniformly random place inside the rectangle where it overlaps no other living entity.
// Returns false, leaving it at the last place tried, when `tries` places were all taken.
inline bool place_inside(Entity& e, const Entities& others, Random& random, float left, float bottom, float width,
                         float height, int tries = 100) {
    const auto somewhere = [&](float low, float extent, float r) {
        return extent > 2 * r ? random.uniform(low + r, low + extent - r) : low + extent / 2;
    };
    for (int i = 0; i < tries; ++i) {
        e.x = somewhere(left, width, e.rx);
        e.y = somewhere(bottom, height, e.ry);
        const bool taken = std::any_of(others.begin(), others.end(), [&](const Entity& other) {
            return &other != &e && !other.dead && overlap(e, other);
        });
        if (!taken) return true;
    }
    return false;
}

}  // namespace wm
