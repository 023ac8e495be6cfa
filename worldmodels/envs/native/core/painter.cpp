#include "core/painter.h"

#include <algorithm>
#include <cmath>

namespace wm {
namespace {

constexpr float kFar = 1e9F;

// Puts a premultiplied colour over another.
void put_over(Tint& below, const Tint& tint, float coverage) {
    const float alpha = tint.a * coverage, keep = 1 - alpha;
    below = {tint.r * alpha + below.r * keep, tint.g * alpha + below.g * keep, tint.b * alpha + below.b * keep,
             alpha + below.a * keep};
}

std::uint8_t to_byte(float value) { return static_cast<std::uint8_t>(std::clamp(value, 0.0F, 1.0F) * 255.0F + 0.5F); }

// Enough samples that a sprite of five pixels is smooth, few enough that a whole background is quick: edges are
// softened by their distance too.
int samples_per_pixel(int pixel_width, int pixel_height) {
    const int side = std::max(pixel_width, pixel_height);
    return side > 120 ? 1 : std::clamp(96 / side, 2, 10);
}

}  // namespace

Painter::Painter(float width, float height, int pixel_width, int pixel_height, Pose pose)
    : width_(width),
      height_(height),
      pixel_width_(pixel_width),
      pixel_height_(pixel_height),
      per_pixel_(samples_per_pixel(pixel_width, pixel_height)),
      samples_wide_(pixel_width * per_pixel_),
      samples_high_(pixel_height * per_pixel_),
      unit_x_(width / static_cast<float>(samples_wide_)),
      unit_y_(height / static_cast<float>(samples_high_)),
      mirrored_(pose.mirrored),
      cosine_(cosine(pose.degrees)),
      sine_(sine(pose.degrees)),
      scale_(pose.scale),
      samples_(static_cast<std::size_t>(samples_wide_ * samples_high_), Tint{0, 0, 0, 0}) {}

// Calls visit(sample, x, y) with the artist's coordinates for all samples in and next to a box.
template <class Visit>
void Painter::for_samples(Point middle, Point reach, Visit visit) {
    const float half_width = 0.5F * width_, half_height = 0.5F * height_;
    float x = scale_ * (middle.x - half_width);
    const float y = scale_ * (middle.y - half_height);
    if (mirrored_) x = -x;
    const float seen_x = cosine_ * x - sine_ * y + half_width, seen_y = sine_ * x + cosine_ * y + half_height;
    if (sine_ != 0) {
        const float diagonal = std::sqrt(reach.x * reach.x + reach.y * reach.y);
        reach = {diagonal, diagonal};
    }
    reach = {scale_ * reach.x + unit_x_, scale_ * reach.y + unit_y_};
    const int left = std::max(static_cast<int>((seen_x - reach.x) / unit_x_), 0);
    const int right = std::min(static_cast<int>((seen_x + reach.x) / unit_x_) + 1, samples_wide_);
    const int top = std::max(static_cast<int>((seen_y - reach.y) / unit_y_), 0);
    const int bottom = std::min(static_cast<int>((seen_y + reach.y) / unit_y_) + 1, samples_high_);
    for (int row = top; row < bottom; ++row) {
        const float dy = ((static_cast<float>(row) + 0.5F) * unit_y_ - half_height) / scale_;
        for (int column = left; column < right; ++column) {
            const float dx = ((static_cast<float>(column) + 0.5F) * unit_x_ - half_width) / scale_;
            const float u = cosine_ * dx + sine_ * dy, v = cosine_ * dy - sine_ * dx;
            visit(sample(column, row), (mirrored_ ? -u : u) + half_width, v + half_height);
        }
    }
}

void Painter::cover(const Shape& shape, const Fill& fill, float half_stroke, bool inside) {
    const float softness = scale_ / std::max(unit_x_, unit_y_);
    const Point reach = {shape.reach().x + half_stroke, shape.reach().y + half_stroke};
    for_samples(shape.middle(), reach, [&](Tint& below, float x, float y) {
        float distance = shape.distance(x, y);
        if (half_stroke > 0) distance = std::fabs(distance) - half_stroke;
        float coverage = std::clamp(0.5F - distance * softness, 0.0F, 1.0F);
        if (coverage <= 0) return;
        const float alpha = below.a;
        if (inside) coverage *= alpha;
        put_over(below, fill.at(x, y), coverage);
    });
}

void Painter::glow(float x, float y, float radius, const Tint& tint) {
    for_samples({x, y}, {radius, radius}, [&](Tint& below, float u, float v) {
        const float square = ((u - x) * (u - x) + (v - y) * (v - y)) / (radius * radius);
        if (square < 1) put_over(below, tint, (1 - square) * (1 - square));
    });
}

void Painter::outline(float thickness, const Tint& ink) {
    constexpr float kFine = 2, kCoarse = 10;  // units per pixel
    const float coarse = std::clamp((units_per_pixel() - kFine) / (kCoarse - kFine), 0.0F, 1.0F);
    const Tint tint = ink.faded(1 - 0.4F * coarse);
    const int reach = static_cast<int>(thickness / unit_x_) + 2;
    std::vector<float> across(samples_.size(), kFar);  // distance to the nearest painted sample in the same row
    for (int row = 0; row < samples_high_; ++row) {
        float* line = &across[static_cast<std::size_t>(row * samples_wide_)];
        float distance = kFar;
        for (int column = 0; column < samples_wide_; ++column) {
            distance = sample(column, row).a >= 0.5F ? 0 : distance + unit_x_;
            line[column] = distance;
        }
        distance = kFar;
        for (int column = samples_wide_ - 1; column >= 0; --column) {
            distance = sample(column, row).a >= 0.5F ? 0 : distance + unit_x_;
            line[column] = std::min(line[column], distance);
        }
    }
    for (int row = 0; row < samples_high_; ++row) {
        for (int column = 0; column < samples_wide_; ++column) {
            float nearest = kFar;
            for (int other = std::max(row - reach, 0); other < std::min(row + reach + 1, samples_high_); ++other) {
                const float dx = across[static_cast<std::size_t>(other * samples_wide_ + column)];
                const float dy = static_cast<float>(other - row) * unit_y_;
                nearest = std::min(nearest, dx * dx + dy * dy);
            }
            const float coverage = std::clamp((thickness - std::sqrt(nearest)) / unit_x_ + 0.5F, 0.0F, 1.0F);
            if (coverage <= 0) continue;
            Tint border = {0, 0, 0, 0};
            put_over(border, tint, coverage);
            Tint& above = sample(column, row);
            const float keep = 1 - above.a;
            above = {above.r + border.r * keep, above.g + border.g * keep, above.b + border.b * keep,
                     above.a + border.a * keep};
        }
    }
}

std::vector<float> Painter::blurred_alpha(int radius) const {
    const auto wide = static_cast<std::size_t>(samples_wide_);
    std::vector<float> once(samples_.size()), twice(samples_.size());
    const float weight = 1 / static_cast<float>(2 * radius + 1);
    for (int row = 0; row < samples_high_; ++row) {
        float sum = 0;
        for (int column = -radius; column < samples_wide_; ++column) {
            if (column + radius < samples_wide_) sum += sample(column + radius, row).a;
            if (column > radius) sum -= sample(column - radius - 1, row).a;
            if (column >= 0)
                once[static_cast<std::size_t>(row) * wide + static_cast<std::size_t>(column)] = sum * weight;
        }
    }
    for (int column = 0; column < samples_wide_; ++column) {
        const auto at = [&](int row) {
            return static_cast<std::size_t>(row) * wide + static_cast<std::size_t>(column);
        };
        float sum = 0;
        for (int row = -radius; row < samples_high_; ++row) {
            if (row + radius < samples_high_) sum += once[at(row + radius)];
            if (row > radius) sum -= once[at(row - radius - 1)];
            if (row >= 0) twice[at(row)] = sum * weight;
        }
    }
    return twice;
}

void Painter::bevel(float depth, float strength) {
    const int radius = std::max(static_cast<int>(depth / unit_x_), 1);
    const std::vector<float> soft = blurred_alpha(radius);
    const auto at = [&](int column, int row) {
        if (column < 0 || row < 0 || column >= samples_wide_ || row >= samples_high_) return 0.0F;
        return soft[static_cast<std::size_t>(row * samples_wide_ + column)];
    };
    const int step = std::max(radius * 2 / 3, 1);
    for (int row = 0; row < samples_high_; ++row) {
        for (int column = 0; column < samples_wide_; ++column) {
            Tint& tint = sample(column, row);
            if (tint.a <= 0) continue;
            const float light = strength * (at(column + step, row + step) - at(column - step, row - step));
            const float amount = std::min(std::fabs(light), 1.0F), towards = light > 0 ? tint.a : 0;
            tint.r += (towards - tint.r) * amount;
            tint.g += (towards - tint.g) * amount;
            tint.b += (towards - tint.b) * amount;
        }
    }
}

Bitmap Painter::bitmap(bool opaque) const {
    constexpr int kPadding = 16;  // rows are processed in blocks of this many bytes
    Bitmap result;
    result.width = pixel_width_;
    result.height = pixel_height_;
    result.opaque = opaque;
    result.stride = (pixel_width_ * 3 + kPadding - 1) / kPadding * kPadding;
    const auto size = static_cast<std::size_t>(result.stride * pixel_height_ + kPadding);
    result.rgb.assign(size, 0);
    if (!opaque) result.keep.assign(size, 255);
    const float weight = 1 / static_cast<float>(per_pixel_ * per_pixel_);
    for (int y = 0; y < pixel_height_; ++y) {
        for (int x = 0; x < pixel_width_; ++x) {
            Tint sum = {0, 0, 0, 0};
            for (int row = y * per_pixel_; row < (y + 1) * per_pixel_; ++row)
                for (int column = x * per_pixel_; column < (x + 1) * per_pixel_; ++column) {
                    const Tint& tint = sample(column, row);
                    sum = {sum.r + tint.r, sum.g + tint.g, sum.b + tint.b, sum.a + tint.a};
                }
            const std::uint8_t alpha = to_byte(sum.a * weight);
            const float part[3] = {sum.r * weight, sum.g * weight, sum.b * weight};
            for (int channel = 0; channel < 3; ++channel) {
                const auto index = static_cast<std::size_t>(y * result.stride + x * 3 + channel);
                const std::uint8_t value = to_byte(part[channel]);
                // Never brighter than its alpha, or the blended sum could overflow a byte.
                result.rgb[index] = opaque ? value : std::min(value, alpha);
                if (!opaque) result.keep[index] = static_cast<std::uint8_t>(255 - alpha);
            }
        }
    }
    return result;
}

}  // namespace wm
