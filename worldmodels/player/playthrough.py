"""What happens: a real world and learned ones under the same actions, and what is counted of them."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from worldmodels.player.journal import Journal
from worldmodels.player.panes import image_error
from worldmodels.player.players import Player, PolicyPlayer
from worldmodels.player.snapshot import LEFT, ModelForecast, ModelSide, RealSide, TimelineEntry, Totals
from worldmodels.player.worlds import ModelWorld, RealMoment, RealWorld, RecordedWorld, Watcher

HISTORY = 300
"""Steps on the time line."""


@dataclass(frozen=True)
class Counters:
    """Of the episode that is played, but for the totals."""

    action: int
    """The last one."""
    episode: int = 0
    """Its number, from 1."""
    step: int = 0
    since_put_back: int = 0
    """Steps that the models have predicted alone."""
    real_return: float = 0.0
    model_returns: tuple[float, ...] = ()
    models_ended: tuple[bool, ...] = ()
    """Which models have predicted the end since they were put back."""
    totals: Totals = Totals()


class SavedMoment(NamedTuple):
    """Everything that it takes to go on from here exactly."""

    real: RealMoment
    others: tuple[Any, ...]
    """Of watchers, models, players and the journal."""
    counters: Counters
    history: tuple[TimelineEntry, ...]


class Playthrough:
    """Plays a real world, beside it learned ones if there are any; begins with a first episode.

    Args:
        real: one that is frozen gives first frames alone; then the models are played without it.
        models: none: the real world is played alone.
        players: who can play for the person; they watch whoever plays.
        idle: the action that does nothing.

    Attributes:
        policy: the one of the players that is a policy, if any.
        journal: what was done.
        history: the time line, the oldest first.
    """

    def __init__(
        self, real: RealWorld | RecordedWorld, models: Sequence[ModelWorld], players: Sequence[Player], idle: int
    ) -> None:
        self.real, self.models, self.players = real, tuple(models), tuple(players)
        self.policy = next((player for player in players if isinstance(player, PolicyPlayer)), None)
        watchers = [*(model.watcher for model in models), *([self.policy.watcher] if self.policy else [])]
        self._watchers: tuple[Watcher, ...] = tuple(dict.fromkeys(watchers))
        self._idle = idle
        self.journal = Journal()
        self.history: deque[TimelineEntry] = deque(maxlen=HISTORY)
        self.counters = Counters(idle)
        self.begin_episode()

    # ---- what can happen

    def begin_episode(self) -> None:
        """The next real episode; the models are put on its first frame."""
        self.real.reset()
        self.journal.episode(self.real.observation)
        for watcher in self._watchers:
            watcher.reset(self.real.first)
            for action, observation in self.real.context:
                watcher.step(action, observation)
        for model in self.models:
            model.put_back()
            model.look_at_reality()
        self.counters = Counters(
            self._idle,
            episode=self.counters.episode + 1,
            model_returns=(0.0,) * len(self.models),
            models_ended=(False,) * len(self.models),
            totals=self.counters.totals,
        )
        for player in self.players:
            player.reset()
        self.history.append(self._moment(mark="episode"))

    def put_back(self) -> None:
        """The models predict on from the real state."""
        for model in self.models:
            model.put_back()
        self.counters = replace(
            self.counters,
            since_put_back=0,
            # From here on the difference of the returns is what the model got wrong since now.
            model_returns=(self.counters.real_return,) * len(self.models),
            models_ended=tuple(model.continuation < 0.5 for model in self.models),
        )
        self.history.append(self._moment(mark="put back"))

    def step(self, action: int) -> None:
        """One step of all worlds, of the models first: they are not to see where the action really leads."""
        self._step_models(action)
        if not self.real.frozen:
            self._step_reality(action)
        for player in self.players:
            player.see()
        self.history.append(self._moment())
        if self.real.ended:
            self._count_episode()

    def _step_models(self, action: int) -> None:
        for model in self.models:
            model.step(action)
        before = self.counters
        self.counters = replace(
            before,
            action=action,
            step=before.step + 1,
            since_put_back=before.since_put_back + 1,
            model_returns=tuple(
                total + model.reward for total, model in zip(before.model_returns, self.models, strict=True)
            ),
            models_ended=tuple(
                ended or model.continuation < 0.5 for ended, model in zip(before.models_ended, self.models, strict=True)
            ),
        )

    def _step_reality(self, action: int) -> None:
        self.real.step(action)
        self.journal.action(action, self.real.observation)
        for watcher in self._watchers:
            watcher.step(action, self.real.observation)
        for model in self.models:
            model.look_at_reality()
        self.counters = replace(self.counters, real_return=self.counters.real_return + self.real.reward)

    def _count_episode(self) -> None:
        now = self.counters
        model_return = now.model_returns[0] if self.models else 0.0
        self.counters = replace(now, totals=now.totals.plus(now.step, now.real_return, model_return))

    # ---- going back

    def save(self) -> SavedMoment | None:
        """This moment, or None where the environment cannot save its state."""
        real = self.real.save()
        if real is None:
            return None
        return SavedMoment(real, tuple(part.save() for part in self._others()), self.counters, tuple(self.history))

    def load(self, moment: SavedMoment) -> None:
        """All goes on from there as it did then, samples included."""
        self.real.load(moment.real)
        for part, state in zip(self._others(), moment.others, strict=True):
            part.load(state)
        self.counters = moment.counters
        self.history = deque(moment.history, maxlen=HISTORY)

    def _others(self) -> tuple[Watcher | ModelWorld | Player | Journal, ...]:
        """What has a state besides the real world; watchers first, since models look at theirs."""
        return *self._watchers, *self.models, *self.players, self.journal

    # ---- what is seen

    @property
    def real_side(self) -> RealSide:
        """The real world, to be drawn."""
        return RealSide(self.real.frame, self.real.reward, self.counters.real_return)

    @property
    def model_sides(self) -> tuple[ModelSide, ...]:
        """The learned worlds, to be drawn."""
        counted = zip(self.models, self.counters.model_returns, self.counters.models_ended, strict=True)
        return tuple(
            ModelSide(
                name=model.name,
                frame=model.frame,
                seen=model.seen,
                doubt=model.doubt,
                reward=model.reward,
                episode_return=episode_return,
                continuation=model.continuation,
                ended=ended,
            )
            for model, episode_return, ended in counted
        )

    def _moment(self, mark: str = "") -> TimelineEntry:
        foretold = tuple(self._foretold(model, mark) for model in self.models)
        left = bool(foretold) and not mark and foretold[0].image_error >= LEFT and not self._had_left()
        return TimelineEntry(self.real.reward, foretold, mark, left)

    def _had_left(self) -> bool:
        """Whether the first model left reality before, since it was last put back."""
        for moment in reversed(self.history):
            if moment.left or moment.mark:
                return moment.left
        return False

    def _foretold(self, model: ModelWorld, mark: str) -> ModelForecast:
        reward = 0.0 if mark else model.reward
        if self.real.frozen:
            return ModelForecast(reward, model.continuation, 0.0)
        truth = self.real.observation
        seeing = None if model.seen is None else image_error(model.seen, truth)
        return ModelForecast(reward, model.continuation, image_error(model.frame, truth), seeing)
