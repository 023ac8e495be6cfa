#include "generate/door_maze.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "generate/draw_until.h"

namespace wm {
namespace {

using Place = Maze::Place;

// The cells beside a place, all inside the maze.
template <class Visit>
void for_neighbours(const Place& at, int size, Visit visit) {
    if (at.x > 0) visit(Place{at.x - 1, at.y});
    if (at.x + 1 < size) visit(Place{at.x + 1, at.y});
    if (at.y > 0) visit(Place{at.x, at.y - 1});
    if (at.y + 1 < size) visit(Place{at.x, at.y + 1});
}

std::vector<Place> forks_of(const Maze& maze) {
    std::vector<Place> forks;
    for (const Place& place : maze.places) {
        int ways = 0;
        for_neighbours(place, maze.size, [&](const Place& near) { ways += maze.is_open(near.x, near.y); });
        if (ways > 2) forks.push_back(place);
    }
    return forks;
}

// Where one has been, region by region.
class Exploration {
public:
    Exploration(const Maze& maze, const std::vector<Place>& doors) : size_(maze.size), marks_(maze.open) {
        reached_.reserve(maze.places.size());
        for (const Place& door : doors) mark(door) = kDoor;
    }

    bool beside_door(const Place& place) const {
        bool found = false;
        for_neighbours(place, size_, [&](const Place& near) { found = found || mark(near) == kDoor; });
        return found;
    }
    bool is_room(const Place& place) const { return mark(place) == kOpen; }

    // Enters the region behind `entrance`, as far as no other door is in the way.
    void enter(const Place& entrance) {
        mark(entrance) = kReached;
        reached_.push_back(entrance);
        region_ = reached_.size();
        for (std::size_t i = region_ - 1; i < reached_.size(); ++i)
            for_neighbours(reached_[i], size_, [&](const Place& near) {
                if (mark(near) != kOpen) return;
                mark(near) = kReached;
                reached_.push_back(near);
            });
    }

    // A place of the region that was entered last, not its entrance.
    Place somewhere(Random& random) const {
        return reached_[static_cast<std::size_t>(
            random.between(static_cast<int>(region_), static_cast<int>(reached_.size())))];
    }

    // The door that was met first.
    Place next_door() const {
        const auto beside =
            std::find_if(reached_.begin(), reached_.end(), [this](const Place& place) { return beside_door(place); });
        Place door = *beside;
        for_neighbours(*beside, size_, [&](const Place& near) {
            if (mark(near) == kDoor) door = near;
        });
        return door;
    }

private:
    static constexpr std::uint8_t kOpen = 1, kDoor = 2, kReached = 3;

    std::uint8_t& mark(const Place& at) { return marks_[static_cast<std::size_t>(at.y * size_ + at.x)]; }
    std::uint8_t mark(const Place& at) const { return marks_[static_cast<std::size_t>(at.y * size_ + at.x)]; }

    int size_;
    std::vector<std::uint8_t> marks_;
    std::vector<Place> reached_;  // in the order of reaching
    std::size_t region_ = 0;      // where the last region begins, without its entrance
};

Place drawn(const std::vector<Place>& places, Random& random) {
    return places[static_cast<std::size_t>(random.below(static_cast<int>(places.size())))];
}

}  // namespace

DoorMaze generate_door_maze(int size, int doors, Random& random) {
    DoorMaze level;
    std::vector<Place> chosen;
    draw_until([&] {
        level.maze = generate_maze(size, random);
        chosen = forks_of(level.maze);
        return static_cast<int>(chosen.size()) >= doors;
    });
    for (int i = 0; i < doors; ++i)  // the first `doors` places of a shuffle
        std::swap(chosen[static_cast<std::size_t>(i)],
                  chosen[static_cast<std::size_t>(random.between(i, static_cast<int>(chosen.size())))]);
    chosen.resize(static_cast<std::size_t>(doors));

    Exploration exploration(level.maze, chosen);
    draw_until([&] {  // doors are never neighbours: any end of a path would do
        level.start = drawn(level.maze.places, random);
        return exploration.is_room(level.start) && !exploration.beside_door(level.start);
    });
    exploration.enter(level.start);
    for (int i = 0; i < doors; ++i) {
        level.keys.push_back(exploration.somewhere(random));
        level.doors.push_back(exploration.next_door());
        exploration.enter(level.doors.back());
    }
    level.goal = exploration.somewhere(random);
    return level;
}

}  // namespace wm
