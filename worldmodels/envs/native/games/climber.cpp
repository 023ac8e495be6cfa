// Climber
//
// Jump from platform to platform up a tower and collect all the crystals on the way: 1 point for each, and 10 more for
// the last one, which completes the level. Bats fly to and fro between the platforms; touching one ends the episode.
//
// A level has 1 to 10 platforms, each 3 to 5 cells above the one before, and at least one crystal, on the last. Bats
// turn back 4 cells from where they began, and at walls and platforms. Easy mode has a narrower tower and fewer bats.

#include "art/climber.h"

#include "art/backgrounds.h"
#include "core/camera.h"
#include "core/game.h"
#include "core/level_tiles.h"
#include "core/physics.h"
#include "core/platforming.h"
#include "core/sprites.h"
#include "core/variables.h"
#include "generate/draw_until.h"
#include "generate/paths.h"
#include "generate/platforms.h"
#include "generate/search.h"

namespace wm {

namespace {

const GameInfo kInfo = {
    "climber",
    "Climber",
    "Jump from platform to platform up a tower. Each crystal is worth 1 point; the last one is worth 10 more and "
    "completes the level. Bats that fly between the platforms end the episode: wait below until they have passed. Run "
    "left and right to get around a platform and jump onto it.",
    "+1 for each crystal, +10 for the last.",
    "Collecting every crystal completes the level; touching a bat ends the episode.",
    "4 climbers, 4 towers, 62 backgrounds.",
    {"run left", "run left", "run left and jump", "stand still", "stand still", "jump", "run right", "run right",
     "run right and jump", "nothing", "nothing", "nothing", "nothing", "nothing", "nothing"},
    {{Mode::Easy, 1000}, {Mode::Hard, 1000}},
    4168,  // hard: 10 platforms with 10 crystals and 4 bats
};

constexpr float kCrystalReward = 1;
constexpr float kLastReward = 10;  // for the last crystal, on top

constexpr int kHeight = 64;    // cells
constexpr float kFeet = 2.5f;  // cells from the lower edge of the view up to the middle of the agent

constexpr float kJumpSpeed = 1.5f;
constexpr float kBatRadiusX = 0.5f;
constexpr float kBatRadiusY = 0.364f;
constexpr float kBatSpeed = 0.15f;
constexpr float kBatRange = 4;  // cells to either side of where it began
constexpr float kCrystalRadius = 0.3f;
constexpr int kMostNodes = 2000;  // of the search for a solution: most need a few dozen

constexpr int kPicturePeriod = 5;  // steps between two pictures of a walk
constexpr int kLooks = 4;          // of the agent, and of the tower
constexpr int kMostEntities = 50;  // of a loaded state: far more than a tower ever holds

enum Type : std::int16_t { kAgent, kBat, kCrystal };

// What a mode decides.
struct Rules {
    int width;  // cells
    float bat_chance;
};

constexpr Rules kEasy = {16, 0.2f};
constexpr Rules kHard = {20, 0.5f};

class Climber final : public Game {
public:
    explicit Climber(const GameOptions& options)
        : options_(options),
          rules_(options.mode == Mode::Easy ? kEasy : kHard),
          art_(art::climber::table(), style_of(options)) {}

    void reset(std::int32_t level_seed) override {
        Streams streams(level_seed);
        tiles_.forget();
        steps_ = 0;
        // Now and then a bat fills the only way up: such a tower is built anew.
        draw_until([&] {
            build(streams.level);
            solution_ = solve_by_playing(*this, ToTheCrystals(*this), kMostNodes);
            return solution_ >= 0;
        });
        agent().theme = static_cast<std::int16_t>(streams.look.below(kLooks));
        tower_theme_ = streams.look.below(kLooks);
        background_ = streams.look.below(art::background_count(art::BackgroundFamily::Platform));
        phase_ = streams.look.uniform();
    }

    StepResult step(int action) override {
        ++steps_;
        const Move pressed = decode_action(action);
        const bool support = supported();
        run_and_fall(agent(), pressed.x, support);
        if (support && pressed.y > 0) agent().vy = kJumpSpeed;
        move_all(pressed);
        return touch();
    }

    void draw(Canvas& canvas) const override;

    Certificate certify() const override {
        const int steps = solve_by_playing(*this, ToTheCrystals(*this), kMostNodes);
        return {steps >= 0, steps};
    }

    int solution_length() const override { return solution_; }

    bool supported() const { return stands_on(agent(), grid_, is_ground); }

    void visit(Archive& archive) override {
        if (archive.loading()) tiles_.forget();
        archive("grid", grid_, world_grid(rules_.width, kHeight, {kSpace, kGround, kGroundTop}, kGround));
        archive("entities", entities_, within(1, kMostEntities), entity_ranges());
        archive("steps", steps_, step_count())("solution", solution_, solution_steps());
        archive("tower_theme", tower_theme_, below(kLooks));
        archive("background", background_, below(art::background_count(art::BackgroundFamily::Platform)));
        archive("phase", phase_, share());
        if (archive.checking()) require_state(only_first_is(entities_, kAgent), "the climber comes first");
    }

    void describe(Variables& variables) const override {
        const float width = static_cast<float>(rules_.width), height = kHeight;
        variables.agent(agent(), options_.center_agent ? Square(width / 2, agent().y + width / 2 - kFeet, width)
                                                       : Square(width / 2, height / 2, height));
        variables.flag("agent.supported", supported());
        variables.count("crystals", std::count_if(entities_.begin(), entities_.end(), is_a(kCrystal)));
        variables.nearest("crystal", entities_, is_a(kCrystal));
        variables.nearest("bat", entities_, is_a(kBat), Motion::Sideways);
        variables.open_cells(grid_, is_ground);
    }

private:
    EntityRanges entity_ranges() const {
        EntityRanges r(within(-1, kHeight + 1), kFastestFall, within(kCrystalRadius, 0.5f), within(kAgent, kCrystal));
        r.x = within(-1, rules_.width + 1);
        r.theme = below(kLooks);
        r.timer = within(-1, rules_.width);
        return r;
    }

    struct Movement : MovementRules {
        bool blocks(const Entity& mover, Cell cell) const { return mover.type == kAgent && is_ground(cell); }
        bool reflects(const Entity& mover, Cell cell) const { return mover.type == kBat && is_ground(cell); }
    };

    // How to look for a solution: fewer crystals left first, then the shorter way through the air to the lowest one.
    class ToTheCrystals {
    public:
        explicit ToTheCrystals(const Climber& start) {
            for (const Entity& e : start.entities_) {
                bats_ |= e.type == kBat;
                if (e.type == kCrystal)
                    ways_.push_back({e.x, e.y, distances_from(start.grid_, {cell_of(e.x), cell_of(e.y)}, [](Cell cell) {
                                         return !is_ground(cell);
                                     })});
            }
        }

        // Short runs, jumps to either side at once or from the highest point on, and waiting.
        std::array<Leap, 7> moves(const Climber&) const {
            return {{{7, 1, 7}, {1, 1, 1}, {8, 1, 7}, {2, 1, 1}, {5, 7, 7}, {5, 7, 1}, {4, 5, 4}}};
        }

        float distance(const Climber& game) const {
            const Entity& e = game.agent();
            float left = 0;
            const Entity* next = nullptr;
            for (const Entity& other : game.entities_) {
                if (other.type != kCrystal) continue;
                if (next == nullptr) next = &other;
                ++left;
            }
            if (next == nullptr) return 0;
            constexpr float kFar = 10000;  // further than any way
            const auto way = std::find_if(ways_.begin(), ways_.end(),
                                          [&](const Way& w) { return w.x == next->x && w.y == next->y; });
            const int cell = cell_of(e.y) * game.rules_.width + cell_of(e.x);
            const auto steps = static_cast<float>(way->steps[static_cast<std::size_t>(cell)]);
            // Height is what counts most; time counts lest it wait for ever in the best place.
            const float below = std::max(0.0f, next->y - e.y), time = static_cast<float>(game.steps_);
            return left * kFar + steps + 6 * below + 0.5f * time;
        }

        std::uint64_t key(const Climber& game) const {
            const std::uint64_t key = folded(motion_key(game.agent()), static_cast<int>(game.entities_.size()));
            return bats_ ? folded(key, game.steps_ / 12) : key;  // bats make time matter
        }

    private:
        struct Way {
            float x, y;
            std::vector<int> steps;  // to the crystal at (x, y), from each cell
        };
        std::vector<Way> ways_;
        bool bats_ = false;
    };

    Entity& agent() { return entities_[0]; }
    const Entity& agent() const { return entities_[0]; }

    void build(Random& random);
    int build_platform(int x, int y, Random& random);
    void add_entity(Type type, float x, float y, float rx, float ry);
    void move_all(const Move& pressed);
    StepResult touch();
    Camera view_of(const Canvas& canvas) const;
    void draw_world(Canvas& canvas, const Camera& camera) const;
    const Bitmap& agent_picture(const Sheet& sheet) const;

    GameOptions options_;
    const Rules& rules_;
    Art art_;
    Grid grid_;
    Entities entities_;  // a bat's `timer` is the column in which it began
    std::int32_t steps_ = 0;
    std::int32_t solution_ = -1;
    std::int32_t tower_theme_ = 0;
    std::int32_t background_ = 0;
    float phase_ = 0;
    mutable LevelTiles tiles_;
};

void Climber::build(Random& random) {
    const int width = rules_.width;
    grid_.reset(width, kHeight, kSpace, kGround);
    grid_.fill(0, 0, width, 1, kGroundTop);
    grid_.fill(0, 0, 1, kHeight, kGround);
    grid_.fill(width - 1, 0, 1, kHeight, kGround);
    grid_.fill(0, kHeight - 1, width, 1, kGround);
    entities_.clear();
    add_entity(kAgent, 1.5f, 1.5f, 0.5f, 0.5f);

    const int difficulty = random.below(3);
    const int fewest = difficulty * difficulty + 1, most = (difficulty + 1) * (difficulty + 1) + 1;
    const int platforms = random.between(fewest, most + 1);
    int x = 2 + random.below(width - 4), y = 0;
    for (int i = 0; i < platforms; ++i) {
        if (x >= 3 && x <= width - 3 && random.chance(rules_.bat_chance)) {
            const float above = random.coin() ? 2.5f : 3.5f;
            add_entity(kBat, static_cast<float>(x) + 0.5f, static_cast<float>(y) + above, kBatRadiusX, kBatRadiusY);
            entities_.back().timer = x;
            entities_.back().vx = random.coin() ? kBatSpeed : -kBatSpeed;
        }
        y += 3 + random.below(3);
        const int first = build_platform(x, y, random);
        const int length = std::abs(x - first);
        const auto any_tile = [&] { return first < x ? first + random.below(length) : x + 1 + random.below(length); };
        if (random.coin() || i == platforms - 1)
            add_entity(kCrystal, static_cast<float>(any_tile()) + 0.5f, static_cast<float>(y) + 1.5f, kCrystalRadius,
                       kCrystalRadius);
        x = any_tile();
    }
}

// Beside column `x`, so that one can jump up there. Returns the column of the end that is further away.
int Climber::build_platform(int x, int y, Random& random) {
    const int width = rules_.width, length = 2 + random.below(10);
    bool right = random.coin();
    if (x < 3) right = true;
    if (x > width - 3) right = false;
    const int end = right ? std::min(x + length, width - 2) : std::max(x - length, 1);
    grid_.fill(right ? x + 1 : end, y, std::abs(end - x), 1, kGroundTop);
    return end;
}

void Climber::add_entity(Type type, float x, float y, float rx, float ry) {
    Entity e;
    e.type = type;
    e.x = x;
    e.y = y;
    e.rx = rx;
    e.ry = ry;
    entities_.push_back(e);
}

void Climber::move_all(const Move& pressed) {
    Movement rules;
    Mover<Movement> mover(grid_, entities_, rules);
    for (Entity& e : entities_) {
        if (e.type != kBat) continue;
        mover.move(e);
        const float away = e.x - (static_cast<float>(e.timer) + 0.5f);
        if (std::fabs(away) > kBatRange) e.vx = away > 0 ? -kBatSpeed : kBatSpeed;
    }
    mover.move_agent(agent(), pressed.x, pressed.y);
}

StepResult Climber::touch() {
    StepResult result;
    bool crystals_left = false;
    for (std::size_t i = 1; i < entities_.size(); ++i) {
        Entity& e = entities_[i];
        const bool touched = overlap(e, agent());
        if (e.type == kBat) {
            result.terminated |= touched;
        } else if (touched) {
            e.dead = true;
            result.reward += kCrystalReward;
        } else {
            crystals_left = true;
        }
    }
    if (result.reward > 0) remove_dead(entities_, grid_);
    if (!crystals_left) {
        result.reward += kLastReward;
        result.terminated = result.level_complete = true;
    }
    return result;
}

// Follows the agent upwards only: the tower is as wide as the view.
Camera Climber::view_of(const Canvas& canvas) const {
    const float width = static_cast<float>(rules_.width), height = kHeight;
    if (!options_.center_agent) return {canvas.width(), height, width / 2, height / 2};
    return {canvas.width(), width, width / 2, agent().y + width / 2 - kFeet};
}

void Climber::draw(Canvas& canvas) const {
    const Camera camera = view_of(canvas);
    if (options_.center_agent) {
        draw_world(canvas, camera);
    } else {
        canvas.fill({});  // to both sides of the tower
        const int left = camera.column_edge(0), right = camera.column_edge(rules_.width);
        Canvas tower = canvas.clipped(left, 0, right - left, canvas.height());
        draw_world(tower, camera);
    }
    if (options_.paint_vel_info) canvas.paint_velocity(agent().vx / kRunSpeed, agent().vy / kJumpSpeed);
}

void Climber::draw_world(Canvas& canvas, const Camera& camera) const {
    const Sheet& sheet = art_.sheet(canvas.width(), camera.cells());
    art::draw_background_or_black(canvas, options_, art::BackgroundFamily::Platform, background_, camera, kHeight,
                                  phase_);
    const Bitmap* top = &sheet.get(art::climber::WallTop, tower_theme_);
    const Bitmap* middle = &sheet.get(art::climber::WallMiddle, tower_theme_);
    tiles_.draw(canvas, camera, grid_, {middle, top}, [&](int x, int y) {
        const Cell cell = grid_.at(x, y);
        return cell == kGround ? 1 : cell == kGroundTop ? 2 : 0;
    });
    const bool second_picture = (steps_ / kPicturePeriod) % 2 != 0;
    const int bat = second_picture ? art::climber::BatB : art::climber::BatA;
    const float lowest = static_cast<float>(camera.first_row() - 1),
                highest = static_cast<float>(camera.last_row() + 2);
    for (std::size_t i = 1; i < entities_.size(); ++i) {
        const Entity& e = entities_[i];
        if (e.y < lowest || e.y > highest) continue;
        if (e.type == kBat) draw_centred(canvas, camera, sheet.get(bat, {0, e.vx < 0}), e.x, e.y);
        else draw_centred(canvas, camera, sheet.get(art::climber::Crystal), e.x, e.y);
    }
    draw_standing(canvas, camera, agent_picture(sheet), agent().x, agent().bottom());
}

const Bitmap& Climber::agent_picture(const Sheet& sheet) const {
    const Look look{agent().theme, agent().mirrored};
    if (!supported()) return sheet.get(art::climber::PlayerJump, look);
    if (std::fabs(agent().vx) < 0.05f) return sheet.get(art::climber::PlayerStand, look);
    const bool second_picture = (steps_ / kPicturePeriod) % 2 != 0;
    return sheet.get(second_picture ? art::climber::PlayerRunB : art::climber::PlayerRunA, look);
}

}  // namespace

namespace games {
GameEntry climber() { return {&kInfo, make_game<Climber>}; }
}  // namespace games

}  // namespace wm
