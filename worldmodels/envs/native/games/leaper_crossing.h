// The rules of leaper, without its looks: small, so that the generator can play on copies.
#pragma once

#include "art/leaper.h"
#include "core/fixed_list.h"
#include "core/game.h"
#include "core/numbers.h"
#include "core/rng.h"

namespace wm::leaper {

constexpr int kTimeLimit = 500;      // steps
constexpr float kRadius = 0.4f;      // of the frog
constexpr float kJumpSpeed = 0.5f;   // from which the first step already takes kBrake: 0.4, 0.3, 0.2, 0.1, (nearly) 0
constexpr float kBrake = 0.1f;       // speed lost in each step
constexpr int kMostTravellers = 26;  // that fit into a lane of the widest world
constexpr int kMostLanes = 9;

// What a mode decides.
struct Rules {
    int world;  // cells, both ways
    float car_slow, car_fast, log_slow, log_fast;
    int difficulties;
    bool varied;  // banks of one or two rows, and additional lanes
};

const Rules& rules_of(Mode mode);

struct Traveller {
    float x = 0;
    std::int16_t look = 0;

    void visit(Archive& archive, const Rules& rules) {
        archive("x", x, within(-2, rules.world + 2))("look", look, below(art::leaper::kCars));
    }
};

struct Lane {
    std::int32_t row = 0;
    bool river = false;
    float velocity = 0;
    FixedList<Traveller, kMostTravellers> travellers;  // the first to come is the first to go

    float y() const { return static_cast<float>(row) + 0.5f; }

    void visit(Archive& archive, const Rules& rules) {
        archive("row", row, below(rules.world))("river", river);
        archive("velocity", velocity, either_way(rules.car_fast))("travellers", travellers, rules);
    }
};

struct Frog {
    float x = 0, y = 0, vx = 0, vy = 0;
    std::int32_t facing = 0;  // quarter turns clockwise from up

    bool at_rest() const { return vx == 0 && vy == 0; }
    int row() const { return floor_int(y); }

    void visit(Archive& archive, const Rules& rules) {
        archive("x", x, within(-2, rules.world + 2))("y", y, within(0, rules.world));
        archive("vx", vx, either_way(kJumpSpeed))("vy", vy, either_way(kJumpSpeed))("facing", facing, below(4));
    }
};

class Crossing {
public:
    explicit Crossing(const Rules& rules) : rules_(&rules), world_(static_cast<float>(rules.world)) {}

    void build(Streams& streams);
    StepResult step(int action);

    const Frog& frog() const { return frog_; }
    const FixedList<Lane, kMostLanes>& lanes() const { return lanes_; }
    int finish_row() const { return finish_row_; }
    int steps() const { return steps_; }

    void visit(Archive& archive) {
        archive("frog", frog_, *rules_)("lanes", lanes_, *rules_);
        archive("finish_row", finish_row_, below(rules_->world))("steps", steps_, step_count());
        archive("play", play_)("look", look_);
    }

private:
    void build_lanes(Random& level);
    void add_lane(int row, bool river, float velocity);
    void fill_lane(Lane& lane, Random& level);
    void arrive(Lane& lane, float travelled);
    void move_frog(const Move& move);
    void hop(float& position, float& velocity);
    void move_lane(Lane& lane);
    StepResult meet_lanes();

    const Rules* rules_;
    float world_;
    Random play_, look_;
    Frog frog_;
    FixedList<Lane, kMostLanes> lanes_;  // from below
    std::int32_t finish_row_ = 0;
    std::int32_t steps_ = 0;
};

// Steps in which the frog gets across, -1 if no way was found.
int solve(const Crossing& crossing);

}  // namespace wm::leaper
