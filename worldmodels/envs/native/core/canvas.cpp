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

// The same for 16 bytes: a product of 257 in place of the shift and the sum. Compilers turn the fixed loop into a
// handful of vector instructions.
inline void blend_block(std::uint8_t* destination, const std::uint8_t* source, const std::uint8_t* keep) {
    std::uint8_t mixed[kBlock];
    for (int i = 0; i < kBlock; ++i) {
        const auto product = static_cast<std::uint16_t>(destination[i] * keep[i] + 128);
        mixed[i] = static_cast<std::uint8_t>(source[i] + ((std::uint32_t{product} * 257) >> 16));
    }
    std::memcpy(destination, mixed, kBlock);
}

// Blends the first `count` bytes, 1 to 16, of a block; the others stay as they are.
inline void blend_part(std::uint8_t* destination, const std::uint8_t* source, const std::uint8_t* keep, int count) {
    static constexpr std::uint8_t kWindow[2 * kBlock] = {255, 255, 255, 255, 255, 255, 255, 255,
                                                         255, 255, 255, 255, 255, 255, 255, 255};
    const std::uint8_t* window = kWindow + kBlock - count;  // 255 for what is blended, else 0
    std::uint8_t seen[kBlock], kept[kBlock];
    for (int i = 0; i < kBlock; ++i) {
        seen[i] = static_cast<std::uint8_t>(source[i] & window[i]);
        kept[i] = static_cast<std::uint8_t>(keep[i] | ~window[i]);
    }
    blend_block(destination, seen, kept);
}

// Rows of equal length: where the first begins, and how many bytes further on the next one does.
struct Rows {
    std::uint8_t* first;
    std::ptrdiff_t pitch;
};
struct ConstRows {
    const std::uint8_t* first;
    std::ptrdiff_t pitch;
};

// Copies rows of `bytes` bytes, kMove or more, in moves of that size; the last may overlap the one before it.
template <int kMove>
void copy_in_moves(Rows to, ConstRows from, int bytes, int rows) {
    const int last = bytes - kMove;
    for (; rows > 0; --rows, to.first += to.pitch, from.first += from.pitch) {
        for (int i = 0; i < last; i += kMove) std::memcpy(to.first + i, from.first + i, kMove);
        std::memcpy(to.first + last, from.first + last, kMove);
    }
}

// Rows are short and of one length: to choose the moves once beats a call of memcpy for each row.
void copy_rows(Rows to, ConstRows from, int bytes, int rows) {
    if (bytes >= 64) copy_in_moves<64>(to, from, bytes, rows);
    else if (bytes >= 16) copy_in_moves<16>(to, from, bytes, rows);
    else if (bytes >= 8) copy_in_moves<8>(to, from, bytes, rows);
    else copy_in_moves<3>(to, from, bytes, rows);
}

// Fills a rectangle of pixels with an opaque picture that repeats for ever, from its pixel (u, v) on.
void copy_repeated(Rows to, int columns, int rows, ConstRows picture, int width, int height, int u, int v) {
    for (int done = 0; done < rows; v = 0) {
        const int high = std::min(rows - done, height - v);
        const Rows part = {to.first + done * to.pitch, to.pitch};
        for (int x = 0, from = u; x < columns; from = 0) {
            const int wide = std::min(columns - x, width - from);
            copy_rows({part.first + x * 3, part.pitch}, {picture.first + v * picture.pitch + from * 3, picture.pitch},
                      wide * 3, high);
            x += wide;
        }
        done += high;
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
    copy_rows({first + pitch(), pitch()}, {first, 0}, columns.size() * 3, rows.size() - 1);
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
    copy_repeated({at(left_, top_), pitch()}, right_ - left_, bottom_ - top_,
                  {image.rgb.data(), std::ptrdiff_t{3} * image.width}, image.width, image.height,
                  positive_remainder(x + left_, image.width), positive_remainder(y + top_, image.height));
}

void Canvas::fill_pattern(int x, int y, int width, int height, const Bitmap& pattern, int u, int v) {
    const Span columns(x, width, left_, right_), rows(y, height, top_, bottom_);
    if (columns.size() <= 0 || rows.size() <= 0) return;
    if (columns.first != x) u = positive_remainder(u + columns.first - x, pattern.width);
    if (rows.first != y) v = positive_remainder(v + rows.first - y, pattern.height);
    copy_repeated({at(columns.first, rows.first), pitch()}, columns.size(), rows.size(),
                  {pattern.rgb.data(), pattern.stride}, pattern.width, pattern.height, u, v);
}

void Canvas::blit(const Bitmap& bitmap, int x, int y) {
    const Span columns(x, bitmap.width, left_, right_), rows(y, bitmap.height, top_, bottom_);
    if (columns.size() <= 0 || rows.size() <= 0) return;
    const std::ptrdiff_t next_row = pitch(), stride = bitmap.stride;
    const std::ptrdiff_t offset = (columns.first - x) * 3 + (rows.first - y) * stride;
    const std::uint8_t* source = bitmap.rgb.data() + offset;
    std::uint8_t* destination = at(columns.first, rows.first);
    const int bytes = columns.size() * 3;
    if (bitmap.opaque) {
        copy_rows({destination, next_row}, {source, stride}, bytes, rows.size());
        return;
    }
    const std::uint8_t* keep = bitmap.keep.data() + offset;
    const int last = (bytes - 1) / kBlock * kBlock;  // where the last block of a row begins, which may run over its end
    int left = rows.size(), at_end = 0;              // at the very end of the canvas no block may run over
    while (at_end < left && end() - (destination + (left - at_end - 1) * next_row) < last + kBlock) ++at_end;
    const auto for_rows = [&](int until, auto blend_row) {
        for (; left > until; --left, destination += next_row, source += stride, keep += stride) blend_row();
    };
    const bool whole = columns.size() == bitmap.width;  // rows are padded with bytes that change nothing
    if (whole && last == 0) {
        for_rows(at_end, [&] { blend_block(destination, source, keep); });
    } else if (whole) {
        for_rows(at_end, [&] {
            for (int i = 0; i <= last; i += kBlock) blend_block(destination + i, source + i, keep + i);
        });
    } else {
        for_rows(at_end, [&] {
            for (int i = 0; i < last; i += kBlock) blend_block(destination + i, source + i, keep + i);
            blend_part(destination + last, source + last, keep + last, bytes - last);
        });
    }
    for_rows(0, [&] {
        for (int i = 0; i < bytes; ++i) destination[i] = blended(source[i], keep[i], destination[i]);
    });
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
