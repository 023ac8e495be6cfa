// Chaser
//
// A frog hops through the paths of a garden by night and collects fireflies, one of which sits in each cell: each gives
// 0.04 points, and the last one 10 more and completes the level. The frog keeps going where it was told to go until a
// wall stops it. Dragons hatch from eggs after 50 steps and wander about, half of the time towards the frog: touching
// one ends the episode. Each star gives 0.04 points too and scares the dragons for 75 steps: they are slower, keep away
// from the frog, and vanish when it touches them; a new egg then lies somewhere.
//
// The garden is a maze of 11 cells a side with 3 dragons and 4 stars (easy), 13 with 3 and 3 (hard), or 19 with 5 and 5
// (extreme). It has no dead ends, so nobody can be caught without having had another way.

#include "art/chaser.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "art/backgrounds.h"
#include "core/camera.h"
#include "core/game.h"
#include "core/physics.h"
#include "core/sprites.h"
#include "core/variables.h"
#include "generate/chaser_directions.h"
#include "generate/chaser_level.h"
#include "generate/search.h"

namespace wm {

namespace {

const GameInfo kInfo = {
    "chaser",
    "Chaser",
    "You are a frog in a garden full of fireflies. Collect them all: each is worth 0.04 points, the last one 10 more. "
    "You keep going until a wall stops you or you turn. Dragons hatch from eggs; touching one ends the episode. A star "
    "scares them for 75 steps: then touching them makes them vanish, until a new egg hatches.",
    "+0.04 for each firefly and each star, +10 for the last firefly.",
    "Collecting the last firefly completes the level; touching a dragon that is not scared ends the episode.",
    "One floor.",
    {"turn left and down", "turn left", "turn left and up", "turn down", "keep going", "turn up", "turn right and down",
     "turn right", "turn right and up", "nothing", "nothing", "nothing", "nothing", "nothing", "nothing"},
    {{Mode::Easy, 1000}, {Mode::Hard, 1000}, {Mode::Extreme, 1000}},
};

constexpr float kReward = 0.04f, kFinishReward = 10;
constexpr float kSpeed = 0.5f, kScaredSpeed = 0.25f;
constexpr float kStarRadius = 0.4f, kRadius = 0.5f;
constexpr int kScare = 75;          // steps
constexpr int kHatching = 50;       // steps
constexpr float kAtCentre = 0.01f;  // cells
constexpr Cell kFirefly = 1;
constexpr int kMostEntities = 50;  // of a loaded state: far more than a garden ever holds

struct Rules {
    int world, dragons;
    int more_stars;  // in one quarter of the garden, on top of one in each
};

constexpr Rules kEasy = {11, 3, 0}, kHard = {13, 3, -1}, kExtreme = {19, 5, 1};

const Rules& rules_of(Mode mode) { return mode == Mode::Easy ? kEasy : mode == Mode::Extreme ? kExtreme : kHard; }

enum Type : std::int16_t { Agent, Star, Egg, Dragon };

int sign(float value) { return (value > 0) - (value < 0); }

// Clockwise quarter turns from looking up; sideways wins.
std::int16_t facing(float vx, float vy) {
    if (vx != 0) return vx > 0 ? 1 : 3;
    return vy > 0 ? 0 : 2;
}

class Chaser final : public Game {
public:
    explicit Chaser(const GameOptions& options)
        : options_(options), rules_(rules_of(options.mode)), art_(art::chaser::table(), style_of(options)) {}

    void reset(std::int32_t level_seed) override {
        Streams streams(level_seed);
        build(generate_chaser_level(rules_.world, rules_.more_stars, rules_.dragons, streams.level));
        play_ = streams.play;
        scare_ = 0;
        phase_ = streams.look.uniform();
        picture_.forget();
    }

    StepResult step(int action) override {
        const Move move = decode_action(action);
        if (scare_ > 0) --scare_;
        move_all(move);
        StepResult result;
        collect(result);
        touch_all(result);
        remove_dead(entities_, grid_);
        int dragons = 0;
        for (Entity& e : entities_) {
            dragons += e.type == Egg || e.type == Dragon;
            if (e.type == Egg && --e.health <= 0) e.type = Dragon;
            if (e.type == Dragon) decide(e);
        }
        if (dragons < rules_.dragons)
            lay_egg(open_[static_cast<std::size_t>(play_.below(static_cast<int>(open_.size())))]);
        return result;
    }

    void draw(Canvas& canvas) const override;
    // A real game, played to its end with the real dragons.
    Certificate certify() const override;

    void visit(Archive& archive) override {
        archive("grid", grid_, world_grid(rules_.world, rules_.world, {kSpace, kWall, kFirefly}));
        archive("entities", entities_, within(1, kMostEntities), entity_ranges());
        archive("fireflies", fireflies_, CellCount{grid_, kFirefly, kFirefly})("scare", scare_, within(0, kScare));
        archive("play", play_)("phase", phase_, share());
        if (archive.loading()) {
            find_open();
            picture_.forget();
        }
        if (!archive.checking()) return;
        require_state(only_first_is(entities_, Agent), "the frog comes first");
        require_state(!open_.empty(), "a garden has open cells");
    }

    void describe(Variables& variables) const override {
        const float world = static_cast<float>(rules_.world);
        variables.agent(entities_[0], {world / 2, world / 2, world});
        variables.count("fireflies", fireflies_);
        variables.nearest_cell("firefly", grid_, [](Cell cell) { return cell == kFirefly; });
        variables.nearest("star", entities_, is_a(Star));
        variables.steps("scare", scare_);
        variables.nearest("egg", entities_, is_a(Egg));
        variables.nearest("dragon", entities_, is_a(Dragon), Motion::Free);
        variables.count("dragons", entities_, is_a(Dragon));
        variables.open_cells(grid_, [](Cell cell) { return cell == kWall; });
    }

private:
    struct Plan;

    EntityRanges entity_ranges() const {
        EntityRanges r(within(-1, rules_.world + 1), kSpeed, within(kStarRadius, kRadius), within(Agent, Dragon));
        r.frame = below(4);
        r.age = step_count();
        r.health = within(0, kHatching);
        return r;
    }
    void build(const ChaserLevel& level);
    void find_open();
    Entity& add(Type type, Maze::Place at, float radius);
    void lay_egg(Maze::Place at) { add(Egg, at, kRadius).health = kHatching; }
    void move_all(const Move& move);
    void collect(StepResult& result);
    void touch_all(StepResult& result);
    void decide(Entity& dragon);
    void repaint(int x, int y);
    Camera view_of(const Canvas& canvas) const {
        const float world = static_cast<float>(rules_.world);
        return {canvas.width(), world, world / 2, world / 2};
    }
    void draw_cell(const Canvas& canvas, const Camera& camera, const Sheet& sheet, int x, int y) const;
    void draw_level(Canvas& canvas, const Camera& camera, const Sheet& sheet) const;
    int picture_of(const Entity& e) const;

    GameOptions options_;
    const Rules& rules_;
    Art art_;
    Grid grid_;
    std::vector<Maze::Place> open_;  // the cells that are not wall; the grid knows them
    Entities entities_;
    Random play_;
    std::int32_t fireflies_ = 0;  // left
    std::int32_t scare_ = 0;      // steps that it will last
    float phase_ = 0;
    mutable LevelPicture picture_;  // floor, walls and fireflies
};

void Chaser::find_open() {
    open_.clear();
    for (int y = 0; y < grid_.height(); ++y)
        for (int x = 0; x < grid_.width(); ++x)
            if (grid_.at(x, y) != kWall) open_.push_back({x, y});
}

Entity& Chaser::add(Type type, Maze::Place at, float radius) {
    Entity e;
    e.type = type;
    e.x = static_cast<float>(at.x) + 0.5f;
    e.y = static_cast<float>(at.y) + 0.5f;
    e.rx = e.ry = radius;
    entities_.push_back(e);
    return entities_.back();
}

void Chaser::build(const ChaserLevel& level) {
    grid_.reset(rules_.world, rules_.world, kWall);
    for (const Maze::Place& place : level.maze.places) grid_.set(place.x, place.y, kFirefly);
    entities_.clear();
    add(Agent, level.start, kRadius);
    for (const Maze::Place& star : level.stars) {
        grid_.set(star.x, star.y, kSpace);
        add(Star, star, kStarRadius);
    }
    fireflies_ = static_cast<std::int32_t>(level.maze.places.size() - level.stars.size());
    for (const Maze::Place& egg : level.eggs) lay_egg(egg);
    find_open();
}

void Chaser::move_all(const Move& move) {
    for (Entity& e : entities_) {
        if (e.type == Dragon) drift(e);  // its ways are open
        grow_older(e);
    }
    Entity& agent = entities_[0];
    agent.vx = kSpeed * static_cast<float>(move.x != 0 ? move.x : sign(agent.vx));
    agent.vy = kSpeed * static_cast<float>(move.y != 0 ? move.y : sign(agent.vy));
    MovementRules walls;
    Mover<MovementRules>(grid_, entities_, walls).move_agent(agent, move.x, move.y, play_.coin());
    if (agent.vx != 0 || agent.vy != 0) agent.frame = facing(agent.vx, agent.vy);
}

// The firefly in the cell of the frog's middle.
void Chaser::collect(StepResult& result) {
    const int x = cell_of(entities_[0].x), y = cell_of(entities_[0].y);
    if (grid_.at(x, y) != kFirefly) return;
    grid_.set(x, y, kSpace);
    repaint(x, y);
    result.reward += kReward;
    if (--fireflies_ > 0) return;
    result.reward += kFinishReward;
    result.terminated = result.level_complete = true;
}

void Chaser::touch_all(StepResult& result) {
    for (std::size_t i = entities_.size(); i-- > 1;) {
        Entity& e = entities_[i];
        if (e.type == Egg || !overlap(e, entities_[0])) continue;
        e.dead = e.type == Star || scare_ > 0;
        if (!e.dead) result.terminated = true;
        if (e.type != Star) continue;
        result.reward += kReward;
        scare_ = kScare;
    }
}

// In the middle of a cell a dragon chooses a way, though not back. One time in two any of them, otherwise one that
// brings it nearer to the frog, or farther away if it is scared.
void Chaser::decide(Entity& dragon) {
    const int x = cell_of(dragon.x), y = cell_of(dragon.y), from_x = sign(dragon.vx), from_y = sign(dragon.vy);
    const float off =
        std::fabs(dragon.x - static_cast<float>(x) - 0.5f) + std::fabs(dragon.y - static_cast<float>(y) - 0.5f);
    if ((from_x != 0 || from_y != 0) && off >= kAtCentre) return;
    const bool hunts = play_.coin();
    const float preference = scare_ > 0 ? -1.0f : 1.0f;
    std::array<Place, 4> ways;
    int count = 0;
    float best = 0;
    for (const Place& way : kFourDirections) {
        const Place next = {x + way.x, y + way.y};
        if (grid_.at(next.x, next.y) == kWall || (way.x == -from_x && way.y == -from_y)) continue;
        const float far = preference * (std::fabs(static_cast<float>(next.x) + 0.5f - entities_[0].x) +
                                        std::fabs(static_cast<float>(next.y) + 0.5f - entities_[0].y));
        if (hunts && count > 0 && far > best) continue;
        if (hunts && (count == 0 || far < best)) count = 0, best = far;
        ways[static_cast<std::size_t>(count++)] = way;
    }
    if (count == 0) return;
    const Place way = ways[static_cast<std::size_t>(play_.below(count))];
    const float speed = scare_ > 0 ? kScaredSpeed : kSpeed;
    dragon.vx = speed * static_cast<float>(way.x);
    dragon.vy = speed * static_cast<float>(way.y);
    if (way.x != 0) dragon.mirrored = way.x < 0;
}

// Somebody who goes for the fireflies, and turns back where that would mean meeting a dragon.
struct Chaser::Plan {
    int attempt;  // from the second on, it now and then goes another way than the best

    std::vector<HeldAction> moves(const Chaser& game) const {
        constexpr int kActions[] = {1, 3, 5, 7};  // in the order of kFourDirections
        constexpr int kStepsPerCell = 2;
        const Entity& frog = game.entities_[0];
        const RankedDirections ranked = rank_directions(game.grid_, {cell_of(frog.x), cell_of(frog.y)}, kFirefly);
        std::vector<HeldAction> moves;
        moves.reserve(ranked.directions.size());
        for (int i = 0; i < ranked.count; ++i)
            moves.push_back({kActions[ranked.directions[static_cast<std::size_t>(i)]], kStepsPerCell});
        const bool strays = folded(static_cast<std::uint64_t>(attempt), frog.age) >> 60 == 0;
        if (attempt > 0 && strays) std::swap(moves[0], moves[1]);  // there are no dead ends
        return moves;
    }

    std::uint64_t key(const Chaser& game) const {
        constexpr int kWhile = 8;  // steps
        const Entity& frog = game.entities_[0];
        const int cell = cell_of(frog.y) * game.rules_.world + cell_of(frog.x);
        return folded(folded(static_cast<std::uint64_t>(game.fireflies_), frog.age / kWhile), cell);
    }
};

Certificate Chaser::certify() const {
    constexpr int kAttempts = 20, kTries = 3000;
    int steps = -1;
    for (int i = 0; i < kAttempts && steps < 0; ++i) steps = play_by_plan(*this, Plan{i}, kTries);
    return {steps >= 0, steps};
}

// The floor of one cell, and the firefly if one sits there: a green square in the styles without pictures.
void Chaser::draw_cell(const Canvas& canvas, const Camera& camera, const Sheet& sheet, int x, int y) const {
    const bool painted = !options_.use_generated_assets && !options_.use_monochrome_assets;
    const int left = camera.column_edge(x), top = camera.row_edge(y + 1);
    Canvas cell = canvas.clipped(left, top, camera.column_edge(x + 1) - left, camera.row_edge(y) - top);
    const art::BackgroundLook floor = {art::BackgroundFamily::TopDown, 0, options_.use_generated_assets};
    if (options_.use_backgrounds) art::draw_background(cell, floor, camera, camera.cells(), phase_);
    else cell.fill({});
    if (options_.use_backgrounds && painted) draw_in_cell(cell, camera, sheet.get(art::chaser::Dusk), x, y);
    if (grid_.at(x, y) != kFirefly) return;
    const float u = static_cast<float>(x) + 0.5f, v = static_cast<float>(y) + 0.5f;
    constexpr float kSize = 0.3f;
    const int side = std::max(floor_int(kSize * camera.scale() + 0.5f), 1);
    if (painted) draw_centred(cell, camera, sheet.get(art::chaser::Firefly), u, v);
    else cell.fill_rectangle(camera.column(u - kSize / 2), camera.row(v + kSize / 2), side, side, {0, 255, 0});
}

void Chaser::draw_level(Canvas& canvas, const Camera& camera, const Sheet& sheet) const {
    const Bitmap* wall = &sheet.get(art::chaser::Wall);
    draw_tiles(canvas, camera, [&](int x, int y) { return grid_.at(x, y) == kWall ? wall : nullptr; });
    for (const Maze::Place& place : open_) draw_cell(canvas, camera, sheet, place.x, place.y);
}

// A cell of the remembered picture has changed.
void Chaser::repaint(int x, int y) {
    const Canvas kept = picture_.canvas();
    if (kept.width() > 0) draw_cell(kept, view_of(kept), art_.sheet(kept.width(), view_of(kept).cells()), x, y);
}

int Chaser::picture_of(const Entity& e) const {
    using namespace art::chaser;
    const int beat = e.age / 2;
    constexpr int kRestless = 24, kWarning = 16;  // steps before an egg hatches, and before the fright is over
    if (e.type == Type::Star) return Sprite::Star + e.age / 5 % 2;
    if (e.type == Type::Egg) return e.health > kRestless ? Sprite::Egg : Sprite::Egg + 1 + beat % 4;
    if (e.type == Type::Agent) return e.vx == 0 && e.vy == 0 ? Frog : Frog + beat % 2;
    const bool blinks = scare_ <= kWarning && scare_ / 2 % 2 == 0;
    if (scare_ > 0 && !blinks) return ScaredDragon + beat % 2;
    constexpr int kFlaps[] = {0, 1, 2, 1};
    return Sprite::Dragon + kFlaps[beat % 4];
}

void Chaser::draw(Canvas& canvas) const {
    const Camera camera = view_of(canvas);
    const Sheet& sheet = art_.sheet(canvas.width(), camera.cells());
    if (!picture_.copy_to(canvas)) {
        draw_level(canvas, camera, sheet);
        picture_.remember(canvas);
    }
    for (std::size_t i = 1; i < entities_.size(); ++i) {
        const Entity& e = entities_[i];
        draw_centred(canvas, camera, sheet.get(picture_of(e), {0, e.mirrored}), e.x, e.y);
    }
    const Entity& frog = entities_[0];
    draw_centred(canvas, camera, sheet.get(picture_of(frog), {0, false, frog.frame}), frog.x, frog.y);
}

}  // namespace

namespace games {
GameEntry chaser() { return {&kInfo, make_game<Chaser>}; }
}  // namespace games

}  // namespace wm
