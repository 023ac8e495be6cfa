// Dodgeball
//
// A hall, divided by electric walls that must not be touched. Some enemies walk about in it, straight on and back from
// walls, and now and then throw a ball: to where the player is if he stands in line with them. The player walks in
// eight directions and, with special action D, throws a ball where he last walked to. A ball that hits an enemy knocks
// him out for 2 points; balls break at walls and at the edge of the hall. When nobody is left the exit opens: touching
// it gives 10 points and completes the level. Touching a wall, an enemy or an enemy's ball ends the episode. Modes
// differ in how large everything is, how fast, and how many walls there are. In memory mode the hall is twice as large,
// and only 16 cells around the player are seen.

#include "art/dodgeball.h"

#include <algorithm>

#include "art/backgrounds.h"
#include "core/camera.h"
#include "core/effects.h"
#include "core/game.h"
#include "core/physics.h"
#include "core/shots.h"
#include "core/sprites.h"
#include "core/variables.h"
#include "generate/clearance.h"
#include "generate/draw_until.h"
#include "generate/rooms.h"

namespace wm {
namespace {

const GameInfo kInfo = {
    "dodgeball",
    "Dodgeball",
    "Walk in eight directions and throw balls: they fly where you last walked to. Knock out all enemies, 2 "
    "points each; then the exit turns green, and reaching it gives 10 points and a complete level. Do not touch the "
    "electric walls, the enemies or their balls. Enemies throw when you stand in line with them.",
    "+2 for each enemy knocked out, +10 for the open exit.",
    "Reaching the open exit completes the level; walls, enemies and their balls end the episode.",
    "7 teams of enemies, 9 floors.",
    {"walk left and down", "walk left", "walk left and up", "walk down", "stand still", "walk up",
     "walk right and down", "walk right", "walk right and up", "throw", "nothing", "nothing", "nothing", "nothing",
     "nothing"},
    {{Mode::Easy, 1000}, {Mode::Hard, 1000}, {Mode::Extreme, 1000}, {Mode::Memory, 1000}},
};

constexpr float kKnockOutReward = 2, kExitReward = 10;
constexpr int kThrowAction = 1, kThrowInterval = 7, kBallLife = 50;  // steps
constexpr int kFewestEnemies = 3, kLongestWalk = 74;                 // steps in one direction
constexpr float kEnemySpeed = 0.05f, kInLine = 1;                    // cells
constexpr int kEnemyInterval = 50, kFirstEnemyMark = 10;             // the first throw is possible on step 60
constexpr float kPeace = 0.5f;       // between the player and the nearest enemy at the start: ten steps of his
constexpr float kClearance = 0.05f;  // on each side of the player, that a way to the exit must have
constexpr float kMemoryView = 16, kShownSpeed = 0.5f;  // cells; upwards, of a full square of paint_vel_info

enum Type : std::int16_t { Agent, Exit, Enemy, Wall };

// What a mode decides.
struct Rules {
    int size;  // of the hall
    int splits;
    float half_wall;
    art::dodgeball::Sizes radius;
    float speed;
    int enemies;  // one of so many numbers, from 3 on
};

constexpr Rules kEasy = {20, 2, 0.6f, art::dodgeball::kLarge, 0.75f, 4};
constexpr Rules kHard = {20, 4, 0.45f, art::dodgeball::kMedium, 0.5f, 4};
constexpr Rules kExtreme = {20, 8, 0.3f, art::dodgeball::kSmall, 0.25f, 4};
constexpr Rules kMemory = {40, 16, 0.45f, art::dodgeball::kMedium, 0.5f, 17};

const Rules& rules_of(Mode mode) {
    return mode == Mode::Easy ? kEasy : mode == Mode::Extreme ? kExtreme : mode == Mode::Memory ? kMemory : kHard;
}

class Dodgeball final : public Game {
public:
    explicit Dodgeball(const GameOptions& options)
        : options_(options),
          rules_(rules_of(options.mode)),
          art_(art::dodgeball::table(rules_.radius), style_of(options)),
          grid_(rules_.size, rules_.size) {}

    void reset(std::int32_t level_seed) override {
        streams_ = Streams(level_seed);
        draw_until([&] { return build_level(); });
        for (Shots* balls : {&balls_, &enemy_balls_}) balls->clear();
        puffs_.clear();
        steps_ = last_throw_ = 0;
        facing_x_ = 1;
        facing_y_ = 0;
        exit_open_ = false;
        team_ = streams_.look.below(art_.themes(art::dodgeball::Enemy));
        background_ = streams_.look.below(art::background_count(art::BackgroundFamily::TopDown));
        shift_ = streams_.look.uniform();
        picture_.forget();
    }

    StepResult step(int action) override {
        const Move move = decode_action(action);
        ++steps_;
        move_all(move);
        StepResult result{resolve_hits(), false, false};
        touch_agent(result);
        remove_dead(entities_, grid_);
        for (Shots* balls : {&balls_, &enemy_balls_}) remove_dead(*balls, grid_);
        exit_open_ = first_enemy() == entities_.size();
        if (move.special == kThrowAction) throw_ball();
        for (std::size_t i = first_enemy(); i < entities_.size(); ++i) act(entities_[i]);
        return result;
    }

    void draw(Canvas& canvas) const override;
    Certificate certify() const override;

    void visit(Archive& archive) override {
        using namespace art::dodgeball;
        const FloatRange hall = within(-2, rules_.size + 2);
        const ShotRanges balls = {hall, hall, rules_.radius.ball, exactly(rules_.radius.ball), kBallLife};
        archive("entities", entities_, within(2, 2 + rules_.splits + kFewestEnemies + rules_.enemies), entity_ranges());
        archive("walls", walls_, within(0, entities_.size() - 2));
        archive("balls", balls_, shot_count(), balls)("enemy_balls", enemy_balls_, shot_count(), balls);
        archive("puffs", puffs_, effect_count(), EffectRanges{hall, hall, {{Puff, kPuffs}, {Puff, kPuffs}}});
        archive("streams", streams_)("steps", steps_, step_count())("last_throw", last_throw_, step_count());
        archive("facing_x", facing_x_, within(-1, 1))("facing_y", facing_y_, within(-1, 1))("exit_open", exit_open_);
        archive("team", team_, below(art_.themes(Sprite::Enemy)));
        archive("background", background_, below(art::background_count(art::BackgroundFamily::TopDown)));
        archive("shift", shift_, share());
        if (archive.loading()) picture_.forget();
        if (archive.checking()) check_loaded();
    }

    void describe(Variables& variables) const override {
        const Entity &agent = entities_[0], &exit = entities_[1];
        variables.agent(agent, seen_part(!whole_view(), agent.x, agent.y, kMemoryView, rules_.size));
        variables.direction("agent.facing_x", static_cast<float>(facing_x_));
        variables.direction("agent.facing_y", static_cast<float>(facing_y_));
        variables.flag("agent.may_throw", steps_ + 1 - last_throw_ >= kThrowInterval);
        variables.goal("exit", exit.x, exit.y);
        if (!whole_view()) variables.seen("exit.seen", exit.x, exit.y);
        variables.flag("exit.open", exit_open_);
        variables.nearest_point("wall", entities_, is_a(Wall));
        variables.count("enemies", static_cast<std::int64_t>(entities_.size() - first_enemy()));
        variables.nearest("enemy", entities_, is_a(Enemy), Motion::Free);
        variables.nearest("enemy_ball", enemy_balls_, is_any, Motion::Free);
        variables.count("own_balls", balls_, is_any);
    }

private:
    EntityRanges entity_ranges() const;
    void check_loaded() const;
    bool whole_view() const { return options_.mode != Mode::Memory; }
    std::size_t first_enemy() const { return 2 + static_cast<std::size_t>(walls_); }
    bool build_level();
    bool place_exit(Random& random);
    void move_all(const Move& move);
    void walk(Entity& enemy) const;
    float resolve_hits();
    void break_balls(Shots& balls) const;
    void touch_agent(StepResult& result) const;
    void throw_ball();
    void act(Entity& enemy);
    void draw_hall(Canvas& canvas, const Camera& camera, const Sheet& sheet) const;

    GameOptions options_;
    const Rules& rules_;
    Art art_;
    Grid grid_;  // empty: only its edge matters
    Streams streams_;
    Entities entities_;       // the player, the exit, walls, enemies
    std::int32_t walls_ = 0;  // how many
    Shots balls_, enemy_balls_;
    Effects puffs_;
    std::int32_t steps_ = 0, last_throw_ = 0;
    std::int32_t facing_x_ = 1, facing_y_ = 0;  // where a ball goes
    bool exit_open_ = false;
    std::int32_t team_ = 0, background_ = 0;
    float shift_ = 0;               // of the background
    mutable LevelPicture picture_;  // the floor and the walls
};

EntityRanges Dodgeball::entity_ranges() const {
    EntityRanges r(within(-2, rules_.size + 2), rules_.speed, within(0.25f, rules_.size), within(Agent, Wall));
    r.age = step_count();
    r.timer = within(-1, kLongestEpisode);
    r.lifetime = within(-1, kLongestWalk);
    return r;
}

void Dodgeball::check_loaded() const {
    for (std::size_t i = 0; i < entities_.size(); ++i) {
        const Type wanted = i == 0 ? Agent : i == 1 ? Exit : i < first_enemy() ? Wall : Enemy;
        require_state(entities_[i].type == wanted, "the player, the exit, walls and enemies come in this order");
    }
}

// Returns false when there was no room for something: then another layout is tried.
bool Dodgeball::build_level() {
    Random& random = streams_.level;
    const float size = static_cast<float>(rules_.size), agent_radius = rules_.radius.player;
    Entity agent, enemy;
    agent.x = agent.y = -size;  // out of the way, until it has a place
    enemy.type = Enemy;
    enemy.rx = enemy.ry = rules_.radius.enemy;
    enemy.timer = kFirstEnemyMark;
    entities_.assign(1, agent);
    entities_.push_back({});  // the exit
    const RoomPlan plan = {rules_.splits, rules_.half_wall, 4 * agent_radius + 2 * rules_.half_wall + 0.5f,
                           8 * agent_radius + 0.5f};
    for (const Room& wall : split_rooms(size, plan, random)) entities_.push_back(box_of(wall, Wall));
    walls_ = static_cast<std::int32_t>(entities_.size()) - 2;
    if (!place_exit(random)) return false;
    entities_[0].rx = entities_[0].ry = agent_radius + kClearance;
    if (!place_inside(entities_[0], entities_, random, 0, 0, size, size)) return false;
    entities_[0].rx = entities_[0].ry = agent_radius + kPeace;
    for (int left = kFewestEnemies + random.below(rules_.enemies); left > 0; --left) {
        if (!place_inside(enemy, entities_, random, 0, 0, size, size)) return false;
        entities_.push_back(enemy);
    }
    entities_[0].rx = entities_[0].ry = agent_radius;
    return true;
}

// Somewhere along one of the four sides.
bool Dodgeball::place_exit(Random& random) {
    Entity& exit = entities_[1];
    exit.type = Exit;
    exit.rx = exit.ry = rules_.radius.exit;
    const float size = static_cast<float>(rules_.size), depth = 2 * exit.rx;
    const int side = random.below(4);
    const bool upright = side >= 2, far_side = side % 2 == 1;
    return place_inside(exit, entities_, random, upright && far_side ? size - depth : 0,
                        !upright && far_side ? size - depth : 0, upright ? depth : size, upright ? size : depth);
}

void Dodgeball::move_all(const Move& move) {
    MovementRules edge;
    Entity& agent = entities_[0];
    if (move.x != 0 || move.y != 0) {
        facing_x_ = move.x;
        facing_y_ = move.y;
    }
    agent.vx = steer(agent.vx, move.x, rules_.speed);
    agent.vy = steer(agent.vy, move.y, rules_.speed);
    Mover<MovementRules>(grid_, entities_, edge).move_agent(agent, move.x, move.y);
    for (std::size_t i = first_enemy(); i < entities_.size(); ++i) walk(entities_[i]);
    for (Shots* balls : {&balls_, &enemy_balls_}) move_shots(*balls, kBallLife);
    grow_older(puffs_);
}

// Straight on, and back from walls and from the edge: along one axis, by less than any wall is thick.
void Dodgeball::walk(Entity& enemy) const {
    drift(enemy);
    ++enemy.age;
    const bool sideways = enemy.vx != 0;
    float &position = sideways ? enemy.x : enemy.y, &velocity = sideways ? enemy.vx : enemy.vy;
    const float lowest = enemy.rx, highest = static_cast<float>(rules_.size) - enemy.rx;
    const auto bounce = [&](float edge) {
        position = 2 * edge - position;
        velocity = -velocity;
    };
    if (position < lowest) bounce(lowest);
    else if (position > highest) bounce(highest);
    for (std::size_t i = 2; i < first_enemy(); ++i) {
        const Entity& wall = entities_[i];
        if (!overlap(enemy, wall, -kContactEpsilon)) continue;
        const float reach = enemy.rx + (sideways ? wall.rx : wall.ry), middle = sideways ? wall.x : wall.y;
        bounce(velocity > 0 ? middle - reach : middle + reach);
    }
}

// Balls meet their targets before anything meets the player: who is knocked out in this step can no longer hurt.
float Dodgeball::resolve_hits() {
    for (Shots* balls : {&balls_, &enemy_balls_}) break_balls(*balls);
    float reward = 0;
    for (Shot& ball : balls_) {
        for (std::size_t i = first_enemy(); i < entities_.size() && !ball.dead; ++i) {
            Entity& enemy = entities_[i];
            if (enemy.dead || !overlap(ball, enemy)) continue;
            ball.dead = enemy.dead = true;
            reward += kKnockOutReward;
            puffs_.push_back({enemy.x, enemy.y, art::dodgeball::Puff, art::dodgeball::kPuffs});
        }
    }
    return reward;
}

void Dodgeball::break_balls(Shots& balls) const {
    const float size = static_cast<float>(rules_.size);
    for (Shot& ball : balls) {
        const float r = ball.rx - kContactEpsilon;
        if (ball.x < r || ball.y < r || ball.x > size - r || ball.y > size - r) ball.dead = true;
        for (std::size_t i = 2; i < first_enemy() && !ball.dead; ++i) ball.dead = overlap(ball, entities_[i]);
    }
}

void Dodgeball::touch_agent(StepResult& result) const {
    const Entity &agent = entities_[0], &exit = entities_[1];
    if (exit_open_ && overlap(agent, exit)) {
        result.reward += kExitReward;
        result.terminated = result.level_complete = true;
    }
    for (std::size_t i = 2; i < entities_.size(); ++i)
        if (!entities_[i].dead && overlap(agent, entities_[i])) result.terminated = true;
    for (const Shot& ball : enemy_balls_)
        if (!ball.dead && overlap(agent, ball)) result.terminated = true;
}

// Balls that are thrown now fly for the first time in the next step.
void Dodgeball::throw_ball() {
    if (steps_ - last_throw_ < kThrowInterval) return;
    last_throw_ = steps_;
    const float r = rules_.radius.ball;  // a ball flies half its size in a step, along each axis
    const Entity& agent = entities_[0];
    balls_.push_back({agent.x, agent.y, r * static_cast<float>(facing_x_), r * static_cast<float>(facing_y_), r, r});
}

// Each enemy turns now and then, and throws at a player in line with it. Its timer is when it last threw (with a little
// chance in it), its lifetime until when it keeps its direction.
void Dodgeball::act(Entity& enemy) {
    Random& random = streams_.play;
    const auto go = [&](float x, float y) {
        enemy.vx = kEnemySpeed * x;
        enemy.vy = kEnemySpeed * y;
    };
    if (--enemy.lifetime <= 0) {
        const bool sideways = random.coin();
        const float way = random.coin() ? 1.0f : -1.0f;
        go(sideways ? way : 0, sideways ? 0 : way);
        enemy.lifetime = random.between(25, kLongestWalk + 1);
    }
    if (steps_ - enemy.timer < kEnemyInterval) return;
    const float dx = entities_[0].x - enemy.x, dy = entities_[0].y - enemy.y;
    const bool above = std::fabs(dx) < kInLine;
    if (!above && std::fabs(dy) >= kInLine) return;
    const float x = above ? 0 : dx > 0 ? 1.0f : -1.0f, y = !above ? 0 : dy > 0 ? 1.0f : -1.0f;
    const float r = rules_.radius.ball;
    enemy_balls_.push_back({enemy.x, enemy.y, r * x, r * y, r, r});
    enemy.timer = steps_ + random.below(4);
    go(x, y);
}

// The player must be able to walk to the exit and up to each enemy without touching a wall, and must start in peace.
Certificate Dodgeball::certify() const {
    const Entities walls(entities_.begin() + 2, entities_.begin() + static_cast<std::ptrdiff_t>(first_enemy()));
    const Reach reach(entities_[0], walls, static_cast<float>(rules_.size), kClearance);
    const bool fair = std::all_of(entities_.begin() + 2, entities_.end(), [&](const Entity& e) {
        return !overlap(e, entities_[0], e.type == Enemy ? kPeace - kContactEpsilon : 0) &&
               (e.type == Wall || reach.touches(e));
    });
    return {fair && entities_.size() > first_enemy() && reach.touches(entities_[1]), -1};
}

void Dodgeball::draw_hall(Canvas& canvas, const Camera& camera, const Sheet& sheet) const {
    art::draw_background_or_black(canvas, options_, art::BackgroundFamily::TopDown, background_, camera,
                                  static_cast<float>(rules_.size), shift_);
    for (std::size_t i = 2; i < first_enemy(); ++i) art::dodgeball::draw_wall(canvas, camera, sheet, entities_[i]);
    if (whole_view()) return;
    const Bitmap* outside = &sheet.get(art::dodgeball::Outside);
    draw_tiles(canvas, camera, [&](int x, int y) { return grid_.contains(x, y) ? nullptr : outside; });
}

void Dodgeball::draw(Canvas& canvas) const {
    using namespace art::dodgeball;
    const Entity& agent = entities_[0];
    const float size = static_cast<float>(rules_.size), cells = whole_view() ? size : kMemoryView;
    const Camera camera(canvas.width(), cells, whole_view() ? size / 2 : agent.x, whole_view() ? size / 2 : agent.y);
    const Sheet& sheet = art_.sheet(canvas.width(), cells);
    if (!whole_view() || !picture_.copy_to(canvas)) {
        draw_hall(canvas, camera, sheet);
        if (whole_view()) picture_.remember(canvas);
    }
    draw_centred(canvas, camera, sheet.get(exit_open_ ? OpenExit : LockedExit), entities_[1].x, entities_[1].y);
    for (const Entity& e : entities_)
        if (e.type == Type::Enemy)
            draw_centred(canvas, camera, sheet.get(Sprite::Enemy, {team_, false, eighths(e.vx, e.vy)}), e.x, e.y);
    const int turn = eighths(static_cast<float>(facing_x_), static_cast<float>(facing_y_));
    draw_centred(canvas, camera, sheet.get(Player, {0, false, turn}), agent.x, agent.y);
    for (const Shot& ball : balls_) draw_centred(canvas, camera, sheet.get(PlayerBall), ball.x, ball.y);
    for (const Shot& ball : enemy_balls_) draw_centred(canvas, camera, sheet.get(EnemyBall), ball.x, ball.y);
    draw_effects(canvas, camera, sheet, puffs_);
    if (options_.paint_vel_info) canvas.paint_velocity(agent.vx / rules_.speed, agent.vy / kShownSpeed);
}

}  // namespace

namespace games {
GameEntry dodgeball() { return {&kInfo, make_game<Dodgeball>}; }
}  // namespace games

}  // namespace wm
