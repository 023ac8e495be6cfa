// Small functions whose every bit is the same on every machine.
#pragma once

#include <cmath>

namespace wm {

// The largest integer that is not above `value`, without a call into the library.
inline int floor_int(float value) {
    const int truncated = static_cast<int>(value);
    return truncated - (static_cast<float>(truncated) > value ? 1 : 0);
}

// Sine and cosine of an angle in degrees, by a polynomial.
inline float sine(float degrees) {
    float turns = degrees / 360;
    turns -= static_cast<float>(floor_int(turns + 0.5F));  // -1/2 to 1/2
    if (turns > 0.25F) turns = 0.5F - turns;
    if (turns < -0.25F) turns = -0.5F - turns;
    const float x = turns * 6.283185307F, square = x * x;  // -pi/2 to pi/2: Taylor's series up to the 9th power
    return x * (1 - square / 6 * (1 - square / 20 * (1 - square / 42 * (1 - square / 72))));
}

inline float cosine(float degrees) { return sine(degrees + 90); }

// A base of 0 or more to a power of 0 or more: a square root for each binary digit of the exponent's fraction, and
// square roots are exact everywhere.
inline float power(float base, float exponent) {
    float result = 1;
    for (; exponent >= 1; exponent -= 1) result *= base;
    constexpr int kDigits = 16;
    float root = base;
    for (int i = 0; i < kDigits && exponent > 0; ++i) {
        root = std::sqrt(root);
        exponent *= 2;
        if (exponent < 1) continue;
        result *= root;
        exponent -= 1;
    }
    return result;
}

}  // namespace wm
