// The next level of one environment, built ahead by a worker that has nothing else to do.
//
// Building a level may take as long as thousands of steps. Which level comes next is known when the one before it
// begins, and a level is the same whoever builds it; so a worker may build it in a second game, and where the level
// begins, the two games change places. Whether it is there in time changes nothing but the speed.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "core/game.h"

namespace wm {

class NextLevel {
public:
    using Make = std::unique_ptr<Game> (*)(const GameOptions& options);

    // The second game is made once it is needed. `expected` counts the environments of a batch whose next level nobody
    // has begun to build.
    NextLevel(Make make, const GameOptions& options, std::atomic<int>& expected)
        : make_(make), options_(options), expected_(expected) {}

    // For the thread that plays the environment.
    // Says which level comes next, as far as can be foreseen.
    void expect(std::int32_t level_seed);
    // Puts a game at the beginning of that level in the place of `game`. False where it was not prepared or is not done
    // yet: then nobody waits for the worker, which the system may have put aside, and `game` stays as it was.
    bool take(std::int32_t level_seed, std::unique_ptr<Game>& game);

    // For any thread: builds the level that is expected. False where nothing was to be done. An error is dropped: it
    // comes again where the level begins.
    bool prepare();

private:
    static constexpr std::int32_t kNone = -1;

    // Says that no level is expected any more, and returns which one was.
    std::int32_t withdraw();
    void build(std::int32_t level_seed);

    Make make_;
    GameOptions options_;
    std::atomic<int>& expected_;
    std::atomic<std::int32_t> wanted_{kNone};
    std::atomic<bool> in_use_{false};  // whoever has set it owns what follows
    std::unique_ptr<Game> game_;
    std::int32_t prepared_ = kNone;  // at the beginning of this level
};

}  // namespace wm
