#include "generate/coinrun_platforms_level.h"

#include <algorithm>
#include <cmath>

#include "generate/coinrun_platforms_runner.h"
#include "generate/draw_until.h"
#include "generate/platforms.h"

namespace wm {
namespace {

constexpr int kCliffs = 11;            // wanted
constexpr int kAttemptsPerCliff = 11;  // for each that is still missing
constexpr float kWidestFlight = 0.25f;
constexpr float kSlowestJump = 1.2f;
constexpr int kLowestCoin = 3;  // and lowest flyer: the floor stays free
constexpr float kFlyerChance = 1.0f / 20;

class CliffBuilder {
public:
    CliffBuilder(Grid& grid, Random& random) : grid_(grid), random_(random) {}

    CoinrunPlatformsLevel build() {
        frame();
        for (int x = 1; x < kPlatformWorld - 1; ++x) candidates_.push_back({x, 1});
        int wanted = kCliffs;
        for (int attempt = 0; attempt < kAttemptsPerCliff * wanted; ++attempt)
            if (attempt_cliff()) --wanted;
        place_flyers();
        place_coins();
        place_start();
        drop_unreachable_coins();
        level_.coins = static_cast<int>(coins_.size());
        return std::move(level_);
    }

private:
    void frame() {
        grid_.reset(kPlatformWorld, kPlatformWorld, kSpace, kGround);
        grid_.fill(0, 0, kPlatformWorld, 1, kGroundTop);
        grid_.fill(0, 0, 1, kPlatformWorld, kGround);
        grid_.fill(kPlatformWorld - 1, 0, 1, kPlatformWorld, kGround);
        grid_.fill(0, kPlatformWorld - 1, kPlatformWorld, 1, kGround);
    }

    bool attempt_cliff() {
        if (candidates_.empty()) return false;
        // The square root favours what was added last.
        const int count = static_cast<int>(candidates_.size());
        const float square = static_cast<float>(random_.below(count * count));
        const auto chosen = static_cast<std::size_t>(std::min(static_cast<int>(std::sqrt(square)), count - 1));
        const float vx = random_.uniform(-kWidestFlight, kWidestFlight);
        const float vy = random_.uniform(kSlowestJump, Runner::kJumpSpeed);
        Place end;
        const bool reached = random_.coin() ? fly(candidates_[chosen], vx, vy, end) : build_ladder(chosen, vx, end);
        return reached && build_cliff(end, vx < 0 ? -1 : 1);
    }

    bool is_empty(int x, int y) const {
        const auto here = [x, y](const CoinrunPlatformsMonster& monster) { return monster.x == x && monster.y == y; };
        return grid_.at(x, y) == kSpace && std::none_of(level_.monsters.begin(), level_.monsters.end(), here);
    }

    // A jump without keys; the cells on its way may get a flyer.
    bool fly(Place from, float vx, float vy, Place& end) {
        const int top = 1 + floor_int(vy / Runner::kGravity);
        const int steps = top + random_.below(top / 2);
        const std::size_t before = flights_.size();
        float x = static_cast<float>(from.x), y = static_cast<float>(from.y + 1);
        for (int i = 0; i < steps; ++i) {
            x += vx;
            y += vy;
            vy -= Runner::kGravity;
            end = {floor_int(x), floor_int(y)};
            if (!is_empty(end.x, end.y)) {
                flights_.resize(before);
                return false;
            }
            flights_.push_back(end);
        }
        return true;
    }

    // The cliff begins beside the top of the ladder.
    bool build_ladder(std::size_t chosen, float vx, Place& end) {
        constexpr int kHeadroom = 3;
        const Place foot = candidates_[chosen];
        if (grid_.at(foot.x, foot.y - 1) == kCrate) return false;
        candidates_.erase(candidates_.begin() + static_cast<std::ptrdiff_t>(chosen));
        const int length = 5 + random_.below(10);
        if (foot.y + length + kHeadroom >= kPlatformWorld) return false;
        for (int y = foot.y; y < foot.y + length + 1; ++y) {
            const bool beside = grid_.at(foot.x - 1, y) == kLadder || grid_.at(foot.x + 1, y) == kLadder;
            if (!is_empty(foot.x, y) || beside) return false;
        }
        end = {foot.x + (vx < 0 ? -1 : 1), foot.y + length - 1};
        if (!is_empty(end.x, end.y)) return false;
        grid_.fill(foot.x, foot.y, 1, length, kLadder);
        return true;
    }

    bool build_cliff(Place end, int direction) {
        const int length = 2 + random_.below(10);
        const float shift = 4 * random_.uniform();
        std::vector<Place> seeds, walks;
        for (int i = 0; i <= length; ++i) {
            const Place above = {end.x + i * direction, end.y + 1};
            if (!is_empty(above.x, end.y)) break;
            grid_.set(above.x, end.y, kGroundTop);
            if (!is_empty(above.x, above.y)) continue;
            candidates_.push_back(above);
            const float pattern = 0.2f * static_cast<float>(above.x) + static_cast<float>(above.y) + shift;
            if (floor_int(pattern) % 4 == 0) seeds.push_back(above);
            else if (i > 0 && i < length) walks.push_back(above);
        }
        if (walks.size() >= 2) {
            const Place at = walks[static_cast<std::size_t>(random_.below(static_cast<int>(walks.size())))];
            level_.monsters.push_back({at.x, at.y, false});
        }
        for (const Place& seed : seeds) pile_crates(seed);
        return true;
    }

    void pile_crates(Place at) {
        for (; is_empty(at.x, at.y); ++at.y) {
            int weight = 2;
            for (const int side : {-1, 1}) {
                weight += grid_.at(at.x + side, at.y) == kCrate;
                weight -= grid_.at(at.x + side, at.y) == kLadder;
            }
            weight -= is_ground(grid_.at(at.x, at.y + 1));
            if (random_.below(4) >= weight) return;
            grid_.set(at.x, at.y, kCrate);
            candidates_.push_back({at.x, at.y + 1});
        }
    }

    void place_flyers() {
        for (const Place& at : flights_)
            if (random_.chance(kFlyerChance) && is_empty(at.x, at.y) && at.y >= kLowestCoin &&
                !is_ground(grid_.at(at.x, at.y - 1)))
                level_.monsters.push_back({at.x, at.y, true});
    }

    void place_coins() {
        for (const Place& at : candidates_) {
            bool fits = at.y >= kLowestCoin && is_empty(at.x, at.y + 1);
            for (int x = at.x - 1; x <= at.x + 1; ++x) {
                const Cell below = grid_.at(x, at.y - 1);
                fits = fits && is_empty(x, at.y) && (is_ground(below) || below == kCrate);
            }
            if (!fits) continue;
            grid_.set(at.x, at.y, kCoin);
            coins_.push_back(at);
        }
    }

    void place_start() {
        draw_until([&] {
            level_.start = {random_.between(1, kPlatformWorld - 1), 1};
            return grid_.at(level_.start.x, 1) == kSpace && !is_ground(grid_.at(level_.start.x, 2));
        });
    }

    void drop_unreachable_coins() {
        const ReachMap map(grid_, level_.start);
        const std::vector<int> back = map.steps_to({level_.start});
        const auto lost = [&](const Place& coin) {
            return !map.reaches(coin) || back[static_cast<std::size_t>(coin.y * kPlatformWorld + coin.x)] < 0;
        };
        for (const Place& coin : coins_)
            if (lost(coin)) grid_.set(coin.x, coin.y, kSpace);
        coins_.erase(std::remove_if(coins_.begin(), coins_.end(), lost), coins_.end());
    }

    Grid& grid_;
    Random& random_;
    CoinrunPlatformsLevel level_;
    std::vector<Place> candidates_;  // where a jump or a ladder may begin, or a coin lie
    std::vector<Place> flights_, coins_;
};

}  // namespace

CoinrunPlatformsLevel generate_coinrun_platforms_level(Grid& grid, Random& random) {
    CoinrunPlatformsLevel level;
    draw_until([&] {
        level = CliffBuilder(grid, random).build();
        return level.coins > 0;
    });
    return level;
}

}  // namespace wm
