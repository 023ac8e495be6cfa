"""Draw docs/images/families.gif: world models of several families go on alone from the same frames.

    python docs/make_families.py "sampled next frame=gallery:coinrun" "RSSM (Dreamer)=RUN" "next frame (SimPLe)=RUN"

Each argument is a title and a run of CoinRun with 20 levels. Windows of test levels are played under held actions. The
models observe the first steps of each. Then they predict alone under the same actions, with their randomness as
learned.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from PIL import Image

from worldmodels.config.run_config import EvaluationConfig
from worldmodels.core.seeding import Streams
from worldmodels.evaluation.report.comparison_video import enlarged, text_line
from worldmodels.loading.quiet import load_tensorflow

FILE = Path(__file__).parent / "images" / "families.gif"
CONTEXT, HORIZON, WINDOWS = 20, 40, 32
SHOWN = 2
"""The windows of the film: those in which the game moves most, out of all that hold one episode."""
SCALE, GAP, MILLISECONDS, COLOURS = 2, 4, 100, 96


def predicted(run: str) -> tuple[np.ndarray, np.ndarray]:
    """Return frames uint8 (W, H, h, w, c) of the game and of a run's model, without the context."""
    from worldmodels.acting.exploring_actor import HeldActor, Holding
    from worldmodels.evaluation.evaluator import Evaluator
    from worldmodels.evaluation.predictions.windows import play_windows
    from worldmodels.loading.load import load_run

    settings, streams = (
        EvaluationConfig(context=CONTEXT, horizon=HORIZON, windows=WINDOWS, episodes=WINDOWS),
        Streams(0),
    )
    evaluator = Evaluator(load_run(run).parts, settings, streams, WINDOWS, levels="test")
    try:
        actor = HeldActor(WINDOWS, evaluator.spec.action.count, streams.generator("film"), Holding(uniform=0.0))
        played = play_windows(evaluator.env, actor, WINDOWS, CONTEXT + HORIZON, streams.integer("film"))
        frames = evaluator.predictor.predict(played, streams.key("film"), 1.0).frame
    finally:
        evaluator.close()
    whole = ~played.is_last[:, :-1].any(1)
    return played.observation[whole, CONTEXT:], frames[whole]


def most_moving(frames: np.ndarray) -> list[int]:
    """Return the windows in which frames uint8 (W, H, h, w, c) differ most from the ones before."""
    change = np.abs(np.diff(frames.astype(np.int16), axis=1)).mean((1, 2, 3, 4))
    return np.argsort(-change)[:SHOWN].tolist()


def film(columns: Mapping[str, np.ndarray], windows: Sequence[int]) -> list[Image.Image]:
    """Return the pictures of a film with a column for each title, of frames uint8 (W, H, h, w, c)."""
    side = SCALE * next(iter(columns.values())).shape[3] + GAP
    header = np.concatenate([text_line(title, side, left=2) for title in columns], 1)
    pictures = []
    for window in windows:
        for step in range(HORIZON):
            cells = [np.pad(enlarged(x[window, step], SCALE), ((0, 0), (0, GAP), (0, 0))) for x in columns.values()]
            footer = text_line(f"step {step + 1} after the last frame that the models saw", len(columns) * side, left=2)
            pictures.append(Image.fromarray(np.concatenate([header, np.concatenate(cells, 1), footer])))
    return pictures


def main(arguments: list[str]) -> None:
    load_tensorflow()
    columns: dict[str, np.ndarray] = {}
    for title, _, run in (argument.partition("=") for argument in arguments):
        real, columns[title] = predicted(run)
    columns = {"the game": real, **columns}
    first, *others = [
        picture.quantize(COLOURS, dither=Image.Dither.NONE) for picture in film(columns, most_moving(real))
    ]
    first.save(FILE, save_all=True, append_images=others, duration=MILLISECONDS, loop=0, optimize=True)
    print(f"{FILE}: {FILE.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main(sys.argv[1:])
