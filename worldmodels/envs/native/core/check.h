// Errors of the native side. Each arrives in Python as an exception with the same text.
#pragma once

#include <stdexcept>
#include <string>

namespace wm {

// A value from outside is not allowed: the text says the fact, the rule, and what was received.
class InvalidInput : public std::invalid_argument {
public:
    using std::invalid_argument::invalid_argument;
};

// A saved state cannot be restored here: the text says why.
class InvalidState : public std::invalid_argument {
public:
    using std::invalid_argument::invalid_argument;
};

// For what must hold between several fields of a state; `what` goes on with "The saved state does not hold together:".
inline void require_state(bool holds, const char* what) {
    if (!holds) throw InvalidState(std::string("The saved state does not hold together: ") + what + ".");
}

// Text from outside, for messages: whatever is not printable ASCII becomes \x and its number, so that a message is
// always UTF-8.
inline std::string printable(const std::string& text) {
    constexpr char kDigits[] = "0123456789abcdef";
    std::string result;
    for (const char character : text) {
        const auto byte = static_cast<unsigned char>(character);
        if (byte >= 0x20 && byte < 0x7F) result += character;
        else result += {'\\', 'x', kDigits[byte / 16], kDigits[byte % 16]};
    }
    return result;
}

}  // namespace wm
