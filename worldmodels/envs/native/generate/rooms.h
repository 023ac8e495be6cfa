// Splits a square hall into rooms by thin walls, each of which leaves one end open: whoever is not larger than planned
// for gets everywhere.
#pragma once

#include <vector>

#include "core/entity.h"
#include "core/rng.h"

namespace wm {

// A rectangle in cells, from its lower left corner.
struct Room {
    float x = 0, y = 0, width = 0, height = 0;
};

struct RoomPlan {
    int splits;            // walls at most
    float half_thickness;  // of a wall
    float least_side;      // no room that is split is narrower than this
    float roomy_side;      // one side of such a room is at least this long, and only a side that long is narrowed
};

// The walls as rectangles. Each stands in the middle of a room and is 1/4, 1/2 or 3/4 as long as that; what is left of
// it, right of it (or above and below) and beside its open end are rooms that may be split again.
std::vector<Room> split_rooms(float size, const RoomPlan& plan, Random& random);

// Something of this type that fills the rectangle.
Entity box_of(const Room& room, std::int16_t type);

}  // namespace wm
