#include "art/fruitbot.h"

#include <algorithm>

#include "art/details.h"

namespace wm::art::fruitbot {
namespace {

constexpr float kUnits = 100;  // of a cell

// 0 for people, towards 1 where a cell has but few pixels: there fine detail would only be mud.
float coarseness(const Painter& p) { return std::clamp(0.07F * (p.units_per_pixel() - 4), 0.0F, 1.0F); }

// A friendly harvester: tracks, a round body with a big eye, and a basket in front.
void paint_robot(Painter& p, int) {
    const Tint body = Tint::hex(0x2F7BFF), steel = Tint::hex(0xDDE8F4), basket = Tint::hex(0xE8A84A);
    for (const float x : {6.0F, 74.0F}) {
        p.fill(Shape::rectangle(x, 36, 20, 60, 9), Tint::hex(0x39415E));
        for (int i = 0; i < 4; ++i)
            p.fill(Shape::rectangle(x, 42 + 13 * static_cast<float>(i), 20, 6), Tint::hex(0x6B7698));
    }
    p.fill(Shape::rectangle(16, 32, 68, 64, 24), upright(body, 30, 100));
    p.fill(Shape::line({22, 44}, {16, 18}, 9), steel);
    p.fill(Shape::line({78, 44}, {84, 18}, 9), steel);
    p.fill(Shape::polygon({{8, 4}, {92, 4}, {82, 26}, {18, 26}}, 6), upright(basket, 0, 28));
    p.outline(5.5F, kInk);
    for (int i = 0; i < 5; ++i)
        p.fill_inside(Shape::line({20 + 15 * static_cast<float>(i), 4}, {23 + 13.5F * static_cast<float>(i), 26}, 3),
                      basket.darker(0.35F));
    p.fill(Shape::rectangle(24, 40, 52, 30, 15), kInk);
    p.fill(Shape::rectangle(27, 43, 46, 24, 12),
           Fill::linear(Tint::hex(0xEFFFFF), Tint::hex(0x8CE8FF), {0, 43}, {0, 67}));
    for (const float x : {40.0F, 60.0F}) {
        p.fill(Shape::circle(x, 52, 7.5F), kInk);
        p.fill(Shape::circle(x - 2, 49.5F, 2.8F), kWhite);
    }
    p.fill(Shape::rectangle(38, 79, 24, 7, 3), Tint::hex(0xFFD23A));
    p.fill(Shape::circle(50, 34, 4.5F), Tint::hex(0xFF4A4A));
}

// Warning stripes; where there are but a few pixels, one loud colour.
void paint_barrier(Painter& p, int) {
    const float coarse = coarseness(p), width = p.width(), height = p.height();
    const Tint loud = Tint::hex(0xF2382E), dark = Tint::hex(0x2A1B38);
    p.fill(Shape::rectangle(0, 0, width, height), dark);
    constexpr float kStripe = 25;
    if (coarse < 0.5F)
        for (float x = -height; x < width + height; x += 2 * kStripe)
            p.fill(Shape::polygon({{x, height}, {x + kStripe, height}, {x + kStripe + height, 0}, {x + height, 0}}),
                   upright(loud, 0, height));
    p.fill(Shape::rectangle(0, 0, width, 9), Tint::hex(0x8A90B0));
    p.fill(Shape::rectangle(0, 0, width, 3), Tint::hex(0xC8CEE6));
    p.fill(Shape::rectangle(0, height - 9, width, 9), kInk);
    p.fill(Shape::rectangle(0, 0, width, height), loud.darker(0.1F).faded(0.75F * coarse));
}

// A barrier of light.
void paint_door(Painter& p, int) {
    const float width = p.width(), height = p.height();
    const Tint glow = Tint::hex(0xE81EC8);
    p.fill(Shape::rectangle(0, 0, width, height), Fill::linear(glow.darker(0.55F), glow, {0, 0}, {0, 0.5F * height}));
    p.fill(Shape::rectangle(0, 0.5F * height, width, height),
           Fill::linear(glow, glow.darker(0.55F), {0, 0.5F * height}, {0, height}));
    for (const float y : {0.28F, 0.72F}) {
        p.fill(Shape::rectangle(0, y * height - 6, width, 12), glow.lighter(0.45F));
        p.fill(Shape::rectangle(0, y * height - 2.5F, width, 5), kWhite);
    }
}

void paint_lock(Painter& p, int) {
    const Tint gold = Tint::hex(0xFFCB2E);
    p.stroke(Shape::rectangle(13, 14, 24, 50, 12), 9, Tint::hex(0xB8C4D8));
    p.fill(Shape::rectangle(3, 38, 44, 48, 8), upright(gold, 34, 90));
    p.outline(5, Tint::hex(0x4A2A08));
    p.fill(Shape::circle(25, 56, 7), kInk);
    p.fill(Shape::polygon({{22, 56}, {28, 56}, {32, 76}, {18, 76}}, 1), kInk);
}

void paint_key(Painter& p, int) {
    const Tint gold = Tint::hex(0xFFD84A);
    p.fill(Shape::line({50, 40}, {50, 96}, 13), gold.darker(0.1F));
    for (const float y : {74.0F, 92.0F}) p.fill(Shape::rectangle(50, y - 6, 26, 12, 3), gold.darker(0.1F));
    p.stroke(Shape::circle(50, 26, 16), 14, upright(gold, 4, 50));
    p.outline(8, Tint::hex(0x5A3208));
}

struct PresentLook {
    std::uint32_t paper, ribbon;
};

constexpr PresentLook kLooks[kPresents] = {{0xF0344A, 0xFFE27A}, {0x2FA8F0, 0xFFFFFF}, {0x9A4CF0, 0xFFB0E0}};

void paint_present(Painter& p, int theme) {
    const Tint paper = Tint::hex(kLooks[theme].paper), ribbon = Tint::hex(kLooks[theme].ribbon);
    for (const float side : {-1.0F, 1.0F})
        p.fill(Shape::ellipse(50 + 16 * side, 18, 18, 10).turned(24 * side, 50 + 16 * side, 18), ribbon.darker(0.1F));
    p.fill(Shape::rectangle(10, 46, 80, 50, 4), upright(paper.darker(0.08F), 40, 100));
    p.fill(Shape::rectangle(4, 28, 92, 22, 5), upright(paper.lighter(0.1F), 26, 56));
    p.fill_inside(Shape::rectangle(41, 0, 18, 100), ribbon);
    p.fill(Shape::circle(50, 24, 8), ribbon);
    p.outline(5, kInk);
    p.fill_inside(Shape::rectangle(4, 50, 92, 4), kInk.faded(0.35F));
    for (const float side : {-1.0F, 1.0F})
        p.fill(Shape::ellipse(50 + 17 * side, 18, 8, 3.5F).turned(24 * side, 50 + 17 * side, 18), ribbon.darker(0.4F));
    shine(p, 24, 36, 9, 4, 0.7F);
}

// Beyond the ends of the alley: dark bricks.
void paint_outside(Painter& p, int) {
    const Tint brick = Tint::hex(0x4A5478);
    p.fill(Shape::rectangle(0, 0, p.width(), p.height()), brick.darker(0.45F));
    for (int j = 0; static_cast<float>(j) * 50 < p.height(); ++j)
        for (float x = j % 2 == 0 ? 0.0F : -50.0F; x < p.width(); x += kUnits)
            p.fill(Shape::rectangle(x + 3, static_cast<float>(j) * 50 + 3, 94, 44, 5),
                   upright(brick, static_cast<float>(j) * 50, static_cast<float>(j) * 50 + 60));
}

}  // namespace

const ArtTable& table() {
    using K = SpriteKind;
    const auto fitted = [](int type, void (*paint)(Painter&, int), const float* aspects) {
        SpriteSpec spec = {type, kKinds, K::Figure, 0, 1.12F, 0, 100, paint, 1, false, {aspects, aspects + kKinds}};
        spec.fit = true;
        return spec;
    };
    static const ArtTable kTable = {"fruitbot",
                                    {
                                        {0, 1, K::Figure, 1.1F, 1.1F, 100, 100, paint_robot},
                                        {1, 1, K::Pattern, 0, 0.6F, kUnits, kUnits, paint_barrier},
                                        {10, 1, K::Pattern, 0, 0.6F, kUnits, kUnits, paint_door},
                                        {11, 1, K::Figure, 0.6F, 1, 50, 90, paint_lock},
                                        {3, 1, K::Figure, 0.62F, 0.62F, 100, 100, paint_key},
                                        {12, kPresents, K::Figure, 1, 1, 100, 100, paint_present},
                                        fitted(7, paint_fruit, kFruitAspects),
                                        fitted(4, paint_food, kFoodAspects),
                                        {2, 1, K::Pattern, 0, 0, kUnits, kUnits, paint_outside},
                                    }};
    return kTable;
}

}  // namespace wm::art::fruitbot
