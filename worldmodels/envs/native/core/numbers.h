// Small functions whose every bit is the same on every machine.
#pragma once

#include <cmath>

namespace wm {

// The largest integer that is not above `value`, without a call into the library.
inline int floor_int(float value) {
    const int truncated = static_cast<int>(value);
    return truncated - (static_cast<float>(truncated) > value ? 1 : 0);
}

// The same for four numbers, which compilers turn into a few vector instructions.
struct Floors {
    int of[4];
    Floors(float a, float b, float c, float d) {
        const float values[4] = {a, b, c, d};
        for (int i = 0; i < 4; ++i) of[i] = floor_int(values[i]);
    }
};

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

// The direction of (x, y) in degrees, -180 to 180, with an error of a tenth of a degree; 0 where there is none.
inline float direction(float x, float y) {
    const float across = x < 0 ? -x : x, up = y < 0 ? -y : y;
    if (across == 0 && up == 0) return 0;
    const float slope = up < across ? up / across : across / up;  // 0 to 1: half a quadrant
    float degrees = slope * (45 + (1 - slope) * (14.02F + 3.8F * slope));
    if (up > across) degrees = 90 - degrees;
    if (x < 0) degrees = 180 - degrees;
    return y < 0 ? -degrees : degrees;
}

// The nearest of `count` steps of a full turn, 0 to count - 1.
inline int nearest_turn(float degrees, int count) {
    const int turn = floor_int(degrees * static_cast<float>(count) / 360 + 0.5F) % count;
    return turn < 0 ? turn + count : turn;
}

}  // namespace wm
