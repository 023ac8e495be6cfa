#include "art/effects.h"

#include "art/details.h"

namespace wm::art {
namespace {

// From a white flash to a ring of smoke.
template <int kFrame>
void paint_explosion(Painter& p, int) {
    constexpr float kTime = static_cast<float>(kFrame) / (kExplosionFrames - 1);
    const Tint hot = Tint::hex(0xFFF6C0), fire = Tint::hex(0xFF8A1E), smoke = Tint::hex(0x6A4A52);
    const Tint tint = kTime < 0.5F ? hot.mix(fire, 2 * kTime) : fire.mix(smoke, 2 * kTime - 1);
    const float alpha = 1 - 0.65F * kTime * kTime;
    for (int i = 0; i < 9; ++i) {
        const float angle = 40 * static_cast<float>(i) + 13 * kFrame,
                    far = 14 + 20 * kTime + 8 * chance(i, kFrame, 900);
        const float radius = 20 - 8 * kTime + 5 * chance(i, kFrame, 901);
        p.fill(Shape::circle(50 + far * cosine(angle), 50 + far * sine(angle), radius),
               tint.darker(0.15F).faded(alpha));
    }
    if (kTime < 0.9F) {
        p.fill(Shape::star(50, 50, 46 - 14 * kTime, 22 - 6 * kTime, 8, 20 * kFrame),
               fire.mix(hot, 1 - kTime).faded(alpha));
        p.fill(Shape::circle(50, 50, 24 - 20 * kTime), kWhite.faded(1 - 0.5F * kTime));
    }
}

}  // namespace

void add_explosion(std::vector<SpriteSpec>& sprites, float size) {
    constexpr void (*kPainters[kExplosionFrames])(Painter&, int) = {
        paint_explosion<0>, paint_explosion<1>, paint_explosion<2>, paint_explosion<3>, paint_explosion<4>};
    constexpr int kType = 54;
    constexpr float kGrowth = 1.4F;
    for (int frame = 0; frame < kExplosionFrames; ++frame, size *= kGrowth)
        sprites.push_back({kType + frame, 1, SpriteKind::Figure, size, size, 100, 100, kPainters[frame]});
}

}  // namespace wm::art
