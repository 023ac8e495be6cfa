"""Defines the settings of `benchmarks/scaling.py`: one size varies at a time, around `dreamer_small`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.sections import load_config
from worldmodels.models.config import ConvConfig, HeadConfig, PatchConfig

WIDTH = 256
LARGE = 512
"""Widest models that share a process with others."""


class Setting(NamedTuple):
    """One size of everything."""

    axis: str
    name: str
    layout: str = "patch"
    width: int = WIDTH
    """Units of every dense layer and of the recurrent state, in model and policy; channels go with them."""
    batch: int = 16
    length: int = 32
    side: int = 64
    envs: int = 16


class Axis(NamedTuple):
    """What varies, and what is measured."""

    title: str
    amount: str
    """What times are plotted against."""
    parts: tuple[str, ...]


UPDATES = ("model update", "policy update")
AXES = {
    "size_patch": Axis("Model size, patch layout", "weights of the world model", UPDATES),
    "size_conv": Axis("Model size, convolutions", "weights of the world model", UPDATES),
    "batch": Axis("Batch", "frames in a batch", UPDATES),
    "side": Axis("Image", "pixels of an image", UPDATES),
    "envs": Axis("Environments", "environments", ("policy step", "environment step")),
}
WIDTHS = {"1M": 144, "3M": WIDTH, "10M": LARGE, "30M": 960, "90M": 1680}
BATCHES = ((4, 16), (8, 16), (8, 32), (16, 32), (16, 64))
SIDES = (32, 64, 96, 128)
ENVS = (1, 4, 16, 64, 256)
SETTINGS = (
    *(Setting("size_patch", name, width=width) for name, width in WIDTHS.items()),
    *(Setting("size_conv", name, layout="conv", width=width) for name, width in WIDTHS.items()),
    *(Setting("batch", f"{batch} x {length}", batch=batch, length=length) for batch, length in BATCHES),
    *(Setting("side", f"{side} x {side}", side=side) for side in SIDES),
    *(Setting("envs", str(envs), envs=envs) for envs in ENVS),
)


def groups(settings: Sequence[Setting]) -> Iterator[list[Setting]]:
    """Those of an axis that take turns in one process; each large model is alone with itself."""
    for _, group in groupby(settings, lambda one: (one.axis, one.width if one.width > LARGE else 0)):
        yield list(group)


def configured(setting: Setting) -> RunConfig:
    """`dreamer_small`, made as wide as the setting says."""
    config, width = load_config(RunConfig, ["dreamer_small"]), setting.width
    head = HeadConfig(layers=config.model.heads.layers, units=width)
    images = PatchConfig(depth=width // 4) if setting.layout == "patch" else ConvConfig(depth=width // 16)
    model = replace(config.model, recurrent=width, hidden=width, heads=head, encoder=images, decoder=images)
    return replace(config, model=model, agent=replace(config.agent, actor=head, critic=head))
