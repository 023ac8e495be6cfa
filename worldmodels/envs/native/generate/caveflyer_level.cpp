#include "generate/caveflyer_level.h"

#include <algorithm>
#include <cstdlib>

#include "generate/draw_until.h"

namespace wm {
namespace {

using Kind = CaveflyerItem::Kind;

constexpr float kSlowestEnemy = 0.1f, kFastestEnemy = 0.2f;  // cells per step
constexpr int kSmoothings = 4, kPathWidenings = 4;
constexpr int kCellsPerThing = 80;  // open cells off the path for one thing of each kind
constexpr int kSafeReach = 1;       // columns and rows around the start where nothing deadly begins
constexpr int kEnemyReach = 2;      // and no enemy
constexpr int kComingReach = 6;     // and none that flies past the start: it takes 25 steps to come
constexpr int kShortestLane = 4;    // cells, of an enemy: there must be room to fly past it

// The cells that an enemy flies through.
struct Lane {
    Place first;
    int length;
};

Lane lane_of(const CellSet& open, Place place, bool sideways) {
    const int dx = sideways ? 1 : 0, dy = sideways ? 0 : 1;
    Place first = place;
    while (open.has(first.x - dx, first.y - dy)) first = {first.x - dx, first.y - dy};
    int length = 1;
    while (open.has(first.x + length * dx, first.y + length * dy)) ++length;
    return {first, length};
}

// Returns false if it would begin near the start, or if there is no room to fly past it.
bool add_enemy(CaveflyerLevel& level, Place place, Random& random) {
    const bool sideways = random.coin();
    const float speed = random.uniform(kSlowestEnemy, kFastestEnemy), velocity = random.coin() ? speed : -speed;
    const int columns = std::abs(place.x - level.start.x), rows = std::abs(place.y - level.start.y);
    const bool comes_past = (sideways ? rows : columns) <= kSafeReach;
    if (std::max(columns, rows) <= (comes_past ? kComingReach : kEnemyReach)) return false;
    if (lane_of(level.open, place, sideways).length < kShortestLane) return false;
    level.items.push_back({Kind::Enemy, place, sideways ? velocity : 0, sideways ? 0 : velocity});
    return true;
}

void add_items(CaveflyerLevel& level, const CellSet& path, Random& random) {
    const CellSet off_path = level.open.without(path);
    const std::size_t each = static_cast<std::size_t>(off_path.count() / kCellsPerThing);
    std::vector<Place> places = off_path.without(off_path.around(level.start, kSafeReach)).places();
    while (level.items.size() < 3 * each && !places.empty()) {
        Place& choice = places[static_cast<std::size_t>(random.below(static_cast<int>(places.size())))];
        const Place place = choice;
        choice = places.back();
        places.pop_back();
        if (level.items.size() < each) level.items.push_back({Kind::Obstacle, place});
        else if (level.items.size() < 2 * each) level.items.push_back({Kind::Target, place});
        else add_enemy(level, place, random);
    }
}

// Cells that nobody can enter, and lanes along which nobody can fly, since in a narrow one nobody could get out of the
// enemy's way; flying across them is a matter of timing.
struct Traffic {
    CellSet free, sideways, upright;
};

Traffic traffic_of(const CaveflyerLevel& level) {
    const int size = level.open.size();
    Traffic traffic = {level.open, CellSet(size), CellSet(size)};
    for (const CaveflyerItem& item : level.items) {
        if (item.kind != Kind::Enemy) {
            traffic.free.remove(item.place.x, item.place.y);
            continue;
        }
        const bool sideways = item.vx != 0;
        const Lane lane = lane_of(level.open, item.place, sideways);
        for (int i = 0; i < lane.length; ++i)
            if (sideways) traffic.sideways.add(lane.first.x + i, lane.first.y);
            else traffic.upright.add(lane.first.x, lane.first.y + i);
    }
    traffic.free = traffic.free.without(traffic.sideways.common(traffic.upright));
    return traffic;
}

// Steps by sides from the start to the goal past everything, or -1: a wave over whole rows of cells at once.
int way_past_items(const CaveflyerLevel& level) {
    const auto [free, sideways, upright] = traffic_of(level);
    CellSet reached = cells_of(level.open.size(), {level.start});
    for (int steps = 0, count = 0; count != reached.count(); ++steps) {
        if (reached.has(level.goal)) return steps;
        count = reached.count();
        CellSet next(level.open.size());
        for (int y = 0; y < next.size(); ++y) {
            const CellSet::Row here = reached.row(y), lane = sideways.row(y), up = upright.row(y);
            const CellSet::Row aside = ((here & ~(lane & (lane >> 1))) << 1) | ((here & ~(lane & (lane << 1))) >> 1);
            const CellSet::Row below = reached.row(y - 1) & ~(upright.row(y - 1) & up);
            const CellSet::Row above = reached.row(y + 1) & ~(upright.row(y + 1) & up);
            next.set_row(y, here | ((aside | below | above) & free.row(y)));
        }
        reached = next;
    }
    return -1;
}

CaveflyerLevel draft(int size, bool pruned, Random& random) {
    CellSet open = random_cells(size, random);
    for (int i = 0; i < kSmoothings; ++i) open = smoothed(open);
    open = largest_room(open);
    CaveflyerLevel level;
    const int cells = open.count();
    if (cells < 2) return level;
    const int start = random.below(cells), goal = random.below(cells - 1);
    level.start = open.nth(start);
    level.goal = open.nth(goal < start ? goal : goal + 1);
    const CellSet path = cells_of(size, shortest_path(open, level.start, level.goal));
    if (pruned) open = widened(path, open, kPathWidenings);
    for (int i = 0; i < kSmoothings; ++i) open = smoothed(open).with(path);
    level.open = open;
    add_items(level, path, random);
    level.way = way_past_items(level);
    return level;
}

}  // namespace

CaveflyerLevel generate_caveflyer_level(int size, bool pruned, Random& random) {
    CaveflyerLevel level;
    draw_until([&] {
        level = draft(size, pruned, random);
        return level.way >= 0;
    });
    return level;
}

}  // namespace wm
