#include "core/archive.h"

namespace wm {

std::string Archive::path(const Step& step) {
    const std::string outer = step.outer == nullptr ? "" : path(*step.outer) + '/';
    return outer + (step.name == nullptr ? std::to_string(step.index) : step.name);
}

void Archive::refuse(const Step& step, const std::string& value, const std::string& allowed) {
    throw InvalidState("The saved state does not hold together: its field '" + path(step) + "' is " + value +
                       ", and must be " + allowed + ".");
}

void Archive::refuse_short(const Step& step) {
    throw InvalidState("The saved state does not hold together at its field '" + path(step) + "'.");
}

}  // namespace wm
