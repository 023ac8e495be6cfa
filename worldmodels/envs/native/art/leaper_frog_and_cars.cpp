// Who moves in leaper: the frog in the five pictures of a hop, and five cars.
#include "art/details.h"
#include "art/leaper.h"

namespace wm::art::leaper {
namespace {

const Tint& skin() {
    static const Tint kSkin = Tint::hex(0x5FE03A);
    return kSkin;
}

// Three toes with round tips, spread around a direction.
void paint_foot(Painter& p, float x, float y, float degrees) {
    const Tint toe = Tint::hex(0xFF9A2E);
    for (const float spread : {-38.0F, 0.0F, 38.0F}) {
        const float u = x + 9 * cosine(degrees + spread), v = y + 9 * sine(degrees + spread);
        p.fill(Shape::line({x, y}, {u, v}, 5), toe);
        p.fill(Shape::circle(u, v, 4), toe);
    }
}

// `stretch` 0: folded, 1: straight. `side` -1: left, +1: right.
void paint_hind_leg(Painter& p, float side, float stretch) {
    const Point hip = {50 + 15 * side, 66}, knee = {50 + (36 - 12 * stretch) * side, 58 + 20 * stretch},
                heel = {50 + (30 - 4 * stretch) * side, 82 + 6 * stretch};
    paint_foot(p, heel.x, heel.y, side > 0 ? 20 + 60 * stretch : 160 - 60 * stretch);
    p.fill(Shape::line(hip, knee, 19, 14), skin().darker(0.1F));
    p.fill(Shape::line(knee, heel, 13, 8), skin().darker(0.18F));
}

void paint_fore_leg(Painter& p, float side, float stretch) {
    const Point shoulder = {50 + 15 * side, 42}, hand = {50 + (36 - 14 * stretch) * side, 34 - 16 * stretch};
    paint_foot(p, hand.x, hand.y, side > 0 ? -30 - 50 * stretch : 210 + 50 * stretch);
    p.fill(Shape::line(shoulder, hand, 12, 7), skin().darker(0.1F));
}

struct CarLook {
    std::uint32_t body, roof;
    int extra;  // 0 nothing, 1 taxi, 2 van, 3 stripes, 4 police
};

constexpr CarLook kLooks[kCars] = {{0xF03A34, 0xF4584E, 0},
                                   {0xFFC61E, 0xFFD450, 1},
                                   {0x38A0FF, 0xEAF4FF, 2},
                                   {0x9A4CF0, 0xA862F8, 3},
                                   {0xF4F6FC, 0xFFFFFF, 4}};

void paint_extra(Painter& p, int extra) {
    if (extra == 1) {
        for (int i = 0; i < 6; ++i)
            p.fill(Shape::rectangle(34 + 7 * static_cast<float>(i), i % 2 == 0 ? 30.0F : 37.0F, 7, 7), kInk);
    } else if (extra == 2) {
        for (int i = 0; i < 3; ++i)
            p.fill(Shape::rectangle(20 + 15 * static_cast<float>(i), 20, 3, 34), Tint::hex(0xA8C4E0));
    } else if (extra == 3) {
        for (const float y : {29.0F, 39.0F}) p.fill_inside(Shape::rectangle(0, y, 114, 6), kWhite.faded(0.9F));
    } else if (extra == 4) {
        for (const float y : {18.0F, 52.0F}) p.fill_inside(Shape::rectangle(27, y, 43, 5), Tint::hex(0x2E4BC8));
        p.fill(Shape::rectangle(48, 20, 12, 17, 4), Tint::hex(0xFF2E3E));
        p.fill(Shape::rectangle(48, 37, 12, 17, 4), Tint::hex(0x2E7BFF));
    }
}

}  // namespace

void paint_frog(Painter& p, int frame) {
    static constexpr float kStretch[kFrogFrames] = {0, 0.7F, 1, 0.75F, 0.3F};
    const float stretch = kStretch[frame];
    for (const float side : {-1.0F, 1.0F}) {
        paint_hind_leg(p, side, stretch);
        paint_fore_leg(p, side, stretch);
    }
    p.fill(Shape::ellipse(50, 56, 24 - 3 * stretch, 26 + 4 * stretch), shaded(skin(), 50, 52, 28));
    p.fill(Shape::ellipse(50, 33, 25, 19), shaded(skin(), 50, 30, 24));
    for (const float side : {-1.0F, 1.0F}) p.fill(Shape::circle(50 + 17 * side, 21, 13), shaded(skin(), 50, 21, 20));
    p.outline(6, Tint::hex(0x12331C));
    p.fill_inside(Shape::ellipse(50, 60, 9, 20), Tint::hex(0xB8FF6A).faded(0.75F));
    for (const Point& spot : {Point{37, 56}, Point{64, 64}, Point{40, 72}})
        p.fill_inside(Shape::circle(spot.x, spot.y, 4), skin().darker(0.4F));
    for (const float side : {-1.0F, 1.0F}) eye(p, 50 + 17 * side, 20, 9.5F, 0.2F * side, -0.8F);
    p.fill(Shape::circle(45, 28, 1.8F), kInk);
    p.fill(Shape::circle(55, 28, 1.8F), kInk);
}

void paint_car(Painter& p, int theme) {
    const CarLook& look = kLooks[theme];
    const Tint body = Tint::hex(look.body);
    for (const float x : {22.0F, 78.0F})
        for (const float y : {8.0F, 56.0F}) p.fill(Shape::rectangle(x, y, 20, 10, 4), kInk.lighter(0.1F));
    p.fill(Shape::rectangle(4, 12, 106, 50, 16), upright(body, 8, 66));
    p.outline(5, kInk);
    // With few pixels to a car its colour matters more than its windows.
    const Tint glass = Tint::hex(0x24304E, p.units_per_pixel() < 10 ? 1.0F : 0.5F);
    p.fill(Shape::polygon({{70, 18}, {88, 21}, {88, 53}, {70, 56}}, 4), glass);  // the windscreen
    p.fill(Shape::line({84, 25}, {79, 36}, 4), Tint::hex(0x9AD4FF));
    if (look.extra != 2) p.fill(Shape::polygon({{14, 22}, {26, 19}, {26, 55}, {14, 52}}, 3), glass);
    p.fill(Shape::rectangle(look.extra == 2 ? 8.0F : 27.0F, 17, look.extra == 2 ? 62.0F : 43.0F, 40, 8),
           upright(Tint::hex(look.roof), 14, 60));
    if (p.units_per_pixel() < 10) paint_extra(p, look.extra);
    for (const float y : {20.0F, 54.0F}) {
        p.fill(Shape::ellipse(104, y, 5, 6), Tint::hex(0xFFF6B8));
        p.fill(Shape::ellipse(8, y, 3, 5), Tint::hex(0xB8142A));
    }
}

}  // namespace wm::art::leaper
