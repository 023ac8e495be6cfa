#include "core/level_tiles.h"

#include <algorithm>

namespace wm {

void LevelTiles::join_rows() {
    const auto joins = [](const Block& a, const Block& b) {
        return a.left == b.left && a.right == b.right && a.tile == b.tile;
    };
    const std::size_t rows = row_begins_.size() - 1;
    // Both rows go from left to right, so one pass finds each block's neighbour in the row before.
    const auto for_neighbours = [&](std::size_t row, auto join) {
        std::size_t below = row_begins_[row - 1];
        for (std::size_t i = row_begins_[row]; i < row_begins_[row + 1]; ++i) {
            while (below < row_begins_[row] && blocks_[below].left < blocks_[i].left) ++below;
            if (below < row_begins_[row] && joins(blocks_[below], blocks_[i])) join(blocks_[below], blocks_[i]);
        }
    };
    for (std::size_t i = 0; i < row_begins_[1]; ++i) blocks_[i].lowest = -kFar;
    for (std::size_t i = row_begins_[rows - 1]; i < blocks_.size(); ++i) blocks_[i].highest = kFar;
    for (std::size_t row = 1; row < rows; ++row)
        for_neighbours(row, [](const Block& below, Block& block) { block.lowest = below.lowest; });
    for (std::size_t row = rows - 1; row > 0; --row)
        for_neighbours(row, [](Block& below, const Block& block) { below.highest = block.highest; });
}

void LevelTiles::draw_blocks(Canvas& canvas, const Camera& camera, const Bitmap* const* patterns) const {
    const int view = camera.view(), first = camera.first_column(), last = camera.last_column();
    const int first_row = camera.first_row(), last_row = camera.last_row();
    const int anchor_u = wrap(camera.left(), view), anchor_v = wrap(-camera.top(), view);
    const int highest_known = static_cast<int>(row_begins_.size()) - 2 - kBeyond;
    for (int j = first_row; j <= last_row; ++j) {
        const auto row = static_cast<std::size_t>(std::clamp(j, -kBeyond, highest_known) + kBeyond);
        for (std::size_t i = row_begins_[row]; i < row_begins_[row + 1]; ++i) {
            const Block& block = blocks_[i];
            if (block.right <= first) continue;
            if (block.left > last) break;
            // Patterns as high as the view are anchored to the world; lower ones start anew in each row of cells.
            const Bitmap& pattern = *patterns[block.tile - 1];
            const bool low = pattern.height < view;
            if (!low && j != first_row && j != block.lowest) continue;
            const int top = low ? j : std::min<int>(block.highest, last_row);
            const int y = camera.row_edge(top + 1), height = camera.row_edge(j) - y;
            const int left = std::max<int>(block.left, first), x = camera.column_edge(left);
            const int width = camera.column_edge(std::min<int>(block.right, last + 1)) - x;
            canvas.fill_pattern(x, y, width, height, pattern, wrap(x + anchor_u, view),
                                low ? 0 : wrap(y + anchor_v, view));
        }
    }
}

}  // namespace wm
