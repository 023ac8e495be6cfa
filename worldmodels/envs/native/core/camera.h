// From world to pixels. The world's y points up, a picture's y points down. The camera itself is snapped to a whole
// pixel, so everything on screen shifts rigidly: tile edges never shimmer and neighbouring tiles share their edge.
#pragma once

#include <cstdint>

#include "core/canvas.h"
#include "core/numbers.h"

namespace wm {

// Remainder in 0 to period - 1, cheap for values below two periods.
inline int wrap(int value, int period) {
    if (value >= period) value -= period;
    if (value >= 0 && value < period) return value;
    const int remainder = value % period;
    return remainder < 0 ? remainder + period : remainder;
}

class Camera {
public:
    // `cells` across a square view of `view` pixels, looking at (x, y) in cells.
    Camera(int view, float cells, float x, float y)
        : view_(view),
          window_(view),
          cells_(cells),
          scale_(static_cast<float>(view) / cells),
          fixed_scale_(fixed_scale(view, cells)),
          left_(snap(x * scale_ - 0.5F * static_cast<float>(view))),
          top_(snap(y * scale_ + 0.5F * static_cast<float>(view))) {}

    // The same camera, but it sees `margin` pixels more on each side. What it draws must not depend on where it stands.
    Camera widened(int margin) const {
        Camera wide = *this;
        wide.window_ += 2 * margin;
        wide.left_ -= margin;
        wide.top_ += margin;
        return wide;
    }

    int view() const { return view_; }
    float cells() const { return cells_; }
    float scale() const { return scale_; }  // pixels per cell

    // World pixel that the left column and the top edge of the view show: the anchor of patterns and backgrounds.
    int left() const { return left_; }
    int top() const { return top_; }

    // Pixel column of the left edge of cell column i, and pixel row of the *lower* edge of cell row j.
    int column_edge(int i) const { return edge(i) - left_; }
    int row_edge(int j) const { return top_ - edge(j); }
    // Nearest pixel edge of any world position.
    int column(float x) const { return snap(x * scale_) - left_; }
    int row(float y) const { return top_ - snap(y * scale_); }

    // Cells that the view shows, inclusive; they may lie outside the world.
    int first_column() const { return cell_at(left_); }
    int last_column() const { return cell_at(left_ + window_ - 1); }
    int first_row() const { return cell_at(top_ - window_); }
    int last_row() const { return cell_at(top_ - 1); }

private:
    static constexpr int kFractionBits = 20;

    // Rounded up: the cells of a view never leave a gap at its end.
    static std::int64_t fixed_scale(int view, float cells) {
        const double exact = static_cast<double>(std::int64_t{view} << kFractionBits) / cells;
        const auto truncated = static_cast<std::int64_t>(exact);
        return truncated + (static_cast<double>(truncated) < exact ? 1 : 0);
    }
    static int snap(float value) { return floor_int(value + 0.5F); }
    // Rounded like any other position, so that what stands on a cell touches it.
    int edge(int i) const {
        constexpr std::int64_t kHalf = std::int64_t{1} << (kFractionBits - 1);
        return static_cast<int>((i * fixed_scale_ + kHalf) >> kFractionBits);
    }
    int cell_at(int pixel) const;  // the cell whose edges enclose this world pixel

    int view_;    // pixels that `cells_` cells take
    int window_;  // pixels that are seen
    float cells_, scale_;
    std::int64_t fixed_scale_;
    int left_, top_;
};

// Draws `sprite`, painted for this camera's view, with its middle at a world position.
inline void draw_centred(Canvas& canvas, const Camera& camera, const Bitmap& sprite, float x, float y) {
    canvas.blit(sprite, camera.column(x - sprite.half_width), camera.row(y + sprite.half_height));
}

// Draws `sprite` standing on `bottom`: a picture may be taller than the box that it stands for.
inline void draw_standing(Canvas& canvas, const Camera& camera, const Bitmap& sprite, float x, float bottom) {
    canvas.blit(sprite, camera.column(x - sprite.half_width), camera.row(bottom) - sprite.height);
}

// Draws `sprite` with its lower left corner on that of a cell.
inline void draw_in_cell(Canvas& canvas, const Camera& camera, const Bitmap& sprite, int i, int j) {
    canvas.blit(sprite, camera.column_edge(i), camera.row_edge(j) - sprite.height);
}

// Draws the visible cells. `pattern_of(i, j)` gives the opaque pattern of a cell (`Sheet::get` of a tile), or nullptr
// for an empty one; it is asked about cells outside the world too. Equal neighbours in a row are copied as one run.
// Patterns as high as the view are anchored to the world in both directions, lower ones start anew in each row of
// cells.
template <class PatternOf>
void draw_tiles(Canvas& canvas, const Camera& camera, PatternOf pattern_of) {
    const int view = camera.view(), first = camera.first_column(), last = camera.last_column();
    const int anchor_u = wrap(camera.left(), view), anchor_v = wrap(-camera.top(), view);
    for (int j = camera.first_row(), last_row = camera.last_row(); j <= last_row; ++j) {
        const int y = camera.row_edge(j + 1), height = camera.row_edge(j) - y;
        const Bitmap* pattern = pattern_of(first, j);
        for (int i = first; i <= last;) {
            const Bitmap* following = nullptr;
            int next = i + 1;
            while (next <= last && (following = pattern_of(next, j)) == pattern) ++next;
            if (pattern != nullptr) {
                const int x = camera.column_edge(i);
                const int v = pattern->height < view ? 0 : wrap(y + anchor_v, view);
                canvas.fill_pattern(x, y, camera.column_edge(next) - x, height, *pattern, wrap(x + anchor_u, view), v);
            }
            pattern = following;
            i = next;
        }
    }
}

}  // namespace wm
