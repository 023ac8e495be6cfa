#include "art/climber.h"

#include "art/details.h"

namespace wm::art::climber {
namespace {

enum class Ears { Cat, Koala, Frog, Beak };

struct ClimberLook {
    std::uint32_t fur, belly, helmet, pack;
    Ears ears;
};

constexpr ClimberLook kClimbers[] = {{0xF58A2C, 0xFFE9C9, 0x19B5C9, 0x7A3FD0, Ears::Cat},
                                     {0x9AA6BC, 0xEFF3FA, 0xF0408C, 0x2A8F5A, Ears::Koala},
                                     {0x58C43A, 0xE8F7A8, 0xFFC928, 0xD8402E, Ears::Frog},
                                     {0x3F5BD8, 0xFFFFFF, 0xF0412E, 0xF5A21E, Ears::Beak}};

struct ClimberPose {
    Point back_foot, front_foot, back_hand, front_hand;
    float lift;  // of the body
};

ClimberPose pose_of(Sprite pose) {
    switch (pose) {
        case PlayerJump: return {{24, 118}, {70, 110}, {10, 44}, {92, 38}, 4};
        case PlayerRunA: return {{20, 112}, {78, 118}, {82, 84}, {20, 88}, 3};
        case PlayerRunB: return {{46, 121}, {56, 114}, {60, 92}, {38, 94}, 0};
        default: return {{34, 121}, {62, 121}, {14, 92}, {86, 90}, 0};
    }
}

void paint_ears(Painter& p, const ClimberLook& look, float y) {
    const Tint fur = Tint::hex(look.fur), belly = Tint::hex(look.belly);
    switch (look.ears) {
        case Ears::Cat:
            for (const float side : {-1.0F, 1.0F}) {
                const float x = 52 + 30 * side;
                p.fill(Shape::polygon({{x - 14, y}, {x + 14, y}, {x + 9 * side, y - 34}}, 3), fur);
                p.fill(Shape::polygon({{x - 6, y - 4}, {x + 6, y - 4}, {x + 6 * side, y - 22}}, 1), belly);
            }
            break;
        case Ears::Koala:
            for (const float side : {-1.0F, 1.0F}) {
                ball(p, 52 + 40 * side, y - 2, 19, fur);
                p.fill(Shape::circle(52 + 40 * side, y, 10), Tint::hex(0xF7B8CE));
            }
            break;
        case Ears::Frog:
            for (const float side : {-1.0F, 1.0F}) ball(p, 54 + 26 * side, y - 12, 17, fur);
            break;
        case Ears::Beak: p.fill(Shape::line({18, y + 2}, {6, y - 14}, 9, 4), fur.darker(0.2F)); break;
    }
}

void paint_face(Painter& p, const ClimberLook& look, float y, bool wide_open) {
    const Tint belly = Tint::hex(look.belly);
    p.fill(Shape::ellipse(62, y + 12, 29, 21), shaded(belly, 62, y + 8, 26));
    const float eye_y = look.ears == Ears::Frog ? y - 30 : y + 1;
    if (look.ears != Ears::Frog) {
        eye(p, 50, eye_y, 10, 0.6F, wide_open ? -0.6F : 0);
        eye(p, 75, eye_y, 10, 0.6F, wide_open ? -0.6F : 0);
    } else {
        eye(p, 30, eye_y, 12, 0.6F, wide_open ? -0.6F : 0);
        eye(p, 81, eye_y, 12, 0.6F, wide_open ? -0.6F : 0);
    }
    if (look.ears == Ears::Beak) {
        p.fill(Shape::polygon({{54, y + 8}, {78, y + 8}, {72, y + 22}}, 3), Tint::hex(0xFFA51E));
    } else if (look.ears == Ears::Koala) {
        p.fill(Shape::ellipse(64, y + 9, 8, 11), kInk);
    } else {
        p.fill(Shape::ellipse(64, y + 18, wide_open ? 7.0F : 11.0F, wide_open ? 8.0F : 4.0F), Tint::hex(0x8A2A3A));
    }
}

// A lamp in front, so that one sees which way it faces.
void paint_helmet(Painter& p, const Tint& tint, float y) {
    p.fill(Shape::ellipse(50, y, 36, 26), shaded(tint, 46, y - 6, 34));
    p.fill(Shape::rectangle(12, y + 4, 84, 11, 5), tint.darker(0.25F));
    p.fill(Shape::circle(80, y - 8, 11), kInk);
    p.fill(Shape::circle(81, y - 9, 8), Fill::radial(kWhite, Tint::hex(0xFFE15A), {82, y - 10}, 8));
    shine(p, 36, y - 13, 11, 4.5F);
}

template <Sprite kPose>
void paint_player(Painter& p, int theme) {
    const ClimberLook& look = kClimbers[theme];
    const ClimberPose pose = pose_of(kPose);
    const Tint fur = Tint::hex(look.fur), belly = Tint::hex(look.belly), pack = Tint::hex(look.pack);
    const float y = 54 - pose.lift;
    const auto limb = [&](Point from, Point to, const Tint& tint, const Tint& end) {
        p.fill(Shape::line(from, to, 18, 15), tint);
        ball(p, to.x, to.y, 10, end);
    };
    p.fill(Shape::rectangle(4, y + 16, 32, 44, 12), shaded(pack, 16, y + 30, 26));
    limb({64, y + 30}, pose.front_hand, fur.darker(0.2F), belly.darker(0.1F));
    limb({40, y + 52}, pose.back_foot, fur.darker(0.25F), pack.darker(0.3F));
    limb({60, y + 52}, pose.front_foot, fur.darker(0.1F), pack.darker(0.15F));
    p.fill(Shape::ellipse(50, y + 38, 27, 27), shaded(fur, 48, y + 34, 28));
    p.fill_inside(Shape::ellipse(58, y + 44, 16, 18), belly);
    const bool frog = look.ears == Ears::Frog;
    if (!frog) paint_ears(p, look, y - 12);
    p.fill(Shape::ellipse(52, y, 41, 35), shaded(fur, 50, y - 4, 38));
    if (frog) paint_helmet(p, Tint::hex(look.helmet), y - 28);
    if (frog) paint_ears(p, look, y - 18);
    limb({34, y + 30}, pose.back_hand, fur.lighter(0.06F), belly);
    p.outline(5, kInk);
    paint_face(p, look, y + 2, kPose == PlayerJump);
    if (!frog) paint_helmet(p, Tint::hex(look.helmet), y - 24);
}

void paint_crystal(Painter& p, int) {
    const Tint gold = Tint::hex(0xFFC81E);
    const auto facet = [&](const std::vector<Point>& corners, const Tint& tint) {
        p.fill(Shape::polygon(corners), tint);
    };
    facet({{42, 6}, {76, 34}, {42, 94}, {8, 34}}, gold);
    facet({{42, 6}, {8, 34}, {28, 38}}, gold.lighter(0.8F));
    facet({{42, 6}, {28, 38}, {56, 38}}, gold.lighter(0.5F));
    facet({{42, 6}, {76, 34}, {56, 38}}, gold.lighter(0.15F));
    facet({{8, 34}, {28, 38}, {42, 94}}, gold.lighter(0.35F));
    facet({{56, 38}, {76, 34}, {42, 94}}, Tint::hex(0xF08A0A));
    p.outline(5, Tint::hex(0x6B3A05));
    p.fill(Shape::star(24, 22, 11, 3, 4), kWhite);
}

template <bool kWingsDown>
void paint_bat(Painter& p, int) {
    const Tint body = Tint::hex(0x9B1FC4), wing = Tint::hex(0xD8206A);
    const float tip = kWingsDown ? 82.0F : 8.0F, middle = kWingsDown ? 60.0F : 30.0F;
    for (const float side : {-1.0F, 1.0F}) {
        const auto x = [&](float away) { return 70 + side * away; };
        p.fill(Shape::polygon({{x(14), 42},
                               {x(40), middle - 14},
                               {x(67), tip},
                               {x(56), middle + 18},
                               {x(44), middle + 12},
                               {x(32), middle + 26},
                               {x(12), 66}},
                              3),
               upright(wing, 0, 100));
    }
    for (const float side : {-1.0F, 1.0F})
        p.fill(Shape::polygon({{70 + 8 * side, 34}, {70 + 26 * side, 34}, {70 + 24 * side, 8}}, 2), body);
    ball(p, 70, 54, 28, body);
    p.outline(6, kInk);
    for (const float side : {-1.0F, 1.0F}) {
        const float x = 74 + 12 * side;
        p.fill(Shape::circle(x, 50, 10), kInk);
        p.fill(Shape::circle(x, 50, 8), Tint::hex(0xFFE93A));
        p.fill(Shape::circle(x + 3, 51, 3.5F), kInk);
        p.fill(Shape::line({x + 10 * side, 37}, {x - 6 * side, 43}, 6), kInk);
    }
    p.fill(Shape::polygon({{60, 66}, {88, 66}, {84, 72}, {64, 72}}, 2), kInk);
    for (const float x : {66.0F, 82.0F}) p.fill(Shape::polygon({{x - 4, 68}, {x + 4, 68}, {x, 80}}), kWhite);
}

}  // namespace

const ArtTable& table() {
    constexpr float kWide = 1.15F, kHigh = 1.5F;  // cells, of a player
    using K = SpriteKind;
    static const ArtTable kTable = {"climber",
                                    {
                                        {0, 4, K::Figure, kWide, kHigh, 100, 130, paint_player<PlayerStand>},
                                        {9, 4, K::Figure, kWide, kHigh, 100, 130, paint_player<PlayerJump>},
                                        {12, 4, K::Figure, kWide, kHigh, 100, 130, paint_player<PlayerRunA>},
                                        {13, 4, K::Figure, kWide, kHigh, 100, 130, paint_player<PlayerRunB>},
                                        {1, 1, K::Figure, 1.1F, 1.3F, 85, 100, paint_crystal},
                                        {6, 1, K::Figure, 1.5F, 1.1F, 140, 100, paint_bat<false>},
                                        {7, 1, K::Figure, 1.5F, 1.1F, 140, 100, paint_bat<true>},
                                        {16, 4, K::Pattern, 0, 1, kTileUnits, kTileUnits, paint_wall_top},
                                        {15, 4, K::Pattern, 0, 0, kTileUnits, kTileUnits, paint_wall_middle},
                                    }};
    return kTable;
}

}  // namespace wm::art::climber
