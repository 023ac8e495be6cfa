// Mines: boulders and diamonds in dirt, and how they fall when somebody digs. The game miner plays by these rules, and
// the generator tries every mine that it makes by playing it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/grid.h"
#include "core/rng.h"
#include "generate/paths.h"

namespace wm {

// Cells of mines; what moves fell in the last step.
constexpr Cell kBoulder = 1;
constexpr Cell kDiamond = 2;
constexpr Cell kFallingBoulder = 3;
constexpr Cell kFallingDiamond = 4;
constexpr Cell kDirt = 9;

constexpr bool is_boulder(Cell cell) { return cell == kBoulder || cell == kFallingBoulder; }
constexpr bool is_diamond(Cell cell) { return cell == kDiamond || cell == kFallingDiamond; }
constexpr bool is_round(Cell cell) { return cell <= kFallingDiamond && cell >= kBoulder; }

// What a step of the miner led to.
struct MineEvents {
    int collected = 0;     // diamonds
    bool crushed = false;  // something fell onto the miner
    bool left = false;     // reached the exit, and no diamond was left
};

struct Mine {
    Grid grid;  // around it everything is kWall
    Place miner, exit;
    std::int32_t diamonds = 0;  // still to be collected

    // One step to the side or up or down (sideways wins), then whatever falls.
    MineEvents step(int dx, int dy);

    // `size`: of the world, both ways.
    void visit(Archive& archive, int size) {
        const CellKinds kinds = {kSpace, kBoulder, kDiamond, kFallingBoulder, kFallingDiamond, kDirt};
        archive("grid", grid, world_grid(size, size, kinds));
        archive("miner_x", miner.x, below(size))("miner_y", miner.y, below(size));
        archive("exit_x", exit.x, below(size))("exit_y", exit.y, below(size));
        archive("diamonds", diamonds, CellCount{grid, kDiamond, kFallingDiamond});
        if (archive.loading()) stirred_ = Area();
        if (archive.checking()) require_state(grid.at(miner.x, miner.y) == kSpace, "the miner stands in a free cell");
    }

private:
    enum class Fate { Rest, Fall, RollLeft, RollRight, Crush };

    bool push(int dx);
    bool is_free(int x, int y) const { return grid.at(x, y) == kSpace && !(miner == Place{x, y}); }
    Fate fate_of(int x, int y, Cell cell) const;
    bool stirs_near(Place place) const;
    bool settle();

    // Where cells changed since all things were looked at; at first, anywhere.
    struct Area {
        int lowest = 0, highest = 1 << 20, left = 0, right = 1 << 20;
        bool any() const { return lowest <= highest; }
        void add(Place place) {
            lowest = std::min(lowest, place.y);
            highest = std::max(highest, place.y);
            left = std::min(left, place.x);
            right = std::max(right, place.x);
        }
        static Area nowhere() { return {1 << 20, -1, 1 << 20, -1}; }
    };
    Area stirred_;
};

// One step of a solution.
struct MineMove {
    std::int8_t dx, dy;
};

// Looks for a way to collect every diamond and leave, by playing: to the nearest diamond that can be walked to, again
// and again, without digging down under something that would follow. It finds one in most mines, not in all that have
// one; empty: none found.
std::vector<MineMove> solve_mine(const Mine& mine);

// Makes mines of `size` x `size` cells until one can be solved. Returns the steps of its solution.
int generate_mine(Mine& mine, int size, Random& random);

}  // namespace wm
