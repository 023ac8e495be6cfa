// The games for a page in a browser: functions with C's interface, of which Emscripten makes the exports of a
// WebAssembly module. Everything about the page is in this file; nothing else knows about it.
//
// A function that can fail returns 0 or a null pointer then, and `engine_error` has the sentence until the next call.
// Text is UTF-8 and ends in a zero. Pointers that are returned hold until the next call with the same game.
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "batch/episode.h"
#include "core/canvas.h"
#include "core/check.h"

namespace {

using namespace wm;

// One game that is played, and what was last asked of it.
struct Played {
    explicit Played(const EpisodeOptions& wanted) : episode(wanted) {}

    Episode episode;
    std::vector<std::uint8_t> frame;
    Bytes state;
};

std::string last_error;

// What `work` returns; `failed` where it threw.
template <class Result, class Work>
Result guarded(Result failed, const Work& work) {
    try {
        last_error.clear();
        return work();
    } catch (const std::exception& error) {
        last_error = error.what();
    } catch (...) {
        last_error = "something was thrown that is no exception";
    }
    return failed;
}

template <class Work>
int succeeds(const Work& work) {
    return guarded(0, [&] {
        work();
        return 1;
    });
}

Mode mode_named(const std::string& name) {
    for (const Mode mode : kAllModes)
        if (name == name_of(mode)) return mode;
    throw InvalidInput("There is no distribution mode '" + printable(name) + "'.");
}

// Sets the option of a name; the names are those of the Python package.
void set_option(EpisodeOptions& wanted, const std::string& name, std::int32_t value) {
    const struct {
        const char* name;
        bool* field;
    } switches[] = {
        {"center_agent", &wanted.options.center_agent},
        {"use_backgrounds", &wanted.options.use_backgrounds},
        {"use_generated_assets", &wanted.options.use_generated_assets},
        {"use_monochrome_assets", &wanted.options.use_monochrome_assets},
        {"restrict_themes", &wanted.options.restrict_themes},
        {"paint_vel_info", &wanted.options.paint_vel_info},
        {"use_sequential_levels", &wanted.levels.use_sequential_levels},
    };
    for (const auto& one : switches)
        if (name == one.name) {
            *one.field = value != 0;
            return;
        }
    if (name == "debug_mode") wanted.options.debug_mode = value;
    else if (name == "num_levels") wanted.levels.num_levels = value;
    else if (name == "start_level") wanted.levels.start_level = value;
    else throw InvalidInput("There is no option '" + printable(name) + "'.");
}

}  // namespace

extern "C" {

const char* engine_error() { return last_error.c_str(); }

// `names` holds the names of `count` options, each with its zero; `values` a number for each, 0 or 1 for switches.
Played* engine_open(const char* game, const char* mode, const char* names, const std::int32_t* values, int count) {
    return guarded<Played*>(nullptr, [&] {
        EpisodeOptions wanted;
        wanted.game = game;
        wanted.options.mode = mode_named(mode);
        for (int i = 0; i < count; ++i, names += std::strlen(names) + 1) set_option(wanted, names, values[i]);
        return new Played(wanted);
    });
}

void engine_close(const Played* game) { delete game; }

// Starts the choice of levels afresh; a seed has 64 bits, in two halves.
void engine_seed(Played* game, std::uint32_t low, std::uint32_t high) {
    game->episode.seed(std::uint64_t{high} << 32 | low, 0);
}

// Begins the next level.
int engine_reset(Played* game) {
    return succeeds([&] { game->episode.reset(); });
}

int engine_step(Played* game, int action) {
    return succeeds([&] {
        if (action < 0 || action >= kNumActions)
            throw InvalidInput("Actions are integers from 0 to " + std::to_string(kNumActions - 1) + "; received " +
                               std::to_string(action) + ".");
        game->episode.step(action);
    });
}

// The moment as `size` rows of `size` pixels, each red, green and blue: 64 for what models see, 512 for people.
const std::uint8_t* engine_frame(Played* game, int size) {
    return guarded<const std::uint8_t*>(nullptr, [&] {
        game->frame.resize(static_cast<std::size_t>(size) * static_cast<std::size_t>(size) * 3);
        game->episode.draw(game->frame.data(), size);
        return game->frame.data();
    });
}

float engine_reward(const Played* game) { return game->episode.reward(); }
int engine_terminated(const Played* game) { return game->episode.terminated() ? 1 : 0; }
int engine_truncated(const Played* game) { return game->episode.truncated() ? 1 : 0; }
int engine_level(const Played* game) { return game->episode.level_seed(); }
int engine_level_complete(const Played* game) { return game->episode.previous_level_complete() ? 1 : 0; }

// Everything that the future depends on; its length is `engine_state_size` after this call.
const std::uint8_t* engine_save(Played* game) {
    return guarded<const std::uint8_t*>(nullptr, [&] {
        game->state = game->episode.save();
        return game->state.data();
    });
}

int engine_state_size(const Played* game) { return static_cast<int>(game->state.size()); }

// All or nothing: a state that is refused changes nothing.
int engine_load(Played* game, const std::uint8_t* data, int size) {
    return succeeds([&] { game->episode.load(data, static_cast<std::size_t>(size)); });
}

}  // extern "C"
