#include "batch/next_level.h"

#include <utility>

namespace wm {

void NextLevel::expect(std::int32_t level_seed) {
    if (wanted_.exchange(level_seed) == kNone) ++expected_;
}

std::int32_t NextLevel::withdraw() {
    if (wanted_.load(std::memory_order_relaxed) == kNone) return kNone;
    const std::int32_t wanted = wanted_.exchange(kNone);
    if (wanted != kNone) --expected_;
    return wanted;
}

bool NextLevel::take(std::int32_t level_seed, std::unique_ptr<Game>& game) {
    withdraw();
    if (in_use_.exchange(true, std::memory_order_acquire)) return false;
    const bool fits = prepared_ == level_seed;
    if (fits) {
        game.swap(game_);
        prepared_ = kNone;
    }
    in_use_.store(false, std::memory_order_release);
    return fits;
}

bool NextLevel::prepare() {
    const std::int32_t wanted = withdraw();
    if (wanted == kNone) return false;
    // Where another worker still builds the level before this one, this one is left out.
    if (in_use_.exchange(true, std::memory_order_acquire)) return true;
    if (prepared_ != wanted) build(wanted);
    in_use_.store(false, std::memory_order_release);
    return true;
}

void NextLevel::build(std::int32_t level_seed) {
    try {
        if (game_ == nullptr) game_ = make_(options_);
        game_->reset(level_seed);
        prepared_ = level_seed;
    } catch (...) {
        prepared_ = kNone;
    }
}

}  // namespace wm
