// Loads states that were tampered with, for scripts/sanitize: whatever is let in must be safe to draw and to play, and
// whatever is refused must leave the game as it was. Prints a table, and fails with the seed of the first state that
// breaks a promise. A crash or a report of a sanitizer ends the process; the line before it names game and seed.
//
// usage: state_fuzz [STATES [SEED [GAME]]]     default: 20000 states over all games and modes, seed 1
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "batch/episode.h"
#include "core/check.h"
#include "games/registry.h"

namespace {

using namespace wm;

constexpr std::size_t kEnvelope = 56, kSize = 8, kChecksum = 16, kChecked = 24;  // offsets: batch/state.cpp
constexpr unsigned kLongest = 20;                                                // seconds for one state
constexpr int kMoments = 24;                                                     // honest states of each kind
constexpr int kStepsBetween = 17;
constexpr int kStepsAfter = 40;

// What is being tried, for whoever looks at a crash or a hang.
char current[256] = "";

void say(const char* what) {
    const auto ignored = write(STDERR_FILENO, current, std::strlen(current));
    const auto also_ignored = write(STDERR_FILENO, what, std::strlen(what));
    static_cast<void>(ignored + also_ignored);
}

extern "C" void on_alarm(int) {
    say(": takes too long\n");
    _exit(3);
}

extern "C" void on_death() { say(": the end\n"); }

// What tampers: a choice of numbers that are at the edge of something.
constexpr std::uint32_t kWords[] = {0x00000000, 0x00000001, 0xFFFFFFFF, 0x7FFFFFFF, 0x80000000, 0x00000100, 0x0000FFFF,
                                    0x7FC00000, 0x7F800000, 0xFF800000, 0x7149F2CA, 0xF149F2CA, 0x00000002, 0x000003E8,
                                    0x41200000, 0xC1200000, 0x42C80000, 0x3F800000, 0xBF800000, 0x80000001, 0x00002710,
                                    0x447A0000, 0x4B800000, 0x4F000000, 0xCF000000, 0x00800000, 0x3F000000, 0x40A00000};
constexpr std::uint8_t kBytes[] = {0, 1, 2, 3, 5, 10, 0x7F, 0x80, 0xFE, 0xFF};

template <class T, std::size_t kCount>
T one_of(const T (&values)[kCount], Random& random) {
    return values[random.below(static_cast<int>(kCount))];
}

std::size_t place_in(const Bytes& state, std::size_t room, Random& random) {
    if (state.size() <= kEnvelope + room) return kEnvelope;
    return kEnvelope + static_cast<std::size_t>(random.below(static_cast<int>(state.size() - kEnvelope - room)));
}

void change_word(Bytes& state, Random& random) {
    const std::size_t at = place_in(state, 4, random);
    if (at + 4 > state.size()) return;
    std::uint32_t word = 0;
    std::memcpy(&word, &state[at], 4);
    switch (random.below(4)) {
        case 0: word = one_of(kWords, random); break;
        case 1: word += static_cast<std::uint32_t>(random.between(-40, 41)); break;
        case 2: word ^= 1u << random.below(32); break;
        default: {  // a float that stays near
            float value = 0;
            std::memcpy(&value, &word, 4);
            value = value * random.uniform(-2, 2) + random.uniform(-1, 1);
            std::memcpy(&word, &value, 4);
        }
    }
    std::memcpy(&state[at], &word, 4);
}

void change_bytes(Bytes& state, Random& random) {
    const std::size_t at = place_in(state, 1, random);
    if (at >= state.size()) return;
    if (random.coin()) state[at] = one_of(kBytes, random);
    else state[at] = static_cast<std::uint8_t>(state[at] ^ 1u << random.below(8));
}

// The beginning of one state and the end of another, at the same place from the front or from the back.
void splice(Bytes& state, const Bytes& other, Random& random) {
    const std::size_t at = place_in(state, 1, random), left = state.size() - at;
    const std::size_t from = random.coin() || left > other.size() ? at : other.size() - left;
    if (from < kEnvelope || from >= other.size()) return;
    state.resize(at);
    state.insert(state.end(), other.begin() + static_cast<std::ptrdiff_t>(from), other.end());
}

void cut_or_grow(Bytes& state, Random& random) {
    if (random.coin())
        state.resize(state.size() + static_cast<std::size_t>(1 + random.below(40)), one_of(kBytes, random));
    else state.resize(place_in(state, 0, random));
}

void seal(Bytes& state) {
    const std::uint64_t size = state.size();
    std::memcpy(&state[kSize], &size, sizeof(size));
    const std::uint64_t checksum = Archive::hash_bytes(&state[kChecked], state.size() - kChecked);
    std::memcpy(&state[kChecksum], &checksum, sizeof(checksum));
}

Bytes tampered(const std::vector<Bytes>& honest, Random& random) {
    const auto any = [&]() -> const Bytes& { return honest[static_cast<std::size_t>(random.below(kMoments))]; };
    Bytes state = any();
    const int changes = 1 + (random.coin() ? 0 : random.below(6));
    for (int i = 0; i < changes; ++i) {
        const int choice = random.below(20);
        if (choice < 11) change_word(state, random);
        else if (choice < 17) change_bytes(state, random);
        else if (choice < 19) splice(state, any(), random);
        else cut_or_grow(state, random);
    }
    if (random.below(50) == 0) {  // the envelope too, but for its size and its checksum
        const int at = random.below(static_cast<int>(kEnvelope));
        state[static_cast<std::size_t>(at)] = one_of(kBytes, random);
    }
    if (state.size() >= kEnvelope) seal(state);
    return state;
}

struct Kind {
    EpisodeOptions options;
    std::string name;
};

std::vector<Kind> all_kinds(const char* only) {
    std::vector<Kind> kinds;
    for (const GameEntry& entry : all_games()) {
        if (only != nullptr && std::strcmp(only, entry.info->name) != 0) continue;
        const auto add = [&](Mode mode, int debug_mode, int looks) {
            Kind kind;
            kind.options.game = entry.info->name;
            kind.options.options.mode = mode;
            kind.options.options.debug_mode = debug_mode;
            kind.options.options.center_agent = looks % 2 == 0;
            kind.options.options.use_generated_assets = looks == 1;
            kind.options.options.use_monochrome_assets = looks == 2;
            kind.options.options.restrict_themes = looks == 3;
            kind.options.options.paint_vel_info = looks != 0;
            kind.options.levels.use_sequential_levels = looks == 2;
            kind.name = std::string(entry.info->name) + " " + name_of(mode) + " looks " + std::to_string(looks);
            kinds.push_back(kind);
        };
        int looks = 0;
        for (const ModeInfo& mode : entry.info->modes) add(mode.mode, 0, looks++ % 4);
        add(entry.info->modes.back().mode, 0, 3);
        add(entry.info->modes.front().mode, 6, 2);
        if (entry.info->exploration_level >= 0) add(Mode::Exploration, 0, 0);
    }
    return kinds;
}

void step(Episode& episode, Random& random) {
    if (episode.over()) episode.reset();
    else episode.step(random.below(kNumActions));
}

std::vector<Bytes> honest_states(const Kind& kind, Random& random) {
    Episode episode(kind.options);
    episode.seed(random.next(), 0);
    std::vector<Bytes> states = {episode.save()};
    episode.reset();
    while (static_cast<int>(states.size()) < kMoments) {
        states.push_back(episode.save());
        const int held = random.below(kNumActions);
        for (int i = 0; i < kStepsBetween; ++i) {
            if (episode.over()) step(episode, random);
            else episode.step(random.below(3) == 0 ? random.below(kNumActions) : held);
        }
    }
    return states;
}

struct Count {
    int refused = 0, let_in = 0, refused_later = 0;
};

[[noreturn]] void fail(const char* what) {
    say(": ");
    say(what);
    say("\n");
    std::abort();
}

// Everything that a caller may do with an environment.
void use(Episode& episode, const Bytes& state, std::vector<float>& row, Random& random, Count& count) {
    std::vector<std::uint8_t> pixels(std::size_t{512} * 512 * 3);
    if (episode.save() != state) fail("what was let in is saved as something else");
    const std::uint64_t hash = episode.hash();
    episode.fields();
    const bool shown = state[kEnvelope + 16 + 4 + 3] != 0;  // Episode's `started`
    if (shown) episode.draw(pixels.data(), 64);
    if (shown) episode.describe(row.data(), row.size());
    if (shown && random.below(32) == 0) episode.draw(pixels.data(), 512);
    if (episode.hash() != hash) fail("looking changes it");
    if (!shown) episode.reset();
    for (int i = 0; i < kStepsAfter; ++i) {
        step(episode, random);
        if (i % 8 == 0) episode.draw(pixels.data(), 64);
        if (i % 8 == 0) episode.describe(row.data(), row.size());
        episode.solution_length();
    }
    const Bytes later = episode.save();
    try {
        episode.load(later.data(), later.size());  // what a forged state becomes may be refused, but must not break
    } catch (const InvalidState&) {
        ++count.refused_later;
    }
    if (episode.save() != later) fail("loading what was just saved changes it");
}

void try_one(Episode& episode, const Bytes& state, std::vector<float>& row, Random& random, Count& count) {
    const Bytes before = episode.save();
    try {
        episode.load(state.data(), state.size());
    } catch (const InvalidState&) {
        ++count.refused;
        if (episode.save() != before) fail("a refused state left something behind");
        return;
    }
    ++count.let_in;
    use(episode, state, row, random, count);
}

}  // namespace

#if defined(__SANITIZE_ADDRESS__)
extern "C" void __sanitizer_set_death_callback(void (*callback)());
#endif

int main(int count, char** arguments) {
    const long states = count > 1 ? std::strtol(arguments[1], nullptr, 10) : 20000;
    const long seed = count > 2 ? std::strtol(arguments[2], nullptr, 10) : 1;
    const std::vector<Kind> kinds = all_kinds(count > 3 ? arguments[3] : nullptr);
    if (states < 1 || kinds.empty()) {
        std::fprintf(stderr, "usage: state_fuzz [STATES [SEED [GAME]]]\n");
        return 2;
    }
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_set_death_callback(on_death);
#endif
    std::signal(SIGALRM, on_alarm);
    const long each = (states + static_cast<long>(kinds.size()) - 1) / static_cast<long>(kinds.size());
    std::printf("%-36s %9s %9s %9s %9s\n", "game", "states", "refused", "let in", "later");
    for (const Kind& kind : kinds) {
        Random random(static_cast<std::uint64_t>(seed), 1);
        const std::vector<Bytes> honest = honest_states(kind, random);
        Episode episode(kind.options);
        std::vector<float> row(variables_of(kind.options.game, kind.options.options.mode).size());
        Count counted;
        for (long i = 0; i < each; ++i) {
            Random own(static_cast<std::uint64_t>(seed), 2 + static_cast<std::uint64_t>(i));
            std::snprintf(current, sizeof(current), "%s, seed %ld, state %ld", kind.name.c_str(), seed, i);
            alarm(kLongest);
            if (i % 512 == 0) {  // what plays on has been far from honest
                episode = Episode(kind.options);
                episode.seed(static_cast<std::uint64_t>(i), 0);
            }
            try_one(episode, tampered(honest, own), row, own, counted);
        }
        alarm(0);
        std::printf("%-36s %9ld %9d %9d %9d\n", kind.name.c_str(), each, counted.refused, counted.let_in,
                    counted.refused_later);
        std::fflush(stdout);
    }
    return 0;
}
