"""The native vector environment: when episodes begin and end, what it returns, and how it fails."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import DictInfoToList

from worldmodels.core.errors import UserError
from worldmodels.envs import make, make_vec
from worldmodels.envs.games.vector_env import GameVectorEnv
from worldmodels.envs.native import _native

WAIT = 4
# Three cells and one of two orders: a level of which the shortest solution is four steps long.
PATHS = {"up, right": [5, 5, 7, 7], "right, up": [7, 7, 5, 5]}


def tiny_maze():
    """A level seed of easy maze, and actions that solve it."""
    for seed in range(400):
        for actions in PATHS.values():
            env = make("maze", start_level=seed, num_levels=1)
            env.reset(seed=0)
            for count, action in enumerate(actions, start=1):
                _, reward, *_ = env.step(action)
                if reward:
                    return seed, actions[:count]
    raise AssertionError("no such level among the first 400")


LEVEL, SOLUTION = tiny_maze()


def solved(mode):
    env = GameVectorEnv("maze", 2, start_level=LEVEL, num_levels=1, autoreset_mode=mode)
    env.reset(seed=0)
    return env


def test_next_step_sequence():
    """The first environment solves its level again and again, the second one waits."""
    env = solved(AutoresetMode.NEXT_STEP)
    ones = [*SOLUTION, WAIT]
    rewards, ends, completes = [], [], []
    for action in ones * 2:
        _, reward, terminated, truncated, info = env.step([action, WAIT])
        rewards.append(reward.tolist())
        ends.append((terminated | truncated).tolist())
        completes.append(info["prev_level_complete"].tolist())
    before = len(SOLUTION) - 1
    cycle = [[False, False]] * before + [[True, False], [False, False]]
    assert ends == completes == cycle * 2
    assert rewards == [[10.0 if end[0] else 0.0, 0.0] for end in ends]


def test_next_step_delivers_the_terminal_frame_and_ignores_the_action_after():
    env = solved(AutoresetMode.NEXT_STEP)
    first = env.observe()[0]
    for action in SOLUTION:
        last, *_ = env.step([action, WAIT])
    assert not np.array_equal(last[0], first)
    begun, *_ = env.step([SOLUTION[0], WAIT])
    assert np.array_equal(begun[0], first), "the action of the reset step moved the mouse"


def test_same_step_sequence():
    env = solved(AutoresetMode.SAME_STEP)
    first = env.observe()[0]
    for count in range(1, 2 * len(SOLUTION) + 1):
        observation, reward, terminated, _, info = env.step([SOLUTION[(count - 1) % len(SOLUTION)], WAIT])
        over = count % len(SOLUTION) == 0
        assert terminated.tolist() == [over, False] and reward.tolist() == [10.0 * over, 0.0]
        assert ("final_obs" in info) == over
        if over:
            assert np.array_equal(observation[0], first)
            assert info["_final_obs"].tolist() == [True, False]
            assert not np.array_equal(info["final_obs"][0], first)


def test_disabled_waits_for_the_mask():
    env = solved(AutoresetMode.DISABLED)
    first = env.observe()[0]
    for action in SOLUTION:
        env.step([action, WAIT])
    with pytest.raises(_native.GameError, match=r"Environment 0 \(maze\): the episode is over"):
        env.step([WAIT, WAIT])
    states = env.get_state()
    observation, _ = env.reset(options={"reset_mask": np.array([True, False])})
    assert np.array_equal(observation[0], first)
    assert env.get_state()[1] == states[1], "the other environment went on as it was"
    env.step([WAIT, WAIT])
    with pytest.raises(UserError, match="reset mask is bool"):
        env.reset(options={"reset_mask": np.array([1, 0])})


@pytest.mark.parametrize("seed", [9, [9, 10, 11]])
@pytest.mark.parametrize("threads", [1, 3])
def test_a_seed_is_for_the_masked_environments_alone(threads, seed):
    env, other = (GameVectorEnv("coinrun", 3, threads, autoreset_mode=AutoresetMode.DISABLED) for _ in range(2))
    env.reset(seed=1)
    for _ in range(5):
        env.step([7] * 3)
    states, shown = env.get_state(), env.observe()
    observation, info = env.reset(seed=seed, options={"reset_mask": np.array([False, True, False])})
    wanted, whole = other.reset(seed=seed)
    assert [a == b for a, b in zip(states, env.get_state(), strict=True)] == [True, False, True]
    np.testing.assert_array_equal(observation, [shown[0], wanted[1], shown[2]])
    assert info["level_seed"][1] == whole["level_seed"][1]
    assert env.get_state()[1] == other.get_state()[1]


@pytest.mark.parametrize("game", ["coinrun", "CartPole-v1"])
@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ({"num_envs": 2.5}, "num_envs is an integer from 1 to 2147483647; received 2.5"),
        ({"num_envs": True}, "received True"),
        ({"num_envs": "3"}, "received '3'"),
        ({"render_mode": 5}, "Unknown render mode '5'"),
    ],
)
def test_counts_and_render_modes_of_other_types_are_refused(game, wrong, text):
    with pytest.raises(UserError, match=text):
        make_vec(game, **wrong)


def test_more_environments_than_the_memory_holds_are_refused_before_they_are_made(monkeypatch):
    with pytest.raises(
        UserError, match=r"2,000,000,000 environments of 'coinrun' \(num_envs\) need about 180,000.0 GB"
    ):
        GameVectorEnv("coinrun", 2_000_000_000)
    monkeypatch.setattr("worldmodels.core.processor.free_memory", lambda: 10**9)
    with pytest.raises(
        UserError, match=r"11,112 environments of 'coinrun' \(num_envs\) need about 1.0 GB of memory, and"
    ):
        GameVectorEnv("coinrun", 11_112)
    make_vec("CartPole-v1", num_envs=2).close()
    monkeypatch.setattr("worldmodels.core.processor.free_memory", lambda: 10**5)
    with pytest.raises(UserError, match="11 copies of 'CartPole-v1'"):
        make_vec("CartPole-v1", num_envs=11)


@pytest.mark.parametrize("threads", [1, 3])
def test_a_failing_game_is_named_and_the_pool_goes_on(threads):
    env = GameVectorEnv("maze", 8, threads, start_level=LEVEL, num_levels=1, autoreset_mode=AutoresetMode.DISABLED)
    env.reset(seed=0)
    for action in SOLUTION:
        env.step([WAIT] * 5 + [action] + [WAIT] * 2)
    for _ in range(3):
        with pytest.raises(_native.GameError, match=r"Environment 5 \(maze\)"):
            env.step([WAIT] * 8)
    env.reset()
    assert env.step([WAIT] * 8)[0].shape == (8, 64, 64, 3)


def test_time_limit_truncates():
    env = make("maze", start_level=LEVEL, num_levels=1)
    env.reset(seed=0)
    flags = [env.step(WAIT)[2:4] for _ in range(500)]
    assert flags == [(False, False)] * 499 + [(False, True)]


def test_pending_autoresets_survive_a_save():
    env = solved(AutoresetMode.NEXT_STEP)
    for action in SOLUTION:
        env.step([action, WAIT])
    other = solved(AutoresetMode.NEXT_STEP)
    other.set_state(env.get_state())
    for one, two in zip(env.step([WAIT, WAIT])[:4], other.step([WAIT, WAIT])[:4], strict=True):
        assert np.array_equal(one, two)


def test_fresh_arrays_by_default_and_the_same_ones_on_request():
    for reuse in (False, True):
        env = GameVectorEnv("coinrun", 2, reuse_buffers=reuse)
        env.reset(seed=0)
        first, second = env.step([7, 7])[0], env.step([7, 7])[0]
        assert (first is second) == reuse


def test_copies_and_pickles_keep_the_live_state():
    env = make_vec("starpilot", seed=1, num_envs=3, distribution_mode="hard")
    env.reset()
    for _ in range(30):
        env.step([7, 5, 9])
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert twin.get_state() == env.get_state()
        assert np.array_equal(twin.step([1, 2, 3])[0], copy.deepcopy(env).step([1, 2, 3])[0])


def test_render_gives_one_large_frame_each():
    env = GameVectorEnv("maze", 2, render_mode="rgb_array")
    env.reset(seed=0)
    large = env.render()
    assert [frame.shape for frame in large] == [(512, 512, 3)] * 2
    # Each shows its own level: painted as large from the same state alone, it is the same picture.
    single = make("maze", "rgb_array")
    single.reset(seed=0)
    for state, frame in zip(env.get_state(), large, strict=True):
        single.set_state(state)
        np.testing.assert_array_equal(single.render(), frame)
    assert not np.array_equal(*large)


@pytest.mark.parametrize("actions", [[15, 0], [0, -1], [0], [0, 0, 0]])
def test_bad_actions_are_refused_and_change_nothing(actions):
    env = GameVectorEnv("maze", 2)
    env.reset(seed=0)
    states = env.get_state()
    with pytest.raises(UserError, match=r"[Aa]ction"):
        env.step(actions)
    assert env.get_state() == states


def test_step_before_reset_says_so():
    with pytest.raises(_native.GameError, match="call reset first"):
        GameVectorEnv("maze", 2).step([0, 0])


def test_states_need_the_right_number_and_type():
    env = GameVectorEnv("maze", 2)
    env.reset(seed=0)
    states = env.get_state()
    for bad in (states[:1], states[0], [states[0], "text"]):
        with pytest.raises(UserError):
            env.set_state(bad)
    assert all(len(state) < 4096 for state in states)


@pytest.mark.parametrize("mode", AutoresetMode)
def test_info_tells_the_level_that_is_shown(mode):
    """Also on the step that begins a new one, and once more after a state is restored."""
    env = GameVectorEnv("maze", 2, start_level=LEVEL, num_levels=1, use_sequential_levels=True, autoreset_mode=mode)
    _, info = env.reset(seed=0)
    assert info["level"]["seed"].tolist() == [LEVEL, LEVEL]
    for action in SOLUTION:
        *_, info = env.step([action, WAIT])
    assert info["level"]["seed"].tolist() == info["level_seed"].tolist() == [LEVEL + 997, LEVEL]
    solution = info["level"]["solution"]
    assert solution.dtype == np.int32 and solution.shape == (2,) and (solution >= -1).all()
    twin = GameVectorEnv("maze", 2, start_level=LEVEL, num_levels=1, use_sequential_levels=True, autoreset_mode=mode)
    twin.set_state(env.get_state())
    assert np.array_equal(twin.step([WAIT, WAIT])[4]["level"]["solution"], solution)


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_infos_are_those_of_gymnasium_masks_included(mode):
    """Beside Gymnasium's own vector environment of single games, to the end of an episode and one step on."""
    options = {"start_level": LEVEL, "num_levels": 1}
    ours = GameVectorEnv("maze", 2, autoreset_mode=mode, **options)
    theirs = SyncVectorEnv([lambda: make("maze", **options)] * 2, autoreset_mode=mode)
    assert_same_info(ours.reset(seed=0)[1], theirs.reset(seed=0)[1])
    for action in [*SOLUTION, WAIT]:
        info, wanted = ours.step([action, WAIT])[4], theirs.step([action, WAIT])[4]
        wanted.get("final_info", {}).pop("level", None)  # of which ours knows the seed alone
        wanted.get("final_info", {}).pop("_level", None)
        if "final_info" in wanted:  # ours is of the step that was taken, theirs of the reset after it
            assert info["prev_level_complete"].tolist() == [True, False]
            info["prev_level_complete"] = wanted["prev_level_complete"]
        assert_same_info(info, wanted)


def assert_same_info(info, wanted):
    assert info.keys() == wanted.keys()
    for key in [key for key in info if not key.startswith("_")]:
        mask = wanted[f"_{key}"]
        assert info[f"_{key}"].dtype == np.bool_ and info[f"_{key}"].tolist() == mask.tolist()
        if isinstance(info[key], dict):
            assert_same_info(info[key], wanted[key])
        else:
            assert all(np.array_equal(info[key][i], wanted[key][i]) for i in np.flatnonzero(mask)), key


def test_gymnasiums_wrappers_understand_the_infos():
    env = DictInfoToList(GameVectorEnv("maze", 2, start_level=LEVEL, num_levels=1))
    _, infos = env.reset(seed=0)
    assert [info["level_seed"] for info in infos] == [info["level"]["seed"] for info in infos] == [LEVEL, LEVEL]


def test_a_list_of_seeds_gives_the_levels_of_single_environments():
    """Which is what Gymnasium's vector environment makes of one seed; and the next episodes too."""
    ours = GameVectorEnv("maze", 3)
    theirs = SyncVectorEnv([lambda: make("maze")] * 3)
    for seeds, seed in (([7, 8, 9], 7), (None, None)):
        observations, info = ours.reset(seed=seeds)
        others, other_info = theirs.reset(seed=seed)
        assert info["level_seed"].tolist() == other_info["level_seed"].tolist()
        assert np.array_equal(observations, others)


def test_one_seed_gives_the_first_environment_the_levels_of_a_single_one_and_the_others_their_own():
    seen = [GameVectorEnv("maze", 3).reset(seed=seed)[1]["level_seed"].tolist() for seed in (7, 8)]
    assert [levels[0] for levels in seen] == [make("maze").reset(seed=seed)[1]["level_seed"] for seed in (7, 8)]
    assert len({*seen[0], *seen[1]}) == 6, "environment 1 of a seed repeats environment 0 of the next"


@pytest.mark.parametrize("seed", [-1, 1.5, "7", [1, 2], [1, 2, 3, 4], [1, 2, -3], [1, 2, None]])
def test_seeds_that_are_none_are_refused(seed):
    with pytest.raises(UserError, match=r"[Ss]eed"):
        GameVectorEnv("maze", 3).seed(seed)


def test_info_of_the_single_environment_holds_plain_numbers():
    _, info = make("maze", start_level=LEVEL, num_levels=1).reset(seed=0)
    assert info == {
        "level": {"seed": LEVEL, "solution": info["level"]["solution"]},
        "level_seed": LEVEL,
        "prev_level_seed": 0,
        "prev_level_complete": False,
    }
    assert type(info["level"]["solution"]) is int


def test_arrays_are_used_again_only_when_nobody_holds_them():
    """Kept whole, as a view, or changed in place: what a client holds is never written over."""
    env = GameVectorEnv("coinrun", 3)
    env.reset(seed=0)
    kept = [env.step([7, 7, 7])[0] for _ in range(6)]
    views = [env.step([7, 7, 7])[1][1:] for _ in range(6)]
    infos = [env.step([7, 7, 7])[4]["level"]["seed"] for _ in range(6)]
    copies = [array.copy() for array in (*kept, *views, *infos)]
    for _ in range(30):
        env.step([8, 0, 3])
    assert all(np.array_equal(array, copy) for array, copy in zip((*kept, *views, *infos), copies, strict=True))
    assert len({array.ctypes.data for array in kept}) == 6


def test_arrays_that_a_client_changed_are_not_handed_out_again():
    env, plain = GameVectorEnv("coinrun", 2), GameVectorEnv("coinrun", 2)
    env.reset(seed=0)
    plain.reset(seed=0)
    for spoil in (
        lambda a: a.setflags(write=False),
        lambda a: setattr(a, "shape", (2, -1)),
        lambda a: a.resize(0, refcheck=False),
    ):
        observations = env.step([7, 7])[0]
        spoil(observations)
        plain.step([7, 7])
        del observations
        one, other = env.step([7, 7])[0], plain.step([7, 7])[0]
        assert one.shape == (2, 64, 64, 3) and one.flags.writeable and np.array_equal(one, other)


def test_arrays_of_the_wrong_kind_are_refused():
    batch = GameVectorEnv("maze", 2)._batch
    batch.seed(0)
    good = batch.new_outcome()
    batch.reset(good)
    for field, bad in {
        "rewards": np.zeros(2),
        "observations": np.zeros((2, 64, 64, 4), np.uint8),
        "level_seed": np.zeros(3, np.int32),
        "solution": np.zeros(2, np.uint32),
        "prev_level_seed": np.zeros(2, ">i4"),
        "terminated": np.zeros(4, np.bool_)[::2],
    }.items():
        with pytest.raises(ValueError, match="arrays must be those of an Outcome"):
            batch.observe(good._replace(**{field: bad}))
