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

}  // namespace wm
