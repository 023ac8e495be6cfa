// The towers of climber: a ruin in the jungle, a tree house, an ice castle and a clockwork. Patterns repeat sideways
// after their width.
#include <algorithm>

#include "art/climber.h"
#include "art/details.h"
#include "art/masonry.h"

namespace wm::art::climber {
namespace {

enum class Texture { Ruin, Planks, Ice, Plates };

struct TowerLook {
    std::uint32_t body, detail, cover, cover_light;
    Texture texture;
};

constexpr TowerLook kTowers[] = {
    {0x8C8A78, 0x5E5C50, 0x4FB43A, 0x9BE85A, Texture::Ruin},
    {0xA86A3A, 0x6E4222, 0xE0483A, 0xFF9A78, Texture::Planks},
    {0x3F86D0, 0x2A62A8, 0x35D0EE, 0xE4FBFF, Texture::Ice},
    {0x5A5478, 0x3C3654, 0xF0A63A, 0xFFE08A, Texture::Plates},
};

void paint_planks(Painter& p, const Tint& body, const Tint& detail) {
    constexpr float kHigh = 25;
    p.fill(Shape::rectangle(0, 0, p.width(), p.height()), detail);
    for (int j = 0; j < static_cast<int>(p.height() / kHigh); ++j) {
        const float y = static_cast<float>(j) * kHigh, tone = chance(j, 1, 101) - 0.5F;
        const Tint tint = tone > 0 ? body.lighter(0.25F * tone) : body.darker(-0.3F * tone);
        p.fill(Shape::rectangle(0, y + 1.5F, p.width(), kHigh - 3), upright(tint, y, y + kHigh));
        for (int i = 0; i < static_cast<int>(p.width() / kTileUnits); ++i) {
            const float x = (static_cast<float>(i) + chance(i, j, 102)) * kTileUnits;
            if (chance(i, j, 103) < 0.5F) continue;
            around(x, p.width(), 20, [&](float at) {
                p.fill(Shape::rectangle(at, y, 3, kHigh), detail);
                for (const float side : {-7.0F, 10.0F})
                    p.fill(Shape::circle(at + side, y + kHigh / 2, 2.5F), detail.darker(0.3F));
            });
        }
    }
}

void paint_plates(Painter& p, const Tint& body, const Tint& detail, const Tint& bolt) {
    p.fill(Shape::rectangle(0, 0, p.width(), p.height()), detail);
    for (int j = 0; j < static_cast<int>(p.height() / kTileUnits); ++j)
        for (int i = 0; i < static_cast<int>(p.width() / kTileUnits); ++i) {
            const float x = static_cast<float>(i) * kTileUnits, y = static_cast<float>(j) * kTileUnits;
            const Tint tint = body.darker(0.18F * chance(i, j, 111));
            p.fill(Shape::rectangle(x + 3, y + 3, 94, 94, 8), tint.lighter(0.2F));
            p.fill(Shape::rectangle(x + 6, y + 7, 91, 90, 8), upright(tint, y, y + 100));
            for (const Point& at : {Point{16, 18}, Point{84, 18}, Point{16, 84}, Point{84, 84}})
                ball(p, x + at.x, y + at.y, 6, bolt);
            if (chance(i, j, 112) > 0.4F) continue;
            p.fill(Shape::star(x + 50, y + 50, 31, 23, 9, 40 * chance(i, j, 113)), bolt.darker(0.3F));
            p.fill(Shape::circle(x + 50, y + 50, 10), detail);
        }
}

void paint_ice(Painter& p, const Tint& body, const Tint& detail) {
    paint_bricks(p, body, detail, {100, 100, 121});
    for (int j = 0; j < static_cast<int>(p.height() / kTileUnits); ++j)
        for (int i = 0; i < static_cast<int>(p.width() / kTileUnits); ++i) {
            const float x = (static_cast<float>(i) + chance(i, j, 122)) * kTileUnits;
            const float y = (static_cast<float>(j) + 0.3F) * kTileUnits, size = 14 + 16 * chance(i, j, 123);
            around(x, p.width(), 40, [&](float at) {
                p.fill(Shape::line({at, y + size}, {at + size, y}, 7, 4), body.lighter(0.6F));
                p.fill(Shape::line({at + 14, y + size + 4}, {at + 14 + 0.6F * size, y + 0.4F * size + 4}, 4, 3),
                       body.lighter(0.6F));
            });
        }
}

void paint_body(Painter& p, const TowerLook& look) {
    // Where a tile has only a few pixels, detail in full contrast would be mere noise.
    const float calm = std::clamp(0.04F * (p.units_per_pixel() - 2), 0.0F, 0.6F);
    const Tint body = Tint::hex(look.body), detail = Tint::hex(look.detail).mix(body, calm);
    switch (look.texture) {
        case Texture::Ruin: paint_bricks(p, body, detail, {50, 100, 131}); break;
        case Texture::Planks: paint_planks(p, body, detail); break;
        case Texture::Ice: paint_ice(p, body, detail); break;
        case Texture::Plates: paint_plates(p, body, detail, Tint::hex(look.cover).mix(body, calm)); break;
    }
}

// Moss, carpet, snow or brass: a bright cover above, and shade below, for most tops are the undersides of platforms.
void paint_cover(Painter& p, const TowerLook& look) {
    const Tint cover = Tint::hex(look.cover), light = Tint::hex(look.cover_light);
    const bool smooth = look.texture == Texture::Plates;
    const float step = look.texture == Texture::Planks ? 50.0F : 25.0F;
    const auto hanging = [&](float lower, const Tint& tint) {
        p.fill(Shape::rectangle(0, 0, p.width(), 34 + lower), tint);
        for (int i = 0; static_cast<float>(i) * step < p.width() && !smooth; ++i) {
            const float x = (static_cast<float>(i) + 0.5F) * step;
            const float drop = 36 + lower + (look.texture == Texture::Planks ? 14 : 24 * chance(i, 0, 141));
            if (look.texture == Texture::Planks)
                p.fill(Shape::polygon({{x - 24, 20 + lower}, {x + 24, 20 + lower}, {x, drop + 14}}), tint);
            else p.fill(Shape::line({x, 0}, {x, drop}, 0.9F * step), tint);
        }
    };
    p.fill(Shape::rectangle(0, 84, p.width(), 16), kInk.faded(0.45F));
    hanging(8, Tint::hex(look.body).darker(0.55F));
    hanging(0, cover);
    p.fill(Shape::rectangle(0, 0, p.width(), 24), Fill::linear(light, cover, {0, 6}, {0, 24}));
    p.fill(Shape::rectangle(0, 0, p.width(), 7), light.lighter(0.4F));
}

}  // namespace

void paint_wall_middle(Painter& p, int theme) { paint_body(p, kTowers[theme]); }

void paint_wall_top(Painter& p, int theme) {
    paint_body(p, kTowers[theme]);
    paint_cover(p, kTowers[theme]);
}

}  // namespace wm::art::climber
