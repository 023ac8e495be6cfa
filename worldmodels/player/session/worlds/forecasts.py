"""The forecasts of learned worlds beside a real one: their errors on the time line, and their snapshots."""

from __future__ import annotations

from collections.abc import Sequence

from worldmodels.player.session.latents.latent_steps import FREE
from worldmodels.player.session.snapshot import ModelForecast, ModelSnapshot, TimelineEntry
from worldmodels.player.session.worlds.frames import Frame, Ranges, Vectors, image_error, vector_error
from worldmodels.player.session.worlds.model_world import ModelWorld

RANGE_ERROR = 96.0
"""The error, on the scale of images, of numbers that are off by their whole range: a tenth of that is far, as there."""


def forecast_of(
    model: ModelWorld, real: Frame | None, numbers: Vectors, ranges: Ranges, has_reality: bool, reward: float
) -> ModelForecast:
    """Return the forecast of a model for its newest step.

    Args:
        real: the image that agents see; None for a world of numbers.
        numbers: the real ones.
        has_reality: without it there is no error.
    """
    if not has_reality:
        return ModelForecast(reward, model.continuation, 0.0)

    def error(frame: Frame | None, vectors: Vectors) -> float:
        """Return the error of a picture, or of numbers without a picture, on the scale of 0 to 255."""
        if frame is not None and real is not None:
            return image_error(frame, real)
        return RANGE_ERROR * vector_error(vectors, numbers, ranges)

    reconstructs = model.reconstruction is not None or bool(model.reconstructed_vectors)
    seen = error(model.reconstruction, model.reconstructed_vectors) if reconstructs else None
    return ModelForecast(reward, model.continuation, error(model.frame, model.vectors), seen)


def snapshot_of(
    model: ModelWorld, episode_return: float, ended: bool, numbers: Vectors, ranges: Ranges
) -> ModelSnapshot:
    """Return a model as it is drawn; `numbers` are the real ones."""
    return ModelSnapshot(
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
        error=vector_error(model.vectors, numbers, ranges),
        held=sum(held != FREE for held in model.latents.held) if model.latents else 0,
        changed=bool(model.latents and model.latents.changed),
    )


def has_diverged(history: Sequence[TimelineEntry]) -> bool:
    """Return whether the first model left reality before, since it was last put back."""
    for entry in reversed(history):
        if entry.diverged or entry.mark:
            return entry.diverged
    return False


def has_ended(history: Sequence[TimelineEntry]) -> bool:
    """Return whether the first model has predicted the end on the time line, since it was last put back."""
    for entry in reversed(history):
        if entry.models[0].continuation < 0.5 or entry.mark:
            return entry.mark != "episode" and entry.models[0].continuation < 0.5
    return False
