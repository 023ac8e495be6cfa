#include "generate/caves.h"

#include <algorithm>

#include "generate/maze.h"

namespace wm {
namespace {

using Row = CellSet::Row;

// A number from 0 to 3 for each column: how many of the cells left of, at and right of it are open in one row.
struct Triple {
    Row ones, twos;
};

Triple count_triple(Row row) {
    const Row left = row << 1, right = row >> 1;
    return {left ^ row ^ right, (left & row) | (row & right) | (left & right)};
}

// The columns where the sum over three rows, 0 to 9, is at least 5.
Row at_least_five(const Triple& a, const Triple& b, const Triple& c) {
    const Row odd = a.ones ^ b.ones ^ c.ones;
    const Row carry = (a.ones & b.ones) | (b.ones & c.ones) | (a.ones & c.ones);
    // The sum is `odd` plus twice the number of these four.
    const Row both_first = a.twos & b.twos, both_last = c.twos & carry;
    const Row any_first = a.twos | b.twos, any_last = c.twos | carry;
    const Row three = (both_first & any_last) | (both_last & any_first);
    const Row two = both_first | both_last | (any_first & any_last);
    return three | (two & odd);
}

// Grows `found` within one row of `open` to the full runs that it touches.
Row spread(Row found, Row open) {
    for (Row grown = found;; found = grown) {
        grown |= ((grown << 1) | (grown >> 1)) & open;
        if (grown == found) return found;
    }
}

// Everything in `open` that hangs together with the cells `seed` of the row `start`.
CellSet flooded(const CellSet& open, int start, Row seed) {
    CellSet room(open.size());
    room.set_row(start, spread(seed, open.row(start)));
    int bottom = start, top = start;  // rows that have cells
    const auto flow = [&](int from, int to) {
        const Row here = room.row(to), more = spread(here | (room.row(from) & open.row(to)), open.row(to));
        room.set_row(to, more);
        return more != here;
    };
    for (bool changed = true; changed;) {
        changed = false;
        for (int y = bottom; y < top || room.row(y) != 0; ++y) {
            if (y + 1 >= open.size()) break;
            changed = flow(y, y + 1) || changed;
            if (y + 1 > top && room.row(y + 1) != 0) top = y + 1;
        }
        for (int y = top; y > bottom || room.row(y) != 0; --y) {
            if (y == 0) break;
            changed = flow(y, y - 1) || changed;
            if (y - 1 < bottom && room.row(y - 1) != 0) bottom = y - 1;
        }
    }
    return room;
}

Row lowest_bit(Row row) { return row & (~row + 1); }

int count_bits(Row row) { return static_cast<int>(std::bitset<CellSet::kMost>(row).count()); }

}  // namespace

int CellSet::count() const {
    int sum = 0;
    for (int y = 0; y < size_; ++y) sum += count_bits(row(y));
    return sum;
}

Place CellSet::nth(int index) const {
    int y = 0;
    for (int here = count_bits(row(y)); index >= here; here = count_bits(row(++y))) index -= here;
    Row rest = row(y);
    for (; index > 0; --index) rest &= rest - 1;
    return {count_bits(lowest_bit(rest) - 1), y};
}

std::vector<Place> CellSet::places() const {
    std::vector<Place> found;
    for (int y = 0; y < size_; ++y)
        for (Row rest = row(y); rest != 0; rest &= rest - 1) found.push_back({count_bits(lowest_bit(rest) - 1), y});
    return found;
}

CellSet CellSet::without(const CellSet& other) const {
    CellSet result(size_);
    for (int y = 0; y < size_; ++y) result.set_row(y, row(y) & ~other.row(y));
    return result;
}

CellSet CellSet::with(const CellSet& other) const {
    CellSet result(size_);
    for (int y = 0; y < size_; ++y) result.set_row(y, row(y) | other.row(y));
    return result;
}

CellSet CellSet::common(const CellSet& other) const {
    CellSet result(size_);
    for (int y = 0; y < size_; ++y) result.set_row(y, row(y) & other.row(y));
    return result;
}

CellSet CellSet::around(Place middle, int reach) const {
    CellSet box(size_);
    const int left = std::max(middle.x - reach, 0), wide = std::min(middle.x + reach, size_ - 1) - left + 1;
    for (int y = std::max(middle.y - reach, 0); y <= std::min(middle.y + reach, size_ - 1); ++y)
        box.set_row(y, row(y) & (((Row{1} << wide) - 1) << left));
    return box;
}

CellSet random_cells(int size, Random& random) {
    CellSet cells(size);
    for (int y = 0; y < size; ++y) {
        const Row low = random.next(), high = random.next();
        cells.set_row(y, (high << 32) | low);
    }
    return cells;
}

CellSet smoothed(const CellSet& open) {
    CellSet result(open.size());
    Triple below = {0, 0}, here = count_triple(open.row(0));
    for (int y = 0; y < open.size(); ++y) {
        const Triple above = count_triple(open.row(y + 1));
        result.set_row(y, at_least_five(below, here, above));
        below = here;
        here = above;
    }
    return result;
}

CellSet largest_room(const CellSet& open) {
    CellSet rest = open, largest(open.size());
    int most = 0;
    for (int y = 0; y < open.size(); ++y)
        while (rest.row(y) != 0) {
            const CellSet room = flooded(rest, y, lowest_bit(rest.row(y)));
            rest = rest.without(room);
            const int count = room.count();
            if (count > most) {
                most = count;
                largest = room;
            }
        }
    return largest;
}

std::vector<Place> shortest_path(const CellSet& open, Place start, Place goal) {
    // Waves of cells that are 0, 1, 2, ... steps from the goal; then from the start down, a wave at a time.
    constexpr std::int16_t kFar = 0;  // distances count from 1
    std::array<std::int16_t, static_cast<std::size_t>(CellSet::kMost) * CellSet::kMost> distance{};
    const auto at = [&](Place place) -> std::int16_t& {
        return distance[static_cast<std::size_t>(place.y * CellSet::kMost + place.x)];
    };
    constexpr Place kSteps[] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    std::vector<Place> queue{goal};
    queue.reserve(distance.size());
    at(goal) = 1;
    for (std::size_t i = 0; i < queue.size() && at(start) == kFar; ++i)
        for (const Place& step : kSteps) {
            const Place near = {queue[i].x + step.x, queue[i].y + step.y};
            if (!open.has(near) || at(near) != kFar) continue;
            at(near) = static_cast<std::int16_t>(at(queue[i]) + 1);
            queue.push_back(near);
        }
    std::vector<Place> path;
    if (at(start) == kFar) return path;
    for (Place here = start; path.push_back(here), !(here == goal);)
        for (const Place& step : kSteps) {
            const Place near = {here.x + step.x, here.y + step.y};
            if (!open.has(near) || at(near) != at(here) - 1) continue;
            here = near;
            break;
        }
    return path;
}

CellSet widened(CellSet cells, const CellSet& room, int rounds) {
    for (int round = 0; round < rounds; ++round) {
        CellSet wider(cells.size());
        for (int y = 0; y < cells.size(); ++y) {
            const Row near = cells.row(y - 1) | cells.row(y) | cells.row(y + 1);
            wider.set_row(y, (near | (near << 1) | (near >> 1)) & room.row(y));
        }
        cells = wider;
    }
    return cells;
}

CellSet edge_of(const CellSet& open) {
    CellSet edge(open.size());
    for (int y = 0; y < open.size(); ++y) {
        const Row near = open.row(y - 1) | open.row(y) | open.row(y + 1);
        edge.set_row(y, (near | (near << 1) | (near >> 1)) & ~open.row(y));
    }
    return edge;
}

CellSet cells_of(int size, const std::vector<Place>& places) {
    CellSet cells(size);
    for (const Place& place : places) cells.add(place.x, place.y);
    return cells;
}

CellSet cave_from_maze(int size, Random& random) {
    constexpr int kCellsPerRoom = 3, kSmoothings = 2;
    constexpr float kWallInWall = 0.8f, kWallInRoom = 0.2f;  // probabilities
    Maze maze = generate_maze(size / kCellsPerRoom, random);
    open_dead_ends(maze, random);
    CellSet open(size);
    for (int y = 0; y < size; ++y)
        for (int x = 0; x < size; ++x) {
            const int i = x / kCellsPerRoom, j = y / kCellsPerRoom;
            const bool room = i < maze.size && j < maze.size && maze.is_open(i, j);
            if (!random.chance(room ? kWallInRoom : kWallInWall)) open.add(x, y);
        }
    for (int i = 0; i < kSmoothings; ++i) open = smoothed(open);
    CellSet inner(size);
    for (int y = 1; y < size - 1; ++y) inner.set_row(y, open.row(y) & (open.full_row() >> 1) & ~Row{1});
    return largest_room(inner);
}

void write_cells(Grid& grid, const CellSet& open) {
    grid.reset(open.size(), open.size(), kWall);
    for (int y = 0; y < open.size(); ++y)
        for (int x = 0; x < open.size(); ++x)
            if (open.has(x, y)) grid.set(x, y, kSpace);
}

}  // namespace wm
