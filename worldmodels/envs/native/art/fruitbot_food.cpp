// What lies about in fruitbot: six happy fruits in plain, bright colours, and six sly pieces of junk food.
// Each is painted on the units of its own shape, the larger side being 100.
#include "art/details.h"
#include "art/fruitbot.h"

namespace wm::art::fruitbot {
namespace {

const Tint& leaf_green() {
    static const Tint kGreen = Tint::hex(0x3DBB3A);
    return kGreen;
}

void leaf(Painter& p, float x, float y, float size, float degrees) {
    p.fill(Shape::ellipse(x, y, size, 0.45F * size).turned(degrees, x, y), upright(leaf_green(), y - size, y + size));
}

void smile(Painter& p, float x, float y, float gap) {
    for (const float side : {-1.0F, 1.0F}) {
        p.fill(Shape::ellipse(x + gap * side, y, 4.5F, 6), kInk);
        p.fill(Shape::circle(x + gap * side - 1.4F, y - 2, 1.7F), kWhite);
    }
    p.fill(Shape::polygon({{x - 7, y + 9}, {x + 7, y + 9}, {x, y + 16}}, 2), kInk);
}

void scowl(Painter& p, float x, float y, float gap) {
    for (const float side : {-1.0F, 1.0F}) {
        p.fill(Shape::circle(x + gap * side, y, 6.5F), kWhite);
        p.fill(Shape::circle(x + (gap - 1.5F) * side, y + 1, 3.4F), kInk);
        p.fill(Shape::line({x + (gap + 7) * side, y - 9}, {x + (gap - 7) * side, y - 4}, 4.5F), kInk);
    }
    p.fill(Shape::line({x - 8, y + 15}, {x, y + 12}, 3.5F), kInk);
    p.fill(Shape::line({x, y + 12}, {x + 8, y + 15}, 3.5F), kInk);
}

void paint_apple(Painter& p) {  // 96 x 100
    const Tint red = Tint::hex(0xF0202E);
    p.fill(Shape::line({48, 30}, {54, 8}, 7), Tint::hex(0x7A4A22));
    leaf(p, 68, 14, 17, -24);
    p.fill(Shape::ellipse(32, 58, 28, 36), shaded(red, 40, 54, 46));
    p.fill(Shape::ellipse(64, 58, 28, 36), shaded(red, 40, 54, 46));
    p.outline(5.5F, kInk);
    shine(p, 22, 44, 9, 4.5F);
    smile(p, 48, 56, 14);
}

void paint_pear(Painter& p) {  // 80 x 100
    const Tint green = Tint::hex(0x9FE02A);
    p.fill(Shape::line({40, 20}, {46, 4}, 7), Tint::hex(0x7A4A22));
    leaf(p, 58, 12, 15, -20);
    p.fill(Shape::ellipse(40, 36, 20, 22), shaded(green, 40, 60, 50));
    p.fill(Shape::ellipse(40, 66, 34, 31), shaded(green, 40, 60, 44));
    p.outline(5.5F, kInk);
    shine(p, 22, 54, 9, 4.5F);
    smile(p, 40, 62, 12);
}

void paint_lemon(Painter& p) {  // 100 x 73
    const Tint yellow = Tint::hex(0xFFE21E);
    leaf(p, 82, 12, 15, 20);
    p.fill(Shape::ellipse(50, 40, 39, 30), shaded(yellow, 46, 36, 40));
    p.fill(Shape::ellipse(91, 38, 8, 9), yellow.darker(0.1F));
    p.fill(Shape::ellipse(9, 42, 8, 9), yellow.darker(0.05F));
    p.outline(5.5F, kInk);
    shine(p, 28, 24, 10, 4.5F, 0.8F);
    smile(p, 50, 36, 15);
}

void paint_pineapple(Painter& p) {  // 64 x 100
    const Tint gold = Tint::hex(0xFFA81E);
    for (const float lean : {-22.0F, -9.0F, 9.0F, 22.0F})
        p.fill(Shape::line({32, 42}, {32 + lean, 8 + 0.3F * lean * (lean > 0 ? 1 : -1)}, 15, 2), leaf_green());
    p.fill(Shape::ellipse(32, 66, 28, 31), shaded(gold, 30, 60, 36));
    p.outline(5.5F, kInk);
    for (int i = -2; i < 5; ++i) {
        const float x = 14 * static_cast<float>(i);
        p.fill_inside(Shape::line({x, 100}, {x + 40, 40}, 2.5F), gold.darker(0.35F).faded(0.6F));
        p.fill_inside(Shape::line({x + 10, 40}, {x + 50, 100}, 2.5F), gold.darker(0.35F).faded(0.6F));
    }
    smile(p, 32, 62, 11);
}

void paint_orange(Painter& p) {  // 100 x 100
    const Tint orange = Tint::hex(0xFF8A12);
    leaf(p, 64, 12, 17, -20);
    ball(p, 50, 55, 41, orange);
    p.outline(5.5F, kInk);
    p.fill(Shape::star(47, 18, 9, 3.5F, 5), leaf_green().darker(0.2F));
    shine(p, 28, 34, 11, 5);
    smile(p, 50, 54, 15);
}

void paint_grapes(Painter& p) {  // 85 x 100
    const Tint violet = Tint::hex(0x8A3CF0);
    p.fill(Shape::line({42, 22}, {44, 4}, 7), Tint::hex(0x7A4A22));
    leaf(p, 62, 12, 18, -16);
    constexpr Point kGrapes[] = {{20, 34}, {42, 30}, {64, 34}, {31, 52}, {54, 52}, {42, 72}, {42, 86}};
    for (const Point& at : kGrapes) ball(p, at.x, at.y, 14, violet);
    p.outline(5.5F, kInk);
    for (const Point& at : kGrapes) p.fill(Shape::circle(at.x - 4, at.y - 5, 3), kWhite.faded(0.7F));
    smile(p, 42, 46, 12);
}

void paint_soda(Painter& p) {  // 56 x 100
    p.fill(Shape::line({30, 40}, {42, 4}, 7), Tint::hex(0xF2F2F2));
    p.fill(Shape::polygon({{8, 34}, {48, 34}, {43, 97}, {13, 97}}, 4), upright(Tint::hex(0x6A4A3A), 30, 100));
    p.fill(Shape::rectangle(3, 24, 50, 13, 4), Tint::hex(0xE8ECF4));
    p.outline(5.5F, kInk);
    p.fill_inside(Shape::rectangle(0, 76, 56, 9), Tint::hex(0xE8ECF4));
    scowl(p, 28, 54, 10);
}

void paint_hot_dog(Painter& p) {  // 100 x 46
    p.fill(Shape::rectangle(6, 10, 88, 32, 16), upright(Tint::hex(0xF6DDA4), 6, 46));
    p.fill(Shape::line({8, 20}, {92, 20}, 18), upright(Tint::hex(0x9A1C1C), 10, 32));
    p.outline(5, kInk);
    for (int i = 0; i < 5; ++i)
        p.fill(Shape::line({14 + 15 * static_cast<float>(i), i % 2 == 0 ? 15.0F : 22.0F},
                           {29 + 15 * static_cast<float>(i), i % 2 == 0 ? 22.0F : 15.0F}, 4),
               Tint::hex(0xFFD23A));
    for (const float side : {-1.0F, 1.0F}) {
        p.fill(Shape::circle(50 + 10 * side, 33, 4.5F), kWhite);
        p.fill(Shape::circle(50 + 9 * side, 33.5F, 2.4F), kInk);
        p.fill(Shape::line({50 + 16 * side, 26}, {50 + 5 * side, 29.5F}, 3), kInk);
    }
}

void paint_donut(Painter& p) {  // 100 x 100
    p.fill(Shape::circle(50, 52, 42), shaded(Tint::hex(0xB8763A), 50, 52, 42));
    p.fill(Shape::star(50, 49, 41, 34, 9), upright(Tint::hex(0x5A3024), 10, 90));
    p.outline(5.5F, kInk);
    for (int i = 0; i < 10; ++i) {
        const float angle = 36 * static_cast<float>(i) + 9, x = 50 + 28 * cosine(angle), y = 49 + 28 * sine(angle);
        p.fill(Shape::line({x - 3, y - 3}, {x + 3, y + 2}, 4), i % 2 == 0 ? Tint::hex(0xFFB0E0) : Tint::hex(0xBFF0FF));
    }
    p.fill(Shape::circle(50, 52, 12), kInk);
    scowl(p, 50, 30, 12);
}

void paint_burger(Painter& p) {  // 100 x 95
    p.fill(Shape::rectangle(9, 66, 82, 24, 11), upright(Tint::hex(0xA8682E), 62, 92));
    p.fill(Shape::rectangle(5, 54, 90, 17, 8), Tint::hex(0x54302A));
    p.fill(Shape::polygon({{6, 47}, {94, 47}, {80, 58}, {62, 50}, {44, 60}, {24, 50}}, 2), Tint::hex(0xFFC61E));
    p.fill(Shape::rectangle(9, 6, 82, 42, 21), upright(Tint::hex(0xA8682E), 4, 50));
    p.outline(5.5F, kInk);
    for (const Point& at : {Point{30, 12}, Point{50, 10}, Point{70, 13}})
        p.fill(Shape::ellipse(at.x, at.y, 3.5F, 2), Tint::hex(0xFFF0C8));
    scowl(p, 50, 28, 15);
}

void paint_fries(Painter& p) {  // 92 x 100
    for (int i = 0; i < 6; ++i) {
        const float x = 14 + 13 * static_cast<float>(i), top = 6 + 14 * chance(i, 0, 81);
        p.fill(Shape::rectangle(x - 5, top, 11, 60, 2), upright(Tint::hex(0xD8A83A), top, 60));
        p.fill(Shape::rectangle(x + 4, top, 2, 60), kInk.faded(0.5F));
    }
    p.fill(Shape::polygon({{6, 42}, {46, 52}, {86, 42}, {76, 96}, {16, 96}}, 4), upright(Tint::hex(0x8A1E30), 40, 100));
    p.outline(5.5F, kInk);
    scowl(p, 46, 68, 13);
}

void paint_pizza(Painter& p) {  // 100 x 100
    p.fill(Shape::polygon({{6, 16}, {94, 16}, {52, 97}}, 5), upright(Tint::hex(0xE8B040), 10, 100));
    p.fill(Shape::rectangle(3, 6, 94, 19, 9), upright(Tint::hex(0xA8703A), 4, 28));
    p.outline(5.5F, kInk);
    for (const Point& at : {Point{26, 34}, Point{72, 36}, Point{54, 74}})
        p.fill_inside(Shape::circle(at.x, at.y, 9), Tint::hex(0x9A2A20));
    scowl(p, 50, 44, 12);
}

}  // namespace

void paint_fruit(Painter& p, int kind) {
    static constexpr void (*kFruits[kKinds])(Painter&) = {paint_apple,     paint_pear,   paint_lemon,
                                                          paint_pineapple, paint_orange, paint_grapes};
    kFruits[kind](p);
}

void paint_food(Painter& p, int kind) {
    static constexpr void (*kFoods[kKinds])(Painter&) = {paint_soda,   paint_hot_dog, paint_donut,
                                                         paint_burger, paint_fries,   paint_pizza};
    kFoods[kind](p);
}

}  // namespace wm::art::fruitbot
