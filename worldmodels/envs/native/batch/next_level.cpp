#include "batch/next_level.h"

namespace wm {

void NextLevel::expect(std::int32_t level_seed) {
    expected_ = level_seed;
    waiting_.add(index_);
}

bool NextLevel::take(std::int32_t level_seed, std::unique_ptr<Game>& game) {
    waiting_.remove(index_);
    if (in_use_.exchange(true, std::memory_order_acquire)) return false;
    const bool fits = prepared_ == level_seed;
    if (fits) {
        game.swap(game_);
        prepared_ = kNone;
    }
    in_use_.store(false, std::memory_order_release);
    return fits;
}

void NextLevel::prepare() {
    const std::int32_t expected = expected_;
    // Where another worker still builds the level before this one, this one is left out.
    if (in_use_.exchange(true, std::memory_order_acquire)) return;
    if (prepared_ != expected) build(expected);
    in_use_.store(false, std::memory_order_release);
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
