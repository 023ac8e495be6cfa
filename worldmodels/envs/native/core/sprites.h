// Sprites at their final size, painted on first use and then shared by every environment of the process.
// A game describes what it needs in one constant `ArtTable`; a `Sheet` holds its bitmaps for one view.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "core/painter.h"

namespace wm {

// The three options that change how things look, and nothing else here.
struct AssetStyle {
    bool generated = false;        // random procedural textures in place of the painted sprites; one theme each
    bool monochrome = false;       // flat rectangles, coloured by type and theme
    bool restrict_themes = false;  // theme 0 wherever a theme is decoration only
};

enum class SpriteKind {
    Figure,   // a picture on transparent ground, stretched to width x height cells
    Block,    // the same without transparency
    Pattern,  // an opaque texture for draw_tiles: as wide as the view and height cells high (0: as high as the view)
};

struct SpriteSpec {
    int type;                          // number that decides the flat colour
    int themes;                        // how many looks there are
    float width, height;               // in cells, on screen; one of them 0: it follows from the look's aspect
    float art_width, art_height;       // the artist's units
    void (*paint)(Painter&, int theme);
    SpriteKind kind = SpriteKind::Figure;
    bool theme_has_meaning = false;    // restrict_themes leaves it alone
    std::vector<float> aspects = {};   // width / height of each look where looks differ; else that of the art's units
};

struct ArtTable {
    const char* game;                  // seeds the generated textures
    std::vector<SpriteSpec> sprites;   // indexed by the game's own enum
};

struct Look {
    int theme = 0;
    bool mirrored = false;
    int turn = 0;       // clockwise, in steps of 360 / ROTATION_STEPS degrees
    float scale = 1;    // of the spec's width and height, quantised to whole pixels
};

constexpr int ROTATION_STEPS = 48;

class Sheet {
public:
    Sheet(const ArtTable& table, AssetStyle style, int view, int cells);
    ~Sheet();
    Sheet(const Sheet&) = delete;
    Sheet& operator=(const Sheet&) = delete;

    // Never fails and never waits once a bitmap exists. `sprite` indexes the table. The reference stays valid.
    const Bitmap& get(int sprite, int theme = 0) const;
    const Bitmap& get(int sprite, const Look& look) const;

private:
    struct Slots;
    std::unique_ptr<Slots> slots_;
};

// What a game keeps: its table and style. Sheets belong to the process, one per table, style, view and cells.
class Art {
public:
    Art(const ArtTable& table, AssetStyle style) : table_(&table), style_(style) {}

    const Sheet& sheet(int view, int cells) const;
    int themes(int sprite) const;           // 1 with generated assets
    int shown_theme(int sprite, int theme) const;
    float aspect(int sprite, int theme) const;  // width / height of the shown look, for boxes that follow it; 1 if generated
    const AssetStyle& style() const { return style_; }

private:
    const ArtTable* table_;
    AssetStyle style_;
};

}  // namespace wm
