"""Makes a pack of a run: weights of 16 bits, experience to start from, an evaluation and a film."""

from __future__ import annotations

import shlex
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from worldmodels.config.run_config import RunConfig, open_config
from worldmodels.core.errors import UserError
from worldmodels.core.files.checkpoint import TENSORS, Checkpoints
from worldmodels.core.files.json_files import parse_strict
from worldmodels.core.files.packs import FILM, SUFFIX, Card, is_pack, read_card, write_pack
from worldmodels.core.files.run_dir import RunDir
from worldmodels.core.files.writing import read_regular
from worldmodels.core.output import print_text
from worldmodels.core.seeding import Streams
from worldmodels.core.types import Batch
from worldmodels.datasets import Source, open_source, write
from worldmodels.envs.config import MOST_SKIPPED, EnvConfig
from worldmodels.envs.games.levels import Levels, has_test_levels, level_words
from worldmodels.evaluation.evaluator import Evaluator
from worldmodels.evaluation.measure import Occasion
from worldmodels.evaluation.measures.world_model import predict_windows
from worldmodels.evaluation.request import Request
from worldmodels.evaluation.run import ENVIRONMENTS, evaluate_run
from worldmodels.loading.load import load_run
from worldmodels.models.flow.config import NETWORK
from worldmodels.player.app import play_runs
from worldmodels.player.session.options import PlayOptions

MOST_WEIGHT_BYTES = 8 * 2**20
MOST_STREAMS, START_STEPS = 8, 288
"""Streams and steps of experience in a pack; a dream starts there."""
SHORTEST = 36
"""Steps of each stream in a pack: more than the windows of a player or an evaluation."""
LOSS = 1.02
"""The error of 16-bit weights over that of the run's own; a pack with more keeps 32 bits."""
FILM_STEPS, PUT_BACK_EVERY = 100, 50
HELD = ("right", "right up", "right", "up", "left", "right up", "down")
"""Keys that the film of a world without a policy holds in turn, each for HELD_STEPS steps."""
HELD_STEPS = 12


def publish(run: str | Path, out: str | Path, title: str, licence: str = "MIT", step: int | None = None) -> Card:
    """Make a pack of a run, and return its card.

    The pack is evaluated as it will be opened: on unseen levels if the game has any, or on test levels if the training
    levels are too many to be compared. The world model is evaluated alone, and what that does not measure, such as
    returns, while the policy plays. If rounding to 16 bits makes the error of images larger by more than 2 %, the
    weights keep 32 bits.

    Args:
        run: the run's folder.
        out: the file to write, which ends in `.world`.
        title: a few words for people.
        licence: of the weights, as an identifier of SPDX.
        step: environment steps of the checkpoint; None takes the newest.

    Raises:
        UserError: there is no such run, it has no world model, its weights are too large, or the file is there already.
    """
    out = Path(out)
    if out.suffix != SUFFIX or out.exists():
        why = "it is there already" if out.exists() else f"its name must end in '{SUFFIX}'"
        raise UserError(f"The pack cannot be written to '{out}': {why}.")
    run_dir = RunDir.open(run)
    config = open_config(run_dir)
    levels = _levels(config.env)
    print_text(f"Evaluating '{run}', and then what is packed of it, on {level_words(config.env, levels)}.")
    found, tree = Checkpoints(run_dir.checkpoints).read(step)
    with tempfile.TemporaryDirectory() as folder:
        packed = RunDir.create(Path(folder, out.stem), config, {})
        _copy_starts(run_dir, packed)
        error = 0.0
        for kind in (np.float16, np.float32):
            shutil.rmtree(packed.checkpoints, ignore_errors=True)
            weights = Checkpoints(packed.checkpoints).write(found, _weights(tree, kind)) / TENSORS
            if weights.stat().st_size > MOST_WEIGHT_BYTES:  # before minutes of evaluation
                size = f"{weights.stat().st_size:,} bytes"
                raise UserError(f"The weights of a pack have at most {MOST_WEIGHT_BYTES:,} bytes; '{run}' has {size}.")
            error = error or _image_error(run_dir.path, found, levels)
            if kind == np.float32 or _image_error(packed.path, found, levels) <= LOSS * error:
                break
        metrics: dict[str, float] = {}
        for mode in ("real", "model") if config.trains_policy else ("model",):
            metrics |= _evaluated(Request(packed.path, mode, levels, videos=0))
        _film(packed, levels)
        commands, commit = _origin(run, run_dir, config)
        card = Card(
            title,
            config.env.game,
            config.model.kind,
            config.agent.kind,
            found,
            commands,
            commit,
            licence,
            metrics,
            levels,
        )
        write_pack(out, packed.path, card)
    return card


def _levels(env: EnvConfig) -> Levels:
    if not has_test_levels(env):
        return "train"
    return "unseen" if env.num_levels <= MOST_SKIPPED else "test"


def _copy_starts(run: RunDir, packed: RunDir) -> None:
    """Copy the first steps of a run's first streams, at least START_STEPS in all, and SHORTEST of each stream."""
    with closing(open_source(str(run.path))) as source:
        streams = min(source.spec.num_streams, MOST_STREAMS)
        length = min(max(-(-START_STEPS // streams), SHORTEST), source.spec.length)
        write(str(packed.replay), _Beginning(source, streams, length))


class _Beginning:
    """The first steps of the first streams of another source; see `Source`."""

    def __init__(self, source: Source, streams: int, length: int) -> None:
        self._source = source
        self.notes, self.spec = source.notes, replace(source.spec, num_streams=streams, length=length)

    def pieces(self) -> Iterator[Batch]:
        left = self.spec.length
        for piece in self._source.pieces():
            steps = min(left, piece.reward.shape[1])
            yield piece.at(np.s_[: self.spec.num_streams, :steps])
            left -= steps
            if not left:
                return

    def close(self) -> None:
        """Do nothing: whoever opened the other source closes it."""


def _weights(tree: Mapping[str, Any], kind: type[np.floating[Any]]) -> dict[str, Any]:
    """Return the weights of model and agent, float32 numbers as `kind`, without what only learning needs.

    Where a flow draws with averages of its network's weights, the averages are enough.
    """
    lighter = {name: _lighter(tree[name], kind) for name in ("model", "agent")}
    if "averages" in lighter["model"]:
        weights = lighter["model"]["weights"].items()
        lighter["model"]["weights"] = {name: value for name, value in weights if not name.startswith(f"{NETWORK}/")}
    return lighter


def _lighter(node: Any, kind: type[np.floating[Any]]) -> Any:
    if isinstance(node, Mapping):
        if isinstance(node.get("updates"), int):
            return {"updates": node["updates"]}  # of an optimizer
        return {name: _lighter(value, kind) for name, value in node.items()}
    return node.astype(kind) if isinstance(node, np.ndarray) and node.dtype == np.float32 else node


def _evaluated(request: Request) -> dict[str, float]:
    """Return the metrics of an evaluation that have a value."""
    (path,) = evaluate_run(request)
    tree: dict[str, float | None] = parse_strict(read_regular(path), f"'{path}'")["metrics"]
    return {name: value for name, value in tree.items() if value is not None}


def _image_error(run: Path, step: int, levels: Levels) -> float:
    """Return the sum of the errors of images that a run's world model predicts, over the steps ahead."""
    loaded = load_run(run, step)
    evaluator = Evaluator(loaded.parts, loaded.config.evaluation, Streams(0), ENVIRONMENTS, levels=levels)
    try:
        error = next(iter(predict_windows(evaluator, Occasion("shift", levels)).errors.values())).image_error
    finally:
        evaluator.close()
    return float(np.nansum(error.mean)) if error else 0.0


def _film(packed: RunDir, levels: Levels) -> None:
    """Write the film: the model, the real game and their difference, while the policy plays, or keys are held."""
    plays = open_config(packed).trains_policy
    keys = packed.path / ".keys.txt"
    turns = (HELD * FILM_STEPS)[: FILM_STEPS // HELD_STEPS]
    lines = (
        f"{turn * HELD_STEPS} press {held}\n{(turn + 1) * HELD_STEPS - 1} release {held}"
        for turn, held in enumerate(turns)
    )
    keys.write_text("\n".join(lines))
    options = PlayOptions(
        headless=True,
        policy=plays,
        key_script=None if plays else keys,
        video=packed.path / FILM,
        steps=FILM_STEPS,
        put_back_every=PUT_BACK_EVERY,
        zoom=3,
        levels=levels,
    )
    play_runs([packed.path], options)


def _origin(run: str | Path, run_dir: RunDir, config: RunConfig) -> tuple[str, str]:
    """Return the command that trained a run, and the commit of the source that did. A pack has those of its card. The
    command follows those of the pack with whose model the run began, one on each line."""
    if is_pack(run):
        card = read_card(run)
        return card.command, card.commit
    meta = parse_strict(read_regular(run_dir.meta), f"'{run_dir.meta}'")
    pretrained = getattr(config.training, "pretrained", "")
    before = [read_card(pretrained).command] if pretrained and is_pack(pretrained) else []
    return "\n".join([*before, _command(meta)]), str(meta.get("git") or "")


def _command(meta: Mapping[str, Any]) -> str:
    """Return the command that trained a run, without the folders of the program and of the run."""
    words = shlex.split(str(meta.get("command") or ""))
    if "--logdir" in words:
        place = words.index("--logdir")
        words = [*words[:place], *words[place + 2 :]]
    return shlex.join(["worldmodels", *words[1:]] if words else [])
