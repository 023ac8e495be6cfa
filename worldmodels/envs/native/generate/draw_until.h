// Drawing again until it fits.
#pragma once

#include <stdexcept>

namespace wm {

// Calls `attempt`, which draws something and says whether it fits, until it does. Those that use this succeed within a
// few attempts, so a long row of failures is a mistake in the generator: throws std::runtime_error rather than hang.
template <class Attempt>
void draw_until(Attempt attempt) {
    constexpr int kMostAttempts = 10000;
    for (int i = 0; i < kMostAttempts; ++i)
        if (attempt()) return;
    throw std::runtime_error("no level was found that fits, in 10000 attempts");
}

}  // namespace wm
