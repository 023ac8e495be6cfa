// The ground of coinrun: six styles, and lava. Patterns repeat sideways after their width.
#include <algorithm>

#include "art/coinrun.h"
#include "art/details.h"
#include "art/masonry.h"

namespace wm::art::coinrun {
namespace {

enum class Texture { Pebbles, Bricks, Layers, Shards, Cake, Crystals };

struct GroundLook {
    std::uint32_t soil, detail, cover, cover_light;
    Texture texture;
};

constexpr GroundLook kGrounds[] = {
    {0x8A5A38, 0x6E4428, 0x4FA83A, 0x8FDC5A, Texture::Pebbles},   // meadow
    {0xD9A866, 0xB98448, 0xF2D58A, 0xFFF0BE, Texture::Layers},    // desert
    {0x75809A, 0x525C76, 0x9FB0C8, 0xD5E2F0, Texture::Bricks},    // castle
    {0x7FB2DC, 0x5A8CC0, 0xF4FAFF, 0xFFFFFF, Texture::Shards},    // glacier
    {0x9A5B3A, 0xC98A5C, 0xFF9EC4, 0xFFD6E6, Texture::Cake},      // sweets
    {0x5A4488, 0x7E5FC0, 0x37C9B0, 0x9BF5DC, Texture::Crystals},  // another planet
};

void paint_pebbles(Painter& p, const Tint& soil, const Tint& detail) {
    for (int j = 0; j < static_cast<int>(p.height() / kTileUnits); ++j)
        for (int i = 0; i < static_cast<int>(p.width() / kTileUnits); ++i)
            for (int k = 0; k < 3; ++k) {
                const auto salt = static_cast<std::uint32_t>(40 + k * 3);
                const float x = (static_cast<float>(i) + chance(i, j, salt)) * kTileUnits;
                const float y = (static_cast<float>(j) + 0.2F + 0.6F * chance(i, j, salt + 1)) * kTileUnits;
                const float radius = 5 + 12 * chance(i, j, salt + 2) * chance(j, i, salt);
                const Tint tint = k == 0 ? soil.lighter(0.2F) : detail;
                around(x, p.width(), 30, [&](float at) {
                    p.fill(Shape::ellipse(at, y, radius * 1.3F, radius), tint.darker(0.25F));
                    p.fill(Shape::ellipse(at - 1, y - 2, radius * 1.15F, radius * 0.8F), tint);
                });
            }
}

void paint_layers(Painter& p, const Tint& soil, const Tint& detail) {
    const int rows = static_cast<int>(p.height() / 25);
    for (int j = 0; j < rows; ++j) {
        const float y = static_cast<float>(j) * 25, thick = 4 + 7 * chance(j, 3, 51);
        const Tint tint = j % 3 == 0 ? soil.lighter(0.22F) : detail.mix(soil, 0.25F * static_cast<float>(j % 3));
        for (float x = 0; x < p.width(); x += 50) {
            const float sway =
                5 * noise(x / 130, static_cast<float>(j), 52, {std::max(static_cast<int>(p.width() / 130), 1), 0});
            p.fill(Shape::line({x - 4, y + sway + 8}, {x + 54, y + sway + 8}, thick), tint);
        }
    }
}

void paint_shards(Painter& p, const Tint& light, const Tint& detail, bool crystals) {
    for (int j = 0; j < static_cast<int>(p.height() / kTileUnits); ++j)
        for (int i = 0; i < static_cast<int>(p.width() / kTileUnits); ++i)
            for (int k = 0; k < 2; ++k) {
                const auto salt = static_cast<std::uint32_t>(60 + k * 4);
                const float x = (static_cast<float>(i) + chance(i, j, salt)) * kTileUnits;
                const float y = (static_cast<float>(j) + 0.2F + 0.6F * chance(i, j, salt + 1)) * kTileUnits;
                const float size = 14 + 22 * chance(i, j, salt + 2),
                            degrees = crystals ? 60 * chance(i, j, salt + 3) - 30 : 35;
                const Tint tint = k == 0 ? detail : light;
                around(x, p.width(), 60, [&](float at) {
                    const float wide = crystals ? 0.42F * size : size, tall = crystals ? size : 0.3F * size;
                    p.fill(Shape::polygon({{at, y - tall}, {at + wide, y}, {at, y + tall}, {at - wide, y}})
                               .turned(degrees, at, y),
                           tint.darker(0.12F));
                    p.fill(Shape::polygon({{at, y - tall}, {at, y + tall}, {at - wide, y}}).turned(degrees, at, y),
                           tint.lighter(0.22F));
                });
            }
}

void paint_cake(Painter& p, const Tint& soil, const Tint& detail, const Tint& cream) {
    for (int j = 0; j < static_cast<int>(p.height() / kTileUnits); ++j) {
        const float y = static_cast<float>(j) * kTileUnits;
        p.fill(Shape::rectangle(0, y + 58, p.width(), 22), upright(cream, y + 58, y + 80));
        for (int i = 0; i < static_cast<int>(p.width() / kTileUnits) * 2; ++i) {
            const float x = (static_cast<float>(i) + chance(i, j, 71)) * 50, at = y + 12 + 36 * chance(i, j, 72);
            around(x, p.width(), 10,
                   [&](float u) { p.fill(Shape::circle(u, at, 5), i % 2 == 0 ? detail : soil.darker(0.3F)); });
        }
    }
}

void paint_soil(Painter& p, const GroundLook& look) {
    // Where a tile has only a few pixels, detail in full contrast would be mere noise.
    const float calm = std::clamp(0.04F * (p.units_per_pixel() - 2), 0.0F, 0.6F);
    const Tint soil = Tint::hex(look.soil), detail = Tint::hex(look.detail).mix(soil, calm);
    const Tint light = soil.lighter(0.28F * (1 - calm));
    const int period = std::max(static_cast<int>(p.width() / 50), 1);
    p.fill(Shape::rectangle(0, 0, p.width(), p.height()),
           Fill(soil).grained(0.05F, p.width() / static_cast<float>(period), 31, {period, period}));
    switch (look.texture) {
        case Texture::Pebbles: paint_pebbles(p, soil, detail); break;
        case Texture::Bricks: paint_bricks(p, soil, detail); break;
        case Texture::Layers: paint_layers(p, soil, detail); break;
        case Texture::Shards: paint_shards(p, light, detail, false); break;
        case Texture::Cake: paint_cake(p, soil, detail, Tint::hex(0xFFE9C8).mix(soil, calm)); break;
        case Texture::Crystals: paint_shards(p, light, detail, true); break;
    }
}

// Grass, snow, icing: a bright cover that hangs down in blades or drops of different length.
void paint_cover(Painter& p, const GroundLook& look) {
    const Tint cover = Tint::hex(look.cover), light = Tint::hex(look.cover_light);
    const bool square = look.texture == Texture::Bricks;
    const bool blades = look.texture == Texture::Pebbles || look.texture == Texture::Crystals;
    const float step = square ? 50.0F : blades ? 12.5F : 25.0F;
    const auto hanging = [&](float lower, const Tint& tint) {
        p.fill(Shape::rectangle(0, 0, p.width(), 25 + lower), tint);
        for (int i = 0; static_cast<float>(i) * step < p.width(); ++i) {
            const float x = (static_cast<float>(i) + 0.5F) * step, random = chance(i, 0, 81);
            const float drop = lower + (square ? 20 : 22 + 26 * random);
            if (blades)
                p.fill(Shape::polygon({{x - 10, 20 + lower}, {x + 10, 20 + lower}, {x + 10 * random - 5, drop + 10}}),
                       tint);
            else p.fill(Shape::line({x, 0}, {x, drop}, square ? 44.0F : 26.0F), tint);
        }
    };
    hanging(7, Tint::hex(look.soil).darker(0.5F));
    hanging(0, cover);
    p.fill(Shape::rectangle(0, 0, p.width(), 22), Fill::linear(light, cover, {0, 6}, {0, 22}));
    p.fill(Shape::rectangle(0, 0, p.width(), 6), light.lighter(0.35F));
}

}  // namespace

void paint_wall_middle(Painter& p, int theme) { paint_soil(p, kGrounds[theme]); }

void paint_wall_top(Painter& p, int theme) {
    paint_soil(p, kGrounds[theme]);
    paint_cover(p, kGrounds[theme]);
}

void paint_lava_middle(Painter& p, int) {
    const Tint lava = Tint::hex(0xE23A12);
    const int period = std::max(static_cast<int>(p.width() / 60), 1);
    const float grain = p.width() / static_cast<float>(period);
    p.fill(Shape::rectangle(0, 0, p.width(), p.height()), Fill(lava).grained(0.22F, grain, 91, {period, period}));
    for (int j = 0; j < static_cast<int>(p.height() / kTileUnits); ++j)
        for (int i = 0; i < static_cast<int>(p.width() / kTileUnits); ++i) {
            const float x = (static_cast<float>(i) + 0.15F + 0.7F * chance(i, j, 92)) * kTileUnits;
            const float y = (static_cast<float>(j) + 0.2F + 0.6F * chance(i, j, 93)) * kTileUnits;
            ball(p, x, y, 7 + 8 * chance(i, j, 94), Tint::hex(0xFFA42B));
        }
}

void paint_lava_top(Painter& p, int theme) {
    paint_lava_middle(p, theme);
    const Tint crest = Tint::hex(0xFFD23A);
    for (float x = 0; x <= p.width(); x += 50) p.fill(Shape::ellipse(x, 10, 30, 26), Tint::hex(0xFF8A1E));
    for (float x = 0; x <= p.width(); x += 50)
        p.fill(Shape::ellipse(x, 2, 29, 20), Fill::linear(Tint::hex(0xFFF6B0), crest, {0, 0}, {0, 20}));
}

}  // namespace wm::art::coinrun
