#include "art/coinrun.h"

#include "art/details.h"

namespace wm::art::coinrun {
namespace {

void paint_saw(Painter& p, bool second) {
    const Tint steel = Tint::hex(0xC9D3DF);
    const float turn = second ? 15.0F : 0.0F;
    p.fill(Shape::star(50, 50, 47, 33, 12, turn),
           Fill::linear(steel.lighter(0.5F), steel.darker(0.35F), {20, 12}, {80, 90}));
    p.outline(3.5F, kInk);
    p.fill(Shape::circle(50, 50, 31), Fill::linear(steel.darker(0.25F), steel.lighter(0.55F), {28, 28}, {74, 76}));
    p.fill(Shape::circle(50, 50, 27), Fill::linear(steel.lighter(0.4F), steel.darker(0.15F), {30, 26}, {70, 76}));
    for (int i = 0; i < 3; ++i) {
        const float angle = turn * 2 + 120 * static_cast<float>(i);
        p.fill(Shape::circle(50 + 18 * cosine(angle), 50 + 18 * sine(angle), 4), kInk.lighter(0.2F));
    }
    p.fill(Shape::circle(50, 50, 12), kInk);
    ball(p, 50, 50, 9.5F, Tint::hex(0xF0283C));
}

struct CrateLook {
    std::uint32_t body, frame, bolt;
    int style;  // 0 planks with a brace, 1 slats, 2 metal plate, 3 gift
};

constexpr CrateLook kCrates[] = {{0xC98A4B, 0x9A5F2C, 0x5B3415, 0},
                                 {0xE0B070, 0xB07A3C, 0x6B4518, 1},
                                 {0x8FA3B5, 0x60758A, 0xD9E4EE, 2},
                                 {0x7E9B52, 0x566F34, 0xE6D28A, 3}};

template <Sprite kPose>
void paint_player_pose(Painter& p, int theme) {
    paint_player(p, theme, kPose);
}

}  // namespace

void paint_coin(Painter& p, int) {
    const Tint gold = Tint::hex(0xFFC928);
    p.fill(Shape::circle(50, 50, 42), shaded(gold.darker(0.12F), 50, 50, 42));
    p.fill(Shape::circle(50, 50, 34), Fill::linear(Tint::hex(0xE79A0C), Tint::hex(0xFFD84A), {24, 24}, {76, 78}));
    p.fill(Shape::circle(50, 50, 30), Fill::linear(Tint::hex(0xFFF08A), Tint::hex(0xFFC21F), {28, 24}, {72, 80}));
    p.fill(Shape::star(50, 52, 22, 9.5F, 5), Tint::hex(0xE08E05));
    p.fill(Shape::star(49, 50, 22, 9.5F, 5),
           Fill::linear(Tint::hex(0xFFFBD0), Tint::hex(0xFFDB45), {36, 32}, {62, 70}));
    shine(p, 30, 27, 11, 4.5F, 0.9F);
    p.outline(6, Tint::hex(0x6B3A05));
}

void paint_crate(Painter& p, int theme) {
    const CrateLook& look = kCrates[theme];
    const Tint body = Tint::hex(look.body), frame = Tint::hex(look.frame), bolt = Tint::hex(look.bolt);
    p.fill(Shape::rectangle(0, 0, 100, 100, 8), kInk);
    p.fill(Shape::rectangle(4, 4, 92, 92, 6), upright(body, 0, 100).grained(0.07F, 9, 5));
    for (int i = 1; i < 4; ++i) {
        const float at = 4 + 23 * static_cast<float>(i);
        if (look.style == 0 || look.style == 1) p.fill(Shape::rectangle(6, at - 1.5F, 88, 3), body.darker(0.45F));
    }
    if (look.style == 0) {
        p.fill(Shape::line({16, 84}, {84, 16}, 18), frame.darker(0.45F));
        p.fill(Shape::line({16, 84}, {84, 16}, 13), frame.lighter(0.1F));
    } else if (look.style == 2) {
        p.fill(Shape::rectangle(26, 26, 48, 48, 6), frame.darker(0.3F));
        p.fill(Shape::rectangle(29, 29, 42, 42, 5), upright(frame.lighter(0.25F), 26, 74));
    } else if (look.style == 3) {
        p.fill(Shape::star(50, 50, 26, 11, 5), bolt.darker(0.5F));
        p.fill(Shape::star(50, 49, 22, 9.5F, 5), bolt);
    }
    p.stroke(Shape::rectangle(10, 10, 80, 80, 4), 14,
             Fill::linear(frame.lighter(0.25F), frame.darker(0.3F), {0, 0}, {100, 100}));
    p.stroke(Shape::rectangle(17, 17, 66, 66, 2), 2, kInk.faded(0.6F));
    for (const Point& at : {Point{11, 11}, Point{89, 11}, Point{11, 89}, Point{89, 89}}) {
        p.fill(Shape::circle(at.x, at.y, 4), kInk.faded(0.6F));
        p.fill(Shape::circle(at.x - 0.6F, at.y - 0.8F, 3), bolt);
    }
}

const ArtTable& table() {
    constexpr float kPlayerHeight = 2 * 0.5787F * 1.74F;  // cells: 1.74 times its box
    using K = SpriteKind;
    static const ArtTable kTable = {
        "coinrun",
        {
            {0, 5, K::Figure, 1, kPlayerHeight, 100, 201, paint_player_pose<PlayerStand>},
            {9, 5, K::Figure, 1, kPlayerHeight, 100, 201, paint_player_pose<PlayerJump>},
            {12, 5, K::Figure, 1, kPlayerHeight, 100, 201, paint_player_pose<PlayerRunA>},
            {13, 5, K::Figure, 1, kPlayerHeight, 100, 201, paint_player_pose<PlayerRunB>},
            {1, 1, K::Figure, 1, 1, 100, 100, paint_coin},
            {2, 1, K::Figure, 1, 1, 100, 100, [](Painter& p, int) { paint_saw(p, false); }},
            {3, 1, K::Figure, 1, 1, 100, 100, [](Painter& p, int) { paint_saw(p, true); }},
            {6, 9, K::Figure, 1, 1, 100, 100, [](Painter& p, int theme) { paint_walker(p, theme, false); }},
            {7, 9, K::Figure, 1, 1, 100, 100, [](Painter& p, int theme) { paint_walker(p, theme, true); }},
            {20, 4, K::Block, 1, 1, 100, 100, paint_crate},
            {16, 6, K::Pattern, 0, 1, kTileUnits, kTileUnits, paint_wall_top},
            {15, 6, K::Pattern, 0, 0, kTileUnits, kTileUnits, paint_wall_middle},
            {18, 1, K::Pattern, 0, 1, kTileUnits, kTileUnits, paint_lava_top},
            {17, 1, K::Pattern, 0, 0, kTileUnits, kTileUnits, paint_lava_middle},
        }};
    return kTable;
}

}  // namespace wm::art::coinrun
