#include "art/heist.h"

#include <algorithm>

#include "art/details.h"

namespace wm::art::heist {
namespace {

constexpr float kUnits = 100;  // of a cell

// In the order of their doors.
constexpr std::uint32_t kColours[] = {0x2A78FF, 0x22B84A, 0xF0382E};

enum class Pose { Idle, Blink, Step, OtherStep };

void paint_feet(Painter& p, const Tint& paw, Pose pose) {
    const float left = pose == Pose::Step ? -7.0F : 0.0F, right = pose == Pose::OtherStep ? -7.0F : 0.0F;
    p.fill(Shape::ellipse(36, 92 + left, 12, 7), shaded(paw, 36, 90, 11));
    p.fill(Shape::ellipse(64, 92 + right, 12, 7), shaded(paw, 64, 90, 11));
}

template <Pose kPose>
void paint_panda(Painter& p, int) {
    const Tint fur = Tint::hex(0xFF7A18), dark = Tint::hex(0x3A1420), snout = Tint::hex(0xFFFDF6);
    const float sway = kPose == Pose::Step ? 3.0F : kPose == Pose::OtherStep ? -3.0F : 0.0F;
    p.fill(Shape::line({30, 80}, {9, 62 + sway}, 18, 15), fur);
    p.fill_inside(Shape::line({20, 78 + sway}, {26, 64 + sway}, 6), dark);
    p.fill_inside(Shape::line({9, 72 + sway}, {15, 56 + sway}, 6), dark);
    paint_feet(p, dark.lighter(0.15F), kPose);
    p.fill(Shape::ellipse(50, 74, 27, 20), shaded(fur.darker(0.1F), 50, 70, 26));
    for (const float side : {-1.0F, 1.0F}) {
        p.fill(Shape::circle(52 + side * 27, 18, 12), shaded(fur, 52 + side * 27, 16, 12));
        p.fill(Shape::circle(52 + side * 27, 19, 7), dark);
    }
    p.fill(Shape::ellipse(52, 42, 40, 31), shaded(fur, 52, 36, 38));
    p.outline(5, kInk);
    p.fill_inside(Shape::ellipse(52, 26, 9, 14), snout.faded(0.85F));
    p.fill_inside(Shape::line({18, 46}, {86, 46}, 23, 23), dark);
    p.fill_inside(Shape::ellipse(55, 58, 19, 14), snout);
    for (const float x : {38.0F, 70.0F}) {
        if (kPose == Pose::Blink) p.fill(Shape::line({x - 7, 44}, {x + 7, 44}, 4), snout);
        else eye(p, x, 43, 9, 0.7F);
    }
    p.fill(Shape::ellipse(58, 54, 7, 5), kInk);
    p.fill(Shape::line({50, 64}, {62, 63}, 3), kInk);
}

// A panelled door with a big lock.
void paint_door(Painter& p, int theme) {
    const Tint tint = Tint::hex(kColours[theme]), brass = Tint::hex(0xFFE08A);
    p.fill(Shape::rectangle(0, 0, 100, 100), kInk);
    p.fill(Shape::rectangle(6, 6, 88, 88, 8), upright(tint, 0, 100));
    p.fill(Shape::rectangle(13, 13, 74, 74, 6), tint.darker(0.2F));
    p.fill(Shape::rectangle(17, 17, 70, 70, 6), upright(tint.lighter(0.2F), 10, 90));
    for (const Point& corner : {Point{15, 15}, Point{85, 15}, Point{15, 85}, Point{85, 85}})
        p.fill(Shape::circle(corner.x, corner.y, 5), brass);
    p.fill(Shape::circle(50, 50, 27), kInk);
    p.fill(Shape::circle(50, 50, 23), shaded(brass, 50, 46, 24));
    p.fill(Shape::circle(50, 43, 9), kInk);
    p.fill(Shape::polygon({{46, 46}, {54, 46}, {59, 67}, {41, 67}}, 2), kInk);
}

// A ring on the left, a bit on the right. With few pixels the hole of the ring would only make it pale.
void paint_key_shape(Painter& p, const Tint& tint) {
    constexpr float kCoarse = 12;  // units
    const bool coarse = p.units_per_pixel() > kCoarse;
    p.fill(Shape::rectangle(62, 36, 92, coarse ? 34.0F : 26.0F, 6), upright(tint, 32, 66));
    p.fill(Shape::rectangle(100, 54, 20, 36, 4), tint.darker(0.12F));
    p.fill(Shape::rectangle(132, 54, 21, 42, 4), tint.darker(0.12F));
    if (coarse) p.fill(Shape::circle(42, 50, 46), tint);
    else p.stroke(Shape::circle(42, 50, 28), 24, upright(tint.lighter(0.08F), 10, 90));
    p.outline(8, kInk);
    p.fill_inside(Shape::line({66, 42}, {148, 42}, 5), tint.lighter(0.6F));
    if (!coarse) p.fill_inside(Shape::line({24, 36}, {36, 25}, 6), tint.lighter(0.7F));
}

void paint_key(Painter& p, int theme) { paint_key_shape(p, Tint::hex(kColours[theme]).lighter(0.06F)); }

// Upright on a light plate, so that it is seen on every wall; stout where pixels are few.
void paint_held_key(Painter& p, int theme) {
    constexpr float kCoarse = 12;  // units
    const bool coarse = p.units_per_pixel() > kCoarse;
    const Tint tint = Tint::hex(kColours[theme]);
    p.fill(Shape::rectangle(0, 0, p.width(), p.height(), 16), Tint::hex(0xFFF6DC));
    if (coarse) p.fill(Shape::circle(50, 45, 34), tint);
    else p.stroke(Shape::circle(50, 42, 20), 16, tint);
    p.fill(Shape::rectangle(coarse ? 32.0F : 42.0F, 62, coarse ? 34.0F : 16.0F, 80, 5), tint);
    p.fill(Shape::rectangle(50, 104, 28, 13, 3), tint);
    p.fill(Shape::rectangle(50, 126, 32, 13, 3), tint);
    if (!coarse) p.fill_inside(Shape::line({46, 66}, {46, 138}, 4), tint.lighter(0.6F));
}

// A cut diamond; `glint` lights one facet after the other.
void paint_gem_lit(Painter& p, int glint) {
    const Tint gem = Tint::hex(0xF02CD8), light = Tint::hex(0xFFC4F8), dark = Tint::hex(0x9A0AA0);
    const Point left{4, 36}, right{142, 36}, tip{73, 98}, a{34, 4}, b{112, 4}, c{52, 36}, d{94, 36};
    const auto facet = [&](std::vector<Point> corners, const Tint& tint, bool lit) {
        p.fill(Shape::polygon(std::move(corners), 1), lit ? tint.mix(kWhite, 0.75F) : tint);
    };
    facet({a, b, right, tip, left}, gem, false);
    facet({left, a, c}, light, glint == 0);
    facet({a, b, d, c}, light.mix(gem, 0.35F), glint == 1);
    facet({b, right, d}, gem, glint == 2);
    facet({left, c, tip}, gem.mix(dark, 0.3F), glint == 2);
    facet({c, d, tip}, gem.mix(light, 0.3F), glint == 0);
    facet({d, right, tip}, dark, glint == 1);
    p.outline(8, kInk);
    if (glint == 1) p.fill(Shape::star(44, 24, 24, 5, 4), kWhite);
}

template <int kGlint>
void paint_gem(Painter& p, int) {
    paint_gem_lit(p, kGlint);
}

// Courses of brick with a light upper edge.
void paint_wall(Painter& p, int) {
    const float coarse = std::clamp(0.06F * (p.units_per_pixel() - 4), 0.0F, 0.85F);
    const Tint brick = Tint::hex(0x3C6470), joint = Tint::hex(0x14262E).mix(brick, coarse);
    p.fill(Shape::rectangle(0, 0, p.width(), p.height()), joint);
    constexpr float kWide = 50, kHigh = 25;
    const int across = static_cast<int>(p.width() / kWide) + 1, down = static_cast<int>(p.height() / kHigh);
    for (int j = 0; j < down; ++j)
        for (int i = 0; i < across; ++i) {
            const float x = (static_cast<float>(i) - (j % 2 == 0 ? 0.0F : 0.5F)) * kWide,
                        y = static_cast<float>(j) * kHigh;
            const float tone = (1 - coarse) * (chance(i % (across - 1), j, 41) - 0.5F);
            const Tint tint = tone > 0 ? brick.lighter(0.2F * tone) : brick.darker(-0.3F * tone);
            p.fill(Shape::rectangle(x + 2, y + 2, kWide - 3, kHigh - 3, 4), tint.darker(0.3F * (1 - coarse)));
            p.fill(Shape::rectangle(x + 2, y + 2, kWide - 4, kHigh - 6, 4),
                   Fill::linear(tint.lighter(0.22F), tint, {x, y}, {x, y + kHigh}));
        }
}

}  // namespace

const ArtTable& table() {
    constexpr float kWidth = 0.75F, kGrown = 1.35F;
    constexpr int kLooks = 3;
    constexpr auto kFigure = SpriteKind::Figure;
    static const ArtTable kTable = {
        "heist",
        {
            {0, 1, kFigure, 1.1F, 1.1F, 100, 100, paint_panda<Pose::Idle>},
            {0, 1, kFigure, 1.1F, 1.1F, 100, 100, paint_panda<Pose::Blink>},
            {0, 1, kFigure, 1.1F, 1.1F, 100, 100, paint_panda<Pose::Step>},
            {0, 1, kFigure, 1.1F, 1.1F, 100, 100, paint_panda<Pose::OtherStep>},
            {1, kLooks, SpriteKind::Block, 1, 1, 100, 100, paint_door, 1, true},
            {2, kLooks, kFigure, kGrown * kWidth, kGrown * kWidth / kKeyAspect, 162, 100, paint_key, 1, true},
            {2, kLooks, kFigure, kHeldKeySpacing, kHeldKeyHeight, 100, 157, paint_held_key, 1, true},
            {9, 1, kFigure, kGrown * kWidth, kGrown * kWidth / kGemAspect, 146, 100, paint_gem<3>},
            {9, 1, kFigure, kGrown * kWidth, kGrown * kWidth / kGemAspect, 146, 100, paint_gem<0>},
            {9, 1, kFigure, kGrown * kWidth, kGrown * kWidth / kGemAspect, 146, 100, paint_gem<1>},
            {9, 1, kFigure, kGrown * kWidth, kGrown * kWidth / kGemAspect, 146, 100, paint_gem<2>},
            {51, 1, SpriteKind::Pattern, 0, 0, kUnits, kUnits, paint_wall},
        }};
    return kTable;
}

}  // namespace wm::art::heist
