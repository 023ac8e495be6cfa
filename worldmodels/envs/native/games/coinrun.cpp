// CoinRun
//
// Run and jump from the left end of a level to the coin at its right end: touching it gives 10 points and completes the
// level. Touching a saw, a walker or lava ends the episode. Crates are platforms that can be jumped through from below
// and dropped through from above.
//
// A level has 1 to 5 sections of ground at different heights, with saws, walkers and crates on them, or pits of lava,
// saws or walkers in them. Easy mode has no walkers on the ground, and one look for agent, ground and background.

#include "art/coinrun.h"

#include "art/backgrounds.h"
#include "core/camera.h"
#include "core/game.h"
#include "core/level_tiles.h"
#include "core/physics.h"
#include "core/platforming.h"
#include "core/sprites.h"
#include "core/variables.h"
#include "generate/platforms.h"
#include "generate/search.h"

namespace wm {

namespace {

const GameInfo kInfo = {
    "coinrun",
    "CoinRun",
    "Run to the right and jump over whatever is in the way. The coin at the far end is worth 10 points and completes "
    "the level. Saws, walkers and lava end the episode. Crates can be jumped onto from below; press down to drop "
    "through them.",
    "+10 for the coin.",
    "Touching the coin completes the level; a saw, a walker or lava ends the episode.",
    "5 runners, 6 grounds, 9 walkers, 4 crates, 62 backgrounds; easy mode has the first runner, ground and background.",
    {"run left and drop", "run left", "run left and jump", "drop", "stand still", "jump", "run right and drop",
     "run right", "run right and jump", "nothing", "nothing", "nothing", "nothing", "nothing", "nothing"},
    {{Mode::Easy, 1000}, {Mode::Hard, 1000}},
    11703,  // hard: 42 columns with 24 of them lava pits
};

constexpr float kReward = 10;
constexpr float kView = 13;  // cells across the view

constexpr float kMaxSpeed = 0.5f;
constexpr float kJumpSpeed = 1.5f;
constexpr float kGravity = 0.2f;
constexpr float kGroundMix = 0.2f;  // how fast the speed follows the keys
constexpr float kAirMix = 0.03f;
constexpr float kAgentRadiusX = 0.5f;
constexpr float kAgentRadiusY = 0.5787f;
constexpr float kWalkerSpeed = 0.15f;

constexpr int kPicturePeriod = 5;  // steps between two pictures of a walk
constexpr int kWalkerThemes = 9;
constexpr int kCrateThemes = 4, kAgentThemes = 5, kGroundThemes = 6;
constexpr int kMostEntities = 400;  // of a loaded state: far more than a level ever holds

enum Type : std::int16_t { kAgent, kSaw, kWalker, kCrate };

// Bits of `debug_mode`.
constexpr int kNoPits = 2, kNoCrates = 4, kNoSteps = 8;

class CoinRun final : public Game {
public:
    explicit CoinRun(const GameOptions& options) : options_(options), art_(art::coinrun::table(), style_of(options)) {}

    void reset(std::int32_t level_seed) override {
        Streams streams(level_seed);
        tiles_.forget();
        const PlatformOptions wanted{options_.mode != Mode::Easy, (options_.debug_mode & kNoPits) == 0,
                                     (options_.debug_mode & kNoCrates) == 0, (options_.debug_mode & kNoSteps) == 0};
        const PlatformLevel level = generate_platforms(grid_, wanted, streams.level);
        coin_x_ = level.coin_x;
        coin_y_ = level.coin_y;
        entities_.clear();
        entities_.push_back(new_agent());
        for (const PlatformItem& item : level.items) entities_.push_back(new_item(item, streams));
        on_crate_ = false;
        previous_y_ = agent().y;
        pressed_ = {};
        steps_ = 0;
        choose_look(streams.look);
    }

    StepResult step(int action) override {
        ++steps_;
        pressed_ = decode_action(action);
        steer_agent();
        move_all();
        return touch();
    }

    void draw(Canvas& canvas) const override;

    Certificate certify() const override {
        const int steps = solve_by_playing(*this, ToTheRight());
        return {steps >= 0, steps};
    }

    void visit(Archive& archive) override {
        if (archive.loading()) tiles_.forget();
        const CellKinds kinds = {kSpace, kCoin, kGround, kGroundTop, kLava, kLavaTop, kBarrier};
        archive("grid", grid_, world_grid(kPlatformWorld, kPlatformWorld, kinds, kGround));
        archive("coin_x", coin_x_, below(kPlatformWorld))("coin_y", coin_y_, below(kPlatformWorld));
        archive("entities", entities_, within(1, kMostEntities), entity_ranges())("on_crate", on_crate_);
        archive("previous_y", previous_y_, within(-1, kPlatformWorld + 1))("steps", steps_, step_count());
        archive("ground_theme", ground_theme_, below(kGroundThemes));
        archive("background", background_, below(art::background_count(art::BackgroundFamily::Platform)));
        archive("phase", phase_, share());
        if (archive.checking()) check_loaded();
    }

    void describe(Variables& variables) const override {
        const Entity& runner = agent();
        const float coin_x = static_cast<float>(coin_x_) + 0.5f, coin_y = static_cast<float>(coin_y_) + 0.5f;
        variables.agent(runner, seen_part(options_.center_agent, runner.x, runner.y, kView, kPlatformWorld));
        variables.flag("agent.supported", supported());
        variables.goal("coin", coin_x, coin_y);
        variables.seen("coin.seen", coin_x, coin_y);
        variables.nearest("saw", entities_, is_a(kSaw));
        variables.nearest("walker", entities_, is_a(kWalker), Motion::Sideways);
        variables.nearest("crate", entities_, is_a(kCrate));
        variables.nearest_cell("lava", grid_, [](Cell cell) { return cell == kLava || cell == kLavaTop; });
        variables.open_cells("open.left", grid_, -1, 0, is_ground);
        variables.open_cells("open.right", grid_, 1, 0, is_ground);
        variables.open_cells("open.down", grid_, 0, -1, is_ground);  // above there is never any ground
    }

private:
    static EntityRanges entity_ranges() {
        EntityRanges r(within(-1, kPlatformWorld + 1), kJumpSpeed, within(0.5f, kAgentRadiusY), within(kAgent, kCrate));
        r.theme = below(kWalkerThemes);
        return r;
    }

    void check_loaded() const {
        constexpr int kThemes[] = {kAgentThemes, 1, kWalkerThemes, kCrateThemes};  // by type
        require_state(only_first_is(entities_, kAgent), "the runner comes first");
        for (const Entity& e : entities_)
            require_state(e.theme < kThemes[e.type], "entities have a look of their type");
    }

    // How things move against each other; the crate is the only thing that stands in anybody's way.
    struct Rules : MovementRules {
        static constexpr bool kEntitiesBlock = true;
        CoinRun& game;

        explicit Rules(CoinRun& played) : game(played) {}

        bool blocks(const Entity& mover, Cell cell) const { return mover.type == kAgent && is_ground(cell); }

        bool reflects(const Entity& mover, Cell cell) const {
            return mover.type == kWalker && (is_ground(cell) || cell == kBarrier || cell == kCoin);
        }

        bool blocked_by(const Entity& mover, const Entity& other, bool horizontal) const {
            return mover.type == kAgent && other.type == kCrate && !horizontal && game.lands_on(other);
        }
    };

    // How to look for a solution: whatever is furthest to the right first.
    struct ToTheRight {
        std::array<HeldAction, 5> moves(const CoinRun&) const { return {{{7, 4}, {8, 4}, {4, 4}, {1, 4}, {2, 4}}}; }
        float distance(const CoinRun& game) const { return -game.agent().x; }
        std::uint64_t key(const CoinRun& game) const {
            return folded(motion_key(game.agent()), game.steps_ / 24);  // walkers make time matter
        }
    };

    Entity& agent() { return entities_[0]; }
    const Entity& agent() const { return entities_[0]; }

    static Entity new_agent() {
        Entity agent;
        agent.type = kAgent;
        agent.rx = kAgentRadiusX;
        agent.ry = kAgentRadiusY;
        agent.x = 1.5f;
        agent.y = 1 + kAgentRadiusY;
        return agent;
    }

    static Entity new_item(const PlatformItem& item, Streams& streams) {
        Entity e;
        e.rx = e.ry = 0.5f;
        e.x = static_cast<float>(item.x) + 0.5f;
        e.y = static_cast<float>(item.y) + 0.5f;
        if (item.kind == PlatformItem::Kind::Saw) {
            e.type = kSaw;
        } else if (item.kind == PlatformItem::Kind::Crate) {
            e.type = kCrate;
            e.theme = static_cast<std::int16_t>(streams.look.below(kCrateThemes));
        } else {
            e.type = kWalker;
            e.vx = streams.play.coin() ? kWalkerSpeed : -kWalkerSpeed;
            e.theme = static_cast<std::int16_t>(streams.look.below(kWalkerThemes));
        }
        return e;
    }

    void choose_look(Random& look) {
        const bool varied = options_.mode != Mode::Easy;
        agent().theme = static_cast<std::int16_t>(varied ? look.below(kAgentThemes) : 0);
        ground_theme_ = varied ? look.below(kGroundThemes) : 0;
        background_ = varied ? look.below(art::background_count(art::BackgroundFamily::Platform)) : 0;
        phase_ = look.uniform();
    }

    bool supported() const {
        if (agent().vy != 0) return false;
        return on_crate_ || stands_on(agent(), grid_, is_ground);
    }

    void steer_agent() {
        Entity& e = agent();
        const bool support = supported();
        const float mix = support ? kGroundMix : kAirMix;
        e.vx = walk(e.vx, pressed_.x, kMaxSpeed, mix);
        if (std::fabs(e.vx) < mix * kMaxSpeed) e.vx = 0;
        if (support && pressed_.y > 0) {
            e.vy = kJumpSpeed;
        } else {
            if (support && pressed_.y < 0) e.vy -= kGravity;
            e.vy = std::clamp(e.vy - kGravity, -kJumpSpeed, kJumpSpeed);
        }
        if (pressed_.x != 0) e.mirrored = pressed_.x < 0;
    }

    // A crate stops the agent only when it falls onto it from above.
    bool lands_on(const Entity& crate) {
        const Entity& e = agent();
        const bool from_above = previous_y_ >= crate.top() + e.ry - kContactEpsilon;
        if (e.vy >= 0 || pressed_.y < 0 || !from_above) return false;
        on_crate_ = true;
        return true;
    }

    void move_all() {
        Rules rules(*this);
        Mover<Rules> mover(grid_, entities_, rules);
        for (std::size_t i = entities_.size(); i-- > 1;) {
            Entity& e = entities_[i];
            if (e.type == kWalker) mover.move(e);
        }
        on_crate_ = false;
        mover.move_agent(agent(), pressed_.x, pressed_.y);
        previous_y_ = agent().y;
    }

    StepResult touch() {
        StepResult result;
        for (std::size_t i = 1; i < entities_.size(); ++i)
            if (entities_[i].type != kCrate && overlap(entities_[i], agent())) result.terminated = true;
        for_each_cell(agent(), grid_, [&](int, int, Cell cell) {
            if (cell == kLava || cell == kLavaTop) result.terminated = true;
            if (cell == kCoin) result.level_complete = true;
        });
        if (result.level_complete) result = {kReward, true, true};
        return result;
    }

    const Bitmap& agent_picture(const Sheet& sheet) const;
    void draw_items(Canvas& canvas, const Camera& camera, const Sheet& sheet) const;
    void draw_ground(Canvas& canvas, const Camera& camera, const Sheet& sheet) const;

    GameOptions options_;
    Art art_;
    Grid grid_;
    int coin_x_ = 0, coin_y_ = 0;
    Entities entities_;
    bool on_crate_ = false;  // a crate carried the agent in the last step
    float previous_y_ = 0;   // the agent's height at the end of the last step
    Move pressed_;           // of the current step
    int steps_ = 0;
    int ground_theme_ = 0;
    int background_ = 0;
    float phase_ = 0;
    mutable LevelTiles tiles_;
};

void CoinRun::draw(Canvas& canvas) const {
    const float middle = static_cast<float>(kPlatformWorld) / 2;
    const Camera camera = options_.center_agent ? Camera(canvas.width(), kView, agent().x, agent().y)
                                                : Camera(canvas.width(), kPlatformWorld, middle, middle);
    const Sheet& sheet = art_.sheet(canvas.width(), camera.cells());
    art::draw_background_or_black(canvas, options_, art::BackgroundFamily::Platform, background_, camera,
                                  kPlatformWorld, phase_);
    draw_ground(canvas, camera, sheet);
    draw_items(canvas, camera, sheet);
    draw_standing(canvas, camera, agent_picture(sheet), agent().x, agent().bottom());
    if (options_.paint_vel_info) canvas.paint_velocity(agent().vx / kMaxSpeed, agent().vy / kJumpSpeed);
}

void CoinRun::draw_ground(Canvas& canvas, const Camera& camera, const Sheet& sheet) const {
    const Bitmap* top = &sheet.get(art::coinrun::WallTop, ground_theme_);
    const Bitmap* middle = &sheet.get(art::coinrun::WallMiddle, ground_theme_);
    const Bitmap* lava_top = &sheet.get(art::coinrun::LavaTop);
    const Bitmap* lava = &sheet.get(art::coinrun::LavaMiddle);
    tiles_.draw(canvas, camera, grid_, {middle, top, lava, lava_top}, [&](int x, int y) {
        switch (grid_.at(x, y)) {
            case kGround: return 1;
            case kGroundTop: return 2;
            case kLava: return 3;
            case kLavaTop: return 4;
            default: return 0;
        }
    });
    draw_in_cell(canvas, camera, sheet.get(art::coinrun::Coin), coin_x_, coin_y_);
}

void CoinRun::draw_items(Canvas& canvas, const Camera& camera, const Sheet& sheet) const {
    const float left = static_cast<float>(camera.first_column() - 1);
    const float right = static_cast<float>(camera.last_column() + 2);
    const bool saw_turned = steps_ % 2 != 0;
    const bool second_picture = (steps_ / kPicturePeriod) % 2 != 0;
    for (std::size_t i = 1; i < entities_.size(); ++i) {
        const Entity& e = entities_[i];
        if (e.x < left || e.x > right) continue;
        if (e.type == kSaw)
            draw_centred(canvas, camera, sheet.get(saw_turned ? art::coinrun::SawB : art::coinrun::SawA), e.x, e.y);
        else if (e.type == kCrate) draw_centred(canvas, camera, sheet.get(art::coinrun::Crate, e.theme), e.x, e.y);
        else
            draw_standing(
                canvas, camera,
                sheet.get(second_picture ? art::coinrun::WalkerB : art::coinrun::WalkerA, {e.theme, e.vx < 0}), e.x,
                e.bottom());
    }
}

const Bitmap& CoinRun::agent_picture(const Sheet& sheet) const {
    const Look look{agent().theme, agent().mirrored};
    if (!supported()) return sheet.get(art::coinrun::PlayerJump, look);
    if (agent().vx == 0) return sheet.get(art::coinrun::PlayerStand, look);
    const bool second_picture = (steps_ / kPicturePeriod) % 2 != 0;
    return sheet.get(second_picture ? art::coinrun::PlayerRunB : art::coinrun::PlayerRunA, look);
}

}  // namespace

namespace games {
GameEntry coinrun() { return {&kInfo, make_game<CoinRun>}; }
}  // namespace games

}  // namespace wm
