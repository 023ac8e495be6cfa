// Remembers what a camera that moves over a still level sees, and a margin around it: as long as the camera stays
// within, frames are copied. For games whose level never changes and whose background moves with it.
#pragma once

#include "core/camera.h"
#include "core/canvas.h"

namespace wm {

// A game holds it as a mutable member and calls `forget` in reset and after loading.
class WidePicture {
public:
    // `draw_level(canvas, camera)` draws whatever part of the level a camera sees.
    template <class DrawLevel>
    void draw(Canvas& canvas, const Camera& camera, DrawLevel draw_level) {
        if (canvas.width() > kLargest) return draw_level(canvas, camera);  // for people; not worth its memory
        if (!covers(camera)) {
            const Camera wide = camera.widened(kMargin);
            view_ = camera.view();
            left_ = wide.left();
            top_ = wide.top();
            image_.width = image_.height = view_ + 2 * kMargin;
            image_.rgb.resize(static_cast<std::size_t>(image_.width) * static_cast<std::size_t>(image_.height) * 3);
            Canvas picture(image_.rgb.data(), image_.width, image_.height);
            draw_level(picture, wide);
        }
        canvas.copy_wrapped(image_, camera.left() - left_, top_ - camera.top());
    }

    void forget() { view_ = 0; }

private:
    static constexpr int kLargest = 64, kMargin = 12;  // pixels

    bool covers(const Camera& camera) const {
        const int right = camera.left() - left_, down = top_ - camera.top();
        return view_ == camera.view() && right >= 0 && right <= 2 * kMargin && down >= 0 && down <= 2 * kMargin;
    }

    int view_ = 0;            // of the camera; 0: nothing is remembered
    int left_ = 0, top_ = 0;  // of the picture, in world pixels
    Image image_;
};

}  // namespace wm
