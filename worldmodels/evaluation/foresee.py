"""`worldmodels foresee`: a recorded episode inside a model, and how long before the end the model saw it coming."""

from __future__ import annotations

from pathlib import Path

from worldmodels.analysis.foresight_plot import plot_foresight
from worldmodels.core.errors import UserError
from worldmodels.core.seeding import Streams
from worldmodels.evaluation.foresight import Foreseer, Foresight, live_again
from worldmodels.runtime.action_recording import read_recording
from worldmodels.runtime.load import load_run


def foresee_run(run: str | Path, file: str | Path, episode: int = 1, horizon: int = 50, seed: int = 0) -> Path:
    """Prints what a run's model foresees of an episode, and draws it; gives the path of the picture.

    Args:
        file: a recording of actions.
        episode: its number in the recording, from 1.
        horizon: steps that the model looks ahead.
        seed: of the model's samples.

    Raises:
        UserError: the run has no world model, the recording is damaged or has no such episode.
    """
    if horizon < 1:
        raise UserError(f"The horizon must be 1 or more. Received {horizon}.")
    played = read_recording(file)
    lived = live_again(played, episode, file)
    if not len(lived.actions):
        raise UserError(f"Episode {episode} of '{file}' has no step.")
    loaded = load_run(run)
    found = Foreseer(loaded.parts.world_model, horizon).foresee(lived, Streams(seed).key("foresee"))
    print(f"Episode {episode} of {file}: {found.length} steps, return {found.total:g}.")
    print(_verdict(found, horizon))
    save = loaded.run_dir.eval / f"foresight_{loaded.step:08d}_{Path(file).stem}_{episode}.png"
    save.parent.mkdir(parents=True, exist_ok=True)
    title = f"{played.game}, {Path(file).stem}, episode {episode}"
    path = plot_foresight(found.predicted_end, found.first_foreseen, save, title)
    print(f"Written:\n  {path}")
    return path


def _verdict(found: Foresight, horizon: int) -> str:
    if not found.ended:
        return "It was left before it ended, so there is no end to foresee."
    first = found.first_foreseen
    if first is None:
        return f"The model, looking {horizon} steps ahead, never foresaw the end."
    ahead = found.length - first
    return f"The model first foresaw the end {ahead} steps ahead, at step {first}, and from then on every time."
