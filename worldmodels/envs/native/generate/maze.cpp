#include "generate/maze.h"

#include <numeric>
#include <utility>

namespace wm {
namespace {

// Disjoint sets of rooms.
class Sets {
public:
    explicit Sets(int count) : parent_(static_cast<std::size_t>(count)) {
        std::iota(parent_.begin(), parent_.end(), 0);
    }

    // Returns false if both were in the same set already.
    bool merge(int a, int b) {
        a = root(a);
        b = root(b);
        if (a == b) return false;
        parent(b) = a;
        return true;
    }

private:
    int& parent(int item) { return parent_[static_cast<std::size_t>(item)]; }

    int root(int item) {
        while (parent(item) != item) item = parent(item) = parent(parent(item));
        return item;
    }

    std::vector<int> parent_;
};

// The wall between the room (x - dx, y - dy) and the room (x + dx, y + dy).
struct Wall {
    int x, y, dx, dy;
};

std::vector<Wall> inner_walls(int size) {
    std::vector<Wall> walls;
    walls.reserve(static_cast<std::size_t>(size * size / 2));
    for (int y = 0; y < size; ++y)
        for (int x = (y + 1) % 2; x < size; x += 2)
            if (x + x % 2 < size && y + y % 2 < size) walls.push_back({x, y, x % 2, y % 2});
    return walls;
}

}  // namespace

Maze generate_maze(int size, Random& random) {
    Maze maze;
    maze.size = size;
    maze.open.assign(static_cast<std::size_t>(size * size), 0);
    maze.places.reserve(maze.open.size());
    const auto open = [&](int x, int y) {
        std::uint8_t& cell = maze.open[static_cast<std::size_t>(y * size + x)];
        if (cell == 0) maze.places.push_back({x, y});
        cell = 1;
    };
    const auto room = [size](int x, int y) { return (y / 2) * ((size + 1) / 2) + x / 2; };

    Sets sets(((size + 1) / 2) * ((size + 1) / 2));
    for (std::vector<Wall> walls = inner_walls(size); !walls.empty(); walls.pop_back()) {
        std::swap(walls[static_cast<std::size_t>(random.below(static_cast<int>(walls.size())))], walls.back());
        const Wall wall = walls.back();
        if (!sets.merge(room(wall.x - wall.dx, wall.y - wall.dy), room(wall.x + wall.dx, wall.y + wall.dy))) continue;
        open(wall.x - wall.dx, wall.y - wall.dy);
        open(wall.x, wall.y);
        open(wall.x + wall.dx, wall.y + wall.dy);
    }
    return maze;
}

void open_dead_ends(Maze& maze, Random& random) {
    for (int y = 0; y < maze.size; ++y)
        for (int x = 0; x < maze.size; ++x) {
            if (!maze.is_open(x, y)) continue;
            Maze::Place walls[4];
            int ways = 0, closed = 0;
            for (const Maze::Place& near :
                 {Maze::Place{x - 1, y}, Maze::Place{x + 1, y}, Maze::Place{x, y - 1}, Maze::Place{x, y + 1}}) {
                if (near.x < 0 || near.y < 0 || near.x >= maze.size || near.y >= maze.size) continue;
                if (maze.is_open(near.x, near.y)) ++ways;
                else walls[closed++] = near;
            }
            if (ways != 1 || closed == 0) continue;
            const Maze::Place opened = walls[random.below(closed)];
            maze.open[static_cast<std::size_t>(opened.y * maze.size + opened.x)] = 1;
            maze.places.push_back(opened);
        }
}

}  // namespace wm
