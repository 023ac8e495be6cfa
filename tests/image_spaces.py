"""Replay stores and specs for environments of images and discrete actions, as most tests have them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.models.api import ModelSpec
from worldmodels.replay import Replay, ReplayConfig
from worldmodels.replay.layout import Layout

ACTIONS = ActionSpec(15)


def image_layout(num_streams: int, shape: tuple[int, ...], chunk_steps: int) -> Layout:
    """Return the layout of a store of images of `shape` (H, W, C)."""
    return Layout(num_streams, ObservationSpec.of(*shape), ACTIONS, chunk_steps)


def image_replay(
    folder: Path | str, num_streams: int, shape: tuple[int, ...], config: ReplayConfig, **more: Any
) -> Replay:
    """Open a store of images of `shape` (H, W, C); `more` is as in `Replay`."""
    return Replay(folder, num_streams, ObservationSpec.of(*shape), ACTIONS, config, **more)


def image_spec(shape: tuple[int, ...], actions: int, features: tuple[int, ...], **more: Any) -> ModelSpec:
    """Return the spec of a model of images, whose features are one array; `more` is as in `ModelSpec`."""
    return ModelSpec(ObservationSpec.of(*shape), ActionSpec(actions), ObservationSpec.of(*features), **more)
