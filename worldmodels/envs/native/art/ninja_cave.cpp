// The caves of ninja: brick of three kinds, and fire. Patterns repeat sideways after their width.
#include <algorithm>

#include "art/details.h"
#include "art/masonry.h"
#include "art/ninja.h"

namespace wm::art::ninja {
namespace {

struct BrickLook {
    std::uint32_t stone, joint, cover, light;
    Courses courses;
};

constexpr BrickLook kBricks[] = {{0x6E7C92, 0x49546A, 0x39465E, 0xB8C8E0, {50, 100, 201}},    // castle
                                 {0xB4573C, 0x7C3626, 0x5E2620, 0xFFB884, {25, 50, 202}},     // pagoda
                                 {0x4E8A78, 0x316053, 0x24493F, 0xA8F0C8, {100, 100, 203}}};  // temple of jade

}  // namespace

void paint_brick(Painter& p, int theme) {
    const BrickLook& look = kBricks[theme];
    // Where a tile has only a few pixels, detail in full contrast would be mere noise.
    const float calm = std::clamp(0.04F * (p.units_per_pixel() - 2), 0.0F, 0.6F);
    const Tint stone = Tint::hex(look.stone);
    paint_bricks(p, stone, Tint::hex(look.joint).mix(stone, calm), look.courses);
}

// A coping of roof tiles with a bright edge: here one can stand.
void paint_brick_top(Painter& p, int theme) {
    const BrickLook& look = kBricks[theme];
    const Tint cover = Tint::hex(look.cover), light = Tint::hex(look.light);
    paint_brick(p, theme);
    p.fill(Shape::rectangle(0, 0, p.width(), 42), cover.darker(0.4F));
    for (float x = 0; x <= p.width(); x += 25) {
        p.fill(Shape::rectangle(x - 12.5F, 0, 25, 38, 9), cover.darker(0.25F));
        p.fill(Shape::rectangle(x - 10.5F, 0, 19, 35, 8), upright(cover.lighter(0.12F), 0, 38));
    }
    p.fill(Shape::rectangle(0, 0, p.width(), 15), Fill::linear(light.lighter(0.3F), light, {0, 2}, {0, 15}));
}

// Tongues that sway; each picture has them elsewhere.
void paint_flame(Painter& p, int frame) {
    const float sway = static_cast<float>(frame) - 1;
    const auto tongues = [&](float size, const Tint& low, const Tint& high) {
        const Fill fill = Fill::linear(high, low, {0, 40}, {0, 140});
        for (int i = 0; i < 3; ++i) {
            const float x = 28 + 37 * static_cast<float>(i), tall = size * (i == (frame + 1) % 3 ? 1.25F : 0.9F);
            const float lean = 9 * sway * (i % 2 == 0 ? 1.0F : -1.0F);
            p.fill(Shape::polygon({{x - 0.24F * size, 150},
                                   {x - 0.2F * size, 146 - 0.45F * tall},
                                   {x + lean, 146 - tall},
                                   {x + 0.2F * size, 146 - 0.4F * tall},
                                   {x + 0.24F * size, 150}},
                                  5),
                   fill);
        }
    };
    p.fill(Shape::rectangle(-10, 92, 150, 70), Tint::hex(0xD81E0A));
    tongues(112, Tint::hex(0xD81E0A), Tint::hex(0xFF5A14));
    p.fill(Shape::rectangle(-10, 116, 150, 40), Tint::hex(0xFF8A12));
    tongues(82, Tint::hex(0xFF7A10), Tint::hex(0xFFB42A));
    p.fill(Shape::rectangle(-10, 136, 150, 20), Tint::hex(0xFFE04A));
    tongues(46, Tint::hex(0xFFE04A), Tint::hex(0xFFF6B0));
}

}  // namespace wm::art::ninja
