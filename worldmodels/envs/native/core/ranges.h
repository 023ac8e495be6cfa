// What a field of a state may be. A game gives a rule to every number that it names in `visit` (core/archive.h):
//
//     archive("theme", theme_, below(kThemes))("steps", steps_, step_count())("x", x_, within(0, kWidth));
//
// States travel in recordings and packs, so they are input. Rules are tight enough that a game can draw and play
// whatever they let in, and wide enough for whatever play leads to. None lets in a float that is not finite.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <type_traits>

namespace wm {

// Steps. Every time limit is below it, so every counter of steps and every age is too; there is room to count on.
constexpr int kLongestEpisode = 10000;

template <class T>
std::string number_text(T value) {
    if constexpr (std::is_integral_v<T>) {
        return std::to_string(value);
    } else {
        char text[32];
        std::snprintf(text, sizeof(text), "%.7g", static_cast<double>(value));
        return text;
    }
}

// A range that includes both ends.
template <class T>
struct Within {
    T low = 0, high = 0;

    template <class Field>
    bool allows(Field value) const {
        static_assert(std::is_floating_point_v<Field> || std::is_integral_v<T>, "an integer has a range of integers");
        if constexpr (std::is_floating_point_v<Field>)
            return value >= static_cast<Field>(low) && value <= static_cast<Field>(high);  // never true for a NaN
        else return value >= low && value <= high;
    }
    // Whole numbers may bound a float.
    template <class Wider, class = std::enable_if_t<std::is_integral_v<T> && std::is_floating_point_v<Wider>>>
    constexpr operator Within<Wider>() const {
        return {static_cast<Wider>(low), static_cast<Wider>(high)};
    }
    std::string text() const { return low == high ? number_text(low) : number_text(low) + " to " + number_text(high); }
};

using IntRange = Within<std::int64_t>;
using FloatRange = Within<float>;

template <class A, class B>
constexpr auto within(A low, B high) {
    if constexpr (std::is_floating_point_v<A> || std::is_floating_point_v<B>)
        return FloatRange{static_cast<float>(low), static_cast<float>(high)};
    else return IntRange{static_cast<std::int64_t>(low), static_cast<std::int64_t>(high)};
}

// 0 to count - 1: an index, a theme, an enumerator.
constexpr IntRange below(std::int64_t count) { return {0, count - 1}; }

template <class T>
constexpr auto exactly(T value) {
    return within(value, value);
}

// A speed or a distance, to either side.
constexpr FloatRange either_way(float most) { return {-most, most}; }

// A part of something whole.
constexpr FloatRange share() { return {0, 1}; }

// A counter of steps, or an age.
constexpr IntRange step_count() { return {0, kLongestEpisode}; }

// Steps of the solution that a generator found, -1 where it looked for none.
constexpr IntRange solution_steps() { return {-1, kLongestEpisode}; }

// Noise, of which every word is as good as another.
struct Anything {
    template <class Field>
    bool allows(Field) const {
        static_assert(std::is_unsigned_v<Field> && sizeof(Field) >= 4, "only words of noise can be anything");
        return true;
    }
    static std::string text() { return "anything"; }
};
constexpr Anything anything() { return {}; }

struct Odd {
    template <class Field>
    bool allows(Field value) const {
        return value % 2 == 1;
    }
    static std::string text() { return "an odd number"; }
};
constexpr Odd odd() { return {}; }

}  // namespace wm
