// Sprites at their final size, painted on first use and then shared by every environment of the process.
// A game describes what it needs in one constant `ArtTable`; a `Sheet` holds its bitmaps for one view.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "core/options.h"
#include "core/painter.h"

namespace wm {

// The three options that change how things look.
struct AssetStyle {
    bool generated = false;        // random procedural textures in place of the painted sprites; one theme each
    bool monochrome = false;       // flat rectangles, coloured by type and theme
    bool restrict_themes = false;  // theme 0 wherever a theme is decoration only

    bool operator==(const AssetStyle& other) const {
        return generated == other.generated && monochrome == other.monochrome &&
               restrict_themes == other.restrict_themes;
    }
};

inline AssetStyle style_of(const GameOptions& options) {
    return {options.use_generated_assets, options.use_monochrome_assets, options.restrict_themes};
}

enum class SpriteKind {
    Figure,   // a picture on transparent ground
    Block,    // an opaque picture
    Pattern,  // an opaque texture for tiles, as wide as the view; height in cells, 0: as high as the view
};

struct SpriteSpec {
    int type;    // decides the flat colour and the generated texture
    int themes;  // how many looks there are
    SpriteKind kind;
    float width, height;          // on screen, in cells
    float art_width, art_height;  // the artist's units; of a pattern: of one cell
    void (*paint)(Painter&, int theme);
    int turns = 1;                   // steps of a full turn in which it may be drawn
    bool theme_has_meaning = false;  // it decides more than looks: no option replaces it
    // Width / height of each look where looks differ: the widths or the heights above are then 0 and follow.
    std::vector<float> aspects = {};
    // Looks that differ: `height` and `art_height` are the larger side of each. The shape of a look then has meaning,
    // and whatever picture an option puts in its place is stretched to it.
    bool fit = false;
};

struct ArtTable {
    const char* game;                 // seeds the generated textures
    std::vector<SpriteSpec> sprites;  // indexed by the game's own enum
};

struct Look {
    int theme = 0;
    bool mirrored = false;
    int turn = 0;  // clockwise, 0 to SpriteSpec::turns - 1
};

class Sheet {
public:
    Sheet(const ArtTable& table, AssetStyle style, int view, float cells);
    ~Sheet();
    Sheet(const Sheet&) = delete;
    Sheet& operator=(const Sheet&) = delete;

    // Never waits once a bitmap exists; it stays where it is as long as the process lives. `sprite` indexes the table.
    const Bitmap& get(int sprite, const Look& look) const {
        const Slots& own = slots_of_[static_cast<std::size_t>(sprite)];
        const int theme = own.one_theme ? 0 : look.theme;
        const int offset = (theme * 2 + (look.mirrored ? 1 : 0)) * own.turns + look.turn;
        const std::size_t slot = own.first + static_cast<std::size_t>(offset);
        const Bitmap* bitmap = slots_[slot].load(std::memory_order_acquire);
        return bitmap != nullptr ? *bitmap : painted(sprite, {theme, look.mirrored, look.turn}, slot);
    }
    const Bitmap& get(int sprite, int theme = 0) const { return get(sprite, Look{theme}); }

    const ArtTable& table() const { return table_; }
    bool serves(AssetStyle style, int view, float cells) const {
        return style_ == style && view_ == view && cells_ == cells;
    }

private:
    struct Slots {
        std::size_t first;
        int turns;
        bool one_theme;
    };

    const Bitmap& painted(int sprite, const Look& look, std::size_t slot) const;

    const ArtTable& table_;
    AssetStyle style_;
    int view_;
    float cells_;
    std::vector<Slots> slots_of_;  // each sprite; they go by theme, then mirrored, then turn
    mutable std::vector<std::atomic<const Bitmap*>> slots_;
    mutable std::mutex painting_;
};

// What a game keeps: its table and style. Sheets belong to the process, one for each table, style, view and cells.
class Art {
public:
    Art(const ArtTable& table, AssetStyle style) : table_(table), style_(style) {}

    const Sheet& sheet(int view, float cells) const {
        if (latest_ == nullptr || !latest_->serves(style_, view, cells)) latest_ = &found(view, cells);
        return *latest_;
    }
    // How many looks to draw from, the same in every style.
    int themes(int sprite) const;

private:
    const Sheet& found(int view, float cells) const;

    const ArtTable& table_;
    AssetStyle style_;
    mutable const Sheet* latest_ = nullptr;
};

}  // namespace wm
