#include "art/leaper.h"

#include <algorithm>

#include "art/details.h"

namespace wm::art::leaper {
namespace {

constexpr float kUnits = 100;  // of a cell

// 0 for people, towards 1 where a cell has but few pixels: there fine detail would only be mud.
float coarseness(const Painter& p) { return std::clamp(0.07F * (p.units_per_pixel() - 4), 0.0F, 1.0F); }

void paint_log(Painter& p, int) {
    const Tint bark = Tint::hex(0x9A5A2C), wood = Tint::hex(0xF0C083);
    p.fill(Shape::rectangle(5, 14, 90, 72, 26),
           Fill::linear(bark.lighter(0.25F), bark.darker(0.35F), {0, 14}, {0, 86}).grained(0.1F, 12, 31));
    for (const Shape& groove :
         {Shape::line({16, 33}, {52, 31}, 4), Shape::line({24, 52}, {58, 54}, 4), Shape::line({14, 68}, {46, 70}, 4)})
        p.fill_inside(groove, bark.darker(0.4F));
    p.fill_inside(Shape::line({20, 24}, {60, 22}, 4), bark.lighter(0.4F));
    p.fill(Shape::ellipse(78, 50, 17, 34), bark.darker(0.35F));
    p.fill(Shape::ellipse(79, 50, 14, 30), Fill::linear(wood.lighter(0.2F), wood.darker(0.1F), {70, 24}, {86, 78}));
    p.stroke(Shape::ellipse(79, 50, 8, 18), 3, wood.darker(0.35F));
    p.fill(Shape::ellipse(79, 50, 3, 6), wood.darker(0.35F));
    p.outline(5, Tint::hex(0x3A1E12));
    p.fill(Shape::ellipse(30, 15, 10, 6), Tint::hex(0x6CC24A));
    p.fill(Shape::ellipse(42, 18, 7, 4.5F), Tint::hex(0x4FA63A));
}

// Asphalt with a broken line on either edge.
void paint_road(Painter& p, int) {
    const float coarse = coarseness(p);
    const Tint asphalt = Tint::hex(0x565B70), line = Tint::hex(0xF2EBD0).mix(asphalt.lighter(0.25F), 0.7F * coarse);
    p.fill(Shape::rectangle(0, 0, p.width(), p.height()),
           Fill(asphalt).grained(0.1F * (1 - coarse), 10, 40, {static_cast<int>(p.width() / 10), 10}));
    p.fill(Shape::rectangle(0, 0, p.width(), 8), asphalt.darker(0.18F));
    p.fill(Shape::rectangle(0, 92, p.width(), 8), asphalt.darker(0.18F));
    for (float x = 20; x < p.width(); x += kUnits)
        for (const float y : {-4.0F, 96.0F}) p.fill(Shape::rectangle(x, y, 60, 8, 3), line);
}

// Ripples of all lengths, in a pattern that closes sideways.
void paint_water(Painter& p, int) {
    const Tint water = Tint::hex(0x2394DB), crest = Tint::hex(0xBFF0FF);
    const float coarse = coarseness(p);
    p.fill(Shape::rectangle(0, 0, p.width(), p.height()),
           Fill::clouds(water.darker(0.16F), water.lighter(0.16F), 50, 60, {static_cast<int>(p.width() / 50), 2}));
    const int cells = static_cast<int>(p.width() / kUnits);
    for (int i = 0; i < 3 * cells; ++i) {
        const float x = p.width() * chance(i, 0, 61), y = 10 + 80 * chance(i, 1, 61), wave = 12 + 26 * chance(i, 2, 61);
        for (const float u : {x, x - p.width()})
            p.fill(Shape::line({u, y}, {u + wave, y - 3}, 6 + 4 * coarse, 3),
                   (i % 3 == 0 ? crest : water.lighter(0.4F)).faded(0.75F - 0.35F * coarse));
    }
}

void paint_lily(Painter& p, float x, float y, float radius, float turn, float fine) {
    const Tint leaf = Tint::hex(0x35B45C);
    p.fill(Shape::ellipse(x, y + 4, radius, 0.82F * radius), leaf.darker(0.55F));
    p.fill(Shape::ellipse(x, y, radius, 0.82F * radius), shaded(leaf, x, y, radius));
    for (int i = 0; i < 5; ++i) {
        const float angle = turn + 72 * static_cast<float>(i);
        p.fill(Shape::line({x, y}, {x + 0.8F * radius * cosine(angle), y + 0.64F * radius * sine(angle)}, 2.5F),
               leaf.darker(0.25F).faded(fine));
    }
}

void paint_flower(Painter& p, float x, float y, float size) {
    const Tint pink = Tint::hex(0xFF5FA8);
    p.fill(Shape::star(x, y + 2, size, 0.62F * size, 8, 20), kInk.faded(0.7F));
    p.fill(Shape::star(x, y, size, 0.58F * size, 8), Fill::radial(kWhite, pink, {x, y}, 0.9F * size));
    p.fill(Shape::star(x, y, 0.6F * size, 0.34F * size, 6, 30), Fill::radial(kWhite, pink.lighter(0.4F), {x, y}, size));
    p.fill(Shape::circle(x, y, 0.22F * size), Tint::hex(0xFFD23A));
}

// Where every frog wants to be: lilies in bloom.
void paint_finish(Painter& p, int) {
    const float fine = 1 - coarseness(p);
    p.fill(Shape::rectangle(0, 0, p.width(), p.height()), Tint::hex(0x12684F));
    p.fill(Shape::rectangle(0, 0, p.width(), 7), Tint::hex(0xFFE27A));
    p.fill(Shape::rectangle(0, 93, p.width(), 7), Tint::hex(0xFFE27A));
    for (float x = 0; x < p.width(); x += kUnits) {
        paint_lily(p, x + 26, 36, 25, 15, fine);
        paint_lily(p, x + 74, 62, 27, 50, fine);
        paint_lily(p, x + 76, 24, 15, 80, fine);
        paint_lily(p, x + 24, 78, 15, 5, fine);
        paint_flower(p, x + 28, 34, 21);
        paint_flower(p, x + 74, 62, 25);
    }
}

}  // namespace

const ArtTable& table() {
    using K = SpriteKind;
    static const ArtTable kTable = {"leaper",
                                    {
                                        {0, kFrogFrames, K::Figure, 1.1F, 1.1F, 100, 100, paint_frog, 4, true},
                                        {1, 1, K::Figure, 1, 1, 100, 100, paint_log},
                                        {4, kCars, K::Figure, 1.18F, 0.8F, 114, 74, paint_car},
                                        {2, 1, K::Pattern, 0, 1, kUnits, kUnits, paint_road},
                                        {3, 1, K::Pattern, 0, 1, kUnits, kUnits, paint_water},
                                        {5, 1, K::Pattern, 0, 1, kUnits, kUnits, paint_finish},
                                    }};
    return kTable;
}

}  // namespace wm::art::leaper
