#include "art/dodgeball.h"

#include <algorithm>

#include "art/details.h"

namespace wm::art::dodgeball {
namespace {

constexpr float kSides[] = {-1, 1};

void paint_player(Painter& p, int) {
    const Tint shirt = Tint::hex(0xF6FAFF), cap = Tint::hex(0x1484FF), skin = Tint::hex(0xFFD2A8);
    for (const float side : kSides) {
        p.fill(Shape::line({40, 50 + 29 * side}, {70, 50 + 34 * side}, 16, 13), shirt.darker(0.06F));
        ball(p, 74, 50 + 34 * side, 9, skin);
    }
    p.fill(Shape::ellipse(38, 50, 22, 40), shaded(shirt, 38, 46, 38));
    p.fill(Shape::ellipse(72, 50, 22, 21), upright(cap.darker(0.25F), 28, 72));  // the brim
    ball(p, 52, 50, 29, cap);
    p.outline(5, kInk);
    p.fill_inside(Shape::line({30, 50}, {72, 50}, 8), kWhite.faded(0.85F));
    p.fill(Shape::circle(52, 50, 7), kWhite);
    shine(p, 44, 36, 9, 5);
}

enum class Head { Horns, Cat, Mohawk, Spikes, Stripes, Rabbit, Mask };

struct Team {
    std::uint32_t shirt, head;
    Head kind;
};

constexpr Team kTeams[] = {{0xC0283A, 0xFF5A48, Head::Horns},   {0xD8641A, 0xFFA03A, Head::Cat},
                           {0x6A34C8, 0xAC6CFF, Head::Mohawk},  {0x1E7A3A, 0x58C84A, Head::Spikes},
                           {0xA07810, 0xFFD83A, Head::Stripes}, {0xC0307A, 0xFF8AC0, Head::Rabbit},
                           {0x1E4A5E, 0x2E7A86, Head::Mask}};

void paint_headgear(Painter& p, const Tint& head, Head kind) {
    const Tint bone = Tint::hex(0xFFF2D0);
    for (const float side : kSides) {
        if (kind == Head::Horns) p.fill(Shape::line({46, 50 + 22 * side}, {74, 50 + 44 * side}, 14, 3), bone);
        if (kind == Head::Cat)
            p.fill(Shape::polygon({{34, 50 + 14 * side}, {40, 50 + 46 * side}, {62, 50 + 24 * side}}, 3),
                   head.darker(0.15F));
        if (kind == Head::Rabbit)
            p.fill(Shape::ellipse(27, 50 + 17 * side, 22, 10).turned(-12 * side, 27, 50 + 17 * side),
                   head.darker(0.1F));
    }
    if (kind == Head::Spikes) p.fill(Shape::star(52, 50, 42, 26, 9, 20), head.darker(0.25F));
}

void paint_face(Painter& p, const Tint& shirt, Head kind) {
    const bool coarse = p.units_per_pixel() > 8;  // black details would only be dirt
    if (kind == Head::Mohawk) p.fill(Shape::line({22, 50}, {66, 50}, 15, 9), Tint::hex(0x8AFF3A));
    if (kind == Head::Spikes) p.fill(Shape::star(44, 50, 17, 9, 7), shirt);
    if (kind == Head::Stripes && !coarse)
        for (const float x : {32.0F, 48.0F}) p.fill_inside(Shape::line({x, 18}, {x, 82}, 8), kInk);
    if (kind == Head::Mask) p.fill_inside(Shape::line({60, 14}, {60, 86}, 24), Tint::hex(0xF4D4B0));
    for (const float side : kSides) {
        eye(p, 66, 50 + 13 * side, 10, 0.9F);
        if (coarse) continue;
        p.fill(Shape::line({58, 50 + 4 * side}, {74, 50 + 22 * side}, 5), kInk);  // an angry brow
    }
}

void paint_enemy(Painter& p, int theme) {
    const Team& team = kTeams[theme];
    const Tint shirt = Tint::hex(team.shirt), head = Tint::hex(team.head);
    for (const float side : kSides) {
        p.fill(Shape::line({38, 50 + 32 * side}, {68, 50 + 40 * side}, 18, 14), shirt);
        ball(p, 74, 50 + 38 * side, 11, head);
    }
    p.fill(Shape::ellipse(36, 50, 23, 43), shaded(shirt, 36, 46, 40));
    paint_headgear(p, head, team.kind);
    ball(p, 54, 50, 31, head);
    p.outline(5, kInk);
    paint_face(p, shirt, team.kind);
}

void paint_player_ball(Painter& p, int) {
    p.fill(Shape::circle(50, 50, 49), kInk);
    p.fill(Shape::circle(50, 50, 40), Fill::radial(kWhite, Tint::hex(0xA8E4FF), {40, 38}, 56));
    p.fill_inside(Shape::line({12, 60}, {88, 40}, 11), Tint::hex(0x18A8FF));
}

void paint_enemy_ball(Painter& p, int) {
    p.fill(Shape::circle(50, 50, 49), kInk);
    p.fill(Shape::circle(50, 50, 40), Fill::radial(Tint::hex(0xFF8A6A), Tint::hex(0xE81E2E), {40, 38}, 56));
    p.fill_inside(Shape::line({40, 12}, {60, 88}, 9), Tint::hex(0xFFE23A));
    p.fill(Shape::circle(34, 32, 9), kWhite.faded(0.85F));
}

void paint_frame(Painter& p, const Tint& field) {
    p.fill(Shape::rectangle(0, 0, 100, 100, 14), kInk);
    p.fill(Shape::rectangle(5, 5, 90, 90, 11), upright(Tint::hex(0xD8DEEC), 0, 100));
    p.fill(Shape::rectangle(14, 14, 72, 72, 7), kInk);
    p.fill(Shape::rectangle(18, 18, 64, 64, 5), Fill::radial(field.lighter(0.25F), field.darker(0.2F), {50, 50}, 52));
}

void paint_locked_exit(Painter& p, int) {
    paint_frame(p, Tint::hex(0xE8283A));
    p.stroke(Shape::rectangle(39, 28, 22, 34, 11), 7, kInk);
    p.fill(Shape::rectangle(32, 46, 36, 28, 6), kInk);
    p.fill(Shape::rectangle(36, 50, 28, 20, 3), Tint::hex(0xFFD23A));
    p.fill(Shape::circle(50, 59, 4), kInk);
}

void paint_open_exit(Painter& p, int) {
    paint_frame(p, Tint::hex(0x2EE05A));
    p.glow(50, 50, 40, kWhite.faded(0.7F));
    p.fill(Shape::star(50, 50, 27, 12, 5, -90), kInk);
    p.fill(Shape::star(50, 50, 21, 9, 5, -90), Tint::hex(0xFFF8B0));
}

constexpr float kUnits = 40;   // of a cell
constexpr float kRim = 0.14F;  // cells of a wall's edge that are dark, where there is room for it

void paint_rim(Painter& p, int) { p.fill(Shape::rectangle(0, 0, p.width(), p.height()), kInk); }

// Glowing, restless and hot: nothing to touch.
void paint_core(Painter& p, int) {
    p.fill(Shape::rectangle(0, 0, p.width(), p.height()),
           Fill::clouds(Tint::hex(0xFFE43A), Tint::hex(0xFF6A0E), 26, 41, {31, 31}));
}

void paint_outside(Painter& p, int) {
    const Tint stone = Tint::hex(0x3A3448);
    p.fill(Shape::rectangle(0, 0, p.width(), p.height()), kInk);
    const int across = static_cast<int>(p.width() / kUnits), down = static_cast<int>(p.height() / kUnits);
    for (int j = 0; j < down; ++j)
        for (int i = 0; i < across; ++i)
            p.fill(Shape::rectangle(kUnits * static_cast<float>(i) + 1.5F, kUnits * static_cast<float>(j) + 1.5F,
                                    kUnits - 3, kUnits - 3, 6),
                   stone.lighter(0.12F * chance(i, j, 3)));
}

template <int kFrame>
void paint_puff(Painter& p, int) {
    constexpr float kTime = static_cast<float>(kFrame) / kPuffs, kAlpha = 1 - 0.8F * kTime;
    for (int i = 0; i < 7; ++i) {
        const float angle = 51.4F * static_cast<float>(i) + 9 * kFrame, far = 10 + 28 * kTime;
        p.fill(Shape::circle(50 + far * cosine(angle), 50 + far * sine(angle), 17 - 9 * kTime + 3 * chance(i, 1, 5)),
               kWhite.mix(Tint::hex(0xC0B8D0), kTime).faded(kAlpha));
    }
    if (kFrame < 3) p.fill(Shape::star(50, 50, 34 - 8 * kTime, 15, 6, 15 * kFrame), Tint::hex(0xFFE87A));
}

std::vector<SpriteSpec> sprites(const Sizes& sizes) {
    using K = SpriteKind;
    // Pictures are a little larger than their boxes, and never too small to be seen.
    constexpr float kRoom = 1.2F, kSmallest = 1.25F, kSmallestBall = 0.7F;
    const float player = std::max(2 * kRoom * sizes.player, kSmallest), enemy = 2 * kRoom * sizes.enemy,
                ball = std::max(2.1F * sizes.ball, kSmallestBall), exit = 2.1F * sizes.exit, puff = 3 * sizes.enemy;
    std::vector<SpriteSpec> sprites = {
        {0, 1, K::Figure, player, player, 100, 100, paint_player, 8},
        {4, 7, K::Figure, enemy, enemy, 100, 100, paint_enemy, 8},
        {5, 1, K::Figure, exit, exit, 100, 100, paint_locked_exit},
        {7, 1, K::Figure, exit, exit, 100, 100, paint_open_exit},
        {3, 1, K::Figure, ball, ball, 100, 100, paint_player_ball},
        {6, 1, K::Figure, ball, ball, 100, 100, paint_enemy_ball},
        {1, 1, K::Pattern, 0, 0, kUnits, kUnits, paint_rim},
        {1, 1, K::Pattern, 0, 0, kUnits, kUnits, paint_core},
        {10, 1, K::Pattern, 0, 0, kUnits, kUnits, paint_outside},
    };
    for (const auto paint : {paint_puff<0>, paint_puff<1>, paint_puff<2>, paint_puff<3>, paint_puff<4>, paint_puff<5>,
                             paint_puff<6>, paint_puff<7>, paint_puff<8>})
        sprites.push_back({8, 1, K::Figure, puff, puff, 100, 100, paint});
    return sprites;
}

}  // namespace

const ArtTable& table(const Sizes& sizes) {
    static const ArtTable kTables[] = {
        {"dodgeball", sprites(kLarge)}, {"dodgeball", sprites(kMedium)}, {"dodgeball", sprites(kSmall)}};
    return kTables[sizes.player == kLarge.player ? 0 : sizes.player == kMedium.player ? 1 : 2];
}

int eighths(float x, float y) {
    if (y == 0) return x < 0 ? 4 : 0;
    return y < 0 ? (x > 0 ? 1 : x < 0 ? 3 : 2) : (x > 0 ? 7 : x < 0 ? 5 : 6);
}

void draw_wall(Canvas& canvas, const Camera& camera, const Sheet& sheet, const Entity& wall) {
    const int left = camera.column(wall.left()), top = camera.row(wall.top()), view = camera.view();
    // Wherever they stand, equal walls are equally thick.
    const auto pixels = [&](float cells, int between) {
        return std::max(between, static_cast<int>(cells * camera.scale() + 0.5F));
    };
    const int width = pixels(2 * wall.rx, camera.column(wall.right()) - left);
    const int height = pixels(2 * wall.ry, camera.row(wall.bottom()) - top);
    const auto layer = [&](int sprite, int inset, int margin) {
        const int x = left + inset, y = top + inset;
        canvas.fill_pattern(x, y, width - inset - margin, height - inset - margin, sheet.get(sprite),
                            wrap(x + camera.left(), view), wrap(y - camera.top(), view));
    };
    // A dark rim all around, or, where a wall is only two pixels thick, a shadow below and to the right.
    const int rim = std::max(static_cast<int>(kRim * camera.scale() + 0.5F), 1);
    const int thickness = std::min(width, height);
    layer(WallRim, 0, 0);
    layer(WallCore, thickness > 2 * rim ? rim : 0, thickness > 1 ? rim : 0);
}

}  // namespace wm::art::dodgeball
