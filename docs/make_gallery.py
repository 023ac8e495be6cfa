"""Draw docs/images/gallery.png: each world of the gallery goes on alone, beside the real game under the same actions.

    python docs/make_gallery.py

A game with levels is played on levels that are no training levels. Of the windows that hold one episode, the sheet
shows the one in which the game moves most. The actions are held keys; where actions are numbers, they are the
policy's.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from PIL import Image

from worldmodels.config.run_config import EvaluationConfig
from worldmodels.core.files.packs import GALLERY, gallery, read_card
from worldmodels.core.seeding import Streams
from worldmodels.envs.games.levels import has_test_levels
from worldmodels.evaluation.report.comparison_video import BACKGROUND, enlarged, text_line
from worldmodels.loading.quiet import load_tensorflow

FILE = Path(__file__).parent / "images" / "gallery.png"
CONTEXT, HORIZON, WINDOWS = 20, 60, 64
SHOWN = (1, 10, 20, 30, 45, 60)
"""Steps after the last frame that a model saw."""
SCALE, GAP, LABEL, COLUMNS = 2, 4, 52, 2


def window(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return frames uint8 (H, h, w, c) of the game and of a world's model."""
    from worldmodels.acting.exploring_actor import HeldActor, Holding
    from worldmodels.evaluation.evaluator import Evaluator
    from worldmodels.evaluation.predictions.windows import play_windows
    from worldmodels.loading.load import load_run

    parts = load_run(f"{GALLERY}{name}").parts
    settings = EvaluationConfig(context=CONTEXT, horizon=HORIZON, windows=WINDOWS, episodes=WINDOWS)
    levels, streams = "test" if has_test_levels(parts.config.env) else "train", Streams(0)
    evaluator = Evaluator(parts, settings, streams, WINDOWS, levels=levels)
    try:
        if count := evaluator.spec.action.count:
            actor = HeldActor(WINDOWS, count, streams.generator("sheet"), Holding(uniform=0.0))
            played = play_windows(evaluator.env, actor, WINDOWS, CONTEXT + HORIZON, streams.integer("sheet"))
        else:
            played = evaluator.recorded()
        frames = evaluator.predictor.predict(played, streams.key("sheet"), 1.0).frame
    finally:
        evaluator.close()
    real = played.observation[:, CONTEXT:]
    change = np.abs(np.diff(real.astype(np.int16), axis=1)).mean((1, 2, 3, 4))
    most = np.where(played.is_last[:, :-1].any(1), -1.0, change).argmax()
    return real[most], frames[most]


def entry(name: str) -> np.ndarray:
    """Return the picture of a world, uint8 (H, W, 3): its title, the real frames, and those of the model."""
    card, steps = read_card(f"{GALLERY}{name}"), [step - 1 for step in SHOWN]
    rows = [
        np.concatenate(list(padded(frames[steps], label)), 1)
        for label, frames in zip(("game", "model"), window(name), strict=True)
    ]
    title = text_line(f"gallery:{name} · {card.title} · {card.model}, {card.step:,} steps", rows[0].shape[1], left=2)
    return np.concatenate([title, *rows])


def padded(frames: np.ndarray, label: str) -> Iterator[np.ndarray]:
    """Yield a label, and frames uint8 (N, h, w, c), enlarged, with a gap to the right and below."""
    gap = ((0, GAP), (0, GAP), (0, 0))
    pictures = [np.pad(enlarged(frame, SCALE), gap) for frame in frames]
    words = np.full((len(pictures[0]), LABEL, 3), BACKGROUND, np.uint8)
    line = text_line(label, LABEL, left=2)
    words[: len(line)] = line
    yield words
    yield from pictures


def main() -> None:
    load_tensorflow()
    entries = [entry(name) for name in gallery()]
    entries += [np.full_like(entries[0], BACKGROUND)] * (-len(entries) % COLUMNS)
    rows = [np.concatenate(entries[place : place + COLUMNS], 1) for place in range(0, len(entries), COLUMNS)]
    Image.fromarray(np.concatenate(rows)).quantize(256).save(FILE, optimize=True)
    print(f"{FILE}: {FILE.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
