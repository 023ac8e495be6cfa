#include "art/chaser.h"

#include <algorithm>

#include "art/details.h"

namespace wm::art::chaser {
namespace {

constexpr float kUnits = 100;  // of a cell

// Seen from above; the legs are drawn in or stretched.
template <bool kLeaps>
void paint_frog(Painter& p, int) {
    const Tint skin = Tint::hex(0x5FE03A), belly = Tint::hex(0xC8F77A), foot = Tint::hex(0x3FB528);
    const float reach = kLeaps ? 1.0F : 0.0F;
    for (const float side : {-1.0F, 1.0F}) {
        const auto leg = [&](Point from, Point knee, Point toe) {
            p.fill(Shape::line({50 + side * from.x, from.y}, {50 + side * knee.x, knee.y}, 14, 12), foot);
            p.fill(Shape::line({50 + side * knee.x, knee.y}, {50 + side * toe.x, toe.y}, 12, 10), foot);
            for (const float spread : {-7.0F, 0.0F, 7.0F})
                p.fill(Shape::line({50 + side * toe.x, toe.y}, {50 + side * toe.x + spread, toe.y - 7}, 7, 6), foot);
        };
        leg({20, 74}, {38, 72 + 6 * reach}, {34 - 2 * reach, 88 + 6 * reach});
        leg({18, 48}, {36, 42 - 6 * reach}, {41, 26 - 14 * reach});
    }
    p.fill(Shape::ellipse(50, 58, 28, 34), shaded(skin, 50, 52, 34));
    p.fill(Shape::ellipse(50, 34, 27, 20), shaded(skin, 50, 30, 26));
    for (const float side : {-1.0F, 1.0F}) ball(p, 50 + side * 19, 24, 15, skin);
    p.outline(5, kInk);
    p.fill_inside(Shape::ellipse(50, 66, 9, 20), belly.faded(0.55F));
    for (const Point& spot : {Point{34, 58}, Point{66, 64}, Point{36, 76}, Point{64, 48}})
        p.fill_inside(Shape::ellipse(spot.x, spot.y, 5, 6), foot);
    for (const float side : {-1.0F, 1.0F}) eye(p, 50 + side * 19, 22, 11, 0, -0.8F);
}

template <int kSize>
void paint_star(Painter& p, int) {
    const Tint gold = Tint::hex(0xFFD21E);
    p.glow(50, 50, 50, Tint::hex(0xFFE680, 0.7F));
    const float size = static_cast<float>(kSize);
    p.fill(Shape::star(50, 51, size, 0.5F * size, 5, -90), shaded(gold, 50, 46, size));
    p.outline(5, Tint::hex(0x8A4A08));
    p.fill_inside(Shape::star(50, 49, 0.6F * size, 0.3F * size, 5, -90), Tint::hex(0xFFF3A8));
    for (const float side : {-1.0F, 1.0F}) p.fill(Shape::ellipse(50 + side * 8, 50, 3.5F, 6), kInk);
}

// `lean` tilts it; cracks show what is to come.
void paint_egg_leaning(Painter& p, float lean, bool cracked) {
    const Tint shell = Tint::hex(0xFFF6E0), spots = Tint::hex(0xE8503A);
    p.fill(Shape::ellipse(50, 58, 31, 35).turned(lean, 50, 90), upright(shell, 26, 100));
    p.fill(Shape::ellipse(50, 44, 24, 30).turned(lean, 50, 90), upright(shell, 14, 100));
    p.outline(5, kInk);
    const auto spot = [&](float x, float y, float radius) {
        p.fill_inside(Shape::circle(x, y, radius).turned(lean, 50, 90), spots);
    };
    constexpr float kCoarse = 12;  // units: beyond, spots would only make it dark
    if (p.units_per_pixel() < kCoarse) {
        spot(36, 44, 7);
        spot(64, 34, 6);
        spot(66, 72, 8);
        spot(34, 74, 5);
    }
    shine(p, 38, 30, 6, 10, 0.7F);
    if (!cracked) return;
    const Point zigzag[] = {{18, 52}, {32, 60}, {42, 48}, {54, 62}, {64, 48}, {82, 56}};
    for (int i = 0; i < 5; ++i) p.fill_inside(Shape::line(zigzag[i], zigzag[i + 1], 5).turned(lean, 50, 90), kInk);
}

template <int kLean, bool kCracked>
void paint_egg(Painter& p, int) {
    paint_egg_leaning(p, static_cast<float>(kLean), kCracked);
}

struct DragonLook {
    std::uint32_t body, belly, wing, horn;
};

constexpr DragonLook kFierce = {0xF0302C, 0xFFC24A, 0xA8123E, 0xFFF0C8};
constexpr DragonLook kScared = {0x3F6BFF, 0xBFD4FF, 0x2C3FC0, 0xE8F0FF};

void paint_wing(Painter& p, const Tint& tint, float side, float flap) {
    const float x = 50 + side * 22, tip_x = 50 + side * 48, tip_y = 40 - 30 * flap;
    p.fill(Shape::polygon({{x, 42},
                           {tip_x, tip_y},
                           {tip_x + side * 1, tip_y + 24},
                           {50 + side * 40, 54 - 10 * flap},
                           {50 + side * 36, 66 - 4 * flap},
                           {x, 66}},
                          3),
           shaded(tint, 50 + side * 34, 40, 30));
}

void paint_dragon_body(Painter& p, const DragonLook& look, float flap) {
    const Tint body = Tint::hex(look.body), horn = Tint::hex(look.horn);
    p.fill(Shape::line({34, 80}, {8, 92}, 14, 4), body.darker(0.15F));
    for (const float side : {-1.0F, 1.0F}) {
        paint_wing(p, Tint::hex(look.wing), side, flap);
        p.fill(Shape::polygon({{50 + side * 10, 22}, {50 + side * 26, 24}, {50 + side * 27, 3}}, 2), horn);
        p.fill(Shape::ellipse(50 + side * 15, 93, 11, 6), body.darker(0.25F));
    }
    p.fill(Shape::ellipse(50, 70, 25, 25), shaded(body, 50, 64, 26));
    p.fill(Shape::ellipse(52, 40, 31, 27), shaded(body, 52, 34, 30));
    p.outline(5, kInk);
    p.fill_inside(Shape::ellipse(52, 78, 15, 16), Tint::hex(look.belly));
    for (const float y : {72.0F, 81.0F}) p.fill_inside(Shape::line({36, y}, {68, y}, 2.5F), body.darker(0.2F));
}

template <int kFlap>
void paint_dragon(Painter& p, int) {
    paint_dragon_body(p, kFierce, static_cast<float>(kFlap));
    for (const float x : {41.0F, 67.0F}) {
        const float inwards = x < 52 ? 1.0F : -1.0F;
        p.fill(Shape::circle(x, 38, 11), Tint::hex(0xFFF28A));
        p.fill(Shape::ellipse(x + 2 + 2 * inwards, 39, 4, 8), kInk);
        p.fill(Shape::line({x - 13 * inwards, 24}, {x + 10 * inwards, 33}, 7), kInk);
    }
    p.fill(Shape::rectangle(38, 53, 30, 9, 4), kInk);
    for (const float x : {42.0F, 52.0F, 62.0F}) p.fill(Shape::polygon({{x - 4, 53}, {x + 4, 53}, {x, 60}}), kWhite);
}

// Wide eyes, a wavering mouth, a drop of sweat.
template <int kFlap>
void paint_scared_dragon(Painter& p, int) {
    paint_dragon_body(p, kScared, static_cast<float>(kFlap));
    for (const float x : {40.0F, 66.0F}) {
        p.fill(Shape::circle(x, 37, 13), kInk);
        p.fill(Shape::circle(x, 37, 11.5F), kWhite);
        p.fill(Shape::circle(x + 2 * static_cast<float>(kFlap), 39, 4), kInk);
        const float outwards = x < 52 ? -1.0F : 1.0F;
        p.fill(Shape::line({x - 8 * outwards, 18}, {x + 9 * outwards, 22}, 4.5F), kInk);
    }
    const Point mouth[] = {{38, 59}, {44, 55}, {50, 60}, {56, 55}, {62, 60}, {67, 56}};
    for (int i = 0; i < 5; ++i) p.fill(Shape::line(mouth[i], mouth[i + 1], 4), kInk);
    p.fill(Shape::circle(87, 26, 6), Tint::hex(0x9FE8FF));
    p.fill(Shape::polygon({{82, 24}, {92, 24}, {87, 12}}, 1), Tint::hex(0x9FE8FF));
}

void paint_firefly(Painter& p, int) {
    p.glow(50, 50, 40, Tint::hex(0xFFF08A, 0.75F));
    p.fill(Shape::circle(50, 50, 15), Tint::hex(0xFFF2A0));
    p.fill(Shape::circle(50, 50, 9), kWhite);
}

void paint_dusk(Painter& p, int) { p.fill(Shape::rectangle(-100, -100, 300, 300), Tint::hex(0x14163A, 0.74F)); }

// Clipped hedges: leaves in the light of the moon, each cell rounded.
void paint_wall(Painter& p, int) {
    const Tint leaf = Tint::hex(0x8A7AC8);
    p.fill(Shape::rectangle(0, 0, p.width(), p.height()), leaf.darker(0.5F));
    const float coarse = std::clamp(0.05F * (p.units_per_pixel() - 4), 0.0F, 0.8F);
    const int across = static_cast<int>(p.width() / kUnits), down = static_cast<int>(p.height() / kUnits);
    for (int j = 0; j < down; ++j) {
        for (int i = 0; i < across; ++i) {
            const float x = static_cast<float>(i) * kUnits, y = static_cast<float>(j) * kUnits;
            p.fill(Shape::rectangle(x + 2, y + 2, 96, 96, 22), leaf.darker(0.36F * (1 - coarse)));
            p.fill(Shape::rectangle(x + 3, y + 2, 92, 86, 22),
                   Fill::linear(leaf.lighter(0.2F), leaf.darker(0.1F), {x, y}, {x + 40, y + 100}));
            for (int k = 0; k < 14; ++k) {
                const float u = x + 14 + 70 * chance(i * 16 + k, j, 31), v = y + 12 + 66 * chance(i * 16 + k, j, 32);
                const Tint tint = k % 2 == 0 ? leaf.lighter(0.28F) : leaf.darker(0.16F);
                p.fill(Shape::ellipse(u, v, 9, 5).turned(180 * chance(i * 16 + k, j, 33), u, v),
                       tint.faded(0.75F * (1 - coarse)));
            }
        }
    }
}

}  // namespace

const ArtTable& table() {
    constexpr float kGrown = 1.2F, kEgg = 1.15F;
    constexpr int kQuarters = 4;
    static const ArtTable kTable = {
        "chaser",
        {
            {0, 1, SpriteKind::Figure, kGrown, kGrown, 100, 100, paint_frog<false>, kQuarters},
            {0, 1, SpriteKind::Figure, kGrown, kGrown, 100, 100, paint_frog<true>, kQuarters},
            {2, 1, SpriteKind::Figure, kGrown, kGrown, 100, 100, paint_star<44>},
            {2, 1, SpriteKind::Figure, kGrown, kGrown, 100, 100, paint_star<37>},
            {4, 1, SpriteKind::Figure, kEgg, kEgg, 100, 100, paint_egg<0, false>},
            {4, 1, SpriteKind::Figure, kEgg, kEgg, 100, 100, paint_egg<-14, true>},
            {4, 1, SpriteKind::Figure, kEgg, kEgg, 100, 100, paint_egg<0, true>},
            {4, 1, SpriteKind::Figure, kEgg, kEgg, 100, 100, paint_egg<14, true>},
            {4, 1, SpriteKind::Figure, kEgg, kEgg, 100, 100, paint_egg<0, true>},
            {6, 1, SpriteKind::Figure, kGrown, kGrown, 100, 100, paint_dragon<1>},
            {7, 1, SpriteKind::Figure, kGrown, kGrown, 100, 100, paint_dragon<0>},
            {8, 1, SpriteKind::Figure, kGrown, kGrown, 100, 100, paint_dragon<-1>},
            {3, 1, SpriteKind::Figure, kGrown, kGrown, 100, 100, paint_scared_dragon<1>},
            {3, 1, SpriteKind::Figure, kGrown, kGrown, 100, 100, paint_scared_dragon<-1>},
            {1, 1, SpriteKind::Figure, 1, 1, 100, 100, paint_firefly},
            {1, 1, SpriteKind::Figure, 1.5F, 1.5F, 150, 150, paint_dusk},
            {5, 1, SpriteKind::Pattern, 0, 0, kUnits, kUnits, paint_wall},
        }};
    return kTable;
}

}  // namespace wm::art::chaser
