// A canvas is a view onto the caller's RGB24 memory. It draws with integers only, so the same calls give the same
// bytes on every machine. Pixel (0, 0) is the top left; everything is clipped; nothing is ever read or written outside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace wm {

struct Colour {
    std::uint8_t r = 0, g = 0, b = 0;
};

// An opaque picture, packed RGB24.
struct Image {
    int width = 0, height = 0;
    std::vector<std::uint8_t> rgb;

    const std::uint8_t* row(int y) const { return rgb.data() + static_cast<std::ptrdiff_t>(y) * width * 3; }
};

// A sprite at its final size. `rgb` is premultiplied by alpha and `keep` holds 255 - alpha once per byte of `rgb`, so
// blending is `rgb + destination * keep / 255` without a branch. Each row starts at a multiple of `stride` bytes and
// is padded with transparent bytes, so rows can be processed in blocks of 16.
struct Bitmap {
    int width = 0, height = 0, stride = 0;
    bool opaque = true;
    float half_width = 0, half_height = 0;  // in cells of the view that it is for
    std::vector<std::uint8_t> rgb, keep;
};

class Canvas {
public:
    // `pixels` holds width * height * 3 bytes and stays the caller's.
    Canvas(std::uint8_t* pixels, int width, int height)
        : pixels_(pixels), width_(width), height_(height), right_(width), bottom_(height) {}

    // The same canvas, of which only a rectangle is ever written: for repainting a part of a picture.
    Canvas clipped(int x, int y, int width, int height) const;

    int width() const { return width_; }
    int height() const { return height_; }
    const std::uint8_t* pixels() const { return pixels_; }

    void fill(Colour colour);
    void fill_rectangle(int x, int y, int width, int height, Colour colour);
    // Mixes a rectangle with a colour; `keep` of 255 parts of what is there stay.
    void shade_rectangle(int x, int y, int width, int height, Colour colour, int keep);
    void copy_pixels(const std::uint8_t* pixels);  // a whole picture of this size, clipped or not
    // Covers the canvas with an image that repeats for ever in both directions; (x, y) of it comes to the top left.
    void copy_wrapped(const Image& image, int x, int y);
    // Fills a rectangle with an endlessly repeating opaque bitmap; its top left shows the pattern's pixel (u, v), which
    // must lie inside the pattern.
    void fill_pattern(int x, int y, int width, int height, const Bitmap& pattern, int u, int v);
    // Draws a sprite with its top left at (x, y).
    void blit(const Bitmap& bitmap, int x, int y);
    // The two grey squares of `paint_vel_info` in the top left corner: speeds as fractions of their maximum, -1 to 1.
    void paint_velocity(float horizontal, float vertical);

private:
    std::uint8_t* at(int x, int y) { return pixels_ + (static_cast<std::ptrdiff_t>(y) * width_ + x) * 3; }
    std::ptrdiff_t pitch() const { return std::ptrdiff_t{3} * width_; }  // bytes from one row to the next
    const std::uint8_t* end() const { return pixels_ + static_cast<std::ptrdiff_t>(width_) * height_ * 3; }

    std::uint8_t* pixels_;
    int width_, height_;
    int left_ = 0, top_ = 0, right_, bottom_;  // what may be written
};

// Remembers what was drawn, for games whose level stands still: draw the level once, then copy it in later frames.
// Only pictures of at most 64 x 64 pixels are kept (12 kB a game); larger ones are for people and drawn anew.
// A game holds it as a mutable member and calls `forget` in reset, after loading and whenever a cell changes, or
// repaints the changed cells in `canvas()`.
class LevelPicture {
public:
    bool copy_to(Canvas& canvas) const;  // false if there is nothing for this size
    void remember(const Canvas& canvas);
    // The remembered picture itself, to repaint what changed: `clipped` to the cells that did. Call after `copy_to`
    // could.
    Canvas canvas() { return {rgb_.data(), width_, height_}; }
    bool remembers(const Canvas& canvas) const { return width_ == canvas.width() && height_ == canvas.height(); }
    void forget() { width_ = 0; }

private:
    int width_ = 0, height_ = 0;
    std::vector<std::uint8_t> rgb_;
};

}  // namespace wm
