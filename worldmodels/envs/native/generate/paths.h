// Shortest paths through open cells.
#pragma once

#include "core/grid.h"

namespace wm {

struct Place {
    int x = 0, y = 0;
    bool operator==(const Place& other) const { return x == other.x && y == other.y; }
};

// Steps left, right, up or down through cells for which `open(cell)` holds, by breadth-first search: for each cell of
// the grid (row by row from the bottom) the distance from `start`, or -1 where no path leads.
template <class Open>
std::vector<int> distances_from(const Grid& grid, Place start, Open open) {
    const int width = grid.width();
    std::vector<int> distance(static_cast<std::size_t>(width * grid.height()), -1);
    const auto at = [&](int x, int y) -> int& { return distance[static_cast<std::size_t>(y * width + x)]; };
    std::vector<Place> queue{start};
    at(start.x, start.y) = 0;
    for (std::size_t i = 0; i < queue.size(); ++i) {
        const Place here = queue[i];
        for (const Place& near : {Place{here.x - 1, here.y}, Place{here.x + 1, here.y}, Place{here.x, here.y - 1},
                                  Place{here.x, here.y + 1}}) {
            if (!grid.contains(near.x, near.y) || at(near.x, near.y) >= 0 || !open(grid.at(near.x, near.y))) continue;
            at(near.x, near.y) = at(here.x, here.y) + 1;
            queue.push_back(near);
        }
    }
    return distance;
}

// The length of the shortest path through space, -1 where there is none.
inline int path_length(const Grid& grid, Place start, Place goal) {
    const std::vector<int> distance = distances_from(grid, start, [](Cell cell) { return cell == kSpace; });
    return distance[static_cast<std::size_t>(goal.y * grid.width() + goal.x)];
}

}  // namespace wm
