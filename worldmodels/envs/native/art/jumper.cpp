#include "art/jumper.h"

#include "art/details.h"

namespace wm::art::jumper {
namespace {

void paint_carrot(Painter& p, int) {
    const Tint orange = Tint::hex(0xFF7A14), green = Tint::hex(0x4CD038);
    for (const float lean : {-26.0F, 0.0F, 26.0F})
        p.fill(Shape::ellipse(58, 16, 8, 20).turned(lean + 20, 58, 34), upright(green, 0, 40));
    p.fill(Shape::polygon({{36, 30}, {62, 24}, {82, 40}, {76, 58}, {24, 97}, {16, 92}}, 8),
           Fill::linear(orange.lighter(0.3F), orange.darker(0.22F), {28, 36}, {70, 76}));
    p.outline(7, Tint::hex(0x5A1E06));
    p.fill_inside(Shape::line({36, 44}, {52, 56}, 4), orange.darker(0.35F));
    p.fill_inside(Shape::line({62, 62}, {52, 52}, 4), orange.darker(0.35F));
    p.fill_inside(Shape::line({28, 64}, {40, 72}, 4), orange.darker(0.35F));
    shine(p, 40, 38, 10, 4, 0.7F);
}

// A bunch of thorns, red as what hurts.
void paint_spike(Painter& p, int) {
    const Tint red = Tint::hex(0xF0203C);
    const auto thorn = [&](float x, float lean, float top, float half) {
        p.fill(Shape::polygon({{x - half, 100}, {x + lean, top}, {x + half, 100}}, 1),
               Fill::linear(red.lighter(0.55F), red.darker(0.25F), {x - half, top}, {x + half, 96}));
    };
    thorn(20, -14, 44, 15);
    thorn(80, 14, 44, 15);
    thorn(50, 0, 8, 21);
    p.fill(Shape::rectangle(4, 90, 92, 12, 6), red.darker(0.5F));
    p.outline(6, Tint::hex(0x3A0414));
    p.fill_inside(Shape::line({46, 34}, {40, 84}, 5), kWhite.faded(0.75F));
}

template <int kFrame>
void paint_dust(Painter& p, int) {
    constexpr float kTime = static_cast<float>(kFrame) / (kPuffFrames - 1);
    for (const Point& at : {Point{34, 58}, Point{64, 52}, Point{50, 36}})
        p.fill(Shape::circle(at.x, at.y, 20 + 8 * kTime), kWhite.faded(0.55F - 0.42F * kTime));
}

template <int kFrame>
void paint_air_puff(Painter& p, int) {
    constexpr float kTime = static_cast<float>(kFrame) / (kPuffFrames - 1);
    p.fill(Shape::ellipse(50, 25, 34 + 14 * kTime, 16 + 6 * kTime), kWhite.faded(0.8F - 0.55F * kTime));
}

template <Sprite kPose>
void paint_pose(Painter& p, int) {
    paint_player(p, kPose);
}

Tint tint_of(const Colour& colour) {
    constexpr float kScale = 1.0F / 255;
    return {static_cast<float>(colour.r) * kScale, static_cast<float>(colour.g) * kScale,
            static_cast<float>(colour.b) * kScale};
}

// Figures are painted a little smaller than their bitmap; the disc is to fill it.
constexpr float kRim = 53.5F;

void paint_disc(Painter& p, int) { p.fill(Shape::circle(50, 50, kRim), tint_of(kDiscColour)); }

void paint_needle(Painter& p, int) {
    p.fill(Shape::polygon({{48, 46}, {48, 54}, {102, 51.5F}, {102, 48.5F}}, 1), tint_of(kNeedleColour));
}

}  // namespace

const ArtTable& table() {
    using K = SpriteKind;
    constexpr float kWide = 1.15F, kHigh = 1.38F;
    static const ArtTable kTable = {"jumper",
                                    {
                                        {0, 1, K::Figure, kWide, kHigh, 100, 120, paint_pose<Stand>},
                                        {0, 1, K::Figure, kWide, kHigh, 100, 120, paint_pose<Air>},
                                        {10, 1, K::Figure, kWide, kHigh, 100, 120, paint_pose<RunLeftA>},
                                        {11, 1, K::Figure, kWide, kHigh, 100, 120, paint_pose<RunLeftB>},
                                        {12, 1, K::Figure, kWide, kHigh, 100, 120, paint_pose<RunRightA>},
                                        {13, 1, K::Figure, kWide, kHigh, 100, 120, paint_pose<RunRightB>},
                                        {1, 1, K::Figure, 1.25F, 1.25F, 100, 100, paint_carrot},
                                        {2, 1, K::Figure, 0.8F, 1, 100, 104, paint_spike},
                                        {7, kWallThemes, K::Pattern, 0, 1, kTileUnits, kTileUnits, paint_wall_top},
                                        {6, kWallThemes, K::Pattern, 0, 0, kTileUnits, kTileUnits, paint_wall_middle},
                                        {59, 1, K::Figure, 0.5F, 0.5F, 100, 100, paint_dust<0>},
                                        {59, 1, K::Figure, 0.55F, 0.55F, 100, 100, paint_dust<1>},
                                        {59, 1, K::Figure, 0.6F, 0.6F, 100, 100, paint_dust<2>},
                                        {59, 1, K::Figure, 0.65F, 0.65F, 100, 100, paint_dust<3>},
                                        {59, 1, K::Figure, 1, 0.5F, 100, 50, paint_air_puff<0>},
                                        {59, 1, K::Figure, 1.1F, 0.5F, 100, 50, paint_air_puff<1>},
                                        {59, 1, K::Figure, 1.2F, 0.5F, 100, 50, paint_air_puff<2>},
                                        {59, 1, K::Figure, 1.3F, 0.5F, 100, 50, paint_air_puff<3>},
                                    }};
    return kTable;
}

const ArtTable& overlay() {
    using K = SpriteKind;
    static const ArtTable kTable = {"jumper overlay",
                                    {
                                        {0, 1, K::Figure, kLargeDisc, kLargeDisc, 100, 100, paint_disc},
                                        {0, 1, K::Figure, kLargeDisc, kLargeDisc, 100, 100, paint_needle, kNeedleTurns},
                                        {0, 1, K::Figure, kSmallDisc, kSmallDisc, 100, 100, paint_disc},
                                        {0, 1, K::Figure, kSmallDisc, kSmallDisc, 100, 100, paint_needle, kNeedleTurns},
                                    }};
    return kTable;
}

}  // namespace wm::art::jumper
