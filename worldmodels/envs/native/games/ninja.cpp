// Ninja
//
// Cross a cave from left to right, from ledge to ledge, and reach the mushroom: 10 points and a complete level. Hold up
// to charge a jump, release to jump: the longer the charge, the higher the jump (in easy mode one step is enough).
// Fire below and bombs in the way end the episode at a touch. Special actions throw a star, ahead or 45 degrees up or
// down or straight up. A star sticks in brick; where it hits a bomb, the bomb explodes, and the explosion is as deadly.
//
// A level has 1 to 5 sections of one or two ledges. Easy mode has wider and lower ledges and shorter gaps.

#include "art/ninja.h"

#include "art/backgrounds.h"
#include "core/camera.h"
#include "core/game.h"
#include "core/level_tiles.h"
#include "core/numbers.h"
#include "core/physics.h"
#include "core/platforming.h"
#include "core/sprites.h"
#include "core/variables.h"
#include "generate/draw_until.h"
#include "generate/ninja_level.h"
#include "generate/search.h"

namespace wm {

namespace {

const GameInfo kInfo = {
    "ninja",
    "Ninja",
    "Cross a cave from ledge to ledge and reach the mushroom at its right end, which is worth 10 points. Hold up to "
    "charge a jump and release it to jump; the bar at the lower left shows the charge. Fire and bombs end the episode. "
    "Throw stars at bombs to blow them up, but keep away from the explosion.",
    "+10 for the mushroom.",
    "Reaching the mushroom completes the level; fire, a bomb or an explosion ends the episode.",
    "3 bricks, 6 mushrooms, 62 backgrounds.",
    {"run left", "run left", "run left and charge a jump", "stand still", "stand still", "charge a jump", "run right",
     "run right", "run right and charge a jump", "throw ahead", "throw up ahead", "throw straight up",
     "throw down ahead", "throw ahead", "throw ahead"},
    {{Mode::Easy, 1000}, {Mode::Hard, 1000}},
    6966,  // hard: the mushroom is in column 36, behind 4 bombs
};

constexpr float kReward = 10;

constexpr float kStarRadius = 0.25f;
constexpr float kStarSpeed = 1;
constexpr int kStarLife = 15;                             // steps
constexpr int kThrowPause = 3;                            // steps from one throw to the next
constexpr float kThrowAngles[] = {0, 45, 90, -45, 0, 0};  // degrees, by special action

constexpr float kExplosionRadius = 0.5f;
constexpr float kExplosionGrowth = 1.4f;  // each step
constexpr int kExplosionLife = 4;

constexpr int kMostEntities = 100;                      // of a loaded state: far more than ever fly
constexpr float kLargestRadius = 4 * kExplosionRadius;  // it doubles in two steps
constexpr int kMushrooms = 6;                           // looks

constexpr int kPicturePeriod = 5;  // steps between two pictures of a walk
constexpr int kFlamePeriod = 3;
constexpr Colour kBarColour = {66, 245, 135};
constexpr int kMostNodes = 1000;  // of the search for a solution: most need a few dozen

enum Type : std::int16_t { kAgent, kMushroom, kStar, kExplosion };

// What a mode decides.
struct Rules {
    NinjaLevelOptions ledges;
    float charge;  // of a full jump, for each step of holding
    float jump_speed;
    float view;  // cells across
};

constexpr Rules kEasy = {{3, 2, 3, 1}, 1, 1.25f, 10};
constexpr Rules kHard = {{1, 4, 5, 0}, 0.25f, 1.5f, 16};

constexpr auto is_brick = [](Cell cell) { return cell == kBrick; };

class Ninja final : public Game {
public:
    explicit Ninja(const GameOptions& options)
        : options_(options),
          rules_(options.mode == Mode::Easy ? kEasy : kHard),
          art_(art::ninja::table(), style_of(options)) {}

    void reset(std::int32_t level_seed) override {
        Streams streams(level_seed);
        tiles_.forget();
        steps_ = 0;
        pause_ = kThrowPause;
        charge_ = 0;
        // Ledges may be too far apart, or a bomb in the only way: such a cave is built anew.
        draw_until([&] {
            place(generate_ninja_level(grid_, rules_.ledges, streams.level));
            solution_ = solve_by_playing(*this, ToTheRight(), kMostNodes);
            return solution_ >= 0;
        });
        entities_[1].theme = static_cast<std::int16_t>(streams.look.below(art_.themes(art::ninja::Mushroom)));
        brick_theme_ = streams.look.below(art_.themes(art::ninja::Brick));
        background_ = streams.look.below(art::background_count(art::BackgroundFamily::Platform));
        phase_ = streams.look.uniform();
    }

    StepResult step(int action) override {
        ++steps_;
        const Move pressed = decode_action(action);
        steer_agent(pressed);
        move_all(pressed);
        const StepResult result = touch();
        remove_dead(entities_, grid_);
        throw_star(pressed.special);
        return result;
    }

    void draw(Canvas& canvas) const override;

    Certificate certify() const override {
        const int steps = solve_by_playing(*this, ToTheRight(), kMostNodes);
        return {steps >= 0, steps};
    }

    int solution_length() const override { return solution_; }

    bool supported() const { return stands_on(agent(), grid_, is_brick); }

    void visit(Archive& archive) override {
        if (archive.loading()) tiles_.forget();
        archive("grid", grid_, world_grid(kNinjaWorld, kNinjaWorld, {kSpace, kBrick, kBomb, kFire}, kBrick));
        archive("entities", entities_, within(2, kMostEntities), entity_ranges());
        archive("charge", charge_, share())("bombs", bombs_, CellCount{grid_, kBomb, kBomb});
        archive("pause", pause_, within(0, kThrowPause))("steps", steps_, step_count());
        archive("solution", solution_, solution_steps());
        archive("brick_theme", brick_theme_, below(art_.themes(art::ninja::Brick)));
        archive("background", background_, below(art::background_count(art::BackgroundFamily::Platform)));
        archive("phase", phase_, share());
        if (archive.checking()) check_loaded();
    }

    void describe(Variables& variables) const override {
        const Entity &ninja = agent(), &mushroom = entities_[1];
        variables.agent(ninja, seen_part(options_.center_agent, ninja.x, ninja.y, rules_.view, kNinjaWorld));
        variables.flag("agent.supported", supported());
        variables.direction("agent.facing", ninja.mirrored ? -1.0f : 1.0f);
        variables.share("agent.charge", charge_);
        variables.steps("agent.pause", pause_);
        variables.goal("mushroom", mushroom.x, mushroom.y);
        variables.seen("mushroom.seen", mushroom.x, mushroom.y);
        variables.nearest_cell("bomb", grid_, [](Cell cell) { return cell == kBomb; });
        variables.nearest_cell("fire", grid_, [](Cell cell) { return cell == kFire; });
        variables.nearest("star", entities_, is_a(kStar));
        variables.nearest("explosion", entities_, is_a(kExplosion));
        variables.open_cells(grid_, is_brick);
    }

private:
    static EntityRanges entity_ranges() {
        EntityRanges r(within(-1, kNinjaWorld + 1), kFastestFall, within(kStarRadius, kLargestRadius),
                       within(kAgent, kExplosion));
        r.grow = within(1, kExplosionGrowth);
        r.age = within(0, kStarLife);
        r.lifetime = within(-1, kStarLife);
        r.theme = below(kMushrooms);
        return r;
    }

    void check_loaded() const {
        require_state(entities_[0].type == kAgent && entities_[1].type == kMushroom,
                      "the ninja and the mushroom come first");
        for (std::size_t i = 2; i < entities_.size(); ++i) {
            const Entity& e = entities_[i];
            const bool star = e.type == kStar && e.grow == 1 && e.lifetime == kStarLife;
            const bool explosion = e.type == kExplosion && e.lifetime == kExplosionLife && e.age <= kExplosionLife;
            require_state(star || explosion, "stars and explosions are what the ninja leaves behind");
        }
    }

    struct Movement : MovementRules {
        bool blocks(const Entity&, Cell cell) const { return is_brick(cell); }
    };

    // How to look for a solution: whatever is furthest to the right first.
    struct ToTheRight {
        // Runs, jumps after a run-up or from the spot, full and short ones, and stars while there are bombs.
        std::vector<Leap> moves(const Ninja& game) const {
            std::vector<Leap> moves = {{7, 1, 7}, {8, 4, 7}, {8, 4, 4}, {5, 4, 7}, {8, 2, 7},
                                       {5, 2, 7}, {8, 1, 7}, {5, 4, 4}, {2, 4, 1}, {1, 1, 1}};
            if (game.bombs_ > 0) moves.insert(moves.end(), {{9, 1, 4}, {10, 1, 4}, {4, 6, 4}});
            return moves;
        }
        float distance(const Ninja& game) const { return -game.agent().x; }
        std::uint64_t key(const Ninja& game) const {
            const std::uint64_t key = folded(motion_key(game.agent()), static_cast<int>(4 * game.charge_));
            return folded(key, game.bombs_);
        }
    };

    Entity& agent() { return entities_[0]; }
    const Entity& agent() const { return entities_[0]; }

    void place(Place goal) {
        entities_.clear();
        add_entity(kAgent, 1.5f, kNinjaStart + 0.5f, 0.5f);
        bombs_ = grid_.count(kBomb);
        add_entity(kMushroom, static_cast<float>(goal.x) + 0.5f, static_cast<float>(goal.y) + 0.5f, 0.5f);
    }

    Entity& add_entity(Type type, float x, float y, float radius) {
        Entity e;
        e.type = type;
        e.x = x;
        e.y = y;
        e.rx = e.ry = radius;
        entities_.push_back(e);
        return entities_.back();
    }

    // A jump begins when up is released; in the air there is nothing to push off from.
    void steer_agent(const Move& pressed) {
        const bool support = supported();
        run_and_fall(agent(), pressed.x, support);
        if (!support) charge_ = 0;
        else if (pressed.y > 0) charge_ = std::min(1.0f, charge_ + rules_.charge);
        else if (charge_ > 0) {
            agent().vy = charge_ * rules_.jump_speed;
            charge_ = 0;
        }
    }

    void move_all(const Move& pressed);
    StepResult touch();
    bool hits_bomb(const Entity& star);
    void throw_star(int special);
    void draw_cave(Canvas& canvas, const Camera& camera, const Sheet& sheet) const;
    void draw_entities(Canvas& canvas, const Camera& camera, const Sheet& sheet) const;
    void draw_charge(Canvas& canvas, const Camera& camera) const;
    const Bitmap& agent_picture(const Sheet& sheet) const;

    GameOptions options_;
    const Rules& rules_;
    Art art_;
    Grid grid_;
    Entities entities_;       // the agent, the mushroom, then stars and explosions
    float charge_ = 0;        // of a full jump
    std::int32_t bombs_ = 0;  // left in the cave
    std::int32_t pause_ = 0;  // steps until the next star may be thrown
    std::int32_t steps_ = 0;
    std::int32_t solution_ = -1;
    std::int32_t brick_theme_ = 0;
    std::int32_t background_ = 0;
    float phase_ = 0;
    mutable LevelTiles tiles_;
};

void Ninja::move_all(const Move& pressed) {
    Movement rules;
    Mover<Movement> mover(grid_, entities_, rules);
    for (std::size_t i = 2; i < entities_.size(); ++i) {
        Entity& e = entities_[i];
        if (e.type == kStar && (e.vx != 0 || e.vy != 0)) {
            const float vx = e.vx, vy = e.vy;
            mover.move(e);
            if (e.vx != vx || e.vy != vy) e.vx = e.vy = 0;  // it sticks in brick
        }
        grow_older(e);
    }
    mover.move_agent(agent(), pressed.x, pressed.y);
}

StepResult Ninja::touch() {
    StepResult result;
    // Explosions that are born now grow, and hurt, from the next step on.
    const std::size_t count = entities_.size();
    for (std::size_t i = 2; i < count; ++i) {
        if (entities_[i].dead) continue;
        if (entities_[i].type == kExplosion) result.terminated |= overlap(entities_[i], agent());
        else if (hits_bomb(entities_[i])) entities_[i].dead = true;
    }
    for_each_cell(agent(), grid_, [&](int, int, Cell cell) {
        if (cell == kFire || cell == kBomb) result.terminated = true;
    });
    if (overlap(entities_[1], agent())) result = {kReward, true, true};
    return result;
}

// Both are gone then, and leave an explosion where the bomb hung.
bool Ninja::hits_bomb(const Entity& star) {
    int bomb_x = -1, bomb_y = -1;
    for_each_cell(star, grid_, [&](int x, int y, Cell cell) {
        if (cell != kBomb) return;
        bomb_x = x;
        bomb_y = y;
    });
    if (bomb_x < 0) return false;
    grid_.set(bomb_x, bomb_y, kSpace);
    --bombs_;
    Entity& e =
        add_entity(kExplosion, static_cast<float>(bomb_x) + 0.5f, static_cast<float>(bomb_y) + 0.5f, kExplosionRadius);
    e.grow = kExplosionGrowth;
    e.lifetime = kExplosionLife;
    return true;
}

void Ninja::throw_star(int special) {
    if (pause_ > 0) --pause_;
    if (special == 0 || pause_ > 0) return;
    pause_ = kThrowPause;
    const float angle = kThrowAngles[special - 1], side = agent().mirrored ? -1.0f : 1.0f;
    Entity& star = add_entity(kStar, agent().x, agent().y, kStarRadius);
    star.vx = side * kStarSpeed * cosine(angle);
    star.vy = kStarSpeed * sine(angle);
    star.lifetime = kStarLife;
}

void Ninja::draw(Canvas& canvas) const {
    const float middle = static_cast<float>(kNinjaWorld) / 2;
    const Camera camera = options_.center_agent ? Camera(canvas.width(), rules_.view, agent().x, agent().y)
                                                : Camera(canvas.width(), kNinjaWorld, middle, middle);
    const Sheet& sheet = art_.sheet(canvas.width(), camera.cells());
    art::draw_background_or_black(canvas, options_, art::BackgroundFamily::Platform, background_, camera, kNinjaWorld,
                                  phase_);
    draw_cave(canvas, camera, sheet);
    draw_entities(canvas, camera, sheet);
    if (options_.paint_vel_info) canvas.paint_velocity(agent().vx / kRunSpeed, agent().vy / rules_.jump_speed);
    draw_charge(canvas, camera);
}

void Ninja::draw_cave(Canvas& canvas, const Camera& camera, const Sheet& sheet) const {
    const Bitmap* brick = &sheet.get(art::ninja::Brick, brick_theme_);
    const Bitmap* top = &sheet.get(art::ninja::BrickTop, brick_theme_);
    tiles_.draw(canvas, camera, grid_, {brick, top}, [&](int x, int y) {
        if (!is_brick(grid_.at(x, y))) return 0;
        return is_brick(grid_.at(x, y + 1)) ? 1 : 2;
    });
    const int left = std::max(camera.first_column(), 0), right = std::min(camera.last_column(), kNinjaWorld - 1);
    const int highest = std::min(camera.last_row(), kNinjaWorld - 1);
    for (int y = std::max(camera.first_row() - 1, 0); y <= highest; ++y) {
        const Cell* cells = grid_.row(y);
        for (int x = left; x <= right; ++x) {
            const Cell cell = cells[x];
            if (cell == kSpace || cell == kBrick) continue;
            const float middle = static_cast<float>(x) + 0.5f, bottom = static_cast<float>(y);
            if (cell == kFire) {
                const int frame = (steps_ / kFlamePeriod + x) % art::ninja::kFlames;
                draw_standing(canvas, camera, sheet.get(art::ninja::Flame + frame), middle, bottom);
            } else if (cell == kBomb) {
                draw_centred(canvas, camera, sheet.get(art::ninja::Bomb), middle, bottom + 0.5f);
            }
        }
    }
}

void Ninja::draw_entities(Canvas& canvas, const Camera& camera, const Sheet& sheet) const {
    const Entity& mushroom = entities_[1];
    draw_standing(canvas, camera, sheet.get(art::ninja::Mushroom, mushroom.theme), mushroom.x, mushroom.bottom());
    draw_standing(canvas, camera, agent_picture(sheet), agent().x, agent().bottom());
    for (std::size_t i = 2; i < entities_.size(); ++i) {
        const Entity& e = entities_[i];
        if (e.type == kExplosion) {
            draw_centred(canvas, camera, sheet.get(art::ninja::Explosion + e.age), e.x, e.y);
        } else {
            const bool flies = e.vx != 0 || e.vy != 0;
            const int turn = flies ? e.age % art::ninja::kStarTurns : 1;
            draw_centred(canvas, camera, sheet.get(art::ninja::Star, {0, false, turn}), e.x, e.y);
        }
    }
}

// A bar at the lower left, up to 3 cells high.
void Ninja::draw_charge(Canvas& canvas, const Camera& camera) const {
    const auto pixels = [&](float cells) { return floor_int(cells * camera.scale() + 0.5f); };
    const int height = pixels(3 * charge_);
    canvas.fill_rectangle(pixels(0.25f), canvas.height() - pixels(0.5f) - height, pixels(0.5f), height, kBarColour);
}

const Bitmap& Ninja::agent_picture(const Sheet& sheet) const {
    const Look look{0, agent().mirrored};
    if (!supported()) return sheet.get(art::ninja::PlayerJump, look);
    if (charge_ > 0) return sheet.get(art::ninja::PlayerCrouch, look);
    if (std::fabs(agent().vx) < 0.05f) return sheet.get(art::ninja::PlayerStand, look);
    const bool second_picture = (steps_ / kPicturePeriod) % 2 != 0;
    return sheet.get(second_picture ? art::ninja::PlayerRunB : art::ninja::PlayerRunA, look);
}

}  // namespace

namespace games {
GameEntry ninja() { return {&kInfo, make_game<Ninja>}; }
}  // namespace games

}  // namespace wm
