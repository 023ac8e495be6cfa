"""The learned world of a session: the predictions of a world model, and their uncertainty."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from worldmodels.core.seeding import Key, Streams, fold
from worldmodels.core.specs import Observation
from worldmodels.player.session.controls.box_controls import action_rows
from worldmodels.player.session.latents.latent_steps import LatentSteps
from worldmodels.player.session.latents.latents_snapshot import NONE_SAVED, ProbeReader
from worldmodels.player.session.settings import Settings
from worldmodels.player.session.worlds.frames import Frame, Vectors, row_of
from worldmodels.player.session.worlds.state_tracker import StateTracker
from worldmodels.recordings.action_recording import Action

if TYPE_CHECKING:
    from worldmodels.imagination.model_view import ModelView, Prediction
    from worldmodels.models.api import Drawing

NUM_SAMPLES = 16
"""Samples of one step from which a model's uncertainty is measured."""


class ModelWorld:
    """A world model that predicts without seeing the real world since it was last put back on the real state.

    The tracker goes on following the real frames all the time, in a state that the prediction never sees. So putting it
    back is exact: the prediction's state becomes what the model makes of everything that really happened.

    Attributes:
        name: for people.
        frame: the predicted frame of the current step; None for a model of numbers.
        vectors: the numbers that it predicts.
        reconstruction: its own picture of the real frame, after observing it; None for a model that gives observed
            frames back as they are.
        reconstructed_vectors: the same of its numbers; empty for such a model.
        measures_uncertainty: whether `uncertainty` and `spreads` are wanted.
        uncertainty: float32 (H, W), 0 to 1, how much the samples of the last step differ; None if it is not measured.
        spreads: the standard deviations of numbers over those samples.
        latents: the discrete latents of its newest step; None for a model that draws none.
        steps: the steps that it has predicted so far, which number its samples.
        probes: the reader of the game's variables from states, or a sentence with the reason for its absence.
    """

    def __init__(
        self, model: ModelView, tracker: StateTracker, streams: Streams, settings: Settings, name: str = "Model"
    ) -> None:
        self.model, self.tracker, self.name = model, tracker, name
        self._streams, self._settings = streams, settings
        self.steps = 0
        self.predicted: Any = None
        self.reward = 0.0
        self.continuation = 1.0
        self.frame: Frame | None = None
        self.vectors: Vectors = {}
        self.reconstruction: Frame | None = None
        self.reconstructed_vectors: Vectors = {}
        self.measures_uncertainty = False
        self.uncertainty: npt.NDArray[np.float32] | None = None
        self.spreads: Vectors = {}
        self.probes: ProbeReader | str = NONE_SAVED
        groups = model.spec.latent_groups
        self.latents = LatentSteps(model, groups[0]) if groups else None
        self._instead: StateTracker | None = None
        self._origin: Any = None
        """The arguments of the newest step, and its calls of the network; None where it was put back."""
        self._drawing: Drawing | None = None
        self._newest: Any
        """The frame of `predicted`, from which the next may be copied: the real one where it was put back."""

    def step(self, action: Action) -> None:
        """Predict the step of `action`, before the tracker observes its real result."""
        before = self.predicted
        self._instead = None
        self.steps += 1
        self.predicted, prediction = self._step(before, action)
        self.forget_uncertainty()
        if self.measures_uncertainty:
            self._measure_uncertainty(before, action)
        self._show(prediction)
        self._newest = self.frame

    def put_back(self, changed: Observation | None = None) -> None:
        """Predict on from the real state, or from the one in which the last frame is `changed`."""
        self._instead = None if changed is None else self.tracker.instead(changed)
        tracker = self.seen
        self.predicted, painted = tracker.state, self.before_real()
        self._origin = self._drawing = None
        if self.latents:
            self.latents.observed(tracker, painted)
        self.forget_uncertainty()
        self._show(self.model.predict(self.predicted, painted))
        self._newest = tracker.frames[-1]

    @property
    def seen(self) -> StateTracker:
        """The tracker that has seen the real frame, or the changed one on which the newest put-back put the model."""
        return self._instead or self.tracker

    def draw_again(self, classes: Sequence[int]) -> None:
        """Draw the newest step again with these classes of its latents, if it has latents; `FREE` classes are drawn."""
        if self.latents is None:
            return
        key = fold(self.key("latents"), self.latents.draws)
        self.predicted, prediction = self.latents.draw_again(classes, np.float32(self._settings.temperature), key)
        self.forget_uncertainty()
        self._show(prediction)
        self._newest = self.frame

    @property
    def drawing(self) -> Drawing | None:
        """The way in which the newest frame was drawn, of one row; None for other models, and where it was put back."""
        if self._drawing is None and self._origin and self.model.spec.calls:
            *arguments, calls = self._origin
            self.model.set_calls(calls)  # the setting may have changed since
            self._drawing = self.model.draw(*arguments)
            self.model.set_calls(self._settings.calls)
        return self._drawing

    def reconstruct(self) -> None:
        """Update the model's own picture, and its own numbers, of what the tracker observed last."""
        if self.model.spec.reconstructs:
            frames, vectors = self.read(self.tracker.state)
            self.reconstruction = None if frames is None else frames[0]
            self.reconstructed_vectors = row_of(vectors, 0)

    def read(self, state: Any, rows: int = 1) -> tuple[npt.NDArray[np.uint8] | None, dict[str, Any]]:
        """Return the frames and the vectors of a state of so many rows, each of which observed what is real now."""
        before = self.before_real(rows)
        if not self.model.spec.vectors:
            return np.asarray(self.model.frame(state, before)), {}
        prediction = self.model.predict(state, before)
        return self.frames_of(prediction), arrays_of(prediction)

    def frames_of(self, prediction: Prediction) -> npt.NDArray[np.uint8] | None:
        """Return the frames of a prediction, leading B; None for a model of numbers."""
        return None if self.model.spec.image is None else np.asarray(prediction.frame)

    def forget_uncertainty(self) -> None:
        """Show no uncertainty until it is measured again."""
        self.uncertainty, self.spreads = None, {}

    def key(self, use: str) -> Key:
        """Return the key of this step's samples for one use."""
        return fold(self._streams.key(f"player/{use}/{self._settings.sample}"), self.steps)

    def save(self) -> Any:
        """Return the state for `load`, without the tracker's."""
        shown = self.frame, self.vectors, self.reward, self.continuation
        latents = self.latents.save() if self.latents else ()
        own = self.predicted, self.uncertainty, self.spreads, self.steps, self._newest, self._origin, self._instead
        return own, shown, latents

    def load(self, saved: Any) -> None:
        """Return to a state of `save`, after the tracker has returned."""
        own, shown, latents = saved
        self.predicted, self.uncertainty, self.spreads, self.steps, self._newest, self._origin, self._instead = own
        self._drawing = None
        if self.latents:
            self.latents.load(latents)
        self.frame, self.vectors, self.reward, self.continuation = shown
        self.reconstruct()

    def before_real(self, rows: int = 1) -> npt.NDArray[np.uint8] | None:
        """Return the frame before the real one, so many times; None for a model that copies none, and at the first."""
        return self._rows(self.tracker.frames[0], rows) if len(self.tracker.frames) > 1 else None

    def newest_real(self, rows: int) -> npt.NDArray[np.uint8] | None:
        """Return the real frame, so many times; None for a model that copies none."""
        return self._rows(self.seen.frames[-1], rows)

    def warm_up(self) -> None:
        """Compile the functions of `step`; the states do not change."""
        before = self.save()
        self._step(self.predicted, 0)
        self.load(before)

    def warm_up_samples(self) -> None:
        """Compile the functions of many samples; the states do not change."""
        self._imagine(self.model.repeat(self.predicted, NUM_SAMPLES), 0, self.key("uncertainty"), NUM_SAMPLES)

    def _step(self, state: Any, action: Action) -> tuple[Any, Prediction]:
        step = self.latents.step if self.latents else self.model.step
        actions, temperature = action_rows(action, 1, self.model.spec.action), np.float32(self._settings.temperature)
        arguments = state, actions, temperature, self.key("predict")
        self._origin, self._drawing = (*arguments, self._settings.calls), None
        return step(*arguments, self._rows(self._newest, 1))

    def _imagine(self, state: Any, action: Action, key: Key, rows: int) -> tuple[Any, Prediction]:
        actions, before = action_rows(action, rows, self.model.spec.action), self._rows(self._newest, rows)
        state, prediction = self.model.step(state, actions, np.float32(self._settings.temperature), key, before)
        return state, prediction

    def _rows(self, frame: Frame, rows: int) -> npt.NDArray[np.uint8] | None:
        return np.repeat(frame[None], rows, 0) if self.model.spec.copies else None

    def _measure_uncertainty(self, before: Any, action: Action) -> None:
        """Update the standard deviations over samples of one step, of pixels the largest of their channels."""
        states = self.model.repeat(before, NUM_SAMPLES)
        _, samples = self._imagine(states, action, self.key("uncertainty"), NUM_SAMPLES)
        self.spreads = {name: array.std(0) for name, array in arrays_of(samples).items()}
        frames = self.frames_of(samples)
        if frames is not None:
            deviation = frames.astype(np.float32).std(0).max(-1) / 127.5
            self.uncertainty = np.asarray(deviation, np.float32)

    def _show(self, prediction: Prediction) -> None:
        frames = self.frames_of(prediction)
        self.frame, self.vectors = None if frames is None else frames[0], row_of(arrays_of(prediction), 0)
        self.reward = float(np.asarray(prediction.reward)[0])
        self.continuation = float(np.asarray(prediction.continuation)[0])


def arrays_of(prediction: Prediction) -> dict[str, npt.NDArray[np.float32]]:
    """Return the vectors of a prediction as NumPy arrays, float32 (B, D)."""
    return {name: np.asarray(tensor) for name, tensor in getattr(prediction, "vectors", {}).items()}
