// Seven waters: four seas seen from above, three seen from within.
#include "art/scenery.h"
#include "art/shapes.h"

namespace wm::art {
namespace {

constexpr std::uint32_t kTints[kWaters] = {0x6FB4D8, 0x5CA6A8, 0x7C9CD0, 0x86BCC4, 0x3E86B8, 0x2F7F8C, 0x4A6AA8};

}  // namespace

void paint_water(Painter& p, int variant) {
    const Tint tint = Tint::hex(kTints[variant]);
    const auto seed = static_cast<std::uint32_t>(800 + variant * 10);
    p.fill(Shape::rectangle(0, 0, kSceneryWidth, kSceneryHeight),
           Fill::clouds(tint.darker(0.06F), tint.lighter(0.08F), 25, seed, {8, 6}));
}

}  // namespace wm::art
