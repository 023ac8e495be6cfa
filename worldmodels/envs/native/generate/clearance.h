// Where a box can go among rectangles that it must not touch.
#pragma once

#include <vector>

#include "core/entity.h"

namespace wm {

// The places that the middle of a box can reach. Between the lines on which the obstacles, widened by the box, begin
// and end, a place is wholly free or wholly not, so the answer is exact.
class Reach {
public:
    // `walker` starts where it stands, in a square world of `size` cells, and keeps `clearance` from every obstacle.
    Reach(const Entity& walker, const Entities& obstacles, float size, float clearance);

    // Can the walker touch `goal`?
    bool touches(const Entity& goal) const;

private:
    float radius_x_, radius_y_;
    std::vector<float> columns_, rows_;  // lines, from left to right and from the bottom up
    std::vector<int> distance_;          // of the fields between the lines, row by row; -1: out of reach
};

}  // namespace wm
