// Distance functions, colours and noise of the painter.
#include <algorithm>
#include <cmath>

#include "core/painter.h"

namespace wm {
namespace {

float length(float x, float y) { return std::sqrt(x * x + y * y); }

float ellipse_distance(float x, float y, Point radius) {
    // First order: the implicit function divided by the length of its gradient.
    const float scaled = length(x / radius.x, y / radius.y);
    const float gradient = length(x / (radius.x * radius.x), y / (radius.y * radius.y));
    return gradient > 0 ? scaled * (scaled - 1) / gradient : -std::min(radius.x, radius.y);
}

float rectangle_distance(float x, float y, Point half, float corner) {
    const float dx = std::fabs(x) - half.x + corner, dy = std::fabs(y) - half.y + corner;
    return length(std::max(dx, 0.0F), std::max(dy, 0.0F)) + std::min(std::max(dx, dy), 0.0F) - corner;
}

float line_distance(float x, float y, Point from, Point to, float radius, float end_radius) {
    const float dx = to.x - from.x, dy = to.y - from.y, square = dx * dx + dy * dy;
    const float along = square > 0 ? std::clamp(((x - from.x) * dx + (y - from.y) * dy) / square, 0.0F, 1.0F) : 0.0F;
    return length(x - from.x - along * dx, y - from.y - along * dy) - radius - (end_radius - radius) * along;
}

float polygon_distance(float x, float y, const std::vector<Point>& corners) {
    float nearest = 1e9F;
    bool inside = false;
    for (std::size_t i = 0, j = corners.size() - 1; i < corners.size(); j = i++) {
        const Point &a = corners[i], &b = corners[j];
        nearest = std::min(nearest, line_distance(x, y, a, b, 0, 0));
        if ((a.y > y) != (b.y > y) && x < (b.x - a.x) * (y - a.y) / (b.y - a.y) + a.x) inside = !inside;
    }
    return inside ? -nearest : nearest;
}

float terrain_distance(float x, float y, const std::vector<Point>& heights, float width) {
    const auto count = static_cast<int>(heights.size());
    const float at = x / width * static_cast<float>(count);
    const int left = floor_int(at), i = (left % count + count) % count, next = (i + 1) % count;
    const float from = heights[static_cast<std::size_t>(i)].y, to = heights[static_cast<std::size_t>(next)].y;
    const float slope = (to - from) * static_cast<float>(count) / width;
    return (from + (to - from) * (at - static_cast<float>(left)) - y) / length(1, slope);
}

}  // namespace

Tint Tint::hex(std::uint32_t rgb, float alpha) {
    const auto part = [&](int shift) { return static_cast<float>((rgb >> shift) & 255U) / 255.0F; };
    return {part(16), part(8), part(0), alpha};
}

Tint Tint::hsv(float hue, float saturation, float value, float alpha) {
    const auto channel = [&](float offset) {
        const float turns = hue + offset, wheel = 6 * (turns - static_cast<float>(floor_int(turns)));
        const float ramp = std::clamp(std::fabs(wheel - 3) - 1, 0.0F, 1.0F);
        return value * (1 - saturation + saturation * ramp);
    };
    return {channel(0), channel(2.0F / 3), channel(1.0F / 3), alpha};
}

Tint Tint::mix(const Tint& other, float amount) const {
    return {r + (other.r - r) * amount, g + (other.g - g) * amount, b + (other.b - b) * amount,
            a + (other.a - a) * amount};
}

std::uint32_t hash(std::uint32_t x, std::uint32_t y, std::uint32_t seed) {
    std::uint32_t h = x * 0x9E3779B1U ^ y * 0x85EBCA77U ^ seed * 0xC2B2AE3DU;
    h = (h ^ (h >> 15)) * 0x2C1B3C6DU;
    h = (h ^ (h >> 12)) * 0x297A2D39U;
    return h ^ (h >> 15);
}

float chance(int x, int y, std::uint32_t seed) {
    return static_cast<float>(hash(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y), seed) >> 8) /
           16777216.0F;
}

float noise(float x, float y, std::uint32_t seed, Period period) {
    const int left = floor_int(x), top = floor_int(y);
    const auto smooth = [](float t) { return t * t * (3 - 2 * t); };
    const auto wrapped = [](int i, int count) {
        if (count <= 0 || (i >= 0 && i < count)) return i;
        return (i % count + count) % count;
    };
    const float u = smooth(x - static_cast<float>(left)), v = smooth(y - static_cast<float>(top));
    const int i = wrapped(left, period.x), right = wrapped(left + 1, period.x);
    const int j = wrapped(top, period.y), below = wrapped(top + 1, period.y);
    const float upper = chance(i, j, seed) * (1 - u) + chance(right, j, seed) * u;
    const float lower = chance(i, below, seed) * (1 - u) + chance(right, below, seed) * u;
    return upper * (1 - v) + lower * v;
}

float noise(float x, float y, std::uint32_t seed, Period period, int octaves) {
    float sum = 0, weight = 1, total = 0;
    for (int i = 0; i < octaves; ++i) {
        sum += weight * noise(x, y, seed + static_cast<std::uint32_t>(i), period);
        total += weight;
        weight *= 0.5F;
        x *= 2;
        y *= 2;
        period = {2 * period.x, 2 * period.y};
    }
    return sum / total;
}

Shape Shape::ellipse(float x, float y, float radius_x, float radius_y) {
    Shape shape;
    shape.from_ = shape.middle_ = {x, y};
    shape.to_ = shape.reach_ = {radius_x, radius_y};
    return shape;
}

Shape Shape::rectangle(float x, float y, float width, float height, float corner_radius) {
    Shape shape;
    shape.kind_ = Kind::Rectangle;
    shape.from_ = shape.middle_ = {x + 0.5F * width, y + 0.5F * height};
    shape.to_ = shape.reach_ = {0.5F * width, 0.5F * height};
    shape.radius_ = std::min(corner_radius, 0.5F * std::min(width, height));
    return shape;
}

Shape Shape::line(Point from, Point to, float thickness, float end_thickness) {
    Shape shape;
    shape.kind_ = Kind::Line;
    shape.from_ = from;
    shape.to_ = to;
    shape.radius_ = 0.5F * thickness;
    shape.end_radius_ = end_thickness < 0 ? shape.radius_ : 0.5F * end_thickness;
    shape.middle_ = {0.5F * (from.x + to.x), 0.5F * (from.y + to.y)};
    const float thick = std::max(shape.radius_, shape.end_radius_);
    shape.reach_ = {0.5F * std::fabs(to.x - from.x) + thick, 0.5F * std::fabs(to.y - from.y) + thick};
    return shape;
}

Shape Shape::polygon(std::vector<Point> corners, float corner_radius) {
    Shape shape;
    shape.kind_ = Kind::Polygon;
    shape.radius_ = corner_radius;
    Point low = corners[0], high = corners[0];
    for (const Point& corner : corners) {
        low = {std::min(low.x, corner.x), std::min(low.y, corner.y)};
        high = {std::max(high.x, corner.x), std::max(high.y, corner.y)};
    }
    shape.middle_ = {0.5F * (low.x + high.x), 0.5F * (low.y + high.y)};
    shape.reach_ = {0.5F * (high.x - low.x) + corner_radius, 0.5F * (high.y - low.y) + corner_radius};
    shape.corners_ = std::move(corners);
    return shape;
}

Shape Shape::star(float x, float y, float outer, float inner, int tips, float degrees) {
    std::vector<Point> corners;
    for (int i = 0; i < 2 * tips; ++i) {
        const float radius = i % 2 == 0 ? outer : inner;
        const float angle = degrees - 90 + 180.0F * static_cast<float>(i) / static_cast<float>(tips);
        corners.push_back({x + radius * cosine(angle), y + radius * sine(angle)});
    }
    return polygon(std::move(corners));
}

Shape Shape::terrain(std::vector<float> heights, float width, float bottom) {
    Shape shape;
    shape.kind_ = Kind::Terrain;
    const float top = *std::min_element(heights.begin(), heights.end());
    shape.corners_.reserve(heights.size());
    for (const float height : heights) shape.corners_.push_back({0, height});
    shape.to_ = {width, bottom};
    shape.middle_ = {0.5F * width, 0.5F * (top + bottom)};
    shape.reach_ = {0.5F * width, 0.5F * (bottom - top)};
    return shape;
}

Shape Shape::turned(float degrees, float x, float y) const {
    Shape shape = *this;
    const float diagonal = length(reach_.x, reach_.y);
    shape.reach_ = {diagonal, diagonal};
    shape.cosine_ = cosine(degrees);
    shape.sine_ = sine(degrees);
    shape.pivot_ = {x, y};
    const float dx = middle_.x - x, dy = middle_.y - y;
    shape.middle_ = {x + shape.cosine_ * dx - shape.sine_ * dy, y + shape.sine_ * dx + shape.cosine_ * dy};
    return shape;
}

float Shape::distance(float x, float y) const {
    const float dx = x - pivot_.x, dy = y - pivot_.y;
    const float u = pivot_.x + cosine_ * dx + sine_ * dy, v = pivot_.y + cosine_ * dy - sine_ * dx;
    switch (kind_) {
        case Kind::Ellipse: return ellipse_distance(u - from_.x, v - from_.y, to_);
        case Kind::Rectangle: return rectangle_distance(u - from_.x, v - from_.y, to_, radius_);
        case Kind::Line: return line_distance(u, v, from_, to_, radius_, end_radius_);
        case Kind::Polygon: return polygon_distance(u, v, corners_) - radius_;
        case Kind::Terrain: return terrain_distance(u, v, corners_, to_.x);
    }
    return 0;
}

Fill Fill::linear(const Tint& from, const Tint& to, Point start, Point end) {
    Fill fill(from);
    fill.kind_ = Kind::Linear;
    fill.to_ = to;
    fill.start_ = start;
    fill.end_ = end;
    return fill;
}

Fill Fill::radial(const Tint& middle, const Tint& edge, Point centre, float radius) {
    Fill fill = linear(middle, edge, centre, {radius, 0});
    fill.kind_ = Kind::Radial;
    return fill;
}

Fill Fill::clouds(const Tint& from, const Tint& to, float size, std::uint32_t seed, Period period) {
    Fill fill = Fill(from).grained(0, size, seed, period);
    fill.to_ = to;
    fill.kind_ = Kind::Clouds;
    return fill;
}

Fill Fill::grained(float amount, float size, std::uint32_t seed, Period period) const {
    Fill fill = *this;
    fill.grain_ = amount;
    fill.grain_size_ = size;
    fill.grain_seed_ = seed;
    fill.grain_period_ = period;
    return fill;
}

Tint Fill::at(float x, float y) const {
    if (kind_ == Kind::Flat && grain_ <= 0) return from_;
    float along;
    if (kind_ == Kind::Clouds) {
        const float cloud = noise(x / grain_size_, y / grain_size_, grain_seed_, grain_period_, 3);
        along = 2.2F * (cloud - 0.5F) + 0.5F;  // three octaves seldom leave the middle half
    } else if (kind_ == Kind::Radial) {
        along = length(x - start_.x, y - start_.y) / end_.x;
    } else {
        const float dx = end_.x - start_.x, dy = end_.y - start_.y;
        along = ((x - start_.x) * dx + (y - start_.y) * dy) / (dx * dx + dy * dy);
    }
    const Tint tint = from_.mix(to_, std::clamp(along, 0.0F, 1.0F));
    if (grain_ <= 0) return tint;
    const float cloud = noise(x / grain_size_, y / grain_size_, grain_seed_, grain_period_, 2);
    const float change = 2 * grain_ * (cloud - 0.5F);
    const auto shifted = [&](float channel) { return std::clamp(channel + change, 0.0F, 1.0F); };
    return {shifted(tint.r), shifted(tint.g), shifted(tint.b), tint.a};
}

}  // namespace wm
