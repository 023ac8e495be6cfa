// Levels of coinrun_platforms: floating ground with ladders, crates, coins and monsters, and where in it a runner gets
// to.
#pragma once

#include <cstdint>
#include <vector>

#include "core/grid.h"
#include "core/rng.h"
#include "generate/paths.h"

namespace wm {

struct CoinrunPlatformsMonster {
    int x, y;
    bool flies;
};

struct CoinrunPlatformsLevel {
    Place start;
    int coins = 0;
    std::vector<CoinrunPlatformsMonster> monsters;
};

// Fills `grid` with a level of `kPlatformWorld` cells per side. Every coin in it can be reached from the start, and the
// start from every coin.
CoinrunPlatformsLevel generate_coinrun_platforms_level(Grid& grid, Random& random);

// The places where a runner can rest (above ground or crates, or on a ladder) that can be reached from a start, and the
// moves between them: walking, falling, climbing, jumping. It knows no monsters, and only some of the possible jumps.
class ReachMap {
public:
    ReachMap(const Grid& grid, Place start);

    bool reaches(Place place) const { return index(place) >= 0; }
    // About how many steps it takes from each place to the nearest of `goals`, row by row; -1 where no way is known.
    std::vector<int> steps_to(const std::vector<Place>& goals) const;

private:
    struct Move {
        int from, to, steps;
    };

    int index(Place place) const;
    bool is_rest(Place place) const;
    void explore(Place from);
    void explore_walks(Place from);
    void explore_ladder(Place from);
    void explore_jumps(Place from);
    void add(Place from, Place to, int steps);
    void add_fall(Place from, Place to, int steps);

    const Grid& grid_;
    std::vector<int> index_;  // of each cell in `places_`, or -1
    std::vector<Place> places_;
    std::vector<Move> moves_;
};

}  // namespace wm
