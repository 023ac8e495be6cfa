// The only list of games: a new game adds its file and one line here, in alphabetical order.
// `GameEntry wm::games::NAME()` is what its file defines.
// clang-format off
#define WM_GAMES(game) \
    game(bigfish)           \
    game(bossfight)         \
    game(caveflyer)         \
    game(chaser)            \
    game(climber)           \
    game(coinrun)           \
    game(coinrun_platforms) \
    game(dodgeball)         \
    game(fruitbot)          \
    game(heist)             \
    game(jumper)            \
    game(leaper)            \
    game(maze)              \
    game(miner)             \
    game(ninja)             \
    game(plunder)           \
    game(random_mazes)      \
    game(starpilot)
// clang-format on

#include "games/registry.h"

namespace wm {

#define WM_DECLARE(name) GameEntry name();
namespace games {
WM_GAMES(WM_DECLARE)
}
#undef WM_DECLARE

const std::vector<GameEntry>& all_games() {
#define WM_CALL(name) games::name(),
    static const std::vector<GameEntry> kEntries = {WM_GAMES(WM_CALL)};
#undef WM_CALL
    return kEntries;
}

}  // namespace wm
