// Checks ranges of levels: each is built, its certificate asked for, and its first step played standing still.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/options.h"

namespace wm {

struct LevelCheck {
    std::int32_t steps = -1;  // of the solution found; -1: nothing to look for
    bool solvable = true;
    bool ends_at_once = false;  // standing still for the first step ends the episode
};

// Levels `first` to `first + count - 1`, in any order on `threads` threads; the result does not depend on their number.
std::vector<LevelCheck> certify_levels(const std::string& game, Mode mode, std::int32_t first, int count, int threads);

}  // namespace wm
