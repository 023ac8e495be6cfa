// The Python side of the native games. Everything about pybind11 is in this file; nothing else knows about Python.
// pybind11's headers do not follow our warnings.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wconversion"
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#pragma GCC diagnostic pop

#include <unistd.h>

#include <optional>

#include "batch/batch_env.h"
#include "batch/certify.h"
#include "games/registry.h"

namespace py = pybind11;

namespace wm {
namespace {

template <class T>
using Array = py::array_t<T, py::array::c_style>;

// Releases Python's lock for as long as it lives.
class WithoutLock {
public:
    WithoutLock() : state_(PyEval_SaveThread()) {}
    // A thread that wants the lock back while the interpreter ends is itself ended there, by unwinding, which would
    // abort the process in a destructor. It waits instead for the end of the process, as threads do from Python 3.14
    // on.
    ~WithoutLock() {
        try {
            PyEval_RestoreThread(state_);
        } catch (...) {
            for (;;) pause();
        }
    }
    WithoutLock(const WithoutLock&) = delete;
    WithoutLock& operator=(const WithoutLock&) = delete;

private:
    PyThreadState* state_;
};

Mode mode_named(const std::string& name) {
    for (const Mode mode : kAllModes)
        if (name == name_of(mode)) return mode;
    throw InvalidInput("There is no distribution mode '" + printable(name) + "'.");
}

py::dict described(const GameEntry& entry) {
    const GameInfo& info = *entry.info;
    py::dict modes;
    for (const ModeInfo& mode : info.modes) modes[name_of(mode.mode)] = mode.time_limit;
    if (info.exploration_level >= 0) modes["exploration"] = modes["hard"];
    py::dict result;
    result["name"] = info.name;
    result["title"] = info.title;
    result["rules"] = info.rules;
    result["rewards"] = info.rewards;
    result["ending"] = info.ending;
    result["looks"] = info.looks;
    result["action_meanings"] = py::cast(info.action_meanings);
    result["modes"] = modes;
    return result;
}

// Python checks the types of options; that a number fits, or that text is UTF-8, only shows here.
template <class T>
T option(const py::dict& options, const char* name) {
    const py::object value = options[name];
    try {
        return value.cast<T>();
    } catch (const py::cast_error&) {
        throw InvalidInput("The option '" + std::string(name) + "' cannot be " +
                           printable(py::repr(value).cast<std::string>()) + ".");
    }
}

std::vector<EpisodeOptions> wanted_episodes(const std::vector<std::string>& games, const py::dict& options) {
    EpisodeOptions one;
    one.options.mode = mode_named(option<std::string>(options, "distribution_mode"));
    one.options.debug_mode = option<int>(options, "debug_mode");
    one.options.center_agent = option<bool>(options, "center_agent");
    one.options.use_backgrounds = option<bool>(options, "use_backgrounds");
    one.options.use_generated_assets = option<bool>(options, "use_generated_assets");
    one.options.use_monochrome_assets = option<bool>(options, "use_monochrome_assets");
    one.options.restrict_themes = option<bool>(options, "restrict_themes");
    one.options.paint_vel_info = option<bool>(options, "paint_vel_info");
    one.levels.num_levels = option<std::int32_t>(options, "num_levels");
    one.levels.start_level = option<std::int32_t>(options, "start_level");
    one.levels.use_sequential_levels = option<bool>(options, "use_sequential_levels");
    std::vector<EpisodeOptions> wanted(games.size(), one);
    for (std::size_t i = 0; i < games.size(); ++i) wanted[i].game = games[i];
    return wanted;
}

Autoreset autoreset_named(const std::string& name) {
    if (name == "NextStep") return Autoreset::NextStep;
    if (name == "SameStep") return Autoreset::SameStep;
    if (name == "Disabled") return Autoreset::Disabled;
    throw InvalidInput("There is no autoreset mode '" + printable(name) + "'.");
}

// Where the rows of an array begin; nullptr unless it is as it must be: written without bounds checks, it is checked in
// every call, and the client may have changed it since the last one.
template <class T>
T* rows_of(const py::handle& given, py::ssize_t count, bool images) {
    if (!py::isinstance<py::array>(given)) return nullptr;
    const auto array = py::reinterpret_borrow<py::array>(given);
    constexpr py::ssize_t kSide = kObservationSize;
    const py::ssize_t* const shape = array.shape();
    if (array.ndim() != (images ? 4 : 1) || shape[0] != count) return nullptr;
    if (images && (shape[1] != kSide || shape[2] != kSide || shape[3] != 3)) return nullptr;
    if (!array.writeable() || (array.flags() & py::array::c_style) == 0) return nullptr;
    const py::dtype type = array.dtype();
    if (type.num() != py::dtype::num_of<T>() || type.byteorder() == '>') return nullptr;
    return static_cast<T*>(const_cast<void*>(array.data()));
}

// The fields of Outcome, in its order; the last may be None. `usable` becomes false where one is not as it must be.
BatchArrays arrays_of(const BatchEnv& env, const py::tuple& given, bool& usable) {
    const py::ssize_t count = env.size();
    BatchArrays arrays;
    usable = given.size() == 9;
    if (!usable) return arrays;
    const auto find = [&](auto*& rows, std::size_t index, bool images = false) {
        rows = rows_of<std::remove_reference_t<decltype(*rows)>>(PyTuple_GET_ITEM(given.ptr(), index), count, images);
        usable = usable && rows != nullptr;
    };
    find(arrays.observations, 0, true);
    find(arrays.rewards, 1);
    find(arrays.terminated, 2);
    find(arrays.truncated, 3);
    find(arrays.level_seeds, 4);
    find(arrays.solutions, 5);
    find(arrays.previous_level_seeds, 6);
    find(arrays.previous_level_complete, 7);
    if (PyTuple_GET_ITEM(given.ptr(), 8) != Py_None) find(arrays.final_observations, 8, true);
    return arrays;
}

BatchArrays checked_arrays(const BatchEnv& env, const py::tuple& given) {
    bool usable = false;
    const BatchArrays arrays = arrays_of(env, given, usable);
    if (!usable)
        throw py::value_error(
            "The arrays must be those of an Outcome: writeable, contiguous, of its types, with a row per environment.");
    return arrays;
}

// The first Outcome of a list that nobody else holds, and none of whose arrays, so that it can be written over
// unnoticed; None where there is none. A view of an array holds it.
py::object spare(const BatchEnv& env, const py::list& outcomes) {
    for (const py::handle outcome : outcomes) {
        bool free = PyTuple_Check(outcome.ptr()) && Py_REFCNT(outcome.ptr()) == 1;
        for (py::ssize_t i = 0; free && i < PyTuple_GET_SIZE(outcome.ptr()); ++i) {
            PyObject* const item = PyTuple_GET_ITEM(outcome.ptr(), i);
            free = item == Py_None || Py_REFCNT(item) == 1;
        }
        if (free) arrays_of(env, py::reinterpret_borrow<py::tuple>(outcome), free);
        if (free) return py::reinterpret_borrow<py::object>(outcome);
    }
    return py::none();
}

// "float64 (4, 1)"
std::string described(const py::array& array) {
    return py::str(array.dtype()).cast<std::string>() + " " +
           py::str(py::tuple(py::cast(std::vector<py::ssize_t>(array.shape(), array.shape() + array.ndim()))))
               .cast<std::string>();
}

[[noreturn]] void refuse_actions(const BatchEnv& env, const std::string& received) {
    throw InvalidInput("Actions are " + std::to_string(env.size()) + " integers from 0 to " +
                       std::to_string(kNumActions - 1) + ", one per environment, and nothing is converted; received " +
                       received + ".");
}

[[noreturn]] void refuse_action(const BatchEnv& env, std::size_t index, const std::string& value) {
    throw InvalidInput("Actions are integers from 0 to " + std::to_string(kNumActions - 1) + "; received " + value +
                       " for environment " + std::to_string(index) + " (" + env.info(static_cast<int>(index)).name +
                       ").");
}

py::array array_of_actions(const BatchEnv& env, const py::object& given) {
    if (py::isinstance<py::array>(given)) return py::reinterpret_borrow<py::array>(given);
    const py::array array = py::array::ensure(given);
    if (!array) refuse_actions(env, py::repr(given));
    return array;
}

// A copy, so that no other thread changes what was checked.
template <class T>
std::vector<std::int32_t> read_actions(const BatchEnv& env, const py::array& given) {
    const auto values = py::array_t<T, py::array::c_style | py::array::forcecast>(given);
    std::vector<std::int32_t> actions(static_cast<std::size_t>(env.size()));
    for (std::size_t i = 0; i < actions.size(); ++i) {
        const T value = values.data()[i];
        if (static_cast<std::uint64_t>(value) >= kNumActions) refuse_action(env, i, std::to_string(value));
        actions[i] = static_cast<std::int32_t>(value);
    }
    return actions;
}

// Actions of any integer type, in an array or a list.
std::vector<std::int32_t> checked_actions(const BatchEnv& env, const py::object& given) {
    const py::array array = array_of_actions(env, given);
    if (array.ndim() != 1 || array.shape(0) != env.size()) refuse_actions(env, described(array));
    const char kind = array.dtype().kind();
    if (kind == 'i' && array.itemsize() == 4) return read_actions<std::int32_t>(env, array);
    if (kind == 'i') return read_actions<std::int64_t>(env, array);
    if (kind == 'u') return read_actions<std::uint64_t>(env, array);
    refuse_actions(env, described(array));
}

void step(BatchEnv& env, const py::object& actions, const py::tuple& given) {
    const std::vector<std::int32_t> checked = checked_actions(env, actions);
    const BatchArrays arrays = checked_arrays(env, given);
    const WithoutLock unlocked;
    env.step(checked.data(), arrays);
}

void reset(BatchEnv& env, const std::optional<Array<bool>>& mask, const py::tuple& given) {
    if (mask && mask->size() != env.size()) throw InvalidInput("A reset mask has one value per environment.");
    const BatchArrays arrays = checked_arrays(env, given);
    const WithoutLock unlocked;
    env.reset(mask ? mask->data() : nullptr, arrays);
}

void observe(BatchEnv& env, const py::tuple& given) {
    const BatchArrays arrays = checked_arrays(env, given);
    const WithoutLock unlocked;
    env.observe(arrays);
}

Array<std::uint8_t> render(BatchEnv& env, int index, int size) {
    constexpr int kSmallest = 16, kLargest = 8192;
    if (size < kSmallest || size > kLargest)
        throw InvalidInput("A picture is " + std::to_string(kSmallest) + " to " + std::to_string(kLargest) +
                           " pixels wide; received " + std::to_string(size) + ".");
    Array<std::uint8_t> frame({size, size, 3});
    std::uint8_t* pixels = frame.mutable_data();
    const WithoutLock unlocked;
    env.draw(index, pixels, size);
    return frame;
}

py::bytes bytes_of(const Bytes& state) { return {reinterpret_cast<const char*>(state.data()), state.size()}; }

py::list get_states(BatchEnv& env) {
    py::list states;
    for (const Bytes& state : env.save()) states.append(bytes_of(state));
    return states;
}

py::dict fields(BatchEnv& env, int index) {
    py::dict result;
    for (const auto& [name, value] : env.fields(index)) result[name.c_str()] = value;
    return result;
}

// float32 (N, count): `count` is how many variables the game has, which all environments play.
Array<float> describe(BatchEnv& env, int count) {
    Array<float> rows({env.size(), count});
    float* const numbers = rows.mutable_data();
    const WithoutLock unlocked;
    env.describe(numbers, count);
    return rows;
}

// name -> unit, in the order in which they are written.
py::dict variable_units(const std::string& game, const std::string& mode) {
    std::vector<Variables::Info> list;
    {
        const WithoutLock unlocked;
        list = variables_of(game, mode_named(mode));
    }
    py::dict units;
    for (const Variables::Info& one : list) units[one.name.c_str()] = one.unit;
    return units;
}

// Arrays over the levels: steps of the solution int32, solvable bool, whether the first idle step ends it bool.
py::tuple certify(const std::string& game, const std::string& mode, std::int32_t first, int count, int num_threads) {
    if (count < 0) throw InvalidInput("A range has 0 levels or more; received " + std::to_string(count) + ".");
    std::vector<LevelCheck> checks;
    {
        const WithoutLock unlocked;
        checks = certify_levels(game, mode_named(mode), first, count, num_threads);
    }
    Array<std::int32_t> steps(count);
    Array<bool> solvable(count), ends_at_once(count);
    for (int i = 0; i < count; ++i) {
        const LevelCheck& check = checks[static_cast<std::size_t>(i)];
        steps.mutable_at(i) = check.steps;
        solvable.mutable_at(i) = check.solvable;
        ends_at_once.mutable_at(i) = check.ends_at_once;
    }
    return py::make_tuple(steps, solvable, ends_at_once);
}

void define_errors(py::module_& module) {
    // What a person can put right is one family of errors throughout the package.
    const py::object user_error = py::module_::import("worldmodels.core.errors").attr("UserError");
    py::register_exception<InvalidInput>(module, "InvalidInput", user_error);
    py::register_exception<InvalidState>(module, "InvalidState", user_error);
    py::register_exception<ConcurrentUse>(module, "ConcurrentUse", user_error);
    py::register_exception<GameError>(module, "GameError", PyExc_RuntimeError);
}

}  // namespace
}  // namespace wm

PYBIND11_MODULE(_native, module) {
    using namespace wm;
    module.doc() = "Native games, stepped in batches.";
    define_errors(module);
    Py_AtExit(end_calls);

    py::list games;
    for (const GameEntry& entry : all_games()) games.append(described(entry));
    module.attr("GAMES") = games;
    module.def("certify", &certify, py::arg("game"), py::arg("mode"), py::arg("first"), py::arg("count"),
               py::arg("num_threads") = 1);
    module.def("variable_units", &variable_units, py::arg("game"), py::arg("mode"));
    module.attr("ACTION_KEYS") = py::cast(kActionKeys);
    module.attr("OBSERVATION_SIZE") = kObservationSize;

    py::class_<BatchEnv>(module, "BatchEnv")
        .def(py::init([](const std::vector<std::string>& names, const py::dict& options, const std::string& autoreset,
                         int num_threads) {
                 return std::make_unique<BatchEnv>(wanted_episodes(names, options), autoreset_named(autoreset),
                                                   num_threads);
             }),
             py::arg("games"), py::arg("options"), py::arg("autoreset"), py::arg("num_threads"))
        .def("seed", &BatchEnv::seed, py::arg("seed"))
        .def("seed_each", &BatchEnv::seed_each, py::arg("seeds"))
        .def("step", &step, py::arg("actions"), py::arg("outcome"))
        .def("reset", &reset, py::arg("mask").none(true), py::arg("outcome"))
        .def("observe", &observe, py::arg("outcome"))
        .def("describe", &describe, py::arg("count"))
        .def("spare", &spare, py::arg("outcomes"))
        .def("render", &render, py::arg("index"), py::arg("size"))
        .def("fields", &fields, py::arg("index"))
        .def(
            "get_state", [](BatchEnv& env, int index) { return bytes_of(env.save(index)); }, py::arg("index"))
        .def("get_states", &get_states)
        .def("set_states", &BatchEnv::load, py::arg("states"))
        .def("hashes", &BatchEnv::hashes);
}
