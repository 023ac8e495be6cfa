"""The setup of a game on its levels, with the players besides the person and the script of a recording."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from worldmodels.core.configuration.sections import from_dict
from worldmodels.core.errors import UserError
from worldmodels.core.seeding import Streams
from worldmodels.envs import EnvConfig, GameEnv, make
from worldmodels.envs.config import PYTHON, complete_options, game_options
from worldmodels.envs.games.levels import on_levels
from worldmodels.envs.making import is_native
from worldmodels.player.session.controls.box_controls import BoxControls
from worldmodels.player.session.controls.key_file import names_in_game, read_keys
from worldmodels.player.session.controls.key_table import DEFAULT_KEYS, KeyTable
from worldmodels.player.session.controls.keys import Controls
from worldmodels.player.session.options import PlayOptions
from worldmodels.player.session.players import Player, RandomBoxPlayer, RandomPlayer, ScriptPlayer
from worldmodels.player.session.worlds.foreign_game import ForeignGame
from worldmodels.recordings.action_recording import ActionRecording, read_recording
from worldmodels.recordings.action_replay import foreign_config, recorded_options, verify_recording

OF_IMAGES = {"image_size", "image_height"}
"""The options of a foreign game that change nothing but images."""


@dataclass(frozen=True)
class GameSetup:
    """A real world that is ready to be played.

    Attributes:
        recording: the recording that the session will write, still without episodes.
        script: the recording that can play, if any.
    """

    env: GameEnv | ForeignGame
    options: PlayOptions
    recording: ActionRecording
    script: ActionRecording | None

    @property
    def playing(self) -> str:
        """The name of the player at the start; empty for the person."""
        return "policy" if self.options.policy else "script" if self.script else ""

    def players(self) -> list[Player]:
        """Return the players that can play in any world."""
        streams, box = Streams(self.options.seed), self.recording.box
        count = box or len(self.env.action_keys)
        players: list[Player] = [RandomBoxPlayer(count, streams) if box else RandomPlayer(count, streams)]
        if self.script:
            players.append(ScriptPlayer([episode.actions for episode in self.script.episodes]))
        return players

    def controls(self) -> Controls | BoxControls:
        """Return the controls of the game's actions, with the keys of `options.keys`.

        Raises:
            UserError: that file cannot be used, or names an action that this game lacks.
        """
        controls = self._controls(DEFAULT_KEYS)
        if self.options.keys is None:
            return controls
        return self._controls(read_keys(Path(self.options.keys), names_in_game(controls)))

    def _controls(self, keys: KeyTable) -> Controls | BoxControls:
        env = self.env
        if isinstance(env, ForeignGame) and not env.action_spec.is_discrete:
            return BoxControls(env.action_spec, env.action_meanings, keys)
        return Controls(env.action_keys, env.action_meanings, keys)


def set_up_game(
    game: str, settings: Mapping[str, Any], options: PlayOptions, render_mode: str | None, may_differ: bool = False
) -> GameSetup:
    """Set up a game; with a script, on its recorded levels and settings.

    Args:
        settings: the environment's options; of a foreign one, keys of `EnvConfig`.
        may_differ: a script may have been recorded with other ones.

    Raises:
        UserError: there is no such game or option, or the script is damaged, of another game, or of other settings. The
            text has the step, or both games or settings.
    """
    if not is_native(EnvConfig(game=game)):
        config = from_dict(EnvConfig, {"game": game, **settings}, "the options")
        setup = _set_up_foreign(config, options)
        _check_acts(settings, config, setup)
        return setup
    if options.script is None:
        recording = ActionRecording(game, settings, Streams(options.seed).integer("player/env"), ())
        return GameSetup(make(game, render_mode, **settings), options, recording, None)
    script = _read_script(options.script, game)
    theirs = complete_options(script.options)
    different = {key: value for key, value in settings.items() if theirs.get(key, value) != value}
    for key, value in different.items() if not may_differ else ():
        raise _other_option(options, key, theirs[key], value)
    verify_recording(script, options.script)
    recording = ActionRecording(game, script.options, script.seed, ())
    return GameSetup(make(game, render_mode, **script.options), options, recording, script)


def _check_acts(settings: Mapping[str, Any], config: EnvConfig, setup: GameSetup) -> None:
    """Raise UserError if a setting of a foreign game has no effect there, or another value in the script."""
    shows_images = not isinstance(setup.env, ForeignGame) or bool(setup.env.observation_spec.images)
    for key in () if shows_images else settings.keys() & OF_IMAGES:
        raise UserError(f"The option '{key}' is for images, and '{config.game}' shows numbers alone: leave it out.")
    if setup.script is None:
        return
    theirs = foreign_config(setup.script, str(setup.options.script))
    for key, value in settings.items():
        if getattr(theirs, key) != getattr(config, key):
            raise _other_option(setup.options, key, getattr(theirs, key), value)


def _other_option(options: PlayOptions, key: str, theirs: Any, received: Any) -> UserError:
    return UserError(
        f"The recording '{options.script}' is played with its own options, {key} {theirs!r}. Received {received!r}."
    )


def set_up_run(
    config: EnvConfig,
    options: PlayOptions,
    render_mode: str | None = None,
    source: str = "",
    checkpoint: int | None = None,
) -> GameSetup:
    """Set up the game of a run on its training or its test levels; of a mixture, the first one.

    A script may be of other levels or settings, not of another game.

    Args:
        source: the run whose model is beside the game, if any.
        checkpoint: the step of that run's checkpoint.

    Raises:
        UserError: there is no such environment, or it has no test levels; the script is of another game; or a recording
            of this environment could not be replayed.
    """
    config = on_levels(config, options.levels)
    if is_native(config):
        setup = set_up_game(config.games[0], game_options(config), options, render_mode, may_differ=True)
        return replace(setup, recording=replace(setup.recording, source=source, checkpoint=checkpoint))
    setup = _set_up_foreign(config, options)
    return replace(setup, recording=replace(setup.recording, source=source, checkpoint=checkpoint))


def _set_up_foreign(config: EnvConfig, options: PlayOptions) -> GameSetup:
    if options.record and config.game.startswith(PYTHON):
        raise UserError(
            f"A recording is replayed by the id of its game, and '{config.game}' was given in Python without an id: "
            "leave out the recording."
        )
    env, script, seed = ForeignGame(config), None, Streams(options.seed).integer("player/env")
    if options.script is not None:
        script = _read_script(options.script, config.game)
        verify_recording(script, options.script, config.game)
        env, seed = ForeignGame(foreign_config(script, options.script)), script.seed
    settings = recorded_options(config) if script is None else script.options
    recording = ActionRecording(config.game, settings, seed, (), box=env.action_spec.size)
    return GameSetup(env, options, recording, script)


def _read_script(path: str | Path, game: str) -> ActionRecording:
    script = read_recording(path)
    if script.game != game:
        raise UserError(f"The recording '{path}' is of the game '{script.game}'. Received the game '{game}'.")
    return script
