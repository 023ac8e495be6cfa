// The list of all games, for whoever makes one by its name.
#pragma once

#include <vector>

#include "core/game.h"

namespace wm {

const std::vector<GameEntry>& all_games();

}  // namespace wm
