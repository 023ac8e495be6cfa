#include "art/caveflyer.h"

#include "art/details.h"
#include "art/effects.h"

namespace wm::art::caveflyer {
namespace {

// A white and red racer, seen from above, that points up.
void paint_player(Painter& p, int) {
    const Tint hull = Tint::hex(0xF6F8FF), red = Tint::hex(0xF03A4A);
    p.fill(Shape::line({38, 82}, {38, 92}, 12, 5), Tint::hex(0xFFA22E));
    p.fill(Shape::line({62, 82}, {62, 92}, 12, 5), Tint::hex(0xFFA22E));
    p.fill(Shape::polygon({{50, 28}, {92, 70}, {92, 88}, {62, 80}, {38, 80}, {8, 88}, {8, 70}}, 4),
           Fill::linear(red.lighter(0.2F), red.darker(0.25F), {20, 30}, {84, 90}));
    p.fill(Shape::polygon({{50, 4}, {66, 36}, {66, 84}, {34, 84}, {34, 36}}, 7),
           Fill::linear(hull, hull.darker(0.3F), {36, 20}, {70, 80}));
    p.outline(7, kInk);
    p.fill_inside(Shape::rectangle(34, 68, 32, 7), red);
    p.fill(Shape::ellipse(50, 46, 11, 16), kInk);
    p.fill(Shape::ellipse(50, 45, 8, 13), Fill::linear(Tint::hex(0xC8F6FF), Tint::hex(0x1FA6F0), {46, 34}, {54, 58}));
    shine(p, 46, 38, 3, 5, 0.9F);
}

// A beacon in green: a ring of light around a star.
void paint_goal(Painter& p, int) {
    const Tint green = Tint::hex(0x38E86A);
    p.glow(50, 50, 56, green.faded(0.5F));
    p.fill(Shape::circle(50, 50, 44), kInk);
    p.fill(Shape::circle(50, 50, 40), Fill::radial(green.lighter(0.5F), green.darker(0.1F), {40, 38}, 46));
    p.fill(Shape::circle(50, 50, 27), Tint::hex(0x0C3A2A));
    p.fill(Shape::star(50, 50, 25, 11, 5), kInk);
    p.fill(Shape::star(50, 50, 22, 10, 5), Fill::linear(kWhite, green.lighter(0.45F), {40, 30}, {58, 70}));
}

// A mine: rusty, with glaring spikes and a red eye.
void paint_obstacle(Painter& p, int) {
    const Tint iron = Tint::hex(0xD84A2A), spike = Tint::hex(0xFFB44A);
    p.fill(Shape::star(50, 50, 49, 27, 8, 22.5F),
           Fill::linear(spike.lighter(0.3F), spike.darker(0.15F), {20, 16}, {80, 84}));
    p.outline(4, kInk);
    p.fill(Shape::circle(50, 50, 34), kInk);
    ball(p, 50, 50, 31, iron);
    p.fill(Shape::circle(50, 50, 15), kInk);
    p.fill(Shape::circle(50, 50, 11), Fill::radial(Tint::hex(0xFFE0B0), Tint::hex(0xFF2030), {46, 46}, 12));
    shine(p, 35, 30, 9, 4);
}

// A bull's-eye, to be shot at.
void paint_target_look(Painter& p, bool hurt) {
    const Tint red = Tint::hex(0xF0304A), white = Tint::hex(0xFFF4E6);
    p.fill(Shape::circle(50, 50, 46), shaded(red, 50, 50, 46));
    p.outline(6, kInk);
    p.fill(Shape::circle(50, 50, 34), shaded(white, 50, 50, 34));
    p.fill(Shape::circle(50, 50, 22), shaded(red, 50, 50, 22));
    p.fill(Shape::circle(50, 50, 9), white);
    if (!hurt) return;
    const std::vector<Point> crack = {{18, 22}, {36, 40}, {33, 54}, {54, 62}, {60, 84}};
    for (std::size_t i = 0; i + 1 < crack.size(); ++i) p.fill(Shape::line(crack[i], crack[i + 1], 5, 4), kInk);
    p.fill(Shape::line(crack[1], {56, 30}, 4, 2), kInk);
    p.fill(Shape::line(crack[3], {78, 52}, 4, 2), kInk);
}

void paint_target(Painter& p, int) { paint_target_look(p, false); }
void paint_target_hurt(Painter& p, int) { paint_target_look(p, true); }

void paint_shot(Painter& p, int) {
    p.fill(Shape::line({30, 88}, {30, 26}, 12, 40), Tint::hex(0x18B4FF));
    p.fill(Shape::line({30, 78}, {30, 26}, 8, 28), Tint::hex(0x8CF4FF));
    p.fill(Shape::line({30, 50}, {30, 24}, 8, 18), kWhite);
}

// A violet beast with horns and one big eye, which patrols.
void paint_enemy(Painter& p, int) {
    const Tint skin = Tint::hex(0xC65CFF), horn = Tint::hex(0xFFD23A);
    for (const float side : {-1.0F, 1.0F}) {
        p.fill(Shape::polygon({{50 + 14 * side, 26}, {50 + 34 * side, 34}, {50 + 40 * side, 2}}, 2), horn);
        p.fill(
            Shape::polygon({{50 + 26 * side, 46}, {50 + 49 * side, 40}, {50 + 47 * side, 68}, {50 + 26 * side, 70}}, 3),
            skin.darker(0.12F));
    }
    ball(p, 50, 54, 36, skin);
    p.outline(6, kInk);
    eye(p, 54, 46, 16, 0.7F, 0.2F);
    p.fill(Shape::line({34, 28}, {70, 36}, 8), kInk);
    p.fill(Shape::polygon({{28, 70}, {74, 70}, {66, 84}, {36, 84}}, 5), kInk);
    for (int i = 0; i < 4; ++i) {
        const float x = 33 + 11 * static_cast<float>(i);
        p.fill(Shape::polygon({{x, 70}, {x + 9, 70}, {x + 4.5F, 79}}), kWhite);
    }
}

// A puff that cools down and thins out.
template <int kFrame>
void paint_exhaust(Painter& p, int) {
    constexpr float kTime = static_cast<float>(kFrame) / (kExhaustFrames - 1);
    const Tint tint = Tint::hex(0xFFF0A0).mix(Tint::hex(0xFF6A1E), kTime).faded(0.95F - 0.65F * kTime);
    p.fill(Shape::circle(50, 50, 28 + 18 * kTime), tint);
    p.fill(Shape::circle(46, 46, 18 - 8 * kTime), kWhite.faded(0.8F - 0.7F * kTime));
}

}  // namespace

const ArtTable& table() {
    using K = SpriteKind;
    static const ArtTable kTable = [] {
        ArtTable table = {"caveflyer",
                          {
                              {0, 1, K::Figure, 1.3F, 1.3F, 100, 100, paint_player, kTurns},
                              {1, 1, K::Figure, 1.35F, 1.35F, 100, 100, paint_goal},
                              {2, 1, K::Figure, 1.25F, 1.25F, 100, 100, paint_obstacle},
                              {3, 1, K::Figure, 1.2F, 1.2F, 100, 100, paint_target},
                              {4, 1, K::Figure, 0.7F, 0.7F, 60, 100, paint_shot, kTurns},
                              {5, 1, K::Figure, 1.3F, 1.3F, 100, 100, paint_enemy},
                              {8, 1, K::Pattern, 0, 0, 100, 100, paint_wall},
                              {8, 1, K::Pattern, 0, 0, 100, 100, paint_rim},
                              {9, 1, K::Figure, 0.4F, 0.4F, 100, 100, paint_exhaust<0>},
                              {9, 1, K::Figure, 0.42F, 0.42F, 100, 100, paint_exhaust<1>},
                              {9, 1, K::Figure, 0.44F, 0.44F, 100, 100, paint_exhaust<2>},
                              {9, 1, K::Figure, 0.46F, 0.46F, 100, 100, paint_exhaust<3>},
                          }};
        add_explosion(table.sprites, 0.5F);
        table.sprites.push_back({3, 1, K::Figure, 1.2F, 1.2F, 100, 100, paint_target_hurt});
        return table;
    }();
    return kTable;
}

}  // namespace wm::art::caveflyer
