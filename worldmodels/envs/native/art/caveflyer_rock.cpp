// The rock of caveflyer: slate with facets and a few crystals. It repeats after the width of the view.
#include <algorithm>

#include "art/caveflyer.h"
#include "art/details.h"

namespace wm::art::caveflyer {
namespace {

constexpr float kCell = 100;

// Calls `draw(x, y, random)` for some places in each cell, with a probability, and for their copies beyond the seams.
template <class Draw>
void in_each_cell(const Painter& p, int places, float probability, std::uint32_t salt, Draw draw) {
    constexpr float kReach = 80;
    for (int j = 0; j < static_cast<int>(p.height() / kCell); ++j)
        for (int i = 0; i < static_cast<int>(p.width() / kCell); ++i)
            for (int k = 0; k < places; ++k) {
                const std::uint32_t seed = salt + 7 * static_cast<std::uint32_t>(k);
                if (chance(i, j, seed + 3) > probability) continue;
                const float x = (static_cast<float>(i) + chance(i, j, seed)) * kCell;
                const float y = (static_cast<float>(j) + chance(i, j, seed + 1)) * kCell;
                for (const float u : {x - p.width(), x, x + p.width()})
                    for (const float v : {y - p.height(), y, y + p.height()})
                        if (u > -kReach && u < p.width() + kReach && v > -kReach && v < p.height() + kReach)
                            draw(u, v, chance(i, j, seed + 2));
            }
}

void paint_rock(Painter& p, const Tint& slate, bool gems) {
    // Where a cell has only a few pixels, detail in full contrast would be mere noise.
    const float calm = std::clamp(0.03F * (p.units_per_pixel() - 2), 0.0F, 0.6F);
    const Tint dark = slate.darker(0.2F).mix(slate, calm), light = slate.lighter(0.22F).mix(slate, calm);
    const Tint gem = Tint::hex(0x6CE0F0).mix(slate, calm);
    const int columns = std::max(static_cast<int>(p.width() / kCell), 1);
    p.fill(Shape::rectangle(0, 0, p.width(), p.height()),
           Fill(slate).grained(0.06F, p.width() / static_cast<float>(columns), 7, {columns, columns}));
    in_each_cell(p, 3, 1, 11, [&](float x, float y, float random) {
        const float size = 18 + 26 * random, lean = 14 * chance(static_cast<int>(40 * random), 3, 8);
        const Point left = {x - size, y + 0.2F * size}, top = {x - lean, y - 0.8F * size};
        p.fill(Shape::polygon({left, top, {x + size, y}, {x + lean, y + 0.7F * size}}, 3), dark);
        p.fill(Shape::polygon({left, top, {x, y}}, 2), light);
    });
    if (!gems) return;
    in_each_cell(p, 1, 0.12F, 50, [&](float x, float y, float) {
        for (const float side : {-1.0F, 0.0F, 1.0F}) {
            const Tint tint = side < 0 ? gem.lighter(0.4F) : side > 0 ? gem.darker(0.2F) : gem;
            const Point left = {x + 16 * side - 9, y + 18}, right = {x + 16 * side + 9, y + 18};
            p.fill(Shape::polygon({left, {x + 24 * side, y - 26 + 14 * side * side}, right}, 1), tint);
        }
    });
}

}  // namespace

void paint_wall(Painter& p, int) { paint_rock(p, Tint::hex(0x5E6488), true); }
void paint_rim(Painter& p, int) { paint_rock(p, Tint::hex(0x98A2CC), false); }

}  // namespace wm::art::caveflyer
