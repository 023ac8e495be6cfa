#include "art/backgrounds.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <mutex>

#include "art/scenery.h"
#include "core/generated_assets.h"

namespace wm::art {
namespace {

constexpr int kFamilies = 4, kStyles = 4;
constexpr int kMostVariants = kLandscapes + kSpaces;
constexpr int kSmallView = 128;         // pixels
constexpr std::size_t kLargeKept = 16;  // pictures, about 2.4 MB each at 512 pixels

int slot_of(const BackgroundLook& look) {
    const int style = (look.generated ? 2 : 0) + (look.dark ? 1 : 0);
    return (static_cast<int>(look.family) * kStyles + style) * kMostVariants + look.variant;
}

std::unique_ptr<const Image> paint(const BackgroundLook& look, int view) {
    Painter painter(kSceneryWidth, kSceneryHeight, 2 * view, view + view / 2);
    if (look.generated) {
        paint_generated_background(painter, static_cast<int>(look.family) * kMostVariants + look.variant);
    } else if (look.family == BackgroundFamily::TopDown) {
        paint_floor(painter, look.variant);
    } else if (look.family == BackgroundFamily::Water) {
        paint_water(painter, look.variant);
    } else if (look.family == BackgroundFamily::Space) {
        paint_space(painter, look.variant);
    } else if (look.variant < kLandscapes) {
        paint_landscape(painter, look.variant);
    } else {
        paint_space(painter, look.variant - kLandscapes);
    }
    const Bitmap bitmap = painter.bitmap(true);
    auto image = std::make_unique<Image>();
    image->width = bitmap.width;
    image->height = bitmap.height;
    const auto row_bytes = static_cast<std::size_t>(bitmap.width) * 3, stride = static_cast<std::size_t>(bitmap.stride);
    image->rgb.resize(row_bytes * static_cast<std::size_t>(bitmap.height));
    for (std::size_t y = 0; y < static_cast<std::size_t>(bitmap.height); ++y)
        std::memcpy(&image->rgb[y * row_bytes], &bitmap.rgb[y * stride], row_bytes);
    if (look.dark)
        Canvas(image->rgb.data(), image->width, image->height)
            .shade_rectangle(0, 0, image->width, image->height, kDarkness, kSeenInTheDark);
    return image;
}

// All small pictures of one view size, in a list that only grows.
struct Shelf {
    Shelf(int view_pixels, Shelf* rest) : view(view_pixels), next(rest) {}

    const Image& get(const BackgroundLook& look) {
        std::atomic<const Image*>& slot = images[slot_of(look)];
        if (const Image* image = slot.load(std::memory_order_acquire)) return *image;
        const std::lock_guard<std::mutex> lock(painting);
        if (const Image* image = slot.load(std::memory_order_acquire)) return *image;
        const Image* image = paint(look, view).release();
        slot.store(image, std::memory_order_release);
        return *image;
    }

    int view;
    Shelf* next;
    std::mutex painting;
    std::atomic<const Image*> images[kFamilies * kStyles * kMostVariants] = {};
};

Shelf& shelf(int view) {
    static std::atomic<Shelf*> head{nullptr};
    static std::mutex growing;
    const auto find = [&]() -> Shelf* {
        Shelf* shelf = head.load(std::memory_order_acquire);
        while (shelf != nullptr && shelf->view != view) shelf = shelf->next;
        return shelf;
    };
    if (Shelf* found = find()) return *found;
    const std::lock_guard<std::mutex> lock(growing);
    if (Shelf* found = find()) return *found;
    auto* added = new Shelf(view, head.load(std::memory_order_acquire));
    head.store(added, std::memory_order_release);
    return *added;
}

std::shared_ptr<const Image> large_background(const BackgroundLook& look, int view) {
    struct Kept {
        int slot, view;
        std::shared_ptr<const Image> image;
    };
    static std::deque<Kept> kept;  // the latest first
    static std::mutex mutex;
    const std::lock_guard<std::mutex> lock(mutex);
    const int slot = slot_of(look);
    const auto found = std::find_if(kept.begin(), kept.end(),
                                    [&](const Kept& other) { return other.slot == slot && other.view == view; });
    if (found != kept.end()) {
        std::rotate(kept.begin(), found, found + 1);
    } else {
        kept.push_front({slot, view, paint(look, view)});
        if (kept.size() > kLargeKept) kept.pop_back();
    }
    return kept.front().image;
}

}  // namespace

int background_count(BackgroundFamily family) {
    switch (family) {
        case BackgroundFamily::Space: return kSpaces;
        case BackgroundFamily::Platform: return kLandscapes + kSpaces;
        case BackgroundFamily::TopDown: return kFloors;
        case BackgroundFamily::Water: return kWaters;
    }
    return 0;
}

std::shared_ptr<const Image> background(const BackgroundLook& look, int view) {
    if (view > kSmallView) return large_background(look, view);
    // Owned by the process: a pointer that counts nothing.
    return {std::shared_ptr<const Image>(), &shelf(view).get(look)};
}

void draw_background(Canvas& canvas, const BackgroundLook& look, const Camera& camera, float world_height,
                     float phase) {
    const int view = camera.view();
    const std::shared_ptr<const Image> image = background(look, view);
    const int shift = static_cast<int>(phase * static_cast<float>(image->width));
    if (look.family == BackgroundFamily::TopDown || look.family == BackgroundFamily::Water) {
        canvas.copy_wrapped(*image, camera.left() + shift, -camera.top());
        return;
    }
    // Far things seem to move at two fifths of the speed. Adding a multiple of 5 keeps the division from turning at 0.
    constexpr int kFarLeft = 1 << 20;
    const int x = (camera.left() + 5 * kFarLeft) * 2 / 5 - 2 * kFarLeft + shift;
    const float climb = world_height * camera.scale() - static_cast<float>(view);
    const float height = static_cast<float>(camera.top() - view);
    const float share = climb > 0 ? std::clamp(height / climb, 0.0F, 1.0F) : 0.0F;
    const float lowest = static_cast<float>(image->height - view);
    canvas.copy_wrapped(*image, x, floor_int((1 - share) * lowest + 0.5F));
}

}  // namespace wm::art
