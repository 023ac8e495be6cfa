"""The playthrough: a real world and learned ones under the same actions, with their counters and time line."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from worldmodels.core.specs import Observation
from worldmodels.player.session.latents.latent_steps import FREE
from worldmodels.player.session.players import Player, PolicyPlayer
from worldmodels.player.session.session_log import Counters, SessionLog
from worldmodels.player.session.snapshot import (
    DIVERGENCE_ERROR,
    ModelForecast,
    ModelSnapshot,
    RealSnapshot,
    TimelineEntry,
)
from worldmodels.player.session.worlds.frames import Frame, VectorRanges, Vectors, image_error, vector_error
from worldmodels.player.session.worlds.model_world import ModelWorld
from worldmodels.player.session.worlds.real_world import RealWorld, RealWorldState, ReplayStartWorld
from worldmodels.player.session.worlds.state_tracker import StateTracker
from worldmodels.recordings.action_recording import Action

HISTORY = 300
"""Steps on the time line."""
RANGE_ERROR = 96.0
"""The error, on the scale of images, of numbers that are off by their whole range: a tenth of that is far, as there."""


class SavedState(NamedTuple):
    """The state of a whole playthrough, from which it goes on exactly as it did."""

    real: RealWorldState
    others: tuple[Any, ...]
    """The states of trackers, models, players and the log."""
    counters: Counters
    history: tuple[TimelineEntry, ...]


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
        ranges: the ranges in which the real numbers have been.
    """

    def __init__(
        self,
        real: RealWorld | ReplayStartWorld,
        models: Sequence[ModelWorld],
        players: Sequence[Player],
        idle: Action,
        ranges: VectorRanges | None = None,
    ) -> None:
        self.real, self._idle = real, idle
        self._set_parts(models, players)
        self.log, self.ranges = SessionLog(), ranges or VectorRanges()
        self.history: deque[TimelineEntry] = deque(maxlen=HISTORY)
        self.counters = Counters(idle)
        self.begin_episode()

    def _set_parts(self, models: Sequence[ModelWorld], players: Sequence[Player]) -> None:
        self.models, self.players = tuple(models), tuple(players)
        self.policy = next((player for player in players if isinstance(player, PolicyPlayer)), None)
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

    def begin_episode(self) -> None:
        """Begin the next real episode, and put the models on its first frame."""
        self.real.reset()
        self.log.episode(self.real.observation)
        self.ranges.add(self.real.vectors)
        self.observe_episode(self.real.context)
        self.counters = Counters(self._idle, episode=self.counters.episode + 1, totals=self.counters.totals)
        self.count_from_here("episode")
        for player in self.players:
            player.reset()

    def put_back(self) -> None:
        """Put all models back on the real state, from which they predict on."""
        for model in self.models:
            model.put_back()
        self.count_from_here("put back")

    def count_from_here(self, mark: str) -> None:
        """Count steps and returns of the models from the real state on; `mark` says why, as on the time line."""
        begins = mark == "episode"
        self.counters = replace(
            self.counters,
            since_put_back=0,
            # From here on the difference of the returns is the error of the model since now.
            model_returns=(self.counters.real_return,) * len(self.models),
            models_ended=tuple(model.continuation < 0.5 and not begins for model in self.models),
        )
        self.history.append(self._timeline_entry(mark))

    def step(self, action: Action) -> None:
        """Step all worlds, the models first: they may not see the real result of the action."""
        self.step_models(action)
        if not self.real.frozen:
            self.real.step(action)
            self.log.action(action, self.real.observation)
            self.ranges.add(self.real.vectors)
        self.observe(action)
        for player in self.players:
            player.advance()
        if self.real.ended:
            self._count_episode()

    def draw_again(self, classes: Sequence[int]) -> None:
        """Repeat the newest step of the first model with these classes of its latents, and count it again."""
        model, before = self.models[0], self.models[0].reward
        model.draw_again(classes)
        mark = self.history.pop().mark
        now = self.counters
        had_ended = not mark and self._has_ended()
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
        return SavedState(real, tuple(part.save() for part in self._others()), self.counters, tuple(self.history))

    def load(self, saved: SavedState) -> None:
        """Go back to a state; all goes on from there as it did then, samples included."""
        self.real.load(saved.real)
        for part, state in zip(self._others(), saved.others, strict=True):
            part.load(state)
        self.counters = saved.counters
        self.history = deque(saved.history, maxlen=HISTORY)

    def _others(self) -> tuple[StateTracker | ModelWorld | Player | SessionLog | VectorRanges, ...]:
        """Return all that has a state besides the real world; trackers first, since models read theirs."""
        return *self.trackers, *self.models, *self.players, self.log, self.ranges

    # ---- snapshots

    @property
    def real_snapshot(self) -> RealSnapshot:
        """The real world as it is drawn."""
        return RealSnapshot(self.real.frame, self.real.reward, self.counters.real_return, self.real.vectors)

    @property
    def model_snapshots(self) -> tuple[ModelSnapshot, ...]:
        """The learned worlds as they are drawn."""
        counted = zip(self.models, self.counters.model_returns, self.counters.models_ended, strict=True)
        return tuple(
            ModelSnapshot(
                name=model.name,
                frame=model.frame,
                reconstruction=model.reconstruction,
                uncertainty=model.uncertainty,
                reward=model.reward,
                episode_return=episode_return,
                continuation=model.continuation,
                ended=ended,
                vectors=model.vectors,
                reconstructed_vectors=model.reconstructed_vectors,
                spreads=model.spreads,
                error=vector_error(model.vectors, self.real.vectors, self.ranges.ranges),
                held=sum(held != FREE for held in model.latents.held) if model.latents else 0,
                changed=bool(model.latents and model.latents.changed),
            )
            for model, episode_return, ended in counted
        )

    def _timeline_entry(self, mark: str = "") -> TimelineEntry:
        forecasts = tuple(self._forecast(model, mark) for model in self.models)
        far = bool(forecasts) and not mark and forecasts[0].image_error >= DIVERGENCE_ERROR
        return TimelineEntry(self.real.reward, forecasts, mark, far and not self._has_diverged())

    def _has_diverged(self) -> bool:
        """Return whether the first model left reality before, since it was last put back."""
        for entry in reversed(self.history):
            if entry.diverged or entry.mark:
                return entry.diverged
        return False

    def _has_ended(self) -> bool:
        """Return whether the first model has predicted the end on the time line, since it was last put back."""
        for entry in reversed(self.history):
            if entry.models[0].continuation < 0.5 or entry.mark:
                return entry.mark != "episode" and entry.models[0].continuation < 0.5
        return False

    def _forecast(self, model: ModelWorld, mark: str) -> ModelForecast:
        reward = 0.0 if mark else model.reward
        if self.real.frozen:
            return ModelForecast(reward, model.continuation, 0.0)
        error = self._error(model.frame, model.vectors)
        reconstructs = model.reconstruction is not None or bool(model.reconstructed_vectors)
        seen = self._error(model.reconstruction, model.reconstructed_vectors) if reconstructs else None
        return ModelForecast(reward, model.continuation, error, seen)

    def _error(self, frame: Frame | None, vectors: Vectors) -> float:
        """Return the error of a picture, or of numbers without a picture, on the scale of 0 to 255."""
        if frame is not None and self.real.image is not None:
            return image_error(frame, self.real.image)
        return RANGE_ERROR * vector_error(vectors, self.real.vectors, self.ranges.ranges)
