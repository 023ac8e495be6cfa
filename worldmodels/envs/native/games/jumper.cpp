// Jumper
//
// A hare hops through a cave to a carrot: touching it gives 10 points and completes the level. Up jumps, and jumps once
// more in the air; whoever walks off an edge has both jumps left. Touching a spike ends the episode. A compass shows
// where the carrot is, and a bar below it how far.
//
// The caves are 20 cells wide (easy), 40 (hard) or 45 (memory), smoothed from a maze. In easy and hard mode only what
// is near the shortest way to the carrot is left; in memory mode all is, but there are neither spikes nor a compass.
// Spikes and carrot never begin beside the hare, and a level passes only if it has been played to its end.

#include "art/jumper.h"

#include <algorithm>

#include "art/backgrounds.h"
#include "core/camera.h"
#include "core/effects.h"
#include "core/game.h"
#include "core/level_tiles.h"
#include "core/numbers.h"
#include "core/physics.h"
#include "core/sprites.h"
#include "core/variables.h"
#include "generate/caves.h"
#include "generate/draw_until.h"
#include "generate/search.h"

namespace wm {
namespace {

const GameInfo kInfo = {
    "jumper",
    "Jumper",
    "Hop through the cave to the carrot, which is worth 10 points and completes the level. Up jumps, and once more in "
    "the air. Spikes end the episode. The compass points to the carrot; the bar below it shows how far it is.",
    "+10 for the carrot.",
    "Touching the carrot completes the level; a spike ends the episode.",
    "4 grounds, 62 backgrounds.",
    {"walk left", "walk left", "walk left and jump", "stand still", "stand still", "jump", "walk right", "walk right",
     "walk right and jump", "nothing", "nothing", "nothing", "nothing", "nothing", "nothing"},
    {{Mode::Easy, 1000}, {Mode::Hard, 1000}, {Mode::Memory, 2000}},
    625,  // hard: a way of 305 steps past nine spikes
};

constexpr float kReward = 10;

constexpr float kMix = 0.5f, kMaxSpeed = 0.5f;  // on the ground and in the air
constexpr float kJumpSpeed = 1.0f;
constexpr float kGravity = 0.15f;
constexpr float kFastestFall = 2;    // from where on gravity pulls no more
constexpr int kJumps = 2;            // from the ground; one of them, or both after walking off an edge, in the air
constexpr int kJumpPause = 3;        // steps from a jump to the next that count for nothing
constexpr float kShownSpeed = 0.5f;  // upwards, of a full square of paint_vel_info

constexpr float kAgentRadiusX = 0.254f, kAgentRadiusY = 0.4f;
constexpr float kSpikeRadiusX = 0.23f, kSpikeRadiusY = 0.4f;
constexpr float kCarrotRadius = 0.5f;

constexpr int kPathWidenings = 4;
constexpr float kSpikes = 0.2f;  // probability, where there is room
constexpr int kSafeReach = 1;    // columns and rows around the start without spike and carrot
constexpr int kTallWall = 3;     // so many cells of wall above each other never stay smooth

constexpr int kMostEntities = 400;  // of a loaded state: far more than a cave ever holds

constexpr int kPicturePeriod = 4;  // steps between two pictures of a run
constexpr int kDustPeriod = 3;

// Besides kWall and kSpace: wall with space above it.
constexpr Cell kWallTop = 7;

enum Type : std::int16_t { kAgent, kCarrot, kSpike };

constexpr auto is_solid = [](Cell cell) { return cell == kWall || cell == kWallTop; };

int world_size(Mode mode) { return mode == Mode::Easy ? 20 : mode == Mode::Memory ? 45 : 40; }
float view_of(Mode mode) { return mode == Mode::Easy ? 12 : 16; }

class Jumper final : public Game {
public:
    explicit Jumper(const GameOptions& options)
        : options_(options), art_(art::jumper::table(), style_of(options)), overlay_(art::jumper::overlay(), {}) {}

    void reset(std::int32_t level_seed) override {
        Streams streams(level_seed);
        tiles_.forget();
        jumps_ = kJumps;
        jumped_ = steps_ = 0;
        effects_.clear();
        draw_until([&] { return build(streams.level) && (solution_ = play_through(kQuickSearch)) >= 0; });
        ground_theme_ = streams.look.below(art::jumper::kWallThemes);
        background_ = streams.look.below(art::background_count(art::BackgroundFamily::Platform));
        phase_ = streams.look.uniform();
    }

    StepResult step(int action) override {
        const Move move = decode_action(action);
        ++steps_;
        grow_older(effects_);
        steer_agent(move);
        Rules rules;
        Mover<Rules>(grid_, entities_, rules).move_agent(agent(), move.x, move.y);
        const StepResult result = touch();
        if (agent().vy > -kFastestFall) agent().vy -= kGravity;
        return result;
    }

    void draw(Canvas& canvas) const override;

    Certificate certify() const override {
        const int steps = play_through(kThoroughSearch);
        return {steps >= 0, steps};
    }

    int solution_length() const override { return solution_; }

    void visit(Archive& archive) override {
        if (archive.loading()) tiles_.forget();
        using namespace art::jumper;
        const int world = world_size(options_.mode);
        const FloatRange cave = within(-2, world + 2);
        archive("grid", grid_, world_grid(world, world, {kSpace, kWall, kWallTop}));
        archive("entities", entities_, within(2, kMostEntities), entity_ranges(cave));
        archive("effects", effects_, effect_count(),
                EffectRanges{cave, cave, {{Dust, kPuffFrames}, {AirPuff, kPuffFrames}}});
        archive("jumps", jumps_, within(0, kJumps))("jumped", jumped_, step_count());
        archive("steps", steps_, step_count())("solution", solution_, solution_steps());
        archive("ground_theme", ground_theme_, below(kWallThemes));
        archive("background", background_, below(art::background_count(art::BackgroundFamily::Platform)));
        archive("phase", phase_, share());
        if (!archive.checking()) return;
        require_state(only_first_is(entities_, kAgent), "the hare comes first");
        require_state(carrot().type == kCarrot, "the carrot comes second");
    }

    void describe(Variables& variables) const override {
        const Entity& hare = agent();
        variables.agent(hare, seen_part(options_.center_agent, hare.x, hare.y, view_of(options_.mode), grid_.width()));
        variables.flag("agent.supported", stands_on(hare, grid_, is_solid));
        variables.count("agent.jumps", jumps_);
        variables.goal("carrot", carrot().x, carrot().y);
        variables.seen("carrot.seen", carrot().x, carrot().y);
        if (options_.mode != Mode::Memory) variables.nearest("spike", entities_, is_a(kSpike));
        variables.open_cells(grid_, is_solid);
    }

private:
    static EntityRanges entity_ranges(const FloatRange& cave) {
        EntityRanges r(cave, kFastestFall + 2 * kGravity, within(kSpikeRadiusX, kCarrotRadius), within(kAgent, kSpike));
        return r;
    }

    struct Rules : MovementRules {
        bool blocks(const Entity& /*mover*/, Cell cell) const { return is_solid(cell); }
    };

    static constexpr int kQuickSearch = 3000, kThoroughSearch = 20000;  // states to try

    // How to look for a solution: whoever has the shortest way to the carrot first.
    struct ToTheCarrot {
        const std::vector<int> ways;  // of each cell to the carrot, in steps by sides

        explicit ToTheCarrot(const Jumper& game)
            : ways(distances_from(game.grid_, game.cell_at(game.carrot()), [](Cell cell) { return cell == kSpace; })) {}

        std::array<HeldAction, 6> moves(const Jumper&) const {
            return {{{7, 4}, {1, 4}, {4, 4}, {8, 4}, {2, 4}, {5, 4}}};
        }
        float distance(const Jumper& game) const {
            const Place place = game.cell_at(game.agent());
            return static_cast<float>(ways[static_cast<std::size_t>(place.y * game.grid_.width() + place.x)]);
        }
        std::uint64_t key(const Jumper& game) const {
            const Entity& e = game.agent();
            const auto rounded = [](float value, float scale) { return floor_int(value * scale + 0.5f); };
            std::uint64_t key = folded(0, rounded(e.x, 2));
            key = folded(folded(folded(key, rounded(e.y, 2)), rounded(e.vx, 2)), rounded(e.vy, 2));
            return folded(key, game.jumps_);
        }
    };

    Entity& agent() { return entities_[0]; }
    const Entity& agent() const { return entities_[0]; }
    const Entity& carrot() const { return entities_[1]; }
    static Place cell_at(const Entity& e) { return {cell_of(e.x), cell_of(e.y)}; }

    int play_through(int most_states) const {
        return solve_by_playing(*this, ToTheCarrot(*this), most_states, options_.mode == Mode::Memory ? 2000 : 1000);
    }

    bool build(Random& random);
    void add(Type type, Place place, float rx, float ry, float height);
    void add_spikes(const CellSet& open, Place start, Place goal, Random& random);
    void roughen_walls(Random& random);

    void steer_agent(const Move& move);
    StepResult touch() const;
    void draw_cave(Canvas& canvas, const Camera& camera, const Sheet& sheet) const;
    void draw_overlay(Canvas& canvas, float cells) const;
    const Bitmap& agent_picture(const Sheet& sheet) const;

    GameOptions options_;
    Art art_, overlay_;
    Grid grid_;
    Entities entities_;  // the hare, the carrot, then spikes
    Effects effects_;
    std::int32_t jumps_ = kJumps;  // left before it must touch the ground
    std::int32_t jumped_ = 0;      // step of the last jump
    std::int32_t steps_ = 0;
    std::int32_t solution_ = 0;  // steps
    std::int32_t ground_theme_ = 0, background_ = 0;
    float phase_ = 0;
    mutable LevelTiles tiles_;
};

// Returns false if there is no place for the hare.
bool Jumper::build(Random& random) {
    CellSet open = cave_from_maze(world_size(options_.mode), random);
    const int cells = open.count();
    if (cells == 0) return false;
    const Place goal = open.nth(random.below(cells));
    CellSet standing(open.size());
    for (int y = 0; y < open.size(); ++y) standing.set_row(y, open.row(y) & open.row(y + 1) & ~open.row(y - 1));
    standing = standing.without(standing.around(goal, kSafeReach));
    const int places = standing.count();
    if (places == 0) return false;
    const Place start = standing.nth(random.below(places));
    if (options_.mode != Mode::Memory)
        open = widened(cells_of(open.size(), shortest_path(open, start, goal)), open, kPathWidenings);
    write_cells(grid_, open);
    entities_.clear();
    add(kAgent, start, kAgentRadiusX, kAgentRadiusY, kAgentRadiusY);
    add(kCarrot, goal, kCarrotRadius, kCarrotRadius, 0.5f);
    if (options_.mode != Mode::Memory) add_spikes(open, start, goal, random);
    roughen_walls(random);
    for (int y = 0; y < grid_.height(); ++y)
        for (int x = 0; x < grid_.width(); ++x)
            if (grid_.at(x, y) == kWall && grid_.contains(x, y + 1) && !is_solid(grid_.at(x, y + 1)))
                grid_.set(x, y, kWallTop);
    return true;
}

// In the middle of a cell's width, `height` above its ground.
void Jumper::add(Type type, Place place, float rx, float ry, float height) {
    Entity e;
    e.type = type;
    e.rx = rx;
    e.ry = ry;
    e.x = static_cast<float>(place.x) + 0.5f;
    e.y = static_cast<float>(place.y) + height;
    entities_.push_back(e);
}

// On level ground three cells wide; so no two are side by side.
void Jumper::add_spikes(const CellSet& open, Place start, Place goal, Random& random) {
    const CellSet safe = open.around(start, kSafeReach);
    for (int y = 0; y < open.size(); ++y) {
        CellSet::Row ground = open.row(y) & ~open.row(y - 1);
        for (int x = 1; x + 1 < open.size(); ++x) {
            const CellSet::Row three = CellSet::Row{7} << (x - 1);
            if ((ground & three) != three || !random.chance(kSpikes)) continue;
            if (safe.has(x, y) || Place{x, y} == goal) continue;
            add(kSpike, {x, y}, kSpikeRadiusX, kSpikeRadiusY, kSpikeRadiusY);
            ground &= ~(CellSet::Row{1} << x);
        }
    }
}

// Opens a hold wherever three cells of wall above each other face space on the same side.
void Jumper::roughen_walls(Random& random) {
    const auto carries_spike = [&](int x, int y) {
        return std::any_of(entities_.begin(), entities_.end(),
                           [&](const Entity& e) { return e.type == kSpike && cell_at(e) == Place{x, y + 1}; });
    };
    const auto faces_space = [&](int x, int y, int side) {
        for (int i = 0; i < kTallWall; ++i)
            if (grid_.at(x, y + i) != kWall || grid_.at(x + side, y + i) != kSpace) return false;
        return true;
    };
    for (int y = 0; y + kTallWall <= grid_.height(); ++y)
        for (int x = 0; x < grid_.width(); ++x)
            for (const int side : {1, -1}) {
                if (!faces_space(x, y, side)) continue;
                const int opened = y + random.below(kTallWall);
                if (!carries_spike(x, opened)) grid_.set(x, opened, kSpace);
            }
}

void Jumper::steer_agent(const Move& move) {
    Entity& e = agent();
    const bool supported = stands_on(e, grid_, is_solid);
    if (supported) jumps_ = kJumps;
    e.vx = (1 - kMix) * e.vx + kMix * kMaxSpeed * static_cast<float>(move.x);
    if (move.x != 0) e.mirrored = move.x < 0;
    if (supported && move.x != 0 && steps_ % kDustPeriod == 0)
        effects_.push_back(
            {e.x - 0.3f * static_cast<float>(move.x), e.bottom() + 0.15f, art::jumper::Dust, art::jumper::kPuffFrames});
    if (move.y <= 0 || jumps_ == 0 || steps_ - jumped_ <= kJumpPause) return;
    if (!supported) effects_.push_back({e.x, e.bottom(), art::jumper::AirPuff, art::jumper::kPuffFrames});
    e.vy = kJumpSpeed;
    --jumps_;
    jumped_ = steps_;
}

StepResult Jumper::touch() const {
    if (overlap(carrot(), agent())) return {kReward, true, true};
    StepResult result;
    for (const Entity& e : entities_)
        if (e.type == kSpike && overlap(e, agent())) result.terminated = true;
    return result;
}

const Bitmap& Jumper::agent_picture(const Sheet& sheet) const {
    using namespace art::jumper;
    const Entity& e = agent();
    const Look look{0, e.mirrored};
    if (!stands_on(e, grid_, is_solid)) return sheet.get(Air, look);
    constexpr float kStill = 0.05f;
    if (std::fabs(e.vx) < kStill) return sheet.get(Stand, look);
    const bool second = (steps_ / kPicturePeriod) % 2 != 0;
    if (e.mirrored) return sheet.get(second ? RunLeftB : RunLeftA, look);
    return sheet.get(second ? RunRightB : RunRightA, look);
}

void Jumper::draw_cave(Canvas& canvas, const Camera& camera, const Sheet& sheet) const {
    const Bitmap* top = &sheet.get(art::jumper::WallTop, ground_theme_);
    const Bitmap* middle = &sheet.get(art::jumper::WallMiddle, ground_theme_);
    tiles_.draw(canvas, camera, grid_, {middle, top}, [&](int x, int y) {
        const Cell cell = grid_.at(x, y);
        return cell == kWall ? 1 : cell == kWallTop ? 2 : 0;
    });
    const float left = static_cast<float>(camera.first_column() - 1);
    const float right = static_cast<float>(camera.last_column() + 2);
    const Bitmap& spike = sheet.get(art::jumper::Spike);
    for (const Entity& e : entities_)
        if (e.type == kSpike && e.x > left && e.x < right) draw_standing(canvas, camera, spike, e.x, e.bottom());
    draw_centred(canvas, camera, sheet.get(art::jumper::Carrot), carrot().x, carrot().y);
}

// The compass in the top right corner, and the bar below it: as long as its disc when the carrot is a world away.
void Jumper::draw_overlay(Canvas& canvas, float cells) const {
    using namespace art::jumper;
    const bool large = options_.mode == Mode::Easy;
    const float view = static_cast<float>(canvas.width()), scale = view / cells;
    const Sheet& sheet = overlay_.sheet(canvas.width(), cells);
    const float dx = carrot().x - agent().x, dy = carrot().y - agent().y;
    const Bitmap& disc = sheet.get(large ? LargeDisc : SmallDisc);
    const Bitmap& needle =
        sheet.get(large ? LargeNeedle : SmallNeedle, Look{0, false, nearest_turn(direction(dx, -dy), kNeedleTurns)});
    constexpr float kMargin = 0.25f;
    const int left = canvas.width() - disc.width - floor_int(kMargin * scale + 0.5f);
    const int top = floor_int(kMargin * scale + 0.5f);
    canvas.blit(disc, left, top);
    canvas.blit(needle, left, top);
    const float share = std::sqrt(dx * dx + dy * dy) / (static_cast<float>(grid_.width()) * 1.41421356f);
    const int length = floor_int(share * static_cast<float>(disc.width) + 0.5f);
    canvas.fill_rectangle(left, top + disc.height, length, std::max(disc.height / 8, 1), kNeedleColour);
}

void Jumper::draw(Canvas& canvas) const {
    const float world = static_cast<float>(grid_.width());
    const Camera camera = options_.center_agent ? Camera(canvas.width(), view_of(options_.mode), agent().x, agent().y)
                                                : Camera(canvas.width(), world, world / 2, world / 2);
    const Sheet& sheet = art_.sheet(canvas.width(), camera.cells());
    art::draw_background_or_black(canvas, options_, art::BackgroundFamily::Platform, background_, camera, world,
                                  phase_);
    draw_cave(canvas, camera, sheet);
    draw_effects(canvas, camera, sheet, effects_);
    draw_standing(canvas, camera, agent_picture(sheet), agent().x, agent().bottom());
    if (options_.paint_vel_info) canvas.paint_velocity(agent().vx / kMaxSpeed, agent().vy / kShownSpeed);
    if (options_.mode != Mode::Memory) draw_overlay(canvas, camera.cells());
}

}  // namespace

namespace games {
GameEntry jumper() { return {&kInfo, make_game<Jumper>}; }
}  // namespace games

}  // namespace wm
