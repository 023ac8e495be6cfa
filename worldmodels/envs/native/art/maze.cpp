#include "art/maze.h"

#include <algorithm>

#include "art/details.h"

namespace wm::art::maze {
namespace {

constexpr float kUnits = 100;  // of a cell

void paint_mouse(Painter& p, int) {
    const Tint fur = Tint::hex(0xB8406E), pink = Tint::hex(0xFF9CC0);
    p.fill(Shape::line({26, 76}, {8, 62}, 7), pink);
    p.fill(Shape::line({8, 62}, {14, 40}, 7, 3), pink);
    p.fill(Shape::ellipse(30, 91, 11, 6), pink);
    p.fill(Shape::ellipse(62, 92, 11, 6), pink);
    p.fill(Shape::ellipse(44, 68, 32, 24), shaded(fur, 44, 64, 30));
    ball(p, 50, 28, 17, fur);
    p.fill(Shape::circle(50, 29, 10), shaded(pink, 50, 29, 10));
    p.fill(Shape::ellipse(70, 54, 24, 21), shaded(fur, 70, 52, 22));
    p.fill(Shape::polygon({{82, 44}, {98, 60}, {80, 72}}, 2), shaded(fur, 74, 50, 26));
    ball(p, 70, 27, 18, fur);
    p.fill(Shape::circle(70, 28, 11), shaded(pink, 70, 28, 11));
    ball(p, 94, 60, 6, pink);
    p.outline(5, kInk);
    p.fill(Shape::circle(76, 50, 6.5F), kInk);
    p.fill(Shape::circle(74, 48, 2.2F), kWhite);
}

void paint_cheese(Painter& p, int) {
    const Tint rind = Tint::hex(0xFFC21F), paste = Tint::hex(0xFFE25A);
    p.fill(Shape::polygon({{8, 46}, {74, 12}, {92, 42}, {92, 46}}, 4),
           Fill::linear(paste.lighter(0.35F), paste, {30, 20}, {80, 46}));
    p.fill(Shape::rectangle(5, 44, 90, 44, 7), Fill::linear(rind.lighter(0.1F), rind.darker(0.18F), {0, 44}, {0, 88}));
    const Tint hole = Tint::hex(0xC97A0A);
    const auto dent = [&](float x, float y, float rx, float ry) {
        p.fill_inside(Shape::ellipse(x, y, rx, ry), Fill::linear(hole, hole.lighter(0.35F), {0, y - ry}, {0, y + ry}));
    };
    dent(26, 62, 11, 10);
    dent(56, 74, 9, 8);
    dent(76, 58, 9, 8);
    dent(98, 78, 9, 9);
    dent(62, 32, 9, 5);
    p.fill_inside(Shape::rectangle(0, 43, 100, 4), paste.lighter(0.55F));
    p.outline(5, Tint::hex(0x5B2E08));
}

// One stone block for each cell, each a little different.
void paint_wall(Painter& p, int) {
    // With few pixels to a stone, dark joints would only be a pattern of dots.
    const float coarse = std::clamp(0.06F * (p.units_per_pixel() - 4), 0.0F, 0.85F);
    const Tint stone = Tint::hex(0x46508A), joint = Tint::hex(0x171B33).mix(stone, coarse);
    p.fill(Shape::rectangle(0, 0, p.width(), p.height()), joint);
    const int across = static_cast<int>(p.width() / kUnits), down = static_cast<int>(p.height() / kUnits);
    for (int j = 0; j < down; ++j) {
        for (int i = 0; i < across; ++i) {
            const float x = static_cast<float>(i) * kUnits, y = static_cast<float>(j) * kUnits;
            const float tone = chance(i, j, 7) - 0.5F;
            const Tint tint = tone > 0 ? stone.lighter(0.12F * tone) : stone.darker(-0.25F * tone);
            p.fill(Shape::rectangle(x + 2, y + 2, 96, 96, 12), tint.darker(0.42F * (1 - 0.5F * coarse)));
            p.fill(Shape::rectangle(x + 2, y + 2, 93, 91, 12), tint.lighter(0.34F));
            p.fill(
                Shape::rectangle(x + 9, y + 9, 82, 78, 9),
                Fill::linear(tint.lighter(0.1F), tint.darker(0.14F), {x, y}, {x + 60, y + 100}).grained(0.06F, 17, 3));
        }
    }
}

}  // namespace

const ArtTable& table() {
    static const ArtTable kTable = {"maze",
                                    {
                                        {0, 1, SpriteKind::Figure, 1, 1, 100, 100, paint_mouse},
                                        {2, 1, SpriteKind::Figure, 1, 1, 100, 100, paint_cheese},
                                        {51, 1, SpriteKind::Pattern, 0, 0, kUnits, kUnits, paint_wall},
                                    }};
    return kTable;
}

}  // namespace wm::art::maze
