from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from worldmodels.player.controls import KeyEvent

RIGHT, NOTHING = 7, 4


def down(*keys):
    return [KeyEvent(key, True) for key in keys]


def tap(*keys):
    return [KeyEvent(key, pressed) for key in keys for pressed in (True, False)]


def run(session, ticks, *first):
    session.tick(first)
    for _ in range(ticks - 1):
        session.tick()
    return session.snapshot()


def test_both_worlds_step_by_the_same_actions(make_session):
    seen = run(make_session(), 5, *down("right"))
    assert (seen.step, seen.since_put_back, seen.action) == (5, 5, "right")
    assert seen.real.episode_return == 5.0
    assert seen.models[0].episode_return == pytest.approx(4.5)  # 0.9 a step, says the model
    square = np.argwhere(seen.real.frame[..., 0] == 240)
    assert square.min(axis=0).tolist() == [30, 8 + 1 + 5]
    assert np.abs(seen.models[0].frame.astype(int) - seen.real.frame).mean() < 10


def test_x_puts_the_model_back_exactly_on_the_real_state(make_session):
    session = make_session()
    before = run(session, 8, *down("right"))
    assert (before.models[0].frame != before.real.frame).any()
    session.tick(tap("c"))
    session.tick(tap("x"))
    after = session.snapshot()
    assert (after.models[0].frame == after.real.frame).all()
    assert after.since_put_back == 0
    assert after.models[0].episode_return == after.real.episode_return == 8.0
    assert after.notice == "put back on the real state"


def test_putting_back_does_not_change_what_is_watched(make_session):
    played, disturbed = make_session(), make_session()
    for tick in range(12):
        played.tick()
        disturbed.tick(tap("x") if tick in (2, 7) else ())
    for session in (played, disturbed):
        session.tick(tap("x"))
    assert (played.snapshot().models[0].frame == disturbed.snapshot().models[0].frame).all()


def test_the_model_is_put_back_by_itself(make_session):
    session = make_session(put_back_every=3)
    counts = []
    for _ in range(7):
        session.tick()
        counts.append(session.snapshot().since_put_back)
    assert counts == [1, 2, 3, 1, 2, 3, 1]


def test_the_model_ends_but_goes_on(make_session):
    session = make_session()
    ended = []
    for _ in range(23):
        session.tick()
        ended.append(session.snapshot().models[0].ended)
    assert ended == [False] * 20 + [True] * 3  # continuation is 1 - age / 40, and 0.5 is not yet below 0.5
    session.tick(tap("x"))
    assert not session.snapshot().models[0].ended


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


def test_an_ended_episode_is_shown_and_the_next_one_begins(make_session):
    session = make_session(length=3)
    shown = []
    for _ in range(16):
        session.tick()
        seen = session.snapshot()
        shown.append((seen.episode, seen.step, seen.clock == "episode over"))
    ended = [(1, 3, True)] * 12
    assert shown == [(1, 1, False), (1, 2, False), *ended, (2, 0, False), (2, 1, False)]
    assert (session.totals.episodes, session.totals.steps) == (1, 3)
    assert session.snapshot().since_put_back == 1


def test_totals_leave_out_episodes_cut_short(make_session):
    session = make_session(length=4)
    run(session, 2, *down("right"))
    session.tick(tap("r"))
    assert (session.snapshot().episode, session.totals.episodes) == (2, 0)
    run(session, 3)
    assert (session.totals.episodes, session.totals.real_return) == (1, 4.0)


def test_the_policy_plays_until_a_person_takes_over(make_session):
    session = make_session()
    session.tick(tap("p"))
    assert (session.snapshot().player, session.snapshot().action) == ("policy", "right")
    session.tick(down("up"))
    assert (session.snapshot().player, session.snapshot().action) == ("you", "up")
    session.tick([*tap("p"), KeyEvent("up", False)])
    assert (session.snapshot().player, session.snapshot().action) == ("policy", "right")


def test_a_policy_plays_the_real_world_alone(make_session):
    """And goes on from a saved moment as it did."""
    session = make_session(models=0, playing="policy")
    session.tick(tap("shift+f1"))
    frames = [session.tick() and session.snapshot().real.frame for _ in range(4)]
    session.tick(tap("f1"))
    again = [session.tick() and session.snapshot().real.frame for _ in range(4)]
    seen = session.snapshot()
    assert (seen.models, seen.player, seen.action, seen.real.episode_return) == ((), "policy", "right", 5.0)
    assert all((one == other).all() for one, other in zip(frames, again, strict=True))
    session.tick(down("up"))
    assert (session.snapshot().player, session.snapshot().action) == ("you", "up")


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
    warm.warm_up()
    for session in (cold, warm):
        run(session, 6, *tap("p"))
    assert (cold.snapshot().models[0].frame == warm.snapshot().models[0].frame).all()


def test_the_time_line_marks_episodes_and_put_backs(make_session):
    session = make_session()
    session.tick()
    session.tick(tap("x"))
    marks = [moment.mark for moment in session.snapshot().history]
    assert marks == ["episode", "", "put back", ""]
    assert session.snapshot().history[2].models[0].image_error == 0.0
    assert session.snapshot().history[3].models[0].image_error > 0.0


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
        "import sys, worldmodels.player.session, worldmodels.player.script, worldmodels.player.options;"
        "print([name for name in ('pygame', 'tensorflow') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def walk(session, steps=6):
    """What is seen over some steps to the right."""
    frames = []
    for tick in range(steps):
        session.tick(down("right") if tick == 0 else ())
        seen = session.snapshot()
        frames.append((seen.real.frame.tobytes(), seen.models[0].frame.tobytes(), seen.real.episode_return, seen.step))
    session.tick([KeyEvent("right", False)])
    return frames


def test_a_saved_moment_comes_back_exactly(make_session):
    session = make_session()
    run(session, 4, *down("up"))
    session.tick([KeyEvent("up", False), *tap("c")])
    before = session.snapshot()
    session.tick(tap("shift+f1"))
    assert session.snapshot().notice == "saved; F1 comes back to here"
    session.tick(tap("c"))
    first = walk(session)
    session.tick(tap("r"))
    session.tick(tap("c", "f1"))
    again = session.snapshot()
    assert (again.real.frame == before.real.frame).all() and (again.models[0].frame == before.models[0].frame).all()
    assert (again.step, again.history) == (before.step, before.history)
    session.tick(tap("c"))
    assert walk(session) == first, "the same samples follow"


def test_nothing_saved_is_said(make_session):
    session = make_session()
    session.tick(tap("f1"))
    assert session.snapshot().notice == "nothing is saved yet: Shift F1 saves"
    assert session.snapshot().step == 1


def test_an_environment_that_cannot_save_says_so(make_session):
    session = make_session()
    session._real._env = SimpleNamespace(step=session._real._env.step)
    session.tick(tap("shift+f1"))
    assert session.snapshot().notice == "this environment cannot save its state"


def test_the_view_changes_for_a_game_alone(make_session):
    alone = make_session(models=0, human_view=True)
    assert alone.snapshot().real.frame.shape == (512, 512, 3)
    alone.tick(tap("v"))
    assert alone.snapshot().real.frame.shape == (64, 64, 3)
    beside = make_session()
    beside.tick(tap("v"))
    assert "as the agent sees it" in beside.snapshot().notice


def test_backspace_takes_steps_back_exactly_and_play_goes_on_as_it_did(make_session):
    session = make_session(length=30, playing="policy")
    pictures = [session.snapshot()]
    for tick in range(60):  # over the end of an episode, a put-back and a new episode
        session.tick({20: tap("x"), 45: tap("r")}.get(tick, ()))
        pictures.append(session.snapshot())
    told = [(s.episode, s.step, s.models[0].frame.tobytes(), s.real.frame.tobytes(), s.totals) for s in pictures]
    session.tick(tap("backspace"))
    assert session.snapshot().clock == "paused"
    for _ in range(1000):
        session.tick(tap("backspace"))
    assert session.snapshot().notice == "this is as far back as it goes"
    assert session.snapshot().history == pictures[0].history
    session.tick(tap("c"))
    for tick in range(1, 60):
        session.tick({20: tap("x"), 45: tap("r")}.get(tick, ()))
    s = session.snapshot()
    assert (s.episode, s.step, s.models[0].frame.tobytes(), s.real.frame.tobytes(), s.totals) == told[-1]


def test_a_held_backspace_goes_on(make_session):
    session = make_session()
    run(session, 20)
    steps = []
    for events in (down("backspace"), *[[]] * 7, [KeyEvent("backspace", False)], []):
        session.tick(events)
        steps.append(session.snapshot().step)
    assert steps == [19, 19, 19, 19, 19, 18, 17, 16, 16, 16]


def test_rewinding_says_where_an_environment_cannot_save_its_state(make_session):
    session = make_session()
    session._real._env = SimpleNamespace(step=session._real._env.step)
    session._past.clear()
    session.tick()
    session.tick(tap("backspace"))
    assert session.snapshot().notice == "this environment cannot save its state"


def test_who_plays_is_chosen_and_given_back(make_session):
    session = make_session(script=[[3, 3], [5]])
    session.tick(tap("c"))
    told = []
    for keys in ("p", "t", "t", "t", "p"):
        session.tick(tap(keys))
        told.append((session.snapshot().player, session.snapshot().notice))
    assert told == [
        ("policy", "the policy plays"),
        ("random", "chance plays when you press P"),
        ("script", "the script plays when you press P"),
        ("policy", "the policy plays when you press P"),
        ("you", "you play"),
    ]


def test_chance_plays_all_actions_and_the_same_ones_again(make_session):
    def play():
        session = make_session(with_policy=False, playing="random")
        return [session.tick() and session.snapshot().action for _ in range(60)]

    actions = play()
    assert actions == play()
    assert {"left", "right", "up", "down", "fire", "nothing"} <= set(actions)


def test_a_script_plays_its_actions_and_then_gives_back(make_session):
    session = make_session(script=[[3, 5], [RIGHT]], playing="script")
    seen = [session.tick() and session.snapshot() for _ in range(3)]
    assert [(s.player, s.action) for s in seen] == [("script", "down"), ("script", "up"), ("you", "nothing")]
    assert seen[-1].notice == "the script has come to its end: you play"
    session.tick(tap("r"))
    session.tick(tap("p"))
    session.tick()
    seen = session.snapshot()
    assert (seen.step, seen.player, seen.real.episode_return) == (3, "you", 0.0)  # the second episode's was at step 0


def test_what_the_policy_makes_of_a_frame_is_seen_whoever_plays(make_session):
    session = make_session()
    seen = run(session, 3, *down("up"))
    assert seen.player == "you"
    assert seen.mind.probabilities[RIGHT] == pytest.approx(16 / 30)
    assert sum(seen.mind.probabilities) == pytest.approx(1)
    assert make_session(with_policy=False).snapshot().mind is None


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


def test_another_sample_is_another_dream_of_the_same_reality(make_session):
    one, other = make_session(), make_session()
    other.settings.choose_next()
    other.settings.choose_next()
    other.tick(tap("c"))
    other.tick(tap("+"))
    other.tick(tap("c"))
    one.tick()
    assert (one.snapshot().real.frame == other.snapshot().real.frame).all()
    assert (one.snapshot().models[0].frame != other.snapshot().models[0].frame).any()


def test_two_models_dream_beside_one_reality(make_session):
    session = make_session(models=2)
    seen = run(session, 4, *down("right"))
    assert [model.name for model in seen.models] == ["Model 0", "Model 1"]
    assert [model.episode_return for model in seen.models] == pytest.approx([3.6, 3.6])
    assert len(seen.history[-1].models) == 2
    session.tick(tap("x"))
    assert all(moment.image_error == 0 for moment in session.snapshot().history[-2].models)


def test_the_moment_when_the_model_leaves_reality_is_marked_once(make_session):
    session = make_session(temperature=10)
    session.tick()
    session.tick()
    session.tick(tap("x"))
    session.tick()
    assert [(moment.mark, moment.left) for moment in session.snapshot().history] == [
        *(("episode", False), ("", True), ("", False), ("put back", False), ("", True), ("", False))
    ]


def prepared(session, key):
    """Press a key that needs many samples, and do what has to be done first."""
    session.tick(tap(key))
    if session.pending:
        assert session.pending.status == "Compiling many samples"
        session.do_pending()


def test_branches_show_samples_then_actions_then_nothing(make_session):
    session = make_session()
    run(session, 3, *down("right"))
    session.tick([KeyEvent("right", False)])
    before = session.snapshot()
    prepared(session, "b")
    session.tick()
    view = session.snapshot().branches
    assert [tile.label for tile in view.tiles[:2]] == ["sample 1", "sample 2"] and len(view.tiles) == 16
    assert (view.step, view.steps) == (1, 20)
    assert (view.tiles[0].frame != view.tiles[1].frame).any()
    prepared(session, "b")
    view = session.snapshot().branches
    assert [tile.label for tile in view.tiles][RIGHT] == "right" and len(view.tiles) == 15
    # A step to the right is said to pay 0.9, and the episode to go on with probability 1 - age / 40.
    assert view.tiles[RIGHT].branch_return == pytest.approx(0.9)
    assert view.tiles[NOTHING].branch_return == 0
    session.tick()
    assert session.snapshot().branches.tiles[RIGHT].alive == pytest.approx((39 / 40) * (38 / 40))
    session.tick(tap("b"))
    after = session.snapshot()
    assert after.branches is None
    assert after.step == before.step + 1, "the worlds stood still"


def test_branches_begin_anew_when_they_are_through_and_a_move_leaves_them(make_session):
    session = make_session()
    prepared(session, "b")
    steps = [session.tick() and session.snapshot().branches.step for _ in range(22)]
    assert steps == [*range(1, 21), 0, 1]
    session.tick(down("up"))
    assert session.snapshot().branches is None and session.snapshot().step > 0


def test_the_heat_map_shows_where_samples_differ(make_session):
    session = make_session()
    assert session.snapshot().models[0].doubt is None
    prepared(session, "y")
    session.tick()
    doubt = session.snapshot().models[0].doubt
    assert doubt.shape == (64, 64) and 0 < doubt.mean() < 0.1
    certain = make_session(temperature=0)
    prepared(certain, "y")
    certain.tick()
    assert certain.snapshot().models[0].doubt.max() == 0
    session.tick(tap("y"))
    assert session.snapshot().models[0].doubt is None


def test_looking_at_branches_and_doubts_changes_nothing(make_session):
    quiet, curious = make_session(), make_session()
    for session in (quiet, curious):
        session.tick(tap("c"))
    for key in ("y", "b", "b", "b"):
        prepared(curious, key)
        curious.tick()
    for session in (quiet, curious):
        for _ in range(5):
            session.tick(tap("n"))
    assert (quiet.snapshot().models[0].frame == curious.snapshot().models[0].frame).all()
    assert quiet.snapshot().step == curious.snapshot().step == 5


def test_the_journal_holds_what_was_done_and_forgets_what_was_taken_back(make_session):
    session = make_session()
    run(session, 3, *down("right"))
    session.tick([KeyEvent("right", False), *tap("x")])
    session.tick(tap("r"))
    session.tick(tap("backspace"))
    session.tick(tap("backspace"))  # the first step of the second episode, and its beginning
    session.tick(tap("backspace"))  # the last step of the first one
    session.tick(tap("up"))
    (episode,) = session.journal.episodes()
    assert list(episode.actions) == [RIGHT, RIGHT, RIGHT, 5]
    assert [event[1] for event in episode.events] == ["put back"]
    assert set(episode.seen) == {0}


def test_a_model_is_played_without_reality(make_session):
    session = make_session(alone=True, playing="policy")
    first = session.snapshot()
    seen = run(session, 30)
    assert seen.alone and seen.step == seen.since_put_back == 30
    assert (seen.real.frame == first.real.frame).all() and seen.real.episode_return == 0
    assert seen.models[0].episode_return == pytest.approx(27) and seen.models[0].ended
    assert seen.mind.value == 30, "the policy sees what the model predicts: its age"
    assert not any(moment.left for moment in seen.history)
    session.tick(tap("r"))
    assert session.snapshot().models[0].ended is False
    for _ in range(3):
        session.tick(tap("backspace"))
    assert session.snapshot().step == 29
