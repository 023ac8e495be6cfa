// The ships of starpilot: seven fleets that fly left, and the four rockets that end a level.
#include "art/details.h"
#include "art/starpilot.h"

namespace wm::art::starpilot {
namespace {

struct Fleet {
    std::uint32_t hull, trim, glass;
};

// Warm colours: the player alone is white and blue.
constexpr Fleet kFleets[] = {{0xE8403A, 0xFFC23A, 0xFFF0B0}, {0xD64BD0, 0x7A2A9A, 0xFFD0F4},
                             {0xFF8A2A, 0x8A3A10, 0xFFE9A0}, {0x9CCB2E, 0x4A6A12, 0xF4FFB0},
                             {0x9A62F0, 0x4A2A9A, 0xFFB0E8}, {0xF2C82E, 0xA85A10, 0xFFFFFF},
                             {0xF0608A, 0x8A1A4A, 0xFFE0C0}};

void flame(Painter& p, float x, float y, float length, float width) {
    p.fill(Shape::line({x, y}, {x + length, y}, width, 2), Tint::hex(0xFF7A1E));
    p.fill(Shape::line({x, y}, {x + 0.55F * length, y}, 0.55F * width, 1), Tint::hex(0xFFF2A0));
}

void paint_saucer(Painter& p, const Tint& hull, const Tint& trim, const Tint& glass) {
    ball(p, 50, 42, 24, glass);
    p.fill(Shape::ellipse(50, 58, 48, 20), shaded(hull, 50, 54, 42));
    p.outline(5, kInk);
    for (int i = 0; i < 5; ++i) p.fill(Shape::circle(16 + 17 * static_cast<float>(i), 60, 5), trim.lighter(0.2F));
    p.fill(Shape::ellipse(44, 36, 6, 9), kInk);
    p.fill(Shape::ellipse(60, 36, 6, 9), kInk);
}

void paint_crescent(Painter& p, const Tint& hull, const Tint& trim, const Tint& glass) {
    flame(p, 70, 50, 28, 18);
    p.fill(Shape::polygon({{4, 12}, {60, 22}, {78, 50}, {60, 78}, {4, 88}, {36, 62}, {36, 38}}, 3),
           upright(hull, 10, 90));
    p.outline(5, kInk);
    p.fill_inside(Shape::line({10, 14}, {58, 24}, 5), trim);
    p.fill_inside(Shape::line({10, 86}, {58, 76}, 5), trim);
    ball(p, 52, 50, 13, glass);
}

void paint_claw(Painter& p, const Tint& hull, const Tint& trim, const Tint& glass) {
    for (const float side : {-1.0F, 1.0F}) {
        p.fill(Shape::line({62, 50 + 14 * side}, {40, 50 + 40 * side}, 13), trim);
        p.fill(Shape::line({40, 50 + 40 * side}, {6, 50 + 22 * side}, 13, 3), trim.lighter(0.15F));
    }
    p.fill(Shape::ellipse(60, 50, 34, 25), shaded(hull, 60, 46, 32));
    p.outline(5, kInk);
    eye(p, 42, 50, 13, -0.9F);
    p.fill_inside(Shape::line({70, 26}, {74, 74}, 5), glass.faded(0.7F));
}

void paint_spike(Painter& p, const Tint& hull, const Tint& trim, const Tint& glass) {
    flame(p, 76, 50, 22, 16);
    p.fill(Shape::polygon({{60, 6}, {84, 26}, {84, 74}, {60, 94}, {54, 50}}, 2), upright(trim, 6, 94));
    p.fill(Shape::polygon({{2, 50}, {48, 30}, {82, 40}, {82, 60}, {48, 70}}, 3), upright(hull, 28, 72));
    p.outline(5, kInk);
    p.fill(Shape::ellipse(46, 48, 13, 7), shaded(glass, 46, 46, 12));
}

void paint_orb(Painter& p, const Tint& hull, const Tint& trim, const Tint& glass) {
    p.fill(Shape::rectangle(36, 2, 26, 96, 12), upright(trim, 2, 98));
    ball(p, 50, 50, 33, hull);
    p.outline(5, kInk);
    p.fill(Shape::circle(36, 50, 16), kInk);
    ball(p, 35, 50, 12, glass);
    p.fill(Shape::circle(32, 50, 5), Tint::hex(0xE0202A));
    shine(p, 56, 30, 10, 5);
}

void paint_manta(Painter& p, const Tint& hull, const Tint& trim, const Tint& glass) {
    p.fill(Shape::line({70, 50}, {97, 50}, 9, 3), trim);
    p.fill(Shape::polygon({{4, 50}, {34, 30}, {70, 3}, {76, 6}, {70, 50}, {76, 94}, {70, 97}, {34, 70}}, 3),
           shaded(hull, 40, 46, 44));
    p.outline(5, kInk);
    p.fill_inside(Shape::line({30, 50}, {66, 18}, 5), trim);
    p.fill_inside(Shape::line({30, 50}, {66, 82}, 5), trim);
    p.fill(Shape::ellipse(26, 42, 6, 4), glass);
    p.fill(Shape::ellipse(26, 58, 6, 4), glass);
}

void paint_pod(Painter& p, const Tint& hull, const Tint& trim, const Tint& glass) {
    flame(p, 72, 30, 24, 14);
    flame(p, 72, 70, 24, 14);
    p.fill(Shape::rectangle(44, 16, 34, 68, 10), upright(trim, 16, 84));
    ball(p, 38, 50, 34, hull);
    p.outline(5, kInk);
    p.fill(Shape::ellipse(24, 42, 9, 11), kInk);
    p.fill(Shape::ellipse(46, 42, 9, 11), kInk);
    p.fill(Shape::circle(22, 44, 4), glass);
    p.fill(Shape::circle(44, 44, 4), glass);
    for (int i = 0; i < 3; ++i) p.fill(Shape::rectangle(22 + 10 * static_cast<float>(i), 64, 6, 11, 1), kInk);
}

struct Livery {
    std::uint32_t body, stripe, glass;
};

constexpr Livery kRockets[] = {{0xF4F6FA, 0xE23A3A, 0x58C8FF},
                               {0xFFD84A, 0x2A62D8, 0xA8F0FF},
                               {0xE8FFF0, 0x22A862, 0x8AE0FF},
                               {0xF6E8FF, 0x8A3AD8, 0x7AF0E0}};

}  // namespace

void paint_flyer(Painter& p, int theme) {
    using Paint = void (*)(Painter&, const Tint&, const Tint&, const Tint&);
    static constexpr Paint kShips[] = {paint_saucer, paint_crescent, paint_claw, paint_spike,
                                       paint_orb,    paint_manta,    paint_pod};
    const Fleet& fleet = kFleets[theme];
    kShips[theme](p, Tint::hex(fleet.hull), Tint::hex(fleet.trim), Tint::hex(fleet.glass));
}

void paint_fast_flyer(Painter& p, int theme) {
    const Fleet& fleet = kFleets[theme];
    const Tint hull = Tint::hex(fleet.hull), trim = Tint::hex(fleet.trim);
    flame(p, 78, 32, 48, 16);
    flame(p, 78, 68, 48, 16);
    p.fill(Shape::polygon({{44, 8}, {92, 18}, {86, 50}, {92, 82}, {44, 92}, {62, 50}}, 2), upright(trim, 8, 92));
    p.fill(Shape::polygon({{2, 50}, {40, 32}, {88, 40}, {88, 60}, {40, 68}}, 3), upright(hull.lighter(0.15F), 30, 70));
    p.outline(5, kInk);
    p.fill(Shape::ellipse(46, 48, 12, 6), Tint::hex(fleet.glass));
}

void paint_finish(Painter& p, int theme) {
    const Livery& livery = kRockets[theme];
    const Tint body = Tint::hex(livery.body), stripe = Tint::hex(livery.stripe), glass = Tint::hex(livery.glass);
    const float width = p.width(), middle = 0.5F * width, half = 0.3F * width;
    const auto metal = [&](const Tint& tint) {
        return Fill::linear(tint.lighter(0.2F), tint.darker(0.4F), {middle - half, 0}, {middle + half, 0});
    };
    p.fill(Shape::line({middle, 346}, {middle, 392}, 1.1F * half, 5), Tint::hex(0xFF7A1E));
    p.fill(Shape::line({middle, 346}, {middle, 372}, 0.6F * half, 4), Tint::hex(0xFFF2A0));
    for (const float side : {-1.0F, 1.0F})
        p.fill(Shape::polygon({{middle + side * 0.6F * half, 236},
                               {middle + side * 0.46F * width, 300},
                               {middle + side * 0.46F * width, 356},
                               {middle + side * 0.6F * half, 328}},
                              4),
               metal(stripe));
    p.fill(Shape::polygon({{middle - half, 120},
                           {middle - 0.72F * half, 66},
                           {middle, 8},
                           {middle + 0.72F * half, 66},
                           {middle + half, 120}},
                          4),
           metal(stripe));
    p.fill(Shape::rectangle(middle - half - 4, 110, 2 * half + 8, 232, 12), metal(body));
    p.fill(Shape::rectangle(middle - 0.7F * half, 336, 1.4F * half, 14, 3), metal(Tint::hex(0x6A7488)));
    p.outline(5, kInk);
    // The chequered band says what touching it means.
    constexpr int kRows = 4;
    const float square = 2 * (half + 4) / 4;
    for (int j = 0; j < kRows; ++j)
        for (int i = 0; i < 4; ++i)
            p.fill_inside(Shape::rectangle(middle - half - 4 + square * static_cast<float>(i),
                                           216 + square * static_cast<float>(j), square, square),
                          (i + j) % 2 == 0 ? kInk : kWhite);
    p.fill(Shape::rectangle(middle - half - 4, 206, 2 * half + 8, 8), stripe);
    p.fill(Shape::rectangle(middle - half - 4, 216 + square * kRows, 2 * half + 8, 8), stripe);
    p.fill(Shape::circle(middle, 158, 0.56F * half), kInk);
    p.fill(Shape::circle(middle, 158, 0.5F * half), metal(Tint::hex(0xC8D2E0)));
    ball(p, middle, 158, 0.38F * half, glass);
    shine(p, middle - 0.55F * half, 80, 5, 22, 0.35F);
}

}  // namespace wm::art::starpilot
