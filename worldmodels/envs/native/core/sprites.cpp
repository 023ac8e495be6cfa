#include "core/sprites.h"

#include <algorithm>
#include <cmath>

#include "core/generated_assets.h"

namespace wm {
namespace {

int shown_theme(const SpriteSpec& spec, AssetStyle style, int theme) {
    const bool only_first = (style.generated || style.restrict_themes) && !spec.theme_has_meaning;
    return only_first ? 0 : theme;
}

// Read as three digits in base 4, most significant first: red, green, blue.
Colour flat_colour(int type, int theme) {
    const int index = (29 * (type + 1) + 19 * theme) % 64;
    const auto level = [](int digit) { return static_cast<std::uint8_t>(64 * (digit + 1) - 1); };
    return {level(index / 16), level(index / 4 % 4), level(index % 4)};
}

Bitmap flat_bitmap(int width, int height, Colour colour) {
    Painter painter(1, 1, width, height);
    constexpr float kScale = 1.0F / 255;
    const Tint tint = {static_cast<float>(colour.r) * kScale, static_cast<float>(colour.g) * kScale,
                       static_cast<float>(colour.b) * kScale};
    painter.fill(Shape::rectangle(-1, -1, 3, 3), tint);
    return painter.bitmap(true);
}

int to_pixels(float cells, float scale) { return std::max(floor_int(cells * scale + 0.5F), 1); }

struct Size {
    int width, height;
};

// Where looks differ in shape, the side that is given as 0 follows from the other; with `fit`, the height is the
// larger.
Point shaped(const SpriteSpec& spec, int theme, Point size) {
    if (spec.aspects.empty()) return size;
    const float aspect = spec.aspects[static_cast<std::size_t>(theme)];
    if (spec.fit && aspect > 1) return {size.y, size.y / aspect};
    if (spec.fit) return {size.y * aspect, size.y};
    return size.x > 0 ? Point{size.x, size.x / aspect} : Point{size.y * aspect, size.y};
}

Size size_of(const SpriteSpec& spec, int theme, int view, float cells) {
    const float scale = static_cast<float>(view) / cells;
    if (spec.kind == SpriteKind::Pattern) {
        if (spec.height <= 0) return {view, view};
        // Rounded up: the rows of cells of a view differ by one pixel.
        return {view, static_cast<int>(std::ceil(spec.height * scale))};
    }
    const Point cells_covered = shaped(spec, theme, {spec.width, spec.height});
    return {to_pixels(cells_covered.x, scale), to_pixels(cells_covered.y, scale)};
}

// The artist's units of the whole bitmap.
Point art_size(const SpriteSpec& spec, int theme, float cells) {
    if (spec.kind == SpriteKind::Pattern) {
        return {spec.art_width * cells, spec.art_height * (spec.height > 0 ? spec.height : cells)};
    }
    return shaped(spec, theme, {spec.art_width, spec.art_height});
}

}  // namespace

Sheet::Sheet(const ArtTable& table, AssetStyle style, int view, float cells)
    : table_(table), style_(style), view_(view), cells_(cells) {
    std::size_t count = 0;
    for (const SpriteSpec& spec : table.sprites) {
        const bool one_theme = !spec.fit && shown_theme(spec, style, 1) == 0;
        slots_of_.push_back({count, spec.turns, one_theme});
        count += static_cast<std::size_t>(spec.themes * 2 * spec.turns);
    }
    slots_ = std::vector<std::atomic<const Bitmap*>>(count);
}

Sheet::~Sheet() {
    for (const auto& slot : slots_) delete slot.load(std::memory_order_acquire);
}

const Bitmap& Sheet::painted(int sprite, const Look& look, std::size_t slot) const {
    const std::lock_guard<std::mutex> lock(painting_);
    if (const Bitmap* bitmap = slots_[slot].load(std::memory_order_acquire)) return *bitmap;
    const SpriteSpec& spec = table_.sprites[static_cast<std::size_t>(sprite)];
    const Size size = size_of(spec, look.theme, view_, cells_);
    const int theme = shown_theme(spec, style_, look.theme);
    const bool opaque = spec.kind != SpriteKind::Figure;
    std::unique_ptr<Bitmap> bitmap;
    if (style_.monochrome) {
        bitmap = std::make_unique<Bitmap>(flat_bitmap(size.width, size.height, flat_colour(spec.type, theme)));
    } else {
        const Point art = art_size(spec, theme, cells_);
        const float degrees = 360 * static_cast<float>(look.turn) / static_cast<float>(spec.turns);
        constexpr float kRoomForOutline = 0.93F;
        const Pose pose = {look.mirrored, degrees, opaque ? 1.0F : kRoomForOutline};
        Painter painter(art.x, art.y, size.width, size.height, pose);
        constexpr int kTypes = 64;
        const int texture = spec.type + kTypes * look.theme;  // what a theme means must be seen in every style
        if (style_.generated && opaque) {
            paint_generated_tiles(painter, table_.game, texture, spec.art_width, spec.art_height);
        } else if (style_.generated) {
            paint_generated_figure(painter, table_.game, texture);
        } else {
            spec.paint(painter, theme);
        }
        bitmap = std::make_unique<Bitmap>(painter.bitmap(opaque));
    }
    const float scale = static_cast<float>(view_) / cells_;
    bitmap->half_width = 0.5F * static_cast<float>(bitmap->width) / scale;
    bitmap->half_height = 0.5F * static_cast<float>(bitmap->height) / scale;
    slots_[slot].store(bitmap.get(), std::memory_order_release);
    return *bitmap.release();
}

const Sheet& Art::found(int view, float cells) const {
    // A list that only grows: readers walk it without a lock, and nothing in it is ever freed or moved.
    struct Node {
        Node(const ArtTable& table, AssetStyle style, int view, float cells, Node* rest)
            : sheet(table, style, view, cells), next(rest) {}
        Sheet sheet;
        Node* next;
    };
    static std::atomic<Node*> head{nullptr};
    static std::mutex growing;

    const auto find = [&]() -> const Sheet* {
        for (const Node* node = head.load(std::memory_order_acquire); node != nullptr; node = node->next)
            if (&node->sheet.table() == &table_ && node->sheet.serves(style_, view, cells)) return &node->sheet;
        return nullptr;
    };
    if (const Sheet* found = find()) return *found;
    const std::lock_guard<std::mutex> lock(growing);
    if (const Sheet* found = find()) return *found;
    Node* node = new Node(table_, style_, view, cells, head.load(std::memory_order_acquire));
    head.store(node, std::memory_order_release);
    return node->sheet;
}

int Art::themes(int sprite) const { return table_.sprites[static_cast<std::size_t>(sprite)].themes; }

}  // namespace wm
