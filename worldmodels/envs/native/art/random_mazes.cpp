#include "art/random_mazes.h"

#include "art/details.h"

namespace wm::art::random_mazes {
namespace {

constexpr float kUnits = 100;  // of a cell

const Tint kDark = Tint::hex(0x1E1E1E);  // that of the floor

// A round fellow on two feet, in one colour.
void paint_player(Painter& p, int) {
    const Tint body = Tint::hex(0x00FFC7), shade = Tint::hex(0x00B48C);
    p.fill(Shape::ellipse(32, 90, 14, 8), shade);
    p.fill(Shape::ellipse(68, 90, 14, 8), shade);
    p.fill(Shape::line({50, 20}, {44, 6}, 7), shade);
    p.fill(Shape::circle(43, 7, 7), body);
    p.fill(Shape::circle(50, 52, 39), body);
    for (const float x : {48.0F, 74.0F}) {
        p.fill(Shape::ellipse(x, 46, 10, 13), kWhite);
        p.fill(Shape::ellipse(x + 4, 48, 6, 8), kDark);
    }
    p.fill(Shape::line({50, 72}, {72, 70}, 6), kDark);
}

void paint_coin(Painter& p, int) {
    p.fill(Shape::circle(50, 50, 42), Tint::hex(0xFFFF00));
    p.stroke(Shape::circle(50, 50, 29), 6, Tint::hex(0xB89B00));
    p.fill(Shape::rectangle(44, 34, 12, 32, 3), Tint::hex(0xB89B00));
}

void paint_wall(Painter& p, int) {
    p.fill(Shape::rectangle(-1, -1, p.width() + 2, p.height() + 2), Tint::hex(0x969696));
}

}  // namespace

const ArtTable& table() {
    static const ArtTable kTable = {"random_mazes",
                                    {
                                        {0, 1, SpriteKind::Figure, 1, 1, 100, 100, paint_player},
                                        {1, 1, SpriteKind::Figure, 1, 1, 100, 100, paint_coin},
                                        {51, 1, SpriteKind::Pattern, 0, 0, kUnits, kUnits, paint_wall},
                                    }};
    return kTable;
}

}  // namespace wm::art::random_mazes
