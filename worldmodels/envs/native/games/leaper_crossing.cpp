#include "games/leaper_crossing.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "art/leaper.h"
#include "generate/search.h"

namespace wm::leaper {
namespace {

constexpr float kReward = 10;
constexpr int kHopSteps = 6;     // the rounding of 0.5 - 5 * 0.1 makes the sixth
constexpr float kProbe = 0.98f;  // of the radius: a border is met a little inside the frog
constexpr float kOnLog = 0.45f;  // the largest distance from the middle of a log, both ways

// What travels on a lane.
struct Kind {
    float rx, ry;
    float entry;  // outside the border, where it appears
    float rate;   // arrivals a step at a speed of one
};

constexpr Kind kCar = {0.5f, 0.25f, 0.25f, 1.0f / 6};
constexpr Kind kLog = {0.45f, 0.45f, 0.45f, 1.0f / 2};

constexpr Rules kEasy = {9, 0.03f, 0.12f, 0.025f, 0.075f, 4, false};
constexpr Rules kHard = {15, 0.05f, 0.2f, 0.05f, 0.1f, 5, true};
constexpr Rules kExtreme = {20, 0.1f, 0.3f, 0.1f, 0.2f, 5, true};

const Kind& kind_of(const Lane& lane) { return lane.river ? kLog : kCar; }

float entry_of(const Lane& lane, float world) {
    const float outside = kind_of(lane).entry;
    return lane.velocity > 0 ? -outside : world + outside;
}

// A hasty frog: hops up whenever it survives that, and waits otherwise.
int hop_or_wait(const Crossing& crossing) {
    constexpr int kUp = 5, kWait = 4;
    if (!crossing.frog().at_rest()) return kWait;
    Crossing trial = crossing;
    for (int i = 0; i < kHopSteps; ++i)
        if (trial.step(kUp).terminated) return trial.frog().row() == trial.finish_row() ? kUp : kWait;
    return kUp;
}

// How to look for a solution: whatever is furthest up first, but a row is worth no endless waiting.
struct Upwards {
    std::array<HeldAction, 5> moves(const Crossing&) const {
        return {{{3, kHopSteps}, {1, kHopSteps}, {7, kHopSteps}, {4, 2}, {5, kHopSteps}}};
    }
    float distance(const Crossing& crossing) const {
        constexpr int kWorthWaiting = 24;  // steps
        return static_cast<float>(crossing.steps() - kWorthWaiting * crossing.frog().row());
    }
    std::uint64_t key(const Crossing& crossing) const {
        const std::uint64_t place = folded(crossing.frog().row(), floor_int(crossing.frog().x * 3));
        return folded(place, crossing.steps() / 2);  // traffic makes time matter
    }
};

}  // namespace

const Rules& rules_of(Mode mode) { return mode == Mode::Easy ? kEasy : mode == Mode::Extreme ? kExtreme : kHard; }

void Crossing::build(Streams& streams) {
    play_ = streams.play;
    look_ = streams.look;
    steps_ = 0;
    frog_ = {};
    frog_.x = streams.level.uniform(kRadius, world_ - kRadius);
    frog_.y = kRadius;
    build_lanes(streams.level);
    for (Lane& lane : lanes_) fill_lane(lane, streams.level);
}

StepResult Crossing::step(int action) {
    ++steps_;
    move_frog(decode_action(action));
    for (Lane& lane : lanes_) move_lane(lane);
    return meet_lanes();
}

void Crossing::add_lane(int row, bool river, float velocity) {
    Lane lane;
    lane.row = row;
    lane.river = river;
    lane.velocity = velocity;
    lanes_.push_back(lane);
}

void Crossing::build_lanes(Random& level) {
    constexpr int kExtraRoad = 2, kExtraRiver = 3;
    const auto bank = [&] { return 1 + (rules_->varied ? level.below(2) : 0); };
    lanes_.clear();
    int row = bank();
    const int difficulty = level.below(rules_->difficulties);
    const int extra = rules_->varied ? level.below(4) : 0;
    for (int i = 0; i < difficulty + (extra == kExtraRoad); ++i) {
        const float speed = level.uniform(rules_->car_slow, rules_->car_fast);
        add_lane(row++, false, level.coin() ? speed : -speed);
    }
    row += bank();
    float direction = level.coin() ? 1.0f : -1.0f;
    for (int i = 0; i < difficulty + (extra == kExtraRiver); ++i) {
        add_lane(row++, true, direction * level.uniform(rules_->log_slow, rules_->log_fast));
        direction = -direction;
    }
    finish_row_ = row;
}

// Traffic as it is after everything has crossed the world: a slow log takes `warm_up` steps. Nobody watches, so only
// the times of arrival are drawn, and everything is put where it has got to by now.
void Crossing::fill_lane(Lane& lane, Random& level) {
    const Kind& kind = kind_of(lane);
    const float speed = std::fabs(lane.velocity), chance = speed * kind.rate;
    const int warm_up = static_cast<int>(world_ / rules_->log_slow);
    const int apart = -floor_int(-2 * kind.rx / speed);  // steps until the way is free again
    const int crossing = static_cast<int>((world_ + kind.entry + kind.rx) / speed);
    for (int left = warm_up; left > 0; --left) {
        if (!level.chance(chance)) continue;
        if (left <= crossing) arrive(lane, static_cast<float>(left) * lane.velocity);
        left -= apart - 1;
    }
}

void Crossing::arrive(Lane& lane, float travelled) {
    const int look = lane.river ? 0 : look_.below(art::leaper::kCars);
    lane.travellers.push_back({entry_of(lane, world_) + travelled, static_cast<std::int16_t>(look)});
}

// One of the two speeds is zero.
void Crossing::move_frog(const Move& move) {
    if (frog_.at_rest() && (move.x != 0 || move.y != 0)) {
        frog_.facing = move.x != 0 ? 2 - move.x : 1 - move.y;  // sideways wins on diagonals
        (move.x != 0 ? frog_.vx : frog_.vy) = kJumpSpeed * static_cast<float>(move.x != 0 ? move.x : move.y);
    }
    hop(frog_.x, frog_.vx);
    hop(frog_.y, frog_.vy);
}

// Four small moves, and each that a border stops costs its share of the speed. Who was carried half out of the world
// may hop back, and on to other lanes, but not further out.
void Crossing::hop(float& position, float& velocity) {
    constexpr int kMoves = 4;
    constexpr float kReach = kProbe * kRadius;
    velocity = velocity > kBrake ? velocity - kBrake : velocity < -kBrake ? velocity + kBrake : 0;
    if (velocity == 0) return;
    const float part = velocity / kMoves;
    int free = 0;
    for (int i = 0; i < kMoves; ++i) {
        const float next = position + part;
        if (part < 0 && next - kReach < 0) position = std::min(position, kRadius);
        else if (part > 0 && next + kReach >= world_) position = std::max(position, world_ - kRadius);
        else position = next, ++free;
    }
    velocity *= static_cast<float>(free) / kMoves;
}

void Crossing::move_lane(Lane& lane) {
    const Kind& kind = kind_of(lane);
    auto& travellers = lane.travellers;
    for (Traveller& traveller : travellers) traveller.x += lane.velocity;
    if (!travellers.empty()) {
        const float first = travellers.front().x;
        if (first + kind.rx < 0 || first - kind.rx > world_) travellers.pop_front();
    }
    const float entry = entry_of(lane, world_);
    if (!travellers.empty() && std::fabs(travellers.back().x - entry) < 2 * kind.rx) return;
    const bool frog_in_the_way =
        std::fabs(frog_.x - entry) < kind.rx + kRadius && std::fabs(frog_.y - lane.y()) < kind.ry + kRadius;
    if (!frog_in_the_way && play_.chance(std::fabs(lane.velocity) * kind.rate)) arrive(lane, 0);
}

StepResult Crossing::meet_lanes() {
    const float drift_from = frog_.x;
    bool hit = false, in_water = false;
    for (const Lane& lane : lanes_) {
        const float above = std::fabs(frog_.y - lane.y());
        if (lane.river && above < kOnLog) {
            bool carried = false;
            for (const Traveller& log : lane.travellers) carried = carried || std::fabs(log.x - drift_from) < kOnLog;
            if (carried) frog_.x += lane.velocity;
            else in_water = frog_.at_rest() && frog_.row() == lane.row;
        } else if (!lane.river && above < kCar.ry + kRadius) {
            for (const Traveller& car : lane.travellers) hit = hit || std::fabs(car.x - frog_.x) < kCar.rx + kRadius;
        }
    }
    const bool outside = frog_.x + kRadius < 0 || frog_.x - kRadius > world_;
    if (hit || in_water || outside) return {0, true, false};
    if (frog_.at_rest() && frog_.row() == finish_row_) return {kReward, true, true};
    return {};
}

// Most crossings need no search.
int solve(const Crossing& crossing) {
    constexpr int kMostNodes = 50000;
    const int hasty = play_by_rule(crossing, hop_or_wait, kTimeLimit);
    return hasty >= 0 ? hasty : solve_by_playing(crossing, Upwards(), kMostNodes, kTimeLimit);
}

}  // namespace wm::leaper
