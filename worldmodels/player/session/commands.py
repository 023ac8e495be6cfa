"""The commands of a session: each key command, such as pause, rewind, save or branch, and its effect."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

from worldmodels.player.session.background_task import BackgroundTask, Newcomers
from worldmodels.player.session.controls.box_controls import BoxControls
from worldmodels.player.session.controls.key_table import Command
from worldmodels.player.session.controls.keys import Controls
from worldmodels.player.session.drawing.drawing_tool import DrawingTool
from worldmodels.player.session.episodes.episode_browser import EpisodeBrowser
from worldmodels.player.session.episodes.recorded_world import RecordingPlayer
from worldmodels.player.session.latents.latent_inspection import LatentInspection
from worldmodels.player.session.players import Player, PlayerSelection
from worldmodels.player.session.playthrough import Playthrough
from worldmodels.player.session.rewind import RewindBuffer
from worldmodels.player.session.session_log import SessionLog
from worldmodels.player.session.settings import Settings
from worldmodels.player.session.worlds.frames import VectorRanges
from worldmodels.player.session.worlds.inspection import Inspection, KeptCheckpoints
from worldmodels.player.session.worlds.model_world import ModelWorld
from worldmodels.player.session.worlds.moment_info import MomentInfo
from worldmodels.player.session.worlds.real_world import RealWorld, ReplayStartWorld

NOTICE_TICKS = 30
"""Ticks for which a message stays."""
END_TICKS = 12
"""Ticks for which the last picture of an episode stays before the next one begins."""
CANNOT_SAVE = "this environment cannot save its state"
NO_MODEL = "there is no world model here"
STILL_LOADED = "the world model is still loaded"


class SessionCommands:
    """The parts of a session, and the commands that change them.

    Args:
        title: the game's name for people.
        real: the real world; a frozen one gives only first frames, and the models are played without it.
        models: the learned worlds; without any, only the real world is played.
        players: the players that can replace the person; key P starts the first.
        playing: the name of the player at the start; empty for the person.
        ranges: the ranges of numbers in earlier experience, if there is any.

    Attributes:
        begins_with_game: the real game is played while the rest is loaded.
        pictures: the number of pictures that the person has requested; the loop's owner writes them.
        captures: the films that the person has requested, likewise.
    """

    def __init__(
        self,
        title: str,
        real: RealWorld | ReplayStartWorld,
        controls: Controls | BoxControls,
        settings: Settings,
        models: Sequence[ModelWorld] = (),
        players: Sequence[Player] = (),
        playing: str = "",
        ranges: VectorRanges | None = None,
    ) -> None:
        self._title, self.controls, self.settings = title, controls, settings
        self._play = Playthrough(real, models, players, controls.idle, ranges)
        self._loading: BackgroundTask[Newcomers] | None = None
        self._checkpoints: KeptCheckpoints | None = None
        self._info = MomentInfo(self._play)
        self.begins_with_game = False
        self._awaited: tuple[tuple[str, ...], bool] = (), False
        self.paused = self.help_shown = self.quit = False
        self.pictures = 0
        self.captures: deque[Command] = deque()
        self._told = False
        self._recorded_number: int | None = None
        self._searched: int | None = None
        self._end_ticks = END_TICKS
        self._notice, self._notice_ticks = "", 0
        self._one_step = False
        self._set_players(playing)

    def _set_players(self, playing: str) -> None:
        self._rewind_buffer = RewindBuffer(self._play)
        self._selection = PlayerSelection(self._play.players, playing)
        self._inspection = Inspection(self._play.models, self.controls, self.settings, self._notify)
        self._latents = LatentInspection(self._play, self._rewind_buffer, self.controls.keys, self._notify)
        self._drawing = DrawingTool(self._play, self._rewind_buffer, self._notify)
        self._episodes = EpisodeBrowser(self._play, self._rewind_buffer, self.controls.keys, self._notify)
        if playing not in ("", self._selection.name):
            self._notify(f"no {playing} here: you play")

    def _follow_episode(self, anew: bool = False) -> None:
        """Offer the recording as a player where a recorded episode is reality; it plays in each new one, and `anew`."""
        recorded = self._play.recorded
        number = recorded.index if recorded else None
        if number == self._recorded_number and not (anew and recorded):
            return
        self._recorded_number = number
        extra = [RecordingPlayer(recorded, lambda: self._play.counters.step)] if recorded else []
        self._selection = PlayerSelection([*extra, *self._play.players], RecordingPlayer.name)

    def _change_checkpoint(self, places: int) -> None:
        """Let the first run's models of an earlier or a later checkpoint live the same moment."""

        def used(step: int) -> None:
            self._rewind_buffer.change_models()
            self.log.event("checkpoint", step)

        self._inspection.change_checkpoint(self._checkpoints, places, used)

    @property
    def log(self) -> SessionLog:
        """The actions and events so far."""
        return self._play.log

    def _begin_episode(self) -> None:
        self._rewind_buffer.push()
        self._play.begin_episode()
        self._leave_branches()
        self._follow_episode(anew=True)

    def _leave_branches(self) -> None:
        """Show the worlds again after a jump to another moment."""
        self._inspection.branches = None
        self._end_ticks = END_TICKS
        self._follow_episode()

    def _execute(self, command: Command | None) -> bool:
        if command is None:
            return False
        {
            Command.PUT_BACK: lambda: self._if_model(self._put_back),
            Command.NEW_EPISODE: self._begin_episode,
            Command.PAUSE: self._pause_or_run,
            Command.STEP: self._step_once,
            Command.REWIND: self._rewind,
            Command.MARK_BEFORE: lambda: self._seek(self._rewind_buffer.seek_mark(-1)),
            Command.MARK_AFTER: lambda: self._seek(self._rewind_buffer.seek_mark(1)),
            Command.SURPRISE: lambda: self._if_model(self._search),
            Command.EARLIER: lambda: self._if_model(lambda: self._change_checkpoint(-1)),
            Command.LATER: lambda: self._if_model(lambda: self._change_checkpoint(1)),
            Command.EPISODES: lambda: self._if_model(self._episodes.toggle),
            Command.DRAW: lambda: self._if_model(self._draw),
            Command.INFO: self._info.toggle,
            Command.TOGGLE_PLAYER: lambda: self._notify(self._selection.toggle()),
            Command.NEXT_PLAYER: self._choose_next_player,
            Command.BRANCHES: lambda: self._if_model(
                lambda: self._inspection.next_branches(self._play.counters.action)
            ),
            Command.UNCERTAINTY: lambda: self._if_model(self._inspection.toggle_uncertainty),
            Command.LATENTS: lambda: self._if_model(self._latents.toggle),
            Command.NEXT_SETTING: self.settings.choose_next,
            Command.DECREASE: lambda: self._change(-1),
            Command.INCREASE: lambda: self._change(1),
            Command.SAVE: self._save,
            Command.LOAD: self._load,
            Command.PICTURE: self._request_picture,
            Command.CLIP: lambda: self.captures.append(Command.CLIP),
            Command.GIF: lambda: self.captures.append(Command.GIF),
            Command.FILM: lambda: self.captures.append(Command.FILM),
            Command.VIEW: self._change_view,
            Command.FULL_SCREEN: _leave_to_the_window,
            Command.ZOOM: _leave_to_the_window,
            Command.HELP: self._show_or_hide_help,
            Command.QUIT: self._leave,
        }[command]()
        return True

    def _put_back(self) -> None:
        self._rewind_buffer.push()
        self._play.put_back()
        self._follow_episode(anew=True)
        self.log.event("put back")
        self._notify("put back on the real state")

    def _pause_or_run(self) -> None:
        self.paused = not self.paused
        self.controls.stop_repeating()

    def _step_once(self) -> None:
        self.paused = self._one_step = True
        self._inspection.branches = None
        self.controls.stop_repeating()

    def _take_over(self) -> None:
        """Give the person control, after a key of an action."""
        self._inspection.branches = None
        self._notify(self._selection.take_over())

    def _choose_next_player(self) -> None:
        self._notify(self._selection.choose_next(self.controls.keys.label(Command.TOGGLE_PLAYER)))

    def _if_model(self, act: Callable[[], None]) -> None:
        """Do something that needs a world model, or show that there is none."""
        if self._play.models:
            act()
        else:
            self._notify(STILL_LOADED if self._awaited[0] else NO_MODEL)

    def _setting_changed(self, changed: str) -> None:
        self._notify(changed)
        self.log.event(changed)
        for world in self._play.models:
            world.model.set_calls(self.settings.calls)
        if self._play.policy:
            self._play.policy.decide_again()

    def _change(self, places: int) -> None:
        """Change the size of the drawing tool, or the chosen setting."""
        if self._drawing.tool:
            self._drawing.resize(places)
        else:
            self._setting_changed(self.settings.change(places))

    def _draw(self) -> None:
        self._drawing.next()
        self.paused = self.paused or bool(self._drawing.tool)
        self._inspection.branches = None

    def _request_picture(self) -> None:
        self.pictures += 1
        self._notify("picture saved")

    def _change_view(self) -> None:
        if self._play.models:
            self._notify("beside a model, the game is shown as the agent sees it")
            return
        self._play.real.human_view = not self._play.real.human_view
        self._notify("people's view" if self._play.real.human_view else "the agent's view")

    def _show_or_hide_help(self) -> None:
        self.help_shown = not self.help_shown

    def _leave(self) -> None:
        """Close the help and the branches; if neither is open, the pane of latents; else quit."""
        if self.help_shown or self._inspection.branches:
            self.help_shown, self._inspection.branches = False, None
        elif self._episodes.shown:
            self._episodes.toggle()
        elif self._drawing.tool:
            self._drawing.put_down()
        elif self._latents.shown:
            self._latents.toggle()
        else:
            self.quit = True

    def _save(self) -> None:
        back = self.controls.keys.label(Command.LOAD)
        self._notify(f"saved; {back} comes back to here" if self._rewind_buffer.save() else CANNOT_SAVE)

    def _load(self) -> None:
        if self._rewind_buffer.load():
            self._leave_branches()
            self._notify("back at the saved moment")
        else:
            self._notify(f"nothing is saved yet: {self.controls.keys.label(Command.SAVE)} saves")

    def _rewind(self) -> None:
        """Undo the last step, put-back or new episode, and pause, so that the clock does not repeat it."""
        self.paused = True
        if self._rewind_buffer.pop():
            self._leave_branches()
        else:
            self._notify("this is as far back as it goes" if self._play.save() else CANNOT_SAVE)

    def tell(self, notice: str) -> None:
        """Show a message of the loop's owner from the next tick on."""
        self._notify(notice)
        self._told = True

    def _seek(self, found: bool) -> None:
        """Pause after a jump on the time line."""
        self.paused = True
        self.controls.stop_repeating()
        if found:
            self._leave_branches()
        else:
            self._notify("there is no such moment" if self._play.save() else CANNOT_SAVE)

    def _search(self) -> None:
        """Begin to look for the next surprise; the session's ticks go on with it."""
        if not (self._play.policy or self._play.recorded) or self._play.alone or self._play.save() is None:
            self._notify("a surprise needs a policy, and a real game that can be taken back")
            return
        self.paused, self._searched = False, 0
        self._inspection.branches = None
        self._put_back()
        self._notify("looking for the next surprise")

    def _notify(self, notice: str) -> None:
        """Show a message for a while; an empty text keeps the message before it."""
        if notice:
            self._notice, self._notice_ticks = notice, NOTICE_TICKS


def _leave_to_the_window() -> None:
    """Do nothing: the window handles its own size."""
