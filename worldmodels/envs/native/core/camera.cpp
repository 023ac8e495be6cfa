#include "core/camera.h"

namespace wm {

int Camera::cell_at(int pixel) const {
    int cell = floor_int(static_cast<float>(pixel) / scale_);
    while (edge(cell) > pixel) --cell;
    while (edge(cell + 1) <= pixel) ++cell;
    return cell;
}

void draw_centred(Canvas& canvas, const Camera& camera, const Bitmap& sprite, float x, float y) {
    const float half_width = 0.5F * static_cast<float>(sprite.width) / camera.scale();
    const float half_height = 0.5F * static_cast<float>(sprite.height) / camera.scale();
    canvas.blit(sprite, camera.column(x - half_width), camera.row(y + half_height));
}

void draw_standing(Canvas& canvas, const Camera& camera, const Bitmap& sprite, float x, float bottom) {
    const float half_width = 0.5F * static_cast<float>(sprite.width) / camera.scale();
    canvas.blit(sprite, camera.column(x - half_width), camera.row(bottom) - sprite.height);
}

void draw_in_cell(Canvas& canvas, const Camera& camera, const Bitmap& sprite, int i, int j) {
    canvas.blit(sprite, camera.column_edge(i), camera.row_edge(j) - sprite.height);
}

}  // namespace wm
