// Heist
//
// A red panda has broken into a museum, which is a maze, and looks for its gem. Doors of up to three colours are in the
// way: each opens for the key of its colour, which lies somewhere before it. The panda walks in all eight directions;
// walls and locked doors stop it. Touching a key takes it for good. The gem gives 10 points and completes the level.
// There is nothing to lose but time.
//
// The maze is 5 to 9 cells wide with up to 3 doors (easy), 5 to 13 (hard) or 5 to 23 (memory, where only 8 cells around
// the panda are seen), somewhere in a world of the largest size. The generator puts each key into the region just
// before its door, so every level can be completed; keys that are held are shown at the top right.

#include "art/heist.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "art/backgrounds.h"
#include "core/camera.h"
#include "core/game.h"
#include "core/physics.h"
#include "core/sprites.h"
#include "core/variables.h"
#include "core/wide_picture.h"
#include "generate/door_maze.h"

namespace wm {

namespace {

const GameInfo kInfo = {
    "heist",
    "Heist",
    "You are a red panda in a museum at night. Find the gem: it is worth 10 points and completes the level. Locked "
    "doors are in the way: take the key of the same colour and walk through. The keys that you hold are shown at the "
    "top right. Nothing can hurt you.",
    "+10 for the gem.",
    "Touching the gem completes the level. Nothing else ends it.",
    "9 floors.",
    {"walk left and down", "walk left", "walk left and up", "walk down", "slow down", "walk up", "walk right and down",
     "walk right", "walk right and up", "nothing", "nothing", "nothing", "nothing", "nothing", "nothing"},
    {{Mode::Easy, 1000}, {Mode::Hard, 1000}, {Mode::Memory, 1000}},
    34989,  // hard: the whole world, 3 doors, and a way of 172 cells, which is the longest of the first 100,000 levels
};

constexpr float kReward = 10;
constexpr float kMaxSpeed = 0.75f;
constexpr float kRadius = 0.375f;  // of the panda; keys and the gem are as wide
constexpr int kMostDoors = 3;
constexpr int kSmallestMaze = 5;   // cells
constexpr float kMemoryView = 8;   // cells across the view in memory mode
constexpr int kPicturePeriod = 4;  // steps between two pictures of an animation

enum Type : std::int16_t { Agent, Door, Key, Gem };

// The names of their variables: the first look is blue, the second green, the third red.
constexpr const char* kKeyNames[] = {"blue_key", "green_key", "red_key"};
constexpr const char* kHeldNames[] = {"blue_key.held", "green_key.held", "red_key.held"};
constexpr const char* kDoorNames[] = {"blue_door", "green_door", "red_door"};

int world_size(Mode mode) { return mode == Mode::Easy ? 9 : mode == Mode::Memory ? 23 : 13; }

class Heist final : public Game {
public:
    explicit Heist(const GameOptions& options) : options_(options), art_(art::heist::table(), style_of(options)) {}

    void reset(std::int32_t level_seed) override {
        Streams streams(level_seed);
        const int world = world_size(options_.mode);
        const int difficulty = streams.level.below((world - kSmallestMaze) / 2 + 1);
        const int doors = options_.mode == Mode::Memory ? streams.level.below(kMostDoors + 1)
                                                        : std::min(difficulty + streams.level.below(2), kMostDoors);
        build(generate_door_maze(kSmallestMaze + 2 * difficulty, doors, streams.level), world, streams.level);
        held_ = 0;
        steps_ = 0;
        background_ = streams.look.below(art::background_count(art::BackgroundFamily::TopDown));
        phase_ = streams.look.uniform();
        forget_pictures();
    }

    StepResult step(int action) override {
        const Move move = decode_action(action);
        ++steps_;
        Entity& agent = entities_[0];
        agent.vx = steer(agent.vx, move.x, kMaxSpeed);
        agent.vy = steer(agent.vy, move.y, kMaxSpeed);
        if (move.x != 0) agent.mirrored = move.x < 0;
        Rules rules(held_);
        Mover<Rules>(grid_, entities_, rules).move_agent(agent, move.x, move.y);

        bool found = false;
        for (Entity& e : entities_) {
            if (e.type == Agent || !overlap(e, agent)) continue;
            if (e.type == Key) held_ = static_cast<std::uint8_t>(held_ | bit(e));
            if (e.type == Gem) found = true;
            else e.dead = e.type == Key || holds(held_, e);
        }
        remove_dead(entities_, grid_);
        return {found ? kReward : 0, found, found};
    }

    void draw(Canvas& canvas) const override;
    Certificate certify() const override;

    void visit(Archive& archive) override {
        const int world = world_size(options_.mode);
        archive("grid", grid_, world_grid(world, world, {kSpace, kWall}));
        archive("entities", entities_, within(2, 2 + 2 * kMostDoors), entity_ranges(world));
        archive("held", held_, below(1 << kMostDoors))("steps", steps_, step_count());
        archive("background", background_, below(art::background_count(art::BackgroundFamily::TopDown)));
        archive("phase", phase_, share());
        if (archive.loading()) forget_pictures();
        if (archive.checking()) require_state(only_first_is(entities_, Agent), "the panda comes first");
    }

    void describe(Variables& variables) const override {
        const Entity &agent = entities_[0], &gem = entities_.back();
        const bool partly = options_.mode == Mode::Memory;
        variables.agent(agent, seen_part(partly, agent.x, agent.y, kMemoryView, grid_.width()));
        variables.goal("gem", gem.x, gem.y);
        if (partly) variables.seen("gem.seen", gem.x, gem.y);
        for (int theme = 0; theme < kMostDoors; ++theme) {
            const auto one_of = [&](Type type) {
                return [=](const Entity& e) { return e.type == type && e.theme == theme; };
            };
            variables.flag(kHeldNames[theme], (held_ >> theme & 1) != 0);
            variables.nearest(kKeyNames[theme], entities_, one_of(Key));
            variables.nearest(kDoorNames[theme], entities_, one_of(Door));
        }
    }

private:
    static EntityRanges entity_ranges(int world) {
        EntityRanges r(within(-1, world + 1), kMaxSpeed, within(0.2f, 0.5f), within(Agent, Gem));
        r.theme = below(kMostDoors);
        return r;
    }

    // Bit i of a set of keys stands for the colour i.
    static int bit(const Entity& e) { return 1 << e.theme; }
    static bool holds(int keys, const Entity& door) { return (keys & bit(door)) != 0; }

    struct Rules : MovementRules {
        static constexpr bool kEntitiesBlock = true;
        const int held;
        explicit Rules(int held_keys) : held(held_keys) {}
        bool blocked_by(const Entity&, const Entity& other, bool) const {
            return other.type == Door && !holds(held, other);
        }
    };

    void build(const DoorMaze& level, int world, Random& random);
    void add(Type type, int theme, float x, float y, float rx, float ry);
    Camera view_of(const Canvas& canvas) const;
    void draw_level(Canvas& canvas, const Camera& camera, const Sheet& sheet) const;
    void forget_pictures() {
        picture_.forget();
        surroundings_.forget();
    }
    void draw_held_keys(Canvas& canvas) const;

    GameOptions options_;
    Art art_;
    Grid grid_;
    Entities entities_;
    std::uint8_t held_ = 0;  // keys, a bit for each colour
    std::int32_t steps_ = 0;
    std::int32_t background_ = 0;
    float phase_ = 0;
    // The walls, which never change within a level: all of them, or those around the panda.
    mutable LevelPicture picture_;
    mutable WidePicture surroundings_;
};

void Heist::add(Type type, int theme, float x, float y, float rx, float ry) {
    Entity e;
    e.type = type;
    e.theme = static_cast<std::int16_t>(theme);
    e.x = x;
    e.y = y;
    e.rx = rx;
    e.ry = ry;
    entities_.push_back(e);
}

// Puts the maze somewhere into the world; everything around it is wall.
void Heist::build(const DoorMaze& level, int world, Random& random) {
    const int room = world - level.maze.size + 1, left = random.below(room), bottom = random.below(room);
    grid_.reset(world, world, kWall);
    for (const Maze::Place& place : level.maze.places) grid_.set(left + place.x, bottom + place.y, kSpace);

    const auto centre = [&](const Maze::Place& place) {
        return std::array{static_cast<float>(left + place.x) + 0.5f, static_cast<float>(bottom + place.y) + 0.5f};
    };
    const auto somewhere = [&](Type type, int theme, const Maze::Place& place, float ry) {
        const float x = random.uniform(kRadius - 0.5f, 0.5f - kRadius), y = random.uniform(ry - 0.5f, 0.5f - ry);
        add(type, theme, centre(place)[0] + x, centre(place)[1] + y, kRadius, ry);
    };
    entities_.clear();
    add(Agent, 0, centre(level.start)[0], centre(level.start)[1], kRadius, kRadius);
    for (std::size_t i = 0; i < level.doors.size(); ++i) {
        add(Door, static_cast<int>(i), centre(level.doors[i])[0], centre(level.doors[i])[1], 0.5f, 0.5f);
        somewhere(Key, static_cast<int>(i), level.keys[i], kRadius / art::heist::kKeyAspect);
    }
    somewhere(Gem, 0, level.goal, kRadius / art::heist::kGemAspect);
}

// Breadth-first search over pairs of a cell and the keys that are held. Steps are those of somebody who walks one cell
// in two steps.
Certificate Heist::certify() const {
    constexpr int kSets = 1 << kMostDoors, kStepsPerCell = 2;
    const int width = grid_.width();
    std::vector<std::int8_t> lock(static_cast<std::size_t>(width * width), -1);
    std::vector<std::uint8_t> keys(lock.size());
    int goal = -1;
    for (const Entity& e : entities_) {
        const int cell = cell_of(e.y) * width + cell_of(e.x);
        if (e.type == Door) lock[static_cast<std::size_t>(cell)] = static_cast<std::int8_t>(e.theme);
        if (e.type == Key) keys[static_cast<std::size_t>(cell)] = static_cast<std::uint8_t>(bit(e));
        if (e.type == Gem) goal = cell;
    }
    struct Node {
        int x, y, held;
    };
    std::vector<int> distance(lock.size() * kSets, -1);
    std::vector<Node> queue{{cell_of(entities_[0].x), cell_of(entities_[0].y), 0}};
    const auto steps_to = [&](const Node& n) -> int& {
        return distance[static_cast<std::size_t>((n.y * width + n.x) * kSets + n.held)];
    };
    steps_to(queue[0]) = 0;
    for (std::size_t i = 0; i < queue.size(); ++i) {
        const Node here = queue[i];
        if (here.y * width + here.x == goal) return {true, kStepsPerCell * steps_to(here)};
        for (const auto& [dx, dy] : {std::array{-1, 0}, std::array{1, 0}, std::array{0, -1}, std::array{0, 1}}) {
            Node next = {here.x + dx, here.y + dy, here.held};
            if (grid_.at(next.x, next.y) != kSpace) continue;
            const auto cell = static_cast<std::size_t>(next.y * width + next.x);
            if (lock[cell] >= 0 && (here.held >> lock[cell] & 1) == 0) continue;
            next.held |= keys[cell];
            if (steps_to(next) >= 0) continue;
            steps_to(next) = steps_to(here) + 1;
            queue.push_back(next);
        }
    }
    return {false, -1};
}

// The whole world, whatever `center_agent` says; in memory mode the surroundings of the panda.
Camera Heist::view_of(const Canvas& canvas) const {
    const float world = static_cast<float>(grid_.width());
    if (options_.mode != Mode::Memory) return {canvas.width(), world, world / 2, world / 2};
    return {canvas.width(), kMemoryView, entities_[0].x, entities_[0].y};
}

void Heist::draw_level(Canvas& canvas, const Camera& camera, const Sheet& sheet) const {
    const float world = static_cast<float>(grid_.height());
    art::draw_background_or_black(canvas, options_, art::BackgroundFamily::TopDown, background_, camera, world, phase_);
    const Bitmap* wall = &sheet.get(art::heist::Wall);
    draw_tiles(canvas, camera, [&](int x, int y) { return grid_.at(x, y) == kWall ? wall : nullptr; });
}

void Heist::draw(Canvas& canvas) const {
    using namespace art::heist;
    const Camera camera = view_of(canvas);
    const Sheet& sheet = art_.sheet(canvas.width(), camera.cells());
    if (options_.mode == Mode::Memory) {
        surroundings_.draw(canvas, camera, [&](Canvas& part, const Camera& seen) { draw_level(part, seen, sheet); });
    } else if (!picture_.copy_to(canvas)) {
        draw_level(canvas, camera, sheet);
        picture_.remember(canvas);
    }
    const int beat = steps_ / kPicturePeriod;
    for (std::size_t i = 1; i < entities_.size(); ++i) {
        const Entity& e = entities_[i];
        if (e.type == Type::Door)
            draw_in_cell(canvas, camera, sheet.get(Sprite::Door, e.theme), cell_of(e.x), cell_of(e.y));
        else if (e.type == Type::Key) draw_centred(canvas, camera, sheet.get(Sprite::Key, e.theme), e.x, e.y);
        else draw_centred(canvas, camera, sheet.get(Sprite::Gem + beat % kGemPictures), e.x, e.y);
    }
    const Entity& agent = entities_[0];
    constexpr float kWalking = 0.1f;  // cells per step
    const bool walks = std::fabs(agent.vx) + std::fabs(agent.vy) > kWalking;
    const int pose = walks ? PandaStep + steps_ / 2 % 2 : beat % 12 == 11 ? PandaBlink : Panda;
    draw_centred(canvas, camera, sheet.get(pose, {0, agent.mirrored}), agent.x, agent.y);
    if (held_ != 0) draw_held_keys(canvas);
}

// At the top right, the first colour first from the edge. Their size is a part of the view, not of the world.
void Heist::draw_held_keys(Canvas& canvas) const {
    const Camera screen(canvas.width(), 1, 0.5f, 0.5f);
    const Sheet& sheet = art_.sheet(canvas.width(), 1);
    float x = 1 - art::heist::kHeldKeySpacing / 2;
    for (int theme = 0; theme < kMostDoors; ++theme) {
        if ((held_ >> theme & 1) == 0) continue;
        draw_centred(canvas, screen, sheet.get(art::heist::HeldKey, theme), x, 1 - art::heist::kHeldKeyHeight / 2);
        x -= art::heist::kHeldKeySpacing;
    }
}

}  // namespace

namespace games {
GameEntry heist() { return {&kInfo, make_game<Heist>}; }
}  // namespace games

}  // namespace wm
