// What a person can ask of a game. The names are Procgen's.
#pragma once

#include <cstdint>

namespace wm {

enum class Mode : std::uint8_t { Easy, Hard, Extreme, Memory, Exploration };

constexpr Mode kAllModes[] = {Mode::Easy, Mode::Hard, Mode::Extreme, Mode::Memory, Mode::Exploration};

inline const char* name_of(Mode mode) {
    switch (mode) {
        case Mode::Easy: return "easy";
        case Mode::Hard: return "hard";
        case Mode::Extreme: return "extreme";
        case Mode::Memory: return "memory";
        case Mode::Exploration: return "exploration";
    }
    return "";
}

// Options that one game sees. A game never meets Mode::Exploration: it is hard mode on one fixed level.
struct GameOptions {
    Mode mode = Mode::Easy;
    int debug_mode = 0;  // bits, read by coinrun alone: 2 no pits, 4 no crates, 8 no changes of height

    // The rest changes what is seen, never what happens.
    bool center_agent = true;
    bool use_backgrounds = true;
    bool use_generated_assets = false;
    bool use_monochrome_assets = false;
    bool restrict_themes = false;
    bool paint_vel_info = false;
};

// Options about which levels are played.
struct LevelOptions {
    std::int32_t num_levels = 0;   // 0: without limit
    std::int32_t start_level = 0;  // the lowest level seed, with or without a limit
    bool use_sequential_levels = false;
};

}  // namespace wm
