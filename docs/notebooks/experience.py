# %% [markdown]
# # Experience in and out
#
# For: readers with recordings of their own. Afterwards you can record experience, write a file of it yourself, and
# train on it without an environment. You can also tell what a model cannot know from it.
# It costs ten minutes, most of them two short trainings.
#
# ## Record
#
# `worldmodels record` plays a game and writes what was seen and done. Here random actions play CoinRun, on 20 levels.

# %%
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import worldmodels
from worldmodels.cli import main

STEPS, FIT, LEVELS = 6_000, 500, 20

if not Path("random.npz").exists():
    words = ["--steps", str(STEPS), "--option", f"num_levels={LEVELS}", "num_envs=4", "--out", "random.npz"]
    main(["record", "coinrun", *words])
recorded = dict(np.load("random.npz"))
for name, values in recorded.items():
    print(f"{name:16} {values.dtype!s:8} {values.shape}")

# %% [markdown]
# Arrays have leading (T, N): T steps of N streams, one stream for each environment. The reward and the flags arrived
# *with* an observation, and the action was chosen *at* it.
# [Data sets](../datasets.md#what-the-files-hold) lists all arrays.
#
# ## Write a file yourself
#
# Any program can write such a file: NumPy is enough. This one plays the same levels, and only ever runs right or
# jumps right: it never takes one of the other actions.

# %%
RIGHT, JUMP_RIGHT = 7, 8
envs = worldmodels.envs.make_vec("coinrun", num_envs=4, num_levels=LEVELS, seed=1)
generator = np.random.default_rng(0)
observation, _ = envs.reset(seed=0)
reward, is_first = np.zeros(4, np.float32), np.ones(4, bool)
terminated, truncated = np.zeros(4, bool), np.zeros(4, bool)
rows = []
for _ in range(STEPS // 4):
    action = np.where(generator.random(4) < 0.5, RIGHT, JUMP_RIGHT).astype(np.int32)
    rows.append((observation, np.where(is_first, 0, reward), is_first, terminated | truncated, terminated, action))
    was_last = terminated | truncated
    observation, reward, terminated, truncated, _ = envs.step(action)
    is_first = was_last  # the step after an episode's last one begins the next
names = ("observation", "reward", "is_first", "is_last", "is_terminal", "action")
arrays = dict(zip(names, (np.stack(values) for values in zip(*rows, strict=True)), strict=True))
np.savez_compressed("right.npz", **arrays | {"reward": arrays["reward"].astype(np.float32), "action_choices": 15})

# %% [markdown]
# A file is checked when it is read: names, shapes, types, finite numbers, and flags that fit together. So a mistake
# is a sentence, not a bad model.
#
# ## Train offline
#
# The preset `offline` takes no step in the environment. It only makes one, to compare its spaces with those of the
# data.
# One turn with many updates of the model and none of the policy trains a world model alone.

# %%
SETTINGS = {
    "env.num_levels": LEVELS,
    "training.turns": 1,
    "training.fit": FIT,
    "training.improve": 0,
    "schedule.evaluate_every": 0,
}
runs = {
    name: worldmodels.train(
        "coinrun", ["dreamer_small", "offline"], SETTINGS | {"training.initial_replay": f"{name}.npz"}, f"runs/{name}"
    )
    for name in ("random", "right")
}

# %% [markdown]
# ## What can each model know?
#
# A model knows the actions that its data has. `evaluate` measures this: at many moments it holds every action for
# five steps, in the game and in the model.
# *Reproduced* is the share of the difference between the actions' frames that the model makes too: 1 is all of it,
# and 0 is a model in which actions have no effect.
#
# The image error is divided by that of copying the last frame. Its windows are played by the run's policy, which has
# not learned: its actions are nearly random.

# %%
measured = {}
for name, run in runs.items():
    metrics = worldmodels.evaluate(run, mode="model", horizon=5, windows=64)["metrics"]
    measured[name] = {
        "actions reproduced": metrics["eval/actions_reproduced"],
        "image error over copy": metrics["eval/image_error_at_5"] / metrics["eval/copy_image_error_at_5"],
    }
    print(name, {figure: round(value, 2) for figure, value in measured[name].items()})

# %%
figure, axes = plt.subplots(1, 2, figsize=(7, 3))
for place, title in zip(axes, ("actions reproduced", "image error over copy"), strict=True):
    place.bar(list(measured), [measured[name][title] for name in measured], width=0.5)
    place.axhline(0, color="black", linewidth=0.8)
    place.set_title(title, fontsize=10)
axes[1].axhline(1, color="grey", linestyle="--", linewidth=1)
figure.tight_layout()
figure.savefig("experience_actions.png", dpi=110)

# %% [markdown]
# ![Two models, and what they know of actions](../images/notebooks/experience_actions.png)
#
# Both models saw as many steps of the same levels. In this run, with one seed and few updates, the first one reproduces
# 0.07 of the differences and halves the error of copying. The second one has -0.10 and 1.2: it is worse than a copy.
#
# It has no example of running left, of standing, or of climbing down. A policy that learns inside it may take such an
# action, and the model then paints something plausible. This is how a policy fools its model, so data for offline
# training needs all actions.
#
# ## And out again
#
# `worldmodels convert` writes the experience of any run as npz, HDF5 or a data set of Minari: every step comes back
# byte by byte.

# %%
if not Path("again.npz").exists():
    main(["convert", "runs/right", "again.npz"])
again = np.load("again.npz")
print("the same frames:", np.array_equal(again["observation"], arrays["observation"]))
