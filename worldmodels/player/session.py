"""The logic of playing: key events in, one tick of the clock after the other, and a snapshot of everything to draw.

Nothing here knows pygame or TensorFlow, and nothing looks at a real clock: the same events at the same ticks always
give the same snapshots.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from worldmodels.player.controls import Command, Controls, KeyEvent
from worldmodels.player.panes import image_error
from worldmodels.player.snapshot import ModelSide, Moment, RealSide, Snapshot, Totals
from worldmodels.player.worlds import ModelWorld, PolicyPlayer, RealMoment, RealWorld, Watcher

HISTORY = 300
"""Steps on the time line."""
CANNOT_SAVE = "this environment cannot save its state"
NOTICE_TICKS = 30
"""How long a message stays."""
END_TICKS = 12
"""How long the last picture of an episode stays before the next one begins."""
REWIND = 1000
"""Steps that can be taken back."""


@dataclass(frozen=True)
class _SavedMoment:
    """Both worlds, the policy, and what was counted: enough to go on from here exactly."""

    real: RealMoment
    others: tuple[Any, ...]
    """Of the watcher, the model and the policy, those that there are."""
    counters: dict[str, Any]
    history: tuple[Moment, ...]


_COUNTERS = (
    *("_action", "_step", "_since_put_back", "_real_return", "_model_return", "_model_ended", "_end_ticks"),
    *("_episode", "totals"),
)


class Session:
    """Plays a real world, beside it a learned one if there is one, both by the same actions.

    Args:
        title: the game's name for people.
        model: left out, the real world is played alone.
        policy: left out, only the person plays. Beside a model, both share one watcher.
        put_back_every: put the model back on the real state after this many steps; 0: only when asked.
        policy_plays: from the start.
    """

    def __init__(
        self,
        title: str,
        real: RealWorld,
        controls: Controls,
        model: ModelWorld | None = None,
        policy: PolicyPlayer | None = None,
        put_back_every: int = 0,
        policy_plays: bool = False,
    ) -> None:
        self._title, self._real, self.controls, self._model, self._policy = title, real, controls, model, policy
        source = model or policy
        self._watcher = source.watcher if source else None
        self._put_back_every = put_back_every
        self.policy_plays = policy_plays and policy is not None
        self.paused = self.help_shown = self.quit = False
        self.totals = Totals()
        self._history: deque[Moment] = deque(maxlen=HISTORY)
        self._episode = 0
        self._notice, self._notice_ticks = "", 0
        self._one_step = False
        self._saved: _SavedMoment | None = None
        self._past: deque[_SavedMoment] = deque(maxlen=REWIND)
        self._begin_episode()
        if policy_plays and policy is None:
            self._tell("no policy here: you play")

    def tick(self, events: Iterable[KeyEvent] = ()) -> bool:
        """One turn of the clock; True if there is something new to see."""
        changed = self._count_down()
        for event in events:
            command = self.controls.handle(event)
            if command is not None:
                self._obey(command)
                changed = True
        if (command := self.controls.repeated_command) is not None:
            self._obey(command)
            changed = True
        if self.controls.touched and self.policy_plays:
            self.policy_plays = False
            self._tell("you play")
        if not self.help_shown and self._is_due():
            self._advance()
            changed = True
        self._one_step = False
        self.controls.end_tick()
        return changed

    def warm_up(self) -> None:
        """Let the model compile what only a step calls; changes nothing that can be seen."""
        for part in (self._model, self._policy):
            if part:
                part.warm_up()

    def snapshot(self) -> Snapshot:
        """What is to be seen now."""
        return Snapshot(
            title=self._title,
            level_seed=self._real.info.get("level_seed"),
            clock="episode over" if self._real.ended else "paused" if self.paused else "running",
            player="policy" if self.policy_plays else "you",
            action=self.controls.meanings[self._action],
            episode=self._episode,
            step=self._step,
            since_put_back=self._since_put_back,
            real=RealSide(self._real.frame, self._real.reward, self._real_return),
            model=self._model_side(),
            totals=self.totals,
            notice=self._notice,
            help_shown=self.help_shown,
            history=tuple(self._history),
        )

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

    def _obey(self, command: Command) -> None:
        if command is Command.PUT_BACK:
            self._remember()
            self._put_back("put back on the real state")
        elif command is Command.NEW_EPISODE:
            self._remember()
            self._begin_episode()
        elif command is Command.REWIND:
            self._rewind()
        elif command is Command.PAUSE:
            self.paused = not self.paused
            self.controls.stop_repeating()
        elif command is Command.STEP:
            self.paused = self._one_step = True
            self.controls.stop_repeating()
        elif command is Command.POLICY:
            self._give_to_policy()
        elif command is Command.SAVE:
            self._save()
        elif command is Command.LOAD:
            self._load()
        elif command is Command.VIEW:
            self._change_view()
        elif command is Command.HELP:
            self.help_shown = not self.help_shown
        elif self.help_shown:
            self.help_shown = False  # Esc first leaves the help
        else:
            self.quit = True

    def _give_to_policy(self) -> None:
        if self._policy is None:
            self._tell("there is no policy here")
        else:
            self.policy_plays = not self.policy_plays
            self._tell("the policy plays" if self.policy_plays else "you play")

    def _change_view(self) -> None:
        if self._model is not None:
            self._tell("beside a model, the game is shown as the agent sees it")
            return
        self._real.human_view = not self._real.human_view
        self._tell("people's view" if self._real.human_view else "the agent's view")

    def _save(self) -> None:
        now = self._now()
        if now is None:
            self._tell(CANNOT_SAVE)
            return
        self._saved = now
        self._tell("saved; F1 comes back to here")

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

    def _others(self) -> list[Watcher | ModelWorld | PolicyPlayer]:
        """What has a state besides the real world."""
        return [part for part in (self._watcher, self._model, self._policy) if part]

    def _begin_episode(self) -> None:
        self._real.reset()
        self._episode += 1
        self._step = self._since_put_back = 0
        self._real_return = self._model_return = 0.0
        self._action = self.controls.idle
        self._end_ticks = END_TICKS
        if self._watcher:
            self._watcher.reset(self._real.observation)
        if self._model:
            self._model.put_back()
        if self._policy:
            self._policy.reset()
        self._model_ended = False
        self._history.append(self._moment(mark="episode"))

    def _put_back(self, notice: str) -> None:
        if self._model is None:
            self._tell("there is no world model here")
            return
        self._model.put_back()
        # From here on the difference of the returns is what the model got wrong since now.
        self._model_return, self._since_put_back = self._real_return, 0
        self._model_ended = self._model.continuation < 0.5
        self._history.append(self._moment(mark="put back"))
        if notice:
            self._tell(notice)

    def _step_worlds(self) -> None:
        if self._put_back_every and self._since_put_back >= self._put_back_every:
            self._put_back(notice="")
        if self.policy_plays and self._policy:
            self._action = self._policy.act()
        else:
            self._action = self.controls.choose()
        self._real.step(self._action)
        self._step += 1
        self._real_return += self._real.reward
        if self._model:
            self._step_model(self._model)
        if self._watcher:
            self._watcher.step(self._action, self._real.observation)
        self._history.append(self._moment())
        if self._real.ended:
            self.totals = self.totals.plus(self._step, self._real_return, self._model_return)

    def _step_model(self, model: ModelWorld) -> None:
        model.step(self._action)
        self._since_put_back += 1
        self._model_return += model.reward
        self._model_ended = self._model_ended or model.continuation < 0.5

    def _moment(self, mark: str = "") -> Moment:
        if self._model is None:
            return Moment(self._real.reward, mark=mark)
        model = self._model
        reward = 0.0 if mark else model.reward
        error = image_error(model.frame, self._real.observation)
        return Moment(self._real.reward, reward, model.continuation, error, mark)

    def _model_side(self) -> ModelSide | None:
        if self._model is None:
            return None
        model = self._model
        return ModelSide(model.frame, model.reward, self._model_return, model.continuation, self._model_ended)

    def _tell(self, notice: str) -> None:
        self._notice, self._notice_ticks = notice, NOTICE_TICKS
