// Miner
//
// Dig through a mine, collect every diamond in it for 1 point each, then reach the exit: 10 points and a complete
// level. One moves one cell per step, left, right, up or down (sideways wins on diagonals). Dirt gives way, boulders do
// not; a boulder at rest can be pushed sideways into empty space. Boulders and diamonds fall when there is nothing
// below them, and roll off each other; whatever falls onto the miner's head ends the episode, but one may stand under a
// thing that is at rest.
//
// A mine is 10 cells wide with 3 diamonds (easy), 20 with 12 (hard) or 35 with 36 (memory, where only 8 cells around
// the miner are seen). Every mine is solved by the generator before anybody sees it. The exit is never where the miner
// starts, and a falling diamond that one walks into is collected too.

#include "art/miner.h"

#include <cstring>

#include "art/backgrounds.h"
#include "core/camera.h"
#include "core/game.h"
#include "core/sprites.h"
#include "core/variables.h"
#include "generate/mine.h"

namespace wm {

namespace {

const GameInfo kInfo = {
    "miner",
    "Miner",
    "Dig through the dirt, left, right, up or down. Each diamond is worth 1 point; once you have all of them, the exit "
    "opens: reach it for 10 points and a complete level. Boulders and diamonds fall when you dig below them and end "
    "the episode if they fall onto your head; you may stand under one that is at rest. Boulders can be pushed "
    "sideways.",
    "+1 for each diamond, +10 for the exit.",
    "Reaching the exit with all diamonds completes the level; being hit by something that falls ends the episode.",
    "62 backgrounds.",
    {"left", "left", "left", "down", "stand still", "up", "right", "right", "right", "nothing", "nothing", "nothing",
     "nothing", "nothing", "nothing"},
    {{Mode::Easy, 1000}, {Mode::Hard, 1000}, {Mode::Memory, 1000}},
};

constexpr float kDiamondReward = 1;
constexpr float kExitReward = 10;
constexpr float kMemoryView = 8;  // cells across the view in memory mode

int world_size(Mode mode) { return mode == Mode::Easy ? 10 : mode == Mode::Memory ? 35 : 20; }

int action_of(MineMove move) { return 3 * (move.dx + 1) + move.dy + 1; }

class Miner final : public Game {
public:
    explicit Miner(const GameOptions& options) : options_(options), art_(art::miner::table(), style_of(options)) {}

    void reset(std::int32_t level_seed) override {
        Streams streams(level_seed);
        solution_length_ = generate_mine(mine_, world_size(options_.mode), streams.level);
        mirrored_ = second_picture_ = false;
        background_ = streams.look.below(art::background_count(art::BackgroundFamily::Platform));
        phase_ = streams.look.uniform();
        picture_.forget();
    }

    StepResult step(int action) override {
        const Move move = decode_action(action);
        const Place before = mine_.miner;
        const MineEvents events = mine_.step(move.x, move.y);
        if (move.x != 0) mirrored_ = move.x < 0;
        if (!(mine_.miner == before)) second_picture_ = !second_picture_;
        StepResult result{kDiamondReward * static_cast<float>(events.collected), events.crushed, false};
        if (events.left) result = {kExitReward, true, true};
        return result;
    }

    void draw(Canvas& canvas) const override {
        const Camera camera = view_of(canvas);
        const Sheet& sheet = art_.sheet(canvas.width(), camera.cells());
        draw_remembered(canvas, camera, sheet);
        if (mine_.grid.at(mine_.exit.x, mine_.exit.y) == kSpace) {
            const auto exit = mine_.diamonds == 0 ? art::miner::ExitOpen : art::miner::ExitShut;
            draw_in_cell(canvas, camera, sheet.get(exit), mine_.exit.x, mine_.exit.y);
        }
        const auto picture = second_picture_ ? art::miner::MinerB : art::miner::MinerA;
        draw_in_cell(canvas, camera, sheet.get(picture, {0, mirrored_}), mine_.miner.x, mine_.miner.y);
    }

    // Finds moves on a copy of the mine, and then plays them in the game itself.
    Certificate certify() const override {
        Miner game = *this;
        StepResult result;
        int steps = 0;
        for (const MineMove& move : solve_mine(mine_)) {
            if (result.terminated) return {false, steps};
            result = game.step(action_of(move));
            ++steps;
        }
        return {result.level_complete, steps};
    }

    int solution_length() const override { return solution_length_; }

    void visit(Archive& archive) override {
        mine_.visit(archive, world_size(options_.mode));
        archive("mirrored", mirrored_)("second_picture", second_picture_);
        archive("background", background_, below(art::background_count(art::BackgroundFamily::Platform)));
        archive("phase", phase_, share())("solution_length", solution_length_, solution_steps());
        if (archive.loading()) picture_.forget();
    }

    void describe(Variables& variables) const override {
        const Place &miner = mine_.miner, &exit = mine_.exit;
        const float x = static_cast<float>(miner.x) + 0.5f, y = static_cast<float>(miner.y) + 0.5f;
        const float exit_x = static_cast<float>(exit.x) + 0.5f, exit_y = static_cast<float>(exit.y) + 0.5f;
        const bool partly = options_.mode == Mode::Memory;
        variables.agent_at(x, y, seen_part(partly, x, y, kMemoryView, mine_.grid.width()));
        variables.goal("exit", exit_x, exit_y);
        if (partly) variables.seen("exit.seen", exit_x, exit_y);
        variables.flag("exit.open", mine_.diamonds == 0);
        variables.count("diamonds", mine_.diamonds);
        variables.nearest_cell("diamond", mine_.grid, is_diamond);
        variables.nearest_cell("boulder", mine_.grid, is_boulder);
        variables.nearest_cell("falling", mine_.grid,
                               [](Cell cell) { return cell == kFallingBoulder || cell == kFallingDiamond; });
        variables.open_cells(mine_.grid, [](Cell cell) { return cell == kWall || is_boulder(cell); });
    }

private:
    // The whole world, whatever `center_agent` says; in memory mode the surroundings of the miner.
    Camera view_of(const Canvas& canvas) const {
        const float world = static_cast<float>(mine_.grid.width());
        if (options_.mode != Mode::Memory) return {canvas.width(), world, world / 2, world / 2};
        return {canvas.width(), kMemoryView, static_cast<float>(mine_.miner.x) + 0.5f,
                static_cast<float>(mine_.miner.y) + 0.5f};
    }

    // Whether no picture of a thing is larger than its cell. One that is reaches into the cell above, and is darkened
    // with it.
    static bool things_fit(const Camera& camera) {
        return floor_int(camera.scale() + 0.5f) == floor_int(camera.scale());
    }

    void draw_backdrop(Canvas& canvas, const Camera& camera) const {
        if (!options_.use_backgrounds) return canvas.fill({});
        const bool dark = tunnels_are_dark_ && things_fit(camera);
        art::draw_background(canvas,
                             {art::BackgroundFamily::Platform, background_, options_.use_generated_assets, dark},
                             camera, static_cast<float>(mine_.grid.height()), phase_);
    }

    // Darkens the cells from x to `end` of a row, where the backdrop is not dark already.
    void darken(Canvas& canvas, const Camera& camera, int x, int end, int y) const {
        if (!tunnels_are_dark_ || things_fit(camera)) return;
        const int left = camera.column_edge(x), top = camera.row_edge(y + 1);
        canvas.shade_rectangle(left, top, camera.column_edge(end) - left, camera.row_edge(y) - top, art::kDarkness,
                               art::kSeenInTheDark);
    }

    void draw_thing(Canvas& canvas, const Camera& camera, const Sheet& sheet, int x, int y, Cell cell) const {
        if (!is_round(cell)) return;
        Look look;
        auto sprite = art::miner::Boulder;
        // Boulders turn as they roll, and no two neighbours look alike.
        if (cell == kBoulder) look.turn = (3 * x + 5 * y) % art::miner::kBoulderTurns;
        else if (cell == kFallingBoulder) sprite = art::miner::FallingBoulder;
        else sprite = cell == kDiamond ? art::miner::Diamond : art::miner::FallingDiamond;
        draw_in_cell(canvas, camera, sheet.get(sprite, look), x, y);
    }

    void draw_level(Canvas& canvas, const Camera& camera, const Sheet& sheet) const {
        draw_backdrop(canvas, camera);
        const Bitmap* dirt = &sheet.get(art::miner::Dirt);
        const Bitmap* rock = &sheet.get(art::miner::Rock);
        draw_tiles(canvas, camera, [&](int x, int y) {
            const Cell cell = mine_.grid.at(x, y);
            return cell == kDirt ? dirt : cell == kWall ? rock : nullptr;
        });
        const int left = camera.first_column(), right = camera.last_column(), highest = camera.last_row();
        for (int y = camera.first_row(); y <= highest; ++y)
            for (int x = left; x <= right; ++x) {
                const int start = x;
                Cell cell = mine_.grid.at(x, y);
                while (cell != kDirt && cell != kWall) cell = mine_.grid.at(++x, y);
                if (x > start) darken(canvas, camera, start, x, y);
                for (int i = start; i < x; ++i) draw_thing(canvas, camera, sheet, i, y, mine_.grid.at(i, y));
            }
    }

    // Few cells change in a step: while the camera stands still, the others are copied from the picture before.
    void draw_remembered(Canvas& canvas, const Camera& camera, const Sheet& sheet) const {
        const bool moved = options_.mode == Mode::Memory && !(painted_from_ == mine_.miner);
        if (moved || !picture_.remembers(canvas)) {
            draw_level(canvas, camera, sheet);
            picture_.remember(canvas);
            if (!picture_.remembers(canvas)) return;
            painted_ = mine_.grid;
            painted_from_ = mine_.miner;
            return;
        }
        const Canvas whole = picture_.canvas();
        const std::size_t width = static_cast<std::size_t>(mine_.grid.width());
        for (int y = 0; y < mine_.grid.height(); ++y) {
            if (std::memcmp(painted_.row(y), mine_.grid.row(y), width) == 0) continue;
            for (int x = 0; x < mine_.grid.width(); ++x) {
                const Cell cell = mine_.grid.at(x, y);
                if (cell == painted_.at(x, y)) continue;
                painted_.set(x, y, cell);
                // Dirt never comes back.
                const int left = camera.column_edge(x), top = camera.row_edge(y + 1);
                Canvas part = whole.clipped(left, top, camera.column_edge(x + 1) - left, camera.row_edge(y) - top);
                draw_backdrop(part, camera);
                darken(part, camera, x, x + 1, y);
                draw_thing(part, camera, sheet, x, y, cell);
            }
        }
        picture_.copy_to(canvas);
    }

    GameOptions options_;
    Art art_;
    const bool tunnels_are_dark_ = options_.use_backgrounds && !options_.use_generated_assets &&
                                   !options_.use_monochrome_assets;  // against a landscape, things stand out less
    Mine mine_;
    bool mirrored_ = false, second_picture_ = false;
    std::int32_t background_ = 0;
    float phase_ = 0;
    std::int32_t solution_length_ = -1;
    mutable LevelPicture picture_;  // the mine without exit and miner
    mutable Grid painted_;          // the cells that it shows
    mutable Place painted_from_;    // where the miner stood, at whom the camera looks in memory mode
};

}  // namespace

namespace games {
GameEntry miner() { return {&kInfo, make_game<Miner>}; }
}  // namespace games

}  // namespace wm
