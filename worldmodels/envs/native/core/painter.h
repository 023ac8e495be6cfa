// A small vector painter, used only while a sprite or a background is made. Shapes are distance functions, sampled many
// times per pixel; only +, -, *, / and sqrt decide a pixel, so the result is the same on every machine.
// Coordinates are the artist's: x to the right and y down, from (0, 0) to the size that the artist chose.
#pragma once

#include <cstdint>
#include <vector>

#include "core/canvas.h"
#include "core/numbers.h"

namespace wm {

struct Point {
    float x = 0, y = 0;
};

// Display values from 0 to 1, not premultiplied by alpha.
struct Tint {
    float r = 0, g = 0, b = 0, a = 1;

    static Tint hex(std::uint32_t rgb, float alpha = 1);                         // 0xRRGGBB
    static Tint hsv(float hue, float saturation, float value, float alpha = 1);  // hue in turns, the others 0 to 1
    Tint mix(const Tint& other, float amount) const;
    Tint lighter(float amount) const { return mix({1, 1, 1, a}, amount); }
    Tint darker(float amount) const { return mix({0, 0, 0, a}, amount); }
    Tint faded(float alpha) const { return {r, g, b, a * alpha}; }
};

// How many units after which a noise repeats, sideways and downwards; 0: never.
struct Period {
    int x = 0, y = 0;
};

// Smooth noise in 0 to 1 with a lattice of one unit; the second form adds `octaves` of it, each finer and fainter.
float noise(float x, float y, std::uint32_t seed, Period period = {});
float noise(float x, float y, std::uint32_t seed, Period period, int octaves);
std::uint32_t hash(std::uint32_t x, std::uint32_t y, std::uint32_t seed);
// A number in 0 to 1 that belongs to a pair of integers: variety without a generator.
float chance(int x, int y, std::uint32_t seed);

class Shape {
public:
    static Shape ellipse(float x, float y, float radius_x, float radius_y);
    static Shape circle(float x, float y, float radius) { return ellipse(x, y, radius, radius); }
    static Shape rectangle(float x, float y, float width, float height, float corner_radius = 0);
    static Shape line(Point from, Point to, float thickness, float end_thickness = -1);  // round ends, may taper
    static Shape polygon(std::vector<Point> corners, float corner_radius = 0);
    static Shape star(float x, float y, float outer, float inner, int tips, float degrees = 0);
    // Everything below a line through `heights`, which are spread evenly over `width` and then repeat.
    static Shape terrain(std::vector<float> heights, float width, float bottom);
    // The same shape turned clockwise about a point.
    Shape turned(float degrees, float x, float y) const;

    // Signed distance to the edge, negative inside; near the edge it is a true length.
    float distance(float x, float y) const;
    // A box that encloses the shape: its middle and half its size.
    Point middle() const { return middle_; }
    Point reach() const { return reach_; }

private:
    enum class Kind { Ellipse, Rectangle, Line, Polygon, Terrain };

    Kind kind_ = Kind::Ellipse;
    Point from_, to_;  // ellipse and rectangle: centre and half extents
    float radius_ = 0, end_radius_ = 0;
    float cosine_ = 1, sine_ = 0;
    Point pivot_, middle_;
    Point reach_;
    std::vector<Point> corners_;
};

// How a shape is coloured.
class Fill {
public:
    static Fill linear(const Tint& from, const Tint& to, Point start, Point end);
    static Fill radial(const Tint& middle, const Tint& edge, Point centre, float radius);
    Fill(const Tint& tint) : kind_(Kind::Flat), from_(tint), to_(tint) {}  // a plain colour is a fill

    // Wisps of one colour in another, about `size` units long. The period counts in units of `size`.
    static Fill clouds(const Tint& from, const Tint& to, float size, std::uint32_t seed, Period period = {});
    // Adds cloudy noise: brightness up and down by `amount`, grains of about `size` units.
    Fill grained(float amount, float size, std::uint32_t seed, Period period = {}) const;
    Tint at(float x, float y) const;

private:
    enum class Kind { Flat, Linear, Radial, Clouds };

    Kind kind_;
    Tint from_, to_;
    Point start_, end_{0, 1};
    float grain_ = 0, grain_size_ = 1;
    std::uint32_t grain_seed_ = 0;
    Period grain_period_;
};

struct Pose {
    bool mirrored = false;
    float degrees = 0;  // clockwise, about the middle
    float scale = 1;    // about the middle
};

class Painter {
public:
    // Paints `width` x `height` artist's units onto a bitmap of the given pixels.
    Painter(float width, float height, int pixel_width, int pixel_height, Pose pose = {});

    float width() const { return width_; }
    float height() const { return height_; }
    // How many units a pixel covers: fine detail can be left out where it would only be mud.
    float units_per_pixel() const { return width_ / static_cast<float>(pixel_width_); }

    void fill(const Shape& shape, const Fill& fill) { cover(shape, fill, 0, false); }
    // Fills only where something is painted already: shadows and stripes that stay inside a body.
    void fill_inside(const Shape& shape, const Fill& fill) { cover(shape, fill, 0, true); }
    // Draws along the edge; half of the thickness lies outside.
    void stroke(const Shape& shape, float thickness, const Fill& fill) { cover(shape, fill, 0.5F * thickness, false); }
    // Light that fades smoothly to nothing at `radius`.
    void glow(float x, float y, float radius, const Tint& tint);
    // Puts a border of `thickness` units around everything painted so far; a faint one where pixels are so coarse that
    // a dark border would swallow the picture.
    void outline(float thickness, const Tint& ink);
    // Lights the upper left edges of everything painted so far and darkens the lower right ones.
    void bevel(float depth, float strength);

    Bitmap bitmap(bool opaque = false) const;

private:
    template <class Visit>
    void for_samples(Point middle, Point reach, Visit visit);
    void cover(const Shape& shape, const Fill& fill, float half_stroke, bool inside);
    std::vector<float> blurred_alpha(int radius) const;
    Tint& sample(int x, int y) { return samples_[static_cast<std::size_t>(y * samples_wide_ + x)]; }
    const Tint& sample(int x, int y) const { return samples_[static_cast<std::size_t>(y * samples_wide_ + x)]; }

    float width_, height_;
    int pixel_width_, pixel_height_, per_pixel_, samples_wide_, samples_high_;
    float unit_x_, unit_y_;  // artist's units per sample
    bool mirrored_;
    float cosine_, sine_, scale_;
    std::vector<Tint> samples_;  // premultiplied
};

}  // namespace wm
