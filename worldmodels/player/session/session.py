"""The session: it takes events, steps the worlds at each tick of the clock, and gives a snapshot to draw.

The session imports neither pygame nor TensorFlow and reads no real clock: the same events at the same ticks always give
the same snapshots.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from worldmodels.player.session.background_task import BackgroundTask, Newcomers
from worldmodels.player.session.commands import SessionCommands
from worldmodels.player.session.controls.box_controls import BoxControls
from worldmodels.player.session.controls.key_table import Command
from worldmodels.player.session.events import (
    AbsenceEvent,
    AxisEvent,
    DrawEvent,
    EpisodeEvent,
    GroupEvent,
    InputEvent,
    KeyEvent,
    SeekEvent,
    SettingEvent,
    StickEvent,
)
from worldmodels.player.session.players import YOU
from worldmodels.player.session.snapshot import (
    DIVERGENCE_ERROR,
    AwaitedModels,
    BoxPanel,
    ClockState,
    PolicyPanel,
    Snapshot,
    Totals,
)
from worldmodels.player.session.worlds.inspection import PendingWork
from worldmodels.recordings.action_recording import Action

BEFORE_SURPRISE = 20
"""Steps from the moment that is shown to a surprise; while it is looked for, the model is put back as often."""
SEARCHED_EACH_TICK, LONGEST_SEARCH = 10, 3000
"""Steps of that search at a tick, and in all."""


class Session(SessionCommands):
    """A session plays a real world, and learned ones beside it if there are any, all by the same actions."""

    @property
    def totals(self) -> Totals:
        """The totals of the episodes that came to their end."""
        return self._play.counters.totals

    @property
    def pending(self) -> PendingWork | None:
        """The work that takes long and has to be done before the next tick, if any."""
        return self._inspection.pending

    # ---- what is loaded while the real game is played

    def wait_for(self, loading: BackgroundTask[Newcomers], names: Sequence[str], reconstructs: bool) -> None:
        """Let the newcomers of `loading` join as soon as they are loaded.

        Args:
            names: of the learned worlds among them.
            reconstructs: the first one has its own picture of the real frame.
        """
        self._loading, self._awaited, self.begins_with_game = loading, (tuple(names), reconstructs), True

    def join(self, newcomers: Newcomers, playing: str = "") -> None:
        """Add learned worlds and a policy; the models predict on from the real state. Earlier steps are not undone.

        Args:
            playing: the name of the player from now on; empty for the present one.
        """
        self._play.join(newcomers.models, newcomers.policy, newcomers.ranges)
        self._checkpoints = newcomers.checkpoints
        self._set_players(playing or self._selection.name)
        self._episodes.world = newcomers.episodes
        if self._play.models and self._play.counters.step:
            self.log.event("put back")

    def stop_loading(self) -> None:
        """Load no further, because play ends."""
        if self._loading:
            self._loading.stop()

    @property
    def awaits(self) -> bool:
        """Whether newcomers are still loaded."""
        return self._loading is not None

    def welcome(self) -> bool:
        """Let newcomers join if they are loaded by now, or raise their loading's error; return whether they did."""
        if self._loading is None or self._loading.running:
            return False
        loading, self._loading = self._loading, None
        self.join(loading.result())
        return True

    @property
    def _awaited_models(self) -> AwaitedModels | None:
        return AwaitedModels(*self._awaited, self._loading.status) if self._loading else None

    # ---- the clock

    def tick(self, events: Iterable[InputEvent] = ()) -> bool:
        """Do one tick of the clock; return whether there is something new to see. Worlds wait while work is pending."""
        changed, self._told = self._count_down() or self._told, False
        for event in events:
            changed |= self._take(event)
        changed |= self._put_on_drawn()
        changed |= self._execute(self.controls.repeated_command) | self._latents.tick()
        if self.controls.touched:
            self._take_over()
            changed = True
        waits = self.help_shown or self._episodes.shown
        if self._inspection.branches and not waits:
            self._inspection.branches.step(self.settings.temperature)
            changed = True
        elif not waits and self.pending is None and self._is_due():
            self._advance()
            changed = True
        self._one_step = False
        self.controls.end_tick()
        return changed

    def do_pending(self) -> None:
        """Do the pending work here and now, if there is any."""
        self._inspection.do_pending()

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
        """Step the worlds, or begin the next episode if the last one is over and was shown long enough."""
        if not self._play.real.ended and self._selection.begins_episode:
            self._begin_episode()
        elif self._searched is not None:
            self._search_on()
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

    def _search_on(self) -> None:
        """Let the policy take steps, up to a surprise: the model is far off, or an episode ends without a reward."""
        play = self._play
        for _ in range(SEARCHED_EACH_TICK):
            self._rewind_buffer.push()
            if play.real.ended:
                play.begin_episode()
                continue
            if play.counters.since_put_back >= BEFORE_SURPRISE:
                play.put_back()
            recorded = play.recorded.action if play.recorded else None
            play.step(recorded if recorded is not None else play.policy.act() if play.policy else self.controls.idle)
            self._searched = (self._searched or 0) + 1
            is_far = play.history[-1].models[0].image_error >= DIVERGENCE_ERROR
            if is_far or (play.real.ended and play.real.reward <= 0):
                self._show_surprise("the model is far off" if is_far else "the episode ends without a reward")
                return
        if self._searched is not None and self._searched >= LONGEST_SEARCH:
            self._searched, self.paused = None, True
            self._notify(f"no surprise in {LONGEST_SEARCH:,} steps")

    def _show_surprise(self, what: str) -> None:
        """Pause some steps before the present, which stays on the time line."""
        surprise = self._play.counters.step
        back = min(BEFORE_SURPRISE, surprise)
        while self._play.counters.step > surprise - back and self._rewind_buffer.pop():
            pass
        self._searched, self.paused = None, True
        self._leave_branches()
        self._notify(f"in {back} steps: {what}")

    def _take(self, event: InputEvent) -> bool:
        """Take one event; return whether there is something new to see."""
        self._searched = None if event.pressed else self._searched
        if isinstance(event, SeekEvent):
            self._seek(self._rewind_buffer.seek(len(self._rewind_buffer.line[0]) - 1 - event.back))
            return True
        if isinstance(event, SettingEvent):
            self._setting_changed(self.settings.take(event))
            return True
        if isinstance(event, AbsenceEvent):
            self.paused = True
            self.controls.stop_repeating()
            self._notify(event.notice)
            return True
        if isinstance(event, DrawEvent):
            self._drawing.take(event)
            return True
        self._put_on_drawn()
        if self._episodes.take(event):
            if not self._episodes.shown:
                self._begin_chosen()
            return True
        if isinstance(event, EpisodeEvent):
            return False
        return self._latents.take(event) or self._execute(self._handle(event))

    def _put_on_drawn(self) -> bool:
        """Put the models on what was painted; return whether there was anything."""
        if not self._drawing.put_on_painted():
            return False
        self.log.event("put on a changed frame")
        return True

    def _begin_chosen(self) -> None:
        """Play what was chosen in the list of episodes."""
        self.paused = False
        self._leave_branches()
        self._follow_episode(anew=True)

    def _handle(self, event: KeyEvent | AxisEvent | StickEvent | GroupEvent) -> Command | None:
        if isinstance(self.controls, BoxControls) or isinstance(event, KeyEvent):
            return self.controls.handle(event)  # type: ignore[arg-type]
        return None

    def _choose(self) -> Action:
        action, notice = self._selection.act()
        self._notify(notice)
        return self.controls.choose() if action is None else action

    # ---- snapshots

    def snapshot(self) -> Snapshot:
        """Return everything that is to be seen now."""
        play, now, branches = self._play, self._play.counters, self._inspection.branches
        line, present = self._rewind_buffer.line
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
            alone=play.alone,
            real=play.real_snapshot,
            models=play.model_snapshots,
            policy_panel=panel,
            branches=branches.snapshot() if branches else None,
            settings=tuple((setting.name, setting.text) for setting in self.settings.rows),
            chosen=self.settings.chosen,
            totals=now.totals,
            notice=self._notice,
            help_shown=self.help_shown,
            history=line,
            present=present,
            ranges=play.ranges.ranges,
            box_panel=self._box_panel(panel),
            latents=self._latents.snapshot(),
            checkpoint=f"{self._checkpoints.step:,}" if self._checkpoints else "",
            awaited=self._awaited_models,
            recorded=play.recorded.snapshot if play.recorded else None,
            drawing=self._drawing.snapshot(),
            drawn=now.drawn,
            info=self._info.snapshot(),
            episodes=self._episodes.snapshot(),
        )

    def _box_panel(self, policy: PolicyPanel | None) -> BoxPanel | None:
        """Return the panel of a box of actions: the numbers of the person, or the last action of another player.

        The policy's next choice is hidden while the policy plays.
        """
        player = self._selection.name
        last = None if player == YOU else self._play.counters.action
        return self.controls.panel(policy, last, shows_choice=player != "policy")

    @property
    def _clock_state(self) -> ClockState:
        if self._play.real.ended:
            return "episode over"
        return "paused" if self.paused else "running"
