# %% [markdown]
# # Reading a run
#
# For: readers with trained runs. Afterwards you can read records in Python, draw curves with intervals, and judge a
# model's images and rewards.
# It costs ten minutes, most of them three short trainings, and the run of `make demo`.
#
# ## Records
#
# `metrics.jsonl` has a line of JSON for each record. `step` counts environment steps; null stands for a value that
# was not finite. [Metrics](../metrics.md) explains the names.

# %%
import json
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import worldmodels
from worldmodels.cli import main

RUN, SEEDS = "runs/demo", 3


def series(run, name):
    """Return the steps and the values of a metric, each an array."""
    records = [json.loads(line) for line in (Path(run) / "metrics.jsonl").read_text().splitlines()]
    found = [(record["step"], record[name]) for record in records if record.get(name) is not None]
    return np.array(found, float).T


names = {name for line in (Path(RUN) / "metrics.jsonl").read_text().splitlines() for name in json.loads(line)}
print(len(names), "metrics, among them", *sorted(names)[:6])
steps, losses = series(RUN, "model/image_loss")
print(f"image loss {losses[0]:.1f} at step {steps[0]:,.0f}, {losses[-1]:.1f} at step {steps[-1]:,.0f}")

# %% [markdown]
# ## A curve with its interval
#
# One run says little, because another seed gives another curve. So several seeds are trained, here of PPO. The same
# call continues a run that was stopped, and trains nothing if it has ended.

# %%
runs = [worldmodels.train("coinrun", "demo_ppo", {"seed": seed}, f"runs/ppo/seed_{seed}") for seed in range(SEEDS)]
curves = [series(run, "episode/return") for run in runs]
first, last = max(steps[0] for steps, _ in curves), min(steps[-1] for steps, _ in curves)
positions = np.linspace(first, last, 40)
values = np.array([np.interp(positions, steps, returns) for steps, returns in curves])  # (seeds, 40)
mean = values.mean(axis=0)
student = {2: 12.71, 3: 4.30, 4: 3.18, 5: 2.78}[SEEDS]  # 97.5 % quantile with SEEDS - 1 degrees of freedom
half = student * values.std(axis=0, ddof=1) / np.sqrt(SEEDS)
figure, place = plt.subplots(figsize=(6, 3.5))
place.plot(positions, mean, label=f"PPO, mean of {SEEDS} seeds")
place.fill_between(positions, mean - half, mean + half, alpha=0.2, label="95 % interval")
place.set_xlabel("environment steps")
place.set_ylabel("return of an episode")
place.legend(frameon=False)
figure.tight_layout()
figure.savefig("reading_curve.png", dpi=110)

# %% [markdown]
# ![Return against environment steps: the mean of three seeds in a wide band](../images/notebooks/reading_curve.png)
#
# With three seeds the band is wide: Student's factor is 4.3, and the band even reaches below 0. Five seeds make it 2.8.
# `worldmodels plot runs/ppo` draws the same, with smoothing.
#
# ## Image error against the horizon
#
# `evaluate` returns the content of the JSON that `worldmodels eval` writes. A curve has lists `n`, `mean` and
# `standard_error`; entry h is for h + 1 steps ahead.

# %%
found = worldmodels.evaluate(RUN, mode="model", horizon=30, windows=64, levels="test")
measured = found["world_model"][0]
figure, place = plt.subplots(figsize=(6, 3.5))
for key, label in {"copy_image_error": "copy of the last frame", "image_error": "model"}.items():
    curve = {name: np.array(values, float) for name, values in measured[key].items()}
    ahead = 1 + np.arange(len(curve["mean"]))
    place.plot(ahead, curve["mean"], label=label)
    margin = 1.96 * curve["standard_error"]
    place.fill_between(ahead, curve["mean"] - margin, curve["mean"] + margin, alpha=0.2)
place.set_xlabel("steps ahead")
place.set_ylabel("image error, levels never seen")
place.set_ylim(bottom=0)
place.legend(frameon=False)
figure.tight_layout()
figure.savefig("reading_error.png", dpi=110)

# %% [markdown]
# ![Image error against steps ahead, with bands: the model lies below the copy](../images/notebooks/reading_error.png)
#
# ## Are predicted rewards calibrated?
#
# A model is calibrated if rewards that it expects with 30 % come in 30 % of cases. Steps of new levels are recorded;
# after every frame, the model looks five steps ahead under the recorded actions.
# The coin of CoinRun is worth 10, so a sum of 10 is one coin.

# %%
import tensorflow as tf  # noqa: E402

AHEAD, CONTEXT, COIN = 5, 8, 10.0
if not Path("test_levels.npz").exists():
    words = ["--policy", RUN, "--levels", "test", "--steps", "20000", "--out", "test_levels.npz"]
    main(["record", *words])
data = np.load("test_levels.npz")
frames, actions, firsts, rewards = (
    data[name].swapaxes(0, 1) for name in ("observation", "action", "is_first", "reward")
)
model = worldmodels.load(RUN).parts.world_model
expected, came = [], []
for start in range(0, frames.shape[1] - CONTEXT - AHEAD, AHEAD):
    window = slice(start, start + CONTEXT)
    before = np.roll(actions[:, window], 1, axis=1)
    seen = model.observe_sequence(frames[:, window], before, firsts[:, window], seed=tf.constant([0, start]))
    state, alive, total = tf.nest.map_structure(lambda x: x[:, -1], seen), 1.0, 0.0
    for time in range(start + CONTEXT, start + CONTEXT + AHEAD):
        state = model.imagine(state, actions[:, time - 1], 1.0, seed=tf.constant([1, time]))
        total = total + alive * model.reward(state).numpy()
        alive = alive * model.continuation(state).numpy()
    inside = ~firsts[:, start + CONTEXT].astype(bool)  # else another level begins
    later = slice(start + CONTEXT, start + CONTEXT + AHEAD)
    same = np.cumsum(firsts[:, later], axis=1) == 0  # rewards of the next episode do not count
    expected.append(total[inside])
    came.append((rewards[:, later] * same).sum(axis=1)[inside])
expected, came = np.concatenate(expected) / COIN, np.concatenate(came) / COIN
print(f"{len(came):,} starts, {came.sum():.0f} coins; the model expects {expected.sum():.1f}")

# %% [markdown]
# Starts are put into four groups by what the model expects. A point on the diagonal is right. One below it has coins
# that the model only imagines. Bars are Wilson's 95 % intervals of the share of starts with a coin.

# %%
edges, z = [0.1, 0.5, 0.9], 1.96
groups = np.digitize(expected, edges)
figure, place = plt.subplots(figsize=(4.6, 4.2))
place.plot([0, 1.1], [0, 1.1], color="grey", linewidth=1)
for group in np.unique(groups):
    members = groups == group
    count, share, at = members.sum(), came[members].mean(), expected[members].mean()
    middle = (share + z**2 / (2 * count)) / (1 + z**2 / count)
    half = z * np.sqrt(share * (1 - share) / count + z**2 / (4 * count**2)) / (1 + z**2 / count)
    place.errorbar(at, middle, half, color="C0", capsize=3)
    place.plot(at, share, "o", color="C0")
    place.text(at + 0.03, share - 0.03, f"{count:,} starts", fontsize=8)
place.set_xlabel(f"coins expected in {AHEAD} steps")
place.set_ylabel("coins that came")
figure.tight_layout()
figure.savefig("reading_calibration.png", dpi=110)

# %% [markdown]
# ![Coins that came: the surest group lies below the diagonal](../images/notebooks/reading_calibration.png)
#
# This model was stopped after 12,384 of its 30,400 steps. If it is sure of a coin, three of four come: a policy that
# learns inside it collects coins that do not exist. It expects more than one coin from some starts, because it
# expects a reward at several steps, and only one ends the episode.
#
# Most starts are in the lowest group, because rewards are rare. So accuracy says little, and
# `eval/reward_average_precision` is the better number.
