#include "batch/certify.h"

#include <algorithm>
#include <exception>
#include <memory>

#include "batch/batch_env.h"
#include "batch/episode.h"
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
    std::vector<std::string> failures(static_cast<std::size_t>((count + kChunk - 1) / kChunk));
    ThreadPool pool(threads);
    pool.run(static_cast<int>(failures.size()), [&](int chunk) {
        try {
            const std::unique_ptr<Game> game = entry.make(options);
            for (int i = chunk * kChunk; i < std::min(count, (chunk + 1) * kChunk); ++i)
                checks[static_cast<std::size_t>(i)] = checked(*game, first + i);
        } catch (const std::exception& error) {
            failures[static_cast<std::size_t>(chunk)] = error.what();
        }
    });
    for (const std::string& failure : failures)
        if (!failure.empty()) throw GameError(std::string(name).append(": ").append(failure).append("."));
    return checks;
}

}  // namespace wm
