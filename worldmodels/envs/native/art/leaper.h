// The looks of leaper, all seen from above.
#pragma once

#include "core/sprites.h"

namespace wm::art::leaper {

enum Sprite : int {
    Frog,  // faces up; its looks are the pictures of a hop
    Log,
    Car,   // faces right
    Road,  // patterns of one row of cells, from here on
    Water,
    Finish,
};

constexpr int kFrogFrames = 5;
constexpr int kCars = 5;

const ArtTable& table();

void paint_frog(Painter& painter, int frame);
void paint_car(Painter& painter, int theme);

}  // namespace wm::art::leaper
