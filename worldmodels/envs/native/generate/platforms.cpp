#include "generate/platforms.h"

#include <algorithm>
#include <utility>

namespace wm {
namespace {

constexpr int kMaximumRise = 5;
constexpr int kMaximumPit = 7;
constexpr int kHighGround = 20;   // from here the way leads down again
constexpr int kSectionRoom = 15;  // cells that must be free on the right before another section is begun

enum class Danger { Lava, Saws, Walkers };

class PlatformBuilder {
public:
    PlatformBuilder(Grid& grid, const PlatformOptions& options, Random& random)
        : grid_(grid), options_(options), random_(random) {}

    PlatformLevel build() {
        grid_.reset(kPlatformWorld, kPlatformWorld, kSpace, kGround);
        frame();
        difficulty_ = 1 + random_.below(3);
        const int sections = difficulty_ + random_.below(difficulty_);
        danger_ = static_cast<Danger>(random_.below(3));
        for (int i = 0; i < sections && x_ + kSectionRoom < kPlatformWorld; ++i) section();
        finish();
        return {std::move(items_), x_, y_};
    }

private:
    void frame() {
        grid_.fill(0, 0, kPlatformWorld, 1, kGroundTop);
        grid_.fill(0, 0, 1, kPlatformWorld, kGround);
        grid_.fill(kPlatformWorld - 1, 0, 1, kPlatformWorld, kGround);
        grid_.fill(0, kPlatformWorld - 1, kPlatformWorld, 1, kGround);
    }

    void section() {
        const int rise = draw_rise();
        const int width = 3 + random_.below(2 * difficulty_) + (difficulty_ == 3 ? 1 : 0);
        if (options_.steps) y_ = std::max(1, y_ + rise);
        const bool pit = width > kMaximumPit && y_ > 3 && random_.below(20) >= difficulty_ && options_.pits;
        if (pit) pit_section(width);
        else ground_section(width);
        if (!is_ground(grid_.at(x_ - 1, y_))) grid_.set(x_ - 1, y_, kBarrier);
        grid_.set(x_ + width, y_, kBarrier);
        x_ += width;
    }

    int draw_rise() {
        const int rise = std::min(kMaximumRise, 1 + random_.below(4) + (difficulty_ == 3 ? 1 : 0));
        const bool down = y_ >= kHighGround || (y_ >= 5 && random_.coin());
        return down ? -rise : rise;
    }

    void pit_section(int width) {
        const int left = 1 + random_.below(3);
        const int pit = std::min(kMaximumPit, width - left - (1 + random_.below(3)));
        ground(x_, left);
        ground(x_ + left + pit, width - left - pit);
        fill_pit(x_ + left, pit);
        if (pit > 4) island(x_ + left, pit);
    }

    void fill_pit(int start, int width) {
        const int depth = 1 + random_.below(y_ - 3);
        if (danger_ == Danger::Lava) {
            grid_.fill(start, 1, width, depth, kLava);
            grid_.fill(start, depth, width, 1, kLavaTop);
            return;
        }
        const auto kind = danger_ == Danger::Saws ? PlatformItem::Kind::Saw : PlatformItem::Kind::Walker;
        for (int column = start; column < start + width; ++column) items_.push_back({kind, column, 1});
    }

    // One tile thick, so that a wide pit takes two jumps.
    void island(int start, int width) {
        const int offset = (width == 5 ? 1 : 2) + random_.below(2);
        const int length = width == kMaximumPit ? width - offset - (2 + random_.below(2)) : 1 + random_.below(2);
        grid_.fill(start + offset, y_ - 1, length, 1, kGroundTop);
    }

    void ground_section(int width) {
        ground(x_, width);
        const auto inner_column = [&] { return x_ + 1 + random_.below(width - 2); };
        const bool wide = width > 3;
        int saw = -1, walker = -1;
        if (wide && random_.chance(static_cast<float>(difficulty_) / 5)) saw = inner_column();
        if (wide && options_.walkers && random_.chance(static_cast<float>(difficulty_) / 10)) walker = inner_column();
        if (saw >= 0) items_.push_back({PlatformItem::Kind::Saw, saw, y_});
        if (walker >= 0) items_.push_back({PlatformItem::Kind::Walker, walker, y_});

        int piled_column = -1, piled = 0;
        for (int attempt = 0; attempt < 2; ++attempt) {
            const int column = inner_column();
            const bool wanted = random_.coin() && options_.crates;
            if (!wanted || column == saw || column == walker) continue;
            const int height = 1 + random_.below(3);
            // A second pile in the same column only adds what is higher than the first.
            for (int i = column == piled_column ? piled : 0; i < height; ++i)
                items_.push_back({PlatformItem::Kind::Crate, column, y_ + i});
            piled_column = column;
            piled = std::max(piled, height);
        }
    }

    // Solid ground whose surface is at height `y_`.
    void ground(int start, int width) {
        grid_.fill(start, 0, width, y_ - 1, kGround);
        grid_.fill(start, y_ - 1, width, 1, kGroundTop);
    }

    void finish() {
        ground(x_, 1);
        grid_.set(x_, y_, kCoin);
        grid_.fill(x_ + 1, 0, kPlatformWorld, kPlatformWorld, kGround);
    }

    Grid& grid_;
    const PlatformOptions& options_;
    Random& random_;
    std::vector<PlatformItem> items_;
    int difficulty_ = 1;
    Danger danger_ = Danger::Lava;
    int x_ = 5, y_ = 1;  // where the next section begins, and the height of its surface
};

}  // namespace

PlatformLevel generate_platforms(Grid& grid, const PlatformOptions& options, Random& random) {
    return PlatformBuilder(grid, options, random).build();
}

}  // namespace wm
