"""The playthrough: a real world and learned ones under the same actions, with their counters and time line."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import replace

from worldmodels.core.specs import Observation
from worldmodels.player.session.episodes.recorded_world import RecordedWorld
from worldmodels.player.session.players import Player, PolicyPlayer
from worldmodels.player.session.session_log import Counters, SessionLog
from worldmodels.player.session.snapshot import (
    DIVERGENCE_ERROR,
    ModelForecast,
    ModelSnapshot,
    RealSnapshot,
    TimelineEntry,
)
from worldmodels.player.session.worlds.forecasts import forecast_of, has_diverged, has_ended, snapshot_of
from worldmodels.player.session.worlds.frames import Frame, VectorRanges
from worldmodels.player.session.worlds.model_world import ModelWorld
from worldmodels.player.session.worlds.saved_state import RealWorlds, SavedState
from worldmodels.player.session.worlds.state_tracker import StateTracker
from worldmodels.recordings.action_recording import Action

HISTORY = 300
"""Steps on the time line."""


class Playthrough:
    """A playthrough steps a real world and the learned ones beside it, if any; it begins with a first episode.

    Args:
        real: the real world; a frozen one gives only first frames, and the models are played without it.
        models: the learned worlds; without any, only the real world is played.
        players: the players that can replace the person; they see every frame.
        idle: the action that does nothing.
        ranges: in which real numbers are known to have been before.

    Attributes:
        policy: the player that is a policy, if any.
        trackers: what follows the real frames for models and policy.
        log: the actions and events so far.
        history: the time line, the oldest first.
        drawn: the real frame of this moment as a person has changed it.
        ranges: the ranges in which the real numbers have been.
    """

    def __init__(
        self,
        real: RealWorlds,
        models: Sequence[ModelWorld],
        players: Sequence[Player],
        idle: Action,
        ranges: VectorRanges | None = None,
    ) -> None:
        self.real: RealWorlds = real
        self._idle = idle
        self._set_parts(models, players)
        self.log, self.ranges = SessionLog(), ranges or VectorRanges()
        self.history = self._line()
        self.drawn: Frame | None = None
        self.counters = Counters(idle)
        self.begin_episode()

    def _set_parts(self, models: Sequence[ModelWorld], players: Sequence[Player]) -> None:
        self.models, self.players = tuple(models), tuple(players)
        self.policy = next((player for player in players if isinstance(player, PolicyPlayer)), None)
        if self.policy:
            self.policy.is_alone = lambda: self.real.frozen
        trackers = [*(model.tracker for model in models), *([self.policy.tracker] if self.policy else [])]
        self.trackers: tuple[StateTracker, ...] = tuple(dict.fromkeys(trackers))

    def join(self, models: Sequence[ModelWorld], policy: PolicyPlayer | None, ranges: VectorRanges | None) -> None:
        """Add learned worlds and a policy to the present moment; the time line begins anew.

        The models observe the episode so far, and predict on from the real state.

        Args:
            policy: the first of the players from now on.
            ranges: the ranges of numbers in earlier experience.
        """
        if ranges:
            for end in (0, 1):
                ranges.add({name: ends[end] for name, ends in self.ranges.ranges.items()})
            self.ranges = ranges
        self._set_parts(models, [*([policy] if policy else []), *self.players])
        self.history.clear()
        self.observe_episode(self.real.context)
        self.count_from_here("put back" if self.counters.step else "episode")
        if policy:
            policy.reset()

    @property
    def recorded(self) -> RecordedWorld | None:
        """The real world, if it shows recorded episodes."""
        return self.real if isinstance(self.real, RecordedWorld) else None

    @property
    def alone(self) -> bool:
        """Whether the models are played without any real world."""
        return self.real.frozen and self.recorded is None

    # ---- stepping

    def observe_episode(self, context: Iterable[tuple[Action, Observation]]) -> None:
        """Let the models observe the first frame and what led on from there, and predict on from its end."""
        for tracker in self.trackers:
            tracker.reset(self.real.first)
            for action, observation in context:
                tracker.step(action, observation)
        for model in self.models:
            model.put_back()
            model.reconstruct()

    def begin_episode(self, real: RealWorlds | None = None) -> None:
        """Begin the next real episode, or the next one of another real world, and put the models on its first frame."""
        self.real = real or self.real
        self.real.reset()
        counts = self.real.counts
        if counts:
            self.log.episode(self.real.observation)
        self.ranges.add(self.real.vectors)
        self.observe_episode(self.real.context)
        self.counters = Counters(self._idle, episode=self.counters.episode + counts, totals=self.counters.totals)
        if self.recorded or self.history.maxlen is None:  # the time line of a recorded episode is its own
            self.history = self._line()
        self.count_from_here("episode")
        for player in self.players:
            player.reset()

    def put_back(self, drawn: Frame | None = None) -> None:
        """Put all models back on the real state, from which they predict on; a record that was left goes on there.

        Args:
            drawn: the frame that they see instead of the real one, which does not change.
        """
        for model in self.models:
            model.put_back(None if drawn is None else self.real.changed(drawn))
        if self.drawn is not None and drawn is not None:
            self.history.pop()  # the mark of what was drawn before, at the same moment
        if self.recorded and self.recorded.frozen:
            self.recorded.frozen = False
            self.counters = replace(self.counters, step=self.recorded.at)
            if self.policy:
                self.policy.decide_again()
        self.count_from_here("put back", drawn)

    def count_from_here(self, mark: str, drawn: Frame | None = None) -> None:
        """Count steps and returns of the models from the real state on; `mark` says why, as on the time line."""
        begins, self.drawn = mark == "episode", drawn
        self.counters = replace(
            self.counters,
            since_put_back=0,
            drawn=drawn is not None,
            # From here on the difference of the returns is the error of the model since now.
            model_returns=(self.counters.real_return,) * len(self.models),
            models_ended=tuple(model.continuation < 0.5 and not begins for model in self.models),
        )
        self.history.append(self._timeline_entry(mark))

    def step(self, action: Action) -> None:
        """Step all worlds, the models first: they may not see the real result of the action."""
        self.step_models(action)
        self.drawn = None
        if not self.real.frozen:
            self.real.step(action)
        if not self.real.frozen:
            self.ranges.add(self.real.vectors)
            if self.real.counts:
                self.log.action(action, self.real.observation)
        self.observe(action)
        for player in self.players:
            player.advance()
        if self.real.ended and self.real.counts:
            self._count_episode()

    def skip(self, steps: int) -> None:
        """Let so many recorded steps pass without forecasts, and put the models there."""
        for _ in range(steps):
            action = self.recorded.action if self.recorded else None
            if action is None:
                break
            self.real.step(action)
            for tracker in self.trackers:
                tracker.step(action, self.real.observation)
            now, reward = self.counters, self.real.reward
            self.counters = replace(now, action=action, step=now.step + 1, real_return=now.real_return + reward)
            self.history.append(TimelineEntry(reward))
            for player in self.players:
                player.advance()
        for model in self.models:
            model.reconstruct()
        self.put_back()

    def draw_again(self, classes: Sequence[int]) -> None:
        """Repeat the newest step of the first model with these classes of its latents, and count it again."""
        model, before = self.models[0], self.models[0].reward
        model.draw_again(classes)
        mark = self.history.pop().mark
        now = self.counters
        had_ended = not mark and has_ended(self.history)
        counts = now.since_put_back and not had_ended  # a state that was put back was not paid for
        more = model.reward - before if counts else 0.0
        ended = model.continuation < 0.5 or had_ended
        self.counters = replace(
            now,
            model_returns=(now.model_returns[0] + more, *now.model_returns[1:]),
            models_ended=(ended, *now.models_ended[1:]),
        )
        self.history.append(self._timeline_entry(mark))
        if self.policy:
            self.policy.decide_again()

    def step_models(self, action: Action) -> None:
        """Let the models predict a step, and count it."""
        for model in self.models:
            model.step(action)
        before = self.counters
        self.counters = replace(
            before,
            action=action,
            step=before.step + 1,
            since_put_back=before.since_put_back + 1,
            model_returns=tuple(
                total if ended else total + model.reward  # what comes after a predicted end is no episode's
                for total, ended, model in zip(before.model_returns, before.models_ended, self.models, strict=True)
            ),
            models_ended=tuple(
                ended or model.continuation < 0.5 for ended, model in zip(before.models_ended, self.models, strict=True)
            ),
        )

    def observe(self, action: Action) -> None:
        """Let the models see the real frame to which an action led, if there is one, and add to the time line."""
        for tracker in self.trackers if not self.real.frozen else ():
            tracker.step(action, self.real.observation)
        for model in self.models if not self.real.frozen else ():
            model.reconstruct()
        if not (self.recorded and self.real.frozen):
            self.counters = replace(self.counters, real_return=self.counters.real_return + self.real.reward)
        self.history.append(self._timeline_entry())

    def _count_episode(self) -> None:
        now = self.counters
        model_return = now.model_returns[0] if self.models else 0.0
        self.counters = replace(now, totals=now.totals.plus(now.step, now.real_return, model_return))

    # ---- going back

    def save(self) -> SavedState | None:
        """Return the current state, or None if the environment cannot save its state."""
        real = self.real.save()
        if real is None:
            return None
        others = tuple(part.save() for part in self._others())
        return SavedState(self.real, real, others, self.counters, tuple(self.history), self.drawn)

    def load(self, saved: SavedState) -> None:
        """Go back to a state; all goes on from there as it did then, samples included."""
        self.real = saved.world
        self.real.load(saved.real)  # type: ignore[arg-type]
        for part, state in zip(self._others(), saved.others, strict=True):
            part.load(state)
        self.counters = saved.counters
        self.history, self.drawn = self._line(saved.history), saved.drawn

    def _line(self, entries: Iterable[TimelineEntry] = ()) -> deque[TimelineEntry]:
        """Return a time line, which of a recorded episode holds all steps."""
        return deque(entries, maxlen=None if self.recorded else HISTORY)

    def _others(self) -> tuple[StateTracker | ModelWorld | Player | SessionLog | VectorRanges, ...]:
        """Return all that has a state besides the real world; trackers first, since models read theirs."""
        return *self.trackers, *self.models, *self.players, self.log, self.ranges

    # ---- snapshots

    @property
    def real_snapshot(self) -> RealSnapshot:
        """The real world as it is drawn."""
        frame = self.real.frame if self.drawn is None else self.drawn
        return RealSnapshot(frame, self.real.reward, self.counters.real_return, self.real.vectors)

    @property
    def model_snapshots(self) -> tuple[ModelSnapshot, ...]:
        """The learned worlds as they are drawn."""
        counted = zip(self.models, self.counters.model_returns, self.counters.models_ended, strict=True)
        numbers, ranges = self.real.vectors, self.ranges.ranges
        return tuple(snapshot_of(model, total, ended, numbers, ranges) for model, total, ended in counted)

    def _timeline_entry(self, mark: str = "") -> TimelineEntry:
        forecasts = tuple(self._forecast(model, mark) for model in self.models)
        far = bool(forecasts) and not mark and forecasts[0].image_error >= DIVERGENCE_ERROR
        return TimelineEntry(self.real.reward, forecasts, mark, far and not has_diverged(self.history))

    def _forecast(self, model: ModelWorld, mark: str) -> ModelForecast:
        real, reward = self.real, 0.0 if mark else model.reward
        image = real.image if self.drawn is None else self.drawn
        return forecast_of(model, image, real.vectors, self.ranges.ranges, not real.frozen, reward)
