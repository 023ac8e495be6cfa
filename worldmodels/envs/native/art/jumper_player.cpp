// The hare of jumper: pink, long-eared, with a yellow scarf. It faces right.
#include "art/details.h"
#include "art/jumper.h"

namespace wm::art::jumper {
namespace {

struct Pose {
    float ears;                   // degrees that they lean back
    Point back_foot, front_foot;  // where the feet are
    Point hand;
    float lift;   // of the body
    Point scarf;  // where its end flies
};

Pose pose_of(Sprite pose) {
    switch (pose) {
        case Air: return {-38, {26, 112}, {58, 108}, {82, 66}, 2, {6, 62}};
        case RunLeftA:
        case RunRightA: return {-26, {20, 106}, {74, 112}, {78, 80}, 3, {8, 70}};
        case RunLeftB:
        case RunRightB: return {-14, {44, 114}, {56, 114}, {70, 88}, 0, {10, 78}};
        default: return {-4, {38, 114}, {62, 114}, {70, 90}, 0, {22, 92}};
    }
}

const Tint kFur = Tint::hex(0xFF4FA2), kBelly = Tint::hex(0xFFF4FA), kScarf = Tint::hex(0xFFD62E);

void paint_ear(Painter& p, float x, float degrees) {
    p.fill(Shape::ellipse(x, 18, 9, 24).turned(degrees, x, 40), upright(kFur, 0, 40));
}

void paint_face(Painter& p, float y) {
    p.fill(Shape::ellipse(66, y + 11, 14, 10), kBelly);
    eye(p, 62, y - 4, 10, 0.8F);
    p.fill(Shape::ellipse(79, y + 5, 5, 4), Tint::hex(0xB01A5A));
    p.fill(Shape::rectangle(66, y + 14, 8, 8, 2), kWhite);
    p.stroke(Shape::rectangle(66, y + 14, 8, 8, 2), 1.5F, kInk.faded(0.6F));
}

}  // namespace

void paint_player(Painter& p, Sprite sprite) {
    const Pose pose = pose_of(sprite);
    const float head = 50 - pose.lift, body = 86 - pose.lift;
    paint_ear(p, 40, pose.ears - 8);
    paint_ear(p, 56, pose.ears + 8);
    p.fill(Shape::circle(22, body + 8, 11), kBelly);  // tail
    p.fill(Shape::line({38, body + 10}, pose.back_foot, 16, 14), kFur.darker(0.15F));
    p.fill(Shape::line({56, body + 10}, pose.front_foot, 16, 14), kFur);
    for (const Point& foot : {pose.back_foot, pose.front_foot})
        p.fill(Shape::ellipse(foot.x + 6, foot.y, 14, 7), shaded(kFur.darker(0.1F), foot.x, foot.y, 13));
    p.fill(Shape::ellipse(48, body, 23, 24), shaded(kFur, 48, body, 24));
    p.fill(Shape::ellipse(57, body + 3, 13, 16), kBelly);
    p.fill(Shape::line({56, body - 6}, pose.hand, 11, 12), kFur.lighter(0.1F));
    p.fill(Shape::line({40, body - 16}, pose.scarf, 12, 7), upright(kScarf, 60, 96));
    p.fill(Shape::ellipse(56, head, 29, 25), shaded(kFur, 56, head, 27));
    p.fill(Shape::line({36, body - 16}, {68, body - 13}, 12), upright(kScarf, 60, 80));
    p.outline(6, kInk);
    for (const float x : {40.0F, 56.0F})
        p.fill(Shape::ellipse(x, 18, 4, 16).turned(pose.ears + (x < 50 ? -8.0F : 8.0F), x, 40), Tint::hex(0xFFD0E4));
    paint_face(p, head);
}

}  // namespace wm::art::jumper
