#include "core/generated_assets.h"

#include <cmath>

#include "core/rng.h"

namespace wm {
namespace {

constexpr std::uint64_t kStream = 100;
constexpr float kVeil = 200.0F / 255;  // the first colour is laid over everything at this opacity

struct Box {
    float x, y, width, height;
    float side() const { return width < height ? width : height; }
};

// Colours come from one random range for each channel, so a texture has a mood.
class Palette {
public:
    explicit Palette(Random& random) {
        for (Range& range : channels_) {
            range.length = random.uniform();
            range.start = random.uniform(0, 1 - range.length);
        }
    }

    Tint pick(Random& random) const {
        const auto channel = [&](const Range& range) { return range.start + range.length * random.uniform(); };
        const float r = channel(channels_[0]), g = channel(channels_[1]), b = channel(channels_[2]);
        return {r, g, b, 1};
    }

private:
    struct Range {
        float start, length;
    };
    Range channels_[3];
};

Box part_of(const Box& box, Random& random, float smallest, float largest) {
    float side = box.side() * random.uniform(smallest, largest);
    side *= random.uniform(0.3F, 1);  // on its own: who draws first within one expression is the compiler's choice
    const float width = side * random.uniform(0.7F, 1.4F), height = side * random.uniform(0.7F, 1.4F);
    return {box.x + (box.width - width) * random.uniform(), box.y + (box.height - height) * random.uniform(), width,
            height};
}

// A patch is split into one or two strips, each a rectangle or an ellipse.
void paint_strips(Painter& painter, const Box& box, const Palette& palette, Random& random, bool inside) {
    const int strips = 1 + random.below(2);
    const bool upright = random.coin(), round = random.coin();
    for (int i = 0; i < strips; ++i) {
        const float share = 1 / static_cast<float>(strips), offset = share * static_cast<float>(i);
        const Box strip = upright ? Box{box.x + offset * box.width, box.y, box.width * share, box.height}
                                  : Box{box.x, box.y + offset * box.height, box.width, box.height * share};
        const Shape shape = round ? Shape::ellipse(strip.x + 0.5F * strip.width, strip.y + 0.5F * strip.height,
                                                   0.5F * strip.width, 0.5F * strip.height)
                                  : Shape::rectangle(strip.x, strip.y, strip.width, strip.height);
        const Tint tint = palette.pick(random);
        if (inside) painter.fill_inside(shape, tint);
        else painter.fill(shape, tint);
    }
}

void paint_texture(Painter& painter, const Box& box, Random& random, int patches, bool nested) {
    const Palette palette(random);
    const Tint first = palette.pick(random);
    const Shape whole = Shape::rectangle(box.x, box.y, box.width, box.height);
    painter.fill(whole, first);
    const float nesting = nested ? 0.75F * random.uniform() : 0;
    const int count = random.between(patches, 2 * patches);
    for (int i = 0; i < count; ++i) {
        const Box patch = part_of(box, random, 0.05F, 0.5F);
        if (random.chance(nesting)) paint_texture(painter, patch, random, 10, false);
        else paint_strips(painter, patch, palette, random, false);
    }
    painter.fill(whole, first.faded(kVeil));
}

void paint_bars(Painter& painter, const Palette& palette, Random& random) {
    const Box box = {0, 0, painter.width(), painter.height()};
    const bool upright_first = random.coin();
    for (int round = 0; round < 2; ++round) {
        const int bars = 1 + random.below(2);
        for (int i = 0; i < bars; ++i) {
            const float root = random.uniform(0.45F, 0.85F), thickness = root * root;
            const float start = random.uniform(0, 1 - thickness);
            const bool upright = upright_first == (round == 0);
            const Tint tint = palette.pick(random);
            painter.fill(upright ? Shape::rectangle(start * box.width, 0.04F * box.height, thickness * box.width,
                                                    0.92F * box.height)
                                 : Shape::rectangle(0.04F * box.width, start * box.height, 0.92F * box.width,
                                                    thickness * box.height),
                         tint);
        }
    }
    const int patches = 1 + random.below(4);
    for (int i = 0; i < patches; ++i) paint_strips(painter, part_of(box, random, 0.1F, 0.6F), palette, random, true);
}

std::uint32_t fnv1a(const char* text) {
    std::uint32_t digest = 0x811C9DC5U;
    for (; *text != '\0'; ++text) digest = (digest ^ static_cast<unsigned char>(*text)) * 0x01000193U;
    return digest;
}

}  // namespace

void paint_generated_tiles(Painter& painter, const char* game, int type, float tile_width, float tile_height) {
    for (float y = 0; y < painter.height(); y += tile_height)
        for (float x = 0; x < painter.width(); x += tile_width) {
            Random random(fnv1a(game) + static_cast<std::uint32_t>(type), kStream);
            paint_texture(painter, {x, y, tile_width, tile_height}, random, 5, false);
        }
}

void paint_generated_figure(Painter& painter, const char* game, int type) {
    Random random(fnv1a(game) + static_cast<std::uint32_t>(type), kStream);
    paint_bars(painter, Palette(random), random);
}

void paint_generated_background(Painter& painter, int variant) {
    Random random(static_cast<std::uint64_t>(variant), kStream + 1);
    paint_texture(painter, {0, 0, painter.width(), painter.height()}, random, 50, true);
}

}  // namespace wm
