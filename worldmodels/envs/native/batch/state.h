// The envelope of a saved state: it says what it is, so that whatever cannot be restored here is refused, with the
// reason.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/options.h"

namespace wm {

using Bytes = std::vector<std::uint8_t>;

// What must agree between the environment that saved and the one that loads. Options that only change what is seen, and
// the range of levels, may differ.
struct StateRules {
    std::string game;
    Mode mode;
    int debug_mode;
};

// Reserves room for the envelope; append the contents, then call `seal_state`.
Bytes begin_state();
void seal_state(Bytes& state, const StateRules& rules);

// Checks the envelope. Returns where the contents begin; they reach to the end. Throws InvalidState.
std::size_t open_state(const std::uint8_t* data, std::size_t size, const StateRules& rules);

}  // namespace wm
