// N games that step together and write into the caller's arrays.
//
// The outcome does not depend on the number of threads. When a game fails, the others still take their step; then an
// exception names the failed one, and the batch can be used on.
//
// Calls may come from any thread, one at a time: each throws ConcurrentUse while another one is under way.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "batch/call.h"
#include "batch/episode.h"
#include "batch/failures.h"
#include "batch/thread_pool.h"

namespace wm {

constexpr int kObservationSize = 64;  // pixels per side
constexpr std::size_t kObservationBytes = kObservationSize * kObservationSize * 3;

// When the next episode of an environment begins:
//   NextStep  the step after the last one begins it; that step's action is ignored and its reward is 0
//   SameStep  the last step begins it at once; the last observation goes into `final_observations`
//   Disabled  the caller asks for it
enum class Autoreset { NextStep, SameStep, Disabled };

// Arrays of one call, each with one row per environment, contiguous, owned by the caller.
struct BatchArrays {
    std::uint8_t* observations = nullptr;  // (N, 64, 64, 3)
    float* rewards = nullptr;
    bool* terminated = nullptr;
    bool* truncated = nullptr;
    std::int32_t* level_seeds = nullptr;
    std::int32_t* solutions = nullptr;  // steps, of the level that is shown; -1 where no solver ran
    std::int32_t* previous_level_seeds = nullptr;
    bool* previous_level_complete = nullptr;
    std::uint8_t* final_observations = nullptr;  // SameStep only; rows of unfinished episodes are left alone
};

// Something went wrong inside one game.
class GameError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

class BatchEnv {
public:
    // One environment per element, so games may be mixed. More threads than environments are not started. Throws
    // InvalidInput.
    BatchEnv(const std::vector<EpisodeOptions>& wanted, Autoreset autoreset, int threads);

    int size() const { return static_cast<int>(episodes_.size()); }
    const GameInfo& info(int index) const { return episodes_[static_cast<std::size_t>(index)].info(); }

    // One seed, of which each environment gets a stream of its own.
    void seed(std::uint64_t seed);
    // One seed per environment: each chooses its levels as it would alone.
    void seed_each(const std::vector<std::uint64_t>& seeds);
    // Begins new episodes where `mask` is true (everywhere if it is nullptr) and writes every row.
    void reset(const bool* mask, const BatchArrays& arrays);
    // Actions are 0 to kNumActions - 1, which is for the caller to check.
    void step(const std::int32_t* actions, const BatchArrays& arrays);
    // Writes the current moment of every environment; changes nothing.
    void observe(const BatchArrays& arrays);
    // Writes the variables of the current moments, `count` for each environment, row by row; changes nothing.
    void describe(float* rows, int count);

    // One environment. An index that does not exist throws std::out_of_range.
    void draw(int index, std::uint8_t* pixels, int size);
    Bytes save(int index);
    Archive::Fields fields(int index);

    // All environments. `load` is all or nothing: when a state is refused, all stay as they were. Throws InvalidState.
    std::vector<Bytes> save();
    void load(const std::vector<std::string_view>& states);
    std::vector<std::uint64_t> hashes();

private:
    Episode& episode(int index) { return episodes_[static_cast<std::size_t>(index)]; }
    Episode& checked_episode(int index);
    template <class Work>
    void for_each(const Work& work);
    void step_one(int index, int action, const BatchArrays& arrays);
    void report(int index, const BatchArrays& arrays);
    void write(const BatchArrays& arrays) const;
    bool prepare_level();

    // What a row of the arrays will say, images apart. Threads that step neighbours would fight for the arrays' cache
    // lines, so the caller copies the rows in the end.
    struct alignas(32) Report {
        float reward = 0.0f;
        bool terminated = false, truncated = false, previous_level_complete = false;
        std::int32_t level_seed = 0, solution = -1, previous_level_seed = 0;
    };

    IndexSet waiting_levels_;  // environments whose next level a worker may prepare
    std::vector<Episode> episodes_;
    std::vector<Report> reports_;
    Autoreset autoreset_;
    ThreadPool pool_;
    Failures failures_;
    std::atomic<bool> in_use_{false};
};

}  // namespace wm
