// The ground of jumper: four styles of cave. Patterns repeat after the width of the view.
#include <algorithm>

#include "art/details.h"
#include "art/jumper.h"

namespace wm::art::jumper {
namespace {

enum class Texture { Boulders, Blocks, Icicles, Roots };

struct GroundLook {
    std::uint32_t rock, detail, cover, cover_light;
    Texture texture;
};

constexpr GroundLook kGrounds[kWallThemes] = {
    {0x6B5A78, 0x54465F, 0x58B848, 0xA6E86A, Texture::Boulders},  // moss on violet rock
    {0xC88A54, 0xA86C3C, 0xF6CE74, 0xFFF0B4, Texture::Blocks},    // sandstone
    {0x5F8FC4, 0x4A76AC, 0xEAF6FF, 0xFFFFFF, Texture::Icicles},   // ice
    {0x6E4A34, 0x573826, 0xE0709C, 0xFFB4CC, Texture::Roots},     // earth under heather
};

// Draws a thing wherever it shows on a pattern that repeats both ways.
template <class Draw>
void around(const Painter& p, float x, float y, float reach, Draw draw) {
    for (const float u : {x - p.width(), x, x + p.width()})
        for (const float v : {y - p.height(), y, y + p.height()})
            if (u > -reach && u < p.width() + reach && v > -reach && v < p.height() + reach) draw(u, v);
}

// Calls `draw(x, y, i, j)` for a middle in each tile, a little off its centre.
template <class Draw>
void in_each_tile(const Painter& p, std::uint32_t salt, Draw draw) {
    for (int j = 0; j < static_cast<int>(p.height() / kTileUnits); ++j)
        for (int i = 0; i < static_cast<int>(p.width() / kTileUnits); ++i)
            around(p, (static_cast<float>(i) + 0.2F + 0.6F * chance(i, j, salt)) * kTileUnits,
                   (static_cast<float>(j) + 0.2F + 0.6F * chance(i, j, salt + 1)) * kTileUnits, kTileUnits,
                   [&](float x, float y) { draw(x, y, i, j); });
}

void paint_boulders(Painter& p, const Tint& rock, const Tint& detail) {
    in_each_tile(p, 10, [&](float x, float y, int i, int j) {
        const float size = 26 + 22 * chance(i, j, 12);
        p.fill(Shape::ellipse(x + 3, y + 5, 1.2F * size, size), detail);
        p.fill(Shape::ellipse(x, y, 1.2F * size, size),
               Fill::linear(rock.lighter(0.16F), rock, {x - size, y - size}, {x + 0.5F * size, y + 0.6F * size}));
    });
}

void paint_blocks(Painter& p, const Tint& rock, const Tint& detail) {
    const int columns = static_cast<int>(p.width() / kTileUnits), rows = static_cast<int>(p.height() / kTileUnits);
    for (int j = 0; j < 2 * rows; ++j)
        for (int i = 0; i < columns; ++i) {
            const float x = (static_cast<float>(i) + (j % 2 == 0 ? 0.0F : 0.5F)) * kTileUnits;
            const float y = 0.5F * static_cast<float>(j) * kTileUnits;
            const Tint tint = rock.mix(detail, 0.5F * chance(i, j, 20));
            for (const float u : {x, x - p.width()}) {
                p.fill(Shape::rectangle(u + 3, y + 3, 94, 44, 9), tint.darker(0.2F));
                p.fill(Shape::rectangle(u + 3, y + 3, 92, 39, 9), tint.lighter(0.14F));
                p.fill(Shape::rectangle(u + 7, y + 8, 87, 34, 7), tint);
            }
        }
}

void paint_icicles(Painter& p, const Tint& rock, const Tint& detail) {
    in_each_tile(p, 30, [&](float x, float y, int i, int j) {
        const float wide = 14 + 10 * chance(i, j, 32), tall = 34 + 22 * chance(i, j, 33), lean = 12 * chance(i, j, 34);
        p.fill(Shape::polygon({{x, y - tall}, {x + wide, y}, {x + lean, y + tall}, {x - wide, y}}), detail);
        p.fill(Shape::polygon({{x, y - tall}, {x + lean, y + tall}, {x - wide, y}}), rock.lighter(0.2F));
    });
}

void paint_roots(Painter& p, const Tint& rock, const Tint& detail) {
    in_each_tile(p, 40, [&](float x, float y, int i, int j) {
        const float turn = 40 * chance(i, j, 42) - 20;
        p.fill(Shape::line({x - 40, y + turn}, {x + 4, y}, 9, 13), detail);
        p.fill(Shape::line({x + 4, y}, {x + 40, y - 26 + turn}, 13, 5), detail);
        p.fill(Shape::line({x + 4, y}, {x + 30, y + 26}, 9, 4), detail);
        p.fill(Shape::ellipse(x - 16, y - 26, 10, 7), rock.lighter(0.22F));
    });
}

void paint_rock(Painter& p, const GroundLook& look) {
    // Where a tile has only a few pixels, detail in full contrast would be mere noise.
    const float calm = std::clamp(0.04F * (p.units_per_pixel() - 2), 0.0F, 0.65F);
    const Tint rock = Tint::hex(look.rock), detail = Tint::hex(look.detail).mix(rock, calm);
    const int period = std::max(static_cast<int>(p.width() / 50), 1);
    p.fill(Shape::rectangle(0, 0, p.width(), p.height()),
           Fill(rock).grained(0.05F, p.width() / static_cast<float>(period), 5, {period, period}));
    switch (look.texture) {
        case Texture::Boulders: paint_boulders(p, rock, detail); break;
        case Texture::Blocks: paint_blocks(p, rock, detail); break;
        case Texture::Icicles: paint_icicles(p, rock, detail); break;
        case Texture::Roots: paint_roots(p, rock, detail); break;
    }
}

// A bright cover that hangs over the edge in drops of different length.
void paint_cover(Painter& p, const GroundLook& look) {
    const Tint cover = Tint::hex(look.cover), light = Tint::hex(look.cover_light);
    constexpr float kStep = 20;
    const auto hanging = [&](float lower, const Tint& tint) {
        p.fill(Shape::rectangle(0, -20, p.width(), 46 + lower), tint);
        for (int i = 0; static_cast<float>(i) * kStep < p.width(); ++i) {
            const float x = (static_cast<float>(i) + 0.5F) * kStep, drop = 24 + 22 * chance(i, 0, 60) + lower;
            p.fill(look.texture == Texture::Icicles ? Shape::polygon({{x - 11, 16}, {x + 11, 16}, {x, drop + 14}}, 1)
                                                    : Shape::line({x, 10}, {x, drop}, 19),
                   tint);
        }
    };
    hanging(8, Tint::hex(look.rock).darker(0.5F));
    hanging(0, cover);
    p.fill(Shape::rectangle(0, -10, p.width(), 26), Fill::linear(light, cover, {0, 2}, {0, 18}));
}

}  // namespace

void paint_wall_middle(Painter& p, int theme) { paint_rock(p, kGrounds[theme]); }

void paint_wall_top(Painter& p, int theme) {
    paint_rock(p, kGrounds[theme]);
    paint_cover(p, kGrounds[theme]);
}

}  // namespace wm::art::jumper
