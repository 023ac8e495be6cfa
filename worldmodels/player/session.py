"""The logic of playing: key events in, one tick of the clock after the other, and a snapshot of everything to draw.

Nothing here knows pygame or TensorFlow, and nothing looks at a real clock: the same events at the same ticks always
give the same snapshots.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from worldmodels.player.branches import Branches
from worldmodels.player.controls import Command, Controls, KeyEvent
from worldmodels.player.journal import Journal
from worldmodels.player.players import Player
from worldmodels.player.playthrough import Playthrough
from worldmodels.player.seat import Seat
from worldmodels.player.settings import Settings
from worldmodels.player.snapshot import Clock, Snapshot, Totals
from worldmodels.player.tape import Tape
from worldmodels.player.worlds import CROWD, ModelWorld, RealWorld, RecordedWorld

NOTICE_TICKS = 30
"""How long a message stays."""
END_TICKS = 12
"""How long the last picture of an episode stays before the next one begins."""
CANNOT_SAVE = "this environment cannot save its state"
NO_MODEL = "there is no world model here"


class Pending(NamedTuple):
    """Something that takes long and has to be done before the next tick."""

    status: str
    """For people."""
    work: Callable[[], None]


class Session:
    """Plays a real world, beside it learned ones if there are any, all by the same actions.

    Args:
        title: the game's name for people.
        real: one that is frozen gives first frames alone; then the models are played without it.
        models: none: the real world is played alone.
        players: who can play for the person; the first one does when asked.
        playing: the name of who plays from the start; empty: the person.
    """

    def __init__(
        self,
        title: str,
        real: RealWorld | RecordedWorld,
        controls: Controls,
        settings: Settings,
        models: Sequence[ModelWorld] = (),
        players: Sequence[Player] = (),
        playing: str = "",
    ) -> None:
        self._title, self.controls, self.settings = title, controls, settings
        self._play = Playthrough(real, models, players, controls.idle)
        self._tape = Tape(self._play)
        self._seat = Seat(players, playing)
        self.paused = self.help_shown = self.quit = False
        self.pictures = 0
        """How many pictures were asked for; whoever draws writes them."""
        self.pending: Pending | None = None
        self._end_ticks = END_TICKS
        self._notice, self._notice_ticks = "", 0
        self._one_step = False
        self._crowd_is_ready = False
        self._branches: Branches | None = None
        self._branches_by_action = False
        if playing not in ("", self._seat.name):
            self._tell(f"no {playing} here: you play")

    @property
    def totals(self) -> Totals:
        """Of the episodes that came to their end."""
        return self._play.counters.totals

    @property
    def journal(self) -> Journal:
        """What was done."""
        return self._play.journal

    # ---- the clock

    def tick(self, events: Iterable[KeyEvent] = ()) -> bool:
        """One turn of the clock; True if there is something new to see. Worlds wait while something is pending."""
        changed = self._count_down()
        for event in events:
            changed |= self._obey(self.controls.handle(event))
        changed |= self._obey(self.controls.repeated_command)
        if self.controls.touched:
            self._take_over()
        if self._branches and not self.help_shown:
            self._branches.step(self.settings.temperature)
            changed = True
        elif not self.help_shown and self.pending is None and self._is_due():
            self._advance()
            changed = True
        self._one_step = False
        self.controls.end_tick()
        return changed

    def do_pending(self) -> None:
        """What is pending, here and now."""
        if self.pending:
            self.pending.work()
            self.pending = None

    def warm_up(self) -> None:
        """Let models compile what only a step calls; changes nothing that can be seen."""
        for model in self._play.models:
            model.warm_up()

    def _count_down(self) -> bool:
        """The message grows old; True if it vanishes now."""
        self._notice_ticks -= 1
        if self._notice_ticks != 0:
            return False
        self._notice = ""
        return True

    def _is_due(self) -> bool:
        """Whether this tick is a step of the worlds. Paused, only a key makes it one."""
        if self._one_step:
            return True
        if self.paused:
            return self.controls.touched or self.controls.repeats
        return True

    def _advance(self) -> None:
        """A step, or, when an episode is over and was shown long enough, the next episode."""
        if not self._play.real.ended:
            self._step_worlds()
        elif self.paused or self._end_ticks <= 1:
            self._begin_episode()
        else:
            self._end_ticks -= 1

    def _step_worlds(self) -> None:
        self._tape.remember()
        if 0 < self.settings.put_back_every <= self._play.counters.since_put_back:
            self._play.put_back()
        self._play.step(self._choose())

    def _begin_episode(self) -> None:
        self._tape.remember()
        self._play.begin_episode()
        self._look_from_here()

    def _choose(self) -> int:
        action, notice = self._seat.act()
        self._tell(notice)
        return self.controls.choose() if action is None else action

    def _look_from_here(self) -> None:
        """The worlds are somewhere else than one step further."""
        self._branches = None
        self._end_ticks = END_TICKS

    # ---- commands

    def _obey(self, command: Command | None) -> bool:
        if command is None:
            return False
        {
            Command.PUT_BACK: self._ask_to_put_back,
            Command.NEW_EPISODE: self._begin_episode,
            Command.PAUSE: self._pause_or_run,
            Command.STEP: self._ask_for_step,
            Command.REWIND: self._rewind,
            Command.PLAYER: lambda: self._tell(self._seat.give_or_take()),
            Command.WHO: lambda: self._tell(self._seat.choose_next()),
            Command.BRANCH: self._branch,
            Command.DOUBT: self._doubt,
            Command.SETTING: self.settings.choose_next,
            Command.LESS: lambda: self._change_setting(-1),
            Command.MORE: lambda: self._change_setting(1),
            Command.SAVE: self._save,
            Command.LOAD: self._load,
            Command.PICTURE: self._ask_for_picture,
            Command.VIEW: self._change_view,
            Command.HELP: self._show_or_hide_help,
            Command.QUIT: self._leave,
        }[command]()
        return True

    def _ask_to_put_back(self) -> None:
        if not self._play.models:
            self._tell(NO_MODEL)
            return
        self._tape.remember()
        self._play.put_back()
        self.journal.event("put back")
        self._tell("put back on the real state")

    def _pause_or_run(self) -> None:
        self.paused = not self.paused
        self.controls.stop_repeating()

    def _ask_for_step(self) -> None:
        self.paused = self._one_step = True
        self._branches = None
        self.controls.stop_repeating()

    def _take_over(self) -> None:
        """The person presses a key that moves."""
        self._branches = None
        self._tell(self._seat.take())

    def _branch(self) -> None:
        """First with other samples, then with each action, then no more."""
        if not self._play.models:
            self._tell(NO_MODEL)
        elif self._branches and self._branches_by_action:
            self._branches = None
        else:
            self._branches_by_action = self._branches is not None
            self._with_crowd(self._begin_branches)

    def _begin_branches(self) -> None:
        names = self.controls.names
        actions, labels, what = list(range(len(names))), list(names), "each action, held"
        if not self._branches_by_action:
            action = self._play.counters.action
            actions, labels = [action] * CROWD, [str(i + 1) for i in range(CROWD)]
            what = f"samples, all under: {names[action]}"
        self._branches = Branches(self._play.models[0], actions, labels, self.settings.branch_steps)
        self._tell(what)

    def _doubt(self) -> None:
        if not self._play.models:
            self._tell(NO_MODEL)
            return
        wanted = not self._play.models[0].doubts

        def change() -> None:
            for model in self._play.models:
                model.doubts = wanted
                model.doubt = None

        self._with_crowd(change)
        self._tell("where samples of the next step differ" if wanted else "no more heat map")

    def _with_crowd(self, work: Callable[[], None]) -> None:
        """Do what needs many samples at once; the first time that takes a while."""
        if self._crowd_is_ready:
            work()
            return

        def prepare() -> None:
            for model in self._play.models:
                model.warm_up_crowd()
            self._crowd_is_ready = True
            work()

        self.pending = Pending("Compiling many samples", prepare)

    def _change_setting(self, rungs: int) -> None:
        changed = self.settings.change(rungs)
        self._tell(changed)
        self.journal.event(changed)
        if self._play.policy:
            self._play.policy.think_again()

    def _ask_for_picture(self) -> None:
        self.pictures += 1
        self._tell("picture saved")

    def _change_view(self) -> None:
        if self._play.models:
            self._tell("beside a model, the game is shown as the agent sees it")
            return
        self._play.real.human_view = not self._play.real.human_view
        self._tell("people's view" if self._play.real.human_view else "the agent's view")

    def _show_or_hide_help(self) -> None:
        self.help_shown = not self.help_shown

    def _leave(self) -> None:
        """Esc first leaves the help, then the branches."""
        if self.help_shown or self._branches:
            self.help_shown, self._branches = False, None
        else:
            self.quit = True

    def _save(self) -> None:
        self._tell("saved; F1 comes back to here" if self._tape.keep() else CANNOT_SAVE)

    def _load(self) -> None:
        if self._tape.go_to_kept():
            self._look_from_here()
            self._tell("back at the saved moment")
        else:
            self._tell("nothing is saved yet: Shift F1 saves")

    def _rewind(self) -> None:
        """To before the last step, put-back or new episode; the clock stops, or it would be stepped again at once."""
        self.paused = True
        if self._tape.rewind():
            self._look_from_here()
        else:
            self._tell("this is as far back as it goes" if self._play.save() else CANNOT_SAVE)

    # ---- what is seen

    def snapshot(self) -> Snapshot:
        """What is to be seen now."""
        play, now = self._play, self._play.counters
        return Snapshot(
            title=self._title,
            level_seed=play.real.info.get("level_seed"),
            clock=self._clock,
            player=self._seat.name,
            action=self.controls.meanings[now.action],
            episode=now.episode,
            step=now.step,
            since_put_back=now.since_put_back,
            alone=play.real.frozen,
            real=play.real_side,
            models=play.model_sides,
            mind=play.policy.mind if play.policy else None,
            branches=self._branches.view() if self._branches else None,
            settings=tuple((setting.name, setting.text) for setting in self.settings.rows),
            chosen=self.settings.chosen,
            totals=now.totals,
            notice=self._notice,
            help_shown=self.help_shown,
            history=tuple(play.history),
        )

    @property
    def _clock(self) -> Clock:
        if self._play.real.ended:
            return "episode over"
        return "paused" if self.paused else "running"

    def _tell(self, notice: str) -> None:
        """For a while; nothing to say leaves what was said."""
        if notice:
            self._notice, self._notice_ticks = notice, NOTICE_TICKS
