// BigFish
//
// A small fish swims in all eight directions. Others cross the sea from both sides at their own speeds, wider ones and
// narrower ones. Touching a fish that is not wider than yourself is eating it: 1 point, and you grow a thirtieth of the
// way to your full size. Touching a wider one ends the episode. The thirtieth meal is worth 10 more points and
// completes the level.
//
// Easy mode begins half grown. Other fish have three shapes; a shape decides how high a fish of some width is.

#include "art/bigfish.h"

#include <algorithm>

#include "art/backgrounds.h"
#include "core/camera.h"
#include "core/game.h"
#include "core/numbers.h"
#include "core/physics.h"
#include "core/sprites.h"
#include "core/variables.h"

namespace wm {
namespace {

const GameInfo kInfo = {
    "bigfish",
    "BigFish",
    "You are a small fish. Swim in eight directions and touch fish that are not wider than you: each is worth 1 point "
    "and makes you grow. Touching a wider fish ends the episode. The 30th fish is worth 10 more points and completes "
    "the level.",
    "+1 for each fish eaten, +10 for the 30th.",
    "Eating 30 fish completes the level; touching a wider fish ends the episode.",
    "3 fish, 7 backgrounds.",
    {"swim left and down", "swim left", "swim left and up", "swim down", "drift", "swim up", "swim right and down",
     "swim right", "swim right and up", "nothing", "nothing", "nothing", "nothing", "nothing", "nothing"},
    {{Mode::Easy, 6000}, {Mode::Hard, 6000}},
};

constexpr int kWorld = 20;  // cells, both ways
constexpr float kSize = kWorld;
constexpr float kMaxSpeed = 0.5f;
constexpr int kMeals = 30;  // complete a level
constexpr float kMealReward = 1, kFinalReward = 10;
constexpr float kFullRadius = 2;   // after the last meal
constexpr float kStartHeight = 1;  // of the lower edge at the beginning

constexpr float kArrival = 0.1f;  // probability of a new fish in a step
constexpr float kSmallest = art::bigfish::kSmallest, kLargest = art::bigfish::kLargest;  // half-widths
constexpr float kRarity = 1.4f;  // the power that makes large fish rare
constexpr float kSlowest = 0.15f, kFastest = 0.4f;

constexpr int kMostFish = 200;  // of a loaded state: far more than ever meet

constexpr int kTailPeriod = 5;  // steps between two pictures of swimming
constexpr int kBiteSteps = 4;   // for which a bite is shown

enum Type : std::int16_t { kAgent, kFish };

class BigFish final : public Game {
public:
    explicit BigFish(const GameOptions& options)
        : options_(options),
          start_radius_(options.mode == Mode::Easy ? 1.0f : 0.5f),
          art_(art::bigfish::table(), style_of(options)) {}

    void reset(std::int32_t level_seed) override {
        Streams streams(level_seed);
        Entity agent;
        agent.type = kAgent;
        agent.rx = agent.ry = start_radius_;
        agent.x = streams.level.uniform(start_radius_, kSize - start_radius_);
        agent.y = kStartHeight + start_radius_;
        entities_.assign(1, agent);
        eaten_ = bite_ = 0;
        background_ = streams.look.below(art::background_count(art::BackgroundFamily::Water));
        phase_ = streams.look.uniform();
        play_ = streams.play;
        picture_.forget();
    }

    StepResult step(int action) override {
        const Move move = decode_action(action);
        swim(move);
        const StepResult result = meet();
        remove_dead(entities_, grid_);
        if (play_.chance(kArrival)) entities_.push_back(newcomer());
        return result;
    }

    void draw(Canvas& canvas) const override;

    // Fish that can be eaten come for ever, for the smallest is smaller than any player. What can be wrong is a level
    // that begins outside the world or among fish.
    Certificate certify() const override {
        const Entity& agent = entities_[0];
        const bool inside = agent.left() >= 0 && agent.right() <= kSize && agent.bottom() >= 0 && agent.top() <= kSize;
        return {inside && entities_.size() == 1 && agent.rx > kSmallest, -1};
    }

    void visit(Archive& archive) override {
        archive("entities", entities_, within(1, kMostFish), entity_ranges());
        archive("eaten", eaten_, within(0, kMeals + kMostFish))("bite", bite_, within(0, kBiteSteps))("play", play_);
        archive("background", background_, below(art::background_count(art::BackgroundFamily::Water)));
        archive("phase", phase_, share());
        if (archive.loading()) picture_.forget();
        if (archive.checking()) require_state(only_first_is(entities_, kAgent), "the player comes first");
    }

    void describe(Variables& variables) const override {
        const Entity& agent = entities_[0];
        const auto edible = [&](const Entity& e) { return e.type == kFish && e.rx <= agent.rx; };
        const auto wider = [&](const Entity& e) { return e.type == kFish && e.rx > agent.rx; };
        variables.agent(agent, {kSize / 2, kSize / 2, kSize});
        variables.cells("agent.radius", agent.rx);
        variables.count("eaten", eaten_);
        variables.nearest("edible_fish", entities_, edible, Motion::Sideways);
        variables.nearest("wider_fish", entities_, wider, Motion::Sideways);
        variables.count("edible_fishes", entities_, edible);
        variables.count("wider_fishes", entities_, wider);
    }

private:
    static EntityRanges entity_ranges() {
        EntityRanges r(within(-kLargest - 1, kSize + kLargest + 1), kMaxSpeed,
                       within(0.1f, std::max(kLargest, kFullRadius)), within(kAgent, kFish));
        r.theme = below(art::bigfish::kShapes);
        r.age = step_count();
        return r;
    }
    void swim(const Move& move);
    StepResult meet();
    void grow();
    Entity newcomer();

    GameOptions options_;
    float start_radius_;
    Art art_;
    Grid grid_{kWorld, kWorld};
    Entities entities_;
    std::int32_t eaten_ = 0;
    std::int32_t bite_ = 0;  // steps for which the last bite is still shown
    Random play_;
    std::int32_t background_ = 0;
    float phase_ = 0;
    mutable LevelPicture picture_;  // the sea
};

void BigFish::swim(const Move& move) {
    Entity& agent = entities_[0];
    agent.vx = steer(agent.vx, move.x, kMaxSpeed);
    agent.vy = steer(agent.vy, move.y, kMaxSpeed);
    if (move.x != 0) agent.mirrored = move.x < 0;
    drift_inside(agent, kSize, kSize);
    for (std::size_t i = 1; i < entities_.size(); ++i) drift(entities_[i]);
    for (Entity& e : entities_) ++e.age;
    if (bite_ > 0) --bite_;
}

// Who is met later in a step meets the player as large as the meals before have made it.
StepResult BigFish::meet() {
    StepResult result;
    Entity& agent = entities_[0];
    for (std::size_t i = entities_.size() - 1; i > 0; --i) {
        Entity& fish = entities_[i];
        if (!overlap(fish, agent)) continue;
        if (fish.rx > agent.rx) {
            result.terminated = true;
            continue;
        }
        fish.dead = true;
        result.reward += kMealReward;
        grow();
    }
    if (eaten_ >= kMeals) {
        result.reward += kFinalReward;
        result.terminated = result.level_complete = true;
    }
    return result;
}

// Growing pushes the player off the border of the world: half outside it could no longer move.
void BigFish::grow() {
    Entity& agent = entities_[0];
    ++eaten_;
    bite_ = kBiteSteps;
    const float grown = static_cast<float>(std::min(eaten_, kMeals)) / kMeals;
    agent.rx = agent.ry = start_radius_ + (kFullRadius - start_radius_) * grown;
    agent.x = std::clamp(agent.x, agent.rx, kSize - agent.rx);
    agent.y = std::clamp(agent.y, agent.ry, kSize - agent.ry);
}

Entity BigFish::newcomer() {
    Entity fish;
    fish.type = kFish;
    fish.theme = static_cast<std::int16_t>(play_.below(art::bigfish::kShapes));
    fish.rx = kSmallest + (kLargest - kSmallest) * power(play_.uniform(), kRarity);
    fish.ry = fish.rx / art::bigfish::kAspects[fish.theme];
    fish.y = play_.uniform(fish.ry, kSize - fish.ry);
    fish.mirrored = play_.coin();  // swims left
    const float speed = play_.uniform(kSlowest, kFastest);
    fish.vx = fish.mirrored ? -speed : speed;
    fish.x = fish.mirrored ? kSize + fish.rx : -fish.rx;
    return fish;
}

void BigFish::draw(Canvas& canvas) const {
    using namespace art::bigfish;
    const Camera camera(canvas.width(), kWorld, kSize / 2, kSize / 2);
    const Sheet& sheet = art_.sheet(canvas.width(), kWorld);
    if (!picture_.copy_to(canvas)) {
        art::draw_background_or_black(canvas, options_, art::BackgroundFamily::Water, background_, camera, kSize,
                                      phase_);
        picture_.remember(canvas);
    }
    const Entity& agent = entities_[0];
    for (std::size_t i = 1; i < entities_.size(); ++i) {
        const Entity& fish = entities_[i];
        const int sprite =
            fish_sprite(fish.theme, fish.rx > agent.rx ? Fierce : Timid, fish.age / kTailPeriod % kTails, fish.rx);
        draw_centred(canvas, camera, sheet.get(sprite, {fish.theme, fish.mirrored}), fish.x, fish.y);
    }
    const int frame = bite_ > 0 ? kBite : agent.age / kTailPeriod % kTails;
    draw_centred(canvas, camera, sheet.get(player_sprite(frame, agent.rx), {0, agent.mirrored}), agent.x, agent.y);
    if (options_.paint_vel_info) canvas.paint_velocity(agent.vx / kMaxSpeed, agent.vy / kMaxSpeed);
}

}  // namespace

namespace games {
GameEntry bigfish() { return {&kInfo, make_game<BigFish>}; }
}  // namespace games

}  // namespace wm
