#include "generate/chaser_directions.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace wm {
namespace {

constexpr int kNever = 1 << 20;
constexpr int kStepCost = 2, kNeighbourCost = 1;  // of a step, and of each wanted cell beside the one to go to
constexpr int kLookahead = 6;                     // steps that are looked farther than to the best found so far

int wanted_beside(const Grid& grid, Place at, Cell wanted) {
    int count = 0;
    for (const Place& way : kFourDirections) count += grid.at(at.x + way.x, at.y + way.y) == wanted;
    return count;
}

}  // namespace

RankedDirections rank_directions(const Grid& grid, Place start, Cell wanted) {
    const int width = grid.width();
    std::vector<std::uint8_t> closed(static_cast<std::size_t>(width * grid.height()));
    const auto mark = [&](Place p) -> std::uint8_t& { return closed[static_cast<std::size_t>(p.y * width + p.x)]; };
    mark(start) = 1;

    struct Node {
        Place place;
        int steps, way;
    };
    std::vector<Node> queue;
    queue.reserve(closed.size());
    RankedDirections ranked;
    std::array<int, 4> cost;
    cost.fill(kNever);
    const auto visit = [&](Place from, int steps, int only_way) {
        for (int i = 0; i < 4; ++i) {
            const Place next = {from.x + kFourDirections[i].x, from.y + kFourDirections[i].y};
            if (grid.at(next.x, next.y) == kWall) continue;
            if (steps == 0) ranked.directions[static_cast<std::size_t>(ranked.count++)] = i;
            if (mark(next) != 0) continue;
            mark(next) = 1;
            queue.push_back({next, steps + 1, steps == 0 ? i : only_way});
        }
    };
    visit(start, 0, 0);
    int best = kNever;
    for (std::size_t i = 0; i < queue.size(); ++i) {
        const auto [place, steps, way] = queue[i];
        if (kStepCost * (steps - kLookahead) > best) break;
        if (grid.at(place.x, place.y) == wanted) {
            int& found = cost[static_cast<std::size_t>(way)];
            found = std::min(found, kStepCost * steps + kNeighbourCost * wanted_beside(grid, place, wanted));
            best = std::min(best, found);
        }
        visit(place, steps, way);
    }
    std::stable_sort(ranked.directions.begin(), ranked.directions.begin() + ranked.count, [&](int a, int b) {
        return cost[static_cast<std::size_t>(a)] < cost[static_cast<std::size_t>(b)];
    });
    return ranked;
}

}  // namespace wm
