#include "art/coinrun_platforms.h"

#include "art/coinrun.h"
#include "art/details.h"

namespace wm::art::coinrun_platforms {
namespace {

// A bat, a wasp and an eye with wings.
struct FlyerLook {
    std::uint32_t body, wing;
};

constexpr FlyerLook kFlyers[kFlyerThemes] = {{0x7A35C8, 0x4B1E86}, {0xFFC21F, 0xDDF3FF}, {0xE8304A, 0xFF9AA8}};

void paint_wings(Painter& p, const Tint& wing, bool down) {
    const float tip = down ? 82.0F : 14.0F, bend = down ? 44.0F : 30.0F;
    for (const float side : {-1.0F, 1.0F}) {
        const auto x = [side](float away) { return 50 + side * away; };
        p.fill(Shape::polygon({{x(12), 50}, {x(28), bend}, {x(49), tip}, {x(40), 60}, {x(30), 58}, {x(22), 68}}, 2),
               upright(wing, 10, 80));
    }
}

void paint_flyer(Painter& p, int theme, bool down) {
    const FlyerLook& look = kFlyers[theme];
    const Tint body = Tint::hex(look.body), wing = Tint::hex(look.wing);
    paint_wings(p, wing, down);
    if (theme == 0)
        for (const float x : {36.0F, 62.0F})
            p.fill(Shape::polygon({{x - 9, 40}, {x + 9, 40}, {x, 14}}, 2), body.darker(0.15F));
    if (theme == 1) p.fill(Shape::polygon({{32, 70}, {44, 82}, {14, 90}}, 1), kInk);
    ball(p, 52, 56, 27, body);
    if (theme == 1)
        for (const float x : {38.0F, 52.0F}) p.fill_inside(Shape::line({x, 26}, {x - 4, 88}, 7), kInk);
    p.outline(5, kInk);
    if (theme == 2) {
        eye(p, 58, 54, 17, 0.8F, 0.2F);
        p.fill(Shape::line({36, 32}, {70, 42}, 8), kInk);
        return;
    }
    for (const float x : {50.0F, 68.0F}) eye(p, x, 52, 8.5F, 0.7F, 0.2F);
    p.fill(Shape::line({39, 38}, {54, 45}, 6), kInk);
    p.fill(Shape::line({78, 38}, {63, 45}, 6), kInk);
    for (const float x : {53.0F, 64.0F})
        p.fill(Shape::polygon({{x - 4, 68}, {x + 4, 68}, {x, 78}}), theme == 0 ? kWhite : kInk);
}

void paint_ladder(Painter& p, int) {
    const Tint wood = Tint::hex(0xD9943C), rung = Tint::hex(0xF4BE62);
    const auto beam = [&](const Shape& shape, const Shape& inner, const Tint& tint) {
        p.fill(shape, kInk);
        p.fill(inner, tint);
    };
    for (const float y : {13.0F, 63.0F})
        beam(Shape::rectangle(14, y - 3, 72, 30), Shape::rectangle(14, y + 2, 72, 20), rung);
    for (const float x : {4.0F, 68.0F})
        beam(Shape::rectangle(x, -5, 28, 110), Shape::rectangle(x + 5, -5, 18, 110), wood);
}

// Crouched: the same figure, ready to jump.
void paint_charge(Painter& p, int theme) { coinrun::paint_player(p, theme, coinrun::PlayerStand); }

template <coinrun::Sprite kPose>
void paint_player_pose(Painter& p, int theme) {
    coinrun::paint_player(p, theme, kPose);
}

}  // namespace

const ArtTable& table() {
    using K = SpriteKind;
    constexpr float kPlayerHeight = 2, kCrouched = 1.7F;  // cells
    constexpr float kTile = coinrun::kTileUnits;
    static const ArtTable kTable = {
        "coinrun_platforms",
        {
            {0, 5, K::Figure, 1, kPlayerHeight, 100, 201, paint_player_pose<coinrun::PlayerStand>},
            {9, 5, K::Figure, 1, kPlayerHeight, 100, 201, paint_player_pose<coinrun::PlayerJump>},
            {12, 5, K::Figure, 1, kPlayerHeight, 100, 201, paint_player_pose<coinrun::PlayerRunA>},
            {13, 5, K::Figure, 1, kPlayerHeight, 100, 201, paint_player_pose<coinrun::PlayerRunB>},
            {0, 5, K::Figure, 1.1F, kCrouched, 100, 201, paint_charge},
            {9, 5, K::Figure, 1, kPlayerHeight, 100, 201, paint_player_pose<coinrun::PlayerJump>},
            {9, 5, K::Figure, 1, kPlayerHeight, 100, 201, paint_player_pose<coinrun::PlayerRunB>},
            {1, 1, K::Figure, 1, 1, 100, 100, coinrun::paint_coin},
            {6, 9, K::Figure, 1, 1, 100, 100, [](Painter& p, int theme) { coinrun::paint_walker(p, theme, false); }},
            {7, 9, K::Figure, 1, 1, 100, 100, [](Painter& p, int theme) { coinrun::paint_walker(p, theme, true); }},
            {4, kFlyerThemes, K::Figure, 1.1F, 1.1F, 100, 100, [](Painter& p, int t) { paint_flyer(p, t, false); }},
            {5, kFlyerThemes, K::Figure, 1.1F, 1.1F, 100, 100, [](Painter& p, int t) { paint_flyer(p, t, true); }},
            {20, 4, K::Block, 1, 1, 100, 100, coinrun::paint_crate},
            {21, 1, K::Figure, 1, 1, 100, 100, paint_ladder},
            {16, 6, K::Pattern, 0, 1, kTile, kTile, coinrun::paint_wall_top},
            {15, 6, K::Pattern, 0, 0, kTile, kTile, coinrun::paint_wall_middle},
        }};
    return kTable;
}

}  // namespace wm::art::coinrun_platforms
