#include "generate/chaser_level.h"

#include <cstddef>
#include <utility>

namespace wm {
namespace {

Maze::Place take_any(std::vector<Maze::Place>& places, Random& random) {
    std::swap(places[static_cast<std::size_t>(random.below(static_cast<int>(places.size())))], places.back());
    const Maze::Place taken = places.back();
    places.pop_back();
    return taken;
}

}  // namespace

ChaserLevel generate_chaser_level(int size, int more_stars, int eggs, Random& random) {
    ChaserLevel level;
    level.maze = generate_maze(size, random);
    open_dead_ends(level.maze, random);

    std::vector<Maze::Place> quarters[4], rest;
    for (const Maze::Place& place : level.maze.places)
        quarters[(place.x >= size / 2) + 2 * (place.y >= size / 2)].push_back(place);
    const int special = random.below(4);
    for (int i = 0; i < 4; ++i) {
        for (int count = 1 + (i == special ? more_stars : 0); count > 0; --count)
            level.stars.push_back(take_any(quarters[i], random));
        rest.insert(rest.end(), quarters[i].begin(), quarters[i].end());
    }
    level.start = take_any(rest, random);
    for (int i = 0; i < eggs; ++i) level.eggs.push_back(take_any(rest, random));
    return level;
}

}  // namespace wm
