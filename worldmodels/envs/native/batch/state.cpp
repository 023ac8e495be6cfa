#include "batch/state.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "core/archive.h"
#include "core/check.h"

namespace wm {
namespace {

constexpr std::uint32_t kMagic = 0x53474D57;  // "WMGS"
constexpr std::uint32_t kVersion = 2;         // raise it when a game's fields change, or a look is taken away

// Only fixed-width fields without gaps, so that every byte is defined.
struct Envelope {
    std::uint32_t magic;
    std::uint32_t version;
    std::uint64_t size;      // of the whole state
    std::uint64_t checksum;  // of everything after this field
    char game[24];           // padded with zeros
    std::int32_t mode;
    std::int32_t debug_mode;
};
constexpr std::size_t kChecked = 24;  // offset of what the checksum covers
static_assert(sizeof(Envelope) == 56);

std::uint64_t checksum(const std::uint8_t* data, std::size_t size) {
    return Archive::hash_bytes(data + kChecked, size - kChecked);
}

std::string described(const std::string& game, int mode, int debug_mode) {
    const bool known = mode >= 0 && mode <= static_cast<int>(Mode::Exploration);
    std::string text = printable(game) + " (" + (known ? name_of(static_cast<Mode>(mode)) : "unknown mode");
    if (debug_mode != 0) text += ", debug_mode " + std::to_string(debug_mode);
    return text + ")";
}

}  // namespace

Bytes begin_state() {
    Bytes state;
    state.reserve(2048);
    state.resize(sizeof(Envelope));
    return state;
}

void seal_state(Bytes& state, const StateRules& rules) {
    Envelope envelope{kMagic, kVersion, state.size(), 0, {}, static_cast<std::int32_t>(rules.mode), rules.debug_mode};
    rules.game.copy(envelope.game, sizeof(envelope.game) - 1);
    std::memcpy(state.data(), &envelope, sizeof(envelope));
    envelope.checksum = checksum(state.data(), state.size());
    std::memcpy(state.data(), &envelope, sizeof(envelope));
}

std::size_t open_state(const std::uint8_t* data, std::size_t size, const StateRules& rules) {
    Envelope envelope;
    if (size < sizeof(envelope))
        throw InvalidState("The saved state is truncated: it has " + std::to_string(size) +
                           " bytes, fewer than any state.");
    std::memcpy(&envelope, data, sizeof(envelope));
    if (envelope.magic != kMagic)
        throw InvalidState("These bytes are not a saved state of a game: they begin differently.");
    if (envelope.version != kVersion)
        throw InvalidState("The saved state has format version " + std::to_string(envelope.version) +
                           "; this build reads version " + std::to_string(kVersion) + ".");
    if (envelope.size != size)
        throw InvalidState("The saved state is truncated or has a tail: it says " + std::to_string(envelope.size) +
                           " bytes and has " + std::to_string(size) + ".");
    if (envelope.checksum != checksum(data, size))
        throw InvalidState("The saved state is corrupted: its contents do not agree with its checksum.");
    const std::string game(envelope.game, strnlen(envelope.game, sizeof(envelope.game)));
    const bool padded =
        std::all_of(envelope.game + game.size(), std::end(envelope.game), [](char c) { return c == 0; });
    if (!padded) throw InvalidState("The saved state has a tail behind the name of its game, " + printable(game) + ".");
    if (game != rules.game || envelope.mode != static_cast<int>(rules.mode) || envelope.debug_mode != rules.debug_mode)
        throw InvalidState("The saved state is of " + described(game, envelope.mode, envelope.debug_mode) +
                           "; this environment plays " +
                           described(rules.game, static_cast<int>(rules.mode), rules.debug_mode) + ".");
    return sizeof(envelope);
}

}  // namespace wm
