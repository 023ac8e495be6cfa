#include "batch/certify.h"

#include <algorithm>
#include <memory>

#include "batch/batch_env.h"
#include "batch/call.h"
#include "batch/episode.h"
#include "batch/failures.h"
#include "batch/thread_pool.h"
#include "core/check.h"
#include "core/game.h"

namespace wm {
namespace {

constexpr int kStandStill = 4;

LevelCheck checked(Game& game, std::int32_t level_seed) {
    game.reset(level_seed);
    const Certificate certificate = game.certify();
    const StepResult result = game.step(kStandStill);
    return {certificate.steps, certificate.solvable, result.terminated || result.level_complete};
}

}  // namespace

std::vector<LevelCheck> certify_levels(const std::string& name, Mode mode, std::int32_t first, int count, int threads) {
    const GameEntry& entry = entry_of(name);
    GameOptions options;
    options.mode = mode;
    mode_of(*entry.info, mode);
    std::vector<LevelCheck> checks(static_cast<std::size_t>(count));
    constexpr int kChunk = 32;  // levels for which one game object serves
    const int chunks = (count + kChunk - 1) / kChunk;
    Failures failures(static_cast<std::size_t>(chunks));
    const ForkPause no_fork;
    ThreadPool pool(std::min(threads, chunks));
    pool.run(chunks, [&](int chunk) {
        failures.watch(chunk, [&] {
            const std::unique_ptr<Game> game = entry.make(options);
            for (int i = chunk * kChunk; i < std::min(count, (chunk + 1) * kChunk); ++i)
                checks[static_cast<std::size_t>(i)] = checked(*game, first + i);
        });
    });
    if (failures.any()) throw GameError(name + ": " + failures.take_first().text + ".");
    return checks;
}

}  // namespace wm
