// The contract of a game. A game is one file in games/ and one line in games/registry.cpp.
//
//   reset   builds the level of a seed: the same seed gives the same level, whatever was played before
//   step    advances by one action; is not called after `terminated` until the next reset
//   draw    paints the current moment, for agents (64x64) and people (512x512) alike; it changes nothing that can be
//           observed and owns no random numbers, so looking never changes the game; honours use_backgrounds, and
//           paint_vel_info (Canvas::paint_velocity) where the agent has momentum, while `Art` does the other styles
//   visit   names every field that the future or the picture depends on, each with what it may be (core/archive.h); a
//           state that follows these rules can be drawn and played, whoever made it; a grid is called "grid"
//   describe tells the variables of the moment (core/variables.h): the same names in the same order in all levels of a
//           mode, whatever the other options; NaN where a thing is not there or not seen; like `draw` it only looks
//   certify proves that the level just built can be completed; whatever cannot be is a bug of the game's generator
//
// Time limits, level seeds, autoreset and the copying of arrays are not a game's business: see batch/.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/archive.h"
#include "core/options.h"

namespace wm {

class Canvas;     // core/canvas.h
class Variables;  // core/variables.h

struct StepResult {
    float reward = 0.0f;
    bool terminated = false;
    bool level_complete = false;
};

// What `certify` found out about a level.
struct Certificate {
    bool solvable = true;
    int steps = -1;  // of the solution that was found; -1 where the level asks for none (things come to the agent)
};

class Game {
public:
    virtual ~Game() = default;
    virtual void reset(std::int32_t level_seed) = 0;
    virtual StepResult step(int action) = 0;
    virtual void draw(Canvas& canvas) const = 0;
    virtual void visit(Archive& archive) = 0;
    virtual void describe(Variables& variables) const = 0;
    // Called right after `reset`. Trusts nothing that the generator knows: it searches the level, or plays it.
    virtual Certificate certify() const = 0;
    // Steps of the solution that the generator itself looked for before it let this level pass; -1 where levels are
    // solvable by construction and no solver runs. It belongs to the state, so `visit` names it.
    virtual int solution_length() const { return -1; }
};

constexpr int kNumActions = 15;

// Actions 0 to 8 are the nine directions; 9 to 14 are special actions 1 to 6, which never move.
struct Move {
    int x = 0;        // -1 left, +1 right
    int y = 0;        // -1 down, +1 up
    int special = 0;  // 0 none, 1 D, 2 A, 3 W, 4 S, 5 Q, 6 E
};

inline Move decode_action(int action) {
    if (action >= 9) return {0, 0, action - 8};
    return {action / 3 - 1, action % 3 - 1, 0};
}

// The keys of each action, in words that a keyboard understands, joined by '+'.
constexpr std::array<const char*, kNumActions> kActionKeys = {
    "left+down", "left", "left+up", "down", "", "up", "right+down", "right", "right+up", "d", "a", "w", "s", "q", "e"};

struct ModeInfo {
    Mode mode;
    int time_limit;  // steps; an episode that reaches it is truncated
};

// What is known about a game before one is made.
struct GameInfo {
    const char* name;                                      // "coinrun": command line, YAML, files
    const char* title;                                     // "CoinRun": Gymnasium ids, window titles
    const char* rules;                                     // English prose for people: what one does, and what helps
    const char* rewards;                                   // "+10 for the coin."
    const char* ending;                                    // what ends an episode, time limits apart
    const char* looks;                                     // what varies: "5 runners, 6 grounds, 62 backgrounds"
    std::array<const char*, kNumActions> action_meanings;  // "jump left"; "nothing" where an action has no meaning
    std::vector<ModeInfo> modes;                           // without exploration
    std::int32_t exploration_level = -1;                   // the level seed of exploration mode; -1: not offered
};

// What a game's file gives to the list in games/registry.cpp.
struct GameEntry {
    const GameInfo* info;
    std::unique_ptr<Game> (*make)(const GameOptions& options);
};

// The usual body of a game's `make_...` function.
template <class T>
std::unique_ptr<Game> make_game(const GameOptions& options) {
    return std::make_unique<T>(options);
}

}  // namespace wm
