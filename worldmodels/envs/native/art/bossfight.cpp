#include "art/bossfight.h"

#include "art/details.h"

namespace wm::art::bossfight {
namespace {

struct Livery {
    std::uint32_t wing, trim;
};

constexpr Livery kShips[] = {{0x2E8BFF, 0x9AE8FF}, {0x28B45A, 0xC8FF8A}, {0xE23A5A, 0xFFC2A0}, {0xF2B01E, 0xFFF2A0}};

void paint_player(Painter& p, int theme) {
    const Tint hull = Tint::hex(0xF4F8FF), wing = Tint::hex(kShips[theme].wing), trim = Tint::hex(kShips[theme].trim);
    const float h = p.height();
    p.fill(Shape::line({50, 0.8F * h}, {50, h - 3}, 20, 5), Tint::hex(0xFF8A1E));
    p.fill(Shape::line({50, 0.8F * h}, {50, h - 8}, 10, 3), Tint::hex(0xFFF6B0));
    for (const float side : {-1.0F, 1.0F}) {
        const float tip = theme % 2 == 0 ? 0.86F : 0.52F;  // wings swept back or forwards
        p.fill(Shape::polygon({{50 + 8 * side, 0.36F * h},
                               {50 + 46 * side, tip * h},
                               {50 + 47 * side, (tip + 0.12F) * h},
                               {50 + 30 * side, 0.82F * h},
                               {50 + 8 * side, 0.86F * h}},
                              2),
               upright(wing, 0.3F * h, 0.95F * h));
        p.fill(Shape::rectangle(50 + 36 * side - 4, (tip - 0.22F) * h, 8, 0.4F * h, 3), upright(trim, 0, h));
    }
    p.fill(Shape::polygon({{50, 2}, {64, 0.42F * h}, {62, 0.86F * h}, {38, 0.86F * h}, {36, 0.42F * h}}, 4),
           Fill::linear(hull, hull.darker(0.25F), {40, 0}, {64, 0}));
    p.outline(6, kInk);
    p.fill(Shape::ellipse(50, 0.47F * h, 9, 0.16F * h), kInk);
    p.fill(Shape::ellipse(50, 0.46F * h, 7, 0.13F * h), Fill(Tint::hex(0x3FD0FF)));
    p.fill(Shape::ellipse(48, 0.41F * h, 3, 0.05F * h), kWhite);
    p.fill_inside(Shape::line({42, 0.72F * h}, {58, 0.72F * h}, 6), wing);
}

// Friend is cool, foe is hot.
constexpr std::uint32_t kPlayerFire[] = {0x38D8FF, 0x7CFF6A, 0xD08AFF};
constexpr std::uint32_t kBossFire[] = {0xFF4A1E, 0xFF2AB0, 0xFFC01E};

void paint_bolt(Painter& p, const Tint& tint, float alpha) {
    p.fill(Shape::line({30, 16}, {30, 84}, 30), tint.darker(0.45F).faded(alpha));
    p.fill(Shape::line({30, 16}, {30, 82}, 21), tint.faded(alpha));
    p.fill(Shape::line({30, 14}, {30, 66}, 11), kWhite.faded(alpha));
}

void paint_player_shot(Painter& p, int theme) { paint_bolt(p, Tint::hex(kPlayerFire[theme]), 1); }

template <int kFrame>
void paint_reflected(Painter& p, int theme) {
    constexpr float kAlpha = 1 - 0.18F * kFrame;
    p.fill(Shape::star(50, 50, 46 - 5 * kFrame, 16, 4, 20 * kFrame), Tint::hex(kPlayerFire[theme], kAlpha));
    p.fill(Shape::circle(50, 50, 16), kWhite.faded(kAlpha));
}

void paint_boss_shot(Painter& p, int theme) {
    const Tint tint = Tint::hex(kBossFire[theme]);
    p.fill(Shape::star(50, 50, 49, 24, 4), tint.darker(0.6F));
    p.fill(Shape::circle(50, 50, 36), tint.darker(0.6F));
    p.fill(Shape::star(50, 50, 43, 20, 4), tint);
    p.fill(Shape::circle(50, 50, 30), Fill::radial(tint.lighter(0.4F), tint, {50, 50}, 30));
    p.fill(Shape::circle(50, 50, 16), kWhite);
}

template <int kPlace>
void paint_trail(Painter& p, int theme) {
    constexpr float kAlpha = 0.62F - 0.17F * kPlace;
    const Tint tint = Tint::hex(kBossFire[theme]);
    p.fill(Shape::circle(50, 50, 48), tint.darker(0.15F).faded(0.6F * kAlpha));
    p.fill(Shape::circle(50, 50, 32), tint.lighter(0.25F).faded(kAlpha));
}

// A soap bubble: clear in the middle, bright along its rim, with two reflections.
void paint_shield(Painter& p, int) {
    const float h = p.height(), y = h / 2;
    const Tint tint = Tint::hex(0x8AE4FF);
    p.fill(Shape::ellipse(100, y, 94, 0.94F * y), tint.faded(0.14F));
    p.stroke(Shape::ellipse(100, y, 88, 0.88F * y), 14, tint.faded(0.22F));
    p.stroke(Shape::ellipse(100, y, 94, 0.94F * y), 7, tint.lighter(0.35F).faded(0.85F));
    for (int i = 0; i < 7; ++i) {
        const float angle = 200 + 11 * static_cast<float>(i), next = angle + 11;
        p.fill(Shape::line({100 + 78 * cosine(angle), y + 0.78F * y * sine(angle)},
                           {100 + 78 * cosine(next), y + 0.78F * y * sine(next)}, 9),
               kWhite.faded(0.4F));
    }
    p.fill(Shape::circle(100 + 76 * cosine(35), y + 0.76F * y * sine(35), 7), kWhite.faded(0.6F));
}

constexpr std::uint32_t kRocks[] = {0xA08468, 0x8C94AC, 0xB0745A, 0x869A7C, 0x9C80A4, 0xBCA474, 0x7892A4, 0xA49C98};

void paint_meteor(Painter& p, int theme) {
    const auto seed = static_cast<std::uint32_t>(700 + theme * 10);
    const Tint rock = Tint::hex(kRocks[theme]);
    const float middle = 0.5F * p.height();
    std::vector<Point> edge;
    constexpr int kCorners = 30;
    for (int i = 0; i < kCorners; ++i) {
        const float angle = 360 * static_cast<float>(i) / kCorners;
        const float radius = 0.8F + 0.2F * noise(0.2F * static_cast<float>(i), 0.5F, seed, {kCorners / 5, 0});
        edge.push_back({50 + 48 * radius * cosine(angle), middle + 0.96F * middle * radius * sine(angle)});
    }
    p.fill(Shape::polygon(edge, 2), Fill(rock).grained(0.14F, 12, seed));
    for (int i = 0; i < 5; ++i) {
        const float angle = 72 * static_cast<float>(i) + 40 * chance(i, 1, seed), far = 8 + 24 * chance(i, 2, seed);
        const float x = 50 + far * cosine(angle), y = middle + far * sine(angle), radius = 5 + 6 * chance(i, 3, seed);
        p.fill_inside(Shape::circle(x, y, 1.2F * radius), rock.lighter(0.25F));
        p.fill_inside(Shape::circle(x, y, radius), rock.darker(0.38F));
    }
    p.bevel(11, 0.65F);
    p.outline(5, kInk);
}

std::vector<SpriteSpec> sprites() {
    using K = SpriteKind;
    constexpr float kRoom = 1.12F;  // pictures are a little larger than their boxes
    const std::vector<float> players(kPlayerAspects, kPlayerAspects + kPlayers);
    const std::vector<float> bosses(kBossAspects, kBossAspects + kBosses);
    const std::vector<float> meteors(kMeteorAspects, kMeteorAspects + kMeteors);
    std::vector<SpriteSpec> sprites = {
        {0, kPlayers, K::Figure, 1.5F * 1.25F, 0, 100, 0, paint_player, 1, true, players},
        {1, 3, K::Figure, 0.72F, 1.2F, 60, 100, paint_player_shot},
        {2, kBosses, K::Figure, 6 * kRoom, 0, 200, 0, [](Painter& p, int theme) { paint_boss(p, theme, false); }, 1,
         true, bosses},
        {2, kBosses, K::Figure, 6 * kRoom, 0, 200, 0, [](Painter& p, int theme) { paint_boss(p, theme, true); }, 1,
         true, bosses},
        {3, kBosses, K::Figure, 7.2F * kRoom, 0, 200, 0, paint_shield, 1, true, bosses},
        {4, 3, K::Figure, 1.3F, 1.3F, 100, 100, paint_boss_shot, 16},
        {7, kMeteors, K::Figure, 1.2F * kRoom, 0, 100, 0, paint_meteor, 1, true, meteors},
        {4, 3, K::Figure, 0.9F, 0.9F, 100, 100, paint_trail<0>},
        {4, 3, K::Figure, 0.75F, 0.75F, 100, 100, paint_trail<1>},
        {4, 3, K::Figure, 0.6F, 0.6F, 100, 100, paint_trail<2>},
        {1, 3, K::Figure, 0.8F, 0.8F, 100, 100, paint_reflected<0>},
        {1, 3, K::Figure, 0.8F, 0.8F, 100, 100, paint_reflected<1>},
        {1, 3, K::Figure, 0.8F, 0.8F, 100, 100, paint_reflected<2>},
        {1, 3, K::Figure, 0.8F, 0.8F, 100, 100, paint_reflected<3>},
        {1, 3, K::Figure, 0.8F, 0.8F, 100, 100, paint_reflected<4>},
    };
    add_explosion(sprites, 0.6F);
    add_explosion(sprites, 1.2F);
    return sprites;
}

}  // namespace

const ArtTable& table() {
    static const ArtTable kTable = {"bossfight", sprites()};
    return kTable;
}

}  // namespace wm::art::bossfight
