// Plunder
//
// A ship at the lower edge of the sea sails left and right and fires cannon balls upwards. Above, ships of two looks
// cross in five lanes: the look on the red disc is the enemy's, the other is the player's own. Sinking an enemy gives 1
// point and time; sinking a friend costs time, and so does every shot. When the time is up the episode ends. The
// twentieth enemy is worth 10 more points and completes the level.
//
// Ships are half as large again in easy mode; in hard mode up to three wooden panels catch balls. Chance decides which
// ships come, but whoever shoots well always meets enough enemies in time.

#include "art/plunder.h"

#include <algorithm>

#include "art/backgrounds.h"
#include "art/effects.h"
#include "art/scenery.h"
#include "core/camera.h"
#include "core/effects.h"
#include "core/game.h"
#include "core/numbers.h"
#include "core/physics.h"
#include "core/sprites.h"
#include "core/variables.h"

namespace wm {
namespace {

const GameInfo kInfo = {
    "plunder",
    "Plunder",
    "Sail left and right below the lanes of two fleets and fire upwards. Sink ships like the one on the red disc: each "
    "is worth 1 point and gives time. Every shot costs a little time, and sinking a ship that looks like yours costs "
    "much. The 20th ship is worth 10 more points and completes the level. The upper bar shows the time left, the lower "
    "one the ships sunk.",
    "+1 for each enemy ship, +10 for the 20th.",
    "Sinking 20 enemy ships completes the level; running out of time ends the episode.",
    "6 ships, 4 backgrounds.",
    {"sail left", "sail left", "sail left", "drift", "drift", "drift", "sail right", "sail right", "sail right", "fire",
     "nothing", "nothing", "nothing", "nothing", "nothing"},
    {{Mode::Easy, 4000}, {Mode::Hard, 4000}},
};

constexpr int kWorld = 20;  // cells, both ways
constexpr float kSize = kWorld;
constexpr float kMaxSpeed = 0.85f;
constexpr float kLegendWidth = 2 * art::plunder::kDiscRadius;  // where the player's ship may not go
constexpr float kMargin = 1;                                   // of the player's ship, below

constexpr int kFire = 1;    // special action
constexpr int kReload = 3;  // steps
constexpr float kBallRadius = 0.25f, kBallSpeed = 1;

constexpr float kTimePerStep = 0.0015f, kTimePerShot = 0.02f, kTimePerShip = 0.1f;
constexpr int kGoal = 20;  // enemies to sink
constexpr float kShipReward = 1, kFinalReward = 10;

constexpr int kLanes = 5;
constexpr float kLowestLane = 0.4f, kLaneDistance = 0.11f;  // parts of the upper half of the sea
constexpr float kSlowest = 0.15f, kFastest = 0.25f;
constexpr float kArrival = 0.06f;  // probability of a ship in a step
// Chance alone would leave one easy level in 300 with too few enemies to be won: on the average one comes at least this
// often, from some step on.
constexpr int kLongestWait = 42, kPatience = 280;
constexpr int kMostPanels = 3;
constexpr int kMostEntities = 200;  // of a loaded state: far more than ever sail
constexpr float kPanelsFrom = 5, kPanelsTo = 10;

constexpr Colour kTimeColour = {66, 245, 135}, kGoalColour = {245, 66, 144};

enum Type : std::int16_t { kAgent, kBall, kPanel, kShip };

class Plunder final : public Game {
public:
    explicit Plunder(const GameOptions& options)
        : options_(options),
          ship_radius_(options.mode == Mode::Easy ? art::plunder::kLargeShip : art::plunder::kSmallShip),
          art_(art::plunder::table(options.mode == Mode::Easy), style_of(options)) {}

    void reset(std::int32_t level_seed) override;
    StepResult step(int action) override;
    void draw(Canvas& canvas) const override;
    Certificate certify() const override;

    void visit(Archive& archive) override {
        using namespace art::plunder;
        const FloatRange sea = within(-2, kWorld + 2);
        constexpr EffectRanges::Kind kExplosion = {Explosion, art::kExplosionFrames};
        archive("entities", entities_, within(1, kMostEntities), entity_ranges(sea));
        archive("explosions", explosions_, effect_count(), EffectRanges{sea, sea, {kExplosion, kExplosion}});
        archive("lanes", lanes_, exactly(kLanes), either_way(kFastest))("target", target_, below(kShips));
        archive("time", time_, within(-kTimePerShip * kMostEntities, 1));
        archive("sunk", sunk_, within(0, kGoal + kMostEntities))("enemies", enemies_, step_count());
        archive("steps", steps_, step_count())("reload", reload_, within(0, kReload))("play", play_);
        archive("background", background_, below(art::kSeas))("phase", phase_, share());
        if (archive.loading()) picture_.forget();
        if (archive.checking()) require_state(only_first_is(entities_, kAgent), "the player's ship comes first");
    }

    void describe(Variables& variables) const override {
        const Entity& agent = entities_[0];
        const auto enemy = [this](const Entity& e) { return is_target(e); };
        const auto friendly = [this](const Entity& e) { return e.type == kShip && !is_target(e); };
        variables.look_from(agent.x, agent.y, {kSize / 2, kSize / 2, kSize});
        variables.cells("agent.x", agent.x);
        variables.speed("agent.vx", agent.vx);
        variables.share("time", std::max(time_, 0.0f));
        variables.count("sunk", sunk_);
        variables.steps("agent.reload", reload_);
        variables.nearest("enemy", entities_, enemy, Motion::Sideways);
        variables.nearest("friend", entities_, friendly, Motion::Sideways);
        variables.count("enemies", entities_, enemy);
        variables.count("friends", entities_, friendly);
        variables.nearest("ball", entities_, is_a(kBall));
        if (options_.mode != Mode::Easy) variables.nearest("panel", entities_, is_a(kPanel));
    }

private:
    EntityRanges entity_ranges(const FloatRange& sea) const {
        EntityRanges r(sea, kBallSpeed, within(kBallRadius, art::plunder::kLargeShip), within(kAgent, kShip));
        r.theme = below(art::plunder::kShips);
        return r;
    }
    Entity new_ship(float x, float y, int theme) const;
    void place_panels(Random& random);
    void move_all(const Move& move);
    float resolve_hits();
    void hit(Entity& ball, Entity& other, float& reward);
    void launch(bool overdue);
    void fire();
    int aimed_action() const;
    static bool will_hit(float x, float y, const Entity& other, int later);
    bool is_target(const Entity& e) const { return e.type == kShip && e.theme == target_; }
    void draw_level(Canvas& canvas, const Camera& camera, const Sheet& sheet) const;
    void draw_bars(Canvas& canvas, const Camera& camera) const;

    GameOptions options_;
    float ship_radius_;  // half the length of a ship
    Art art_;
    Grid grid_{kWorld, kWorld};
    Entities entities_;
    Effects explosions_;
    std::vector<float> lanes_ = std::vector<float>(kLanes);  // velocities
    std::int16_t target_ = 0;  // the look of the enemy's ships; friends look like the agent
    float time_ = 1;
    std::int32_t sunk_ = 0;
    std::int32_t enemies_ = 0;  // that have come
    std::int32_t steps_ = 0;
    std::int32_t reload_ = 0;  // steps until the next shot
    Random play_;
    std::int32_t background_ = 0;
    float phase_ = 0;
    mutable LevelPicture picture_;  // the sea, the panels and the legend
};

Entity Plunder::new_ship(float x, float y, int theme) const {
    Entity ship;
    ship.x = x;
    ship.y = y;
    ship.rx = ship_radius_;
    ship.ry = ship_radius_ / art::plunder::kShipAspect;
    ship.theme = static_cast<std::int16_t>(theme);
    return ship;
}

void Plunder::reset(std::int32_t level_seed) {
    Streams streams(level_seed);
    target_ = static_cast<std::int16_t>(streams.level.below(art::plunder::kShips));
    const int friendly = (target_ + 1 + streams.level.below(art::plunder::kShips - 1)) % art::plunder::kShips;
    const float x = streams.level.uniform(kLegendWidth + ship_radius_, kSize - ship_radius_);
    Entity agent = new_ship(x, 0, friendly);
    agent.y = kMargin + agent.ry;
    agent.type = kAgent;
    entities_.assign(1, agent);
    for (float& velocity : lanes_) {
        const float speed = streams.level.uniform(kSlowest, kFastest);
        velocity = streams.level.coin() ? speed : -speed;
    }
    if (options_.mode != Mode::Easy) place_panels(streams.level);
    explosions_.clear();
    time_ = 1;
    sunk_ = enemies_ = steps_ = 0;
    reload_ = kReload;
    play_ = streams.play;
    background_ = streams.look.below(art::kSeas);
    phase_ = streams.look.uniform();
    picture_.forget();
}

void Plunder::place_panels(Random& random) {
    for (int left = random.below(kMostPanels + 1); left > 0; --left) {
        Entity panel;
        panel.type = kPanel;
        panel.rx = art::plunder::kPanelX;
        panel.ry = art::plunder::kPanelY;
        while (!place_inside(panel, entities_, random, 0, kPanelsFrom, kSize, kPanelsTo - kPanelsFrom)) continue;
        entities_.push_back(panel);
    }
}

StepResult Plunder::step(int action) {
    const Move move = decode_action(action);
    move_all(move);
    StepResult result{resolve_hits(), false, false};
    remove_dead(entities_, grid_);
    ++steps_;
    const bool overdue = enemies_ * kLongestWait + kPatience < steps_;
    if (play_.chance(kArrival) || overdue) launch(overdue);
    if (reload_ > 0) --reload_;
    if (move.special == kFire && reload_ == 0) fire();
    time_ -= kTimePerStep;
    result.terminated = time_ <= 0;
    time_ = std::min(time_, 1.0f);
    if (sunk_ >= kGoal) {
        result.reward += kFinalReward;
        result.terminated = result.level_complete = true;
    }
    return result;
}

void Plunder::move_all(const Move& move) {
    Entity& agent = entities_[0];
    agent.vx = steer(agent.vx, move.x, kMaxSpeed);
    drift_inside(agent, kSize, kSize);
    agent.x = std::max(agent.x, kLegendWidth + agent.rx);
    for (std::size_t i = 1; i < entities_.size(); ++i) drift(entities_[i]);
    grow_older(explosions_);
}

float Plunder::resolve_hits() {
    float reward = 0;
    for (Entity& ball : entities_) {
        if (ball.type != kBall) continue;
        for (std::size_t i = entities_.size(); i-- > 1 && !ball.dead;)
            if (!entities_[i].dead && entities_[i].type != kBall && overlap(ball, entities_[i]))
                hit(ball, entities_[i], reward);
    }
    return reward;
}

void Plunder::hit(Entity& ball, Entity& other, float& reward) {
    ball.dead = true;
    if (other.type != kShip) return;
    other.dead = true;
    explosions_.push_back({other.x, other.y, art::plunder::Explosion, art::kExplosionFrames});
    if (is_target(other)) {
        time_ += kTimePerShip;
        reward += kShipReward;
        ++sunk_;
    } else {
        time_ -= kTimePerShip;
    }
}

// A ship enters where its lane begins, unless something is still there. It is the enemy's by chance, or for certain.
void Plunder::launch(bool overdue) {
    const int lane = play_.below(kLanes);
    const float velocity = lanes_[static_cast<std::size_t>(lane)];
    const float half = kSize / 2, height = kLowestLane + kLaneDistance * static_cast<float>(lane);
    const bool enemy = play_.coin() || overdue;
    Entity ship = new_ship(velocity > 0 ? -ship_radius_ : kSize + ship_radius_, half + height * (half - ship_radius_),
                           enemy ? target_ : entities_[0].theme);
    ship.type = kShip;
    ship.vx = velocity;
    ship.mirrored = velocity < 0;
    if (std::any_of(entities_.begin(), entities_.end(), [&](const Entity& e) { return overlap(e, ship); })) return;
    entities_.push_back(ship);
    enemies_ += enemy;
}

// The ball moves for the first time in the next step.
void Plunder::fire() {
    Entity ball;
    ball.type = kBall;
    ball.rx = ball.ry = kBallRadius;
    ball.x = entities_[0].x;
    ball.y = entities_[0].y;
    ball.vy = kBallSpeed;
    entities_.push_back(ball);
    reload_ = kReload;
    time_ -= kTimePerShot;
}

// Will a ball that is at (x, y) some steps later touch the other thing, if nothing else is in its way?
bool Plunder::will_hit(float x, float y, const Entity& other, int later) {
    const float reach = kBallRadius + other.ry;
    for (int flight = std::max(floor_int(other.y - reach - y), 0);; ++flight) {
        const float apart = y + kBallSpeed * static_cast<float>(flight) - other.y;
        if (apart >= reach) return false;
        const float there = other.x + other.vx * static_cast<float>(later + flight);
        if (apart > -reach && std::fabs(x - there) < kBallRadius + other.rx) return true;
    }
}

// What a careful gunner does: looks for the earliest moment at which a ball could be fired that meets an enemy which no
// ball is on its way to, with neither a friend nor a panel in between; goes to the place, and fires when it is time.
int Plunder::aimed_action() const {
    constexpr int kLeft = 1, kWait = 4, kRight = 7, kFireAction = 9, kForesight = 80, kStride = 4;
    const Entity& agent = entities_[0];
    const auto any = [&](auto test) { return std::any_of(entities_.begin() + 1, entities_.end(), test); };
    // Firing takes a step, in which everything moves: so does the ball, from one step below the gun.
    const float x = agent.x + steer(agent.vx, 0, kMaxSpeed), y = agent.y - kBallSpeed;
    const float left = kLegendWidth + agent.rx, right = kSize - agent.rx;
    int soonest = kForesight;
    float way = (left + right) / 2 - x;  // with nothing to aim at, to the middle
    for (const Entity& ship : entities_) {
        if (!is_target(ship) || any([&](const Entity& e) { return e.type == kBall && will_hit(e.x, e.y, ship, 0); }))
            continue;
        for (int later = 0; later < soonest; later += kStride) {
            const float steps = static_cast<float>(later) + (ship.y - y) / kBallSpeed,
                        meeting = ship.x + ship.vx * steps;
            const float place = later == 0 ? x : meeting, hurry = 0.7f * kMaxSpeed * static_cast<float>(later);
            if (place < left || place > right || std::fabs(meeting - x) > hurry + 0.8f * ship.rx) continue;
            if (!will_hit(place, y, ship, later)) continue;
            if (any([&](const Entity& e) { return e.type != kBall && !is_target(e) && will_hit(place, y, e, later); }))
                continue;
            soonest = later;
            way = meeting - x;
        }
    }
    if (soonest == 0 && reload_ <= 1) return kFireAction;
    return std::fabs(way) < 0.2f ? kWait : way < 0 ? kLeft : kRight;
}

// Plays the level to its end.
Certificate Plunder::certify() const {
    Plunder game(*this);
    for (int steps = 1; steps <= kInfo.modes[0].time_limit; ++steps) {
        const StepResult result = game.step(game.aimed_action());
        if (result.level_complete) return {true, steps};
        if (result.terminated) break;
    }
    return {false, -1};
}

void Plunder::draw_level(Canvas& canvas, const Camera& camera, const Sheet& sheet) const {
    using namespace art::plunder;
    art::draw_background_or_black(canvas, options_, art::BackgroundFamily::Water, background_, camera, kSize, phase_);
    for (const Entity& e : entities_)
        if (e.type == kPanel) draw_centred(canvas, camera, sheet.get(Panel), e.x, e.y);
    draw_centred(canvas, camera, sheet.get(LegendDisc), kDiscRadius, kDiscRadius);
    draw_centred(canvas, camera, sheet.get(LegendShip, target_), kDiscRadius, kDiscRadius);
}

// The time left above, the ships sunk below it: a cell for each, the time on the same scale.
void Plunder::draw_bars(Canvas& canvas, const Camera& camera) const {
    constexpr float kInset = 0.25f, kThickness = 0.5f;
    const auto pixels = [&](float cells) { return static_cast<int>(cells * camera.scale() + 0.5f); };
    const int left = pixels(kInset), height = pixels(kThickness);
    canvas.fill_rectangle(left, left, pixels(kSize * std::max(time_, 0.0f)), height, kTimeColour);
    canvas.fill_rectangle(left, left + height, pixels(kSize * static_cast<float>(sunk_) / kGoal), height, kGoalColour);
}

void Plunder::draw(Canvas& canvas) const {
    using namespace art::plunder;
    const Camera camera(canvas.width(), kWorld, kSize / 2, kSize / 2);
    const Sheet& sheet = art_.sheet(canvas.width(), kWorld);
    if (!picture_.copy_to(canvas)) {
        draw_level(canvas, camera, sheet);
        picture_.remember(canvas);
    }
    for (const Entity& e : entities_) {
        if (e.type == kShip) draw_centred(canvas, camera, sheet.get(Ship, {e.theme, e.mirrored}), e.x, e.y);
        if (e.type == kBall) draw_centred(canvas, camera, sheet.get(Ball), e.x, e.y);
    }
    const Entity& agent = entities_[0];
    draw_centred(canvas, camera, sheet.get(PlayerShip, agent.theme), agent.x, agent.y);
    draw_effects(canvas, camera, sheet, explosions_);
    draw_bars(canvas, camera);
}

}  // namespace

namespace games {
GameEntry plunder() { return {&kInfo, make_game<Plunder>}; }
}  // namespace games

}  // namespace wm
