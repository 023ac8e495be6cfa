// Three waters seen from within, as people picture them: light from above, ground below, far things pale.
#include <vector>

#include "art/details.h"
#include "art/scenery.h"

namespace wm::art {
namespace {

// The ground and everything on it at one distance, as a line through heights that repeat sideways.
std::vector<float> ground(float base, float rise, float size, std::uint32_t seed, bool jagged = false) {
    constexpr int kSteps = 400;
    std::vector<float> heights(kSteps);
    for (int i = 0; i < kSteps; ++i) {
        const float x = kSceneryWidth * static_cast<float>(i) / kSteps;
        const float height = noise(x / size, 0.5F, seed, {static_cast<int>(kSceneryWidth / size), 0}, jagged ? 4 : 2);
        heights[static_cast<std::size_t>(i)] = base - 2 * rise * (height - 0.5F);
    }
    return heights;
}

void paint_ground(Painter& p, const std::vector<float>& heights, const Tint& top, const Tint& foot, float from) {
    p.fill(Shape::terrain(heights, kSceneryWidth, kSceneryHeight),
           Fill::linear(top, foot, {0, from}, {0, kSceneryHeight}));
}

// Calls plant(x, y, random) along a line of ground, across the seam too.
template <class Plant>
void along(const std::vector<float>& heights, int count, std::uint32_t seed, Plant plant) {
    for (int i = 0; i < count; ++i) {
        const float x = kSceneryWidth * (static_cast<float>(i) + 0.9F * chance(i, 7, seed)) / static_cast<float>(count);
        const float y = heights[static_cast<std::size_t>(x / kSceneryWidth * static_cast<float>(heights.size()))];
        repeat_around(x, y, 40, [&](float u, float) { plant(u, y, chance(i, 8, seed)); }, false);
    }
}

// Slanting shafts of light from the surface.
void paint_shafts(Painter& p, const Tint& tint, std::uint32_t seed) {
    for (int i = 0; i < 9; ++i) {
        const float x = kSceneryWidth * (static_cast<float>(i) + chance(i, 0, seed)) / 9,
                    width = 4 + 7 * chance(i, 1, seed);
        repeat_around(
            x, 0, 60,
            [&](float u, float) {
                p.fill(
                    Shape::polygon({{u, 30}, {u + width, 30}, {u + 2.2F * width - 22, 135}, {u - 22 - width, 135}}, 1),
                    Fill::linear(tint.faded(0.22F), tint.faded(0), {0, 50}, {0, 132}));
            },
            false);
    }
}

void paint_bubbles(Painter& p, const Tint& tint, std::uint32_t seed) {
    for (int i = 0; i < 34; ++i) {
        const float x = kSceneryWidth * chance(i / 3, 0, seed) + 5 * chance(i, 1, seed),
                    y = 56 + 74 * chance(i, 2, seed), radius = 0.4F + 0.8F * chance(i, 3, seed);
        p.stroke(Shape::circle(x, y, radius), 0.35F, tint.faded(0.5F));
        p.fill(Shape::circle(x - 0.3F * radius, y - 0.3F * radius, 0.3F * radius), tint.faded(0.6F));
    }
}

// A blade of weed that sways, thinner to its tip.
void paint_weed(Painter& p, float x, float y, float height, float width, float phase, const Tint& tint, bool leaves) {
    constexpr int kParts = 9;
    const auto at = [&](int i) {
        const float part = static_cast<float>(i) / kParts;
        return Point{x + 0.09F * height * part * sine(360 * (phase + 1.1F * part)), y - height * part};
    };
    for (int i = 0; i < kParts; ++i) {
        const float part = static_cast<float>(i) / kParts;
        const Point from = at(i), to = at(i + 1);
        p.fill(Shape::line(from, to, width * (1 - 0.8F * part), width * (0.92F - 0.8F * part)), tint);
        if (!leaves || i == 0) continue;
        const float side = i % 2 == 0 ? 1.0F : -1.0F, reach = 3.2F * width * (1 - 0.6F * part);
        p.fill(Shape::ellipse(from.x + 0.6F * side * reach, from.y - 0.35F * reach, 0.7F * reach, 0.3F * reach)
                   .turned(-32 * side, from.x + 0.6F * side * reach, from.y - 0.35F * reach),
               tint);
    }
}

// Three corals: a fan of branches, a brain, and tubes.
void paint_coral(Painter& p, float x, float y, float size, float random, const Tint& tint) {
    if (random < 0.36F) {
        for (int i = -2; i <= 2; ++i) {
            const float lean = 0.34F * static_cast<float>(i);
            const Point fork = {x + lean * 0.55F * size, y - 0.55F * size};
            p.fill(Shape::line({x, y + 1}, fork, 0.2F * size, 0.15F * size), tint);
            for (const float side : {-0.16F, 0.16F})
                p.fill(Shape::line(fork, {x + (lean + side) * size, y - (1 - 0.22F * lean * lean) * size}, 0.14F * size,
                                   0.1F * size),
                       tint);
        }
    } else if (random < 0.68F) {
        p.fill(Shape::ellipse(x, y - 0.15F * size, 0.62F * size, 0.46F * size),
               shaded(tint, x, y - 0.2F * size, 0.6F * size));
        for (int i = -1; i <= 1; ++i)
            p.fill_inside(Shape::line({x + 0.3F * size * static_cast<float>(i), y - 0.5F * size},
                                      {x + 0.38F * size * static_cast<float>(i), y}, 0.06F * size),
                          tint.darker(0.18F));
    } else {
        for (int i = -1; i <= 1; ++i) {
            const float u = x + 0.3F * size * static_cast<float>(i),
                        top = y - size * (0.85F - 0.22F * static_cast<float>(i * i));
            p.fill(Shape::line({u, y + 1}, {u, top}, 0.26F * size),
                   Fill::linear(tint, tint.darker(0.15F), {u - 0.1F * size, 0}, {u + 0.1F * size, 0}));
            p.fill(Shape::ellipse(u, top - 0.04F * size, 0.1F * size, 0.06F * size), tint.darker(0.35F));
        }
    }
}

void paint_water_column(Painter& p, const Tint& top, const Tint& middle, const Tint& bottom) {
    p.fill(Shape::rectangle(0, 0, kSceneryWidth, kSceneryHeight), Fill::linear(top, middle, {0, 46}, {0, 96}));
    p.fill(Shape::rectangle(0, 92, kSceneryWidth, 60), Fill::linear(middle.faded(0), bottom, {0, 92}, {0, 140}));
}

// A reef in the sun.
void paint_reef(Painter& p, std::uint32_t seed) {
    const Tint top = Tint::hex(0x8ED2E6), middle = Tint::hex(0x58AED0), bottom = Tint::hex(0x3E92BC);
    const Tint far = middle.mix(bottom, 0.6F), sand = Tint::hex(0xC8C496).mix(bottom, 0.25F);
    paint_water_column(p, top, middle, bottom);
    paint_ground(p, ground(112, 17, 50, seed, true), far.lighter(0.08F), far, 96);
    paint_shafts(p, Tint::hex(0xF0FFFF), seed + 1);
    const auto near = ground(128, 7, 50, seed + 2, true);
    along(near, 13, seed + 3, [&](float x, float y, float random) {
        paint_weed(p, x, y + 2, 12 + 14 * random, 1.8F, random, far.darker(0.12F), false);
    });
    paint_ground(p, near, far.darker(0.1F), far.darker(0.02F), 120);
    const auto beach = ground(139, 2.5F, 40, seed + 4);
    paint_ground(p, beach, sand, sand.darker(0.18F), 134);
    constexpr std::uint32_t kCorals[] = {0xC07A86, 0xBE9068, 0x8E7AB0, 0xC0A86A, 0x5E9E92};
    along(beach, 17, seed + 5, [&](float x, float y, float random) {
        const Tint tint = Tint::hex(kCorals[static_cast<int>(97 * random) % 5]).mix(middle, 0.3F);
        paint_coral(p, x, y + 1, 5 + 4 * chance(static_cast<int>(1000 * random), 1, seed),
                    chance(static_cast<int>(1000 * random), 2, seed), tint);
    });
    paint_bubbles(p, kWhite, seed + 6);
}

// A forest of kelp.
void paint_kelp_forest(Painter& p, std::uint32_t seed) {
    const Tint top = Tint::hex(0x9AD0B8), middle = Tint::hex(0x5EAAA0), bottom = Tint::hex(0x3C8484);
    paint_water_column(p, top, middle, bottom);
    paint_shafts(p, Tint::hex(0xF6FFE0), seed + 1);
    for (int row = 0; row < 3; ++row) {
        const float depth = static_cast<float>(row);
        const auto layer = static_cast<std::uint32_t>(row);
        const Tint tint = middle.mix(Tint::hex(0x2E6E5E), 0.16F + 0.24F * depth);
        const auto floor = ground(126 + 8 * depth, 6, 50, seed + 10 + layer);
        along(floor, 16 - 4 * row, seed + 20 + layer, [&](float x, float y, float random) {
            paint_weed(p, x, y + 3, 30 + 12 * depth + 34 * random, 1.1F + 0.5F * depth, 3 * random, tint, true);
        });
        paint_ground(p, floor, tint.mix(bottom, 0.3F), tint.darker(0.1F), 118 + 8 * depth);
    }
    paint_bubbles(p, Tint::hex(0xF0FFF0), seed + 6);
}

// A ship on the ground, seen from the side: a broken hull, two masts.
void paint_wreck(Painter& p, float x, float y, const Tint& tint) {
    const auto placed = [&](std::vector<Point> corners) {
        for (Point& corner : corners) corner = {x + corner.x, y + corner.y};
        return Shape::polygon(corners, 0.6F).turned(-7, x, y);
    };
    const auto mast = [&](float at, float height) {
        p.fill(Shape::line({x + at, y}, {x + at, y - height}, 1.8F, 1).turned(-7, x, y), tint);
        p.fill(Shape::line({x + at - 8, y - 0.72F * height}, {x + at + 8, y - 0.72F * height}, 1).turned(-7, x, y),
               tint);
    };
    mast(-8, 34);
    mast(12, 27);
    p.fill(Shape::line({x - 8, y - 33}, {x + 30, y - 12}, 0.4F).turned(-7, x, y), tint);
    p.fill(placed({{-34, -14}, {-22, -15}, {-20, -9}, {22, -8}, {24, -12}, {36, -13}, {28, 10}, {-28, 10}}),
           Fill::linear(tint.lighter(0.05F), tint.darker(0.08F), {0, y - 14}, {0, y + 8}));
    for (int i = 0; i < 4; ++i)
        p.fill(Shape::circle(x - 18 + 11 * static_cast<float>(i), y - 1.5F * static_cast<float>(i) + 2, 1.7F),
               tint.darker(0.22F));
    p.fill(placed({{2, -2}, {9, -5}, {7, 1}, {13, 5}, {4, 8}, {0, 3}}), tint.darker(0.24F));
}

// The deep, where a ship lies.
void paint_deep(Painter& p, std::uint32_t seed) {
    const Tint top = Tint::hex(0x7E98CC), middle = Tint::hex(0x5A74B0), bottom = Tint::hex(0x3E5490);
    paint_water_column(p, top, middle, bottom);
    paint_ground(p, ground(110, 20, 40, seed, true), middle.mix(bottom, 0.45F), middle.mix(bottom, 0.8F), 92);
    paint_shafts(p, Tint::hex(0xE8F0FF), seed + 1);
    const Tint shade = bottom.mix(Tint::hex(0x2C3A6E), 0.45F);
    for (const float x : {56.0F, 156.0F})
        repeat_around(x, 130, 60, [&](float u, float) { paint_wreck(p, u, 132, shade); }, false);
    const auto floor = ground(139, 4, 50, seed + 2);
    along(floor, 18, seed + 3, [&](float x, float y, float random) {
        if (random < 0.6F) paint_weed(p, x, y + 2, 8 + 16 * random, 1.7F, 2 * random, shade.darker(0.06F), false);
        else p.fill(Shape::ellipse(x, y + 1, 5 * random, 3.2F * random), shaded(shade.lighter(0.1F), x, y, 5));
    });
    paint_ground(p, floor, Tint::hex(0x6A74A0).mix(bottom, 0.35F), bottom.darker(0.15F), 132);
    paint_bubbles(p, Tint::hex(0xE0E8FF), seed + 6);
}

}  // namespace

void paint_underwater(Painter& p, int scene, std::uint32_t seed) {
    switch (scene) {
        case 0: paint_reef(p, seed); break;
        case 1: paint_kelp_forest(p, seed); break;
        default: paint_deep(p, seed); break;
    }
}

}  // namespace wm::art
