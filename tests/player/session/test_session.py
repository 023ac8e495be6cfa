"""The session's clock and commands."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
from keys import down, run, tap
from tiny_worlds import SampledModel

from worldmodels.player.session.events import AbsenceEvent, KeyEvent, SettingEvent


def test_paused_each_press_is_one_step_and_holding_repeats(make_session):
    session = make_session()
    session.tick(tap("c"))
    steps = []
    for events in ([], down("right"), [], [], [], [], [], [], [KeyEvent("right", False)], [], tap("n"), []):
        session.tick(events)
        steps.append(session.snapshot().step)
    assert steps == [0, 1, 1, 1, 1, 1, 2, 3, 3, 3, 4, 4]
    assert session.snapshot().clock == "paused"
    session.tick(tap("c"))
    assert session.snapshot().step == 5


def test_n_pauses_a_running_clock_after_one_step(make_session):
    session = make_session()
    session.tick(tap("n"))
    session.tick()
    assert (session.snapshot().step, session.snapshot().clock) == (1, "paused")


def test_pausing_stops_a_key_that_is_held(make_session):
    session = make_session()
    run(session, 8, *down("right"))
    session.tick(tap("c"))
    run(session, 10)
    assert session.snapshot().step == 8
    session.tick(tap("n"))  # but a single step still means what is held
    assert (session.snapshot().step, session.snapshot().action) == (9, "right")


def test_what_is_missing_is_said(make_session):
    session = make_session(models=0, with_policy=False)
    assert session.snapshot().models == ()
    session.tick(tap("x"))
    assert session.snapshot().notice == "there is no world model here"
    assert make_session(with_policy=False, playing="policy").snapshot().notice == "no policy here: you play"


def test_a_notice_goes_after_thirty_ticks(make_session):
    session = make_session()
    session.tick(tap("c"))
    session.tick(tap("x"))
    changed = [session.tick() for _ in range(31)]
    assert changed == [False] * 29 + [True, False]
    assert session.snapshot().notice == ""


def test_help_stops_the_clock_and_escape_leaves_it_first(make_session):
    session = make_session()
    session.tick(tap("h"))
    session.tick()
    assert (session.snapshot().help_shown, session.snapshot().step) == (True, 0)
    session.tick(tap("escape"))
    assert (session.snapshot().help_shown, session.snapshot().step, session.quit) == (False, 1, False)
    session.tick(tap("escape"))
    assert session.quit


def test_the_same_keys_give_the_same_pictures_and_another_seed_others(make_session):
    def play(seed):
        session = make_session(seed=seed)
        frames = []
        for tick in range(12):
            session.tick({0: down("right"), 5: tap("x"), 8: tap("p")}.get(tick, ()))
            frames.append(session.snapshot().models[0].frame)
        return np.stack(frames)

    first = play(seed=0)
    assert (first == play(seed=0)).all()
    assert (first != play(seed=1)).any()


def test_warming_up_changes_nothing(make_session):
    cold, warm = make_session(), make_session()
    for model in warm._play.models:
        model.warm_up()
    for session in (cold, warm):
        run(session, 6, *tap("p"))
    assert (cold.snapshot().models[0].frame == warm.snapshot().models[0].frame).all()


def test_random_keys_for_a_thousand_ticks(make_session):
    session = make_session(length=40)
    generator = np.random.default_rng(0)
    keys = ["left", "right", "w", "s", "space", "k", "x", "r", "c", "n", "p", "h", "?", "f1", "6"]
    for _ in range(1000):
        chosen = generator.choice(keys, size=generator.integers(3))
        session.tick([KeyEvent(str(key), bool(generator.integers(2))) for key in chosen])
        assert len(session.snapshot().history) <= 300
    assert session.snapshot().episode > 10


def test_the_logic_needs_neither_pygame_nor_tensorflow():
    code = (
        "import sys, worldmodels.player.session.loading, worldmodels.player.session.controls.key_script;"
        "print([name for name in ('pygame', 'tensorflow') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_view_changes_for_a_game_alone(make_session):
    alone = make_session(models=0, human_view=True)
    assert alone.snapshot().real.frame.shape == (512, 512, 3)
    alone.tick(tap("v"))
    assert alone.snapshot().real.frame.shape == (64, 64, 3)
    beside = make_session()
    beside.tick(tap("v"))
    assert "as the agent sees it" in beside.snapshot().notice


def test_settings_are_changed_live_and_never_beyond_their_ends(make_session):
    session = make_session(temperature=0.3)
    assert [name for name, _ in session.snapshot().settings] == [
        *("steps a second", "model temperature", "sample", "put back every", "branch for", "policy temperature")
    ]
    session.tick(tap("tab"))
    told = []
    for key in ("-", "-", "-", "-", "+", "="):
        session.tick(tap(key))
        told.append(session.snapshot().notice.split(": ")[1])
    assert told == ["0.25", "0, the mode", "0, the mode", "0, the mode", "0.25", "0.3"]
    assert session.settings.temperature == 0.3


def test_the_calls_of_a_sampled_model_are_a_setting(make_session):
    session = make_session(model=SampledModel)
    assert session.snapshot().settings[2] == ("calls for each frame", "3")
    session.tick([SettingEvent(2, 4)])
    assert session.snapshot().notice == "calls for each frame: 5"
    assert session._play.models[0].model.model.calls == 5


def test_a_setting_takes_any_of_its_values_at_once(make_session):
    session = make_session()
    assert session.tick([SettingEvent(1, 0)])
    seen = session.snapshot()
    assert (seen.chosen, seen.settings[1]) == (1, ("model temperature", "0, the mode"))
    assert seen.notice == "model temperature: 0, the mode"
    assert session.settings.rows[1].texts[:3] == ("0, the mode", "0.25", "0.5")
    session.tick([SettingEvent(99, 99)])
    assert session.snapshot().settings[-1] == ("policy temperature", "2")


def test_a_session_without_anybody_pauses_and_says_so(make_session):
    session = make_session()
    session.tick(down("right"))
    seen = run(session, 10, AbsenceEvent("nobody is there"))
    assert (seen.clock, seen.step, seen.notice) == ("paused", 1, "nobody is there")
