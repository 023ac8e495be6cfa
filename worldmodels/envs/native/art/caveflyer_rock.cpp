// The rock of caveflyer: slate with facets and a few crystals. It repeats after the width of the view.
#include <algorithm>

#include "art/caveflyer.h"
#include "art/shapes.h"

namespace wm::art::caveflyer {
namespace {

constexpr float kCell = 100;

template <class Draw>
void around(const Painter& p, float x, float y, float reach, Draw draw) {
    for (float u = x - p.width(); u < p.width() + reach; u += p.width())
        for (float v = y - p.height(); v < p.height() + reach; v += p.height())
            if (u > -reach && v > -reach) draw(u, v);
}

}  // namespace

void paint_wall(Painter& p, int) {
    const float calm = std::clamp(0.03F * (p.units_per_pixel() - 2), 0.0F, 0.5F);  // detail would be noise there
    const Tint slate = Tint::hex(0x8C93B8), dark = Tint::hex(0x6E7499).mix(slate, calm);
    const Tint light = Tint::hex(0xACB4D6).mix(slate, calm), gem = Tint::hex(0x7CE4F0).mix(slate, calm);
    const int columns = std::max(static_cast<int>(p.width() / kCell), 1);
    p.fill(Shape::rectangle(0, 0, p.width(), p.height()),
           Fill(slate).grained(0.06F, p.width() / static_cast<float>(columns), 7, {columns, columns}));
    for (int j = 0; j < columns; ++j)
        for (int i = 0; i < columns; ++i)
            for (std::uint32_t k = 0; k < 3; ++k) {
                const float x = (static_cast<float>(i) + chance(i, j, 11 + 7 * k)) * kCell;
                const float y = (static_cast<float>(j) + chance(i, j, 12 + 7 * k)) * kCell;
                const float size = 18 + 26 * chance(i, j, 13 + 7 * k), lean = 14 * chance(i, j, 14 + 7 * k);
                around(p, x, y, 80, [&](float u, float v) {
                    p.fill(Shape::polygon({{u - size, v + 0.2F * size}, {u - lean, v - 0.8F * size}, {u + size, v}, {u + lean, v + 0.7F * size}}, 3),
                           dark);
                    p.fill(Shape::polygon({{u - size, v + 0.2F * size}, {u - lean, v - 0.8F * size}, {u, v}}, 2), light);
                });
            }
    for (int j = 0; j < columns; ++j)
        for (int i = 0; i < columns; ++i) {
            if (chance(i, j, 50) > 0.1F) continue;
            const float x = (static_cast<float>(i) + 0.5F) * kCell, y = (static_cast<float>(j) + 0.5F) * kCell;
            for (const float side : {-1.0F, 0.0F, 1.0F})
                p.fill(Shape::polygon({{x + 16 * side - 9, y + 18}, {x + 24 * side, y - 26 + 14 * side * side}, {x + 16 * side + 9, y + 18}}, 1),
                       side < 0 ? gem.lighter(0.4F) : side > 0 ? gem.darker(0.2F) : gem);
        }
}

}  // namespace wm::art::caveflyer
