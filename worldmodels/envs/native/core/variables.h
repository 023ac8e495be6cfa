// What is true of a game at this moment, in a few numbers that mean something: what one can ask whether a model of the
// game knows. A game names them in its `describe`, from its fields and from what it knows about them:
//
//     void describe(Variables& variables) const override {
//         variables.agent(entities_[0], {kSize / 2, kSize / 2, kSize});
//         variables.nearest("meteor", entities_, is_a(Meteor));
//         variables.count("hits_left", boss().health);
//     }
//
// The agent comes first, for places of other things are relative to its middle, right and up being positive. Of the
// things of a kind, the nearest counts that is seen at least in part, at the distance from middle to middle.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/entity.h"
#include "core/grid.h"
#include "core/numbers.h"

namespace wm {

// A square of the world, in cells: what an observation shows, or a body as large as a cell.
struct Square {
    Square(float middle_x, float middle_y, float side) : x(middle_x), y(middle_y), rx(side / 2), ry(side / 2) {}

    float x, y, rx, ry;
};

// The usual view: so many cells around the agent or, where the camera does not follow it, the whole world.
inline Square seen_part(bool follows, float agent_x, float agent_y, float cells, int world) {
    const float side = static_cast<float>(world);
    return follows ? Square(agent_x, agent_y, cells) : Square(side / 2, side / 2, side);
}

// How things of a kind can move: their velocities along these axes are variables too.
enum class Motion { None, Sideways, Free };

// The test whether an entity is of a type.
inline auto is_a(int type) {
    return [type](const Entity& e) { return e.type == type; };
}
inline constexpr auto is_any = [](const auto&) { return true; };

// The nearest of what is offered, as seen from the agent; not a number where nothing was.
class Nearest {
public:
    void offer(float away_x, float away_y, float velocity_x = 0, float velocity_y = 0) {
        const float far = away_x * away_x + away_y * away_y;
        if (far >= far_) return;
        far_ = far;
        dx = away_x;
        dy = away_y;
        vx = velocity_x;
        vy = velocity_y;
    }

    static constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
    float dx = kNone, dy = kNone, vx = kNone, vy = kNone;

private:
    float far_ = std::numeric_limits<float>::infinity();
};

class Variables {
public:
    struct Info {
        std::string name;  // "saw.dx"
        const char* unit;
    };

    // Lists names and units.
    explicit Variables(std::vector<Info>& list) : list_(&list) {}
    // Writes the numbers into a row that has room for so many.
    Variables(float* row, std::size_t room) : row_(row), room_(room) {}
    std::size_t count() const { return count_; }

    // Where the agent is, and what things must be in, at least in part, to be seen.
    void look_from(float x, float y, const Square& view) {
        x_ = x;
        y_ = y;
        view_ = view;
    }
    // The same, and "agent.x", "agent.y".
    void agent_at(float x, float y, const Square& view) {
        look_from(x, y, view);
        cells("agent.x", x);
        cells("agent.y", y);
    }
    // The same, and "agent.vx", "agent.vy".
    template <class Body>
    void agent(const Body& body, const Square& view) {
        agent_at(body.x, body.y, view);
        speed("agent.vx", body.vx);
        speed("agent.vy", body.vy);
    }
    template <class Box>
    bool sees(const Box& box) const {
        return overlap(box, view_);
    }

    void cells(const char* name, float value) { put(name, "", kCells, value); }
    void speed(const char* name, float value) { put(name, "", kSpeed, value); }
    void flag(const char* name, bool value) { put(name, "", "0 or 1", value ? 1.0f : 0.0f); }
    void count(const char* name, std::int64_t value) { put(name, "", "count", static_cast<float>(value)); }
    // Of what is seen.
    template <class Things, class Test>
    void count(const char* name, const Things& things, Test test) {
        count(name, std::count_if(things.begin(), things.end(), [&](const auto& e) { return test(e) && sees(e); }));
    }
    void steps(const char* name, int value) { put(name, "", "steps", static_cast<float>(value)); }
    void share(const char* name, float value) { put(name, "", "0 to 1", value); }
    // Along an axis.
    void direction(const char* name, float value) { put(name, "", "-1 to 1", value); }

    // "saw.dx", "saw.dy", and "saw.vx", "saw.vy" of what moves.
    void nearest(const char* thing, const Nearest& found, Motion motion = Motion::None) {
        put(thing, ".dx", kCells, found.dx);
        put(thing, ".dy", kCells, found.dy);
        if (motion != Motion::None) put(thing, ".vx", kSpeed, found.vx);
        if (motion == Motion::Free) put(thing, ".vy", kSpeed, found.vy);
    }
    template <class Things, class Test>
    void nearest(const char* thing, const Things& things, Test test, Motion motion = Motion::None) {
        Nearest found;
        for (const auto& one : things)
            if (test(one) && sees(one)) found.offer(one.x - x_, one.y - y_, one.vx, one.vy);
        nearest(thing, found, motion);
    }
    // For boxes that are larger than a cell: their nearest point.
    template <class Boxes, class Test>
    void nearest_point(const char* thing, const Boxes& boxes, Test test) {
        Nearest found;
        for (const auto& box : boxes)
            if (test(box) && sees(box))
                found.offer(std::clamp(x_, box.x - box.rx, box.x + box.rx) - x_,
                            std::clamp(y_, box.y - box.ry, box.y + box.ry) - y_);
        nearest(thing, found);
    }
    // Among the cells of a grid, at their middles.
    template <class Test>
    void nearest_cell(const char* thing, const Grid& grid, Test test) {
        Nearest found;
        const int left = std::max(floor_int(view_.x - view_.rx), 0);
        const int lowest = std::max(floor_int(view_.y - view_.ry), 0);
        // The last cell that begins before the view ends.
        const int right = std::min(-floor_int(-view_.x - view_.rx), grid.width()) - 1;
        const int highest = std::min(-floor_int(-view_.y - view_.ry), grid.height()) - 1;
        for (int y = lowest; y <= highest; ++y) {
            const Cell* const row = grid.row(y);
            for (int x = left; x <= right; ++x)
                if (test(row[x])) found.offer(middle_of(x) - x_, middle_of(y) - y_);
        }
        nearest(thing, found);
    }

    // What a level has one of, wherever it is, so that a model can be asked whether it remembers.
    void goal(const char* thing, float x, float y) {
        put(thing, ".dx", kCells, x - x_);
        put(thing, ".dy", kCells, y - y_);
    }
    // Whether a thing as large as a cell is seen, at least in part: of games whose view can lack it.
    void seen(const char* name, float x, float y) { flag(name, sees(Square(x, y, 1))); }

    // How many cells are open in a row to one side, counted from the agent's: (dx, dy) leads to the next one.
    template <class Test>
    void open_cells(const char* name, const Grid& grid, int dx, int dy, Test closed) {
        const int x = floor_int(x_), y = floor_int(y_);
        int count = 0;
        while (count < kMostOpen && !closed(grid.at(x + (count + 1) * dx, y + (count + 1) * dy))) ++count;
        cells(name, static_cast<float>(count));
    }
    template <class Test>
    void open_cells(const Grid& grid, Test closed) {
        open_cells("open.left", grid, -1, 0, closed);
        open_cells("open.right", grid, 1, 0, closed);
        open_cells("open.down", grid, 0, -1, closed);
        open_cells("open.up", grid, 0, 1, closed);
    }

private:
    static constexpr const char *kCells = "cells", *kSpeed = "cells per step";
    static constexpr int kMostOpen = 4;  // every view reaches as far

    static float middle_of(int cell) { return static_cast<float>(cell) + 0.5f; }

    void put(const char* thing, const char* quantity, const char* unit, float value) {
        if (list_ != nullptr) list_->push_back({std::string(thing) + quantity, unit});
        else if (count_ < room_) row_[count_] = value;
        else throw std::logic_error("there are more variables than names");
        ++count_;
    }

    std::vector<Info>* list_ = nullptr;
    float* row_ = nullptr;
    std::size_t room_ = 0, count_ = 0;
    float x_ = 0, y_ = 0;  // of the agent
    Square view_{0, 0, 0};
};

}  // namespace wm
