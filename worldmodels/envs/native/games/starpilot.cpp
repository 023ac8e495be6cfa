// StarPilot
//
// A ship flies through space in all eight directions. From the right come flyers in groups of one to five, some
// straight, some at an angle; each fires once, at where the ship is. In hard and extreme mode there are also fast
// flyers, meteors, turrets that fire again and again, clouds that only hide things, and flyers from behind. A special
// action fires a shot instead of moving, every step if you like: A backwards, the others forwards. A shot takes one
// from the health of what it hits; what has none left is worth 1 point. Touching anything but a cloud ends the episode.
// On step 500 a rocket as high as the world comes in: touching it gives 10 points and completes the level.

#include "art/starpilot.h"

#include <algorithm>

#include "art/backgrounds.h"
#include "art/effects.h"
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
    "starpilot",
    "StarPilot",
    "Fly through space in eight directions. Special actions fire forwards or backwards instead of moving. "
    "Each enemy that you shoot down is worth 1 point. Ships, meteors, turrets and their shots end the episode when "
    "they touch you; clouds only hide things. After 500 steps a rocket comes: touch it for 10 points and a complete "
    "level.",
    "+1 for each enemy shot down, +10 for the rocket.",
    "Touching the rocket completes the level; ships, meteors, turrets and their shots end the episode.",
    "7 ships, 8 meteors, 9 clouds, 2 turrets, 4 rockets, 13 backgrounds.",
    {"fly left and down", "fly left", "fly left and up", "fly down", "drift", "fly up", "fly right and down",
     "fly right", "fly right and up", "fire forwards", "fire backwards", "fire forwards", "fire forwards",
     "fire forwards", "fire forwards"},
    {{Mode::Easy, 1000}, {Mode::Hard, 1000}, {Mode::Extreme, 1000}},
};

constexpr int kWorld = 16;  // cells, both ways
constexpr float kSize = kWorld;
constexpr int kFinishStep = 500;  // the rocket sets off, and no group starts later
constexpr float kFinishReward = 10;
constexpr float kScroll = 0.2f;    // cells a step, of the background
constexpr int kMemberDelay = 5;    // steps between the members of a group
constexpr int kFireBackwards = 2;  // special action
constexpr float kPlayerShotSpeed = 0.8f;
constexpr float kFromBehind = 0.1f;  // probability
constexpr float kWidestAngle = 45;   // degrees
constexpr float kShownSpeed = 0.5f;  // upwards, of a full square of paint_vel_info

// In the order of their sprites.
enum Type : std::int16_t { Agent, PlayerShot, FlyerShot, TurretShot, Flyer, Meteor, Cloud, Turret, FastFlyer, Finish };

// What a mode decides.
struct Rules {
    float agent_speed, flyer_speed, flyer_shot_speed, shot_radius;
    int flyer_health, fast_health, turret_health;
    int other_kinds;  // weight of each kind beside the flyers, which have 3
    bool from_behind;
};

constexpr Rules kEasy = {0.75f, 0.3f, 0.5f, 0.4f, 2, 1, 5, 0, false};
constexpr Rules kHard = {0.75f, 0.4f, 0.8f, 0.4f, 2, 1, 5, 1, true};
constexpr Rules kExtreme = {0.5f, 0.4f, 0.8f, 0.2f, 5, 2, 10, 1, true};

constexpr float kFastSpeed = 0.6f, kSlowSpeed = 0.2f, kTurretShotSpeed = 0.8f;
constexpr int kFlyerWeight = 3, kMeteorHealth = 500;
constexpr float kFastest = 1;  // of anything, along each axis
constexpr int kLongestTimer = 100;
constexpr int kMostEntities = 500;  // of a loaded state: far more than ever fly, or arrive
constexpr FloatRange kPlaces = {-kSize / 2 - 1, kSize + kSize / 2 + 1};
constexpr Type kOtherKinds[] = {FastFlyer, Meteor, Cloud, Turret};

const Rules& rules_of(Mode mode) { return mode == Mode::Easy ? kEasy : mode == Mode::Extreme ? kExtreme : kHard; }

constexpr bool is_one_of(int type, unsigned types) { return (types >> type & 1) != 0; }
constexpr unsigned kFlyers = 1u << Flyer | 1u << FastFlyer, kTargets = kFlyers | 1u << Turret | 1u << Meteor;

bool is_flyer(int type) { return is_one_of(type, kFlyers); }
bool is_target(int type) { return is_one_of(type, kTargets); }
bool is_deadly(int type) { return is_target(type) || type == FlyerShot || type == TurretShot; }

// One entry of the list that is made when the level begins. It comes from the left if it flies to the right.
struct Arrival {
    std::int32_t step = 0;
    Type type = Flyer;
    std::int16_t theme = 0;
    std::int16_t timer = -1;  // the age at which a flyer fires, or the period of a turret
    float y = 0, vx = 0, vy = 0;

    void visit(Archive& archive, const Art& art) {
        archive("step", step, step_count())("type", type, within(Flyer, Finish))("theme", theme,
                                                                                 below(art.themes(type)));
        archive("timer", timer, within(type == Turret ? 1 : -1, kLongestTimer))("y", y, within(0, kSize));
        archive("vx", vx, either_way(kFastest))("vy", vy, either_way(kFastest));
    }
};

class StarPilot final : public Game {
public:
    explicit StarPilot(const GameOptions& options)
        : options_(options), rules_(rules_of(options.mode)), art_(art::starpilot::table(), style_of(options)) {}

    void reset(std::int32_t level_seed) override {
        Streams streams(level_seed);
        Entity agent;
        agent.x = streams.level.uniform(agent.rx, kSize - agent.rx);
        agent.y = streams.level.uniform(agent.ry, kSize - agent.ry);
        entities_.assign(1, agent);
        plan_arrivals(streams);
        next_arrival_ = 0;
        explosions_.clear();
        steps_ = 0;
        background_ = streams.look.below(art::background_count(art::BackgroundFamily::Space));
        phase_ = streams.look.uniform();
        height_ = streams.look.uniform();
    }

    StepResult step(int action) override {
        const Move move = decode_action(action);
        ++steps_;
        move_all(move);
        StepResult result{resolve_hits(), false, false};
        touch_agent(result);
        remove_dead(entities_, grid_);
        while (next_arrival_ < arrivals_.size() && arrivals_[next_arrival_].step == steps_)
            entities_.push_back(arrived(arrivals_[next_arrival_++]));
        fire(move);
        return result;
    }

    void draw(Canvas& canvas) const override;

    // The rocket comes to everybody, and is as high as the world. What can be wrong is a level that begins with a
    // crash.
    Certificate certify() const override { return {entities_.size() == 1 && !arrivals_.empty(), -1}; }

    void visit(Archive& archive) override {
        constexpr EffectRanges::Kind kExplosion = {art::starpilot::Explosion, art::kExplosionFrames};
        archive("entities", entities_, within(1, kMostEntities), entity_ranges());
        archive("arrivals", arrivals_, within(0, kMostEntities), art_);
        archive("next_arrival", next_arrival_, within(0, static_cast<std::int64_t>(arrivals_.size())));
        archive("explosions", explosions_, effect_count(), EffectRanges{kPlaces, kPlaces, {kExplosion, kExplosion}});
        archive("steps", steps_, step_count());
        archive("background", background_, below(art::background_count(art::BackgroundFamily::Space)));
        archive("phase", phase_, share())("height", height_, share());
        if (archive.checking()) check_loaded();
    }

    void describe(Variables& variables) const override {
        const auto flyer = [](const Entity& e) { return is_flyer(e.type); };
        const auto enemy_shot = [](const Entity& e) { return e.type == FlyerShot || e.type == TurretShot; };
        variables.agent(entities_[0], {kSize / 2, kSize / 2, kSize});
        variables.nearest("flyer", entities_, flyer, Motion::Free);
        variables.count("flyers", entities_, flyer);
        variables.nearest("enemy_shot", entities_, enemy_shot, Motion::Free);
        variables.count("enemy_shots", entities_, enemy_shot);
        variables.count("own_shots", entities_, is_a(PlayerShot));
        variables.nearest_point("rocket", entities_, is_a(Finish));
        if (rules_.other_kinds == 0) return;
        variables.nearest("meteor", entities_, is_a(Meteor));
        variables.nearest("turret", entities_, is_a(Turret));
        variables.nearest("cloud", entities_, is_a(Cloud));
    }

private:
    static EntityRanges entity_ranges() {
        EntityRanges r(kPlaces, kFastest, within(kExtreme.shot_radius, kSize / 2), within(Agent, Finish));
        r.theme = below(9);
        r.age = step_count();
        r.timer = within(-1, kLongestTimer);
        r.health = within(0, kMeteorHealth);
        return r;
    }
    void check_loaded() const {
        require_state(only_first_is(entities_, Agent), "the player's ship comes first");
        for (const Entity& e : entities_) {
            require_state(e.theme < art_.themes(e.type), "things have a look of their type");
            require_state(e.type != Turret || e.timer > 0, "a turret fires now and then");
        }
    }
    void plan_arrivals(Streams& streams);
    void plan_group(int step, Type type, Streams& streams);
    struct Kind {
        float rx, ry, speed;
        int health;
    };
    Kind kind_of(const Arrival& arrival) const;
    Entity arrived(const Arrival& arrival) const;
    void move_all(const Move& move);
    float resolve_hits();
    float hit(Entity& shot, Entity& target);
    void touch_agent(StepResult& result);
    void fire(const Move& move);
    void fire_at_agent(std::size_t shooter, Type type, float speed);
    void add_shot(Type type, float x, float y, float vx, float vy);
    void draw_entity(Canvas& canvas, const Camera& camera, const Sheet& sheet, const Entity& e) const;

    GameOptions options_;
    const Rules& rules_;
    Art art_;
    Grid grid_{kWorld, kWorld};
    Entities entities_;
    std::vector<Entity*> shots_, targets_;  // only of use while hits are resolved
    std::vector<Arrival> arrivals_;         // in the order of their steps
    std::uint32_t next_arrival_ = 0;
    Effects explosions_;
    std::int32_t steps_ = 0;
    std::int32_t background_ = 0;
    float phase_ = 0, height_ = 0;  // where in the background the level begins, as parts of its size
};

StarPilot::Kind StarPilot::kind_of(const Arrival& arrival) const {
    switch (arrival.type) {
        case Flyer: return {0.5f, 0.5f, rules_.flyer_speed, rules_.flyer_health};
        case FastFlyer: return {0.5f, 0.5f, kFastSpeed, rules_.fast_health};
        case Turret: return {2, 2 / art::starpilot::kTurretAspect, kSlowSpeed, rules_.turret_health};
        case Finish: return {kSize / 2 * art::starpilot::kFinishAspects[arrival.theme], kSize / 2, kSlowSpeed, 1};
        default: return {2, 2, kSlowSpeed, kMeteorHealth};
    }
}

Entity StarPilot::arrived(const Arrival& arrival) const {
    const Kind kind = kind_of(arrival);
    Entity e;
    e.type = arrival.type;
    e.theme = arrival.theme;
    e.timer = arrival.timer;
    e.health = static_cast<std::int16_t>(kind.health);
    e.rx = kind.rx;
    e.ry = kind.ry;
    e.mirrored = arrival.vx > 0;
    e.x = e.mirrored ? -e.rx : kSize + e.rx;
    e.y = arrival.y;
    e.vx = arrival.vx;
    e.vy = arrival.vy;
    return e;
}

void StarPilot::plan_group(int step, Type type, Streams& streams) {
    Arrival arrival;
    arrival.type = type;
    arrival.theme = static_cast<std::int16_t>(streams.look.below(art_.themes(type)));
    const Kind kind = kind_of(arrival);
    arrival.y = streams.level.uniform(kind.ry, kSize - kind.ry);
    const int members = is_flyer(type) ? 1 + streams.level.below(5) : 1;
    for (int member = 0; member < members; ++member) {
        arrival.step = step + kMemberDelay * member;
        if (is_flyer(type)) arrival.timer = static_cast<std::int16_t>(streams.level.between(10, 100));
        if (type == Turret) arrival.timer = static_cast<std::int16_t>(streams.level.between(20, 30));
        const bool straight = type != Flyer || streams.level.coin();
        const float degrees = straight ? 0 : streams.level.uniform(-kWidestAngle, kWidestAngle);
        const bool behind = is_flyer(type) && rules_.from_behind && streams.level.chance(kFromBehind);
        arrival.vx = straight ? -kind.speed : -kind.speed * cosine(degrees);
        arrival.vy = straight ? 0 : kind.speed * sine(degrees);
        if (behind) arrival.vx = -arrival.vx;
        arrivals_.push_back(arrival);
    }
}

void StarPilot::plan_arrivals(Streams& streams) {
    arrivals_.clear();
    const int weights = kFlyerWeight + rules_.other_kinds * static_cast<int>(std::size(kOtherKinds));
    for (int step = 1 + streams.level.between(10, 30); step <= kFinishStep; step += streams.level.between(10, 30)) {
        const int choice = streams.level.below(weights) - kFlyerWeight;
        plan_group(step, choice < 0 ? Flyer : kOtherKinds[choice], streams);
    }
    Arrival finish;
    finish.step = kFinishStep;
    finish.type = Finish;
    finish.theme = static_cast<std::int16_t>(streams.level.below(art::starpilot::kFinishes));  // decides its width
    finish.y = kSize / 2;
    finish.vx = -kSlowSpeed;
    arrivals_.push_back(finish);
    std::stable_sort(arrivals_.begin(), arrivals_.end(),
                     [](const Arrival& a, const Arrival& b) { return a.step < b.step; });
}

void StarPilot::move_all(const Move& move) {
    MovementRules walls;
    Entity& agent = entities_[0];
    agent.vx = steer(agent.vx, move.x, rules_.agent_speed);
    agent.vy = steer(agent.vy, move.y, rules_.agent_speed);
    Mover<MovementRules>(grid_, entities_, walls).move_agent(agent, move.x, move.y);
    for (std::size_t i = 1; i < entities_.size(); ++i) {
        drift(entities_[i]);
        ++entities_[i].age;
    }
    grow_older(explosions_);
}

// Shots meet their targets before anything meets the ship: what is shot down in this step can no longer hurt.
float StarPilot::resolve_hits() {
    float reward = 0;
    // Sorted without branches: what comes next in the list is anybody's guess.
    shots_.resize(entities_.size());
    targets_.resize(entities_.size());
    Entity **shots_end = shots_.data(), **targets_end = targets_.data();
    for (Entity& e : entities_) {
        *shots_end = *targets_end = &e;
        shots_end += e.type == PlayerShot;
        targets_end += is_target(e.type);
    }
    for (Entity** shot = shots_.data(); shot != shots_end; ++shot) {
        for (Entity** target = targets_.data(); target != targets_end; ++target) {
            if (!overlap(**shot, **target) || (*target)->dead) continue;
            reward += hit(**shot, **target);
            break;
        }
    }
    return reward;
}

float StarPilot::hit(Entity& shot, Entity& target) {
    shot.dead = true;
    explosions_.push_back({shot.x, shot.y, art::starpilot::Explosion, art::kExplosionFrames});
    target.dead = --target.health <= 0;
    return target.dead ? 1.0f : 0.0f;
}

void StarPilot::touch_agent(StepResult& result) {
    for (const Entity& e : entities_) {
        if (!overlap(e, entities_[0]) || e.dead || !(is_deadly(e.type) || e.type == Finish)) continue;
        result.terminated = true;
        if (e.type != Finish) continue;
        result.reward += kFinishReward;
        result.level_complete = true;
    }
}

void StarPilot::fire(const Move& move) {
    // Shots that are born now move for the first time in the next step.
    const std::size_t count = entities_.size();
    for (std::size_t i = 1; i < count; ++i) {
        const int type = entities_[i].type, age = entities_[i].age, timer = entities_[i].timer;
        if (age == timer && is_flyer(type)) fire_at_agent(i, FlyerShot, rules_.flyer_shot_speed);
        if (type == Turret && age > 0 && age % timer == 0) fire_at_agent(i, TurretShot, kTurretShotSpeed);
    }
    if (move.special == 0) return;
    const float side = move.special == kFireBackwards ? -1.0f : 1.0f;
    const Entity& agent = entities_[0];
    add_shot(PlayerShot, agent.x + side * agent.rx, agent.y, side * kPlayerShotSpeed, 0);
}

void StarPilot::fire_at_agent(std::size_t shooter, Type type, float speed) {
    const float x = entities_[shooter].x, y = entities_[shooter].y;
    const float dx = entities_[0].x - x, dy = entities_[0].y - y, distance = std::sqrt(dx * dx + dy * dy);
    if (distance > 0) add_shot(type, x, y, speed * dx / distance, speed * dy / distance);
}

void StarPilot::add_shot(Type type, float x, float y, float vx, float vy) {
    Entity shot;
    shot.type = type;
    shot.rx = shot.ry = rules_.shot_radius;
    shot.x = x;
    shot.y = y;
    shot.vx = vx;
    shot.vy = vy;
    shot.mirrored = type == PlayerShot && vx < 0;
    entities_.push_back(shot);
}

void StarPilot::draw_entity(Canvas& canvas, const Camera& camera, const Sheet& sheet, const Entity& e) const {
    using namespace art::starpilot;
    Look look = {e.theme, e.mirrored};
    if (e.type == Type::Meteor) look.turn = (e.age / 4 + 5 * e.theme) % kMeteorTurns;
    const bool small =
        e.type >= Type::PlayerShot && e.type <= Type::TurretShot && rules_.shot_radius < kHard.shot_radius;
    draw_centred(canvas, camera, sheet.get(e.type + (small ? SmallPlayerShot - Sprite::PlayerShot : 0), look), e.x,
                 e.y);
}

void StarPilot::draw(Canvas& canvas) const {
    const Camera camera(canvas.width(), kWorld, kSize / 2, kSize / 2);
    const Sheet& sheet = art_.sheet(canvas.width(), kWorld);
    if (options_.use_backgrounds) {
        const auto image =
            art::background({art::BackgroundFamily::Space, background_, options_.use_generated_assets}, canvas.width());
        const float scrolled = kScroll * camera.scale() * static_cast<float>(steps_);
        canvas.copy_wrapped(*image, static_cast<int>(scrolled + phase_ * static_cast<float>(image->width)),
                            static_cast<int>(height_ * static_cast<float>(image->height)));
    } else {
        canvas.fill({});
    }
    for (std::size_t i = 1; i < entities_.size(); ++i)
        if (entities_[i].type != Cloud) draw_entity(canvas, camera, sheet, entities_[i]);
    draw_entity(canvas, camera, sheet, entities_[0]);
    draw_effects(canvas, camera, sheet, explosions_);
    for (const Entity& e : entities_)
        if (e.type == Cloud) draw_entity(canvas, camera, sheet, e);
    if (options_.paint_vel_info)
        canvas.paint_velocity(entities_[0].vx / rules_.agent_speed, entities_[0].vy / kShownSpeed);
}

}  // namespace

namespace games {
GameEntry starpilot() { return {&kInfo, make_game<StarPilot>}; }
}  // namespace games

}  // namespace wm
