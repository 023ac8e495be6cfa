"""Inside real networks, untrained and tiny: a recurrent model and one of stochastic bits, from a run's folder alone."""

from __future__ import annotations

import numpy as np
import pytest
from keys import tap
from untrained import write_untrained_run

from worldmodels.core.files.run_dir import RunDir
from worldmodels.envs.games.table import variable_units
from worldmodels.evaluation.probes import Probes, write_probes
from worldmodels.player.app import play_runs
from worldmodels.player.session.game_setup import set_up_run
from worldmodels.player.session.latents.latents_snapshot import NONE_SAVED, NOT_TOLD, UNREADABLE
from worldmodels.player.session.loading import Loader
from worldmodels.player.session.options import PlayOptions
from worldmodels.player.session.runs import Run
from worldmodels.recordings.action_recording import read_recording
from worldmodels.recordings.action_replay import verify_recording

STOCHASTIC = (
    "model={kind: stochastic_discrete, network: {kind: patch, patch: 16, depth: 8, bottleneck: 16, blocks: 1}, "
    "output: {kind: motion, motions: 1, depth: 8}, frames: 2, network_frames: 2, memory: 4, sampling: {final: 0}, "
    "latent: {bits: 4, group: 2, units: 4}, head_units: 8}"
)
RUNS = {
    "rssm": ["dreamer_small", "model.recurrent=8", "model.hidden=8", "model.latents=3", "model.classes=4"],
    "stochastic": ["debug_simple", STOCHASTIC],
}
CHANGES = {
    **{3: ["g", "f", "down", "z"], 5: ["n"], 6: ["f3"], 8: ["n"], 9: ["f4"], 10: ["x"], 12: ["f"]},
    **{13: ["backspace"], 14: ["backspace"], 16: ["n"], 17: ["r"], 18: ["f", "n"]},
}
"""Keys at some ticks, while the clock is paused and the pane is open."""


def write_run(kind, folder, *more):
    preset, *changes = RUNS[kind]
    return write_untrained_run(folder, [preset], ["env.game=maze", *changes, *more])


def open_session(run):
    """Return a session as the player would play it."""
    opened = Run.open(run)
    setup = set_up_run(opened.config.env, PlayOptions())
    return Loader([opened], setup, setup.controls()).whole(lambda status: None)


@pytest.fixture(scope="module", params=RUNS)
def run(request, tmp_path_factory):
    return write_run(request.param, tmp_path_factory.mktemp("inside") / "run")


def play(session, keys, steps=20):
    """Return what is seen of the model over some ticks."""
    seen = []
    for tick in range(steps):
        session.tick(tap(*keys.get(tick, ())))
        model = session.snapshot().models[0]
        seen.append((model.frame.tobytes(), model.reward, model.continuation))
    return seen


def test_the_same_keys_give_the_same_video_and_a_recording_that_replays(run, tmp_path):
    lines = [f"{tick} tap {' '.join(names)}" for tick, names in ({2: ["c", "m"]} | CHANGES).items()]
    (tmp_path / "keys.txt").write_text("\n".join(lines))
    for name in ("a", "b"):
        files = {"video": tmp_path / f"{name}.mp4", "record": tmp_path / f"{name}.jsonl"}
        play_runs([run], PlayOptions(headless=True, key_script=tmp_path / "keys.txt", zoom=1, **files))
    assert (tmp_path / "a.mp4").read_bytes() == (tmp_path / "b.mp4").read_bytes()
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()
    verify_recording(read_recording(tmp_path / "a.jsonl"))


def test_looking_changes_nothing(run):
    free = {4: ["x"], 8: ["p"], 12: ["r"]}
    looked = play(open_session(run), {2: ["m"], 6: ["down"], 7: ["f3"]} | free)
    assert looked == play(open_session(run), free)


def test_what_was_changed_is_taken_back_exactly(run):
    session = open_session(run)
    play(session, {1: ["c"], 3: ["n"], 4: ["n"], 6: ["m"]}, steps=7)
    before = session.snapshot()
    session.tick(tap("f"))
    changed = session.snapshot()
    assert changed.latents.classes != before.latents.classes
    assert changed.latents.classes[1:] == before.latents.classes[1:]
    session.tick(tap("backspace"))
    again = session.snapshot()
    assert again.latents.classes == before.latents.classes
    assert again.history == before.history
    np.testing.assert_array_equal(again.models[0].frame, before.models[0].frame)
    assert play(session, {0: ["n"]}, steps=2) == play(open_again(run), {0: ["n"]}, steps=2)


def open_again(run):
    session = open_session(run)
    play(session, {1: ["c"], 3: ["n"], 4: ["n"]}, steps=7)
    return session


def test_a_state_that_was_put_back_can_be_changed(run):
    session = open_session(run)
    play(session, {1: ["c"], 3: ["n"], 4: ["x", "m"]}, steps=5)
    seen = session.snapshot().latents
    assert (seen.origin, min(seen.classes) >= 0) == ("read from the real frame", True)
    session.tick(tap("f"))
    changed = session.snapshot()
    assert changed.latents.origin == "changed by hand"
    assert changed.latents.classes == (changed.latents.classes[0], *seen.classes[1:])
    assert changed.since_put_back == 0


def test_the_first_frame_has_latents_where_the_model_makes_any(run):
    session = open_session(run)
    session.tick(tap("c", "m", "f"))
    seen = session.snapshot()
    if session._play.models[0].model.spec.reconstructs:  # the recurrent one reads the first frame, too
        assert len(seen.latents.classes) == 3 and seen.latents.origin == "changed by hand"
    else:
        assert seen.latents.why_no_latents == seen.notice == "no step led to this frame, so there are no latents"


def test_saved_probes_read_both_states_beside_the_truth(tmp_path):
    run = write_run("rssm", tmp_path / "run")
    session = open_session(run)
    session.tick(tap("c", "m"))
    assert session.snapshot().latents.why_no_readings == NONE_SAVED
    units = dict(variable_units("maze"))
    count, features = len(units), session._play.models[0].model.spec.feature_shape[0]
    nothing = np.zeros((count, 1))
    weights = np.zeros((count, features))
    probes = Probes(units, weights, np.arange(count) + 0.5, np.ones(count), nothing, np.array([1]))
    write_probes(RunDir(run), 0, probes)
    session = open_session(run)
    session.tick(tap("n", "m"))
    readings = session.snapshot().latents.readings
    assert [reading.name for reading in readings] == list(units)
    assert [reading.imagined for reading in readings] == [reading.seen for reading in readings]
    assert [reading.imagined for reading in readings] == (np.arange(count) + 0.5).tolist()
    truth = session._play.real._env.variables()
    np.testing.assert_array_equal([reading.truth for reading in readings], list(truth.values()))
    write_probes(RunDir(run), 0, probes._replace(weights=weights[:, 1:]))
    assert open_session(run)._play.models[0].probes == UNREADABLE


def test_a_foreign_environment_tells_no_variables(tmp_path):
    run = write_run("rssm", tmp_path / "run", "model.picture_every=0", "env.game=Pendulum-v1")
    assert open_session(run)._play.models[0].probes == NOT_TOLD
