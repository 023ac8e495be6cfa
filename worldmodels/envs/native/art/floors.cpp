// Nine floors seen from above: calm, light and greyed, so that whatever stands on them is seen.
#include "art/details.h"
#include "art/scenery.h"

namespace wm::art {
namespace {

const Shape& whole() {
    static const Shape kWhole = Shape::rectangle(0, 0, kSceneryWidth, kSceneryHeight);
    return kWhole;
}

// Cells of a regular pattern with a little variety: visit(i, j, x, y, random).
template <class Visit>
void over_cells(float width, float height, std::uint32_t seed, Visit visit) {
    const int across = static_cast<int>(kSceneryWidth / width + 0.5F),
              down = static_cast<int>(kSceneryHeight / height + 0.5F);
    for (int j = 0; j < down; ++j)
        for (int i = 0; i < across; ++i)
            visit(i, j, static_cast<float>(i) * width, static_cast<float>(j) * height, chance(i, j, seed));
}

void paint_tufts(Painter& p, const Tint& ground, const Tint& blade, std::uint32_t seed) {
    p.fill(whole(), Fill::clouds(ground.darker(0.07F), ground.lighter(0.08F), 25, seed, {8, 6}));
    for (int i = 0; i < 150; ++i) {
        const float x = kSceneryWidth * chance(i, 0, seed), y = kSceneryHeight * chance(i, 1, seed),
                    size = 1 + 1.4F * chance(i, 2, seed);
        repeat_around(x, y, 4, [&](float u, float v) {
            for (const float lean : {-0.8F, 0.0F, 0.8F})
                p.fill(Shape::line({u + 0.3F * lean, v}, {u + lean * size, v - size}, 0.5F, 0.15F), blade);
        });
    }
}

void paint_speckles(Painter& p, const Tint& ground, float contrast, std::uint32_t seed) {
    p.fill(whole(), Fill::clouds(ground.darker(contrast), ground.lighter(contrast), 50, seed, {4, 3}));
    for (int i = 0; i < 160; ++i) {
        const float x = kSceneryWidth * chance(i, 0, seed), y = kSceneryHeight * chance(i, 1, seed),
                    size = 0.4F + 0.9F * chance(i, 2, seed);
        const Tint tint = i % 2 == 0 ? ground.darker(0.14F) : ground.lighter(0.2F);
        repeat_around(x, y, 3, [&](float u, float v) { p.fill(Shape::ellipse(u, v, 1.3F * size, size), tint); });
    }
}

void paint_flagstones(Painter& p, const Tint& stone, const Tint& joint, float size, float corner, std::uint32_t seed) {
    p.fill(whole(), joint);
    over_cells(size, size, seed, [&](int, int, float x, float y, float random) {
        const Tint tint = random > 0.5F ? stone.lighter(0.16F * (random - 0.5F)) : stone.darker(0.2F * (0.5F - random));
        p.fill(Shape::rectangle(x + 0.4F, y + 0.4F, size - 0.8F, size - 0.8F, corner), tint.darker(0.09F));
        p.fill(Shape::rectangle(x + 0.4F, y + 0.4F, size - 1.3F, size - 1.3F, corner),
               Fill(tint).grained(0.03F, 2, seed));
    });
}

void paint_planks(Painter& p, const Tint& wood, std::uint32_t seed) {
    p.fill(whole(), wood.darker(0.22F));
    over_cells(50, 6.25F, seed, [&](int i, int j, float x, float y, float random) {
        const float shift = 12.5F * static_cast<float>(j * 3 % 4);
        const Tint tint = random > 0.5F ? wood.lighter(0.14F * (random - 0.5F)) : wood.darker(0.16F * (0.5F - random));
        repeat_around(
            x + shift < kSceneryWidth ? x + shift : x + shift - kSceneryWidth, y, 51,
            [&](float u, float v) {
                p.fill(Shape::rectangle(u + 0.2F, v + 0.25F, 49.6F, 5.75F, 0.5F), tint);
                for (int k = 0; k < 3; ++k) {
                    const float line = v + 1.4F + 1.5F * static_cast<float>(k),
                                start = u + 4 + 20 * chance(i + 9 * k, j, seed + 1);
                    p.fill(Shape::line({start, line}, {start + 14 + 8 * random, line}, 0.25F), tint.darker(0.1F));
                }
            },
            false);
    });
}

void paint_checker(Painter& p, const Tint& light, const Tint& dark, std::uint32_t seed) {
    over_cells(12.5F, 12.5F, seed, [&](int i, int j, float x, float y, float random) {
        const Tint tint = ((i + j) % 2 == 0 ? light : dark).lighter(0.06F * random);
        p.fill(Shape::rectangle(x, y, 12.5F, 12.5F), tint);
        p.fill(Shape::rectangle(x + 0.3F, y + 0.3F, 11.9F, 11.9F, 0.8F),
               Fill::linear(tint.lighter(0.08F), tint, {x, y}, {x + 12, y + 12}));
    });
}

void paint_cobbles(Painter& p, const Tint& stone, const Tint& joint, std::uint32_t seed) {
    p.fill(whole(), Fill::clouds(joint.darker(0.08F), joint.lighter(0.08F), 25, seed, {8, 6}));
    over_cells(6.25F, 6.25F, seed, [&](int i, int j, float x, float y, float random) {
        const float u = x + 3.1F + 1.2F * (chance(i, j, seed + 1) - 0.5F), v = y + 3.1F + 1.2F * (random - 0.5F);
        const Tint tint = stone.mix(stone.darker(0.16F), random);
        repeat_around(u, v, 5, [&](float a, float b) {
            p.fill(Shape::ellipse(a, b, 2.9F, 2.6F), tint.darker(0.12F));
            p.fill(Shape::ellipse(a - 0.2F, b - 0.25F, 2.55F, 2.2F), tint);
        });
    });
}

}  // namespace

void paint_floor(Painter& p, int variant) {
    const auto seed = static_cast<std::uint32_t>(700 + variant * 10);
    switch (variant) {
        case 0: paint_flagstones(p, Tint::hex(0xC9C2B2), Tint::hex(0xA59D8C), 12.5F, 1.2F, seed); break;
        case 1: paint_tufts(p, Tint::hex(0xA9C78C), Tint::hex(0x86AA6C), seed); break;
        case 2: paint_speckles(p, Tint::hex(0xE2CFA4), 0.05F, seed); break;
        case 3: paint_planks(p, Tint::hex(0xCBA882), seed); break;
        case 4: paint_speckles(p, Tint::hex(0xDDE7EE), 0.05F, seed); break;
        case 5: paint_checker(p, Tint::hex(0xDAD6DE), Tint::hex(0xBDB6C8), seed); break;
        case 6: paint_cobbles(p, Tint::hex(0xB4BCB8), Tint::hex(0x93A08E), seed); break;
        case 7: paint_speckles(p, Tint::hex(0xC0A283), 0.08F, seed); break;
        default: paint_flagstones(p, Tint::hex(0xA8C4C6), Tint::hex(0x88A6AA), 6.25F, 0.6F, seed); break;
    }
}

}  // namespace wm::art
