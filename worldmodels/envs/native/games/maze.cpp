// Maze
//
// A mouse stands in the bottom left corner of a maze and looks for the cheese, which lies somewhere in it.
// The mouse moves one cell per step, left, right, up or down; walls stop it. Reaching the cheese gives 10 points and
// completes the level. There is nothing to lose but time.
//
// The maze is 3 to 15 cells wide (easy), 3 to 25 (hard) or 3 to 31 (memory, where only 8 cells around the mouse are
// seen). Every maze is a spanning tree, so the cheese can always be reached.

#include "art/maze.h"

#include "art/backgrounds.h"
#include "core/camera.h"
#include "core/game.h"
#include "core/physics.h"
#include "core/sprites.h"
#include "core/variables.h"
#include "core/wide_picture.h"
#include "generate/maze.h"
#include "generate/paths.h"

namespace wm {

namespace {

const GameInfo kInfo = {
    "maze",
    "Maze",
    "You are a mouse in the bottom left corner of a maze. Walk left, right, up or down, one cell per step, and find "
    "the cheese: it is worth 10 points and completes the level. Walls stop you; nothing can hurt you.",
    "+10 for the cheese.",
    "Reaching the cheese completes the level. Nothing else ends it.",
    "9 floors.",
    {"left", "left", "left", "down", "stand still", "up", "right", "right", "right", "nothing", "nothing", "nothing",
     "nothing", "nothing", "nothing"},
    {{Mode::Easy, 500}, {Mode::Hard, 500}, {Mode::Memory, 500}},
    1905,  // hard: the cheese is 116 steps away
};

constexpr float kReward = 10;
constexpr float kMemoryView = 8;  // cells across the view in memory mode

int world_size(Mode mode) { return mode == Mode::Easy ? 15 : mode == Mode::Memory ? 31 : 25; }

class MazeGame final : public Game {
public:
    explicit MazeGame(const GameOptions& options) : options_(options), art_(art::maze::table(), style_of(options)) {}

    void reset(std::int32_t level_seed) override {
        Streams streams(level_seed);
        const int world = world_size(options_.mode);
        const Maze maze = generate_maze(3 + 2 * streams.level.below((world - 1) / 2), streams.level);
        const int margin = (world - maze.size) / 2;

        grid_.reset(world, world, kWall);
        for (const Maze::Place& place : maze.places) grid_.set(margin + place.x, margin + place.y, kSpace);
        mouse_x_ = mouse_y_ = margin;
        mirrored_ = false;
        do {
            const int choice = streams.level.below(static_cast<int>(maze.places.size()));
            const Maze::Place place = maze.places[static_cast<std::size_t>(choice)];
            cheese_x_ = margin + place.x;
            cheese_y_ = margin + place.y;
        } while (cheese_x_ == mouse_x_ && cheese_y_ == mouse_y_);

        background_ = streams.look.below(art::background_count(art::BackgroundFamily::TopDown));
        phase_ = streams.look.uniform();
        forget_pictures();
    }

    StepResult step(int action) override {
        const Move move = decode_action(action);
        if (move.x != 0) mirrored_ = move.x < 0;
        const int x = mouse_x_ + move.x;
        const int y = mouse_y_ + (move.x != 0 ? 0 : move.y);  // sideways wins on diagonals
        if (grid_.at(x, y) != kWall) {
            mouse_x_ = x;
            mouse_y_ = y;
        }
        const bool found = mouse_x_ == cheese_x_ && mouse_y_ == cheese_y_;
        return {found ? kReward : 0, found, found};
    }

    void draw(Canvas& canvas) const override {
        const Camera camera = view_of(canvas);
        const Sheet& sheet = art_.sheet(canvas.width(), camera.cells());
        if (options_.mode == Mode::Memory) {
            surroundings_.draw(canvas, camera,
                               [&](Canvas& part, const Camera& seen) { draw_level(part, seen, sheet); });
        } else if (!picture_.copy_to(canvas)) {
            draw_level(canvas, camera, sheet);
            picture_.remember(canvas);
        }
        draw_in_cell(canvas, camera, sheet.get(art::maze::Cheese), cheese_x_, cheese_y_);
        draw_in_cell(canvas, camera, sheet.get(art::maze::Mouse, {0, mirrored_}), mouse_x_, mouse_y_);
    }

    Certificate certify() const override {
        const int steps = path_length(grid_, {mouse_x_, mouse_y_}, {cheese_x_, cheese_y_});
        return {steps >= 0, steps};
    }

    void visit(Archive& archive) override {
        const int world = world_size(options_.mode);
        archive("grid", grid_, world_grid(world, world, {kSpace, kWall}));
        archive("mouse_x", mouse_x_, below(world))("mouse_y", mouse_y_, below(world))("mirrored", mirrored_);
        archive("cheese_x", cheese_x_, below(world))("cheese_y", cheese_y_, below(world));
        archive("background", background_, below(art::background_count(art::BackgroundFamily::TopDown)));
        archive("phase", phase_, share());
        if (archive.loading()) forget_pictures();
    }

    void describe(Variables& variables) const override {
        const float x = static_cast<float>(mouse_x_) + 0.5f, y = static_cast<float>(mouse_y_) + 0.5f;
        const float cheese_x = static_cast<float>(cheese_x_) + 0.5f, cheese_y = static_cast<float>(cheese_y_) + 0.5f;
        const bool partly = options_.mode == Mode::Memory;
        variables.agent_at(x, y, seen_part(partly, x, y, kMemoryView, grid_.width()));
        variables.goal("cheese", cheese_x, cheese_y);
        if (partly) variables.seen("cheese.seen", cheese_x, cheese_y);
        variables.open_cells(grid_, [](Cell cell) { return cell == kWall; });
    }

private:
    // The whole world, whatever `center_agent` says; in memory mode the surroundings of the mouse.
    Camera view_of(const Canvas& canvas) const {
        const float world = static_cast<float>(grid_.width());
        if (options_.mode != Mode::Memory) return {canvas.width(), world, world / 2, world / 2};
        return {canvas.width(), kMemoryView, static_cast<float>(mouse_x_) + 0.5f, static_cast<float>(mouse_y_) + 0.5f};
    }

    void forget_pictures() {
        picture_.forget();
        surroundings_.forget();
    }

    void draw_level(Canvas& canvas, const Camera& camera, const Sheet& sheet) const {
        const float world = static_cast<float>(grid_.height());
        art::draw_background_or_black(canvas, options_, art::BackgroundFamily::TopDown, background_, camera, world,
                                      phase_);
        const Bitmap* wall = &sheet.get(art::maze::Wall);
        draw_tiles(canvas, camera, [&](int x, int y) { return grid_.at(x, y) == kWall ? wall : nullptr; });
    }

    GameOptions options_;
    Art art_;
    Grid grid_;
    int mouse_x_ = 0, mouse_y_ = 0;
    bool mirrored_ = false;
    int cheese_x_ = 0, cheese_y_ = 0;
    int background_ = 0;
    float phase_ = 0;
    // The walls, which never change within a level: all of them, or those around the mouse.
    mutable LevelPicture picture_;
    mutable WidePicture surroundings_;
};

}  // namespace

namespace games {
GameEntry maze() { return {&kInfo, make_game<MazeGame>}; }
}  // namespace games

}  // namespace wm
