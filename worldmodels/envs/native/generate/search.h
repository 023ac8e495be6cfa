// Proves that a level can be completed by completing it: best-first search over copies of the game itself, so that
// every rule, every enemy and every random draw is the real one. What is found is a sequence of actions that works.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <queue>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/entity.h"
#include "core/game.h"
#include "core/numbers.h"

namespace wm {

// Plays a copy of the game by a simple rule, `pilot(game)` giving the next action: far cheaper than a search, where
// such a rule usually gets there. Returns the steps it took, or -1 if it lost or needed more than `most_steps`.
template <class G, class Pilot>
int play_by_rule(const G& start, const Pilot& pilot, int most_steps) {
    G game = start;
    for (int steps = 1; steps <= most_steps; ++steps) {
        const StepResult result = game.step(pilot(game));
        if (result.level_complete) return steps;
        if (result.terminated) return -1;
    }
    return -1;
}

// A move of the search: an action that is held for some steps. Holding keeps the tree small, and people do it too.
struct HeldAction {
    int action;
    int steps;

    // The action of the move's i-th step, -1 where the move is over.
    template <class G>
    int next(const G&, int i) const {
        return i < steps ? action : -1;
    }
};

// For games of platforms: an action that is held, then another one for a step at least and until the agent stands on
// something again (`G::supported()`). The search then branches only where there is something to stand on.
struct Leap {
    int action;
    int steps;
    int after;

    template <class G>
    int next(const G& game, int i) const {
        if (i < steps) return action;
        return i == steps || !game.supported() ? after : -1;
    }
};

// Makes a move in `game`, as far as the episode goes on; adds what it takes to `steps`.
template <class G, class Move>
StepResult play(G& game, const Move& move, int& steps) {
    StepResult result;
    for (int i = 0; !result.terminated && !result.level_complete; ++i, ++steps) {
        const int action = move.next(game, i);
        if (action < 0) break;
        result = game.step(action);
    }
    return result;
}

// `guide` has
//     moves(const G& game)     what to try: a container of HeldAction, Leap, or anything else that has a `play`
//     distance(const G& game)  how far the goal is, as a float: states that are nearer are tried first
//     key(const G& game)       std::uint64_t; states with equal keys count as the same, so only the first is followed
// Returns the steps of the solution found (not the shortest one), or -1 after `most_nodes` states or `most_steps`
// steps.
template <class G, class Guide>
int solve_by_playing(const G& start, const Guide& guide, int most_nodes = 20000, int most_steps = 1000) {
    struct Node {
        float distance;
        int order;  // ties: the latest first, so that the search runs on rather than broadens
        int steps;
        std::unique_ptr<G> game;
    };
    const auto worse = [](const Node& a, const Node& b) {
        return a.distance != b.distance ? a.distance > b.distance : a.order < b.order;
    };
    std::vector<Node> open;  // a heap
    std::unordered_set<std::uint64_t> seen{guide.key(start)};
    open.push_back({guide.distance(start), 0, 0, std::make_unique<G>(start)});
    int made = 0;
    while (!open.empty() && made < most_nodes) {
        std::pop_heap(open.begin(), open.end(), worse);
        const Node node = std::move(open.back());
        open.pop_back();
        for (const auto& move : guide.moves(*node.game)) {
            auto game = std::make_unique<G>(*node.game);
            int steps = node.steps;
            const StepResult result = play(*game, move, steps);
            if (result.level_complete && steps <= most_steps) return steps;
            if (result.terminated || steps >= most_steps || !seen.insert(guide.key(*game)).second) continue;
            open.push_back({guide.distance(*game), ++made, steps, std::move(game)});
            std::push_heap(open.begin(), open.end(), worse);
        }
    }
    return -1;
}

// The same for games in which one knows what to do, and chance only sometimes spoils it: depth first. `plan` has
//     moves(const G& game)  the held actions to try, the best first
//     key(const G& game)    as above
// Goes on with the best move until it fails, then goes back and tries the next one.
template <class G, class Plan>
int play_by_plan(const G& start, const Plan& plan, int most_tries = 20000, int most_steps = 1000) {
    struct Node {
        G game;
        decltype(plan.moves(start)) moves;  // those still to be tried, the last one next
        int steps;
    };
    const auto node_of = [&](const G& game, int steps) {
        auto node = std::make_unique<Node>(Node{game, plan.moves(game), steps});
        std::reverse(node->moves.begin(), node->moves.end());
        return node;
    };
    std::vector<std::unique_ptr<Node>> path;
    path.push_back(node_of(start, 0));
    std::unordered_set<std::uint64_t> seen{plan.key(start)};
    for (int tries = 0; !path.empty() && tries < most_tries;) {
        Node& here = *path.back();
        if (here.moves.empty()) {
            path.pop_back();
            continue;
        }
        const auto move = here.moves.back();
        here.moves.pop_back();
        ++tries;
        G game = here.game;
        int steps = here.steps;
        const StepResult result = play(game, move, steps);
        if (result.level_complete && steps <= most_steps) return steps;
        if (result.terminated || steps >= most_steps || !seen.insert(plan.key(game)).second) continue;
        path.push_back(node_of(game, steps));
    }
    return -1;
}

// Folds numbers into a key.
inline std::uint64_t folded(std::uint64_t key, std::int64_t value) {
    return (key ^ static_cast<std::uint64_t>(value)) * 0x9E3779B97F4A7C15ULL + (key >> 29);
}

// Where something is and how it moves, rounded so that places half a cell apart count as the same.
inline std::uint64_t motion_key(const Entity& e) {
    const auto rounded = [](float value, float scale) { return floor_int(value * scale + 0.5f); };
    const std::uint64_t key = folded(folded(0, rounded(e.x, 2)), rounded(e.y, 2));
    return folded(folded(key, rounded(e.vx, 4)), rounded(e.vy, 2));
}

}  // namespace wm
