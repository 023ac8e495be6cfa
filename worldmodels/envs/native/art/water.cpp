// Seven waters: four seas seen from above, here, and three seen from within, in underwater.cpp. All are calm and in the
// middle tones, so that bright and dark things both stand out.
#include <vector>

#include "art/details.h"
#include "art/scenery.h"

namespace wm::art {
namespace {

const Shape& whole() {
    static const Shape kWhole = Shape::rectangle(0, 0, kSceneryWidth, kSceneryHeight);
    return kWhole;
}

struct Sea {
    std::uint32_t deep, light, crest;
};

constexpr Sea kSeaTints[kSeas] = {{0x4C9CC6, 0x6FB8D6, 0xA8DCEA},
                                  {0x3E8E98, 0x5CA8AA, 0x94D0CC},
                                  {0x56B4BC, 0x86D0C8, 0xC4EEE0},
                                  {0x5478A8, 0x6E90BC, 0xB4C8E0}};

// One crest: a flat arc that thins out at both ends.
void paint_crest(Painter& p, float x, float y, float length, float thickness, const Tint& tint) {
    constexpr int kParts = 8;
    std::vector<Point> edge;
    for (int i = 0; i <= 2 * kParts; ++i) {  // along the upper side, back along the lower one
        const float along = static_cast<float>(i <= kParts ? i : 2 * kParts - i) / kParts,
                    lift = 4 * along * (1 - along);
        const float thick = i <= kParts ? 0.5F * thickness : -0.5F * thickness;
        edge.push_back({x + length * (along - 0.5F), y - lift * (0.16F * length + thick)});
    }
    p.fill(Shape::polygon(edge, 0.1F), tint);
}

// Rows of crests, each row shifted: an order that the eye hardly notices.
void paint_crests(Painter& p, float spacing, float length, const Tint& tint, std::uint32_t seed) {
    const int across = static_cast<int>(kSceneryWidth / (1.6F * spacing) + 0.5F),
              down = static_cast<int>(kSceneryHeight / spacing + 0.5F);
    for (int j = 0; j < down; ++j)
        for (int i = 0; i < across; ++i) {
            const float random = chance(i, j, seed);
            if (random < 0.3F) continue;
            const float shift = (j % 2 == 0 ? 0.0F : 0.5F) + 0.7F * (chance(i, j, seed + 1) - 0.5F) + 0.5F;
            const float x = (static_cast<float>(i) + shift) * kSceneryWidth / static_cast<float>(across),
                        y = (static_cast<float>(j) + 0.5F + 0.6F * (chance(i, j, seed + 2) - 0.5F)) * kSceneryHeight /
                            static_cast<float>(down);
            const float size = length * (0.5F + 0.7F * random);
            repeat_around(x < kSceneryWidth ? x : x - kSceneryWidth, y, 1.2F * length, [&](float u, float v) {
                paint_crest(p, u, v + 0.7F, size, 1.5F, tint.darker(0.55F).faded(0.16F));
                paint_crest(p, u, v, size, 1.1F, tint.faded(0.35F + 0.3F * random));
            });
        }
}

// The net of light that waves throw: thin lines where two noises are alike.
void paint_net(Painter& p, float size, const Tint& tint, std::uint32_t seed) {
    constexpr int kSteps = 150;
    const Period period = {static_cast<int>(kSceneryWidth / size), static_cast<int>(kSceneryHeight / size)};
    for (int j = 0; j < kSteps; ++j)
        for (int i = 0; i < kSteps * 4 / 3; ++i) {
            const float x = (static_cast<float>(i) + 0.5F), y = (static_cast<float>(j) + 0.5F);
            const float apart =
                noise(x / size, y / size, seed, period, 2) - noise(x / size, y / size, seed + 7, period, 2);
            const float light = 1 - 14 * (apart < 0 ? -apart : apart);
            if (light > 0) p.glow(x, y, 1.5F, tint.faded(0.5F * light));
        }
}

// A bank of sand that shines through shallow water, with a reef on it.
void paint_shoal(Painter& p, float x, float y, float radius, const Tint& sand, std::uint32_t seed) {
    repeat_around(x, y, 2.2F * radius, [&](float u, float v) {
        for (int i = 0; i < 7; ++i) {
            const float angle = 51 * static_cast<float>(i), far = 0.7F * radius * chance(i, 0, seed);
            p.glow(u + 1.5F * far * cosine(angle), v + far * sine(angle), radius * (0.8F + 0.4F * chance(i, 1, seed)),
                   sand.faded(0.3F));
        }
    });
}

void paint_sea(Painter& p, int variant, std::uint32_t seed) {
    const Sea& sea = kSeaTints[variant];
    const Tint deep = Tint::hex(sea.deep), light = Tint::hex(sea.light), crest = Tint::hex(sea.crest);
    p.fill(whole(), Fill::clouds(deep, light, 50, seed, {4, 3}));
    switch (variant) {
        case 0:  // a friendly swell
            paint_crests(p, 12.5F, 13, crest, seed + 1);
            break;
        case 1:  // a bay in which light plays
            paint_net(p, 12.5F, crest.faded(0.42F), seed + 2);
            break;
        case 2:  // a lagoon over sand
            for (int i = 0; i < 6; ++i)
                paint_shoal(p, kSceneryWidth * (static_cast<float>(i) + chance(i, 0, seed)) / 6,
                            kSceneryHeight * chance(i, 1, seed), 18, Tint::hex(0xDCE0B0), seed + 3);
            paint_crests(p, 18.75F, 10, crest, seed + 4);
            break;
        default:  // a northern sea with short waves
            paint_crests(p, 8.33F, 8, crest, seed + 5);
            break;
    }
}

}  // namespace

void paint_water(Painter& p, int variant) {
    const auto seed = static_cast<std::uint32_t>(800 + variant * 10);
    if (variant < kSeas) paint_sea(p, variant, seed);
    else paint_underwater(p, variant - kSeas, seed);
}

}  // namespace wm::art
