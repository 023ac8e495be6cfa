"""The logic of playing: key events in, one tick of the clock after the other, and a snapshot of everything to draw.

Nothing here knows pygame or TensorFlow, and nothing looks at a real clock: the same events at the same ticks always
give the same snapshots.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from worldmodels.player.branches import Branches
from worldmodels.player.controls import Command, Controls, KeyEvent
from worldmodels.player.journal import Journal
from worldmodels.player.panes import image_error
from worldmodels.player.players import Player, PolicyPlayer
from worldmodels.player.settings import Settings
from worldmodels.player.snapshot import LEFT, Foretold, ModelSide, Moment, RealSide, Snapshot, Totals
from worldmodels.player.worlds import CROWD, ModelWorld, RealMoment, RealWorld, RecordedWorld, Watcher

HISTORY = 300
"""Steps on the time line."""
REWIND = 1000
"""Steps that can be taken back."""
NOTICE_TICKS = 30
"""How long a message stays."""
END_TICKS = 12
"""How long the last picture of an episode stays before the next one begins."""
CANNOT_SAVE = "this environment cannot save its state"
YOU = "you"


class Pending(NamedTuple):
    """Something that takes long and has to be done before the next tick."""

    status: str
    """For people."""
    work: Callable[[], None]


class _SavedMoment(NamedTuple):
    """Everything that it takes to go on from here exactly."""

    real: RealMoment
    others: tuple[Any, ...]
    """Of watchers, models and players."""
    counters: dict[str, Any]
    history: tuple[Moment, ...]


_COUNTERS = (
    *("_action", "_step", "_since_put_back", "_real_return", "_model_returns", "_models_ended", "_end_ticks"),
    *("_episode", "totals"),
)


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
        self._title, self._real, self.controls, self.settings = title, real, controls, settings
        self._models, self._players = tuple(models), tuple(players)
        self._policy = next((player for player in players if isinstance(player, PolicyPlayer)), None)
        watchers = [*(model.watcher for model in models), *([self._policy.watcher] if self._policy else [])]
        self._watchers: tuple[Watcher, ...] = tuple(dict.fromkeys(watchers))
        self._playing = next((player for player in players if player.name == playing), None)
        self._next_player = self._playing or next(iter(self._players), None)
        self.paused = self.help_shown = self.quit = False
        self.pictures = 0
        """How many pictures were asked for; whoever draws writes them."""
        self.pending: Pending | None = None
        self.journal = Journal()
        self.totals = Totals()
        self._history: deque[Moment] = deque(maxlen=HISTORY)
        self._episode = 0
        self._notice, self._notice_ticks = "", 0
        self._one_step = False
        self._crowd_is_ready = False
        self._branches: Branches | None = None
        self._branches_by_action = False
        self._saved: _SavedMoment | None = None
        self._past: deque[_SavedMoment] = deque(maxlen=REWIND)
        self._begin_episode()
        if playing and self._playing is None:
            self._tell(f"no {playing} here: you play")

    # ---- the clock

    def tick(self, events: Iterable[KeyEvent] = ()) -> bool:
        """One turn of the clock; True if there is something new to see. What is pending is done first."""
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
        for model in self._models:
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
        if not self._real.ended:
            self._remember()
            self._step_worlds()
        elif self.paused or self._end_ticks <= 1:
            self._remember()
            self._begin_episode()
        else:
            self._end_ticks -= 1

    # ---- commands

    def _obey(self, command: Command | None) -> bool:
        if command is None:
            return False
        {
            Command.PUT_BACK: self._ask_to_put_back,
            Command.NEW_EPISODE: self._ask_for_episode,
            Command.PAUSE: self._pause_or_run,
            Command.STEP: self._ask_for_step,
            Command.REWIND: self._rewind,
            Command.PLAYER: self._give_away,
            Command.WHO: self._choose_player,
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
        if not self._models:
            self._tell("there is no world model here")
            return
        self._remember()
        self._put_back()
        self.journal.event("put back")
        self._tell("put back on the real state")

    def _ask_for_episode(self) -> None:
        self._remember()
        self._begin_episode()

    def _pause_or_run(self) -> None:
        self.paused = not self.paused
        self.controls.stop_repeating()

    def _ask_for_step(self) -> None:
        self.paused = self._one_step = True
        self._branches = None
        self.controls.stop_repeating()

    def _give_away(self) -> None:
        if self._next_player is None:
            self._tell("nobody here plays but you")
            return
        self._playing = None if self._playing else self._next_player
        self._tell(f"{self._playing.title} plays" if self._playing else "you play")

    def _choose_player(self) -> None:
        if self._next_player is None:
            self._tell("nobody here plays but you")
            return
        place = self._players.index(self._next_player)
        self._next_player = self._players[(place + 1) % len(self._players)]
        if self._playing:
            self._playing = self._next_player
        self._tell(f"{self._next_player.title} plays when you press P")

    def _take_over(self) -> None:
        """The person presses a key that moves."""
        self._branches = None
        if self._playing:
            self._playing = None
            self._tell("you play")

    def _branch(self) -> None:
        """First with other samples, then with each action, then no more."""
        if not self._models:
            self._tell("there is no world model here")
        elif self._branches and self._branches_by_action:
            self._branches = None
        else:
            self._branches_by_action = self._branches is not None
            self._with_crowd(self._begin_branches)

    def _begin_branches(self) -> None:
        names = self.controls.names
        actions, labels, what = list(range(len(names))), list(names), "each action, held"
        if not self._branches_by_action:
            actions, labels = [self._action] * CROWD, [f"sample {i + 1}" for i in range(CROWD)]
            what = f"samples, all under: {names[self._action]}"
        self._branches = Branches(self._models[0], actions, labels, self.settings.branch_steps)
        self._tell(what)

    def _doubt(self) -> None:
        if not self._models:
            self._tell("there is no world model here")
            return
        wanted = not self._models[0].doubts

        def change() -> None:
            for model in self._models:
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
            for model in self._models:
                model.warm_up_crowd()
            self._crowd_is_ready = True
            work()

        self.pending = Pending("Compiling many samples", prepare)

    def _change_setting(self, rungs: int) -> None:
        changed = self.settings.change(rungs)
        self._tell(changed)
        self.journal.event(changed)
        if self._policy:
            self._policy.think_again()

    def _ask_for_picture(self) -> None:
        self.pictures += 1
        self._tell("picture saved")

    def _change_view(self) -> None:
        if self._models:
            self._tell("beside a model, the game is shown as the agent sees it")
            return
        self._real.human_view = not self._real.human_view
        self._tell("people's view" if self._real.human_view else "the agent's view")

    def _show_or_hide_help(self) -> None:
        self.help_shown = not self.help_shown

    def _leave(self) -> None:
        """Esc first leaves the help, then the branches."""
        if self.help_shown or self._branches:
            self.help_shown, self._branches = False, None
        else:
            self.quit = True

    # ---- moments

    def _save(self) -> None:
        self._saved = self._now()
        self._tell("saved; F1 comes back to here" if self._saved else CANNOT_SAVE)

    def _load(self) -> None:
        if self._saved is None:
            self._tell("nothing is saved yet: Shift F1 saves")
            return
        self._remember()
        self._go_to(self._saved)
        self._tell("back at the saved moment")

    def _rewind(self) -> None:
        """To before the last step, put-back or new episode; the clock stops, or it would be stepped again at once."""
        self.paused = True
        if self._past:
            self._go_to(self._past.pop())
        else:
            self._tell("this is as far back as it goes" if self._now() else CANNOT_SAVE)

    def _remember(self) -> None:
        """Before the worlds change."""
        now = self._now()
        if now is not None:
            self._past.append(now)

    def _now(self) -> _SavedMoment | None:
        """This moment, or None where the environment cannot save its state."""
        real = self._real.save()
        if real is None:
            return None
        counters = {name: getattr(self, name) for name in _COUNTERS}
        others = tuple(part.save() for part in self._others())
        return _SavedMoment(real, others, counters, tuple(self._history))

    def _go_to(self, moment: _SavedMoment) -> None:
        """All goes on from there as it did then, samples included."""
        self._real.load(moment.real)
        for part, state in zip(self._others(), moment.others, strict=True):
            part.load(state)
        for name, value in moment.counters.items():
            setattr(self, name, value)
        self._history = deque(moment.history, maxlen=HISTORY)
        self._branches = None

    def _others(self) -> tuple[Watcher | ModelWorld | Player | Journal, ...]:
        """What has a state besides the real world; watchers first, since models look at theirs."""
        return *self._watchers, *self._models, *self._players, self.journal

    # ---- the worlds

    def _begin_episode(self) -> None:
        self._real.reset()
        self.journal.episode(self._real.observation)
        self._episode += 1
        self._step = self._since_put_back = 0
        self._real_return = 0.0
        self._model_returns = (0.0,) * len(self._models)
        self._action = self.controls.idle
        self._end_ticks = END_TICKS
        self._branches = None
        for watcher in self._watchers:
            watcher.reset(self._real.first)
            for action, observation in self._real.context:
                watcher.step(action, observation)
        for model in self._models:
            model.put_back()
            model.look_at_reality()
        self._models_ended = (False,) * len(self._models)
        for player in self._players:
            player.reset()
        self._history.append(self._moment(mark="episode"))

    def _put_back(self) -> None:
        for model in self._models:
            model.put_back()
        # From here on the difference of the returns is what the model got wrong since now.
        self._model_returns = (self._real_return,) * len(self._models)
        self._since_put_back = 0
        self._models_ended = tuple(model.continuation < 0.5 for model in self._models)
        self._history.append(self._moment(mark="put back"))

    def _step_worlds(self) -> None:
        if 0 < self.settings.put_back_every <= self._since_put_back:
            self._put_back()
        self._action = self._choose()
        self._step += 1
        self._step_models()
        if not self._real.frozen:
            self._step_reality()
        for player in self._players:
            player.see()
        self._history.append(self._moment())
        if self._real.ended:
            model_return = self._model_returns[0] if self._models else 0.0
            self.totals = self.totals.plus(self._step, self._real_return, model_return)

    def _step_reality(self) -> None:
        """After the models, which are not to see where the action really leads."""
        self._real.step(self._action)
        self._real_return += self._real.reward
        self.journal.action(self._action, self._real.observation)
        for watcher in self._watchers:
            watcher.step(self._action, self._real.observation)
        for model in self._models:
            model.look_at_reality()

    def _choose(self) -> int:
        action = self._playing.act() if self._playing else None
        if action is None and self._playing:
            self._tell(f"{self._playing.title} has come to its end: you play")
            self._playing = None
        return self.controls.choose() if action is None else action

    def _step_models(self) -> None:
        for model in self._models:
            model.step(self._action)
        self._since_put_back += 1
        self._model_returns = tuple(
            total + model.reward for total, model in zip(self._model_returns, self._models, strict=True)
        )
        self._models_ended = tuple(
            ended or model.continuation < 0.5 for ended, model in zip(self._models_ended, self._models, strict=True)
        )

    # ---- what is seen

    def snapshot(self) -> Snapshot:
        """What is to be seen now."""
        return Snapshot(
            title=self._title,
            level_seed=self._real.info.get("level_seed"),
            clock="episode over" if self._real.ended else "paused" if self.paused else "running",
            player=self._playing.name if self._playing else YOU,
            action=self.controls.meanings[self._action],
            episode=self._episode,
            step=self._step,
            since_put_back=self._since_put_back,
            alone=self._real.frozen,
            real=RealSide(self._real.frame, self._real.reward, self._real_return),
            models=tuple(map(self._side, range(len(self._models)))),
            mind=self._policy.mind if self._policy else None,
            branches=self._branches.view() if self._branches else None,
            settings=tuple((setting.name, setting.text) for setting in self.settings.rows),
            chosen=self.settings.chosen,
            totals=self.totals,
            notice=self._notice,
            help_shown=self.help_shown,
            history=tuple(self._history),
        )

    def _side(self, i: int) -> ModelSide:
        model = self._models[i]
        return ModelSide(
            name=model.name,
            frame=model.frame,
            seen=model.seen,
            doubt=model.doubt,
            reward=model.reward,
            episode_return=self._model_returns[i],
            continuation=model.continuation,
            ended=self._models_ended[i],
        )

    def _moment(self, mark: str = "") -> Moment:
        foretold = tuple(self._foretold(model, mark) for model in self._models)
        left = bool(foretold) and not mark and foretold[0].image_error >= LEFT and not self._had_left()
        return Moment(self._real.reward, foretold, mark, left)

    def _had_left(self) -> bool:
        """Whether the first model left reality before, since it was last put back."""
        for moment in reversed(self._history):
            if moment.left or moment.mark:
                return moment.left
        return False

    def _foretold(self, model: ModelWorld, mark: str) -> Foretold:
        reward = 0.0 if mark else model.reward
        if self._real.frozen:
            return Foretold(reward, model.continuation, 0.0)
        truth = self._real.observation
        seeing = None if model.seen is None else image_error(model.seen, truth)
        return Foretold(reward, model.continuation, image_error(model.frame, truth), seeing)

    def _tell(self, notice: str) -> None:
        self._notice, self._notice_ticks = notice, NOTICE_TICKS
