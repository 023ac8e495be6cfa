"""The setup of a game on its levels, with the players besides the person and the script of a recording."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from worldmodels.core.errors import UserError
from worldmodels.core.seeding import Streams
from worldmodels.envs import EnvConfig, GameEnv, make
from worldmodels.envs.config import complete_options, game_options
from worldmodels.envs.making import is_native
from worldmodels.player.session.foreign_game import ForeignGame
from worldmodels.player.session.options import PlayOptions
from worldmodels.player.session.players import Player, RandomPlayer, ScriptPlayer
from worldmodels.runtime.action_recording import ActionRecording, read_recording
from worldmodels.runtime.action_replay import verify_recording


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
        """The name of who plays from the start; empty for the person."""
        return "policy" if self.options.policy else "script" if self.script else ""

    def players(self) -> list[Player]:
        """Return the players that can play in any world."""
        players: list[Player] = [RandomPlayer(len(self.env.action_keys), Streams(self.options.seed))]
        if self.script:
            players.append(ScriptPlayer([episode.actions for episode in self.script.episodes]))
        return players


def set_up_game(
    game: str, settings: Mapping[str, Any], options: PlayOptions, render_mode: str | None, may_differ: bool = False
) -> GameSetup:
    """Set up a native game; with a script, on the levels and with the settings that it was recorded with.

    Args:
        settings: the environment's options.
        may_differ: a script may have been recorded with other ones.

    Raises:
        UserError: no such game or option; the script is of another game or of other settings, and the text says both;
            it is damaged, and the text says from which step on.
    """
    if options.script is None:
        recording = ActionRecording(game, settings, Streams(options.seed).integer("player/env"), ())
        return GameSetup(make(game, render_mode, **settings), options, recording, None)
    script = read_recording(options.script)
    if script.game != game:
        raise UserError(f"The recording '{options.script}' is of the game '{script.game}'. What is played is '{game}'.")
    theirs = complete_options(script.options)
    different = {key: value for key, value in settings.items() if theirs.get(key, value) != value}
    for key, value in different.items() if not may_differ else ():
        raise UserError(
            f"The recording '{options.script}' was made with {key} {theirs[key]!r}, and is played with that. "
            f"Received {value!r}."
        )
    verify_recording(script, options.script)
    recording = ActionRecording(game, script.options, script.seed, ())
    return GameSetup(make(game, render_mode, **script.options), options, recording, script)


def set_up_run(
    config: EnvConfig,
    options: PlayOptions,
    render_mode: str | None = None,
    source: str = "",
    checkpoint: int | None = None,
) -> GameSetup:
    """Set up the game of a run; of a mixture, the first one.

    A script may be of other levels or settings, not of another game.

    Args:
        source: the run whose model is beside the game, if any.
        checkpoint: the step of that run's checkpoint.

    Raises:
        UserError: there is no such environment here; the script is of another game, or the environment is not one that
            can be recorded.
    """
    if is_native(config):
        setup = set_up_game(config.games[0], game_options(config), options, render_mode, may_differ=True)
        return replace(setup, recording=replace(setup.recording, source=source, checkpoint=checkpoint))
    if options.record or options.script:
        raise UserError(f"Recordings are of native games, and the run's environment '{config.game}' is not one.")
    seed = Streams(options.seed).integer("player/env")
    return GameSetup(ForeignGame(config), options, ActionRecording(config.game, {}, seed, ()), None)
