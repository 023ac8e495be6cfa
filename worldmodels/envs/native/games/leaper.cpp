// Leaper
//
// A frog hops from the bottom of the world to the lilies above the last river: sitting on them gives 10 points and
// completes the level. A hop covers one cell, left, right, up or down, and lasts six steps in which no key matters.
// First come roads, whose cars end the episode; then a free bank; then rivers, on which the frog must sit on logs. A
// log carries it along; sitting in the water, or being carried out of the world, ends the episode.
//
// A level has 0 to 3 roads and as many rivers (easy), or 0 to 4, sometimes with one road or river more. Each lane has
// its own direction and speed; neighbouring rivers flow in opposite directions. Traffic arrives at random, never so
// close that two would overlap.

#include "art/leaper.h"

#include <algorithm>
#include <cmath>

#include "art/backgrounds.h"
#include "core/camera.h"
#include "core/game.h"
#include "core/sprites.h"
#include "core/variables.h"
#include "games/leaper_crossing.h"
#include "generate/draw_until.h"

namespace wm {
namespace {

using leaper::Crossing;
using leaper::Lane;
using leaper::Traveller;

const GameInfo kInfo = {
    "leaper",
    "Leaper",
    "You are a frog. Hop left, right, up or down, one cell at a time, over the roads and the rivers to the lilies: "
    "sitting on them is worth 10 points and completes the level. Do not touch a car. On a river sit on logs; they "
    "carry you along. A hop takes six steps, and you cannot change it once you have jumped off.",
    "+10 for the lilies.",
    "Sitting on the lilies completes the level; a car, the water or being carried out of the world ends the episode.",
    "5 cars, 9 floors.",
    {"hop left", "hop left", "hop left", "hop down", "sit still", "hop up", "hop right", "hop right", "hop right",
     "nothing", "nothing", "nothing", "nothing", "nothing", "nothing"},
    {{Mode::Easy, leaper::kTimeLimit}, {Mode::Hard, leaper::kTimeLimit}, {Mode::Extreme, leaper::kTimeLimit}},
    4741,  // hard: nine lanes, all that a level can have; getting across takes some 300 steps
};

constexpr float kShownHigher = 0.5f - leaper::kRadius;  // in the middle of its lane, as everything else

class Leaper final : public Game {
public:
    explicit Leaper(const GameOptions& options)
        : options_(options),
          art_(art::leaper::table(), style_of(options)),
          crossing_(leaper::rules_of(options.mode)),
          world_(static_cast<float>(leaper::rules_of(options.mode).world)) {}

    // In easy mode no way is found across one layout in 100,000 (slow, rare logs): then another is drawn.
    void reset(std::int32_t level_seed) override {
        Streams streams(level_seed);
        draw_until([&] {
            crossing_.build(streams);
            solution_ = leaper::solve(crossing_);
            return solution_ >= 0;
        });
        background_ = streams.look.below(art::background_count(art::BackgroundFamily::TopDown));
        phase_ = streams.look.uniform();
        picture_.forget();
    }

    StepResult step(int action) override { return crossing_.step(action); }

    void draw(Canvas& canvas) const override;

    Certificate certify() const override {
        const int steps = leaper::solve(crossing_);
        return {steps >= 0, steps};
    }
    int solution_length() const override { return solution_; }

    void visit(Archive& archive) override {
        archive("crossing", crossing_)("solution", solution_, solution_steps());
        archive("background", background_, below(art::background_count(art::BackgroundFamily::TopDown)));
        archive("phase", phase_, share());
        if (archive.loading()) picture_.forget();
    }

    void describe(Variables& variables) const override {
        const leaper::Frog& frog = crossing_.frog();
        Nearest car, log, above;
        const Lane *here = nullptr, *next = nullptr;
        for (const Lane& lane : crossing_.lanes()) {
            if (lane.row == frog.row()) here = &lane;
            if (lane.row == frog.row() + 1) next = &lane;
            for (const Traveller& one : lane.travellers) {
                const float dx = one.x - frog.x, dy = lane.y() - frog.y;
                (lane.river ? log : car).offer(dx, dy, lane.velocity);
                if (&lane == next) above.offer(dx, dy, lane.velocity);
            }
        }
        variables.agent(frog, {world_ / 2, world_ / 2, world_});
        variables.flag("agent.hops", !frog.at_rest());
        variables.flag("agent.on_river", here != nullptr && here->river);
        variables.cells("lilies.dy", static_cast<float>(crossing_.finish_row()) + 0.5f - frog.y);
        variables.nearest("car", car, Motion::Sideways);
        variables.nearest("log", log, Motion::Sideways);
        variables.flag("above.river", next != nullptr && next->river);
        variables.cells("above.dx", above.dx);
        variables.speed("above.vx", next != nullptr ? next->velocity : Nearest::kNone);
    }

private:
    void draw_level(Canvas& canvas, const Camera& camera, const Sheet& sheet) const;
    void draw_rivers(Canvas& canvas, const Camera& camera, const Sheet& sheet) const;

    GameOptions options_;
    Art art_;
    Crossing crossing_;
    float world_;
    std::int32_t solution_ = -1;
    std::int32_t background_ = 0;
    float phase_ = 0;
    mutable LevelPicture picture_;  // floor, roads and lilies
};

void Leaper::draw(Canvas& canvas) const {
    const Camera camera(canvas.width(), world_, world_ / 2, world_ / 2);
    const Sheet& sheet = art_.sheet(canvas.width(), world_);
    if (!picture_.copy_to(canvas)) {
        draw_level(canvas, camera, sheet);
        picture_.remember(canvas);
    }
    draw_rivers(canvas, camera, sheet);
    const Bitmap& log = sheet.get(art::leaper::Log);
    for (const Lane& lane : crossing_.lanes())
        for (const Traveller& traveller : lane.travellers)
            draw_centred(canvas, camera,
                         lane.river ? log : sheet.get(art::leaper::Car, {traveller.look, lane.velocity < 0}),
                         traveller.x, lane.y());
    const leaper::Frog& frog = crossing_.frog();
    // A hop shows each of the five pictures once: fast means early.
    const float speed = std::max(std::fabs(frog.vx), std::fabs(frog.vy));
    const int frame = speed < leaper::kBrake / 2
                          ? 0
                          : std::clamp(5 - floor_int(speed / leaper::kBrake + 0.5f), 1, art::leaper::kFrogFrames - 1);
    draw_centred(canvas, camera, sheet.get(art::leaper::Frog, {frame, false, frog.facing}), frog.x,
                 frog.y + kShownHigher);
    if (options_.paint_vel_info) canvas.paint_velocity(frog.vx / leaper::kJumpSpeed, frog.vy / leaper::kJumpSpeed);
}

void fill_row(Canvas& canvas, const Camera& camera, int row, const Bitmap& pattern, int shift = 0) {
    const int top = camera.row_edge(row + 1);
    canvas.fill_pattern(0, top, canvas.width(), camera.row_edge(row) - top, pattern, shift, 0);
}

void Leaper::draw_level(Canvas& canvas, const Camera& camera, const Sheet& sheet) const {
    art::draw_background_or_black(canvas, options_, art::BackgroundFamily::TopDown, background_, camera, world_,
                                  phase_);
    for (const Lane& lane : crossing_.lanes())
        if (!lane.river) fill_row(canvas, camera, lane.row, sheet.get(art::leaper::Road));
    fill_row(canvas, camera, crossing_.finish_row(), sheet.get(art::leaper::Finish));
}

// Each river flows as fast as its logs.
void Leaper::draw_rivers(Canvas& canvas, const Camera& camera, const Sheet& sheet) const {
    const Bitmap& water = sheet.get(art::leaper::Water);
    for (const Lane& lane : crossing_.lanes()) {
        if (!lane.river) continue;
        const float flowed = lane.velocity * static_cast<float>(crossing_.steps()) * camera.scale();
        fill_row(canvas, camera, lane.row, water, wrap(-floor_int(flowed), water.width));
    }
}

}  // namespace

namespace games {
GameEntry leaper() { return {&kInfo, make_game<Leaper>}; }
}  // namespace games

}  // namespace wm
