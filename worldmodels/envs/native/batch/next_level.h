// The next level of one environment, built ahead by a worker that has nothing else to do.
//
// Building a level may take as long as thousands of steps. Which level comes next is known when the one before it
// begins, and a level is the same whoever builds it; so a worker may build it in a second game, and where the level
// begins, the two games change places. Whether it is there in time changes nothing but the speed.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "batch/index_set.h"
#include "core/game.h"

namespace wm {

class NextLevel {
public:
    using Make = std::unique_ptr<Game> (*)(const GameOptions& options);

    // The second game is made once it is needed. While a level waits to be prepared, `index` is in `waiting`.
    NextLevel(Make make, const GameOptions& options, IndexSet& waiting, std::size_t index)
        : make_(make), options_(options), waiting_(waiting), index_(index) {}

    // For the thread that plays the environment.
    // Says which level comes next, as far as can be foreseen.
    void expect(std::int32_t level_seed);
    // Puts a game at the beginning of that level in the place of `game`. False where it was not prepared or is not done
    // yet: then nobody waits for the worker, which the system may have put aside, and `game` stays as it was.
    bool take(std::int32_t level_seed, std::unique_ptr<Game>& game);

    // For whoever took the index out of the set: builds the level. An error is dropped: it comes again where the level
    // begins.
    void prepare();

private:
    static constexpr std::int32_t kNone = -1;

    void build(std::int32_t level_seed);

    Make make_;
    GameOptions options_;
    IndexSet& waiting_;
    std::size_t index_;
    std::atomic<std::int32_t> expected_{kNone};
    std::atomic<bool> in_use_{false};  // whoever has set it owns what follows
    std::unique_ptr<Game> game_;
    std::int32_t prepared_ = kNone;  // at the beginning of this level
};

}  // namespace wm
