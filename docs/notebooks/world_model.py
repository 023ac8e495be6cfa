# %% [markdown]
# # A world model in 100 lines
#
# For: students and readers of papers. Afterwards you can encode, imagine and decode with a trained world model, and
# measure what it predicts.
# It costs two minutes and a trained run: the one of `make demo`, or any run with images.
#
# ## Load a run
#
# A run's folder holds a model, an agent and their environment. `spec` says what the model can do.

# %%
import matplotlib.pyplot as plt
import numpy as np
import tensorflow as tf

import worldmodels

RUN, ROWS, CONTEXT, HORIZON = "runs/demo", 32, 8, 30

run = worldmodels.load(RUN)
model = run.parts.world_model
print(f"step {run.step:,}; images {model.spec.observation_shape}; {model.spec.num_actions} actions")

# %% [markdown]
# ## Record what really happens
#
# The policy plays `ROWS` environments at once. An action was chosen *at* its observation, and a reward arrived *with*
# it.
# The step after an episode's last one begins the next episode.

# %%
envs, policy = run.make_env(num_envs=ROWS), run.policy(num_envs=ROWS)
observation, _ = envs.reset(seed=7)
is_first, ended = np.ones(ROWS, bool), np.zeros(ROWS, bool)
recorded = []
for _ in range(CONTEXT + HORIZON):
    action = policy(observation, is_first)
    recorded.append((observation, action, is_first))
    observation, _, terminated, truncated, _ = envs.step(action)
    is_first, ended = ended, terminated | truncated
frames, actions, firsts = (np.stack(values, axis=1) for values in zip(*recorded, strict=True))  # leading (rows, time)

# %% [markdown]
# ## Encode: the posterior
#
# `observe_sequence` reads every frame, and the action that led to it. A state then summarises everything so far, its
# newest frame included: the *posterior*.
# Only the model looks into a state. It is a nest of tensors with leading (rows, time).

# %%
before = np.roll(actions, 1, axis=1)  # the first one has no influence, because an episode begins there
posterior = model.observe_sequence(frames, before, firsts, seed=tf.constant([0, 0]))


def at(time):
    """Return the states of all rows at one time."""
    return tf.nest.map_structure(lambda x: x[:, time], posterior)


# %% [markdown]
# ## Imagine: the prior
#
# After `CONTEXT` frames the model sees nothing any more. `imagine` takes a state and an action, and draws the next
# state: the *prior*.
# The actions are those that were really taken, so both futures can be compared.
#
# ## Decode
#
# `frame` paints the image of a state. A sharp model copies parts of the frame before, so it gets that one as well.

# %%
state, painted = at(CONTEXT - 1), frames[:, CONTEXT - 1]
imagined, observed = [], []
for time in range(CONTEXT, CONTEXT + HORIZON):
    state = model.imagine(state, actions[:, time - 1], 1.0, seed=tf.constant([1, time]))
    painted = model.frame(state, painted)
    imagined.append(painted)
    observed.append(model.frame(at(time), frames[:, time - 1]))
prior, seen = np.stack(imagined, axis=1), np.stack(observed, axis=1)  # (rows, horizon, height, width, colours)
real = frames[:, CONTEXT:]

# %% [markdown]
# ## Look: prior against posterior
#
# One row of the recording. The posterior sees each frame; the prior has seen none since `CONTEXT`.

# %%
whole = ~firsts[:, 1:].any(axis=1)  # rows in which no episode ends
row = int(np.argmax(whole))
columns = [0, 4, 9, 14, 19, 29] if HORIZON >= 30 else range(HORIZON)
figure, axes = plt.subplots(3, len(columns), figsize=(1.6 * len(columns), 5), squeeze=False)
for line, (name, films) in enumerate({"game": real, "posterior": seen, "prior": prior}.items()):
    for place, step in zip(axes[line], columns, strict=True):
        place.imshow(films[row, step])
        place.set_xticks([])
        place.set_yticks([])
        place.set_title(f"{step + 1} ahead" if line == 0 else "", fontsize=9)
    axes[line][0].set_ylabel(name)
figure.tight_layout()
figure.savefig("world_model_frames.png", dpi=110)

# %% [markdown]
# ![Frames of the game, posterior and prior, 1 to 30 steps ahead](../images/notebooks/world_model_frames.png)
#
# ## Measure: error against horizon
#
# The mean squared error of pixels from 0 to 1, over the rows in which no episode ends. Copying the last frame is the
# baseline: a model above its line predicts nothing.
#
# - **Posterior** below the others: what the state can hold. It stays low, because it sees each frame.
# - **Prior** between posterior and copy: what the model can predict. It grows, because the future is unknown.


# %%
def error(films):
    """Return the mean squared error by steps ahead: (horizon,)."""
    gaps = (films[whole].astype(float) - real[whole]) / 255
    return (gaps**2).mean(axis=(0, 2, 3, 4))


copy = np.repeat(frames[:, CONTEXT - 1 : CONTEXT], HORIZON, axis=1)
figure, place = plt.subplots(figsize=(6, 3.5))
for name, films in {"copy of the last frame": copy, "prior": prior, "posterior": seen}.items():
    place.plot(range(1, HORIZON + 1), error(films), label=name)
place.set_xlabel("steps ahead")
place.set_ylabel("image error")
place.set_ylim(bottom=0)
place.legend(frameon=False)
figure.tight_layout()
figure.savefig("world_model_error.png", dpi=110)
print(f"prior over copy, {HORIZON} steps ahead: {error(prior)[-1] / error(copy)[-1]:.2f}")

# %% [markdown]
# ![Image error: copy worst, prior next, posterior best](../images/notebooks/world_model_error.png)
#
# ## Try
#
# 1. Set the temperature of `imagine` to 0. The most probable future is blurred less or more?
# 2. Give the prior other actions, such as the same one at all steps. Which parts of the image follow the action?
# 3. Set `CONTEXT` to 1. How much does the model learn from the frames before the last one?
#
# [Is my world model any good?](../tutorials/is_my_model_any_good.md) has the other measures, and [what is a world
# model?](../start/world_models.md) the words.
