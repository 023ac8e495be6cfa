#include "generate/mine.h"

#include <algorithm>
#include <cstdlib>

#include "generate/draw_until.h"

namespace wm {

MineEvents Mine::step(int dx, int dy) {
    if (dx != 0) dy = 0;
    MineEvents events;
    const Place there = {miner.x + dx, miner.y + dy};
    const Cell ahead = grid.at(there.x, there.y);
    const Place before = miner;
    if (ahead != kWall && !is_boulder(ahead)) miner = there;
    if (miner == exit && diamonds == 0) {
        events.left = true;
        return events;
    }
    if (dx != 0 && ahead == kBoulder) push(dx);

    const Cell here = grid.at(miner.x, miner.y);
    if (is_diamond(here)) {
        ++events.collected;
        --diamonds;
    }
    if (here != kSpace) grid.set(miner.x, miner.y, kSpace);

    // Where all was at rest, only what is near the miner's step can begin to move.
    const Place beyond = {miner.x + dx, miner.y};
    if (stirred_.any() || stirs_near(before) || stirs_near(miner) || stirs_near(beyond)) {
        stirred_.add(before);
        stirred_.add(miner);
        stirred_.add(beyond);
        events.crushed = settle();
    }
    return events;
}

bool Mine::push(int dx) {
    const int x = miner.x + dx;
    if (grid.at(x + dx, miner.y) != kSpace) return false;
    grid.set(x + dx, miner.y, kBoulder);
    grid.set(x, miner.y, kSpace);
    miner.x = x;
    return true;
}

Mine::Fate Mine::fate_of(int x, int y, Cell cell) const {
    const Cell below = grid.at(x, y - 1);
    if (below == kSpace) {
        if (!(miner == Place{x, y - 1})) return Fate::Fall;
        return cell == kFallingBoulder || cell == kFallingDiamond ? Fate::Crush : Fate::Rest;
    }
    if (!is_round(below)) return Fate::Rest;
    if (is_free(x - 1, y) && is_free(x - 1, y - 1)) return Fate::RollLeft;
    return is_free(x + 1, y) && is_free(x + 1, y - 1) ? Fate::RollRight : Fate::Rest;
}

// Does anything move, at rest until now, that may have been held by what was in this cell?
bool Mine::stirs_near(Place place) const {
    for (int y = place.y; y <= place.y + 1; ++y)
        for (int x = place.x - 1; x <= place.x + 1; ++x) {
            const Cell cell = grid.at(x, y);
            if (is_round(cell) && fate_of(x, y, cell) != Fate::Rest) return true;
        }
    return false;
}

// Lets everything fall, roll or rest; true if something falls onto the miner. From the bottom to the top, left to
// right, and each cell is read when its turn comes: what rolls to the right has another turn. A change matters to what
// is in its row and in the row above, no further than a column away, so the others are left out.
bool Mine::settle() {
    bool crushed = false;
    Area seen = stirred_;
    stirred_ = Area::nowhere();
    for (int y = seen.lowest; y < grid.height() && y <= seen.highest + 1; ++y) {
        const Cell* row = grid.row(y);
        for (int x = std::max(seen.left - 1, 0); x < grid.width() && x <= seen.right + 1; ++x) {
            const Cell cell = row[x];
            if (!is_round(cell)) continue;
            const Cell resting = is_boulder(cell) ? kBoulder : kDiamond;
            const Fate fate = fate_of(x, y, cell);
            if (fate == Fate::Crush) crushed = true;
            if (fate == Fate::Crush || (fate == Fate::Rest && cell == resting)) continue;
            grid.set(x, y, fate == Fate::Rest ? resting : kSpace);
            if (fate == Fate::Fall) grid.set(x, y - 1, resting == kBoulder ? kFallingBoulder : kFallingDiamond);
            const int to = fate == Fate::RollLeft ? x - 1 : fate == Fate::RollRight ? x + 1 : x;
            if (to != x) grid.set(to, y, resting);
            for (const Place& changed : {Place{x, y}, Place{to, fate == Fate::Fall ? y - 1 : y}}) stirred_.add(changed);
            seen.add({x, y});
            seen.add({to, y});
        }
    }
    return crushed;
}

namespace {

constexpr MineMove kSteps[] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
constexpr int kMostPauses = 3;     // how long to wait for things to come to rest
constexpr int kMostSteps = 900;    // of a solution: less than the time limit
constexpr int kMostFailures = 12;  // of plans, before a mine is given up

// Plays a mine, one target after another.
class Digger {
public:
    explicit Digger(const Mine& mine) : mine_(mine), width_(mine.grid.width()) {
        came_by_.resize(static_cast<std::size_t>((width_ + 2) * (mine.grid.height() + 2)), kOutside);
        queue_.resize(came_by_.size());
    }

    std::vector<MineMove> solve() {
        int failures = 0;
        while (!done_ && static_cast<int>(moves_.size()) < kMostSteps) {
            // Boldly, with pushes and ways under boulders, only where the careful way leads nowhere. What is walled in
            // may come free when the dirt near it is dug away.
            if (go(false) || go(true)) continue;
            if (++failures > kMostFailures || !(dig_near_target() || play({0, 0}))) return {};
        }
        return done_ ? moves_ : std::vector<MineMove>{};
    }

private:
    // Walks to the nearest target, thinking again when something is in the way. False if no step was possible.
    bool go(bool bold) { return plan(bold) && follow_path(); }

    bool follow_path() {
        bool went = false;
        for (std::size_t i = path_.size(); i-- > 0 && !done_;) {
            const Place before = mine_.miner;
            const int diamonds = mine_.diamonds;
            if (!play(path_[i])) return went;
            went = true;
            if (mine_.miner == before || mine_.diamonds != diamonds) return true;
        }
        return went;
    }

    // Plays a step unless it is deadly; waiting a little may help.
    bool play(MineMove move) {
        for (int pause = 0; pause <= kMostPauses; ++pause) {
            if (dare(move)) return true;
            if (!dare({0, 0})) return false;
        }
        return false;
    }

    // Plays a step unless it kills, or leaves no way to survive the next one.
    bool dare(MineMove move) {
        next_ = mine_;
        const MineEvents events = next_.step(move.dx, move.dy);
        if (events.crushed || !(events.left || escapable(next_))) return false;
        std::swap(mine_, next_);
        moves_.push_back(move);
        done_ = events.left;
        return true;
    }

    bool escapable(const Mine& mine) {
        if (!is_round(mine.grid.at(mine.miner.x, mine.miner.y + 1))) return true;
        for (const MineMove& move : {MineMove{0, 0}, kSteps[0], kSteps[1], kSteps[2]}) {
            after_ = mine;
            if (!after_.step(move.dx, move.dy).crushed) return true;
        }
        return false;
    }

    bool can_enter(Place from, Cell cell, const MineMove& move, bool bold) const {
        const Grid& grid = mine_.grid;
        if (cell == kWall) return false;
        if (!is_boulder(cell)) return bold || move.dy >= 0 || !is_round(grid.at(from.x, from.y + 1));
        return bold && move.dx != 0 && grid.at(from.x + 2 * move.dx, from.y) == kSpace;
    }

    bool is_target(Place place) const {
        if (mine_.diamonds == 0) return place == mine_.exit;
        return is_diamond(mine_.grid.at(place.x, place.y));
    }

    // Finds the way to the nearest target, last step first.
    bool plan(bool bold) {
        path_.clear();
        if (is_target(mine_.miner)) {
            path_.push_back({0, 0});
            return true;
        }
        for (int y = 0; y < mine_.grid.height(); ++y) std::fill_n(&came_by({0, y}), width_, kUnseen);
        came_by(mine_.miner) = kStart;
        const Place reached = explore(bold);
        return reached.x >= 0 && trace_back(reached);
    }

    // From the miner outwards until a target is met; without one, x is -1. Leaves the cells it met in the queue.
    Place explore(bool bold) {
        // Plain pointers: a store into bytes may change any member, for all the compiler knows.
        const Cell* const cells = mine_.grid.row(0);
        std::uint8_t* const came_by = came_by_.data();
        Place* const queue = queue_.data();
        const int width = width_, border = width + 2;
        const bool all_collected = mine_.diamonds == 0;
        const Place exit = mine_.exit;
        std::size_t count = 1;
        queued_ = 1;
        queue[0] = mine_.miner;
        for (std::size_t i = 0; i < count; ++i) {
            const Place from = queue[i];
            const Cell* const here = cells + from.y * width + from.x;
            std::uint8_t* const marks = came_by + place_of(from);
            for (std::uint8_t k = 0; k < 4; ++k) {
                std::uint8_t& mark = marks[kSteps[k].dy * border + kSteps[k].dx];
                if (mark != kUnseen) continue;
                const Cell cell = here[kSteps[k].dy * width + kSteps[k].dx];
                if (!can_enter(from, cell, kSteps[k], bold)) continue;
                mark = k;
                const Place near = {from.x + kSteps[k].dx, from.y + kSteps[k].dy};
                if (all_collected ? near == exit : is_diamond(cell)) return near;
                queue[count++] = near;
                queued_ = count;
            }
        }
        return {-1, -1};
    }

    // Digs the reachable dirt that is nearest to a target.
    bool dig_near_target() {
        std::vector<Place> targets;
        for (int y = 0; y < mine_.grid.height(); ++y)
            for (int x = 0; x < width_; ++x)
                if (is_target({x, y})) targets.push_back({x, y});
        Place best;
        int nearest = 1 << 20;
        for (std::size_t i = 0; i < queued_; ++i) {  // of the last plan
            const Place place = queue_[i];
            if (mine_.grid.at(place.x, place.y) != kDirt) continue;
            for (const Place& target : targets) {
                const int distance = std::abs(target.x - place.x) + std::abs(target.y - place.y);
                if (distance >= nearest) continue;
                best = place;
                nearest = distance;
            }
        }
        path_.clear();
        return nearest < 1 << 20 && trace_back(best) && follow_path();
    }

    bool trace_back(Place place) {
        for (std::uint8_t k = came_by(place); k != kStart; k = came_by(place)) {
            path_.push_back(kSteps[k]);
            place = {place.x - kSteps[k].dx, place.y - kSteps[k].dy};
        }
        return true;
    }

    static constexpr std::uint8_t kUnseen = 255, kStart = 254, kOutside = 253;

    // In `came_by_`, which has a border of cells outside.
    int place_of(Place place) const { return (place.y + 1) * (width_ + 2) + place.x + 1; }
    std::uint8_t& came_by(Place place) { return came_by_[static_cast<std::size_t>(place_of(place))]; }

    Mine mine_;
    Mine next_, after_;  // what a step would lead to
    int width_;
    bool done_ = false;
    std::vector<MineMove> moves_, path_;
    std::vector<std::uint8_t> came_by_;
    std::vector<Place> queue_;  // the cells that the search met
    std::size_t queued_ = 0;    // of them
};

void bury(Mine& mine, int size, Random& random) {
    constexpr int kDiamondShare = 3, kBoulderShare = 20;  // of a hundred cells
    const auto somewhere = [&] { return Place{random.below(size), random.below(size)}; };
    const auto is_dirt = [&](Place place) { return mine.grid.at(place.x, place.y) == kDirt && !(place == mine.miner); };
    const auto put = [&](Cell cell, int share) {
        const int count = share * size * size / 100;
        for (int i = 0; i < count; ++i) {
            Place place = somewhere();
            while (!is_dirt(place)) place = somewhere();
            mine.grid.set(place.x, place.y, cell);
        }
        return count;
    };
    mine = Mine();
    mine.grid.reset(size, size, kDirt, kWall);
    mine.miner = somewhere();
    mine.diamonds = put(kDiamond, kDiamondShare);
    put(kBoulder, kBoulderShare);
    const auto holds_up = [&](int x, int y) { return y == size || mine.grid.at(x, y) == kDirt; };
    do mine.exit = somewhere();
    while (!is_dirt(mine.exit) || !holds_up(mine.exit.x, mine.exit.y + 1));

    for (int y = mine.miner.y - 1; y <= mine.miner.y + 1; ++y)
        for (int x = mine.miner.x - 1; x <= mine.miner.x + 1; ++x)
            if (mine.grid.at(x, y) == kBoulder) mine.grid.set(x, y, kDirt);
    mine.grid.set(mine.miner.x, mine.miner.y, kSpace);
    mine.grid.set(mine.exit.x, mine.exit.y, kSpace);
}

}  // namespace

std::vector<MineMove> solve_mine(const Mine& mine) { return Digger(mine).solve(); }

int generate_mine(Mine& mine, int size, Random& random) {
    int steps = 0;
    draw_until([&] {
        bury(mine, size, random);
        steps = static_cast<int>(solve_mine(mine).size());
        return steps > 0;
    });
    return steps;
}

}  // namespace wm
