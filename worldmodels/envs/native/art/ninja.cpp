#include "art/ninja.h"

#include "art/details.h"
#include "art/effects.h"

namespace wm::art::ninja {
namespace {

struct NinjaPose {
    Point back_foot, front_foot, back_hand, front_hand;
    float sink;   // of the body
    float scarf;  // how far the ends of the band rise
};

NinjaPose pose_of(Sprite pose) {
    switch (pose) {
        case PlayerCrouch: return {{20, 112}, {78, 112}, {16, 94}, {88, 94}, 18, -4};
        case PlayerJump: return {{28, 108}, {70, 112}, {10, 62}, {92, 50}, -4, 16};
        case PlayerRunA: return {{14, 104}, {82, 110}, {80, 84}, {14, 80}, 2, 8};
        case PlayerRunB: return {{46, 112}, {58, 106}, {62, 90}, {32, 88}, 0, 12};
        default: return {{34, 112}, {64, 112}, {18, 90}, {82, 90}, 0, 0};
    }
}

template <Sprite kPose>
void paint_player(Painter& p, int) {
    const NinjaPose pose = pose_of(kPose);
    const Tint suit = Tint::hex(0x3D4BC8), band = Tint::hex(0xFF3B30), skin = Tint::hex(0xFFDDB4);
    const float y = 44 + pose.sink;
    const auto limb = [&](Point from, Point to, const Tint& tint, const Tint& end) {
        p.fill(Shape::line(from, to, 19, 15), tint);
        ball(p, to.x, to.y, 10, end);
    };
    for (const float down : {0.0F, 14.0F})
        p.fill(Shape::line({20, y - 6}, {-2 + down / 2, y + 4 + down - pose.scarf}, 12, 7), band.darker(0.02F * down));
    limb({62, y + 28}, pose.front_hand, suit.darker(0.25F), suit.darker(0.45F));
    limb({40, y + 44}, pose.back_foot, suit.darker(0.3F), suit.darker(0.5F));
    limb({60, y + 44}, pose.front_foot, suit.darker(0.1F), suit.darker(0.4F));
    p.fill(Shape::rectangle(28, y + 16, 46, 40, 17), shaded(suit, 50, y + 30, 30));
    p.fill_inside(Shape::rectangle(20, y + 42, 60, 9), band);
    p.fill(Shape::ellipse(52, y, 43, 37), shaded(suit, 48, y - 4, 40));
    limb({34, y + 28}, pose.back_hand, suit.lighter(0.08F), suit.darker(0.35F));
    p.outline(5, kInk);
    p.fill(Shape::rectangle(26, y - 8, 68, 27, 13), skin.darker(0.3F));
    p.fill(Shape::rectangle(28, y - 7, 66, 24, 12), skin);
    eye(p, 54, y + 5, 10.5F, 0.7F, kPose == PlayerCrouch ? -0.7F : 0);
    eye(p, 80, y + 5, 10.5F, 0.7F, kPose == PlayerCrouch ? -0.7F : 0);
    p.fill(Shape::line({40, y - 7}, {60, y - 2}, 6), kInk);
    p.fill(Shape::line({94, y - 7}, {74, y - 2}, 6), kInk);
    p.fill_inside(Shape::rectangle(4, y - 21, 96, 13), band);
    p.fill_inside(Shape::rectangle(4, y - 21, 96, 4), band.lighter(0.35F));
    p.fill(Shape::star(66, y - 15, 9, 4, 4), Tint::hex(0xFFE36A));
    shine(p, 34, y - 29, 10, 3.5F, 0.5F);
}

struct MushroomLook {
    std::uint32_t cap, spot, stem;
};

constexpr MushroomLook kMushrooms[] = {{0xF03A34, 0xFFFFFF, 0xFFF0D2}, {0x38C24A, 0xFFF8B8, 0xFFF3DC},
                                       {0xFF9A1E, 0xFFFFFF, 0xFFEBD0}, {0x3A9CF5, 0xFFFFFF, 0xFDF3E4},
                                       {0xF05AC0, 0xFFF27A, 0xFFEFE6}, {0xFFD428, 0xE8552E, 0xFFF6DC}};

void paint_mushroom(Painter& p, int theme) {
    const MushroomLook& look = kMushrooms[theme];
    const Tint cap = Tint::hex(look.cap), spot = Tint::hex(look.spot), stem = Tint::hex(look.stem);
    p.fill(Shape::rectangle(27, 46, 46, 50, 17), upright(stem, 46, 98));
    p.fill(Shape::ellipse(50, 38, 47, 34), shaded(cap, 50, 34, 44));
    p.fill(Shape::rectangle(3, 38, 94, 20, 10), shaded(cap, 50, 34, 46));
    p.fill_inside(Shape::ellipse(50, 61, 40, 6), kInk.faded(0.25F));
    for (const Point& at : {Point{24, 38}, Point{52, 22}, Point{80, 40}})
        p.fill_inside(Shape::ellipse(at.x, at.y, 12, 10), spot);
    p.outline(5, kInk);
    for (const float x : {41.0F, 60.0F}) {
        p.fill(Shape::ellipse(x, 72, 4.5F, 7), kInk);
        p.fill(Shape::circle(x + 1, 69, 1.8F), kWhite);
    }
    p.fill(Shape::ellipse(50.5F, 84, 5, 3), Tint::hex(0xB0304A));
    shine(p, 28, 20, 11, 4.5F);
}

void paint_bomb(Painter& p, int) {
    const Tint iron = Tint::hex(0x3A3348), hot = Tint::hex(0xFF4A2A);
    p.glow(52, 56, 56, hot.faded(0.55F));
    p.fill(Shape::line({62, 24}, {80, 12}, 8), Tint::hex(0xC8A070));
    p.fill(Shape::rectangle(50, 16, 26, 16, 4).turned(30, 62, 24), iron.lighter(0.25F));
    ball(p, 48, 58, 38, iron);
    p.outline(5, Tint::hex(0xFF5A36));
    p.fill(Shape::star(84, 10, 15, 6, 7), Tint::hex(0xFFE23A));
    p.fill(Shape::circle(84, 10, 5), kWhite);
    p.fill(Shape::ellipse(47, 57, 21, 18), kWhite);
    p.fill(Shape::rectangle(36, 66, 22, 14, 4), kWhite);
    for (const float x : {39.0F, 56.0F}) p.fill(Shape::circle(x, 58, 6.5F), iron.darker(0.4F));
    for (const float x : {43.0F, 51.0F}) p.fill(Shape::rectangle(x - 1.2F, 73, 2.4F, 8), iron);
    shine(p, 26, 38, 11, 5, 0.7F);
}

void paint_star(Painter& p, int) {
    const Tint steel = Tint::hex(0xDCE6F2);
    p.fill(Shape::star(50, 50, 49, 17, 4), Fill::linear(kWhite, steel.darker(0.35F), {20, 16}, {80, 88}));
    p.outline(6, kInk);
    p.fill(Shape::circle(50, 50, 9), kInk);
    p.fill(Shape::circle(50, 50, 5), Tint::hex(0xFF3B30));
}

template <int kFrame>
void paint_flame_frame(Painter& p, int) {
    paint_flame(p, kFrame);
}

}  // namespace

const ArtTable& table() {
    constexpr float kWide = 1.2F, kHigh = 1.44F;  // cells, of a player
    constexpr float kFlameWide = 1.3F, kFlameHigh = 1.5F;
    using K = SpriteKind;
    static const ArtTable kTable = [] {
        ArtTable table = {"ninja",
                          {
                              {0, 1, K::Figure, kWide, kHigh, 100, 120, paint_player<PlayerStand>},
                              {0, 1, K::Figure, kWide, kHigh, 100, 120, paint_player<PlayerCrouch>},
                              {12, 1, K::Figure, kWide, kHigh, 100, 120, paint_player<PlayerJump>},
                              {12, 1, K::Figure, kWide, kHigh, 100, 120, paint_player<PlayerRunA>},
                              {13, 1, K::Figure, kWide, kHigh, 100, 120, paint_player<PlayerRunB>},
                              {1, 6, K::Figure, 1.25F, 1.25F, 100, 100, paint_mushroom},
                              {6, 1, K::Figure, 1.2F, 1.2F, 100, 100, paint_bomb},
                              {7, 1, K::Figure, 0.75F, 0.75F, 100, 100, paint_star, kStarTurns},
                              {14, 1, K::Figure, kFlameWide, kFlameHigh, 130, 150, paint_flame_frame<0>},
                              {14, 1, K::Figure, kFlameWide, kFlameHigh, 130, 150, paint_flame_frame<1>},
                              {14, 1, K::Figure, kFlameWide, kFlameHigh, 130, 150, paint_flame_frame<2>},
                              {20, 3, K::Pattern, 0, 0, kTileUnits, kTileUnits, paint_brick},
                              {20, 3, K::Pattern, 0, 1, kTileUnits, kTileUnits, paint_brick_top},
                          }};
        add_explosion(table.sprites, 1);
        return table;
    }();
    return kTable;
}

}  // namespace wm::art::ninja
