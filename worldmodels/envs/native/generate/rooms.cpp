#include "generate/rooms.h"

#include <algorithm>
#include <utility>

namespace wm {
namespace {

Room transposed(const Room& room) { return {room.y, room.x, room.height, room.width}; }

// A vertical wall in the middle of `room`, and the three rooms that it makes.
struct Split {
    Room wall, left, right, open;
};

Split split(const Room& room, float half_thickness, float open_part, bool from_top) {
    const float length = (1 - open_part) * room.height, gap = open_part * room.height;
    const float y = from_top ? room.y + gap : room.y, side = room.width / 2 - half_thickness;
    return {{room.x + side, y, 2 * half_thickness, length},
            {room.x, y, side, length},
            {room.x + side + 2 * half_thickness, y, side, length},
            {room.x, from_top ? room.y : room.y + length, room.width, gap}};
}

bool upright_wall(const Room& room, const RoomPlan& plan, Random& random) {
    const bool coin = random.coin();
    if (room.height < plan.roomy_side) return false;
    return room.width < plan.roomy_side || coin;
}

bool worth_splitting(const Room& room, const RoomPlan& plan) {
    return std::max(room.width, room.height) >= plan.roomy_side && std::min(room.width, room.height) >= plan.least_side;
}

}  // namespace

std::vector<Room> split_rooms(float size, const RoomPlan& plan, Random& random) {
    std::vector<Room> rooms = {{0, 0, size, size}}, walls;
    for (int i = 0; i < plan.splits && !rooms.empty(); ++i) {
        const auto choice = static_cast<std::size_t>(random.below(static_cast<int>(rooms.size())));
        const Room room = rooms[choice];
        rooms.erase(rooms.begin() + static_cast<std::ptrdiff_t>(choice));
        const bool upright = upright_wall(room, plan, random);
        const float open_part = 0.25F * static_cast<float>(1 + random.below(3));
        const bool far_end = random.coin();
        const Split made = split(upright ? room : transposed(room), plan.half_thickness, open_part, far_end);
        walls.push_back(upright ? made.wall : transposed(made.wall));
        for (const Room& part : {made.left, made.right, made.open})
            if (worth_splitting(part, plan)) rooms.push_back(upright ? part : transposed(part));
    }
    return walls;
}

Entity box_of(const Room& room, std::int16_t type) {
    Entity box;
    box.type = type;
    box.rx = room.width / 2;
    box.ry = room.height / 2;
    box.x = room.x + box.rx;
    box.y = room.y + box.ry;
    return box;
}

}  // namespace wm
