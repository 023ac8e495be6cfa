// Stresses everything that threads share, for scripts/sanitize: the pool, the batches on it, the levels that its
// workers prepare, and the pictures that all games of a process paint on first use. Prints what differs from a single
// thread, and then fails.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "batch/batch_env.h"
#include "batch/certify.h"
#include "batch/index_set.h"
#include "batch/next_level.h"
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
        arrays = {observations.data(), rewards.data(),          flags.get(),
                  flags.get() + count, levels.data(),           solutions.data(),
                  previous.data(),     flags.get() + 2 * count, finals.data()};
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
            } catch (const InvalidState&) {
                continue;  // empty ones are none
            }
    };
    std::vector<std::thread> callers;
    callers.reserve(3);
    for (int who = 0; who < 3; ++who) callers.emplace_back(call, who);
    for (std::thread& one : callers) one.join();
    for (int step = 0; step < taken; ++step) first.step(alone, 0);
    return refused > 0 && shared.hashes() == alone.hashes();
}

// A level of a game that takes a while to be built, and sometimes cannot be.
struct SlowLevel : Game {
    explicit SlowLevel(const GameOptions&) {}
    void reset(std::int32_t level_seed) override {
        seed = kBroken;
        if (level_seed % 7 == 0) throw std::runtime_error("level " + std::to_string(level_seed) + " cannot be built");
        std::this_thread::sleep_for(std::chrono::microseconds(level_seed % 5 * 20));
        seed = level_seed;
    }
    StepResult step(int) override { return {}; }
    void draw(Canvas&) const override {}
    void visit(Archive&) override {}
    Certificate certify() const override { return {}; }

    static constexpr std::int32_t kBroken = -1;
    std::int32_t seed = kBroken;
};

// What is taken is the level that was asked for, whoever prepares it and whatever they are in the midst of. A level
// that cannot be built is not there, and nobody tries again.
bool prepared_levels_fit() {
    IndexSet waiting(70);
    constexpr int kIndex = 65;
    std::atomic<bool> stop{false};
    const GameOptions options;
    NextLevel next(make_game<SlowLevel>, options, waiting, kIndex);
    std::vector<std::thread> workers;
    workers.reserve(kThreads);
    for (int i = 1; i < kThreads; ++i)
        workers.emplace_back([&] {
            while (!stop) {
                if (waiting.take() == kIndex) next.prepare();
                std::this_thread::yield();
            }
        });
    std::unique_ptr<Game> game = make_game<SlowLevel>(options);
    int taken = 0;
    bool sound = true;
    for (std::int32_t level = 1; level < kRounds / 10; ++level) {
        next.expect(level % 11 == 0 ? level + 1 : level);  // now and then another one than is wanted then
        if (level % 3 != 0) std::this_thread::sleep_for(std::chrono::microseconds(level % 13 * 20));
        if (!next.take(level, game)) continue;
        ++taken;
        sound = sound && static_cast<SlowLevel&>(*game).seed == level;
    }
    stop = true;
    for (std::thread& worker : workers) worker.join();
    next.expect(7);
    sound = sound && taken > 0 && waiting.take() == kIndex && waiting.empty();
    next.prepare();
    return sound && waiting.empty() && !next.take(7, game);
}

void load(BatchEnv& env, const std::vector<Bytes>& states) {
    std::vector<std::string_view> views;
    views.reserve(states.size());
    for (const Bytes& state : states) views.emplace_back(reinterpret_cast<const char*>(state.data()), state.size());
    env.load(views);
}

// Resets, loads and seeds in turn, with pauses in which levels are prepared. Returns what was seen and what is left.
std::vector<std::uint64_t> interrupted(int threads, bool sequential) {
    std::vector<EpisodeOptions> wanted = all_looks();
    for (EpisodeOptions& one : wanted) one.levels.use_sequential_levels = sequential;
    BatchEnv env(wanted, Autoreset::SameStep, threads);
    Caller caller(wanted.size());
    const auto mask = std::make_unique<bool[]>(wanted.size());
    std::vector<std::uint64_t> found;
    std::vector<Bytes> kept;
    env.seed(3);
    env.reset(nullptr, caller.arrays);
    for (int round = 0; round < 12; ++round) {
        for (int step = 0; step < 4; ++step) caller.step(env, step);
        if (round % 3 != 0) std::this_thread::sleep_for(std::chrono::milliseconds(round));
        if (round == 2) kept = env.save();
        if (round == 5) load(env, kept);
        if (round == 8) env.seed(4);
        for (std::size_t i = 0; i < wanted.size(); ++i)
            mask[i] = round == 8 || i % 5 == static_cast<std::size_t>(round % 5);
        env.reset(mask.get(), caller.arrays);
        found.insert(found.end(), caller.levels.begin(), caller.levels.end());
        found.push_back(std::accumulate(caller.observations.begin(), caller.observations.end(), std::uint64_t{0}));
    }
    for (const std::uint64_t hash : env.hashes()) found.push_back(hash);
    return found;
}

bool preparing_changes_nothing() {
    for (const bool sequential : {false, true}) {
        const auto alone = interrupted(1, sequential);
        if (interrupted(2, sequential) != alone || interrupted(kThreads, sequential) != alone) return false;
    }
    return true;
}

// A batch with workers that prepare levels.
std::unique_ptr<BatchEnv> preparing_batch() {
    EpisodeOptions one;
    one.game = "coinrun_platforms";
    auto env = std::make_unique<BatchEnv>(std::vector<EpisodeOptions>(8, one), Autoreset::SameStep, kThreads);
    Caller caller(8);
    env->seed(3);
    env->reset(nullptr, caller.arrays);
    return env;
}

bool batches_end_while_they_prepare() {
    for (int round = 0; round < 10; ++round) {
        const std::unique_ptr<BatchEnv> env = preparing_batch();
        std::this_thread::sleep_for(std::chrono::microseconds(round * 500));
    }
    return true;
}

// No call can be made after this.
bool a_batch_ends_after_the_end_of_calls() {
    const std::unique_ptr<BatchEnv> env = preparing_batch();
    end_calls();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return true;
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
    const bool fit = report("prepared levels", prepared_levels_fit());
    const bool unchanged = report("a batch that prepares levels", preparing_changes_nothing());
    const bool ends = report("the end of a batch that prepares", batches_end_while_they_prepare());
    const bool last = report("the end after that of calls", a_batch_ends_after_the_end_of_calls());
    return pool && batches && certificates && shared && fit && unchanged && ends && last ? 0 : 1;
}
