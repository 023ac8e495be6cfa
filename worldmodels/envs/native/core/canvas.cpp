#include "core/canvas.h"

#include <algorithm>
#include <cstring>

namespace wm {
namespace {

constexpr int kBlock = 16;  // bytes that are blended or copied at once

// (x + 128) / 255 rounded, exact for products of two bytes.
inline unsigned divide_by_255(unsigned x) {
    x += 128;
    return (x + (x >> 8)) >> 8;
}

inline std::uint8_t blended(unsigned source, unsigned keep, unsigned destination) {
    return static_cast<std::uint8_t>(source + divide_by_255(destination * keep));
}

// Compilers turn this fixed loop into a handful of vector instructions.
inline void blend_block(std::uint8_t* destination, const std::uint8_t* source, const std::uint8_t* keep) {
    std::uint8_t mixed[kBlock];
    for (int i = 0; i < kBlock; ++i) {
        auto product = static_cast<std::uint16_t>(destination[i] * keep[i] + 128);
        product = static_cast<std::uint16_t>((product + (product >> 8)) >> 8);
        mixed[i] = static_cast<std::uint8_t>(source[i] + product);
    }
    std::memcpy(destination, mixed, kBlock);
}

// Short rows are the usual case: fixed-size moves that may overlap beat a call to memcpy.
inline void copy_short(std::uint8_t* destination, const std::uint8_t* source, int count) {
    if (count >= 16) {
        if (count > 96) {
            std::memcpy(destination, source, static_cast<std::size_t>(count));
            return;
        }
        for (int i = 0; i + 16 < count; i += 16) std::memcpy(destination + i, source + i, 16);
        std::memcpy(destination + count - 16, source + count - 16, 16);
    } else if (count >= 8) {
        std::memcpy(destination, source, 8);
        std::memcpy(destination + count - 8, source + count - 8, 8);
    } else {
        for (int i = 0; i < count; ++i) destination[i] = source[i];
    }
}

// The part of [start, start + length) that lies in [low, high).
struct Span {
    int first, last;
    Span(int start, int length, int low, int high)
        : first(std::max(start, low)), last(std::min(start + length, high)) {}
    int size() const { return last - first; }
};

int positive_remainder(int value, int period) {
    const int remainder = value % period;
    return remainder < 0 ? remainder + period : remainder;
}

}  // namespace

Canvas Canvas::clipped(int x, int y, int width, int height) const {
    Canvas part = *this;
    part.left_ = std::clamp(x, left_, right_);
    part.top_ = std::clamp(y, top_, bottom_);
    part.right_ = std::clamp(x + width, part.left_, right_);
    part.bottom_ = std::clamp(y + height, part.top_, bottom_);
    return part;
}

void Canvas::fill(Colour colour) { fill_rectangle(0, 0, width_, height_, colour); }

void Canvas::fill_rectangle(int x, int y, int width, int height, Colour colour) {
    const Span columns(x, width, left_, right_), rows(y, height, top_, bottom_);
    if (columns.size() <= 0 || rows.size() <= 0) return;
    std::uint8_t* first = at(columns.first, rows.first);
    for (int i = 0; i < columns.size(); ++i) {
        first[3 * i] = colour.r;
        first[3 * i + 1] = colour.g;
        first[3 * i + 2] = colour.b;
    }
    for (int row = rows.first + 1; row < rows.last; ++row)
        copy_short(at(columns.first, row), first, columns.size() * 3);
}

void Canvas::shade_rectangle(int x, int y, int width, int height, Colour colour, int keep) {
    const Span columns(x, width, left_, right_), rows(y, height, top_, bottom_);
    if (columns.size() <= 0 || rows.size() <= 0) return;
    // Runs of pixels as plain bytes: loops without a stride of three become vector instructions.
    constexpr int kRun = 3 * kBlock;
    std::uint16_t added[kRun];
    for (int i = 0; i < kRun; i += 3) {
        added[i] = static_cast<std::uint16_t>(colour.r * (255 - keep) + 128);
        added[i + 1] = static_cast<std::uint16_t>(colour.g * (255 - keep) + 128);
        added[i + 2] = static_cast<std::uint16_t>(colour.b * (255 - keep) + 128);
    }
    const auto kept = static_cast<std::uint16_t>(keep);
    for (int row = rows.first; row < rows.last; ++row) {
        std::uint8_t* bytes = at(columns.first, row);
        for (int left = columns.size() * 3; left > 0; left -= kRun, bytes += kRun) {
            const int count = std::min(left, kRun);
            for (int i = 0; i < count; ++i) {
                const auto sum = static_cast<std::uint16_t>(bytes[i] * kept + added[i]);
                bytes[i] = static_cast<std::uint8_t>((sum + (sum >> 8)) >> 8);
            }
        }
    }
}

void Canvas::copy_pixels(const std::uint8_t* pixels) {
    std::memcpy(pixels_, pixels, static_cast<std::size_t>(end() - pixels_));
}

void Canvas::copy_wrapped(const Image& image, int x, int y) {
    const int u = positive_remainder(x + left_, image.width);
    int v = positive_remainder(y + top_, image.height);
    for (int row = top_; row < bottom_; ++row) {
        const std::uint8_t* source = image.row(v);
        std::uint8_t* destination = at(left_, row);
        int offset = u, left = right_ - left_;
        while (left > 0) {
            const int count = std::min(left, image.width - offset);
            std::memcpy(destination, source + offset * 3, static_cast<std::size_t>(count) * 3);
            destination += count * 3;
            left -= count;
            offset = 0;
        }
        if (++v == image.height) v = 0;
    }
}

void Canvas::fill_pattern(int x, int y, int width, int height, const Bitmap& pattern, int u, int v) {
    const Span columns(x, width, left_, right_), rows(y, height, top_, bottom_);
    if (columns.size() <= 0 || rows.size() <= 0) return;
    if (columns.first != x) u = positive_remainder(u + columns.first - x, pattern.width);
    if (rows.first != y) v = positive_remainder(v + rows.first - y, pattern.height);
    const int before_seam = std::min(columns.size(), pattern.width - u);
    for (int row = rows.first; row < rows.last; ++row) {
        const std::uint8_t* source = pattern.rgb.data() + static_cast<std::ptrdiff_t>(v) * pattern.stride;
        std::uint8_t* destination = at(columns.first, row);
        copy_short(destination, source + u * 3, before_seam * 3);
        for (int done = before_seam; done < columns.size(); done += pattern.width)
            copy_short(destination + done * 3, source, std::min(columns.size() - done, pattern.width) * 3);
        if (++v == pattern.height) v = 0;
    }
}

void Canvas::blit(const Bitmap& bitmap, int x, int y) {
    const Span columns(x, bitmap.width, left_, right_), rows(y, bitmap.height, top_, bottom_);
    if (columns.size() <= 0 || rows.size() <= 0) return;
    const std::ptrdiff_t offset = (columns.first - x) * 3 + static_cast<std::ptrdiff_t>(rows.first - y) * bitmap.stride;
    const std::uint8_t* source = bitmap.rgb.data() + offset;
    const std::uint8_t* keep = bitmap.keep.data() + offset;
    const int count = columns.size() * 3;
    // The padding of a row is transparent, so a block may run over its end, unless the row was cut (then the end of a
    // block may lie in the next row) or the block would leave the canvas.
    const bool cut = columns.size() != bitmap.width;
    for (int row = rows.first; row < rows.last; ++row, source += bitmap.stride, keep += bitmap.stride) {
        std::uint8_t* destination = at(columns.first, row);
        if (bitmap.opaque) {
            copy_short(destination, source, count);
            continue;
        }
        const bool padded = !cut && end() - destination >= count + kBlock;
        int i = 0;
        for (; padded ? i < count : i + kBlock <= count; i += kBlock)
            blend_block(destination + i, source + i, keep + i);
        for (; i < count; ++i) destination[i] = blended(source[i], keep[i], destination[i]);
    }
}

void Canvas::paint_velocity(float horizontal, float vertical) {
    const auto grey = [](float fraction) {
        const auto level = static_cast<std::uint8_t>(255.0F * std::clamp(0.5F * fraction + 0.5F, 0.0F, 1.0F));
        return Colour{level, level, level};
    };
    const int side = height_ / 5;
    fill_rectangle(0, 0, side, side, grey(horizontal));
    fill_rectangle(side, 0, side, side, grey(vertical));
}

bool LevelPicture::copy_to(Canvas& canvas) const {
    if (!remembers(canvas)) return false;
    canvas.copy_pixels(rgb_.data());
    return true;
}

void LevelPicture::remember(const Canvas& canvas) {
    constexpr int kLargest = 64;
    if (canvas.width() > kLargest || canvas.height() > kLargest) return;
    width_ = canvas.width();
    height_ = canvas.height();
    rgb_.assign(canvas.pixels(), canvas.pixels() + static_cast<std::ptrdiff_t>(width_) * height_ * 3);
}

}  // namespace wm
