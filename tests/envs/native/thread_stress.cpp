// Stresses everything that threads share, for scripts/sanitize: the pool, the batches on it, and the pictures that all
// games of a process paint on first use. Prints what differs from a single thread, and then fails.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <numeric>
#include <string_view>
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

// The arrays of a caller.
struct Caller {
    explicit Caller(std::size_t count)
        : observations(count * kObservationBytes),
          finals(observations.size()),
          rewards(count),
          levels(count),
          solutions(count),
          previous(count),
          actions(count),
          flags(std::make_unique<bool[]>(3 * count)) {
        arrays = {observations.data(), rewards.data(),   flags.get(),     flags.get() + count,
                  levels.data(),       solutions.data(), previous.data(), flags.get() + 2 * count,
                  finals.data()};
    }

    void step(BatchEnv& env, int step) {
        for (std::size_t i = 0; i < actions.size(); ++i)
            actions[i] = (step * 7 + static_cast<int>(i) * 5) % kNumActions;
        env.step(actions.data(), arrays);
    }

    std::vector<std::uint8_t> observations, finals;
    std::vector<float> rewards;
    std::vector<std::int32_t> levels, solutions, previous, actions;
    std::unique_ptr<bool[]> flags;
    BatchArrays arrays;
};

// Plays every game and returns the hashes of the states and the sum of all pixels.
std::vector<std::uint64_t> played(int threads) {
    BatchEnv env(all_looks(), Autoreset::SameStep, threads);
    Caller caller(static_cast<std::size_t>(env.size()));
    env.seed(3);
    env.reset(nullptr, caller.arrays);
    std::uint64_t pixels = 0;
    for (int step = 0; step < kSteps; ++step) {
        caller.step(env, step);
        pixels = std::accumulate(caller.observations.begin(), caller.observations.end(), pixels);
    }
    std::vector<std::uint64_t> found = env.hashes();
    found.push_back(pixels);
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

// Threads that call into one batch are refused while another one's call goes on, and none waits for ever: the steps
// that were taken are those that a single thread would have taken in a row.
bool a_shared_batch_refuses(int threads) {
    const std::vector<EpisodeOptions> wanted = all_looks();
    BatchEnv shared(wanted, Autoreset::SameStep, threads), alone(wanted, Autoreset::SameStep, 1);
    Caller first(wanted.size());
    for (BatchEnv* env : {&shared, &alone}) {
        env->seed(3);
        env->reset(nullptr, first.arrays);
    }
    std::atomic<int> taken{0}, refused{0};
    const auto call = [&](int who) {
        Caller caller(wanted.size());
        for (int round = 0; round < 5 * kSteps; ++round) try {
                if (who == 0) {
                    caller.step(shared, 0);
                    ++taken;
                } else if (who == 1) {
                    shared.load(std::vector<std::string_view>(wanted.size()));
                } else {
                    shared.hashes();
                }
            } catch (const ConcurrentUse&) {
                ++refused;
            } catch (const InvalidState&) {  // empty ones are none
            }
    };
    std::vector<std::thread> callers;
    for (int who = 0; who < 3; ++who) callers.emplace_back(call, who);
    for (std::thread& one : callers) one.join();
    for (int step = 0; step < taken; ++step) first.step(alone, 0);
    return refused > 0 && shared.hashes() == alone.hashes();
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
    const bool shared = report("a batch that threads share", a_shared_batch_refuses(1) && a_shared_batch_refuses(4));
    return pool && batches && certificates && shared ? 0 : 1;
}
