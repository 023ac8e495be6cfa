// Mazes with numbered doors, and a key for each: door i can only be passed with key i.
#pragma once

#include <vector>

#include "generate/maze.h"

namespace wm {

struct DoorMaze {
    Maze maze;                       // the doors are open cells of it
    Maze::Place start, goal;         // never the same place, nor that of a key or a door
    std::vector<Maze::Place> doors;  // cells where the maze forks
    std::vector<Maze::Place> keys;   // key i lies where one gets to with keys 0 to i - 1, and not without key i - 1
};

// `size` is odd. Draws mazes until one has enough forks: from size 5 on, 3 are always found. The goal lies behind the
// last door; no door stands next to the start.
DoorMaze generate_door_maze(int size, int doors, Random& random);

}  // namespace wm
