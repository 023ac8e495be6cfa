// BossFight
//
// A small ship at the bottom of space fights one huge boss. The boss flies from place to place behind a shield that
// throws every shot back, and fires by one of four patterns. After a while the shield drops: then each shot that hits
// the boss counts. When enough of them did, the round is won for 1 point, the boss is stunned for a moment, raises its
// shield again and goes over to its next pattern. Winning the last round gives 10 points more and completes the level.
// Meteors stop the shots of both sides: they are cover, but like the boss and its shots they end the episode when the
// ship touches them. The ship flies in eight directions; the special action fires upwards, every third step at most.

#include "art/bossfight.h"

#include <algorithm>

#include "art/backgrounds.h"
#include "art/effects.h"
#include "core/camera.h"
#include "core/effects.h"
#include "core/game.h"
#include "core/numbers.h"
#include "core/physics.h"
#include "core/shots.h"
#include "core/sprites.h"
#include "core/variables.h"
#include "games/bossfight_attacks.h"

namespace wm {
namespace {

const GameInfo kInfo = {
    "bossfight",
    "BossFight",
    "Fly a small ship in eight directions and fire upwards. The boss's shield throws your shots back. Dodge its fire, "
    "hide behind meteors, and shoot when the shield is down: enough hits win a round for 1 point, then the shield "
    "returns and the boss attacks in another way. The last round gives 10 points more and a complete level. Touching "
    "the boss, its shots or a meteor ends the episode.",
    "+1 for each round won, +10 for the last.",
    "Winning the last round completes the level; the boss, its shots and meteors end the episode.",
    "4 ships, 4 bosses, 3 colours of fire on each side, 8 meteors, 13 backgrounds.",
    {"fly left and down", "fly left", "fly left and up", "fly down", "drift", "fly up", "fly right and down",
     "fly right", "fly right and up", "fire", "nothing", "nothing", "nothing", "nothing", "nothing"},
    {{Mode::Easy, 4000}, {Mode::Hard, 4000}},
};

constexpr int kWorld = 20;  // cells, both ways
constexpr float kSize = kWorld, kLastRoundReward = 10;
constexpr float kAgentRadius = 0.75f, kAgentSpeed = 0.85f;
constexpr int kFireAction = 1, kFireInterval = 3;
constexpr float kPlayerShotRadius = 0.25f, kPlayerShotSpeed = 1;
constexpr int kPlayerShotLife = 25, kBossShotLife = 50, kReflectedLife = 4;  // steps
constexpr float kReflectedSpeed = 0.5f;                                      // of the shot that was thrown back
constexpr float kBossRadius = 3, kBossShotRadius = 0.5f, kShield = 1.2f;     // the shield's size beside the boss
constexpr int kFlight = 20;                                                  // steps from place to place
constexpr int kLongBreak = 500;    // flights: a shield that is down stays down until the round is won
constexpr int kStunned = 40;       // steps after a round
constexpr int kSparkPeriod = 3;    // steps between explosions while stunned
constexpr float kIdleFire = 0.1f;  // probability of a shot while the shield is down
constexpr int kMostMeteors = 3, kMostRounds = 5, kMostHits = 9;
constexpr float kFastestShot = 1.1f;
constexpr float kMeteorRadius = 0.6f, kMeteorTop = 5.4f, kMeteorGap = 1.1f;
constexpr float kShownSpeed = 0.5f;  // upwards, of a full square of paint_vel_info

struct Rules {
    float shot_speed;    // of the boss
    int longest_shield;  // flights
};
constexpr Rules kEasy = {0.5f, 3}, kHard = {0.75f, 5};
constexpr int kShortestShield = 2;

class BossFight final : public Game {
public:
    explicit BossFight(const GameOptions& options)
        : options_(options),
          rules_(options.mode == Mode::Easy ? kEasy : kHard),
          art_(art::bossfight::table(), style_of(options)) {}

    void reset(std::int32_t level_seed) override {
        streams_ = Streams(level_seed);
        for (Shots* shots : {&player_shots_, &boss_shots_, &reflected_}) shots->clear();
        explosions_.clear();
        steps_ = last_fire_ = round_ = 0;
        shield_up_ = true;
        stunned_until_ = -1;
        countdown_ = kFlight;
        build_level();
        phase_ = shield_flights_;
        player_colour_ = streams_.look.below(art_.themes(art::bossfight::PlayerShot));
        boss_colour_ = streams_.look.below(art_.themes(art::bossfight::BossShot));
        background_ = streams_.look.below(art::background_count(art::BackgroundFamily::Space));
        shift_ = streams_.look.uniform();
    }

    StepResult step(int action) override {
        const Move move = decode_action(action);
        StepResult result;
        ++steps_;
        move_all(move);
        for (Shots* shots : {&player_shots_, &boss_shots_}) hit_meteors(*shots);
        hit_boss(result);
        if (touches_agent()) result.terminated = true;
        for (Shots* shots : {&player_shots_, &boss_shots_, &reflected_}) remove_dead(*shots, grid_);
        steer_boss();
        if (move.special == kFireAction) fire();
        attack();
        return result;
    }

    void draw(Canvas& canvas) const override;

    // The boss comes to everybody. What can be wrong: a crash at the start, no way below the meteors, or no way for a
    // shot between them.
    Certificate certify() const override {
        const Entity &agent = entities_[0], &boss = entities_[1];
        bool sound = !overlap(agent, boss);
        float covered = 0;  // of the boss's width, at most
        for (std::size_t i = 2; i < entities_.size(); ++i) {
            sound = sound && entities_[i].bottom() > 2 * agent.ry;
            covered += 2 * (entities_[i].rx + kPlayerShotRadius);
        }
        return {sound && covered < 2 * boss.rx, -1};
    }

    void visit(Archive& archive) override {
        using namespace art::bossfight;
        const FloatRange space = within(-kBossRadius, kSize + kBossRadius);
        const auto shots = [&](float radius, int life) {
            return ShotRanges{space, space, kFastestShot, exactly(radius), life};
        };
        EntityRanges bodies(space, kAgentSpeed, within(0.4f, 3.2f), exactly(0));
        bodies.theme = below(kMeteors);
        bodies.health = within(0, kMostHits * kMostRounds);
        archive("entities", entities_, within(2, 2 + kMostMeteors), bodies);
        archive("player_shots", player_shots_, shot_count(), shots(kPlayerShotRadius, kPlayerShotLife));
        archive("boss_shots", boss_shots_, shot_count(), shots(kBossShotRadius, kBossShotLife));
        archive("reflected", reflected_, shot_count(), shots(kPlayerShotRadius, kReflectedLife));
        const EffectRanges explosions = {
            space, space, {{Spark, art::kExplosionFrames}, {Explosion, art::kExplosionFrames}}};
        archive("explosions", explosions_, effect_count(), explosions)("streams", streams_);
        archive("attacks", attacks_, within(1, kMostRounds), below(kAttacks))("round", round_, below(kMostRounds));
        archive("hits", hits_, within(1, kMostHits))("steps", steps_, step_count())("last_fire", last_fire_,
                                                                                    step_count());
        archive("shield_flights", shield_flights_, within(kShortestShield, rules_.longest_shield));
        archive("phase", phase_, within(0, kLongBreak))("countdown", countdown_, within(0, kStunned));
        archive("shield_up", shield_up_)("stunned_until", stunned_until_, within(-1, kLongestEpisode + kStunned));
        archive("player_colour", player_colour_, below(art_.themes(PlayerShot)));
        archive("boss_colour", boss_colour_, below(art_.themes(BossShot)));
        archive("background", background_, below(art::background_count(art::BackgroundFamily::Space)));
        archive("shift", shift_, share());
        if (archive.checking()) check_loaded();
    }

    void describe(Variables& variables) const override {
        const Entity& boss = entities_[1];
        variables.agent(entities_[0], {kSize / 2, kSize / 2, kSize});
        variables.flag("agent.may_fire", steps_ + 1 - last_fire_ >= kFireInterval);
        variables.goal("boss", boss.x, boss.y);
        variables.speed("boss.vx", boss.vx);
        variables.speed("boss.vy", boss.vy);
        variables.count("boss.health", boss.health);
        variables.flag("boss.shield", shield_up_);
        variables.flag("boss.stunned", steps_ <= stunned_until_);
        variables.count("rounds_won", round_);
        variables.nearest("boss_shot", boss_shots_, is_any, Motion::Free);
        variables.count("boss_shots", boss_shots_, is_any);
        variables.count("own_shots", player_shots_, is_any);
        variables.nearest("meteor", entities_, [&](const Entity& e) { return &e > &boss; });
    }

private:
    void check_loaded() const;
    void build_level();
    void add_meteors();
    void move_all(const Move& move);
    void hit_meteors(Shots& shots);
    void hit_boss(StepResult& result);
    void win_round(StepResult& result);
    bool touches_agent() const;
    void steer_boss();
    void fire();
    void attack();
    void draw_shots(Canvas& canvas, const Camera& camera, const Sheet& sheet) const;

    GameOptions options_;
    const Rules& rules_;
    Art art_;
    Grid grid_{kWorld, kWorld};
    Streams streams_;
    Entities entities_;  // the ship, the boss, meteors
    Shots player_shots_, boss_shots_, reflected_;
    Effects explosions_;
    std::vector<Attack> attacks_;        // one for each round
    std::int32_t round_ = 0, hits_ = 1;  // that win a round
    std::int32_t steps_ = 0, last_fire_ = 0;
    std::int32_t shield_flights_ = 0;         // how many flights the shield lasts
    std::int32_t phase_ = 0, countdown_ = 0;  // flights until that changes; steps until the boss sets off again
    std::int32_t stunned_until_ = -1;         // step
    bool shield_up_ = true;
    std::int32_t player_colour_ = 0, boss_colour_ = 0, background_ = 0;
    float shift_ = 0;  // of the background
};

void BossFight::check_loaded() const {
    using namespace art::bossfight;
    const int rounds = static_cast<int>(attacks_.size()), health = entities_[1].health;
    const int left = (health + hits_ - 1) / hits_;  // rounds; the last stays the last when it is won
    require_state(round_ == rounds - std::max(left, 1), "rounds that are won cost the boss its health");
    require_state(entities_[0].theme < kPlayers && entities_[1].theme < kBosses, "the ship and the boss have a look");
}

void BossFight::build_level() {
    Random& random = streams_.level;
    Entity agent, boss;
    boss.theme = static_cast<std::int16_t>(random.below(art::bossfight::kBosses));
    boss.x = boss.y = kSize / 2;
    boss.rx = kBossRadius;
    boss.ry = kBossRadius / art::bossfight::kBossAspects[boss.theme];
    hits_ = 1 + random.below(kMostHits);
    attacks_.resize(static_cast<std::size_t>(1 + random.below(kMostRounds)));
    boss.health = static_cast<std::int16_t>(hits_ * static_cast<int>(attacks_.size()));
    shield_flights_ = random.between(kShortestShield, rules_.longest_shield + 1);
    for (Attack& attack : attacks_) attack = static_cast<Attack>(random.below(kAttacks));
    agent.theme = static_cast<std::int16_t>(random.below(art::bossfight::kPlayers));
    agent.rx = kAgentRadius;
    agent.ry = kAgentRadius / art::bossfight::kPlayerAspects[agent.theme];
    agent.x = random.uniform(agent.rx, kSize - agent.rx);
    agent.y = agent.ry;
    entities_.assign({agent, boss});
    add_meteors();
}

// Each meteor has one chance: where something is already, there is none.
void BossFight::add_meteors() {
    Random& random = streams_.level;
    const float lowest = 2 * entities_[0].ry + kMeteorGap;
    for (int left = 1 + random.below(kMostMeteors); left > 0; --left) {
        Entity meteor;
        meteor.theme = static_cast<std::int16_t>(random.below(art::bossfight::kMeteors));
        meteor.rx = kMeteorRadius;
        meteor.ry = kMeteorRadius / art::bossfight::kMeteorAspects[meteor.theme];
        meteor.x = random.uniform(kMeteorRadius, kSize - kMeteorRadius);
        meteor.y = random.uniform(lowest, kMeteorTop);
        const bool taken = std::any_of(entities_.begin(), entities_.end(),
                                       [&](const Entity& other) { return overlap(meteor, other); });
        if (!taken) entities_.push_back(meteor);
    }
}

void BossFight::move_all(const Move& move) {
    MovementRules walls;
    Entity& agent = entities_[0];
    agent.vx = steer(agent.vx, move.x, kAgentSpeed);
    agent.vy = steer(agent.vy, move.y, kAgentSpeed);
    Mover<MovementRules>(grid_, entities_, walls).move_agent(agent, move.x, move.y);
    drift(entities_[1]);
    move_shots(player_shots_, kPlayerShotLife);
    move_shots(boss_shots_, kBossShotLife);
    move_shots(reflected_, kReflectedLife);
    grow_older(explosions_);
}

void BossFight::hit_meteors(Shots& shots) {
    for (Shot& shot : shots) {
        if (shot.dead || shot.y - shot.ry > kMeteorTop + 2 * kMeteorRadius) continue;  // most are above all meteors
        for (std::size_t i = 2; i < entities_.size() && !shot.dead; ++i) {
            if (!overlap(shot, entities_[i])) continue;
            shot.dead = true;
            explosions_.push_back({shot.x, shot.y, art::bossfight::Spark, art::kExplosionFrames});
        }
    }
}

void BossFight::hit_boss(StepResult& result) {
    Entity& boss = entities_[1];
    if (boss.health == 0) return;
    Entity shield = boss;
    shield.rx *= kShield;
    shield.ry *= kShield;
    for (Shot& shot : player_shots_) {
        if (shot.dead || !overlap(shot, shield_up_ ? shield : boss)) continue;
        shot.dead = true;
        if (shield_up_) {
            // Only for the eye: a shot that was thrown back hurts nobody.
            const float degrees = streams_.look.uniform(225, 315), speed = kReflectedSpeed * kPlayerShotSpeed;
            reflected_.push_back({shot.x, shot.y, speed * cosine(degrees), speed * sine(degrees), shot.rx, shot.ry});
            continue;
        }
        explosions_.push_back({shot.x, shot.y, art::bossfight::Spark, art::kExplosionFrames});
        if (--boss.health % hits_ == 0) win_round(result);
        if (boss.health == 0) return;
    }
}

void BossFight::win_round(StepResult& result) {
    Entity& boss = entities_[1];
    result.reward += 1;
    if (boss.health == 0) {
        result.reward += kLastRoundReward;
        result.terminated = result.level_complete = true;
        return;
    }
    ++round_;
    shield_up_ = true;
    phase_ = shield_flights_;
    boss.vx = boss.vy = 0;
    countdown_ = kStunned;
    stunned_until_ = steps_ + kStunned;
}

bool BossFight::touches_agent() const {
    const Entity& agent = entities_[0];
    return std::any_of(entities_.begin() + 1, entities_.end(), [&](const Entity& e) { return overlap(e, agent); }) ||
           std::any_of(boss_shots_.begin(), boss_shots_.end(),
                       [&](const Shot& shot) { return !shot.dead && overlap(shot, agent); });
}

void BossFight::steer_boss() {
    if (countdown_-- > 0) return;
    Entity& boss = entities_[1];
    boss.vx = (streams_.play.uniform(3, 17) - boss.x) / kFlight;
    boss.vy = (streams_.play.uniform(9, 17) - boss.y) / kFlight;
    countdown_ = kFlight;
    if (phase_-- > 0) return;
    shield_up_ = !shield_up_;
    phase_ = shield_up_ ? shield_flights_ : kLongBreak;
}

// Shots that are born now move for the first time in the next step.
void BossFight::fire() {
    if (steps_ - last_fire_ < kFireInterval) return;
    last_fire_ = steps_;
    const Entity& agent = entities_[0];
    player_shots_.push_back({agent.x, agent.y, 0, kPlayerShotSpeed, kPlayerShotRadius, kPlayerShotRadius});
}

void BossFight::attack() {
    Random& random = streams_.play;
    const Entity& boss = entities_[1];
    if (steps_ <= stunned_until_) {
        if ((stunned_until_ - steps_) % kSparkPeriod == 0)
            explosions_.push_back({streams_.look.uniform(boss.left(), boss.right()),
                                   streams_.look.uniform(boss.bottom(), boss.top()), art::bossfight::Explosion,
                                   art::kExplosionFrames});
        return;
    }
    const auto shoot = [&](float degrees) {
        const float vx = rules_.shot_speed * cosine(degrees), vy = rules_.shot_speed * sine(degrees);
        boss_shots_.push_back({boss.x, boss.y, vx, vy, kBossShotRadius, kBossShotRadius});
    };
    if (!shield_up_) {
        if (random.chance(kIdleFire)) shoot(random.uniform(180, 360));
        return;
    }
    fire_by_pattern(attacks_[static_cast<std::size_t>(round_)], steps_, random, shoot);
}

void BossFight::draw_shots(Canvas& canvas, const Camera& camera, const Sheet& sheet) const {
    using namespace art::bossfight;
    // The trail of a shot is where it has just been: the last picture is the faintest, and a newborn shot has none.
    for (const Shot& shot : boss_shots_)
        for (int i = std::min(kTrails, shot.age); i > 0; --i) {
            const float back = kTrailStep * static_cast<float>(i);
            const Bitmap& trail = sheet.get(Trail + i - 1, boss_colour_);
            draw_centred(canvas, camera, trail, shot.x - back * shot.vx, shot.y - back * shot.vy);
        }
    for (const Shot& shot : boss_shots_)
        draw_centred(canvas, camera, sheet.get(BossShot, {boss_colour_, false, shot.age % 4}), shot.x, shot.y);
    for (const Shot& shot : player_shots_)
        draw_centred(canvas, camera, sheet.get(PlayerShot, player_colour_), shot.x, shot.y);
    for (const Shot& shot : reflected_)
        draw_centred(canvas, camera, sheet.get(Reflected + shot.age, player_colour_), shot.x, shot.y);
}

void BossFight::draw(Canvas& canvas) const {
    using namespace art::bossfight;
    const Camera camera(canvas.width(), kWorld, kSize / 2, kSize / 2);
    const Sheet& sheet = art_.sheet(canvas.width(), kWorld);
    const bool generated = options_.use_generated_assets;
    if (options_.use_backgrounds)
        art::draw_background(canvas, {art::BackgroundFamily::Space, background_, generated}, camera, kSize, shift_);
    else canvas.fill({});
    for (std::size_t i = 2; i < entities_.size(); ++i)
        draw_centred(canvas, camera, sheet.get(Meteor, entities_[i].theme), entities_[i].x, entities_[i].y);
    const Entity &agent = entities_[0], &boss = entities_[1];
    draw_centred(canvas, camera, sheet.get(steps_ <= stunned_until_ ? StunnedBoss : Boss, boss.theme), boss.x, boss.y);
    if (shield_up_) draw_centred(canvas, camera, sheet.get(Shield, boss.theme), boss.x, boss.y);
    draw_shots(canvas, camera, sheet);
    draw_centred(canvas, camera, sheet.get(Player, agent.theme), agent.x, agent.y);
    draw_effects(canvas, camera, sheet, explosions_);
    if (options_.paint_vel_info) canvas.paint_velocity(agent.vx / kAgentSpeed, agent.vy / kShownSpeed);
}

}  // namespace

namespace games {
GameEntry bossfight() { return {&kInfo, make_game<BossFight>}; }
}  // namespace games

}  // namespace wm
