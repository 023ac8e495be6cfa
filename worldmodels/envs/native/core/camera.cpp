#include "core/camera.h"

namespace wm {

int Camera::cell_at(int pixel) const {
    int cell = floor_int(static_cast<float>(pixel) / scale_);
    while (edge(cell) > pixel) --cell;
    while (edge(cell + 1) <= pixel) ++cell;
    return cell;
}

}  // namespace wm
