// The characters of coinrun: five explorers in hooded suits, and nine walking enemies. Everybody faces right.
#include "art/coinrun.h"
#include "art/details.h"

namespace wm::art::coinrun {
namespace {

enum class Hood { Dragon, Antenna, Rabbit, Bobble, Fox };

struct PlayerLook {
    std::uint32_t suit, trim, skin;
    Hood hood;
};

constexpr PlayerLook kPlayers[] = {{0x35B56A, 0xFFD84A, 0xFFDFBE, Hood::Dragon},
                                   {0x3F8BF0, 0xF4F7FF, 0xE9B98A, Hood::Antenna},
                                   {0xF274B0, 0xFFF0F6, 0xFFE3CC, Hood::Rabbit},
                                   {0xF5B82E, 0xD8402E, 0xB97C50, Hood::Bobble},
                                   {0xEF6C2F, 0xFFF1DC, 0xFFD9B0, Hood::Fox}};

// Behind the head: what makes each silhouette its own.
void paint_hood_ornament(Painter& p, const PlayerLook& look, float lean) {
    const Tint suit = Tint::hex(look.suit), trim = Tint::hex(look.trim);
    const float x = 50 + lean;
    switch (look.hood) {
        case Hood::Dragon:
            for (int i = 0; i < 4; ++i) {
                const float angle = 190 + 32 * static_cast<float>(i), u = x + 40 * cosine(angle),
                            v = 64 + 40 * sine(angle);
                p.fill(Shape::polygon({{u - 9, v - 2}, {u + 9, v - 2}, {u, v - 20}}, 2).turned(angle - 270, u, v),
                       trim);
            }
            break;
        case Hood::Antenna:
            p.fill(Shape::line({x, 30}, {x - 6, 10}, 6), trim.darker(0.25F));
            ball(p, x - 6, 10, 9, Tint::hex(0xFF5A4A));
            break;
        case Hood::Rabbit:
            for (const float side : {-17.0F, 12.0F}) {
                const Shape ear = Shape::ellipse(x + side, 22, 10, 23).turned(side * 0.6F, x + side, 40);
                p.fill(ear, upright(suit, 0, 45));
                p.fill(Shape::ellipse(x + side, 24, 4.5F, 15).turned(side * 0.6F, x + side, 40), trim);
            }
            break;
        case Hood::Bobble: ball(p, x - 2, 16, 14, trim); break;
        case Hood::Fox:
            for (const float side : {-26.0F, 22.0F}) {
                p.fill(Shape::polygon({{x + side - 14, 46}, {x + side + 14, 46}, {x + side * 1.25F, 10}}, 3),
                       upright(suit, 10, 46));
                p.fill(Shape::polygon({{x + side - 7, 42}, {x + side + 7, 42}, {x + side * 1.2F, 20}}, 1), trim);
            }
            break;
    }
}

void paint_leg(Painter& p, const Tint& suit, const Tint& boot, Point hip, Point foot) {
    p.fill(Shape::line(hip, foot, 19, 16), upright(suit.darker(0.12F), hip.y, foot.y));
    p.fill(Shape::ellipse(foot.x + 4, foot.y + 1, 15, 9), shaded(boot, foot.x, foot.y, 13));
}

void paint_arm(Painter& p, const Tint& suit, const Tint& skin, Point shoulder, Point hand) {
    p.fill(Shape::line(shoulder, hand, 15, 12), suit);
    ball(p, hand.x, hand.y, 8, skin);
}

struct PlayerPose {
    float lean;
    Point back_foot, front_foot, back_hand, front_hand;
};

PlayerPose pose_of(Sprite pose) {
    switch (pose) {
        case PlayerJump: return {2, {24, 176}, {74, 170}, {14, 88}, {90, 92}};
        case PlayerRunA: return {5, {16, 172}, {80, 184}, {84, 132}, {20, 146}};
        case PlayerRunB: return {5, {44, 189}, {58, 178}, {60, 150}, {46, 150}};
        default: return {0, {36, 190}, {60, 190}, {20, 150}, {80, 150}};
    }
}

using Body = Tint;

// Each enemy: a body, then a face; `step` is 0 or 1 and moves the feet.
void feet(Painter& p, const Body& tint, float left, float right, float step) {
    p.fill(Shape::ellipse(left + 6 * step, 91 - 5 * step, 13, 8), shaded(tint, left, 91, 12));
    p.fill(Shape::ellipse(right + 6 * step, 86 + 5 * step, 13, 8), shaded(tint, right, 91, 12));
}

void angry_eyes(Painter& p, float x, float y, float radius, float gap) {
    eye(p, x - gap, y, radius, 0.7F, 0.2F);
    eye(p, x + gap, y, radius, 0.7F, 0.2F);
    p.fill(Shape::line({x - gap - radius, y - 1.3F * radius}, {x - 0.2F * radius, y - 0.55F * radius}, 0.55F * radius),
           kInk);
    p.fill(Shape::line({x + gap + radius, y - 1.3F * radius}, {x + 0.2F * radius, y - 0.55F * radius}, 0.55F * radius),
           kInk);
}

void paint_slime(Painter& p, float step) {
    const Body tint = Tint::hex(0x8E44E0);
    const float squash = 4 * step;
    p.fill(Shape::ellipse(50, 62 + squash, 40 + squash, 36 - squash), shaded(tint, 50, 60, 38));
    p.fill(Shape::rectangle(6 - squash, 70, 88 + 2 * squash, 26, 13), shaded(tint, 50, 60, 44));
    p.outline(5, kInk);
    shine(p, 32, 42 + squash, 11, 5);
    angry_eyes(p, 58, 60 + squash, 11, 15);
}

void paint_mushroom(Painter& p, float step) {
    feet(p, Tint::hex(0x8A5A38), 34, 62, step);
    p.fill(Shape::rectangle(28, 48, 44, 40, 16), upright(Tint::hex(0xF7E6C8), 48, 90));
    p.fill(Shape::ellipse(50, 36, 46, 30), shaded(Tint::hex(0xE0312E), 50, 34, 42));
    p.outline(5, kInk);
    for (const Point& at : {Point{28, 34}, Point{56, 22}, Point{78, 40}})
        p.fill_inside(Shape::ellipse(at.x, at.y, 9, 7), kWhite);
    angry_eyes(p, 54, 64, 8, 11);
}

void paint_beetle(Painter& p, float step) {
    feet(p, kInk.lighter(0.15F), 26, 70, step);
    feet(p, kInk.lighter(0.15F), 48, 48, 1 - step);
    ball(p, 78, 62, 19, kInk.lighter(0.25F));
    p.fill(Shape::ellipse(44, 62, 40, 30), shaded(Tint::hex(0xF0483A), 44, 58, 38));
    p.fill_inside(Shape::line({46, 30}, {50, 94}, 4), kInk);
    for (const Point& at : {Point{24, 56}, Point{36, 76}, Point{64, 52}, Point{64, 78}})
        p.fill_inside(Shape::circle(at.x, at.y, 7), kInk);
    p.outline(5, kInk);
    shine(p, 30, 42, 11, 5);
    eye(p, 84, 58, 8, 0.8F);
}

void paint_hedgehog(Painter& p, float step) {
    feet(p, Tint::hex(0xE0A070), 32, 66, step);
    p.fill(Shape::star(44, 58, 44, 31, 13, 6 * step), shaded(Tint::hex(0x6B4A8C), 44, 54, 42));
    p.fill(Shape::ellipse(68, 68, 26, 20), shaded(Tint::hex(0xF2C79A), 68, 66, 24));
    p.outline(4.5F, kInk);
    ball(p, 93, 66, 6, kInk.lighter(0.1F));
    angry_eyes(p, 72, 62, 7, 9);
}

void paint_crab(Painter& p, float step) {
    const Body tint = Tint::hex(0xFF6A3D);
    for (const float x : {18.0F, 36.0F, 62.0F, 80.0F})
        p.fill(Shape::line({x, 72}, {x + (x < 50 ? -8 : 8) + 5 * step, 93}, 8), tint.darker(0.2F));
    for (const float side : {-1.0F, 1.0F}) {
        p.fill(Shape::line({50 + 30 * side, 62}, {50 + 40 * side, 42}, 8), tint);
        ball(p, 50 + 38 * side, 30 - 4 * step * side, 13, tint);
        p.fill(Shape::polygon({{50 + 38 * side, 30}, {50 + 32 * side, 10}, {50 + 46 * side, 10}}), kInk);
    }
    p.fill(Shape::ellipse(50, 66, 38, 24), shaded(tint, 50, 62, 34));
    p.fill(Shape::line({38, 50}, {36, 36}, 6), tint);
    p.fill(Shape::line({62, 50}, {64, 36}, 6), tint);
    p.outline(4.5F, kInk);
    eye(p, 36, 36, 9, 0.7F);
    eye(p, 64, 36, 9, 0.7F);
    p.fill(Shape::line({38, 72}, {62, 72}, 5), kInk);
}

void paint_ghost(Painter& p, float step) {
    const Body tint = Tint::hex(0xDDE8FF);
    p.fill(Shape::rectangle(14, 10, 72, 72, 36), upright(tint, 8, 92));
    for (int i = 0; i < 3; ++i)
        p.fill(Shape::circle(26 + 24 * static_cast<float>(i), 80 + (i % 2 == 0 ? 6 * step : 6 - 6 * step), 13),
               upright(tint, 8, 92));
    p.outline(5, Tint::hex(0x2A2A60));
    p.fill(Shape::ellipse(48, 42, 8, 12), kInk);
    p.fill(Shape::ellipse(72, 42, 8, 12), kInk);
    p.fill(Shape::ellipse(60, 66, 9, 7), Tint::hex(0xB03060));
}

void paint_robot(Painter& p, float step) {
    const Body tint = Tint::hex(0x9AA9BC);
    feet(p, Tint::hex(0x5A6678), 32, 66, step);
    p.fill(Shape::line({50, 30}, {50, 10}, 5), tint.darker(0.3F));
    ball(p, 50, 9, 7, Tint::hex(0xFF3B3B));
    p.fill(Shape::rectangle(14, 26, 72, 58, 12), upright(tint, 24, 88));
    p.outline(5, kInk);
    p.fill(Shape::rectangle(24, 36, 60, 24, 10), kInk);
    p.glow(46, 48, 15, Tint::hex(0xFF4B3B));
    p.glow(72, 48, 15, Tint::hex(0xFF4B3B));
    p.fill(Shape::circle(46, 48, 6), Tint::hex(0xFFD0A0));
    p.fill(Shape::circle(72, 48, 6), Tint::hex(0xFFD0A0));
    for (int i = 0; i < 4; ++i)
        p.fill(Shape::rectangle(32 + 11 * static_cast<float>(i), 68, 7, 9, 2), kInk.faded(0.75F));
}

void paint_snail(Painter& p, float step) {
    const Body tint = Tint::hex(0xBFD94A);
    p.fill(Shape::line({14, 88}, {86 + 4 * step, 86}, 18, 16), upright(tint, 72, 98));
    p.fill(Shape::line({80, 84}, {84 + 4 * step, 54}, 17, 15), tint);
    p.fill(Shape::line({80 + 4 * step, 52}, {72 + 4 * step, 32}, 5), tint);
    p.fill(Shape::line({88 + 4 * step, 52}, {92 + 4 * step, 32}, 5), tint);
    ball(p, 40, 54, 33, Tint::hex(0xE08A3A));
    p.outline(5, kInk);
    p.stroke(Shape::circle(42, 56, 21), 5, Tint::hex(0x8A4A1A));
    p.stroke(Shape::circle(45, 58, 9), 5, Tint::hex(0x8A4A1A));
    shine(p, 26, 36, 10, 4.5F);
    eye(p, 72 + 4 * step, 32, 7, 0.7F);
    eye(p, 91 + 4 * step, 32, 7, 0.7F);
}

void paint_chick(Painter& p, float step) {
    const Body tint = Tint::hex(0x39B7E8);
    p.fill(Shape::line({38, 80}, {36 + 8 * step, 94}, 6), Tint::hex(0xF29A1F));
    p.fill(Shape::line({60, 80}, {64 - 8 * step, 94}, 6), Tint::hex(0xF29A1F));
    for (int i = 0; i < 3; ++i)
        p.fill(Shape::line({46, 26}, {34 + 10 * static_cast<float>(i), 7}, 7, 3), tint.darker(0.2F));
    p.fill(Shape::polygon({{80, 44}, {98, 54}, {80, 64}}, 3), Tint::hex(0xFFB52E));
    ball(p, 50, 54, 35, tint);
    p.fill(Shape::ellipse(30, 60 - 5 * step, 18, 12).turned(20 - 40 * step, 30, 60),
           shaded(tint.darker(0.25F), 30, 58, 16));
    p.outline(5, kInk);
    angry_eyes(p, 64, 44, 9, 11);
}

}  // namespace

void paint_player(Painter& p, int theme, Sprite sprite) {
    const PlayerLook& look = kPlayers[theme];
    const PlayerPose pose = pose_of(sprite);
    const Tint suit = Tint::hex(look.suit), trim = Tint::hex(look.trim), skin = Tint::hex(look.skin);
    const float x = 50 + pose.lean;
    paint_arm(p, suit.darker(0.25F), skin.darker(0.15F), {64, 118}, pose.front_hand);
    paint_leg(p, suit.darker(0.2F), trim.darker(0.3F), {42, 152}, pose.back_foot);
    paint_leg(p, suit, trim, {58, 152}, pose.front_foot);
    p.fill(Shape::rectangle(28, 100, 46, 62, 20), shaded(suit, 50, 122, 36));
    p.fill(Shape::ellipse(56, 134, 14, 19), shaded(trim, 54, 130, 20));
    paint_hood_ornament(p, look, pose.lean);
    p.fill(Shape::ellipse(x, 68, 43, 41), shaded(suit, x, 64, 42));
    paint_arm(p, suit.lighter(0.08F), skin, {36, 118}, pose.back_hand);
    p.outline(5, kInk);
    p.fill(Shape::ellipse(x + 9, 72, 32, 29), suit.darker(0.45F));
    p.fill(Shape::ellipse(x + 10, 73, 29, 26), shaded(skin, x + 10, 70, 27));
    eye(p, x + 2, 70, 8.5F, 0.6F);
    eye(p, x + 25, 70, 8.5F, 0.6F);
    p.fill(Shape::ellipse(x - 8, 84, 6, 4), Tint::hex(0xFF6F7F, 0.5F));
    p.fill(Shape::ellipse(x + 32, 84, 5, 4), Tint::hex(0xFF6F7F, 0.5F));
    p.fill(Shape::ellipse(x + 13, 87, sprite == PlayerJump ? 6.0F : 7.0F, sprite == PlayerJump ? 7.0F : 3.0F),
           Tint::hex(0x8A2A3A));
    shine(p, x - 22, 44, 12, 5, 0.45F);
}

void paint_walker(Painter& p, int theme, bool second_step) {
    using Paint = void (*)(Painter&, float);
    static constexpr Paint kWalkers[] = {paint_slime, paint_mushroom, paint_beetle, paint_hedgehog, paint_crab,
                                         paint_ghost, paint_robot,    paint_snail,  paint_chick};
    kWalkers[theme](p, second_step ? 1.0F : 0.0F);
}

}  // namespace wm::art::coinrun
