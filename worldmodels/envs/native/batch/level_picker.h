// Which level comes next.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "core/archive.h"
#include "core/check.h"
#include "core/options.h"
#include "core/rng.h"

namespace wm {

constexpr std::int32_t kLevelLimit = std::numeric_limits<std::int32_t>::max();  // level seeds are below it

class LevelPicker {
public:
    LevelPicker() = default;

    // Pickers of one seed with different indices (of environments) are independent.
    LevelPicker(const LevelOptions& options, std::uint64_t seed, int index)
        : options_(options), random_(seed, static_cast<std::uint64_t>(index) + kFirstStream) {}

    static void check(const LevelOptions& options) {
        if (options.num_levels < 0)
            throw InvalidInput("num_levels is 0 (without limit) or more; received " +
                               std::to_string(options.num_levels) + ".");
        if (options.start_level < 0 || options.start_level > kLevelLimit - std::max(options.num_levels, 1))
            throw InvalidInput("Level seeds are 0 to " + std::to_string(kLevelLimit - 1) + "; received start_level " +
                               std::to_string(options.start_level) + " with num_levels " +
                               std::to_string(options.num_levels) + ".");
    }

    // Uniform, with replacement.
    std::int32_t pick() {
        const int count = options_.num_levels > 0 ? options_.num_levels : kLevelLimit - options_.start_level;
        return options_.start_level + random_.below(count);
    }

    // The level that follows a completed one with `use_sequential_levels`.
    static std::int32_t following(std::int32_t level_seed) {
        constexpr std::int32_t kStride = 997;
        return level_seed < kLevelLimit - kStride ? level_seed + kStride : level_seed - (kLevelLimit - kStride);
    }

    // The range of levels belongs to the environment, not to its state.
    void visit(Archive& archive) { archive("random", random_); }

private:
    static constexpr std::uint64_t kFirstStream = 1000;

    LevelOptions options_;
    Random random_;
};

}  // namespace wm
