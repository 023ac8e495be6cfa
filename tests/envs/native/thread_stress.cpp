// Stresses everything that threads share, for scripts/sanitize: the pool, the batches on it, and the pictures that all
// games of a process paint on first use. Prints what differs from a single thread, and then fails.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

#include "batch/batch_env.h"
#include "batch/certify.h"
#include "games/registry.h"

namespace {

using namespace wm;

constexpr int kThreads = 4;
constexpr int kRounds = 20000;
constexpr int kSteps = 60;

// Numbers that the threads write and the caller reads, without any protection but the pool's.
bool pool_is_sound() {
    ThreadPool pool(kThreads);
    std::vector<int> numbers(64);
    for (int round = 1; round <= kRounds; ++round) {
        const int count = 1 + round % static_cast<int>(numbers.size());
        std::fill(numbers.begin(), numbers.end(), 0);
        pool.run(count, [&](int index) { numbers[static_cast<std::size_t>(index)] = round; });
        if (std::accumulate(numbers.begin(), numbers.end(), 0) != round * count) return false;
        if (round % 1000 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));  // the workers fall asleep
    }
    return true;
}

std::vector<EpisodeOptions> all_looks() {
    std::vector<EpisodeOptions> wanted;
    for (const GameEntry& entry : all_games())
        for (const bool generated : {false, true}) {
            EpisodeOptions one;
            one.game = entry.info->name;
            one.options.use_generated_assets = generated;
            wanted.push_back(one);
        }
    return wanted;
}

// Plays every game and returns the hashes of the states and the sum of all pixels.
std::vector<std::uint64_t> played(int threads) {
    BatchEnv env(all_looks(), Autoreset::SameStep, threads);
    const auto count = static_cast<std::size_t>(env.size());
    std::vector<std::uint8_t> observations(count * kObservationBytes), finals(observations.size());
    std::vector<float> rewards(count);
    std::vector<std::int32_t> levels(count), solutions(count), previous(count), actions(count);
    const auto flags = [&] { return std::make_unique<bool[]>(count); };
    const auto terminated = flags(), truncated = flags(), complete = flags();
    const BatchArrays arrays = {observations.data(), rewards.data(),  terminated.get(), truncated.get(), levels.data(),
                                solutions.data(),    previous.data(), complete.get(),   finals.data()};
    env.seed(3);
    env.reset(nullptr, arrays);
    std::uint64_t pixels = 0;
    for (int step = 0; step < kSteps; ++step) {
        for (std::size_t i = 0; i < count; ++i) actions[i] = (step * 7 + static_cast<int>(i) * 5) % kNumActions;
        env.step(actions.data(), arrays);
        pixels = std::accumulate(observations.begin(), observations.end(), pixels);
    }
    std::vector<std::uint64_t> found = {pixels};
    for (int i = 0; i < env.size(); ++i) found.push_back(env.episode(i).hash());
    return found;
}

// Several batches at once, so that their threads meet where pictures are painted.
bool batches_agree() {
    std::vector<std::vector<std::uint64_t>> found(3);
    std::vector<std::thread> players;
    players.reserve(found.size());
    for (auto& one : found) players.emplace_back([&one] { one = played(kThreads); });
    for (std::thread& player : players) player.join();
    const std::vector<std::uint64_t> wanted = played(1);
    return found[0] == wanted && found[1] == wanted && found[2] == wanted;
}

bool certificates_agree() {
    const auto steps = [](int threads) {
        std::vector<std::int32_t> found;
        for (const LevelCheck& check : certify_levels("maze", Mode::Easy, 0, 200, threads))
            found.push_back(check.steps);
        return found;
    };
    return steps(kThreads) == steps(1);
}

bool report(const char* what, bool sound) {
    std::printf("%s: %s\n", what, sound ? "sound" : "differs from a single thread");
    return sound;
}

}  // namespace

int main() {
    const bool pool = report("the pool", pool_is_sound());
    const bool batches = report("batches side by side", batches_agree());
    const bool certificates = report("certificates", certificates_agree());
    return pool && batches && certificates ? 0 : 1;
}
