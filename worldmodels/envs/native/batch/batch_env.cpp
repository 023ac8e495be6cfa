#include "batch/batch_env.h"

#include <algorithm>

namespace wm {

BatchEnv::BatchEnv(const std::vector<EpisodeOptions>& wanted, Autoreset autoreset, int threads)
    : waiting_levels_(wanted.size()),
      autoreset_(autoreset),
      pool_(std::min(threads, static_cast<int>(wanted.size())), [this] { return prepare_level(); }),
      failures_(wanted.size()) {
    if (wanted.empty()) throw InvalidInput("A batch has one environment or more; received 0.");
    if (threads < 1) throw InvalidInput("num_threads is 1 or more; received " + std::to_string(threads) + ".");
    episodes_.reserve(wanted.size());
    for (const EpisodeOptions& one : wanted) episodes_.emplace_back(one);
    if (pool_.has_workers())
        for (std::size_t i = 0; i < episodes_.size(); ++i) episodes_[i].prepare_ahead(waiting_levels_, i);
    reports_.resize(episodes_.size());
}

void BatchEnv::seed(std::uint64_t seed) {
    const Call call(in_use_);
    for (int i = 0; i < size(); ++i) episode(i).seed(seed, i);
}

void BatchEnv::seed_each(const std::vector<std::uint64_t>& seeds) {
    const Call call(in_use_);
    if (seeds.size() != episodes_.size())
        throw InvalidInput("Seeds are one per environment, " + std::to_string(episodes_.size()) + "; received " +
                           std::to_string(seeds.size()) + ".");
    for (int i = 0; i < size(); ++i) episode(i).seed(seeds[static_cast<std::size_t>(i)], 0);
}

// Runs `work(index)` for every environment.
template <class Work>
void BatchEnv::for_each(const Work& work) {
    pool_.run(size(), [&](int index) { failures_.watch(index, [&] { work(index); }); });
    if (!failures_.any()) return;
    const auto [index, text] = failures_.take_first();
    throw GameError("Environment " + std::to_string(index) + " (" + info(index).name + "): " + text + ".");
}

void BatchEnv::reset(const bool* mask, const BatchArrays& arrays) {
    const Call call(in_use_);
    for_each([&](int index) {
        if (mask == nullptr || mask[index]) episode(index).reset();
        report(index, arrays);
    });
    write(arrays);
}

void BatchEnv::step(const std::int32_t* actions, const BatchArrays& arrays) {
    const Call call(in_use_);
    for_each([&](int index) {
        step_one(index, actions[index], arrays);
        report(index, arrays);
    });
    write(arrays);
}

void BatchEnv::observe(const BatchArrays& arrays) {
    const Call call(in_use_);
    for_each([&](int index) { report(index, arrays); });
    write(arrays);
}

void BatchEnv::describe(float* rows, int count) {
    const Call call(in_use_);
    const auto room = static_cast<std::size_t>(count);
    for_each([&](int index) { episode(index).describe(rows + static_cast<std::size_t>(index) * room, room); });
}

// What a worker does while it waits: builds one level ahead, if any waits for that and the process does not fork.
bool BatchEnv::prepare_level() {
    if (waiting_levels_.empty()) return false;
    const ForkPauseIfFree no_fork;
    const int index = no_fork.granted() ? waiting_levels_.take() : IndexSet::kNone;
    if (index == IndexSet::kNone) return false;
    episode(index).prepare();
    return true;
}

Episode& BatchEnv::checked_episode(int index) {
    if (index < 0 || index >= size()) throw std::out_of_range("There is no environment " + std::to_string(index) + ".");
    return episode(index);
}

void BatchEnv::draw(int index, std::uint8_t* pixels, int size) {
    const Call call(in_use_);
    checked_episode(index).draw(pixels, size);
}

Bytes BatchEnv::save(int index) {
    const Call call(in_use_);
    return checked_episode(index).save();
}

Archive::Fields BatchEnv::fields(int index) {
    const Call call(in_use_);
    return checked_episode(index).fields();
}

std::vector<Bytes> BatchEnv::save() {
    const Call call(in_use_);
    std::vector<Bytes> states;
    states.reserve(episodes_.size());
    for (Episode& one : episodes_) states.push_back(one.save());
    return states;
}

void BatchEnv::load(const std::vector<std::string_view>& states) {
    const Call call(in_use_);
    if (states.size() != episodes_.size())
        throw InvalidState(std::to_string(episodes_.size()) + " environments need as many states; received " +
                           std::to_string(states.size()) + ".");
    std::vector<Bytes> before;
    try {
        for (const std::string_view state : states) {
            Episode& one = episodes_[before.size()];
            Bytes moment = one.save();
            one.load(reinterpret_cast<const std::uint8_t*>(state.data()), state.size());
            before.push_back(std::move(moment));
        }
    } catch (const InvalidState& error) {
        for (std::size_t i = 0; i < before.size(); ++i) episodes_[i].restore(before[i]);
        if (size() == 1) throw;
        throw InvalidState("Environment " + std::to_string(before.size()) + ": " + error.what());
    }
}

std::vector<std::uint64_t> BatchEnv::hashes() {
    const Call call(in_use_);
    std::vector<std::uint64_t> found;
    found.reserve(episodes_.size());
    for (Episode& one : episodes_) found.push_back(one.hash());
    return found;
}

void BatchEnv::step_one(int index, int action, const BatchArrays& arrays) {
    Episode& one = episode(index);
    if (autoreset_ == Autoreset::NextStep && one.over()) {
        one.reset();
        return;
    }
    one.step(action);
    if (autoreset_ == Autoreset::SameStep && one.over()) {
        one.draw(arrays.final_observations + static_cast<std::size_t>(index) * kObservationBytes, kObservationSize);
        one.begin_next();
    }
}

// Paints the moment of one environment, and notes the rest of its row.
void BatchEnv::report(int index, const BatchArrays& arrays) {
    const Episode& one = episode(index);
    const auto row = static_cast<std::size_t>(index);
    one.draw(arrays.observations + row * kObservationBytes, kObservationSize);
    Report& report = reports_[row];
    report.reward = one.reward();
    report.terminated = one.terminated();
    report.truncated = one.truncated();
    report.previous_level_complete = one.previous_level_complete();
    report.level_seed = one.level_seed();
    report.solution = one.solution_length();
    report.previous_level_seed = one.previous_level_seed();
}

void BatchEnv::write(const BatchArrays& arrays) const {
    for (std::size_t row = 0; row < reports_.size(); ++row) {
        const Report& report = reports_[row];
        arrays.rewards[row] = report.reward;
        arrays.terminated[row] = report.terminated;
        arrays.truncated[row] = report.truncated;
        arrays.level_seeds[row] = report.level_seed;
        arrays.solutions[row] = report.solution;
        arrays.previous_level_seeds[row] = report.previous_level_seed;
        arrays.previous_level_complete[row] = report.previous_level_complete;
    }
}

}  // namespace wm
