// The four bosses of bossfight, each 200 units wide, looking down at the player. A stunned one sees stars.
#include "art/bossfight.h"
#include "art/details.h"

namespace wm::art::bossfight {
namespace {

constexpr float kSides[] = {-1, 1};

void crossed_eye(Painter& p, float x, float y, float r) {
    p.fill(Shape::circle(x, y, 1.14F * r), kInk);
    p.fill(Shape::circle(x, y, r), Tint::hex(0xFFE9C0));
    for (const float side : kSides)
        p.fill(Shape::line({x - 0.55F * r, y - 0.55F * r * side}, {x + 0.55F * r, y + 0.55F * r * side}, 0.34F * r),
               Tint::hex(0xC0203A));
}

// `inner` is the side of the eye that is nearer to the nose, -1 or 1: brows meet there.
void angry_eye(Painter& p, float x, float y, float r, float inner, const Tint& brow, bool stunned) {
    if (stunned) return crossed_eye(p, x, y, r);
    eye(p, x, y, r, 0.25F * inner, 0.8F);
    p.fill(Shape::polygon({{x - 1.3F * r * inner, y - 1.35F * r},
                           {x + 1.3F * r * inner, y - 1.35F * r},
                           {x + 1.3F * r * inner, y + 0.05F * r},
                           {x - 1.3F * r * inner, y - 0.75F * r}}),
           brow);
    p.fill(Shape::line({x + 1.2F * r * inner, y + 0.05F * r}, {x - 1.2F * r * inner, y - 0.75F * r}, 0.28F * r), kInk);
}

void muzzle(Painter& p, float x, float y, float r, bool stunned) {
    p.fill(Shape::circle(x, y, r), kInk);
    p.fill(Shape::circle(x, y, 0.72F * r), stunned ? Tint::hex(0x5A5468) : Tint::hex(0xFF7A1E));
    if (!stunned) p.fill(Shape::circle(x, y, 0.4F * r), Tint::hex(0xFFF2B0));
}

// A one-eyed kraken under a glass dome, with guns for arms.
void paint_kraken(Painter& p, bool stunned) {
    const float h = p.height();
    const Tint skin = Tint::hex(0x8A4CE8), arm = Tint::hex(0x6A34C4), gun = Tint::hex(0x5A6480);
    for (int i = 0; i < 5; ++i) {
        const float place = static_cast<float>(i - 2), x = 100 + 40 * place, end = h - 20 - 7 * place * place;
        p.fill(Shape::line({100 + 26 * place, 0.6F * h}, {x, end}, 30, 20), upright(arm, 0.5F * h, h));
        p.fill(Shape::rectangle(x - 14, end - 4, 28, 18, 6), upright(gun, end - 6, end + 18));
    }
    p.fill(Shape::ellipse(100, 0.43F * h, 88, 0.40F * h), shaded(skin, 100, 0.38F * h, 84));
    p.outline(6, kInk);
    for (const float side : kSides) {
        p.fill_inside(Shape::circle(100 + 64 * side, 0.3F * h, 11), skin.lighter(0.3F));
        p.fill_inside(Shape::circle(100 + 74 * side, 0.5F * h, 8), skin.lighter(0.3F));
        p.fill_inside(Shape::circle(100 + 40 * side, 0.15F * h, 7), skin.lighter(0.3F));
    }
    shine(p, 64, 0.17F * h, 26, 9);
    const float y = 0.47F * h;
    if (stunned) return crossed_eye(p, 100, y, 40);
    p.fill(Shape::circle(100, y, 46), kInk);
    p.fill(Shape::circle(100, y, 40), kWhite);
    p.fill(Shape::circle(100, y + 8, 25), Fill::radial(Tint::hex(0xFFE23A), Tint::hex(0xFF5A1E), {100, y + 8}, 25));
    p.fill(Shape::ellipse(100, y + 8, 9, 19), kInk);
    p.fill(Shape::circle(90, y - 4, 7), kWhite);
    p.fill(Shape::polygon({{44, y - 52}, {156, y - 52}, {152, y - 26}, {100, y - 14}, {48, y - 26}}), skin);
    p.fill(Shape::line({48, y - 26}, {100, y - 13}, 8), kInk);
    p.fill(Shape::line({152, y - 26}, {100, y - 13}, 8), kInk);
}

// A crab as large as a fortress.
void paint_crab(Painter& p, bool stunned) {
    const float h = p.height();
    const Tint shell = Tint::hex(0xE8402E), pale = Tint::hex(0xFFB08A);
    for (const float side : kSides) {
        for (int i = 0; i < 3; ++i) {
            const float y = 0.5F * h + 16 * static_cast<float>(i);
            p.fill(Shape::line({100 + 50 * side, y}, {100 + 84 * side, y - 18}, 13, 10), shell.darker(0.25F));
        }
        p.fill(Shape::line({100 + 56 * side, 0.34F * h}, {100 + 84 * side, 0.48F * h}, 22), shell);
        ball(p, 100 + 72 * side, 0.74F * h, 27, shell);
        p.fill(Shape::line({100 + 84 * side, 0.76F * h}, {100 + 82 * side, h - 7}, 20, 6), shell.darker(0.1F));
        p.fill(Shape::line({100 + 60 * side, 0.78F * h}, {100 + 66 * side, h - 9}, 16, 5), shell.darker(0.1F));
    }
    p.fill(Shape::ellipse(100, 0.46F * h, 66, 0.41F * h), shaded(shell, 100, 0.38F * h, 66));
    p.outline(6, kInk);
    for (int i = 0; i < 5; ++i) {
        const float x = 68 + 16 * static_cast<float>(i);
        p.fill_inside(Shape::circle(x, 0.14F * h + 0.08F * (x - 100) * (x - 100) / 8, 7), pale);
    }
    p.fill_inside(Shape::ellipse(100, 0.82F * h, 44, 0.2F * h), pale);
    for (const float side : kSides) angry_eye(p, 100 + 26 * side, 0.43F * h, 20, -side, shell, stunned);
    muzzle(p, 100, 0.73F * h, 16, stunned);
}

// A bat with wings of steel.
void paint_bat(Painter& p, bool stunned) {
    const float h = p.height();
    const Tint fur = Tint::hex(0x1FA89A), wing = Tint::hex(0x2A5A86), bone = Tint::hex(0x8AD8E8);
    for (const float side : kSides) {
        p.fill(Shape::polygon({{100 + 24 * side, 0.34F * h},
                               {100 + 66 * side, 0.06F * h},
                               {100 + 97 * side, 0.36F * h},
                               {100 + 93 * side, 0.86F * h},
                               {100 + 72 * side, 0.66F * h},
                               {100 + 58 * side, 0.92F * h},
                               {100 + 40 * side, 0.7F * h},
                               {100 + 24 * side, 0.8F * h}},
                              3),
               upright(wing, 0, h));
        p.fill(
            Shape::polygon({{100 + 10 * side, 0.2F * h}, {100 + 40 * side, 0.03F * h}, {100 + 44 * side, 0.4F * h}}, 3),
            upright(fur, 0, 0.5F * h));
    }
    p.fill(Shape::ellipse(100, 0.53F * h, 47, 0.42F * h), shaded(fur, 100, 0.45F * h, 48));
    p.outline(6, kInk);
    for (const float side : kSides) {
        for (const float end : {0.8F, 0.66F, 0.5F})
            p.fill_inside(Shape::line({100 + 66 * side, 0.12F * h}, {100 + (170 - 110 * end) * side, end * h}, 5, 3),
                          bone);
        p.fill_inside(
            Shape::polygon({{100 + 20 * side, 0.2F * h}, {100 + 35 * side, 0.1F * h}, {100 + 36 * side, 0.3F * h}}),
            Tint::hex(0xFF8AB0));
        angry_eye(p, 100 + 21 * side, 0.44F * h, 17, -side, fur, stunned);
    }
    p.fill(Shape::ellipse(100, 0.74F * h, 30, 0.12F * h), kInk);
    p.fill_inside(Shape::ellipse(100, 0.79F * h, 18, 0.06F * h), Tint::hex(0xE8406A));
    for (const float side : kSides)
        p.fill(
            Shape::polygon({{100 + 8 * side, 0.66F * h}, {100 + 22 * side, 0.66F * h}, {100 + 15 * side, 0.79F * h}}),
            kWhite);
}

// The head of a robot king.
void paint_king(Painter& p, bool stunned) {
    const float h = p.height();
    const Tint gold = Tint::hex(0xF6B92A), steel = Tint::hex(0x7C8AA4), visor = Tint::hex(0x241A3A);
    p.fill(Shape::polygon({{30, 0.3F * h},
                           {22, 0.05F * h},
                           {62, 0.18F * h},
                           {100, 0.015F * h},
                           {138, 0.18F * h},
                           {178, 0.05F * h},
                           {170, 0.3F * h}},
                          3),
           upright(gold, 0, 0.3F * h));
    for (const float side : kSides)
        p.fill(Shape::rectangle(100 + 84 * side - 13, 0.4F * h, 26, 0.28F * h, 8), upright(gold, 0.4F * h, 0.7F * h));
    p.fill(Shape::rectangle(38, 0.66F * h, 124, 0.32F * h, 20), upright(steel.darker(0.2F), 0.66F * h, h));
    p.fill(Shape::rectangle(18, 0.24F * h, 164, 0.5F * h, 30), upright(steel.lighter(0.25F), 0.2F * h, 0.78F * h));
    p.outline(6, kInk);
    p.fill_inside(Shape::rectangle(18, 0.24F * h, 164, 0.07F * h), gold.darker(0.15F));
    for (const float x : {40.0F, 70.0F, 100.0F, 130.0F, 160.0F})
        p.fill(Shape::circle(x, 0.275F * h, 6), x == 100 ? Tint::hex(0xFF3A6A) : Tint::hex(0x3AD0FF));
    p.fill(Shape::polygon({{32, 0.36F * h}, {100, 0.44F * h}, {168, 0.36F * h}, {162, 0.6F * h}, {38, 0.6F * h}}, 6),
           visor);
    for (const float side : kSides) {
        const float x = 100 + 34 * side, y = 0.515F * h;
        if (stunned) {
            crossed_eye(p, x, y, 17);
            continue;
        }
        p.glow(x, y, 30, Tint::hex(0xFF3A2A, 0.9F));
        p.fill(Shape::polygon({{x - 22 * side, y + 8}, {x + 22 * side, y - 14}, {x + 18 * side, y + 10}}, 3),
               Tint::hex(0xFF4A2A));
        p.fill(Shape::circle(x + 5 * side, y + 1, 6), Tint::hex(0xFFF0B0));
    }
    p.fill(Shape::rectangle(54, 0.78F * h, 92, 0.13F * h, 6), kInk);
    for (int i = 0; i < 5; ++i)
        p.fill(Shape::rectangle(59 + 17.5F * static_cast<float>(i), 0.795F * h, 12, 0.1F * h, 2),
               stunned ? Tint::hex(0x8A86A0) : Tint::hex(0xFFE9B0));
}

}  // namespace

void paint_boss(Painter& p, int theme, bool stunned) {
    static constexpr void (*kPainters[kBosses])(Painter&, bool) = {paint_kraken, paint_crab, paint_bat, paint_king};
    kPainters[theme](p, stunned);
}

}  // namespace wm::art::bossfight
