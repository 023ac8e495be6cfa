// Thirteen pieces of the night sky: nebulae, stars, now and then a planet.
#include "art/details.h"
#include "art/scenery.h"

namespace wm::art {
namespace {

enum class Body { None, Planet, Ringed, Moons };

struct SpaceLook {
    std::uint32_t deep, nebula, gleam;
    Body body;
    std::uint32_t planet;
};

constexpr SpaceLook kSpaceLooks[kSpaces] = {
    {0x0A0E24, 0x24305E, 0x3C5A8C, Body::None, 0},          {0x120A22, 0x40225A, 0x7A3A78, Body::Planet, 0xB56A5A},
    {0x06141C, 0x12404A, 0x2E7A78, Body::None, 0},          {0x140C10, 0x4A2028, 0x8A4A3A, Body::Ringed, 0xC9A06A},
    {0x0A0A14, 0x2A2A40, 0x565A78, Body::Moons, 0x8890A8},  {0x0C0820, 0x2E1E6A, 0x5A4AB0, Body::Planet, 0x5A86B8},
    {0x08120C, 0x1E4030, 0x4A7A4E, Body::Ringed, 0x7AA07A}, {0x160A1A, 0x5A1E4A, 0x9A4A6A, Body::None, 0},
    {0x081020, 0x1A3A6A, 0x3A7AA8, Body::Moons, 0xB0A080},  {0x120E08, 0x40301A, 0x86683A, Body::Planet, 0xA87A4A},
    {0x0E0A1C, 0x30285A, 0x4A6A8A, Body::Ringed, 0x9A7AB8}, {0x060A10, 0x16242E, 0x3A5058, Body::Planet, 0x6A8A9A},
    {0x100818, 0x3A1A5A, 0x2A6A8A, Body::None, 0}};

void paint_stars(Painter& p, std::uint32_t seed) {
    constexpr int kStars = 150;
    for (int i = 0; i < kStars; ++i) {
        const float x = kSceneryWidth * chance(i, 0, seed), y = kSceneryHeight * chance(i, 1, seed);
        const float rank = chance(i, 2, seed), size = 0.18F + 0.5F * rank * rank * rank;
        const Tint tint = Tint::hsv(chance(i, 3, seed) < 0.5F ? 0.6F : 0.1F, 0.25F, 1, 0.2F + 0.3F * rank);
        repeat_around(x, y, 5, [&](float u, float v) {
            if (rank > 0.9F) p.glow(u, v, 3.2F, tint.faded(0.35F));
            p.fill(Shape::circle(u, v, size), tint);
        });
    }
}

void paint_planet(Painter& p, float x, float y, float radius, const Tint& tint, std::uint32_t seed) {
    repeat_around(x, y, 2 * radius, [&](float u, float v) {
        p.glow(u, v, 1.35F * radius, tint.faded(0.35F));
        const Point lit = {u - 0.45F * radius, v - 0.45F * radius};
        p.fill(Shape::circle(u, v, radius), Fill::radial(tint.lighter(0.1F), tint.darker(0.82F), lit, 1.7F * radius)
                                                .grained(0.05F, 0.35F * radius, seed));
    });
}

void paint_ring(Painter& p, float x, float y, float radius, const Tint& tint, bool front) {
    repeat_around(x, y, 2 * radius, [&](float u, float v) {
        // An ellipse in short lines: only the half in front of the planet, or only the one behind.
        constexpr int kSteps = 24;
        const auto at = [&](int i) {
            const float angle = (front ? 0.0F : 180.0F) + 180 * static_cast<float>(i) / kSteps;
            const float a = 1.75F * radius * cosine(angle), b = 0.42F * radius * sine(angle);
            return Point{u + a - 0.25F * b, v + b + 0.25F * a};
        };
        for (int i = 0; i < kSteps; ++i) p.fill(Shape::line(at(i), at(i + 1), 0.16F * radius), tint);
    });
}

}  // namespace

void paint_space(Painter& p, int variant) {
    const SpaceLook& look = kSpaceLooks[variant];
    const auto seed = static_cast<std::uint32_t>(300 + variant * 10);
    const Tint deep = Tint::hex(look.deep), nebula = Tint::hex(look.nebula), gleam = Tint::hex(look.gleam);
    const Shape everything = Shape::rectangle(0, 0, kSceneryWidth, kSceneryHeight);
    p.fill(everything, Fill::clouds(deep, nebula, 25, seed, {8, 6}));
    p.fill(everything, Fill::clouds(gleam.faded(0), gleam.faded(0.55F), 50, seed + 5, {4, 3}));
    p.fill(everything, Fill::clouds(deep.faded(0.75F), deep.faded(0), 50, seed + 8, {4, 3}));
    paint_stars(p, seed);
    if (look.body == Body::None) return;
    const float x = 30 + 140 * chance(0, 4, seed), y = 30 + 90 * chance(0, 5, seed),
                radius = 9 + 12 * chance(0, 6, seed);
    const Tint tint = Tint::hex(look.planet).mix(deep, 0.45F), ring = tint.lighter(0.12F);
    if (look.body == Body::Ringed) paint_ring(p, x, y, radius, ring, false);
    paint_planet(p, x, y, radius, tint, seed);
    if (look.body == Body::Ringed) paint_ring(p, x, y, radius, ring, true);
    if (look.body == Body::Moons) {
        paint_planet(p, x + 2.1F * radius, y - 0.9F * radius, 0.3F * radius, tint.lighter(0.2F), seed + 1);
        paint_planet(p, x - 1.9F * radius, y + 1.1F * radius, 0.18F * radius, tint.lighter(0.3F), seed + 2);
    }
}

}  // namespace wm::art
