#include "art/miner.h"

#include <algorithm>

#include "art/details.h"

namespace wm::art::miner {
namespace {

constexpr float kUnits = 100;  // of a cell

void paint_miner(Painter& p, bool second_step) {
    const Tint suit = Tint::hex(0xE5383B), helmet = Tint::hex(0xFFD60A), skin = Tint::hex(0xFFD9B5);
    const float step = second_step ? 1.0F : 0.0F;
    // The pickaxe over the shoulder.
    p.fill(Shape::line({12, 78 - 6 * step}, {34, 40 - 6 * step}, 8), Tint::hex(0x9A5F2C));
    p.fill(Shape::line({14, 30 - 6 * step}, {52, 50 - 6 * step}, 9, 6), Tint::hex(0xDCE6F0));
    p.fill(Shape::ellipse(36 + 6 * step, 93 - 3 * step, 13, 7), kInk.lighter(0.25F));
    p.fill(Shape::ellipse(70 - 4 * step, 90 + 3 * step, 13, 7), kInk.lighter(0.25F));
    p.fill(Shape::rectangle(26, 54, 54, 36, 16), shaded(suit, 50, 66, 32));
    p.fill(Shape::ellipse(54, 44, 31, 26), shaded(skin, 54, 42, 28));
    ball(p, 26, 72 - 4 * step, 9, skin);
    p.fill(Shape::polygon({{18, 36}, {22, 14}, {42, 2}, {64, 2}, {84, 14}, {90, 36}}, 8), shaded(helmet, 52, 20, 34));
    p.fill(Shape::rectangle(14, 29, 84, 10, 5), helmet.darker(0.18F));
    p.outline(5, kInk);
    p.fill(Shape::circle(78, 18, 11), kInk);
    p.fill(Shape::circle(78, 18, 8), Tint::hex(0xFFFDE0));
    eye(p, 52, 48, 7.5F, 0.7F);
    eye(p, 74, 48, 7.5F, 0.7F);
    p.fill(Shape::line({58, 63}, {72, 62}, 5), Tint::hex(0x8A2A3A));
    shine(p, 36, 15, 9, 4, 0.8F);
}

void paint_boulder(Painter& p, bool falling) {
    const Tint stone = Tint::hex(0xB4BCCB);
    const std::vector<Point> corners = {{50, 3}, {82, 12}, {97, 44}, {90, 78}, {60, 97}, {24, 92}, {4, 62}, {12, 22}};
    p.fill(Shape::polygon(corners, 12), shaded(stone, 48, 44, 46).grained(0.06F, 14, 3));
    p.outline(6, kInk);
    p.fill_inside(Shape::polygon({{28, 14}, {56, 10}, {70, 28}, {44, 40}, {20, 36}}, 6), stone.lighter(0.5F));
    p.fill_inside(Shape::circle(70, 58, 9), stone.darker(0.28F));
    p.fill_inside(Shape::circle(68, 56, 7), stone.darker(0.12F));
    p.fill_inside(Shape::circle(38, 74, 7), stone.darker(0.28F));
    p.fill_inside(Shape::line({48, 54}, {34, 58}, 4), stone.darker(0.4F));
    p.fill_inside(Shape::line({34, 58}, {28, 52}, 4), stone.darker(0.4F));
    if (!falling) return;
    // It looks down at whom it will hit.
    for (const float x : {34.0F, 66.0F}) eye(p, x, 60, 13, 0, 1);
    p.fill(Shape::line({18, 40}, {44, 50}, 7), kInk);
    p.fill(Shape::line({82, 40}, {56, 50}, 7), kInk);
}

void paint_diamond(Painter& p, bool falling) {
    const Tint ice = Tint::hex(0x2FD8FF), light = Tint::hex(0xE8FDFF), deep = Tint::hex(0x0A8FD8);
    p.fill(Shape::polygon({{26, 12}, {74, 12}, {97, 40}, {50, 96}, {3, 40}}, 3), ice);
    p.outline(6, Tint::hex(0x06346E));
    p.fill_inside(Shape::polygon({{26, 12}, {36, 40}, {3, 40}}), light);
    p.fill_inside(Shape::polygon({{26, 12}, {50, 12}, {36, 40}}), ice.lighter(0.45F));
    p.fill_inside(Shape::polygon({{50, 12}, {74, 12}, {64, 40}}), ice.lighter(0.75F));
    p.fill_inside(Shape::polygon({{50, 12}, {64, 40}, {36, 40}}), ice.lighter(0.3F));
    p.fill_inside(Shape::polygon({{74, 12}, {97, 40}, {64, 40}}), ice);
    p.fill_inside(Shape::polygon({{3, 40}, {36, 40}, {50, 96}}), ice.mix(deep, 0.35F));
    p.fill_inside(Shape::polygon({{36, 40}, {64, 40}, {50, 96}}), ice.lighter(0.15F));
    p.fill_inside(Shape::polygon({{64, 40}, {97, 40}, {50, 96}}), deep);
    if (falling) p.fill(Shape::star(28, 24, 26, 5, 4), kWhite);
    else p.fill(Shape::star(26, 22, 15, 4, 4), kWhite);
}

// A lift cage: shut by a grille, or lit.
void paint_exit(Painter& p, bool open) {
    const Tint frame = Tint::hex(0x2BE08F);
    p.fill(Shape::polygon({{4, 98}, {4, 30}, {28, 4}, {72, 4}, {96, 30}, {96, 98}}, 8), upright(frame, 4, 98));
    p.outline(5, kInk);
    const Shape door = Shape::polygon({{20, 98}, {20, 38}, {35, 21}, {65, 21}, {80, 38}, {80, 98}}, 5);
    if (open) {
        p.fill(door, Fill::linear(Tint::hex(0xFFFFF0), Tint::hex(0xFFE066), {50, 30}, {50, 98}));
        p.fill(Shape::polygon({{50, 34}, {70, 58}, {58, 58}, {58, 84}, {42, 84}, {42, 58}, {30, 58}}, 2),
               Tint::hex(0x0C8A55));
    } else {
        p.fill(door, Tint::hex(0x0E3B2C));
        for (const float x : {35.0F, 50.0F, 65.0F})
            p.fill_inside(Shape::line({x, 24}, {x, 98}, 5), frame.darker(0.15F));
        p.fill(Shape::rectangle(20, 56, 60, 8, 2), frame.darker(0.3F));
    }
}

// With few pixels to a cell, grain and stones would only be noise.
float coarseness(const Painter& p) { return std::clamp(0.06F * (p.units_per_pixel() - 6), 0.0F, 0.85F); }

void paint_dirt(Painter& p, int) {
    const float calm = coarseness(p);
    const Tint soil = Tint::hex(0x96592F);
    const int across = static_cast<int>(p.width() / kUnits + 0.5F), down = static_cast<int>(p.height() / kUnits + 0.5F);
    p.fill(Shape::rectangle(-1, -1, p.width() + 2, p.height() + 2),
           Fill(soil).grained(0.07F * (1 - 0.6F * calm), 50, 11, {2 * across, 2 * down}));
    for (int j = 0; j < down; ++j)
        for (int i = 0; i < across; ++i)
            for (int k = 0; k < 4; ++k) {
                const auto salt = static_cast<std::uint32_t>(20 + 3 * k);
                const float x = (static_cast<float>(i) + 0.15F + 0.7F * chance(i, j, salt)) * kUnits;
                const float y = (static_cast<float>(j) + 0.15F + 0.7F * chance(i, j, salt + 1)) * kUnits;
                const float size = 5 + 9 * chance(i, j, salt + 2);
                const Tint tint = (k % 2 == 0 ? soil.darker(0.34F) : soil.lighter(0.22F)).mix(soil, calm);
                p.fill(Shape::ellipse(x, y, size * 1.3F, size), tint.darker(0.12F * (1 - calm)));
                p.fill(Shape::ellipse(x - 1.5F, y - 2, size, size * 0.7F), tint);
            }
}

void paint_rock(Painter& p, int) {
    const Tint stone = Tint::hex(0x3A3448);
    const int across = static_cast<int>(p.width() / kUnits + 0.5F), down = static_cast<int>(p.height() / kUnits + 0.5F);
    p.fill(Shape::rectangle(-1, -1, p.width() + 2, p.height() + 2), stone.darker(0.45F));
    for (int j = 0; j < down; ++j)
        for (int i = 0; i < across; ++i) {
            const float x = static_cast<float>(i) * kUnits, y = static_cast<float>(j) * kUnits;
            const Tint tint = stone.lighter(0.14F * chance(i, j, 5));
            p.fill(Shape::rectangle(x + 3, y + 3, 94, 94, 22), tint.darker(0.25F));
            p.fill(Shape::rectangle(x + 4, y + 3, 88, 86, 22), upright(tint.lighter(0.08F), y, y + 100));
        }
}

}  // namespace

const ArtTable& table() {
    using K = SpriteKind;
    static const ArtTable kTable = {
        "miner",
        {
            {0, 1, K::Figure, 1, 1, 100, 100, [](Painter& p, int) { paint_miner(p, false); }},
            {0, 1, K::Figure, 1, 1, 100, 100, [](Painter& p, int) { paint_miner(p, true); }},
            {1, 1, K::Figure, 1, 1, 100, 100, [](Painter& p, int) { paint_boulder(p, false); }, kBoulderTurns},
            {1, 1, K::Figure, 1, 1, 100, 100, [](Painter& p, int) { paint_boulder(p, true); }},
            {2, 1, K::Figure, 1, 1, 100, 100, [](Painter& p, int) { paint_diamond(p, false); }},
            {2, 1, K::Figure, 1, 1, 100, 100, [](Painter& p, int) { paint_diamond(p, true); }},
            {6, 1, K::Figure, 1, 1, 100, 100, [](Painter& p, int) { paint_exit(p, false); }},
            {6, 1, K::Figure, 1, 1, 100, 100, [](Painter& p, int) { paint_exit(p, true); }},
            {9, 1, K::Pattern, 0, 0, kUnits, kUnits, paint_dirt},
            {10, 1, K::Pattern, 0, 0, kUnits, kUnits, paint_rock},
        }};
    return kTable;
}

}  // namespace wm::art::miner
