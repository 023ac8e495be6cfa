"""The session: key events in, one tick of the clock after the other, and a snapshot of everything to draw.

Nothing here knows pygame or TensorFlow, and nothing looks at a real clock: the same events at the same ticks always
give the same snapshots.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from worldmodels.player.session.controls.box_controls import BoxControls
from worldmodels.player.session.controls.keys import Command, Controls
from worldmodels.player.session.events import (
    AbsenceEvent,
    AxisEvent,
    GroupEvent,
    InputEvent,
    KeyEvent,
    SettingEvent,
    StickEvent,
)
from worldmodels.player.session.latents.latent_inspection import LatentInspection
from worldmodels.player.session.player_selection import YOU, PlayerSelection
from worldmodels.player.session.players import Player
from worldmodels.player.session.playthrough import Playthrough
from worldmodels.player.session.rewind import RewindBuffer
from worldmodels.player.session.session_log import SessionLog
from worldmodels.player.session.settings import Settings
from worldmodels.player.session.snapshot import BoxPanel, ClockState, PolicyPanel, Snapshot, Totals
from worldmodels.player.session.vector_ranges import VectorRanges
from worldmodels.player.session.worlds.inspection import Inspection, PendingWork
from worldmodels.player.session.worlds.model_world import ModelWorld
from worldmodels.player.session.worlds.real_world import RealWorld
from worldmodels.player.session.worlds.replay_start_world import ReplayStartWorld
from worldmodels.recordings.action_recording import Action

NOTICE_TICKS = 30
"""Ticks for which a message stays."""
END_TICKS = 12
"""Ticks for which the last picture of an episode stays before the next one begins."""
CANNOT_SAVE = "this environment cannot save its state"
NO_MODEL = "there is no world model here"


class Session:
    """A session plays a real world, beside it learned ones if there are any, all by the same actions.

    Args:
        title: the game's name for people.
        real: a frozen one gives first frames alone, and the models are played without it.
        models: without any, the real world is played alone.
        players: can play for the person; the first one does when asked.
        playing: the name of who plays from the start; the person if it is empty.
        ranges: the ranges of numbers in earlier experience, if there is any.

    Attributes:
        pictures: how many pictures were asked for; whoever draws writes them.
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
        self._rewind_buffer = RewindBuffer(self._play)
        self._selection = PlayerSelection(players, playing)
        self._inspection = Inspection(self._play.models, controls, settings, self._notify)
        self._latents = LatentInspection(self._play, self._rewind_buffer, controls.keys, self._notify)
        self.paused = self.help_shown = self.quit = False
        self.pictures = 0
        self._end_ticks = END_TICKS
        self._notice, self._notice_ticks = "", 0
        self._one_step = False
        if playing not in ("", self._selection.name):
            self._notify(f"no {playing} here: you play")

    @property
    def totals(self) -> Totals:
        """The totals of the episodes that came to their end."""
        return self._play.counters.totals

    @property
    def log(self) -> SessionLog:
        """The actions and events so far."""
        return self._play.log

    @property
    def pending(self) -> PendingWork | None:
        """The work that takes long and has to be done before the next tick, if any."""
        return self._inspection.pending

    # ---- the clock

    def tick(self, events: Iterable[InputEvent] = ()) -> bool:
        """Do one tick of the clock; return whether there is something new to see. Worlds wait while work is pending."""
        changed = self._count_down()
        for event in events:
            changed |= self._take(event)
        changed |= self._execute(self.controls.repeated_command) | self._latents.tick()
        if self.controls.touched:
            self._take_over()
            changed = True
        if self._inspection.branches and not self.help_shown:
            self._inspection.branches.step(self.settings.temperature)
            changed = True
        elif not self.help_shown and self.pending is None and self._is_due():
            self._advance()
            changed = True
        self._one_step = False
        self.controls.end_tick()
        return changed

    def do_pending(self) -> None:
        """Do the pending work here and now, if there is any."""
        self._inspection.do_pending()

    def warm_up(self) -> None:
        """Let models compile what only a step calls; this changes nothing that can be seen."""
        for model in self._play.models:
            model.warm_up()

    def _count_down(self) -> bool:
        """Count the ticks of the message; return whether it vanishes now."""
        self._notice_ticks -= 1
        if self._notice_ticks != 0:
            return False
        self._notice = ""
        return True

    def _is_due(self) -> bool:
        """Return whether this tick is a step of the worlds. While paused, only a key makes it one."""
        if self._one_step:
            return True
        if self.paused:
            return self.controls.asks_for_step
        return True

    def _advance(self) -> None:
        """Step the worlds, or begin the next episode where one is over and was shown long enough."""
        if not self._play.real.ended and self._selection.begins_episode:
            self._begin_episode()
        elif not self._play.real.ended:
            self._step_worlds()
        elif self.paused or self._end_ticks <= 1:
            self._begin_episode()
        else:
            self._end_ticks -= 1

    def _step_worlds(self) -> None:
        self._rewind_buffer.push()
        if 0 < self.settings.put_back_every <= self._play.counters.since_put_back:
            self._play.put_back()
        self._play.step(self._choose())

    def _begin_episode(self) -> None:
        self._rewind_buffer.push()
        self._play.begin_episode()
        self._leave_branches()

    def _take(self, event: InputEvent) -> bool:
        """Take one event; return whether there is something new to see."""
        if isinstance(event, SettingEvent):
            self._setting_changed(self.settings.take(event))
            return True
        if isinstance(event, AbsenceEvent):
            self.paused = True
            self.controls.stop_repeating()
            self._notify(event.notice)
            return True
        return self._latents.take(event) or self._execute(self._handle(event))

    def _handle(self, event: KeyEvent | AxisEvent | StickEvent | GroupEvent) -> Command | None:
        if isinstance(self.controls, BoxControls) or isinstance(event, KeyEvent):
            return self.controls.handle(event)  # type: ignore[arg-type]
        return None

    def _choose(self) -> Action:
        action, notice = self._selection.act()
        self._notify(notice)
        return self.controls.choose() if action is None else action

    def _leave_branches(self) -> None:
        """Show the worlds again, after they went elsewhere than one step further."""
        self._inspection.branches = None
        self._end_ticks = END_TICKS

    # ---- commands

    def _execute(self, command: Command | None) -> bool:
        if command is None:
            return False
        {
            Command.PUT_BACK: self._put_back,
            Command.NEW_EPISODE: self._begin_episode,
            Command.PAUSE: self._pause_or_run,
            Command.STEP: self._step_once,
            Command.REWIND: self._rewind,
            Command.TOGGLE_PLAYER: lambda: self._notify(self._selection.toggle()),
            Command.NEXT_PLAYER: self._choose_next_player,
            Command.BRANCHES: self._next_branches,
            Command.UNCERTAINTY: self._toggle_uncertainty,
            Command.LATENTS: self._toggle_latents,
            Command.NEXT_SETTING: self.settings.choose_next,
            Command.DECREASE: lambda: self._setting_changed(self.settings.change(-1)),
            Command.INCREASE: lambda: self._setting_changed(self.settings.change(1)),
            Command.SAVE: self._save,
            Command.LOAD: self._load,
            Command.PICTURE: self._request_picture,
            Command.VIEW: self._change_view,
            Command.FULL_SCREEN: _leave_to_the_window,
            Command.ZOOM: _leave_to_the_window,
            Command.HELP: self._show_or_hide_help,
            Command.QUIT: self._leave,
        }[command]()
        return True

    def _put_back(self) -> None:
        if not self._play.models:
            self._notify(NO_MODEL)
            return
        self._rewind_buffer.push()
        self._play.put_back()
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
        """Let the person play, who presses a key of an action."""
        self._inspection.branches = None
        self._notify(self._selection.take_over())

    def _choose_next_player(self) -> None:
        self._notify(self._selection.choose_next(self.controls.keys.label(Command.TOGGLE_PLAYER)))

    def _next_branches(self) -> None:
        if self._play.models:
            self._inspection.next_branches(self._play.counters.action)
        else:
            self._notify(NO_MODEL)

    def _toggle_uncertainty(self) -> None:
        if self._play.models:
            self._inspection.toggle_uncertainty()
        else:
            self._notify(NO_MODEL)

    def _toggle_latents(self) -> None:
        if self._play.models:
            self._latents.toggle()
        else:
            self._notify(NO_MODEL)

    def _setting_changed(self, changed: str) -> None:
        self._notify(changed)
        self.log.event(changed)
        if self._play.policy:
            self._play.policy.decide_again()

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
        """Leave the help and the branches, or else the pane of latents, or else the player."""
        if self.help_shown or self._inspection.branches:
            self.help_shown, self._inspection.branches = False, None
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
        """Undo the last step, put-back or new episode, and pause, or it would be stepped again at once."""
        self.paused = True
        if self._rewind_buffer.pop():
            self._leave_branches()
        else:
            self._notify("this is as far back as it goes" if self._play.save() else CANNOT_SAVE)

    # ---- snapshots

    def snapshot(self) -> Snapshot:
        """Return everything that is to be seen now."""
        play, now, branches = self._play, self._play.counters, self._inspection.branches
        panel = play.policy.panel if play.policy else None
        return Snapshot(
            title=self._title,
            level_seed=play.real.info.get("level_seed"),
            clock=self._clock_state,
            player=self._selection.name,
            action=self.controls.text(now.action),
            episode=now.episode,
            step=now.step,
            since_put_back=now.since_put_back,
            alone=play.real.frozen,
            real=play.real_snapshot,
            models=play.model_snapshots,
            policy_panel=panel,
            branches=branches.snapshot() if branches else None,
            settings=tuple((setting.name, setting.text) for setting in self.settings.rows),
            chosen=self.settings.chosen,
            totals=now.totals,
            notice=self._notice,
            help_shown=self.help_shown,
            history=tuple(play.history),
            ranges=play.ranges.ranges,
            box_panel=self._box_panel(panel),
            latents=self._latents.snapshot(),
        )

    def _box_panel(self, policy: PolicyPanel | None) -> BoxPanel | None:
        """Return the numbers of a box of actions: those that the person holds, or that another player took.

        The policy's next choice would only confuse where it plays itself.
        """
        player = self._selection.name
        last = None if player == YOU else self._play.counters.action
        return self.controls.panel(policy, last, shows_choice=player != "policy")

    @property
    def _clock_state(self) -> ClockState:
        if self._play.real.ended:
            return "episode over"
        return "paused" if self.paused else "running"

    def _notify(self, notice: str) -> None:
        """Show a message for a while; an empty one leaves the message before it."""
        if notice:
            self._notice, self._notice_ticks = notice, NOTICE_TICKS


def _leave_to_the_window() -> None:
    """Do nothing: size and place of the window are its own."""
