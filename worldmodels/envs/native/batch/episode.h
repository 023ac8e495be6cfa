// One environment of a batch: a game, the choice of its levels, its clock, and what was last reported about it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "batch/level_picker.h"
#include "batch/next_level.h"
#include "batch/state.h"
#include "core/canvas.h"
#include "core/game.h"
#include "core/variables.h"

namespace wm {

// Lines of the table of games, and of a game's table of modes. Throw InvalidInput where there is none.
const GameEntry& entry_of(const std::string& name);
const ModeInfo& mode_of(const GameInfo& info, Mode mode);

// What a person asks for: a name of the table, and options.
struct EpisodeOptions {
    std::string game;
    GameOptions options;
    LevelOptions levels;
};

// Names and units of what `Episode::describe` writes. Throws InvalidInput.
std::vector<Variables::Info> variables_of(const std::string& game, Mode mode);

class Episode {
public:
    // Exploration mode becomes hard mode on the game's own fixed level. Throws InvalidInput.
    explicit Episode(const EpisodeOptions& wanted);

    // Lets other threads build levels ahead: while one waits for that, `index` is in `waiting`, and whoever takes it
    // out calls `prepare`, at any time. Where there is but one level, it never is.
    void prepare_ahead(IndexSet& waiting, std::size_t index);
    void prepare() { next_level_->prepare(); }

    // Starts the choice of levels afresh; the next `reset` begins the first of them.
    void seed(std::uint64_t seed, int index);
    // Begins the next level and forgets the episode before, except for its level seed.
    void reset();
    // The same, but what the last step reported can still be read.
    void begin_next();
    // Throws std::logic_error when the episode is over.
    void step(int action);

    bool over() const { return over_; }
    float reward() const { return result_.reward; }
    bool terminated() const { return result_.terminated; }
    bool truncated() const { return truncated_; }
    // Of the level that is shown, and of the one in which the last step was taken.
    std::int32_t level_seed() const { return level_seed_; }
    std::int32_t previous_level_seed() const { return previous_seed_; }
    // Steps, of the level that is shown: see Game.
    int solution_length() const { return game_->solution_length(); }
    bool previous_level_complete() const { return result_.level_complete; }

    // Throws std::logic_error before the first episode.
    void draw(std::uint8_t* pixels, int size) const;
    // Writes `count` numbers. Throws std::logic_error where the game has another number of variables.
    void describe(float* row, std::size_t count) const;
    Bytes save();
    // All or nothing: when the state is refused, everything stays as it was.
    void load(const std::uint8_t* data, std::size_t size);
    // Goes back to what `save` gave in this process, unchecked.
    void restore(const Bytes& state);
    std::uint64_t hash();
    Archive::Fields fields();
    const GameInfo& info() const { return *info_; }

private:
    void visit(Archive& archive);
    void begin_level(std::int32_t level_seed);
    bool only_one_level() const { return levels_.num_levels == 1 && !levels_.use_sequential_levels; }
    std::int32_t foreseen_level() const;
    void check_started() const;

    const GameInfo* info_;
    GameOptions options_;
    StateRules rules_;
    LevelOptions levels_;
    int time_limit_;
    std::unique_ptr<Game> game_;
    std::unique_ptr<NextLevel> next_level_;  // nullptr where nobody prepares any
    LevelPicker picker_;
    StepResult result_;
    bool truncated_ = false;
    bool started_ = false;
    bool over_ = false;
    std::int32_t level_seed_ = 0, previous_seed_ = 0;
    std::int32_t clock_ = 0;
    Bytes only_level_;  // where there is but one level: its beginning, which is built once
};

}  // namespace wm
