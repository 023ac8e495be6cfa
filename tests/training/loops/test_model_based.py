"""The loop's order of things, and that it can be stopped in the middle of each."""

from functools import partial
from itertools import groupby

import numpy as np
import pytest
import tensorflow as tf

from worldmodels.agents.api import Replayed
from worldmodels.core.errors import NonFiniteError
from worldmodels.core.files.checkpoint import Checkpoints
from worldmodels.core.types import Batch, Step
from worldmodels.training.loops import imagination_weight
from worldmodels.training.loops.imagination_weight import ImaginationWeight, newest_windows

# Two environments; each turn collects 20 steps of each, in rollouts of 10 that the agent learns from.
PHASED = {
    "steps": 80,
    "prefill": 40,
    "prefill_policy": "agent",
    "collect": 40,
    "fit": 3,
    "fit_factors": [2],
    "improve": 4,
    "real_rollout": 10,
    "starts": {"context": 3, "rollouts": 5, "newest": 40, "beginnings": 2},
}


def run(loop):
    ticks = []
    while not loop.finished:
        ticks.append(loop.iterate())
    return ticks


def summed(ticks):
    return [(phase, sum(tick.amount for tick in group)) for phase, group in groupby(ticks, lambda tick: tick.phase)]


def test_a_turn_collects_fits_and_improves(model_based):
    loop = model_based(PHASED)
    loop.begin()
    ticks = run(loop)
    turns = [("collect", 20), ("fit", 6), ("improve", 4), ("collect", 20), ("fit", 3), ("improve", 4)]
    assert summed(ticks) == turns
    assert (loop.step, loop.updates, loop.policy_updates, loop.real_updates) == (80, 9, 8, 4)
    assert loop.counters() == {"model/updates": 9, "policy/updates": 12}
    assert {"model/loss", "policy/loss", "policy/real_loss"} <= loop.metrics.take().keys()
    assert loop.remaining() == {"collect": 0, "fit": 0, "improve": 0}


def eventful():
    """Return 40 steps of two environments, every eighth of which is an event."""
    frames, flags = np.zeros((2, 64, 64, 3), np.uint8), np.zeros((3, 2), bool)
    return [Step(frames, np.full(2, t % 8 == 0, np.float32), *flags, np.zeros(2, np.int32)) for t in range(40)]


SEARCH = {**PHASED, "prefill_policy": "held", "prefill": 30, "prefill_events": 10**6, "steps": 160}
"""A prefill of 20 steps of each environment that never finds its events, and goes on to 60."""


def test_a_prefill_goes_on_until_it_has_its_events(model_based):
    loop = model_based(SEARCH)
    loop.begin()
    turn = [("collect", 20), ("fit", 3), ("improve", 4)]
    assert summed(run(loop)) == [("collect", 60), ("fit", 6), ("improve", 4), *turn]
    assert (loop.step, loop.real_updates) == (160, 2)
    content = model_based({**SEARCH, "prefill_events": 0}, folder="content")
    content.begin()
    assert summed(run(content))[:4] == [("collect", 20), ("fit", 6), ("improve", 4), ("collect", 20)]


def test_a_prefill_ends_with_the_piece_in_which_it_found_its_events(model_based, monkeypatch):
    loop = model_based({**SEARCH, "prefill_events": 3})
    monkeypatch.setattr(type(loop._replay), "num_events", property(lambda store: len(store.span) // 10))
    loop.begin()
    # Two events in 20 steps of each environment, four in 40.
    assert summed(run(loop))[:2] == [("collect", 40), ("fit", 6)]
    assert loop.step == 160


def test_the_model_is_given_the_weights_of_windows_around_events(model_based):
    loop = model_based({**PHASED, "event_share": 0.5}, demonstrations=eventful())
    given, fit = [], loop.parts.model.fit
    loop.parts.model.fit = lambda batch, seed, weights: given.append(weights) or fit(batch, seed, weights)
    loop.begin()
    run(loop)
    assert len(given) == loop.updates and {weights.shape.as_list()[0] for weights in given} == {2}
    weights = np.concatenate(given)
    assert weights.max() <= 2 and weights.min() < 1 < weights.max()


def test_when_nothing_is_owed_and_when_turns_end(model_based):
    loop = model_based({**PHASED, "real_rollout": 0, "steps": 40})
    loop.begin()
    seen = []
    while not loop.finished:
        phase = loop.iterate().phase
        seen.append((phase, loop.at_rest, loop.at_turn_start))
    # 20 steps of each environment are a piece of 16 and one of 4, after which updates are owed.
    assert seen[:3] == [("collect", True, False), ("collect", False, False), ("fit", False, False)]
    assert seen[-2:] == [("improve", False, False), ("improve", True, True)]
    assert not any(rest for phase, rest, _ in seen[1:-1])


WEIGHED = {**PHASED, "steps": 120, "improve": 5, "imagination_weight": "rewards_and_ends"}


def test_imagination_is_worth_what_was_foreseen(model_based, monkeypatch):
    def measure(weight, steps, counter):
        weight._rewards.value = {80: 0.4, 120: 0.6}[counter]
        assert steps == 20
        return {"training/imagination_weight": weight.value}

    monkeypatch.setattr(ImaginationWeight, "measure", measure)
    loop = model_based(WEIGHED)
    loop.begin()
    ticks = run(loop)
    # Nothing is known of a model that has not learned yet.
    assert (loop.updates, loop.policy_updates) == (6 + 3 + 3, 0 + 2 + 3)
    assert [amount for phase, amount in summed(ticks) if phase == "improve"] == [5] * 3
    assert loop.metrics.take()["training/imagination_weight"] == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("context", "changes"),
    [(0, {}), (3, {}), (3, {**SEARCH, "event_share": 0.5}), (3, WEIGHED)],
    ids=["batches", "contexts", "events", "weighed"],
)
def test_a_run_stopped_after_any_tick_goes_on_to_the_same_numbers(
    model_based, same_tree, tmp_path, context, changes, monkeypatch
):
    def paid(*arguments):
        windows = newest_windows(*arguments)
        return windows._replace(reward=np.float32(windows.observation.mean((2, 3, 4)) > 110))

    monkeypatch.setattr(
        imagination_weight, "newest_windows", paid
    )  # the darker maze pays nothing, and the other one always
    training = {**PHASED, "starts": {**PHASED["starts"], "context": context}} | changes
    make, demonstrations = partial(model_based, every=4), eventful() if changes else ()
    whole = make(training, demonstrations=demonstrations)
    whole.begin()
    checkpoints = Checkpoints(tmp_path / "checkpoints", keep=1000)
    stops = []
    while not whole.finished:
        tick = whole.iterate()
        # Through a file, so that nothing is shared; each stop as a step of its own.
        checkpoints.write(len(stops), whole.save())
        stops.append(tick.phase)
    expected = whole.save()
    if changes is WEIGHED:
        assert expected["imagination_weight"]["rewarded"] > 0
    resumed = make(training)
    # The last ones first: the store can be taken back, not forward.
    for stop in reversed(range(len(stops))):
        resumed.load(checkpoints.read(stop)[1])
        run(resumed)
        same_tree(expected, resumed.save(), f"stopped after tick {stop} ({stops[stop]})")
        resumed = make(training) if stop % 7 == 0 else resumed


def test_experience_is_what_was_collected_and_the_next_begins_where_it_ends(model_based):
    loop = model_based(PHASED)
    loop.begin()
    run(loop)
    one, two = loop.parts.agent.experiences[:2]
    assert one.features.shape == (11, 2, 1) and one.actions.shape == one.rewards.shape == (11, 2)
    assert one.extras["logits"].shape == (11, 2, 5) and one.extras["value"].shape == (11, 2)
    assert one.is_first.numpy()[0].all() and one.memory.shape == (2, 1)
    stored = loop._replay.window(0, 0, 21)
    for name in ("actions", "rewards", "is_first", "is_last"):
        recorded = getattr(stored, name.rstrip("s") if name in ("actions", "rewards") else name)[0]
        np.testing.assert_array_equal(getattr(one, name)[:10, 0], recorded[:10], err_msg=name)
        np.testing.assert_array_equal(getattr(two, name)[:10, 0], recorded[10:20], err_msg=name)
    np.testing.assert_array_equal(one.continuations[:, 0], 1.0 - stored.is_terminal[0, :11])
    # The observation between them is seen twice: before the update for its value, after it to act.
    np.testing.assert_array_equal(one.features[10], two.features[0])
    np.testing.assert_array_equal(one.rewards[10], two.rewards[0])
    assert (one.extras["value"][10] != two.extras["value"][0]).numpy().all()
    np.testing.assert_array_equal(two.memory[:, 0] + 1.0, _steps_in_episode(one, two))


def _steps_in_episode(one, two):
    """Of each environment at the first moment of the second experience, that moment counted, by the flags alone; the
    agent's memory from before the moment is one less."""
    count = np.zeros(2)
    for is_first in [*one.is_first.numpy()[:10], two.is_first.numpy()[0] & False]:
        count = np.where(is_first, 1, count + 1)
    return count


def test_without_context_rollouts_start_at_states_of_the_last_batch(model_based):
    loop = model_based({**PHASED, "starts": {"rollouts": 3}})
    loop.begin()
    while loop.iterate().phase != "improve":
        pass
    states, continuations = loop._starts.draw(1)
    assert states.shape == (3, 1) and continuations.shape == (3,)
    again, _ = loop._starts.draw(1)
    np.testing.assert_array_equal(states, again)
    assert (loop._starts.draw(2)[0] != states).numpy().any()


def test_rollouts_start_along_the_last_batch_of_a_turn(model_based):
    """The first turn of PHASED fits six times: all batches but one are too old."""
    loop = model_based({**PHASED, "starts": {}})
    loop.begin()
    fitted = []
    keep = loop._starts.after_fit
    loop._starts.after_fit = lambda states, *rest: (fitted.append(states), keep(states, *rest))
    while loop.iterate().phase != "improve":
        pass
    assert len(fitted) == 6
    np.testing.assert_array_equal(loop._starts.draw(1).states, tf.reshape(fitted[-1], (-1, 1)))
    np.testing.assert_array_equal(loop._starts.replayed.states, fitted[-1])


def test_the_last_batch_is_saved_while_the_policy_learns(model_based):
    loop, other = model_based({**PHASED, "starts": {}}), model_based({**PHASED, "starts": {}})
    loop.begin()
    while loop.iterate().phase != "improve":
        pass
    other._starts.load(loop._starts.save(improving=True))
    for one, two in zip(loop._starts.draw(1), other._starts.draw(1), strict=True):
        np.testing.assert_array_equal(one, two)
    other._starts.load(loop._starts.save(improving=False))
    assert other._starts.replayed is None


def test_agents_are_given_the_last_batch_with_its_weights_and_borders(model_based):
    loop = model_based({**PHASED, "event_share": 0.5, "starts": {}}, demonstrations=eventful())
    loop.begin()
    while loop.iterate().phase != "improve":
        pass
    replayed = loop._starts.replayed
    assert replayed.states.shape == (2, 4, 1) and replayed.rewards.shape == (2, 4)
    assert replayed.weights.shape == (2,) and not np.all(replayed.weights == 1)
    while loop.iterate().phase == "improve":
        pass
    assert loop._starts.replayed is None


def test_where_another_recording_begins_an_episode_is_cut_off():
    flags = np.array([[False, False, False, True]])
    is_first = np.array([[True, False, True, False]])
    batch = Batch(np.zeros((1, 4, 8, 8, 3), np.uint8), np.zeros((1, 4), np.float32), is_first, flags, flags, flags)
    replayed = Replayed.of((), batch)
    assert replayed.is_last.tolist() == [[False, True, False, True]]
    assert replayed.weights.tolist() == [1]


def test_random_steps_are_no_experience(model_based):
    loop = model_based({**PHASED, "prefill_policy": "random"})
    loop.begin()
    run(loop)
    assert loop.real_updates == 2


def test_starts_are_the_states_after_recorded_windows(model_based):
    loop = model_based(PHASED)
    loop.begin()
    while loop.iterate().phase != "improve":
        pass
    states, continuations = loop._starts.draw(1)
    assert states.shape == (5, 1) and continuations.numpy().tolist() == [1] * 5


def test_an_update_that_is_not_finite_stops_the_run(model_based):
    loop = model_based(PHASED)
    loop.begin()
    bad = {"model/loss": tf.constant(np.nan), "model/finite": tf.constant(0.0)}
    loop.parts.model.fit = lambda batch, seed: (bad, tf.zeros((2, 4, 1)))
    with pytest.raises(NonFiniteError, match=r"model update 1 \(40 environment steps\).*loss nan"):
        run(loop)


def test_a_model_can_learn_from_what_was_recorded_alone(model_based):
    loop = model_based({"collect": 0, "prefill": 20, "turns": 3, "fit": 2, "improve": 0})
    loop.begin()
    assert summed(run(loop)) == [("collect", 10), ("fit", 6)]
    assert (loop.step, loop.finished) == (20, True)
