// FruitBot
//
// A robot drives up a long alley by itself; one only steers it left and right. Walls cross the alley, each with one
// opening; touching a wall ends the episode. Fruit is worth 1 point, junk food costs 4. In hard mode some openings are
// closed by a door, which is as deadly as a wall, with a lock at one of its ends: a key thrown upwards into the lock
// opens it. At the far end lies a row of presents: each that is touched is worth 10 points, and often two are touched
// at once; they complete the level.
//
// Easy: 10 cells wide, 5 walls, 2 kinds of fruit and of food. Hard: 20 cells wide, 10 walls with narrower openings, 6
// kinds of each. A wall whose opening the robot could not reach in time from the one before is drawn again.

#include "art/fruitbot.h"

#include <algorithm>

#include "art/backgrounds.h"
#include "core/camera.h"
#include "core/game.h"
#include "core/physics.h"
#include "core/rng.h"
#include "core/sprites.h"
#include "core/variables.h"
#include "games/fruitbot_walls.h"
#include "generate/search.h"

namespace wm {
namespace {

using namespace fruitbot;

constexpr int kTimeLimit = 1000;  // steps

const GameInfo kInfo = {
    "fruitbot",
    "FruitBot",
    "Your robot drives up by itself: steer it left and right through the openings of the walls. Collect fruit for 1 "
    "point each and avoid junk food, which costs 4. Some openings are closed by a door: throw a key into its lock. "
    "Each present that you touch at the far end is worth 10 points, and two may be touched at once; they complete the "
    "level.",
    "+1 for each fruit, -4 for each piece of junk food, +10 for each present touched.",
    "Touching the presents completes the level; touching a wall or a closed door ends the episode.",
    "6 fruits, 6 foods (easy: 2 of each), 3 presents, 9 floors.",
    {"steer left", "steer left", "steer left", "drive on", "drive on", "drive on", "steer right", "steer right",
     "steer right", "throw a key", "nothing", "nothing", "nothing", "nothing", "nothing"},
    {{Mode::Easy, kTimeLimit}, {Mode::Hard, kTimeLimit}},
};

constexpr float kFruitReward = 1, kFoodReward = -4, kPresentReward = 10;

constexpr float kMaxSpeed = 0.85f;
constexpr float kUpwards = 0.2f;     // share of the speed that drives it upwards
constexpr float kShownAbove = 0.8f;  // the robot's middle above the lower edge of the view
constexpr float kShownSpeed = 0.5f;  // upwards, of a full square of paint_vel_info

constexpr int kThrow = 1;  // special action
constexpr int kKeyDelay = 8, kKeyLifetime = 8;
constexpr float kKeySpeed = 0.5f, kKeyRadius = 0.25f;

constexpr int kMostEntities = 200;  // of a loaded state: far more than an alley ever holds
constexpr float kThingRadius = 0.5f;
constexpr int kFewestThings = 10, kThingsVary = 10;  // 10 to 19 fruits, and as many foods

// In the order of their sprites.
enum Type : std::int16_t { Robot, Barrier, Door, Lock, Key, Present, Fruit, Food };

class FruitBot final : public Game {
public:
    explicit FruitBot(const GameOptions& options)
        : options_(options),
          rules_(options.mode == Mode::Easy ? kEasy : kHard),
          width_(static_cast<float>(rules_.width)),
          art_(art::fruitbot::table(), style_of(options)),
          grid_(rules_.width, kHeight) {}

    void reset(std::int32_t level_seed) override {
        Streams streams(level_seed);
        Entity robot;
        robot.rx = robot.ry = kRadius;
        robot.x = streams.level.uniform(kRadius, width_ - kRadius);
        robot.y = kRadius;
        entities_.assign(1, robot);
        for (const Wall& wall : plan_walls(rules_, robot.x, streams.level)) build_wall(wall);
        for (int i = 0; i < rules_.width; ++i) {
            Entity& present = add(Present, static_cast<float>(i) + 0.5f, kHeight - 0.5f, 0.5f, 0.5f);
            present.theme = static_cast<std::int16_t>(streams.look.below(art::fruitbot::kPresents));
        }
        scatter(Fruit, art::fruitbot::kFruitAspects, streams.level);
        scatter(Food, art::fruitbot::kFoodAspects, streams.level);
        steps_ = last_throw_ = 0;
        background_ = streams.look.below(art::background_count(art::BackgroundFamily::TopDown));
        phase_ = streams.look.uniform();
    }

    StepResult step(int action) override {
        ++steps_;
        const Move move = decode_action(action);
        drive(move.x);
        const bool keys_flew = use_keys();
        const StepResult result = touch();
        if (keys_flew || result.reward != 0) remove_dead(entities_, grid_);
        if (move.special == kThrow && may_throw()) throw_key();
        return result;
    }

    void draw(Canvas& canvas) const override;

    Certificate certify() const override;

    void visit(Archive& archive) override {
        archive("entities", entities_, within(1, kMostEntities), entity_ranges());
        archive("steps", steps_, step_count())("last_throw", last_throw_, step_count());
        archive("background", background_, below(art::background_count(art::BackgroundFamily::TopDown)));
        archive("phase", phase_, share());
        if (archive.checking()) check_loaded();
    }

    void describe(Variables& variables) const override {
        const Entity& robot = entities_[0];
        variables.agent_at(robot.x, robot.y, {width_ / 2, robot.y + width_ / 2 - kShownAbove, width_});
        variables.speed("agent.vx", robot.vx);
        describe_opening(variables);
        variables.nearest("fruit", entities_, is_a(Fruit));
        variables.nearest("food", entities_, is_a(Food));
        variables.nearest("present", entities_, is_a(Present));
        if (!rules_.doors) return;
        variables.flag("agent.may_throw", steps_ + 1 - last_throw_ >= kKeyDelay);
        variables.nearest_point("door", entities_, is_a(Door));
        variables.nearest("lock", entities_, is_a(Lock));
        variables.nearest("key", entities_, is_a(Key));
    }

private:
    EntityRanges entity_ranges() const {
        const FloatRange radii = within(-0.01f, width_ / 2);  // a wall may end where its opening begins
        EntityRanges r(within(-2, kHeight + 2), kMaxSpeed, radii, within(Robot, Food));
        r.x = within(-2, width_ + 2);
        r.theme = below(art::fruitbot::kKinds);
        r.age = within(0, kKeyLifetime);
        r.lifetime = within(-1, kKeyLifetime);
        return r;
    }
    void check_loaded() const {
        require_state(only_first_is(entities_, Robot), "the robot comes first");
        for (const Entity& e : entities_)
            require_state(e.theme < art_.themes(e.type), "things have a look of their type");
    }
    void describe_opening(Variables& variables) const;
    Entity& add(Type type, float x, float y, float rx, float ry);
    void build_wall(const Wall& wall);
    void scatter(Type type, const float* aspects, Random& level);
    void drive(int direction);
    bool use_keys();
    void unlock(Entity& lock);
    StepResult touch();
    bool may_throw() const { return steps_ - last_throw_ >= kKeyDelay; }
    void throw_key();
    int pilot() const;
    void draw_entity(Canvas& canvas, const Camera& camera, const Sheet& sheet, const Entity& e) const;

    GameOptions options_;
    const Rules& rules_;
    float width_;
    Art art_;
    Grid grid_;  // empty: its borders stop the robot
    Entities entities_;
    std::int32_t steps_ = 0, last_throw_ = 0;
    std::int32_t background_ = 0;
    float phase_ = 0;
};

// Steers towards the part of the next opening from which all later ones can be reached, or towards its lock.
int FruitBot::pilot() const {
    constexpr int kLeft = 1, kOn = 4, kRight = 7, kThrowKey = 9;
    constexpr float kSpare = 0.02f, kAimed = 0.45f, kKeyReach = 4.5f;
    const Entity& robot = entities_[0];
    const Entity* lock = nullptr;  // of the next wall
    float low = 0, high = width_, above = kHeight, spent = 0;
    for (std::size_t i = entities_.size() - 1; i > 0; --i) {
        const Entity &e = entities_[i], &before = entities_[i - 1];
        if (e.top() < robot.bottom()) continue;
        if (e.type == Lock) lock = &e;
        if (e.type != Barrier || before.type != Barrier || e.y != before.y) continue;
        if (lock != nullptr && lock->y > e.y + 1) lock = nullptr;
        const float reached = reach(above - e.y - 2 * (kWallRadius + kRadius) - spent);
        const float left = lock ? lock->x - 0.5f * kTerminal : before.right() + kRadius + kSpare;
        const float right = lock ? lock->x + 0.5f * kTerminal : e.left() - kRadius - kSpare;
        low = std::clamp(low - reached, left, right);
        high = std::clamp(high + reached, left, right);
        above = e.y;
        spent = lock ? kUnlocking : 0;
    }
    if (lock != nullptr && std::fabs(robot.x - lock->x) < kAimed && lock->bottom() < robot.y + kKeyReach && may_throw())
        return kThrowKey;
    const float coasting = robot.x + robot.vx * kLostInStarting;
    if (coasting < low || (robot.x < low && coasting + kTerminal < high)) return kRight;
    return coasting > high || (robot.x > high && coasting - kTerminal > low) ? kLeft : kOn;
}

Certificate FruitBot::certify() const {
    const int steps = play_by_rule(*this, [](const FruitBot& game) { return game.pilot(); }, kTimeLimit);
    return {steps >= 0, steps};
}

Entity& FruitBot::add(Type type, float x, float y, float rx, float ry) {
    Entity e;
    e.type = type;
    e.x = x;
    e.y = y;
    e.rx = rx;
    e.ry = ry;
    entities_.push_back(e);
    return entities_.back();
}

void FruitBot::build_wall(const Wall& wall) {
    const Opening& opening = wall.opening;
    const float y = wall.y;
    const auto add_bar = [&](Type type, float left, float right) {
        add(type, 0.5f * (left + right), y, 0.5f * (right - left), kWallRadius);
    };
    add_bar(Barrier, 0, opening.left);
    add_bar(Barrier, opening.right(), width_);
    if (!opening.door) return;
    const float lock_width = 2 * kLockRadiusX;
    add_bar(Door, opening.left + (opening.lock_on_the_right ? 0 : lock_width),
            opening.right() - (opening.lock_on_the_right ? lock_width : 0));
    add(Lock, opening.lock_x(), y + kWallRadius - kLockRadiusY, kLockRadiusX, kLockRadiusY);
}

// Looks for places as if all were equally large; the shape of a kind then takes its part of it.
void FruitBot::scatter(Type type, const float* aspects, Random& level) {
    for (int count = kFewestThings + level.below(kThingsVary); count > 0; --count) {
        const int kind = level.below(rules_.kinds);
        Entity& thing = add(type, 0, 0, kThingRadius, kThingRadius);
        const bool found = place_inside(thing, entities_, level, 0, 0, width_, kHeight);
        thing.theme = static_cast<std::int16_t>(kind);
        const float aspect = aspects[kind];
        (aspect > 1 ? thing.ry : thing.rx) *= aspect > 1 ? 1 / aspect : aspect;
        if (!found) entities_.pop_back();
    }
}

void FruitBot::drive(int direction) {
    constexpr float kMix = 0.5f;
    Entity& robot = entities_[0];
    robot.vx = steer(robot.vx, direction, kMaxSpeed);
    robot.vy = kVelocityDecay * ((1 - kMix) * robot.vy + kMix * kMaxSpeed * kUpwards);
    MovementRules walls;
    Mover<MovementRules>(grid_, entities_, walls).move_agent(robot, direction, 1);
}

// Keys are the last in the list. Locks come before walls: a key that meets a lock and the wall beside it at once fits.
// Returns whether there was any key.
bool FruitBot::use_keys() {
    const std::size_t count = entities_.size();
    for (std::size_t i = count - 1; entities_[i].type == Key; --i) {
        Entity& key = entities_[i];
        drift(key);
        grow_older(key);
        for (Entity& e : entities_) {
            if (key.dead || e.type != Lock || e.dead || !overlap(key, e)) continue;
            key.dead = true;
            unlock(e);
        }
        for (const Entity& e : entities_)
            if (e.type == Barrier && overlap(key, e)) key.dead = true;
    }
    return entities_.back().type == Key;
}

void FruitBot::unlock(Entity& lock) {
    lock.dead = true;
    for (Entity& e : entities_)
        if (e.type == Door && std::fabs(e.y - lock.y) < 1) e.dead = true;
}

StepResult FruitBot::touch() {
    StepResult result;
    const Entity robot = entities_[0];
    for (Entity& e : entities_) {
        if (e.dead || !overlap(e, robot)) continue;
        if (e.type == Barrier || e.type == Door) result.terminated = true;
        if (e.type == Present) {
            result.terminated = result.level_complete = true;
            result.reward += kPresentReward;
        } else if (e.type == Fruit || e.type == Food) {
            e.dead = true;
            result.reward += e.type == Fruit ? kFruitReward : kFoodReward;
        }
    }
    return result;
}

// Of the next wall, whose two parts stand one after the other in the list, lower walls before higher ones.
void FruitBot::describe_opening(Variables& variables) const {
    const Entity& robot = entities_[0];
    float left = Nearest::kNone, right = left, above = left;
    for (std::size_t i = 2; i < entities_.size(); ++i) {
        const Entity &wall = entities_[i], &before = entities_[i - 1];
        if (wall.type != Barrier || before.type != Barrier || wall.y != before.y) continue;
        if (wall.top() < robot.bottom()) continue;
        if (variables.sees(Square(robot.x, wall.y, 2 * kWallRadius))) {
            left = before.right() - robot.x;
            right = wall.left() - robot.x;
            above = wall.y - robot.y;
        }
        break;
    }
    variables.cells("opening.left", left);
    variables.cells("opening.right", right);
    variables.cells("opening.dy", above);
}

// Is thrown after everything has moved, and so flies from the next step on.
void FruitBot::throw_key() {
    last_throw_ = steps_;
    Entity& key = add(Key, entities_[0].x, entities_[0].y, kKeyRadius, kKeyRadius);
    key.vy = kKeySpeed;
    key.lifetime = kKeyLifetime;
}

void FruitBot::draw_entity(Canvas& canvas, const Camera& camera, const Sheet& sheet, const Entity& e) const {
    const Bitmap& sprite = sheet.get(e.type, {e.theme});
    if (e.type == Barrier || e.type == Door) {
        const int left = camera.column(e.left()), top = camera.row(e.top());
        const int shift = e.type == Barrier ? wrap(left, sprite.width) : 0;
        canvas.fill_pattern(left, top, camera.column(e.right()) - left, sprite.height, sprite, shift, 0);
    } else {
        draw_centred(canvas, camera, sprite, e.x, e.y);
    }
}

void FruitBot::draw(Canvas& canvas) const {
    const Entity& robot = entities_[0];
    const Camera camera(canvas.width(), width_, width_ / 2, robot.y + width_ / 2 - kShownAbove);
    const Sheet& sheet = art_.sheet(canvas.width(), width_);
    art::draw_background_or_black(canvas, options_, art::BackgroundFamily::TopDown, background_, camera, kHeight,
                                  phase_);
    const Bitmap& outside = sheet.get(art::fruitbot::Outside);
    const int end = camera.row(kHeight), start = camera.row(0);
    canvas.fill_pattern(0, end - canvas.height(), canvas.width(), canvas.height(), outside, 0, 0);
    canvas.fill_pattern(0, start, canvas.width(), canvas.height(), outside, 0, 0);
    const float lowest = static_cast<float>(camera.first_row()) - 1,
                highest = static_cast<float>(camera.last_row()) + 2;
    for (std::size_t i = entities_.size(); i-- > 0;)  // the robot last
        if (entities_[i].y > lowest && entities_[i].y < highest) draw_entity(canvas, camera, sheet, entities_[i]);
    if (options_.paint_vel_info) canvas.paint_velocity(robot.vx / kMaxSpeed, robot.vy / kShownSpeed);
}

}  // namespace

namespace games {
GameEntry fruitbot() { return {&kInfo, make_game<FruitBot>}; }
}  // namespace games

}  // namespace wm
