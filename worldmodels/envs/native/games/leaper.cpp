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

#include "core/backgrounds.h"
#include "core/camera.h"
#include "core/entity.h"
#include "core/game.h"
#include "core/numbers.h"
#include "core/rng.h"
#include "core/sprites.h"
#include "generate/search.h"

namespace wm {
namespace {

constexpr int kTimeLimit = 500;  // steps

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
    {{Mode::Easy, kTimeLimit}, {Mode::Hard, kTimeLimit}, {Mode::Extreme, kTimeLimit}},
    0,
};

constexpr float kReward = 10;
constexpr float kRadius = 0.4f;     // of the frog
constexpr float kJumpSpeed = 0.5f;  // from which the first step already takes kBrake: 0.4, 0.3, 0.2, 0.1, (nearly) 0
constexpr float kBrake = 0.1f;      // speed lost in each step
constexpr int kHopSteps = 6;        // the rounding of 0.5 - 5 * 0.1 makes the sixth
constexpr float kProbe = 0.98f;     // of the radius: a border is met a little inside the frog
constexpr float kOnLog = 0.45f;     // the largest distance from the middle of a log, both ways
constexpr float kShownHigher = 0.5f - kRadius;  // in the middle of its lane, as everything else
constexpr int kMostTravellers = 26;             // that fit into a lane of the widest world

// What travels on a lane.
struct Kind {
    float rx, ry;
    float entry;  // outside the border, where it appears
    float rate;   // arrivals a step at a speed of one
};

constexpr Kind kCar = {0.5f, 0.25f, 0.25f, 1.0f / 6};
constexpr Kind kLog = {0.45f, 0.45f, 0.45f, 1.0f / 2};

// What a mode decides.
struct Rules {
    int world;  // cells, both ways
    float car_slow, car_fast, log_slow, log_fast;
    int difficulties;
    bool varied;  // banks of one or two rows, and additional lanes
};

constexpr Rules kEasy = {9, 0.03f, 0.12f, 0.025f, 0.075f, 4, false};
constexpr Rules kHard = {15, 0.05f, 0.2f, 0.05f, 0.1f, 5, true};
constexpr Rules kExtreme = {20, 0.1f, 0.3f, 0.1f, 0.2f, 5, true};

const Rules& rules_of(Mode mode) { return mode == Mode::Easy ? kEasy : mode == Mode::Extreme ? kExtreme : kHard; }

struct Traveller {
    float x = 0;
    std::int16_t look = 0;

    void visit(Archive& archive) { archive("x", x)("look", look); }
};

struct Lane {
    std::int32_t row = 0;
    bool river = false;
    float velocity = 0;
    std::vector<Traveller> travellers;  // the first to come is the first to go

    const Kind& kind() const { return river ? kLog : kCar; }
    float y() const { return static_cast<float>(row) + 0.5f; }
    float entry(float world) const { return velocity > 0 ? -kind().entry : world + kind().entry; }

    void visit(Archive& archive) {
        archive("row", row)("river", river)("velocity", velocity)("travellers", travellers);
    }
};

class Leaper final : public Game {
public:
    explicit Leaper(const GameOptions& options)
        : options_(options),
          rules_(rules_of(options.mode)),
          world_(static_cast<float>(rules_.world)),
          art_(art::leaper::table(),
               {options.use_generated_assets, options.use_monochrome_assets, options.restrict_themes}) {}

    void reset(std::int32_t level_seed) override {
        streams_ = Streams(level_seed);
        frog_ = Entity();
        frog_.x = streams_.level.uniform(kRadius, world_ - kRadius);
        frog_.y = kRadius;
        facing_ = 0;
        steps_ = 0;
        build_lanes(streams_.level);
        for (Lane& lane : lanes_) fill_lane(lane);
        background_ = streams_.look.below(background_count(BackgroundFamily::TopDown));
        phase_ = streams_.look.uniform();
        picture_.forget();
    }

    StepResult step(int action) override {
        ++steps_;
        move_frog(decode_action(action));
        for (Lane& lane : lanes_) move_lane(lane);
        return meet_lanes();
    }

    void draw(Canvas& canvas) const override;

    Certificate certify() const override {
        constexpr int kMostNodes = 50000;
        const int steps = solve_by_playing(*this, Upwards(), kMostNodes, kTimeLimit);
        return {steps >= 0, steps};
    }

    void visit(Archive& archive) override {
        archive("frog", frog_)("facing", facing_)("lanes", lanes_)("finish_row", finish_row_);
        archive("streams", streams_)("steps", steps_)("background", background_)("phase", phase_);
        if (archive.loading()) picture_.forget();
    }

private:
    // How to look for a solution: whatever is furthest up first, but a row is worth no endless waiting.
    struct Upwards {
        std::array<HeldAction, 5> moves(const Leaper&) const {
            return {{{3, kHopSteps}, {1, kHopSteps}, {7, kHopSteps}, {4, 2}, {5, kHopSteps}}};
        }
        float distance(const Leaper& game) const {
            constexpr int kWorthWaiting = 24;  // steps
            return static_cast<float>(game.steps_ - kWorthWaiting * floor_int(game.frog_.y));
        }
        std::uint64_t key(const Leaper& game) const {
            const std::uint64_t place = folded(floor_int(game.frog_.y), floor_int(game.frog_.x * 3));
            return folded(place, game.steps_ / 2);  // traffic makes time matter
        }
    };

    bool at_rest() const { return frog_.vx == 0 && frog_.vy == 0; }
    void build_lanes(Random& level);
    void add_lane(int row, bool river, float velocity);
    void fill_lane(Lane& lane);
    void arrive(Lane& lane, float travelled);
    void move_frog(const Move& move);
    void hop(float& position, float& velocity);
    void move_lane(Lane& lane);
    StepResult meet_lanes();
    void draw_level(Canvas& canvas, const Camera& camera, const Sheet& sheet) const;
    void draw_rivers(Canvas& canvas, const Camera& camera, const Sheet& sheet) const;

    GameOptions options_;
    const Rules& rules_;
    float world_;
    Art art_;
    Streams streams_;
    Entity frog_;
    std::int32_t facing_ = 0;  // quarter turns clockwise from up
    std::vector<Lane> lanes_;  // from below
    std::int32_t finish_row_ = 0;
    std::int32_t steps_ = 0;
    std::int32_t background_ = 0;
    float phase_ = 0;
    mutable LevelPicture picture_;  // floor, roads and lilies
};

void Leaper::add_lane(int row, bool river, float velocity) {
    Lane lane;
    lane.row = row;
    lane.river = river;
    lane.velocity = velocity;
    lane.travellers.reserve(kMostTravellers);
    lanes_.push_back(std::move(lane));
}

void Leaper::build_lanes(Random& level) {
    constexpr int kExtraRoad = 2, kExtraRiver = 3;
    const auto bank = [&] { return 1 + (rules_.varied ? level.below(2) : 0); };
    lanes_.clear();
    int row = bank();
    const int difficulty = level.below(rules_.difficulties);
    const int extra = rules_.varied ? level.below(4) : 0;
    for (int i = 0; i < difficulty + (extra == kExtraRoad); ++i) {
        const float speed = level.uniform(rules_.car_slow, rules_.car_fast);
        add_lane(row++, false, level.coin() ? speed : -speed);
    }
    row += bank();
    float direction = level.coin() ? 1.0f : -1.0f;
    for (int i = 0; i < difficulty + (extra == kExtraRiver); ++i) {
        add_lane(row++, true, direction * level.uniform(rules_.log_slow, rules_.log_fast));
        direction = -direction;
    }
    finish_row_ = row;
}

// Traffic as it is after everything has crossed the world: a slow log takes `warm_up` steps. Nobody watches, so only
// the times of arrival are drawn, and everything is put where it has got to by now.
void Leaper::fill_lane(Lane& lane) {
    const Kind& kind = lane.kind();
    const float speed = std::fabs(lane.velocity), chance = speed * kind.rate;
    const int warm_up = static_cast<int>(world_ / rules_.log_slow);
    const int apart = -floor_int(-2 * kind.rx / speed);  // steps until the way is free again
    const int crossing = static_cast<int>((world_ + kind.entry + kind.rx) / speed);
    for (int left = warm_up; left > 0; --left) {
        if (!streams_.level.chance(chance)) continue;
        if (left <= crossing) arrive(lane, static_cast<float>(left) * lane.velocity);
        left -= apart - 1;
    }
}

void Leaper::arrive(Lane& lane, float travelled) {
    const int look = lane.river ? 0 : streams_.look.below(art::leaper::kCars);
    lane.travellers.push_back({lane.entry(world_) + travelled, static_cast<std::int16_t>(look)});
}

// One of the two speeds is zero.
void Leaper::move_frog(const Move& move) {
    if (at_rest() && (move.x != 0 || move.y != 0)) {
        facing_ = move.x != 0 ? 2 - move.x : 1 - move.y;  // sideways wins on diagonals
        (move.x != 0 ? frog_.vx : frog_.vy) = kJumpSpeed * static_cast<float>(move.x != 0 ? move.x : move.y);
    }
    hop(frog_.x, frog_.vx);
    hop(frog_.y, frog_.vy);
}

// Four small moves, and each that a border stops costs its share of the speed. Who was carried half out of the world
// may hop back, and on to other lanes, but not further out.
void Leaper::hop(float& position, float& velocity) {
    constexpr int kMoves = 4;
    constexpr float kReach = kProbe * kRadius;
    velocity = velocity > kBrake ? velocity - kBrake : velocity < -kBrake ? velocity + kBrake : 0;
    if (velocity == 0) return;
    const float part = velocity / kMoves;
    int free = 0;
    for (int i = 0; i < kMoves; ++i) {
        const float next = position + part;
        if (part < 0 && next - kReach < 0) position = std::min(position, kRadius);
        else if (part > 0 && next + kReach >= world_) position = std::max(position, world_ - kRadius);
        else position = next, ++free;
    }
    velocity *= static_cast<float>(free) / kMoves;
}

void Leaper::move_lane(Lane& lane) {
    const Kind& kind = lane.kind();
    std::vector<Traveller>& travellers = lane.travellers;
    for (Traveller& traveller : travellers) traveller.x += lane.velocity;
    if (!travellers.empty()) {
        const float first = travellers.front().x;
        if (first + kind.rx < 0 || first - kind.rx > world_) travellers.erase(travellers.begin());
    }
    const float entry = lane.entry(world_);
    if (!travellers.empty() && std::fabs(travellers.back().x - entry) < 2 * kind.rx) return;
    const bool frog_in_the_way =
        std::fabs(frog_.x - entry) < kind.rx + kRadius && std::fabs(frog_.y - lane.y()) < kind.ry + kRadius;
    if (!frog_in_the_way && streams_.play.chance(std::fabs(lane.velocity) * kind.rate)) arrive(lane, 0);
}

StepResult Leaper::meet_lanes() {
    const float drift_from = frog_.x;
    bool hit = false, in_water = false;
    for (const Lane& lane : lanes_) {
        const float above = std::fabs(frog_.y - lane.y());
        if (lane.river && above < kOnLog) {
            bool carried = false;
            for (const Traveller& log : lane.travellers) carried = carried || std::fabs(log.x - drift_from) < kOnLog;
            if (carried) frog_.x += lane.velocity;
            else in_water = at_rest() && floor_int(frog_.y) == lane.row;
        } else if (!lane.river && above < kCar.ry + kRadius) {
            for (const Traveller& car : lane.travellers) hit = hit || std::fabs(car.x - frog_.x) < kCar.rx + kRadius;
        }
    }
    const bool outside = frog_.right() < 0 || frog_.left() > world_;
    if (hit || in_water || outside) return {0, true, false};
    if (at_rest() && floor_int(frog_.y) == finish_row_) return {kReward, true, true};
    return {};
}

void Leaper::draw(Canvas& canvas) const {
    using namespace art::leaper;
    const Camera camera(canvas.width(), world_, world_ / 2, world_ / 2);
    const Sheet& sheet = art_.sheet(canvas.width(), world_);
    if (!picture_.copy_to(canvas)) {
        draw_level(canvas, camera, sheet);
        picture_.remember(canvas);
    }
    draw_rivers(canvas, camera, sheet);
    const Bitmap& log = sheet.get(Log);
    for (const Lane& lane : lanes_)
        for (const Traveller& traveller : lane.travellers)
            draw_centred(canvas, camera, lane.river ? log : sheet.get(Car, {traveller.look, lane.velocity < 0}),
                         traveller.x, lane.y());
    // A hop shows each of the five pictures once: fast means early.
    const float speed = std::max(std::fabs(frog_.vx), std::fabs(frog_.vy));
    const int frame = speed < kBrake / 2 ? 0 : std::clamp(5 - floor_int(speed / kBrake + 0.5f), 1, kFrogFrames - 1);
    draw_centred(canvas, camera, sheet.get(Frog, {frame, false, facing_}), frog_.x, frog_.y + kShownHigher);
    if (options_.paint_vel_info) canvas.paint_velocity(frog_.vx / kJumpSpeed, frog_.vy / kJumpSpeed);
}

void fill_row(Canvas& canvas, const Camera& camera, int row, const Bitmap& pattern, int shift = 0) {
    const int top = camera.row_edge(row + 1);
    canvas.fill_pattern(0, top, canvas.width(), camera.row_edge(row) - top, pattern, shift, 0);
}

void Leaper::draw_level(Canvas& canvas, const Camera& camera, const Sheet& sheet) const {
    if (options_.use_backgrounds)
        draw_background(canvas, {BackgroundFamily::TopDown, background_, options_.use_generated_assets}, camera, world_,
                        phase_);
    else canvas.fill({});
    for (const Lane& lane : lanes_)
        if (!lane.river) fill_row(canvas, camera, lane.row, sheet.get(art::leaper::Road));
    fill_row(canvas, camera, finish_row_, sheet.get(art::leaper::Finish));
}

// Each river flows as fast as its logs.
void Leaper::draw_rivers(Canvas& canvas, const Camera& camera, const Sheet& sheet) const {
    const Bitmap& water = sheet.get(art::leaper::Water);
    for (const Lane& lane : lanes_) {
        if (!lane.river) continue;
        const float flowed = lane.velocity * static_cast<float>(steps_) * camera.scale();
        fill_row(canvas, camera, lane.row, water, wrap(-floor_int(flowed), water.width));
    }
}

}  // namespace

namespace games {
GameEntry leaper() { return {&kInfo, make_game<Leaper>}; }
}  // namespace games

}  // namespace wm
