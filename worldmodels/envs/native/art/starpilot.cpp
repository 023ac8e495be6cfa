#include "art/starpilot.h"

#include "art/details.h"
#include "art/effects.h"

namespace wm::art::starpilot {
namespace {

void paint_player(Painter& p, int) {
    const Tint hull = Tint::hex(0xF2F7FF), blue = Tint::hex(0x2E8BFF);
    p.fill(Shape::line({26, 50}, {2, 50}, 22, 4), Tint::hex(0xFF8A1E));
    p.fill(Shape::line({26, 50}, {12, 50}, 12, 3), Tint::hex(0xFFF6B0));
    p.fill(Shape::polygon({{20, 6}, {40, 10}, {74, 44}, {74, 56}, {40, 90}, {20, 94}, {34, 50}}, 2),
           upright(blue, 4, 96));
    p.fill(Shape::polygon({{22, 36}, {84, 38}, {117, 50}, {84, 62}, {22, 64}}, 4), upright(hull, 34, 68));
    p.outline(5, kInk);
    p.fill(Shape::ellipse(74, 47, 17, 8), kInk);
    p.fill(Shape::ellipse(74, 46, 14, 6), Fill::linear(Tint::hex(0xC8F6FF), Tint::hex(0x1FB6E8), {70, 40}, {76, 54}));
    p.fill_inside(Shape::line({24, 57}, {96, 57}, 4), blue);
}

constexpr std::uint32_t kRocks[] = {0x9A7A62, 0x8088A0, 0xA8684A, 0x7A8A72, 0x90708A, 0xB0986A, 0x6A8496, 0x9A9088};

void paint_meteor(Painter& p, int theme) {
    const auto seed = static_cast<std::uint32_t>(500 + theme * 10);
    const Tint rock = Tint::hex(kRocks[theme]);
    std::vector<Point> edge;
    constexpr int kCorners = 36;
    for (int i = 0; i < kCorners; ++i) {
        const float angle = 360 * static_cast<float>(i) / kCorners;
        const float radius = 76 + 20 * noise(0.25F * static_cast<float>(i), 0.5F, seed, {kCorners / 4, 0});
        edge.push_back({100 + radius * cosine(angle), 100 + radius * sine(angle)});
    }
    p.fill(Shape::polygon(edge, 3), Fill(rock).grained(0.16F, 22, seed));
    for (int i = 0; i < 7; ++i) {
        const float angle = 51 * static_cast<float>(i) + 30 * chance(i, 1, seed), far = 20 + 50 * chance(i, 2, seed);
        const float x = 100 + far * cosine(angle), y = 100 + far * sine(angle), radius = 7 + 12 * chance(i, 3, seed);
        p.fill_inside(Shape::circle(x, y, 1.15F * radius), rock.lighter(0.22F));
        p.fill_inside(Shape::circle(x, y, radius),
                      Fill::linear(rock.darker(0.5F), rock.darker(0.2F), {x, y - radius}, {x, y + radius}));
    }
    p.bevel(20, 0.6F);
    p.outline(6, kInk);
}

constexpr std::uint32_t kClouds[] = {0xC8D4F0, 0xE8C8E4, 0xC4E8E0, 0xE8DCC0, 0xD0C4F0,
                                     0xF0CCC4, 0xC8E4C8, 0xB8D4E8, 0xDCDCE8};

void paint_cloud(Painter& p, int theme) {
    const auto seed = static_cast<std::uint32_t>(600 + theme * 10);
    const Tint tint = Tint::hex(kClouds[theme]);
    constexpr int kPuffs = 9;
    const auto puffs = [&](auto draw) {
        for (int i = 0; i < kPuffs; ++i) {
            const float angle = 360 * static_cast<float>(i) / kPuffs, far = 26 + 24 * chance(i, 1, seed);
            draw(100 + 1.25F * far * cosine(angle), 100 + 0.85F * far * sine(angle), 30 + 18 * chance(i, 2, seed));
        }
    };
    const Fill body = Fill::linear(tint.lighter(0.3F), tint.darker(0.22F), {0, 45}, {0, 150});
    puffs([&](float x, float y, float r) { p.fill(Shape::ellipse(x, y + 4, 1.1F * r, r), tint.darker(0.36F)); });
    p.fill(Shape::ellipse(100, 100, 50, 36), body);
    puffs([&](float x, float y, float r) { p.fill(Shape::ellipse(x, y - 5, r, 0.86F * r), body); });
    puffs([&](float x, float y, float r) { p.glow(x - 0.2F * r, y - 0.45F * r, 0.75F * r, kWhite.faded(0.4F)); });
}

struct TurretLook {
    std::uint32_t armour, dome;
};

constexpr TurretLook kTurrets[] = {{0x7E8AA0, 0xE23A4A}, {0xA08A62, 0x4AB04A}};

void paint_turret(Painter& p, int theme) {
    const Tint armour = Tint::hex(kTurrets[theme].armour), dome = Tint::hex(kTurrets[theme].dome);
    p.fill(Shape::line({150, 42}, {12, 42}, 20), upright(armour.darker(0.2F), 30, 54));
    p.fill(Shape::rectangle(2, 28, 22, 28, 4), upright(armour, 28, 56));
    ball(p, 166, 44, 40, dome);
    p.fill(Shape::polygon({{60, 94}, {84, 58}, {248, 58}, {320, 72}, {326, 94}}, 4), upright(armour, 52, 98));
    p.outline(5, kInk);
    p.fill_inside(Shape::rectangle(60, 80, 270, 6), kInk.faded(0.5F));
    for (int i = 0; i < 5; ++i) {
        const float x = 96 + 46 * static_cast<float>(i);
        p.fill_inside(Shape::polygon({{x, 98}, {x + 14, 98}, {x + 26, 86}, {x + 12, 86}}), Tint::hex(0xFFD23A));
        p.fill(Shape::circle(x + 6, 70, 4), kInk.faded(0.7F));
    }
    p.fill(Shape::circle(152, 36, 13), kInk);
    p.fill(Shape::circle(152, 36, 9), Fill::radial(Tint::hex(0xFFF6C0), Tint::hex(0xFFB01E), {149, 33}, 10));
    shine(p, 182, 20, 12, 5);
}

void paint_player_shot(Painter& p, int) {
    p.fill(Shape::line({18, 30}, {70, 30}, 30, 58), Tint::hex(0x18B4FF));
    p.fill(Shape::line({26, 30}, {72, 30}, 16, 44), Tint::hex(0x8CF4FF));
    p.fill(Shape::line({46, 30}, {76, 30}, 10, 28), kWhite);
}

void paint_enemy_shot(Painter& p, const Tint& tint) {
    p.fill(Shape::circle(50, 50, 49), tint.darker(0.55F));
    p.fill(Shape::circle(50, 50, 42), Fill::radial(tint.lighter(0.35F), tint, {50, 50}, 42));
    p.fill(Shape::circle(46, 46, 20), Fill::radial(kWhite, tint.lighter(0.5F), {44, 44}, 20));
}

void paint_flyer_shot(Painter& p, int) { paint_enemy_shot(p, Tint::hex(0xFF4A1E)); }
void paint_turret_shot(Painter& p, int) { paint_enemy_shot(p, Tint::hex(0xFF2AC8)); }

}  // namespace

const ArtTable& table() {
    using K = SpriteKind;
    static const ArtTable kTable = [] {
        ArtTable table = {"starpilot",
                          {
                              {0, 1, K::Figure, 1.2F, 1, 120, 100, paint_player},
                              {1, 1, K::Figure, 1, 0.6F, 100, 60, paint_player_shot},
                              {2, 1, K::Figure, 0.8F, 0.8F, 100, 100, paint_flyer_shot},
                              {3, 1, K::Figure, 0.8F, 0.8F, 100, 100, paint_turret_shot},
                              {4, 7, K::Figure, 1.2F, 1.2F, 100, 100, paint_flyer},
                              {5, 8, K::Figure, 4, 4, 200, 200, paint_meteor, kMeteorTurns},
                              {6, 9, K::Figure, 4.4F, 4.4F, 200, 200, paint_cloud},
                              {7, 2, K::Figure, 4, 4 / kTurretAspect, 331, 100, paint_turret},
                              {8, 7, K::Figure, 1.5F, 1.1F, 136, 100, paint_fast_flyer},
                              {9,
                               kFinishes,
                               K::Figure,
                               0,
                               16,
                               0,
                               400,
                               paint_finish,
                               1,
                               true,
                               {kFinishAspects, kFinishAspects + kFinishes}},
                              {1, 1, K::Figure, 0.7F, 0.42F, 100, 60, paint_player_shot},
                              {2, 1, K::Figure, 0.5F, 0.5F, 100, 100, paint_flyer_shot},
                              {3, 1, K::Figure, 0.5F, 0.5F, 100, 100, paint_turret_shot},
                          }};
        add_explosion(table.sprites, 1);
        return table;
    }();
    return kTable;
}

}  // namespace wm::art::starpilot
