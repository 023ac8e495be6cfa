#include "art/masonry.h"

namespace wm::art {

void paint_bricks(Painter& p, const Tint& stone, const Tint& joint, const Courses& courses) {
    p.fill(Shape::rectangle(0, 0, p.width(), p.height()), joint);
    const float high = courses.high, wide = courses.wide;
    const int rows = static_cast<int>(p.height() / high), columns = static_cast<int>(p.width() / wide);
    for (int j = 0; j < rows; ++j)
        for (int i = -1; i < columns; ++i) {
            const float x = (static_cast<float>(i) + (j % 2 == 0 ? 0.5F : 0.0F)) * wide,
                        y = static_cast<float>(j) * high;
            const float tone = chance((i + columns) % columns, j, courses.salt) - 0.5F;
            const Tint tint = tone > 0 ? stone.lighter(0.22F * tone) : stone.darker(-0.3F * tone);
            for (const float shift : {0.0F, p.width()}) {
                p.fill(Shape::rectangle(x + shift + 3, y + 3, wide - 6, high - 6, 8), tint.darker(0.22F));
                p.fill(Shape::rectangle(x + shift + 3, y + 3, wide - 9, high - 11, 8), tint.lighter(0.16F));
                p.fill(Shape::rectangle(x + shift + 8, y + 8, wide - 17, high - 18, 6), tint);
            }
        }
}

}  // namespace wm::art
