// CaveFlyer
//
// A ship flies through caves in space, as in the old arcade games: left and right turn it, up thrusts along its
// heading, down thrusts back with a third of the force. It keeps its speed, of which a tenth is lost each step. Rock
// stops it without harm. Reaching the goal gives 10 points and completes the level. Obstacles, targets and enemies end
// the episode. The special action fires along the heading instead of steering, every step if you like; five shots
// destroy a target, which is worth 3 points. Nothing else can be destroyed. Enemies fly to and fro along one axis.
//
// The caves are 30 cells wide (easy), 40 (hard) or 60 (memory). In easy and hard mode only what is near the shortest
// way from the start to the goal is left of them. For every 80 open cells off that way there are an obstacle, a target
// and an enemy. None of them starts near the ship, and every level has a way past all of them.

#include "art/caveflyer.h"

#include <algorithm>

#include "art/backgrounds.h"
#include "art/effects.h"
#include "core/camera.h"
#include "core/effects.h"
#include "core/game.h"
#include "core/level_tiles.h"
#include "core/numbers.h"
#include "core/physics.h"
#include "core/sprites.h"
#include "core/variables.h"
#include "generate/caveflyer_level.h"
#include "generate/search.h"

namespace wm {
namespace {

const GameInfo kInfo = {
    "caveflyer",
    "CaveFlyer",
    "Fly a ship through caves to the goal: left and right turn it, up thrusts forwards, down backwards, and it glides "
    "on when you do nothing. The goal is worth 10 points and completes the level. Rock only stops you; obstacles, "
    "targets and enemies end the episode. Five of your shots destroy a target, which is worth 3 points.",
    "+3 for each target destroyed, +10 for the goal.",
    "Reaching the goal completes the level; touching an obstacle, a target or an enemy ends the episode.",
    "13 backgrounds.",
    {"turn left and thrust back", "turn left", "turn left and thrust", "thrust back", "glide", "thrust",
     "turn right and thrust back", "turn right", "turn right and thrust", "fire", "nothing", "nothing", "nothing",
     "nothing", "nothing"},
    {{Mode::Easy, 1000}, {Mode::Hard, 1000}, {Mode::Memory, 1000}},
    2006,  // hard: 101 cells to the goal, past five obstacles and five enemies, with five targets to shoot
};

constexpr float kGoalReward = 10, kTargetReward = 3;
constexpr int kFire = 1;  // special action

constexpr float kThrust = 0.09f;       // cells per step and step
constexpr float kBackwards = 0.33f;    // of that
constexpr float kSpinPerStep = 7.5f;   // degrees
constexpr float kSpinKept = 0.5f;      // of the spin of the step before
constexpr float kFastestShown = 0.5f;  // of a full square of paint_vel_info
constexpr float kRadius = 0.5f;        // of everything but the ship and its shots
constexpr float kShotSpeed = 1, kShotRadiusX = 0.1f, kShotRadiusY = 0.25f;
constexpr int kShotLifetime = 10;
constexpr std::int16_t kTargetHealth = 5, kHurtHealth = 3;

constexpr int kMostEntities = 400;  // of a loaded state: far more than a cave ever holds

constexpr Cell kRim = 8;  // rock beside space: it only looks different

// In the order of their sprites.
enum Type : std::int16_t { Agent, Goal, Obstacle, Target, Shot, Enemy };

bool is_deadly(int type) { return type == Obstacle || type == Target || type == Enemy; }
bool stops_shots(int type) { return is_deadly(type) || type == Goal; }

int world_size(Mode mode) { return mode == Mode::Easy ? 30 : mode == Mode::Memory ? 60 : 40; }
float view_of(Mode mode) { return mode == Mode::Easy ? 10 : 16; }

class CaveFlyer final : public Game {
public:
    explicit CaveFlyer(const GameOptions& options)
        : options_(options), art_(art::caveflyer::table(), style_of(options)) {}

    void reset(std::int32_t level_seed) override {
        Streams streams(level_seed);
        tiles_.forget();
        build(generate_caveflyer_level(world_size(options_.mode), options_.mode != Mode::Memory, streams.level));
        effects_.clear();
        background_ = streams.look.below(art::background_count(art::BackgroundFamily::Space));
        phase_ = streams.look.uniform();
    }

    StepResult step(int action) override {
        const Move move = decode_action(action);
        StepResult result;
        steer_agent(move);
        move_all(move);
        result.reward = resolve_hits();
        touch_agent(result);
        for (Entity& e : entities_)
            if (e.type == Shot && !e.dead && Corners(e, e.x, e.y, grid_).any(is_rock)) burst(e);
        remove_dead(entities_, grid_);
        if (move.special == kFire) fire();
        return result;
    }

    void draw(Canvas& canvas) const override;
    Certificate certify() const override {
        const int steps = solve_by_playing(*this, ToTheGoal(*this));
        return {steps >= 0, steps};
    }
    int solution_length() const override { return way_; }

    void visit(Archive& archive) override {
        if (archive.loading()) tiles_.forget();
        const int world = world_size(options_.mode);
        archive("grid", grid_, world_grid(world, world, {kSpace, kWall, kRim}));
        archive("entities", entities_, within(2, kMostEntities), entity_ranges(world));
        using namespace art::caveflyer;
        const FloatRange space = within(-2, world + 2);
        const EffectRanges effects = {space, space, {{Exhaust, kExhaustFrames}, {Explosion, art::kExplosionFrames}}};
        archive("effects", effects_, effect_count(), effects)("way", way_, within(-1, world * world));
        archive("background", background_, below(art::background_count(art::BackgroundFamily::Space)));
        archive("phase", phase_, share());
        if (!archive.checking()) return;
        require_state(only_first_is(entities_, Type::Agent), "the ship comes first");
        require_state(entities_[1].type == Type::Goal, "the goal comes second");
    }

    void describe(Variables& variables) const override {
        const Entity &ship = agent(), &goal = entities_[1];
        variables.agent(ship, seen_part(options_.center_agent, ship.x, ship.y, view_of(options_.mode), grid_.width()));
        variables.direction("agent.heading_x", sine(ship.rotation));
        variables.direction("agent.heading_y", cosine(ship.rotation));
        variables.goal("goal", goal.x, goal.y);
        variables.seen("goal.seen", goal.x, goal.y);
        variables.nearest("obstacle", entities_, is_a(Obstacle));
        variables.nearest("target", entities_, is_a(Target));
        variables.nearest("enemy", entities_, is_a(Enemy), Motion::Free);
        variables.count("own_shots", entities_, is_a(Shot));
        variables.open_cells(grid_, is_rock);
    }

private:
    static EntityRanges entity_ranges(int world) {
        EntityRanges r(within(-2, world + 2), 1.1f * kShotSpeed, within(kShotRadiusX, kRadius),
                       within(Type::Agent, Type::Enemy));
        r.rotation = within(0, 360);
        r.spin = either_way(2 * kSpinPerStep);
        r.age = step_count();
        r.lifetime = within(-1, kShotLifetime);
        r.health = within(0, kTargetHealth);
        return r;
    }
    struct Rules : MovementRules {
        bool blocks(const Entity& /*mover*/, Cell cell) const { return is_rock(cell); }
    };

    // How to look for a solution: whoever has the shortest way to the goal first.
    struct ToTheGoal {
        const Grid free;
        const std::vector<int> ways;  // of each cell to the goal, in steps by sides

        explicit ToTheGoal(const CaveFlyer& game)
            : free(game.free_cells()), ways(distances_from(free, game.cell_at(game.entities_[Goal]), is_space)) {}

        std::array<HeldAction, 7> moves(const CaveFlyer&) const {
            return {{{5, 4}, {2, 4}, {8, 4}, {1, 3}, {7, 3}, {3, 5}, {4, 3}}};
        }
        // From where the ship will glide to a place a little further on its way, and from there to the goal.
        float distance(const CaveFlyer& game) const {
            constexpr float kGlide = 4, kPerStep = 0.1f;  // time costs, so that nobody dithers before a corner
            constexpr int kAhead = 4;
            const Entity& e = game.agent();
            Place place = {cell_of(e.x), cell_of(e.y)};
            for (int i = 0; i < kAhead; ++i) place = next(game, place);
            const float dx = static_cast<float>(place.x) + 0.5f - e.x - kGlide * e.vx;
            const float dy = static_cast<float>(place.y) + 0.5f - e.y - kGlide * e.vy;
            const float way = static_cast<float>(ways[game.index_of(place)]), steps = static_cast<float>(e.age);
            return way < 0 ? 1000 : way + std::sqrt(dx * dx + dy * dy) + kPerStep * steps;
        }
        Place next(const CaveFlyer& game, Place place) const {
            Place best = place;
            for (const Place& near : {Place{place.x - 1, place.y}, Place{place.x + 1, place.y},
                                      Place{place.x, place.y - 1}, Place{place.x, place.y + 1}})
                if (free.at(near.x, near.y) == kSpace && ways[game.index_of(near)] < ways[game.index_of(best)])
                    best = near;
            return best;
        }
        std::uint64_t key(const CaveFlyer& game) const {
            const Entity& e = game.agent();
            const auto rounded = [](float value, float scale) { return floor_int(value * scale + 0.5f); };
            std::uint64_t key = folded(folded(0, rounded(e.x, 2)), rounded(e.y, 2));
            key = folded(folded(key, rounded(e.vx, 3)), rounded(e.vy, 3));
            return folded(folded(key, rounded(e.rotation, 1.0f / 30)), e.age / 16);  // enemies make time matter
        }
    };

    static bool is_space(Cell cell) { return cell == kSpace; }
    static bool is_rock(Cell cell) { return cell != kSpace; }

    Entity& agent() { return entities_[0]; }
    const Entity& agent() const { return entities_[0]; }
    Place cell_at(const Entity& e) const { return {cell_of(e.x), cell_of(e.y)}; }
    std::size_t index_of(Place place) const { return static_cast<std::size_t>(place.y * grid_.width() + place.x); }

    Grid free_cells() const {
        Grid free = grid_;
        for (const Entity& e : entities_)
            if (e.type == Obstacle || e.type == Target) free.set(cell_of(e.x), cell_of(e.y), kWall);
        return free;
    }
    void build(const CaveflyerLevel& level);
    Entity& add(Type type, Place place);
    void steer_agent(const Move& move);
    void move_all(const Move& move);
    void patrol(Entity& e) const;
    float resolve_hits();
    void touch_agent(StepResult& result) const;
    void burst(Entity& shot);
    void fire();
    void draw_entity(Canvas& canvas, const Camera& camera, const Sheet& sheet, const Entity& e) const;

    GameOptions options_;
    Art art_;
    Grid grid_;
    Entities entities_;  // the ship, the goal, then the rest
    Effects effects_;
    std::int32_t way_ = 0;  // cells from the start to the goal, past everything
    std::int32_t background_ = 0;
    float phase_ = 0;
    mutable LevelTiles tiles_;
};

Entity& CaveFlyer::add(Type type, Place place) {
    Entity e;
    e.type = type;
    e.x = static_cast<float>(place.x) + 0.5f;
    e.y = static_cast<float>(place.y) + 0.5f;
    if (type != Agent) e.rx = e.ry = kRadius;
    entities_.push_back(e);
    return entities_.back();
}

void CaveFlyer::build(const CaveflyerLevel& level) {
    write_cells(grid_, level.open);
    for (const Place& place : edge_of(level.open).places()) grid_.set(place.x, place.y, kRim);
    entities_.clear();
    add(Agent, level.start);
    add(Goal, level.goal);
    for (const CaveflyerItem& item : level.items) {
        using Kind = CaveflyerItem::Kind;
        Entity& e = add(item.kind == Kind::Obstacle ? Obstacle
                        : item.kind == Kind::Target ? Target
                                                    : Enemy,
                        item.place);
        if (e.type == Target) e.health = kTargetHealth;
        e.vx = item.vx;
        e.vy = item.vy;
    }
    way_ = level.way;
}

void CaveFlyer::steer_agent(const Move& move) {
    Entity& e = agent();
    const float force = move.y > 0 ? kThrust : move.y < 0 ? -kBackwards * kThrust : 0;
    const float ahead_x = sine(e.rotation), ahead_y = cosine(e.rotation);  // rotation 0 is up, 90 right
    e.vx = kVelocityDecay * (e.vx + force * ahead_x);
    e.vy = kVelocityDecay * (e.vy + force * ahead_y);
    e.spin = kSpinKept * e.spin + kSpinPerStep * static_cast<float>(move.x);
    if (move.y <= 0) return;
    using namespace art::caveflyer;
    constexpr float kTail = 0.55f;
    effects_.push_back({e.x - kTail * ahead_x, e.y - kTail * ahead_y, Exhaust, kExhaustFrames});
}

void CaveFlyer::move_all(const Move& move) {
    grow_older(effects_);
    Rules rules;
    Mover<Rules>(grid_, entities_, rules).move_agent(agent(), 0, move.y);
    for (Entity& e : entities_) {
        if (e.type == Enemy) patrol(e);
        else if (e.type == Shot) drift(e);
        grow_older(e);
    }
    Entity& e = agent();
    if (e.rotation >= 360) e.rotation -= 360;
    if (e.rotation < 0) e.rotation += 360;
}

// An enemy is as wide as its lane, so only the rock ahead matters: it bounces off that and loses no speed.
void CaveFlyer::patrol(Entity& e) const {
    const bool sideways = e.vx != 0;
    float& place = sideways ? e.x : e.y;
    float& speed = sideways ? e.vx : e.vy;
    const float side = speed > 0 ? 1.0f : -1.0f;
    place += speed;
    const float front = place + side * kRadius;
    const int ahead = cell_of(front);
    if (!is_rock(sideways ? grid_.at(ahead, cell_of(e.y)) : grid_.at(cell_of(e.x), ahead))) return;
    const float rock = static_cast<float>(speed > 0 ? ahead : ahead + 1);
    place = 2 * rock - front - side * kRadius;
    speed = -speed;
}

float CaveFlyer::resolve_hits() {
    float reward = 0;
    for (Entity& shot : entities_) {
        if (shot.type != Shot || shot.dead) continue;
        for (Entity& e : entities_) {
            if (e.dead || !stops_shots(e.type) || !overlap(shot, e)) continue;
            burst(shot);
            if (e.type != Target || --e.health > 0) break;
            burst(e);
            reward += kTargetReward;
            break;
        }
    }
    return reward;
}

void CaveFlyer::burst(Entity& e) {
    e.dead = true;
    effects_.push_back({e.x, e.y, art::caveflyer::Explosion, art::kExplosionFrames});
}

void CaveFlyer::touch_agent(StepResult& result) const {
    for (const Entity& e : entities_) {
        if (e.dead || !overlap(e, agent())) continue;
        if (is_deadly(e.type)) result.terminated = true;
        if (e.type != Goal) continue;
        result.reward += kGoalReward;
        result.terminated = result.level_complete = true;
    }
}

void CaveFlyer::fire() {
    const Entity& ship = agent();
    Entity shot;
    shot.type = Shot;
    shot.x = ship.x;
    shot.y = ship.y;
    shot.rx = kShotRadiusX;
    shot.ry = kShotRadiusY;
    shot.rotation = ship.rotation;
    shot.vx = kShotSpeed * sine(ship.rotation);
    shot.vy = kShotSpeed * cosine(ship.rotation);
    shot.lifetime = kShotLifetime;
    entities_.push_back(shot);
}

void CaveFlyer::draw_entity(Canvas& canvas, const Camera& camera, const Sheet& sheet, const Entity& e) const {
    using namespace art::caveflyer;
    Look look;
    if (e.type == Type::Agent || e.type == Type::Shot) look.turn = nearest_turn(e.rotation, kTurns);
    if (e.type == Type::Enemy) look.mirrored = e.vx < 0;
    const bool hurt = e.type == Type::Target && e.health <= kHurtHealth;
    draw_centred(canvas, camera, sheet.get(hurt ? int{TargetHurt} : e.type, look), e.x, e.y);
}

void CaveFlyer::draw(Canvas& canvas) const {
    const float world = static_cast<float>(grid_.width());
    const Camera camera = options_.center_agent ? Camera(canvas.width(), view_of(options_.mode), agent().x, agent().y)
                                                : Camera(canvas.width(), world, world / 2, world / 2);
    const Sheet& sheet = art_.sheet(canvas.width(), camera.cells());
    art::draw_background_or_black(canvas, options_, art::BackgroundFamily::Space, background_, camera, world, phase_);
    const Bitmap* wall = &sheet.get(art::caveflyer::Wall);
    const Bitmap* rim = &sheet.get(art::caveflyer::Rim);
    tiles_.draw(canvas, camera, grid_, {wall, rim}, [&](int x, int y) {
        const Cell cell = grid_.at(x, y);
        return cell == kSpace ? 0 : cell == kRim ? 2 : 1;
    });
    const float reach = options_.center_agent ? 0.5f * camera.cells() + 1 : world;
    for (std::size_t i = 1; i < entities_.size(); ++i) {
        const Entity& e = entities_[i];
        if (std::fabs(e.x - agent().x) < reach && std::fabs(e.y - agent().y) < reach)
            draw_entity(canvas, camera, sheet, e);
    }
    draw_effects(canvas, camera, sheet, effects_);
    draw_entity(canvas, camera, sheet, agent());
    if (options_.paint_vel_info) canvas.paint_velocity(agent().vx / kFastestShown, agent().vy / kFastestShown);
}

}  // namespace

namespace games {
GameEntry caveflyer() { return {&kInfo, make_game<CaveFlyer>}; }
}  // namespace games

}  // namespace wm
