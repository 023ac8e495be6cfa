// The looks of fruitbot, all seen from above but the food.
#pragma once

#include "core/sprites.h"

namespace wm::art::fruitbot {

// In the order of the game's types.
enum Sprite : int {
    Robot,
    Barrier,  // a pattern, as high as a wall is thick
    Door,     // likewise
    Lock,
    Key,
    Present,
    Fruit,
    Food,
    Outside,  // a pattern: the ends of the world
};

constexpr int kKinds = 6;  // of fruit, and of food
constexpr int kPresents = 3;
// Width / height of each kind, whose larger side is one cell.
constexpr float kFruitAspects[kKinds] = {0.964F, 0.8F, 1.364F, 0.645F, 1, 0.846F};
constexpr float kFoodAspects[kKinds] = {0.56F, 2.154F, 1, 1.05F, 0.917F, 1};

const ArtTable& table();

void paint_fruit(Painter& painter, int kind);
void paint_food(Painter& painter, int kind);

}  // namespace wm::art::fruitbot
