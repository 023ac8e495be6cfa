// Random numbers that are the same on every machine: PCG32 (O'Neill, 2014) and our own draws from it.
// The standard library's distributions differ between implementations, so none is used.
#pragma once

#include <cstdint>

#include "core/ranges.h"

namespace wm {

class Random {
public:
    Random() = default;

    // Generators of one seed with different `stream` numbers are independent of each other.
    Random(std::uint64_t seed, std::uint64_t stream) : state_(0), increment_((stream << 1) | 1) {
        next();
        state_ += mixed(seed);
        next();
    }

    std::uint32_t next() {
        const std::uint64_t old = state_;
        state_ = old * 6364136223846793005ULL + increment_;
        const auto xorshifted = static_cast<std::uint32_t>(((old >> 18) ^ old) >> 27);
        const auto rotation = static_cast<std::uint32_t>(old >> 59);
        return (xorshifted >> rotation) | (xorshifted << ((32 - rotation) & 31));
    }

    // Uniform real in [0, 1): 24 bits, so that every value is an exact float and 1 never occurs.
    float uniform() { return static_cast<float>(next() >> 8) * (1.0f / 16777216.0f); }

    // Uniform real between low (included) and high.
    float uniform(float low, float high) { return low + (high - low) * uniform(); }

    // Uniform integer in [0, count), without bias (Lemire's method). `count` is at least 1.
    int below(int count) {
        const auto bound = static_cast<std::uint32_t>(count);
        std::uint64_t product = static_cast<std::uint64_t>(next()) * bound;
        if (static_cast<std::uint32_t>(product) < bound) {
            const std::uint32_t threshold = (0u - bound) % bound;
            while (static_cast<std::uint32_t>(product) < threshold)
                product = static_cast<std::uint64_t>(next()) * bound;
        }
        return static_cast<int>(product >> 32);
    }

    // Uniform integer in [low, high): the upper bound is excluded.
    int between(int low, int high) { return low + below(high - low); }

    bool coin() { return (next() >> 31) != 0; }
    bool chance(float probability) { return uniform() < probability; }

    // With an even increment the generator could get stuck, and whoever waits for a number that fits would wait for
    // ever.
    template <class Archive>
    void visit(Archive& archive) {
        archive("state", state_, anything())("increment", increment_, odd());
    }

private:
    // SplitMix64's finaliser: neighbouring level seeds start far apart.
    static std::uint64_t mixed(std::uint64_t value) {
        value += 0x9E3779B97F4A7C15ULL;
        value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ULL;
        value = (value ^ (value >> 27)) * 0x94D049BB133111EBULL;
        return value ^ (value >> 31);
    }

    std::uint64_t state_ = 0;
    std::uint64_t increment_ = 1;
};

// The three streams of an episode, all from the level seed:
//   level  builds the level (layout, themes' consequences); used in reset only
//   play   everything that happens afterwards and matters (spawns, aim, choices of enemies)
//   look   everything that is only seen (themes, backgrounds, effects): the rules never read it
struct Streams {
    Random level, play, look;

    explicit Streams(std::int32_t level_seed = 0)
        : level(static_cast<std::uint32_t>(level_seed), 1),
          play(static_cast<std::uint32_t>(level_seed), 2),
          look(static_cast<std::uint32_t>(level_seed), 3) {}

    // `level` is spent when reset returns, so it is not part of a state.
    template <class Archive>
    void visit(Archive& archive) {
        archive("play", play)("look", look);
    }
};

}  // namespace wm
