// RandomMazes
//
// A game type of the classic CoinRun release: from the bottom left corner of a maze, of which only the surroundings are
// seen, find the coin. The player moves one cell per step, in eight directions: a diagonal step goes straight to the
// diagonal cell if that is open, which cuts a corner but never leads through a wall. The coin gives 10 points and
// completes the level. There is nothing to lose but time.
//
// Difficulty 1 to 4 decides the size of the maze: 3 to 7, 9 to 13, 15 to 19 or 21 to 25 cells. Easy mode draws the
// difficulty anew for each level, hard mode always has the highest. The coin is never on the cell where one starts.

#include "art/random_mazes.h"

#include "art/backgrounds.h"
#include "core/camera.h"
#include "core/game.h"
#include "core/sprites.h"
#include "core/variables.h"
#include "generate/maze.h"
#include "generate/paths.h"

namespace wm {

namespace {

const GameInfo kInfo = {
    "random_mazes",
    "RandomMazes",
    "You are in the bottom left corner of a maze and see only what is near. Walk one cell per step, diagonally too "
    "where the diagonal cell is open, and find the coin: it is worth 10 points and completes the level. Walls stop "
    "you; nothing can hurt you.",
    "+10 for the coin.",
    "Reaching the coin completes the level. Nothing else ends it.",
    "One look, in flat colours.",
    {"left and down", "left", "left and up", "down", "stand still", "up", "right and down", "right", "right and up",
     "nothing", "nothing", "nothing", "nothing", "nothing", "nothing"},
    {{Mode::Easy, 500}, {Mode::Hard, 500}},
};

constexpr float kReward = 10;
constexpr float kView = 64 / 7.5f;  // cells across the view
constexpr int kDifficulties = 4;
constexpr int kBorder = 1;  // cells of wall around the maze
constexpr int kSmallestWorld = 5, kLargestWorld = 27;

class RandomMazes final : public Game {
public:
    explicit RandomMazes(const GameOptions& options)
        : options_(options), art_(art::random_mazes::table(), style_of(options)) {}

    void reset(std::int32_t level_seed) override {
        Streams streams(level_seed);
        const int difficulty = options_.mode == Mode::Easy ? 1 + streams.level.below(kDifficulties) : kDifficulties;
        const int rooms = streams.level.below(3) + 3 * (difficulty - 1) + 1;  // across, beside the first
        const Maze maze = generate_maze(2 * rooms + 1, streams.level);
        const int world = maze.size + 2 * kBorder;
        grid_.reset(world, world, kWall);
        for (const Maze::Place& place : maze.places) grid_.set(kBorder + place.x, kBorder + place.y, kSpace);
        player_ = {kBorder, kBorder};
        mirrored_ = false;
        place_coin(maze, streams.level);
        background_ = streams.look.below(art::background_count(art::BackgroundFamily::TopDown));
        phase_ = streams.look.uniform();
    }

    StepResult step(int action) override {
        const Move move = decode_action(action);
        if (move.x != 0) mirrored_ = move.x < 0;
        const Place there = {player_.x + move.x, player_.y + move.y};
        if (grid_.at(there.x, there.y) != kWall) player_ = there;
        const bool found = player_ == coin_;
        return {found ? kReward : 0, found, found};
    }

    void draw(Canvas& canvas) const override {
        const Camera camera = view_of(canvas);
        const Sheet& sheet = art_.sheet(canvas.width(), camera.cells());
        draw_floor(canvas, camera);
        const Bitmap* wall = &sheet.get(art::random_mazes::Wall);
        draw_tiles(canvas, camera, [&](int x, int y) { return grid_.at(x, y) == kWall ? wall : nullptr; });
        draw_in_cell(canvas, camera, sheet.get(art::random_mazes::Coin), coin_.x, coin_.y);
        draw_in_cell(canvas, camera, sheet.get(art::random_mazes::Player, {0, mirrored_}), player_.x, player_.y);
    }

    // Without the diagonals, so that the shortest solution is at most this long.
    Certificate certify() const override {
        const int steps = path_length(grid_, player_, coin_);
        return {steps > 0, steps};
    }

    void visit(Archive& archive) override {
        const IntRange sizes = {kSmallestWorld, kLargestWorld};
        archive("grid", grid_, GridRange{sizes, sizes, {kSpace, kWall}, kWall});
        const IntRange column = below(grid_.width()), row = below(grid_.height());
        archive("player_x", player_.x, column)("player_y", player_.y, row)("mirrored", mirrored_);
        archive("coin_x", coin_.x, column)("coin_y", coin_.y, row);
        archive("background", background_, below(art::background_count(art::BackgroundFamily::TopDown)));
        archive("phase", phase_, share());
        if (archive.checking()) require_state(grid_.width() == grid_.height(), "a maze is as wide as it is high");
    }

    void describe(Variables& variables) const override {
        const float x = static_cast<float>(player_.x) + 0.5f, y = static_cast<float>(player_.y) + 0.5f;
        const float coin_x = static_cast<float>(coin_.x) + 0.5f, coin_y = static_cast<float>(coin_.y) + 0.5f;
        variables.agent_at(x, y, seen_part(options_.center_agent, x, y, kView, grid_.width()));
        variables.goal("coin", coin_x, coin_y);
        variables.seen("coin.seen", coin_x, coin_y);
        variables.cells("maze.size", static_cast<float>(grid_.width() - 2 * kBorder));
        variables.open_cells(grid_, [](Cell cell) { return cell == kWall; });
    }

private:
    // One of the three cells of a passage (a room, the opening, the next room), all passages being alike: rooms with
    // more openings are likelier, as in the release.
    void place_coin(const Maze& maze, Random& random) {
        do {
            Maze::Place place = {0, 0};
            while (place.x % 2 == place.y % 2)  // rooms have even coordinates, openings one that is odd
                place = maze.places[static_cast<std::size_t>(random.below(static_cast<int>(maze.places.size())))];
            const int along = random.below(3) - 1;
            coin_ = {kBorder + place.x + (place.x % 2) * along, kBorder + place.y + (place.y % 2) * along};
        } while (coin_ == player_);
    }

    Camera view_of(const Canvas& canvas) const {
        const float world = static_cast<float>(grid_.width());
        if (!options_.center_agent) return {canvas.width(), world, world / 2, world / 2};
        return {canvas.width(), kView, static_cast<float>(player_.x) + 0.5f, static_cast<float>(player_.y) + 0.5f};
    }

    void draw_floor(Canvas& canvas, const Camera& camera) const {
        const float world = static_cast<float>(grid_.height());
        if (!options_.use_backgrounds) canvas.fill({});
        else if (!options_.use_generated_assets) canvas.fill(art::random_mazes::kFloor);
        else art::draw_background(canvas, {art::BackgroundFamily::TopDown, background_, true}, camera, world, phase_);
    }

    GameOptions options_;
    Art art_;
    Grid grid_;
    Place player_, coin_;
    bool mirrored_ = false;
    int background_ = 0;  // seen with generated assets only
    float phase_ = 0;
};

}  // namespace

namespace games {
GameEntry random_mazes() { return {&kInfo, make_game<RandomMazes>}; }
}  // namespace games

}  // namespace wm
