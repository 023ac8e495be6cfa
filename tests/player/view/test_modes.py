"""Every mode at every size: no text and no frame lies over another one, and none is cut."""

from __future__ import annotations

import numpy as np
import pygame
import pytest
from cart_world import BOX, Cart, CartModel, CartView, PushPolicy
from drawn import recording
from keys import run, tap
from recorded import with_episodes
from tiny_worlds import CopyingModel, LatentModel, ReconstructingModel

from worldmodels.core.seeding import Streams
from worldmodels.envs.games.table import GAME_INFO
from worldmodels.player.session.controls.box_controls import BoxControls
from worldmodels.player.session.controls.key_table import DEFAULT_KEYS, LatentCommand
from worldmodels.player.session.latents.latents_snapshot import ProbeReader
from worldmodels.player.session.options import PlayOptions
from worldmodels.player.session.players import PolicyPlayer, RandomBoxPlayer
from worldmodels.player.session.session import Session
from worldmodels.player.session.settings import Settings
from worldmodels.player.session.worlds.model_world import ModelWorld
from worldmodels.player.session.worlds.real_world import RealWorld
from worldmodels.player.session.worlds.state_tracker import StateTracker
from worldmodels.player.view.canvas import Canvas
from worldmodels.player.view.painter import Painter
from worldmodels.player.view.panels.episodes_panel import keys_text
from worldmodels.player.view.panels.help_screen import make_guide
from worldmodels.player.view.panels.info_panel import draw_info

SIZES = ((640, 400), (800, 600), (1024, 640), (1366, 768), (900, 1600), (2560, 1440), (3840, 2160))
RULES = max((info.rules for info in GAME_INFO.values()), key=len)
SOURCE = "runs/coinrun_dreamer_small_seed_1, step 1,000,000   training levels"
LONGEST = "beside a model, the game is shown as the agent sees it"


def cart():
    streams, settings = Streams(0), Settings(PlayOptions(), with_model=True, with_policy=True)
    tracker = StateTracker(CartModel(), streams)
    model = ModelWorld(CartView(CartModel()), tracker, streams, settings)
    players = [PolicyPlayer(PushPolicy(), tracker, streams, settings), RandomBoxPlayer(2, streams)]
    return Session("Cart", RealWorld(Cart(), seed=1), BoxControls(BOX, ("push", "brake")), settings, [model], players)


def inside(session):
    """Let probes read as many variables as a game has."""
    units = {f"agent.variable {i}": "cells" for i in range(20)}
    session._play.models[0].probes = ProbeReader(units, (0.9,) * 20, lambda state: np.full(20, -12.5))
    return session


@pytest.fixture
def modes(make_session):
    """Sessions by name, with how many columns they have and what is pressed in them."""
    return {
        "a model": (make_session(), 3, ()),
        "a model that reconstructs": (make_session(model=ReconstructingModel), 4, "c"),
        "a model that copies, with its heat map": (make_session(model=CopyingModel), 4, "y"),
        "two models": (make_session(models=2), 5, "p"),
        "a model alone": (make_session(alone=True), 1, "p"),
        "two models alone": (make_session(models=2, alone=True), 2, ()),
        "a recorded episode": (with_episodes(make_session()), 3, ("f9", "return", "n")),
        "a recorded episode that was left": (with_episodes(make_session()), 3, ("f9", "return", "left")),
        "a frame that is drawn on": (make_session(model=ReconstructingModel), 4, ("shift+f2", "shift+f2")),
        "samples": (make_session(), 3, "b"),
        "each action": (make_session(model=ReconstructingModel), 4, "bb"),
        "without a policy": (make_session(with_policy=False), 3, "x"),
        "a game alone": (make_session(models=0, human_view=True), 0, "n"),
        "a game alone without a policy": (make_session(models=0, with_policy=False), 0, ("shift+f1",)),
        "an episode that is over": (make_session(length=2), 3, ()),
        "inside a model": (inside(make_session(model=LatentModel)), 4, ("m", "f", "g", "f3")),
        "inside a model without latents": (make_session(), 3, "m"),
        "inside one of two models": (inside(make_session(models=2, model=LatentModel)), 5, ("c", "n", "m")),
        "inside a model of numbers": (cart(), 4, "ddm"),
        "numbers": (cart(), 4, ()),
        "numbers of branches": (cart(), 4, "bb"),
    }


def painter_of(session, columns):
    models = len(session._play.models)
    guide = make_guide("Field of squares", RULES, session.controls, models > 0, players=3)
    return Painter(guide, (64, 64) if columns else (512, 512), columns, SOURCE)


def play(session, keys):
    run(session, 3)
    for key in keys:
        session.tick(tap(key))
        session.do_pending()
    run(session, 3)
    return session.snapshot()


@pytest.mark.parametrize("size", SIZES)
def test_nothing_is_printed_over_or_cut(modes, size, monkeypatch):
    surface, faults = pygame.Surface(size), {}
    for name, (session, columns, keys) in modes.items():
        painter, snapshot = painter_of(session, columns), play(session, keys)
        with recording(monkeypatch) as drawn:
            painter.draw(surface, snapshot, "key to picture 28 ms")
        texts = [text for text in drawn.shortened if text != SOURCE]  # which is as long as it is
        if drawn.cut or drawn.overlaps() or drawn.covered or texts:
            faults[name] = drawn.cut, drawn.overlaps(), drawn.covered, texts
        assert {"help", "quit"} <= {text for text, _ in drawn.texts}, name
    assert not faults


@pytest.mark.parametrize("size", SIZES)
def test_the_info_is_whole(modes, size, monkeypatch):
    surface = pygame.Surface(size)
    for name in ("a model that reconstructs", "a game alone"):
        session, columns, _ = modes[name]
        session._play.real._env.variables = lambda: {f"crate.variable {i}": -12.5 for i in range(24)}
        painter, snapshot = painter_of(session, columns), play(session, ["home"])
        painter.draw(surface, snapshot)
        with recording(monkeypatch) as drawn:
            layout = painter._layout(surface, snapshot)
            draw_info(Canvas(surface, layout.scale), layout.rest, layout.header, snapshot.info)
        texts = [text for text, _ in drawn.texts]
        assert all(texts.count(name) == 1 for name, _ in snapshot.info) and len(texts) == 2 * len(snapshot.info)
        assert not drawn.cut and not drawn.overlaps()
        assert all(surface.get_rect().contains(place) for _, place in drawn.texts)


@pytest.mark.parametrize("size", SIZES)
def test_the_list_of_episodes_is_whole_and_its_lines_answer_the_mouse(make_session, size, monkeypatch):
    session = with_episodes(make_session())
    painter, snapshot, surface = painter_of(session, 3), play(session, ["f9"]), pygame.Surface(size)
    with recording(monkeypatch) as drawn:
        painter.draw(surface, snapshot)
    places = dict(drawn.texts)
    own = ("the real game", "11", "20", "held out, unfinished", "the newest first", keys_text(DEFAULT_KEYS))
    assert set(own) <= set(places) and not set(own) & set(drawn.shortened)
    assert painter.episode_at(surface, snapshot, places["the real game"].center) == 0
    assert painter.episode_at(surface, snapshot, places["held out, unfinished"].center) == 1, "the newest"
    assert painter.episode_at(surface, snapshot, (1, 1)) is None
    assert painter.entry_at(surface, snapshot, (size[0] // 2, size[1] - 90), drags=False) is None, "it is covered"


@pytest.mark.parametrize("size", SIZES)
def test_the_help_and_the_rules_show_every_key(modes, size, monkeypatch):
    surface = pygame.Surface(size)
    for name in ("a model that reconstructs", "a game alone", "numbers"):
        session, columns, _ = modes[name]
        painter = painter_of(session, columns)
        with recording(monkeypatch) as drawn:
            painter.draw_rules(surface, "Ready: press a key to begin")
        assert not drawn.cut and not drawn.overlaps()
        texts = {text for text, _ in drawn.texts}
        assert {keys for keys, _ in (*painter.guide.actions, *painter.guide.inside)} <= texts
        assert len(painter.guide.inside) == (len(LatentCommand) if columns else 0)
        of_commands = zip(painter.guide.hints, painter.guide.commands, strict=True)
        assert all(brief in texts or whole in texts for (brief, _), (whole, _) in of_commands)


@pytest.mark.parametrize("size", SIZES)
def test_a_message_is_never_cut(make_session, size, monkeypatch):
    session = make_session()
    painter = painter_of(session, 3)
    session._notify(LONGEST)
    with recording(monkeypatch) as drawn:
        painter.draw(pygame.Surface(size), session.snapshot(), "key to picture 28 ms")
    assert LONGEST in {text for text, _ in drawn.texts} and LONGEST not in drawn.shortened


def test_the_hint_for_beginners_is_whole_and_covers_nothing(make_session, monkeypatch):
    session, hint = make_session(), "H shows all keys · F11: full screen · Esc leaves"
    for size in SIZES:
        with recording(monkeypatch) as drawn:
            painter_of(session, 3).draw(pygame.Surface(size), session.snapshot(), hint=hint)
        assert hint in {text for text, _ in drawn.texts} and hint not in drawn.shortened
        assert not drawn.overlaps() and not drawn.covered
        assert not drawn.cut
