#include "art/plunder.h"

#include "art/details.h"
#include "art/effects.h"

namespace wm::art::plunder {
namespace {

constexpr float kLength = 100 * kShipAspect, kMiddle = 50;  // artist's units of a ship

// Paints a ship by places along it (stern 0, bow kLength) and across it, whether it sails right or points up.
class Shipwright {
public:
    Shipwright(Painter& p, bool up) : p_(p), up_(up) {}

    Point at(float along, float across) const { return up_ ? Point{across, kLength - along} : Point{along, across}; }
    Shape polygon(const std::vector<Point>& corners, float corner_radius) const {
        std::vector<Point> placed;
        placed.reserve(corners.size());
        for (const Point& corner : corners) placed.push_back(at(corner.x, corner.y));
        return Shape::polygon(placed, corner_radius);
    }
    // The same polygon with its mirror image on the other side: only the half from stern to bow is given.
    Shape symmetric(std::vector<Point> half, float corner_radius) const {
        for (std::size_t i = half.size(); i-- > 0;) half.push_back({half[i].x, 2 * kMiddle - half[i].y});
        return polygon(half, corner_radius);
    }
    Shape line(Point from, Point to, float thickness, float end_thickness = -1) const {
        return Shape::line(at(from.x, from.y), at(to.x, to.y), thickness, end_thickness);
    }
    Shape circle(float along, float across, float radius) const {
        const Point middle = at(along, across);
        return Shape::circle(middle.x, middle.y, radius);
    }
    // Light at the stern end, shade at the bow end.
    Fill lengthways(const Tint& from, const Tint& to, float start, float end) const {
        return Fill::linear(from, to, at(start, kMiddle), at(end, kMiddle));
    }
    Painter& painter() const { return p_; }

private:
    Painter& p_;
    bool up_;
};

enum class Emblem { Cross, Sabres, Crescent, Star, Skull, Anchor };

struct Livery {
    std::uint32_t sail, emblem, hull;
    Emblem sign;
};

// Six colours that stay apart from each other and from the sea on three pixels.
constexpr Livery kLiveries[kShips] = {
    {0xE0382E, 0xFFF4E0, 0x9A5A30, Emblem::Cross},    {0xF8C828, 0x4A2A12, 0x8A4E2A, Emblem::Sabres},
    {0x35B04A, 0xF4FFD8, 0x96602E, Emblem::Crescent}, {0xA044D8, 0xFFE45A, 0x84502E, Emblem::Star},
    {0x2E2A3C, 0xF4F0F4, 0x7A4428, Emblem::Skull},    {0xF6F2EA, 0xD8324A, 0xA46838, Emblem::Anchor}};

constexpr float kSignAt = 80;  // along the ship

void paint_skull(const Shipwright& ship, const Tint& bone, const Tint& hollow) {
    Painter& p = ship.painter();
    for (const float side : {-1.0F, 1.0F})
        p.fill(ship.line({kSignAt - 14, kMiddle + 20 * side}, {kSignAt + 12, kMiddle - 20 * side}, 6), bone);
    p.fill(ship.circle(kSignAt + 3, kMiddle, 15), bone);
    p.fill(ship.circle(kSignAt - 9, kMiddle, 8.5F), bone);
    for (const float side : {-6.5F, 6.5F}) p.fill(ship.circle(kSignAt + 2, kMiddle + side, 4.5F), hollow);
}

void paint_emblem(const Shipwright& ship, const Livery& livery) {
    Painter& p = ship.painter();
    const Tint tint = Tint::hex(livery.emblem), sail = Tint::hex(livery.sail);
    switch (livery.sign) {
        case Emblem::Cross:
            p.fill(ship.line({kSignAt - 18, kMiddle}, {kSignAt + 20, kMiddle}, 11), tint);
            p.fill(ship.line({kSignAt + 4, kMiddle - 21}, {kSignAt + 4, kMiddle + 21}, 11), tint);
            break;
        case Emblem::Sabres:
            for (const float side : {-1.0F, 1.0F}) {
                p.fill(ship.line({kSignAt - 16, kMiddle + 22 * side}, {kSignAt + 20, kMiddle - 20 * side}, 9, 4), tint);
                p.fill(ship.line({kSignAt - 14, kMiddle + 10 * side}, {kSignAt - 4, kMiddle + 23 * side}, 5), tint);
            }
            break;
        case Emblem::Crescent:
            p.fill(ship.circle(kSignAt + 1, kMiddle, 22), tint);
            p.fill(ship.circle(kSignAt + 10, kMiddle, 17), sail);
            break;
        case Emblem::Star: {
            const Point middle = ship.at(kSignAt + 2, kMiddle);
            p.fill(Shape::star(middle.x, middle.y, 26, 11, 5, 0), tint);
            break;
        }
        case Emblem::Skull: paint_skull(ship, tint, sail); break;
        case Emblem::Anchor:
            p.fill(ship.line({kSignAt - 16, kMiddle}, {kSignAt + 16, kMiddle}, 8), tint);
            p.fill(ship.line({kSignAt + 10, kMiddle - 13}, {kSignAt + 10, kMiddle + 13}, 7), tint);
            for (const float side : {-1.0F, 1.0F})
                p.fill(ship.line({kSignAt - 17, kMiddle}, {kSignAt - 6, kMiddle + 21 * side}, 8, 5), tint);
            p.fill(ship.circle(kSignAt + 19, kMiddle, 7), tint);
            break;
    }
}

void paint_hull(const Shipwright& ship, const Livery& livery) {
    Painter& p = ship.painter();
    const Tint wood = Tint::hex(livery.hull), sail = Tint::hex(livery.sail);
    for (const float along : {44.0F, 66.0F, 100.0F, 120.0F})  // guns, run out on both sides
        p.fill(ship.line({along, 3}, {along, 97}, 8), Tint::hex(0x3A3844));
    p.fill(ship.line({130, kMiddle}, {166, kMiddle}, 7, 4), wood.darker(0.35F));
    p.fill(ship.symmetric({{6, 28}, {16, 17}, {50, 11}, {92, 12}, {124, 24}, {152, 46}}, 4),
           ship.lengthways(wood.lighter(0.1F), wood.darker(0.2F), 0, kLength));
    p.outline(5, kInk);
    const Tint deck = Tint::hex(0xE2B478);
    const Shape planks = ship.symmetric({{12, 33}, {20, 25}, {50, 19}, {92, 20}, {120, 31}, {143, 47}}, 3);
    p.fill(planks, ship.lengthways(deck, deck.darker(0.1F), 0, kLength));
    for (const float across : {32.0F, 44.0F, 56.0F, 68.0F})
        p.fill_inside(ship.line({14, across}, {126, across}, 2), deck.darker(0.3F));
    p.fill(ship.symmetric({{7, 30}, {34, 23}}, 3), ship.lengthways(wood.lighter(0.15F), wood, 6, 34));
    p.fill(ship.symmetric({{12, 38}, {28, 36}}, 2), sail);
}

// A square sail before the wind: its yard behind, its belly in front.
void paint_sail(const Shipwright& ship, const Livery& livery) {
    Painter& p = ship.painter();
    const Tint sail = Tint::hex(livery.sail);
    p.fill(ship.symmetric({{47, 2}, {98, 9}, {112, 30}}, 4), kInk);
    p.fill(ship.symmetric({{51, 6}, {95, 13}, {108, 32}}, 3),
           ship.lengthways(sail.darker(0.22F), sail.lighter(0.12F), 46, 104));
    p.fill(ship.line({50, 6}, {50, 94}, 7), Tint::hex(0x6A4022));
    p.fill(ship.line({118, 28}, {118, 72}, 12), kInk);
    p.fill(ship.line({118, 29}, {118, 71}, 7), sail.lighter(0.1F));
}

void paint_any_ship(Painter& p, int theme, bool up) {
    const Livery& livery = kLiveries[theme];
    const Shipwright ship(p, up);
    paint_hull(ship, livery);
    paint_sail(ship, livery);
    paint_emblem(ship, livery);
}

void paint_ship(Painter& p, int theme) { paint_any_ship(p, theme, false); }
void paint_ship_upright(Painter& p, int theme) { paint_any_ship(p, theme, true); }

void paint_disc(Painter& p, int) {
    const Tint red = Tint::hex(0xE23A2E), cream = Tint::hex(0xFFF3DC);
    p.fill(Shape::circle(50, 50, 47), shaded(red, 50, 50, 50));
    p.outline(3, kInk);
    p.fill(Shape::circle(50, 50, 38), cream);
    p.fill(Shape::circle(50, 50, 29), shaded(red, 50, 50, 32));
    p.fill(Shape::circle(50, 50, 20), cream);
    for (int i = 0; i < 4; ++i)
        p.fill(Shape::line({50, 1}, {50, 11}, 4).turned(90 * static_cast<float>(i), 50, 50), kInk);
}

void paint_ball(Painter& p, int) {
    p.fill(Shape::circle(50, 50, 47), kWhite.faded(0.8F));  // spray, so that it is seen on any sea
    ball(p, 50, 50, 35, Tint::hex(0x2A2833));
    if (p.units_per_pixel() < 15) p.fill(Shape::circle(39, 38, 9), kWhite.faded(0.8F));
}

void paint_panel(Painter& p, int) {
    const Tint wood = Tint::hex(0xC08A4A), iron = Tint::hex(0x5A5E6C);
    p.fill(Shape::rectangle(4, 6, 232, 88, 8), upright(wood, 4, 96));
    p.outline(5, kInk);
    for (int i = 1; i < 3; ++i)
        p.fill_inside(Shape::line({0, 6 + 29.3F * static_cast<float>(i)}, {240, 6 + 29.3F * static_cast<float>(i)}, 5),
                      wood.darker(0.5F));
    for (int i = 0; i < 9; ++i) {
        const float x = 16 + 216 * chance(i, 0, 950), y = 18 + 29.3F * static_cast<float>(i % 3);
        p.fill_inside(Shape::line({x, y}, {x + 26, y}, 3), wood.darker(0.25F));
    }
    for (const float x : {24.0F, 190.0F}) {
        p.fill_inside(Shape::rectangle(x, 0, 26, 100), iron);
        p.fill_inside(Shape::rectangle(x, 0, 6, 100), iron.lighter(0.3F));
        for (const float y : {21.0F, 50.0F, 79.0F}) p.fill(Shape::circle(x + 14, y, 6), iron.lighter(0.5F));
    }
}

ArtTable made_table(float size) {
    using K = SpriteKind;
    const float length = 2 * size, width = length / kShipAspect, legend = kLegendScale;
    ArtTable table = {
        "plunder",
        {
            {7, kShips, K::Figure, length, width, kLength, 100, paint_ship, 1, true},
            {7, kShips, K::Figure, width, length, 100, kLength, paint_ship_upright, 1, true},
            {7, kShips, K::Figure, legend * width, legend * length, 100, kLength, paint_ship_upright, 1, true},
            {3, 1, K::Figure, 2 * kDiscRadius, 2 * kDiscRadius, 100, 100, paint_disc},
            {1, 1, K::Figure, 0.9F, 0.9F, 100, 100, paint_ball},
            {6, 1, K::Figure, 2 * kPanelX, 2 * kPanelY, 240, 100, paint_panel},
        }};
    add_explosion(table.sprites, size);
    return table;
}

}  // namespace

const ArtTable& table(bool large) {
    static const ArtTable kSmall = made_table(kSmallShip), kLarge = made_table(kLargeShip);
    return large ? kLarge : kSmall;
}

}  // namespace wm::art::plunder
