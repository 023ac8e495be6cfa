#include "art/bigfish.h"

#include "art/details.h"

namespace wm::art::bigfish {
namespace {

struct Palette {
    std::uint32_t body, belly, fin, mark;
};

// Colours go by theme, shapes by proportion: an option may show all fish in the colours of the first.
constexpr Palette kFish[kShapes] = {{0xD64BC8, 0xFFC4F0, 0x8A2AA8, 0xF6E05A},
                                    {0x58C84A, 0xF0FFC0, 0x1E8A4A, 0x2A6A3A},
                                    {0xF6CE3A, 0xFFF6C8, 0xE88A1E, 0xC8601E}};

// A tail fin at the left end of a body: (x, y) is its root.
void paint_tail(Painter& p, float x, float y, float length, float spread, float swing, const Tint& tint) {
    p.fill(Shape::polygon({{x + 4, y},
                           {x - 0.55F * length, y - spread + swing},
                           {x - length, y - 0.85F * spread + swing},
                           {x - 0.62F * length, y + 0.4F * swing},
                           {x - length, y + 0.85F * spread + swing},
                           {x - 0.55F * length, y + spread + swing}},
                          2),
           Fill::linear(tint.darker(0.15F), tint.lighter(0.1F), {x - length, 0}, {x, 0}));
}

// Eyes and mouth: the wary ones stare and gape a little, the fierce ones frown and show teeth.
void paint_face(Painter& p, float x, float y, float radius, Point mouth, float mouth_size, bool fierce) {
    if (fierce) {
        const float s = mouth_size;
        p.fill_inside(Shape::polygon({{mouth.x, mouth.y - 0.2F * s},
                                      {mouth.x - 1.7F * s, mouth.y + 0.1F * s},
                                      {mouth.x - 1.2F * s, mouth.y + 0.6F * s},
                                      {mouth.x, mouth.y + 0.6F * s}},
                                     1),
                      kInk);
        for (int i = 0; i < 3; ++i) {
            const float u = mouth.x - (0.3F + 0.4F * static_cast<float>(i)) * s;
            p.fill_inside(Shape::polygon({{u - 0.2F * s, mouth.y - 0.15F * s},
                                          {u + 0.2F * s, mouth.y - 0.15F * s},
                                          {u, mouth.y + 0.4F * s}}),
                          kWhite);
        }
        eye(p, x, y, radius, 0.8F, 0.2F);
        p.fill(
            Shape::line({x - 1.3F * radius, y - 1.5F * radius}, {x + 1.2F * radius, y - 0.6F * radius}, 0.7F * radius),
            kInk);
    } else {
        p.fill(Shape::ellipse(mouth.x - 0.5F * mouth_size, mouth.y, 0.4F * mouth_size, 0.34F * mouth_size), kInk);
        eye(p, x, y, 1.2F * radius, 0.4F, -0.1F);
    }
}

// A slim fish with a sail on its back.
void paint_sailfin(Painter& p, const Palette& look, float swing, bool fierce) {
    const Tint body = Tint::hex(look.body), belly = Tint::hex(look.belly), fin = Tint::hex(look.fin);
    paint_tail(p, 46, 52, 42, 32, swing, fin);
    p.fill(Shape::polygon({{54, 34}, {70, 4}, {104, 8}, {132, 26}}, 3), upright(fin, 0, 36));
    p.fill(Shape::polygon({{80, 76}, {66, 97}, {100, 96}, {112, 78}}, 3), upright(fin, 74, 98));
    p.fill(Shape::ellipse(104, 54, 64, 32), shaded(body, 104, 48, 46));
    p.outline(5, kInk);
    p.fill_inside(Shape::ellipse(112, 78, 46, 16), belly.faded(0.85F));
    for (int i = 0; i < 3; ++i)
        p.fill_inside(Shape::line({62 + 18 * static_cast<float>(i), 30}, {56 + 18 * static_cast<float>(i), 66}, 6),
                      Tint::hex(look.mark).faded(0.85F));
    p.fill(Shape::ellipse(104, 64, 13, 7).turned(28 + swing, 104, 64), fin);
    shine(p, 112, 34, 22, 5, 0.45F);
    paint_face(p, 138, 46, 9, {166, 60}, 15, fierce);
}

// A round one with spikes.
void paint_puffer(Painter& p, const Palette& look, float swing, bool fierce) {
    const Tint body = Tint::hex(look.body), belly = Tint::hex(look.belly), fin = Tint::hex(look.fin);
    paint_tail(p, 30, 50, 28, 27, swing, fin);
    p.fill(Shape::star(74, 50, 49, 40, 15, swing), upright(fin, 4, 96));
    p.fill(Shape::ellipse(74, 50, 44, 41), shaded(body, 72, 46, 46));
    p.outline(5, kInk);
    p.fill_inside(Shape::ellipse(78, 82, 36, 22), belly.faded(0.9F));
    for (const Point& at : {Point{48, 34}, Point{60, 22}, Point{66, 42}, Point{42, 56}})
        p.fill_inside(Shape::circle(at.x, at.y, 5.5F), Tint::hex(look.mark).faded(0.8F));
    p.fill(Shape::ellipse(62, 62, 14, 9).turned(-20 + swing, 62, 62), fin);
    shine(p, 84, 22, 14, 5, 0.5F);
    paint_face(p, 94, 40, 11, {118, 62}, 17, fierce);
}

// A long striped one with a pointed nose.
void paint_arrow(Painter& p, const Palette& look, float swing, bool fierce) {
    const Tint body = Tint::hex(look.body), belly = Tint::hex(look.belly), fin = Tint::hex(look.fin);
    paint_tail(p, 42, 50, 38, 38, swing, fin);
    p.fill(Shape::polygon({{62, 30}, {84, 6}, {104, 10}, {100, 28}}, 3), upright(fin, 4, 34));
    p.fill(Shape::polygon({{66, 72}, {80, 95}, {98, 92}, {100, 74}}, 3), upright(fin, 70, 96));
    p.fill(Shape::polygon({{32, 50}, {64, 26}, {110, 18}, {150, 28}, {184, 54}, {150, 76}, {110, 82}, {64, 74}}, 2),
           upright(body, 16, 84));
    p.outline(5, kInk);
    p.fill_inside(Shape::ellipse(120, 80, 66, 15), belly.faded(0.85F));
    for (int i = 0; i < 4; ++i)
        p.fill_inside(Shape::line({60 + 20 * static_cast<float>(i), 16}, {52 + 20 * static_cast<float>(i), 62}, 7),
                      Tint::hex(look.mark).faded(0.75F));
    p.fill(Shape::ellipse(116, 62, 15, 7).turned(24 + swing, 116, 62), fin);
    shine(p, 128, 30, 18, 4, 0.5F);
    paint_face(p, 150, 44, 9, {182, 57}, 14, fierce);
}

constexpr float kSwing = 9;

template <int kShape, int kMood, int kTail>
void paint_fish(Painter& p, int theme) {
    using Paint = void (*)(Painter&, const Palette&, float, bool);
    static constexpr Paint kPaints[kShapes] = {paint_sailfin, paint_puffer, paint_arrow};
    kPaints[kShape](p, kFish[theme], kTail == 0 ? -kSwing : kSwing, kMood == Fierce);
}

// Orange with white bands: nobody else in the sea is.
template <int kFrame>
void paint_player(Painter& p, int) {
    const Tint body = Tint::hex(0xFF7A1E), fin = Tint::hex(0xF2581A), edge = Tint::hex(0x3A1A2A);
    const float swing = kFrame == 0 ? -6.0F : kFrame == 1 ? 6.0F : 0.0F;
    paint_tail(p, 26, 52, 25, 27, swing, fin);
    p.fill(Shape::polygon({{34, 24}, {46, 2}, {70, 6}, {78, 24}}, 4), upright(fin, 0, 26));
    p.fill(Shape::polygon({{42, 82}, {40, 98}, {62, 98}, {66, 84}}, 4), upright(fin, 78, 100));
    p.fill(Shape::ellipse(58, 53, 41, 37), shaded(body, 56, 46, 42));
    if (kFrame == kBite) p.fill(Shape::ellipse(84, 64, 15, 17), shaded(body, 80, 60, 20));
    p.outline(5, kInk);
    const auto band = [&](float x, float width) {
        p.fill_inside(Shape::line({x, 6}, {x - 3, 98}, width + 6), edge);
        p.fill_inside(Shape::line({x, 6}, {x - 3, 98}, width), kWhite);
    };
    band(32, 9);
    band(60, 13);
    p.fill_inside(Shape::ellipse(66, 90, 34, 12), body.lighter(0.35F).faded(0.7F));
    p.fill(Shape::ellipse(46, 64, 13, 9).turned(20 + swing, 46, 64), edge);
    p.fill(Shape::ellipse(46, 64, 10, 6.5F).turned(20 + swing, 46, 64), fin);
    shine(p, 48, 26, 14, 5, 0.5F);
    eye(p, 79, 40, 12, 0.5F);
    if (kFrame == kBite) {
        p.fill_inside(Shape::polygon({{104, 52}, {74, 66}, {104, 84}}, 2), kInk);
        p.fill_inside(Shape::ellipse(90, 70, 8, 4), Tint::hex(0xE0506A));
    } else {
        p.fill_inside(Shape::line({80, 69}, {97, 62}, 5), kInk);
    }
}

// One picture in all sizes.
void add_sizes(std::vector<SpriteSpec>& sprites, int type, int themes, float aspect, void (*paint)(Painter&, int)) {
    constexpr float kArtHeight = 100;
    for (int i = 0; i < kSizes; ++i) {
        const float width = 2 * (kSmallest + (kLargest - kSmallest) * static_cast<float>(i) / (kSizes - 1));
        sprites.push_back(
            {type, themes, SpriteKind::Figure, width, width / aspect, kArtHeight * aspect, kArtHeight, paint});
    }
}

template <int kShape>
void add_fish(std::vector<SpriteSpec>& sprites) {
    constexpr int kType = 2;
    for (const auto paint : {paint_fish<kShape, Timid, 0>, paint_fish<kShape, Timid, 1>, paint_fish<kShape, Fierce, 0>,
                             paint_fish<kShape, Fierce, 1>})
        add_sizes(sprites, kType, kShapes, kAspects[kShape], paint);
}

}  // namespace

const ArtTable& table() {
    static const ArtTable kTable = [] {
        ArtTable made = {"bigfish", {}};
        for (const auto paint : {paint_player<0>, paint_player<1>, paint_player<kBite>})
            add_sizes(made.sprites, 0, 1, 1, paint);
        add_fish<0>(made.sprites);
        add_fish<1>(made.sprites);
        add_fish<2>(made.sprites);
        return made;
    }();
    return kTable;
}

}  // namespace wm::art::bigfish
