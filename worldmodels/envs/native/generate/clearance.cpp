#include "generate/clearance.h"

#include <algorithm>

#include "generate/paths.h"

namespace wm {
namespace {

std::vector<float> lines_between(float low, float high, std::vector<float> edges) {
    edges.push_back(low);
    edges.push_back(high);
    for (float& edge : edges) edge = std::clamp(edge, low, high);
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    return edges;
}

// The field that holds a position.
int field_of(const std::vector<float>& lines, float position) {
    const auto above = std::upper_bound(lines.begin() + 1, lines.end() - 1, position);
    return static_cast<int>(above - lines.begin()) - 1;
}

}  // namespace

Reach::Reach(const Entity& walker, const Entities& obstacles, float size, float clearance)
    : radius_x_(walker.rx), radius_y_(walker.ry) {
    Entities widened = obstacles;
    std::vector<float> xs, ys;
    for (Entity& e : widened) {
        e.rx += radius_x_ + clearance;
        e.ry += radius_y_ + clearance;
        xs.insert(xs.end(), {e.left(), e.right()});
        ys.insert(ys.end(), {e.bottom(), e.top()});
    }
    columns_ = lines_between(radius_x_, size - radius_x_, xs);
    rows_ = lines_between(radius_y_, size - radius_y_, ys);
    Grid fields(static_cast<int>(columns_.size()) - 1, static_cast<int>(rows_.size()) - 1);
    for (const Entity& e : widened) {
        const int left = field_of(columns_, std::max(e.left(), columns_.front()));
        const int bottom = field_of(rows_, std::max(e.bottom(), rows_.front()));
        for (int y = bottom; y < fields.height() && rows_[static_cast<std::size_t>(y)] < e.top(); ++y)
            for (int x = left; x < fields.width() && columns_[static_cast<std::size_t>(x)] < e.right(); ++x)
                fields.set(x, y, kWall);
    }
    distance_ = distances_from(fields, {field_of(columns_, walker.x), field_of(rows_, walker.y)},
                               [](Cell cell) { return cell == kSpace; });
}

bool Reach::touches(const Entity& goal) const {
    const std::size_t width = columns_.size() - 1;
    for (std::size_t i = 0; i < distance_.size(); ++i) {
        if (distance_[i] < 0) continue;
        const std::size_t x = i % width, y = i / width;
        if (columns_[x] - radius_x_ < goal.right() && columns_[x + 1] + radius_x_ > goal.left() &&
            rows_[y] - radius_y_ < goal.top() && rows_[y + 1] + radius_y_ > goal.bottom())
            return true;
    }
    return false;
}

}  // namespace wm
