#include "batch/episode.h"

#include <stdexcept>

#include "games/registry.h"

namespace wm {

const GameEntry& entry_of(const std::string& name) {
    for (const GameEntry& entry : all_games())
        if (name == entry.info->name) return entry;
    throw InvalidInput("There is no game '" + printable(name) + "'.");
}

const ModeInfo& mode_of(const GameInfo& info, Mode mode) {
    for (const ModeInfo& offered : info.modes)
        if (offered.mode == mode) return offered;
    throw InvalidInput(std::string(info.title) + " has no distribution mode '" + name_of(mode) + "'.");
}

// Of any level, and exploration plays hard mode.
std::vector<Variables::Info> variables_of(const std::string& game, Mode mode) {
    const GameEntry& entry = entry_of(game);
    GameOptions options;
    options.mode = mode_of(*entry.info, mode == Mode::Exploration ? Mode::Hard : mode).mode;
    const std::unique_ptr<Game> one = entry.make(options);
    one->reset(0);
    std::vector<Variables::Info> list;
    Variables variables(list);
    one->describe(variables);
    return list;
}

Episode::Episode(const EpisodeOptions& wanted)
    : info_(entry_of(wanted.game).info), options_(wanted.options), levels_(wanted.levels) {
    if (options_.mode == Mode::Exploration) {
        if (info_->exploration_level < 0)
            throw InvalidInput(std::string(info_->title) + " has no distribution mode 'exploration'.");
        if (levels_.num_levels != 0 || levels_.start_level != 0)
            throw InvalidInput("Exploration mode plays one fixed level: num_levels and start_level cannot be given.");
        options_.mode = Mode::Hard;
        levels_.num_levels = 1;
        levels_.start_level = info_->exploration_level;
    }
    LevelPicker::check(levels_);
    picker_ = LevelPicker(levels_, 0, 0);
    rules_ = {info_->name, options_.mode, options_.debug_mode};
    time_limit_ = mode_of(*info_, options_.mode).time_limit;
    if (time_limit_ >= kLongestEpisode) throw std::logic_error("a time limit is below kLongestEpisode");
    game_ = entry_of(wanted.game).make(options_);
}

void Episode::prepare_ahead(IndexSet& waiting, std::size_t index) {
    if (only_one_level()) return;
    next_level_ = std::make_unique<NextLevel>(entry_of(info_->name).make, options_, waiting, index);
}

void Episode::seed(std::uint64_t seed, int index) {
    picker_ = LevelPicker(levels_, seed, index);
    started_ = false;
    level_seed_ = 0;
}

void Episode::reset() {
    begin_next();
    result_ = {};
    truncated_ = false;
}

void Episode::begin_next() {
    previous_seed_ = level_seed_;
    begin_level(picker_.pick());
    started_ = true;
    over_ = false;
}

void Episode::begin_level(std::int32_t level_seed) {
    level_seed_ = level_seed;
    clock_ = 0;
    if (!only_level_.empty()) {
        Archive archive = Archive::restorer(only_level_.data(), only_level_.size());
        game_->visit(archive);
        return;
    }
    if (next_level_ == nullptr || !next_level_->take(level_seed, game_)) game_->reset(level_seed);
    if (next_level_ != nullptr) next_level_->expect(foreseen_level());
    if (!only_one_level()) return;
    Archive archive = Archive::saver(only_level_);
    game_->visit(archive);
}

// The level after the one that begins now, if that ends as the last one did.
std::int32_t Episode::foreseen_level() const {
    if (levels_.use_sequential_levels && result_.level_complete) return LevelPicker::following(level_seed_);
    LevelPicker picker = picker_;
    return picker.pick();
}

void Episode::step(int action) {
    check_started();
    if (over_) throw std::logic_error("the episode is over: call reset before the next step");
    result_ = game_->step(action);
    ++clock_;
    previous_seed_ = level_seed_;
    if (levels_.use_sequential_levels && result_.level_complete) {
        result_.terminated = false;
        begin_level(LevelPicker::following(level_seed_));
    }
    truncated_ = !result_.terminated && clock_ >= time_limit_;
    over_ = result_.terminated || truncated_;
}

void Episode::check_started() const {
    if (!started_) throw std::logic_error("the first episode has not begun: call reset first");
}

void Episode::draw(std::uint8_t* pixels, int size) const {
    check_started();
    Canvas canvas(pixels, size, size);
    game_->draw(canvas);
}

void Episode::describe(float* row, std::size_t count) const {
    check_started();
    Variables variables(row, count);
    game_->describe(variables);
    if (variables.count() != count) throw std::logic_error("there are fewer variables than names");
}

void Episode::visit(Archive& archive) {
    constexpr float kMostReward = 1000;  // of a step, either way
    archive("picker", picker_)("reward", result_.reward, either_way(kMostReward))("terminated", result_.terminated);
    archive("level_complete", result_.level_complete)("truncated", truncated_)("started", started_)("over", over_);
    archive("level_seed", level_seed_, below(kLevelLimit))("previous_seed", previous_seed_, below(kLevelLimit));
    archive("clock", clock_, within(0, time_limit_));
    if (started_) game_->visit(archive);
}

Bytes Episode::save() {
    Bytes state = begin_state();
    Archive archive = Archive::saver(state);
    visit(archive);
    seal_state(state, rules_);
    return state;
}

void Episode::load(const std::uint8_t* data, std::size_t size) {
    const std::size_t begin = open_state(data, size, rules_);
    const Bytes before = save();
    try {
        Archive archive = Archive::loader(data + begin, size - begin);
        visit(archive);
        if (archive.bytes_left() != 0) throw InvalidState("The saved state does not hold together at its end.");
    } catch (...) {
        restore(before);
        throw;
    }
}

void Episode::restore(const Bytes& state) {
    const std::size_t begin = open_state(state.data(), state.size(), rules_);
    Archive archive = Archive::restorer(state.data() + begin, state.size() - begin);
    visit(archive);
}

std::uint64_t Episode::hash() {
    Archive archive = Archive::hasher();
    visit(archive);
    return archive.digest();
}

Archive::Fields Episode::fields() {
    Archive::Fields found;
    Archive archive = Archive::lister(found);
    visit(archive);
    return found;
}

}  // namespace wm
