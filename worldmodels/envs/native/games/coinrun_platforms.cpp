// CoinRunPlatforms
//
// A game type of the classic CoinRun release: collect every coin on the cliffs that hang above the floor. Each coin
// gives 1 point, the last one 10 points and a complete level. Touching a walker or a flyer ends the episode.
//
// A jump is charged while up is pressed, which brakes, and comes when up is released; it always has the full height.
// Ladders are climbed up and down. Crates can be jumped through from below and, pressing down, dropped through.
//
// Walkers turn at walls and where the ground ends, flyers at walls. Coins that no jump or ladder leads to are left out,
// and every level is played through before anybody sees it: all its coins can be collected within the time limit.

#include "art/coinrun_platforms.h"

#include <cmath>
#include <unordered_map>

#include "art/backgrounds.h"
#include "core/camera.h"
#include "core/game.h"
#include "core/level_tiles.h"
#include "core/sprites.h"
#include "core/variables.h"
#include "generate/coinrun_platforms_level.h"
#include "generate/coinrun_platforms_runner.h"
#include "generate/draw_until.h"
#include "generate/platforms.h"
#include "generate/search.h"

namespace wm {

namespace {

const GameInfo kInfo = {
    "coinrun_platforms",
    "CoinRunPlatforms",
    "Collect all coins on the cliffs above you. Press up to charge and release it to jump; charging brakes you. Up and "
    "down climb ladders, down drops through crates. Walkers and flyers end the episode when they touch you.",
    "+1 for each coin but the last, +10 for the last.",
    "The last coin completes the level; a walker or a flyer ends the episode.",
    "5 runners, 6 grounds, 9 walkers, 3 flyers, 4 crates, 62 backgrounds.",
    {"run left; drop, climb down", "run left", "run left; charge, climb up", "drop, climb down",
     "stand still, release a jump", "charge a jump, climb up", "run right; drop, climb down", "run right",
     "run right; charge, climb up", "nothing", "nothing", "nothing", "nothing", "nothing", "nothing"},
    {{Mode::Easy, 1000}},
};

constexpr float kCoinReward = 1;
constexpr float kLastReward = 10;
constexpr float kView = 64 / 5.0f;  // cells across the view
constexpr float kMonsterSpeed = 0.15f;
constexpr float kMonsterMix = 0.1f;
constexpr float kContact = 1;      // sum of the distances across and upwards
constexpr int kPicturePeriod = 5;  // steps between two pictures of a walk
constexpr int kFlapPeriod = 3;
constexpr int kWalkerThemes = 9, kCrateThemes = 4, kPlayerThemes = 5, kGroundThemes = 6;
constexpr int kMostMonsters = 400;  // of a loaded state: far more than there ever are
constexpr FloatRange kMonsterSpeeds = either_way(kMonsterSpeed);

// Its position is the lower left corner of a cell, like the runner's.
struct Monster {
    float x = 0, y = 0, vx = 0;
    std::int8_t direction = 1, theme = 0;
    bool flies = false;

    void visit(Archive& archive) {
        archive("x", x, within(-1, kPlatformWorld))("y", y, within(-1, kPlatformWorld))("vx", vx, kMonsterSpeeds);
        archive("direction", direction, within(-1, 1))("theme", theme, below(kWalkerThemes))("flies", flies);
        if (archive.checking())
            require_state(!flies || theme < art::coinrun_platforms::kFlyerThemes, "flyers have a look of theirs");
    }
};

class CoinRunPlatforms final : public Game {
public:
    explicit CoinRunPlatforms(const GameOptions& options)
        : options_(options), art_(art::coinrun_platforms::table(), style_of(options)) {}

    void reset(std::int32_t level_seed) override {
        Streams streams(level_seed);
        tiles_.forget();
        draw_until([&] {
            build_level(streams);
            solution_length_ = play_through();
            return solution_length_ >= 0;
        });
        choose_look(streams.look);
    }

    StepResult step(int action) override {
        const Move move = decode_action(action);
        ++steps_;
        if (move.x != 0) mirrored_ = move.x < 0;
        for (Monster& monster : monsters_) move_monster(monster);
        StepResult result;
        runner_.step(grid_, move.x, move.y, [&] {
            collect_coins(result);
            return !result.level_complete;
        });
        if (!result.level_complete && touches_monster()) result.terminated = true;
        return result;
    }

    void draw(Canvas& canvas) const override;
    Certificate certify() const override {
        const int steps = play_through();
        return {steps >= 0, steps};
    }

    int solution_length() const override { return solution_length_; }
    bool rests() const { return runner_.supported || runner_.on_ladder; }

    void visit(Archive& archive) override {
        if (archive.loading()) tiles_.forget();
        const CellKinds kinds = {kSpace, kCoin, kGround, kGroundTop, kCrate, kLadder};
        archive("grid", grid_, world_grid(kPlatformWorld, kPlatformWorld, kinds, kGround));
        archive("runner", runner_)("monsters", monsters_, within(0, kMostMonsters));
        archive("coins", coins_, CellCount{grid_, kCoin, kCoin})("steps", steps_, step_count())("mirrored", mirrored_);
        archive("player_theme", player_theme_, below(kPlayerThemes));
        archive("ground_theme", ground_theme_, below(kGroundThemes))("crate_theme", crate_theme_, below(kCrateThemes));
        archive("background", background_, below(art::background_count(art::BackgroundFamily::Platform)));
        archive("phase", phase_, share())("solution_length", solution_length_, solution_steps());
    }

    void describe(Variables& variables) const override {
        constexpr float kHalf = 0.5f;  // of the runner, of a monster
        const float x = runner_.x + kHalf, y = runner_.y + kHalf;
        variables.agent_at(x, y, seen_part(options_.center_agent, x, y, kView, kPlatformWorld));
        variables.speed("agent.vx", runner_.vx);
        variables.speed("agent.vy", runner_.vy);
        variables.flag("agent.supported", runner_.supported);
        variables.flag("agent.on_ladder", runner_.on_ladder);
        variables.flag("agent.charged", runner_.spring > 0);
        variables.count("coins", coins_);
        variables.nearest_cell("coin", grid_, [](Cell cell) { return cell == kCoin; });
        Nearest walker, flyer;
        for (const Monster& monster : monsters_)
            if (variables.sees(Square(monster.x + kHalf, monster.y + kHalf, 1)))
                (monster.flies ? flyer : walker).offer(monster.x - runner_.x, monster.y - runner_.y, monster.vx);
        variables.nearest("walker", walker, Motion::Sideways);
        variables.nearest("flyer", flyer, Motion::Sideways);
        variables.nearest_cell("crate", grid_, [](Cell cell) { return cell == kCrate; });
        variables.nearest_cell("ladder", grid_, [](Cell cell) { return cell == kLadder; });
        variables.open_cells(grid_, is_ground);
    }

private:
    class Guide;

    // A walker can guard a narrow place for ever, which the map of the cliffs does not know: only playing shows it.
    int play_through() const;

    void build_level(Streams& streams) {
        const CoinrunPlatformsLevel level = generate_coinrun_platforms_level(grid_, streams.level);
        coins_ = level.coins;
        runner_ = Runner();
        runner_.x = static_cast<float>(level.start.x);
        runner_.y = static_cast<float>(level.start.y);
        runner_.supported = true;
        mirrored_ = false;
        steps_ = 0;
        monsters_.clear();
        for (const CoinrunPlatformsMonster& monster : level.monsters)
            monsters_.push_back(new_monster(monster, streams));
    }

    static Monster new_monster(const CoinrunPlatformsMonster& born, Streams& streams) {
        Monster monster;
        monster.x = static_cast<float>(born.x);
        monster.y = static_cast<float>(born.y);
        monster.flies = born.flies;
        monster.direction = streams.play.coin() ? 1 : -1;
        const int themes = born.flies ? art::coinrun_platforms::kFlyerThemes : kWalkerThemes;
        monster.theme = static_cast<std::int8_t>(streams.look.below(themes));
        return monster;
    }

    void choose_look(Random& look) {
        player_theme_ = look.below(kPlayerThemes);
        ground_theme_ = look.below(kGroundThemes);
        crate_theme_ = look.below(kCrateThemes);
        background_ = look.below(art::background_count(art::BackgroundFamily::Platform));
        phase_ = look.uniform();
    }

    // Turns before walls, and walkers before the end of what they walk on.
    void move_monster(Monster& monster) const {
        const int ahead = floor_int(monster.x) + (monster.direction > 0 ? 1 : 0), row = floor_int(monster.y);
        const Cell below = grid_.at(ahead, row - 1);
        const bool ledge = !monster.flies && !is_ground(below) && below != kCrate;
        if (is_ground(grid_.at(ahead, row)) || ledge) monster.direction = static_cast<std::int8_t>(-monster.direction);
        monster.vx = (1 - kMonsterMix) * monster.vx + kMonsterMix * static_cast<float>(monster.direction);
        monster.vx = std::clamp(monster.vx, -kMonsterSpeed, kMonsterSpeed);
        monster.x += monster.vx;
    }

    // In the four cells around the runner.
    void collect_coins(StepResult& result) {
        constexpr float kHead = 0.9f;
        const int left = floor_int(runner_.x + Runner::kLeftFoot), right = floor_int(runner_.x + Runner::kRightFoot);
        for (int y = floor_int(runner_.y); y <= floor_int(runner_.y + kHead); ++y)
            for (int x = left; x <= right; ++x) {
                if (grid_.at(x, y) != kCoin) continue;
                grid_.set(x, y, kSpace);
                --coins_;
                result.reward += coins_ > 0 ? kCoinReward : kLastReward;
            }
        result.level_complete = result.terminated = coins_ == 0;
    }

    bool touches_monster() const {
        return std::any_of(monsters_.begin(), monsters_.end(), [&](const Monster& monster) {
            return std::fabs(monster.x - runner_.x) + std::fabs(monster.y - runner_.y) < kContact;
        });
    }

    const Bitmap& player_picture(const Sheet& sheet) const;
    void draw_ground(Canvas& canvas, const Camera& camera, const Sheet& sheet) const;
    void draw_monsters(Canvas& canvas, const Camera& camera, const Sheet& sheet) const;

    GameOptions options_;
    Art art_;
    Grid grid_;
    Runner runner_;
    std::vector<Monster> monsters_;
    std::int32_t coins_ = 0;  // still to be collected
    std::int32_t steps_ = 0;
    bool mirrored_ = false;
    std::int32_t player_theme_ = 0, ground_theme_ = 0, crate_theme_ = 0, background_ = 0;
    float phase_ = 0;
    mutable LevelTiles tiles_;
    std::int32_t solution_length_ = -1;
};

// How to look for a solution: along the map of what can be reached, to the nearest coin, and by jumps as a whole.
class CoinRunPlatforms::Guide {
public:
    // Holds one action, or charges and then jumps until the runner can rest again.
    struct Leap {
        int action, steps;       // after charging: while rising
        int second_action = -1;  // until the jump ends; -1: no jump

        friend StepResult play(CoinRunPlatforms& game, const Leap& leap, int& steps) {
            if (leap.second_action < 0) return wm::play(game, HeldAction{leap.action, leap.steps}, steps);
            constexpr int kLongest = 40, kCharge = 5;
            StepResult result = wm::play(game, HeldAction{kCharge, 1}, steps);
            for (int i = 0; i < kLongest && !result.terminated; ++i) {
                result = wm::play(game, HeldAction{i < leap.steps ? leap.action : leap.second_action, 1}, steps);
                if (i > 0 && game.rests()) break;
            }
            return result;
        }
    };

    explicit Guide(const CoinRunPlatforms& game)
        : map_(game.grid_, {static_cast<int>(game.runner_.x), static_cast<int>(game.runner_.y)}) {
        for (int y = 0; y < game.grid_.height(); ++y)
            for (int x = 0; x < game.grid_.width(); ++x)
                if (game.grid_.at(x, y) == kCoin) coins_.push_back({x, y});
    }

    std::vector<Leap> moves(const CoinRunPlatforms& game) const {
        const Runner& runner = game.runner_;
        std::vector<Leap> found = {{7, 3}, {1, 3}, {4, 4}};
        const int column = floor_int(runner.x + 0.5f);
        const Cell here = game.grid_.at(column, floor_int(runner.y));
        const Cell below = game.grid_.at(column, floor_int(runner.y - 0.1f));
        if (here == kLadder || below == kLadder) found.insert(found.end(), {{3, 3}, {5, 3}});
        else if (below == kCrate) found.push_back({3, 3});
        if (runner.supported && runner.spring == 0)
            found.insert(found.end(), {{4, 6, 7}, {4, 6, 1}, {7, 6, 7}, {1, 6, 1}, {7, 6, 1}, {1, 6, 7}});
        return found;
    }

    float distance(const CoinRunPlatforms& game) const {
        constexpr float kCoinsFirst = 10000, kUnknown = 5000;
        constexpr float kHaste = 0.3f;  // a little: or the search would rather wait for ever than go a long way round
        const std::vector<int>& steps = steps_to_coins(game);
        const int x = floor_int(game.runner_.x + 0.5f);
        int y = floor_int(game.runner_.y + 0.01f);
        const auto at = [&](int row) { return static_cast<std::size_t>(row * game.grid_.width() + x); };
        while (y > 0 && !map_.reaches({x, y})) --y;
        const int left = y > 0 ? steps[at(y)] : -1;
        return kCoinsFirst * static_cast<float>(game.coins_) + kHaste * static_cast<float>(game.steps_) +
               (left >= 0 ? static_cast<float>(left) : kUnknown);
    }

    std::uint64_t key(const CoinRunPlatforms& game) const {
        const auto rounded = [](float value, float scale) { return floor_int(value * scale + 0.5f); };
        const Runner& e = game.runner_;
        std::uint64_t key = folded(folded(0, rounded(e.x, 2)), rounded(e.y, 2));
        key = folded(folded(folded(key, rounded(e.vx, 4)), e.spring > 0), e.on_ladder);
        return folded(folded(key, game.steps_ / 16), game.coins_);  // monsters make time matter
    }

private:
    // The way to the coins that are left, found once for each set of them.
    const std::vector<int>& steps_to_coins(const CoinRunPlatforms& game) const {
        std::uint64_t key = 0;
        std::vector<Place> left;
        for (const Place& coin : coins_)
            if (game.grid_.at(coin.x, coin.y) == kCoin) {
                key = folded(key, coin.y * game.grid_.width() + coin.x);
                left.push_back(coin);
            }
        const auto found = known_.find(key);
        return found != known_.end() ? found->second : known_.emplace(key, map_.steps_to(left)).first->second;
    }

    ReachMap map_;
    std::vector<Place> coins_;  // of the whole level
    mutable std::unordered_map<std::uint64_t, std::vector<int>> known_;
};

int CoinRunPlatforms::play_through() const {
    constexpr int kMostNodes = 3000;
    return solve_by_playing(*this, Guide(*this), kMostNodes);
}

void CoinRunPlatforms::draw(Canvas& canvas) const {
    const float middle = static_cast<float>(kPlatformWorld) / 2;
    const Camera camera = options_.center_agent ? Camera(canvas.width(), kView, runner_.x + 0.5f, runner_.y + 0.5f)
                                                : Camera(canvas.width(), kPlatformWorld, middle, middle);
    const Sheet& sheet = art_.sheet(canvas.width(), camera.cells());
    art::draw_background_or_black(canvas, options_, art::BackgroundFamily::Platform, background_, camera,
                                  kPlatformWorld, phase_);
    draw_ground(canvas, camera, sheet);
    draw_monsters(canvas, camera, sheet);
    draw_standing(canvas, camera, player_picture(sheet), runner_.x + 0.5f, runner_.y);
    if (options_.paint_vel_info) canvas.paint_velocity(runner_.vx / Runner::kMaxSpeed, runner_.vy / Runner::kJumpSpeed);
}

void CoinRunPlatforms::draw_ground(Canvas& canvas, const Camera& camera, const Sheet& sheet) const {
    const Bitmap* top = &sheet.get(art::coinrun_platforms::WallTop, ground_theme_);
    const Bitmap* middle = &sheet.get(art::coinrun_platforms::WallMiddle, ground_theme_);
    tiles_.draw(canvas, camera, grid_, {middle, top}, [&](int x, int y) {
        const Cell cell = grid_.at(x, y);
        return cell == kGround ? 1 : cell == kGroundTop ? 2 : 0;
    });
    const Bitmap& crate = sheet.get(art::coinrun_platforms::Crate, crate_theme_);
    const Bitmap& ladder = sheet.get(art::coinrun_platforms::Ladder);
    const Bitmap& coin = sheet.get(art::coinrun_platforms::Coin);
    const int left = camera.first_column(), right = camera.last_column(), highest = camera.last_row();
    for (int y = camera.first_row(); y <= highest; ++y)
        for (int x = left; x <= right; ++x) {
            const Cell cell = grid_.at(x, y);
            if (cell == kCrate) draw_in_cell(canvas, camera, crate, x, y);
            else if (cell == kLadder) draw_in_cell(canvas, camera, ladder, x, y);
            else if (cell == kCoin) draw_in_cell(canvas, camera, coin, x, y);
        }
}

void CoinRunPlatforms::draw_monsters(Canvas& canvas, const Camera& camera, const Sheet& sheet) const {
    using namespace art::coinrun_platforms;
    const bool second_step = (steps_ / kPicturePeriod) % 2 != 0, flap = (steps_ / kFlapPeriod) % 2 != 0;
    for (const Monster& monster : monsters_) {
        const Look look = {monster.theme, monster.vx < 0};
        if (monster.flies)
            draw_centred(canvas, camera, sheet.get(flap ? FlyerB : FlyerA, look), monster.x + 0.5f, monster.y + 0.5f);
        else
            draw_standing(canvas, camera, sheet.get(second_step ? WalkerB : WalkerA, look), monster.x + 0.5f,
                          monster.y);
    }
}

const Bitmap& CoinRunPlatforms::player_picture(const Sheet& sheet) const {
    using namespace art::coinrun_platforms;
    const Look look{player_theme_, mirrored_};
    const bool second_picture = (steps_ / kPicturePeriod) % 2 != 0;
    if (runner_.on_ladder) return sheet.get(second_picture && runner_.vy != 0 ? PlayerClimbB : PlayerClimbA, look);
    if (!runner_.supported) return sheet.get(PlayerJump, look);
    if (runner_.spring != 0) return sheet.get(PlayerCharge, look);
    if (runner_.vx == 0) return sheet.get(PlayerStand, look);
    return sheet.get(second_picture ? PlayerRunB : PlayerRunA, look);
}

}  // namespace

namespace games {
GameEntry coinrun_platforms() { return {&kInfo, make_game<CoinRunPlatforms>}; }
}  // namespace games

}  // namespace wm
