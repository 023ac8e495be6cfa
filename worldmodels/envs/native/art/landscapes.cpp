// Forty-nine landscapes: seven places, each in the light of seven hours. Far things are pale, near things a little
// darker, nothing is as strong as the foreground.
#include <cmath>

#include "art/details.h"
#include "art/scenery.h"

namespace wm::art {
namespace {

struct Hour {
    std::uint32_t sky, horizon, sun, cloud, far, middle, near;
    float sun_x, sun_y;
    bool stars;
};

constexpr Hour kHours[] = {
    {0x6FB4E8, 0xD8EEF6, 0xFFF6D0, 0xFFFFFF, 0xA8CBE0, 0x8CC0A8, 0x6FA886, 150, 40, false},  // noon
    {0x7A6AA8, 0xF8C08A, 0xFFE08A, 0xFFD8B8, 0xC08A9A, 0x9A6E88, 0x755472, 60, 82, false},   // sunset
    {0x141C3E, 0x3A4C78, 0xDDE6FF, 0x4A5A88, 0x33446E, 0x283860, 0x1E2A4C, 140, 34, true},   // night
    {0x9AD8CC, 0xF4F6DC, 0xFFFFF0, 0xFFFFFF, 0xB8DCC8, 0x94C4AC, 0x74A892, 40, 60, false},   // morning
    {0xC8A878, 0xF6E2B8, 0xFFF2C8, 0xFFF4E0, 0xD8B088, 0xBE8E66, 0x9A6C4C, 110, 50, false},  // autumn
    {0x5A4A8E, 0xC89AC8, 0xFFD8F0, 0xD8B8E0, 0x8A74B0, 0x6C5A98, 0x52447C, 80, 46, true},    // dusk
    {0x8E9CAC, 0xD0D8DC, 0xF4F4F0, 0xEEF2F4, 0xAAB6BE, 0x8C9CA4, 0x70828A, 100, 40, false},  // mist
};
constexpr int kPlaces = 7;
static_assert(kPlaces * sizeof(kHours) / sizeof(kHours[0]) == kLandscapes, "each place in each hour");

Tint far_of(const Hour& hour) { return Tint::hex(hour.far); }
Tint middle_of(const Hour& hour) { return Tint::hex(hour.middle); }
Tint near_of(const Hour& hour) { return Tint::hex(hour.near); }

// A ridge around height `base`; jagged ones have peaks instead of domes.
std::vector<float> ridge(float base, float rise, float size, std::uint32_t seed, bool jagged = false) {
    constexpr int kSteps = 400;
    std::vector<float> heights(kSteps);
    for (int i = 0; i < kSteps; ++i) {
        const float x = kSceneryWidth * static_cast<float>(i) / kSteps;
        float height = noise(x / size, 0.5F, seed, {static_cast<int>(kSceneryWidth / size), 0}, jagged ? 4 : 2);
        if (jagged) height = 1 - std::fabs(2 * height - 1) * 2.2F;
        heights[static_cast<std::size_t>(i)] = base - rise * (height - 0.5F) * 2;
    }
    return heights;
}

void paint_ridge(Painter& p, const std::vector<float>& heights, const Tint& top, const Tint& foot, float from,
                 float to) {
    p.fill(Shape::terrain(heights, kSceneryWidth, kSceneryHeight), Fill::linear(top, foot, {0, from}, {0, to}));
}

float height_at(const std::vector<float>& heights, float x) {
    const auto i = static_cast<std::size_t>(x / kSceneryWidth * static_cast<float>(heights.size()));
    return heights[i % heights.size()];
}

// Calls plant(x, y, random) at `count` places along a ridge, also across the seam.
template <class Plant>
void along(const std::vector<float>& heights, int count, std::uint32_t seed, Plant plant) {
    for (int i = 0; i < count; ++i) {
        const float x = kSceneryWidth * (static_cast<float>(i) + 0.8F * chance(i, 7, seed)) / static_cast<float>(count);
        const float y = height_at(heights, x);
        repeat_around(x, y, 30, [&](float u, float) { plant(u, y, chance(i, 8, seed)); }, false);
    }
}

void paint_cloud(Painter& p, float x, float y, float size, const Tint& tint) {
    repeat_around(
        x, y, 3 * size,
        [&](float u, float v) {
            for (int i = -2; i <= 2; ++i) {
                const float offset = static_cast<float>(i), radius = size * (1 - 0.22F * std::fabs(offset));
                const Fill puff =
                    Fill::linear(tint.faded(0.8F), tint.faded(0.25F), {0, v - radius}, {0, v + 0.6F * radius});
                p.fill(Shape::ellipse(u + offset * 0.75F * size, v - 0.1F * radius, radius, 0.62F * radius), puff);
            }
        },
        false);
}

void paint_sky(Painter& p, const Hour& hour, std::uint32_t seed) {
    const Tint sky = Tint::hex(hour.sky), horizon = Tint::hex(hour.horizon), sun = Tint::hex(hour.sun);
    p.fill(Shape::rectangle(0, 0, kSceneryWidth, kSceneryHeight), Fill::linear(sky, horizon, {0, 8}, {0, 112}));
    if (hour.stars)
        for (int i = 0; i < 60; ++i)
            p.fill(Shape::circle(kSceneryWidth * chance(i, 0, seed), 80 * chance(i, 1, seed),
                                 0.25F + 0.25F * chance(i, 2, seed)),
                   kWhite.faded(0.55F));
    p.glow(hour.sun_x, hour.sun_y, 38, sun.faded(0.5F));
    p.fill(Shape::circle(hour.sun_x, hour.sun_y, 8), sun.faded(0.85F));
    for (int i = 0; i < 7; ++i)
        paint_cloud(p, kSceneryWidth * chance(i, 3, seed), 12 + 70 * chance(i, 4, seed), 5 + 7 * chance(i, 5, seed),
                    Tint::hex(hour.cloud));
}

void paint_hills(Painter& p, const Hour& hour, std::uint32_t seed) {
    paint_ridge(p, ridge(86, 14, 50, seed), far_of(hour), Tint::hex(hour.horizon), 72, 120);
    const auto hills = ridge(98, 9, 40, seed + 10);
    const Tint leaf = middle_of(hour).darker(0.1F);
    along(hills, 16, seed + 20, [&](float x, float y, float random) {
        const float size = 3.5F + 3 * random;
        p.fill(Shape::line({x, y + 2}, {x, y - size}, 1), leaf.darker(0.25F));
        p.fill(Shape::circle(x, y - 1.6F * size, size), shaded(leaf, x, y - 1.6F * size, size));
    });
    paint_ridge(p, hills, middle_of(hour), far_of(hour), 90, 125);
    paint_ridge(p, ridge(113, 6, 25, seed + 30), near_of(hour), near_of(hour).darker(0.2F), 108, 150);
}

void paint_mountains(Painter& p, const Hour& hour, std::uint32_t seed) {
    const Tint snow = Tint::hex(hour.cloud).mix(far_of(hour), 0.15F);
    paint_ridge(p, ridge(82, 24, 50, seed, true), snow, far_of(hour), 52, 84);
    paint_ridge(p, ridge(98, 18, 40, seed + 10, true), far_of(hour).mix(middle_of(hour), 0.55F), middle_of(hour), 80,
                118);
    paint_ridge(p, ridge(112, 8, 25, seed + 20), near_of(hour), near_of(hour).darker(0.2F), 106, 150);
}

void paint_pine(Painter& p, float x, float y, float size, const Tint& tint) {
    for (int i = 0; i < 3; ++i) {
        const float level = y - size * (0.25F + 0.28F * static_cast<float>(i)),
                    half = size * (0.36F - 0.085F * static_cast<float>(i));
        p.fill(Shape::polygon(
                   {{x - half, level + 0.3F * size}, {x + half, level + 0.3F * size}, {x, level - 0.2F * size}}),
               tint);
    }
}

void paint_forest(Painter& p, const Hour& hour, std::uint32_t seed) {
    const Tint tints[] = {far_of(hour), far_of(hour).mix(middle_of(hour), 0.7F), near_of(hour)};
    for (int row = 0; row < 3; ++row) {
        const float depth = static_cast<float>(row);
        const Tint& tint = tints[row];
        const auto ground = ridge(88 + 12 * depth, 6, 50, seed + static_cast<std::uint32_t>(row));
        along(ground, 30 - 6 * row, seed + 40 + static_cast<std::uint32_t>(row),
              [&](float x, float y, float random) { paint_pine(p, x, y + 3, 14 + 4 * depth + 8 * random, tint); });
        paint_ridge(p, ground, tint, tint.mix(Tint::hex(hour.horizon), 0.35F), 90 + 12 * depth, 120 + 12 * depth);
    }
}

void paint_mesas(Painter& p, const Hour& hour, std::uint32_t seed) {
    auto tables = ridge(84, 20, 25, seed);
    for (float& height : tables) height = height < 82 ? 70.0F : height < 86 ? 84.0F : 96.0F;
    paint_ridge(p, tables, far_of(hour), Tint::hex(hour.horizon), 68, 118);
    for (float& height : tables) height += 5;
    paint_ridge(p, tables, far_of(hour).darker(0.08F), Tint::hex(hour.horizon), 72, 118);
    const auto dunes = ridge(102, 7, 50, seed + 10);
    paint_ridge(p, dunes, middle_of(hour).lighter(0.12F), middle_of(hour), 96, 122);
    const Tint cactus = near_of(hour).darker(0.12F);
    along(dunes, 7, seed + 20, [&](float x, float y, float random) {
        const float size = 7 + 5 * random;
        p.fill(Shape::line({x, y + 3}, {x, y - size}, 2.4F), cactus);
        p.fill(Shape::line({x - 3.4F, y - 0.7F * size}, {x - 3.4F, y - 0.4F * size}, 1.8F), cactus);
        p.fill(Shape::line({x - 3.4F, y - 0.4F * size}, {x, y - 0.35F * size}, 1.8F), cactus);
        p.fill(Shape::line({x + 3.4F, y - 0.85F * size}, {x + 3.4F, y - 0.5F * size}, 1.8F), cactus);
        p.fill(Shape::line({x + 3.4F, y - 0.5F * size}, {x, y - 0.45F * size}, 1.8F), cactus);
    });
    paint_ridge(p, ridge(115, 5, 40, seed + 30), near_of(hour), near_of(hour).darker(0.15F), 110, 150);
}

void paint_city(Painter& p, const Hour& hour, std::uint32_t seed) {
    const Tint tints[] = {far_of(hour), middle_of(hour), near_of(hour)};
    for (int row = 0; row < 3; ++row) {
        const int houses = 26 - 5 * row;
        const float plot = kSceneryWidth / static_cast<float>(houses);
        const Tint tint = tints[row], window = Tint::hex(hour.sun).faded(hour.stars ? 0.5F : 0.25F);
        for (int i = 0; i < houses; ++i) {
            const float x = plot * static_cast<float>(i) + 0.5F, width = plot * (0.75F + 0.25F * chance(i, row, seed));
            const float top = 66 + 12 * static_cast<float>(row) + 26 * chance(i, row, seed + 1);
            p.fill(Shape::rectangle(x, top, width, kSceneryHeight - top),
                   Fill::linear(tint, tint.mix(Tint::hex(hour.horizon), 0.4F), {0, top}, {0, top + 55}));
            if (chance(i, row, seed + 2) < 0.3F)
                p.fill(Shape::polygon({{x, top}, {x + width, top}, {x + 0.5F * width, top - 7}}), tint);
            for (int k = 0; k < 24; ++k) {
                if (chance(i * 31 + k, row, seed + 3) < 0.55F) continue;
                const int row_of_three = k / 3;
                const float u = x + width * (0.14F + 0.27F * static_cast<float>(k % 3)),
                            v = top + 3 + 4.5F * static_cast<float>(row_of_three);
                p.fill(Shape::rectangle(u, v, 0.16F * width, 2, 0.3F), window);
            }
        }
    }
}

void paint_islands(Painter& p, const Hour& hour, std::uint32_t seed) {
    for (int i = 0; i < 8; ++i) {
        const float depth = static_cast<float>(i) / 8, size = 9 + 10 * depth;
        const float x = kSceneryWidth * (static_cast<float>(i * 3 % 8) + 0.6F * chance(i, 0, seed)) / 8,
                    y = 40 + 62 * chance(i, 1, seed);
        const Tint rock = far_of(hour).mix(near_of(hour), depth),
                   grass = middle_of(hour).mix(Tint::hex(hour.horizon), 0.5F - 0.5F * depth);
        repeat_around(
            x, y, 2 * size,
            [&](float u, float v) {
                p.fill(Shape::polygon({{u - size, v},
                                       {u + size, v},
                                       {u + 0.45F * size, v + 0.7F * size},
                                       {u + 0.1F * size, v + 1.25F * size},
                                       {u - 0.5F * size, v + 0.6F * size}},
                                      1),
                       Fill::linear(rock, rock.darker(0.2F), {u - size, v}, {u + size, v + size}));
                p.fill(Shape::ellipse(u, v, 1.08F * size, 0.24F * size), shaded(grass, u, v, size));
                if (chance(i, 2, seed) < 0.6F) paint_pine(p, u + 0.3F * size, v, 0.9F * size, grass.darker(0.18F));
            },
            false);
    }
    for (int i = 0; i < 14; ++i)
        paint_cloud(p, kSceneryWidth * static_cast<float>(i) / 14, 124 + 8 * chance(i, 3, seed), 12,
                    Tint::hex(hour.cloud));
}

void paint_ruins(Painter& p, const Hour& hour, std::uint32_t seed) {
    paint_ridge(p, ridge(88, 12, 50, seed), far_of(hour), Tint::hex(hour.horizon), 74, 120);
    const Tint stone = middle_of(hour), shade = middle_of(hour).darker(0.15F);
    for (int i = 0; i < 9; ++i) {
        const float x = 22 * static_cast<float>(i) + 5, top = 62 + 22 * chance(i, 0, seed);
        const Fill column = Fill::linear(stone.lighter(0.15F), shade, {x, 0}, {x + 6, 0});
        p.fill(Shape::rectangle(x, top, 6, kSceneryHeight - top, 0.6F), column);
        p.fill(Shape::rectangle(x - 1.5F, top - 2, 9, 3, 0.8F), column);
        p.fill(Shape::rectangle(x - 1.5F, 104, 9, 3, 0.8F), column);
        if (i % 3 == 0) {  // an arch to the next column
            p.stroke(Shape::ellipse(x + 14, 84, 11, 14), 4, stone);
            p.fill(Shape::rectangle(x, 66, 28, 5, 0.8F), Fill::linear(stone.lighter(0.12F), shade, {0, 66}, {0, 71}));
        }
    }
    paint_ridge(p, ridge(111, 7, 25, seed + 30), near_of(hour), near_of(hour).darker(0.2F), 104, 150);
}

}  // namespace

void paint_landscape(Painter& p, int variant) {
    using Paint = void (*)(Painter&, const Hour&, std::uint32_t);
    static constexpr Paint kPaints[kPlaces] = {paint_hills, paint_mountains, paint_forest, paint_mesas,
                                               paint_city,  paint_islands,   paint_ruins};
    const Hour& hour = kHours[variant / kPlaces];
    const auto seed = static_cast<std::uint32_t>(1000 + variant * 100);
    paint_sky(p, hour, seed);
    kPaints[variant % kPlaces](p, hour, seed + 50);
    p.fill(Shape::rectangle(0, 0, kSceneryWidth, kSceneryHeight),
           Tint::hex(hour.horizon).mix(Tint::hex(hour.sky), 0.4F).faded(0.16F));
}

}  // namespace wm::art
