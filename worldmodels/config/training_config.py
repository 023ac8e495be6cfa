"""The configuration of each training loop: how many steps it collects, how often it learns, and where dreams start."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Literal

from worldmodels.core.configuration.ranges import (
    BelowOne,
    Count,
    NonNegative,
    Positive,
    Section,
    Share,
    Size,
    at_least,
    limits,
)

SEARCH = 4
"""A prefill in search of events takes at most so many times its own steps."""


@dataclass(frozen=True)
class StartsConfig(Section):
    """The states at which imagined rollouts start, chosen anew for each policy update."""

    rollouts: Count = 0
    """Number of imagined rollouts for each policy update (`simulated_batch_size` in SimPLe's code). 0, which needs
    `context: 0`: as many as the batch has states."""
    context: Count = 0
    """Recorded frames that the model observes before a rollout starts. 0: rollouts start at the model's states along
    its last batch, and the two numbers below have no effect."""
    newest: Count = 0
    """Contexts are drawn from so many of the newest recorded steps, summed over the environments; 0: from all."""
    beginnings: Count = 0
    """Number of contexts that begin with an episode; the others begin anywhere."""


_Mean = Annotated[float, at_least(1), limits(1, 1e9)]


@dataclass(frozen=True)
class ExplorationConfig(Section):
    """Random actions, each held for some steps, instead of the agent's while it collects."""

    epsilon: Share = 0.0
    """Probability of starting a random action, at each step of an environment that holds none; 0 disables it."""
    mean_length: _Mean = 5.0
    """Mean number of steps for which a random action is held; the numbers are geometrically distributed."""
    noise: NonNegative = 0.0
    """Standard deviation of Gaussian noise on box actions, which range from -1 to 1 (`expl_noise` in DreamerV2); 0
    disables it."""

    @property
    def is_on(self) -> bool:
        """Return whether any action is random."""
        return self.epsilon > 0 or self.noise > 0


@dataclass(frozen=True)
class LoopConfig(Section):
    """The keys that all training loops have."""

    steps: Positive = 1_000_000
    """Real environment steps of the whole run."""
    collectors: Count = 0
    """Processes that collect the next steps while the learner learns, each in num_envs / collectors environments. Their
    policy is one turn older. 0: the learner collects, and then learns."""

    @property
    def step_limit(self) -> int:
        """Return the real environment steps at which the run ends."""
        return self.steps

    @property
    def rollout_steps(self) -> int:
        """Return the steps of each environment in the real rollouts of one policy update; 0: there are none."""
        return 0


@dataclass(frozen=True)
class ModelBasedConfig(LoopConfig):
    """The model-based loop: collect steps, fit the model, improve the policy in imagination, repeat.

    Steps are real environment steps, summed over the parallel environments. Updates are optimiser steps of the model,
    and calls of `Agent.update_from_imagination` of the policy. A turn of the loop collects, fits and improves; a run
    ends with the turn that reaches `steps`. `improve: 0` trains a model only, `fit: 0` keeps a pretrained model, and
    `collect: 0` learns from recorded steps.
    """

    kind: str = "model_based"
    prefill: Count = 5_000
    """Steps that the first turn collects, rounded up to a multiple of `collect` (`learning_starts` in
    Stable-Baselines3)."""
    prefill_policy: Literal["random", "held", "agent"] = "random"
    """Policy of the prefill: uniformly random actions, random actions that are held, or the untrained agent."""
    prefill_events: Count = 0
    """Minimum number of events: the prefill continues, `collect` steps at a time, until it has seen them or has four
    times its steps. An event is a step with a reward other than 0, or with the true end of an episode. Demonstrations
    count, held-out episodes do not. 0 disables it."""
    exploration: ExplorationConfig = field(default_factory=ExplorationConfig)
    """Random actions after the prefill."""
    pretrain: Count = 0
    """Model updates in the first turn, in addition to those of `fit`."""
    collect: Count = 16
    """Steps that each further turn collects; rounded up to whole steps of the vector environment (`train_every` in
    DreamerV2)."""
    fit: Count = 1
    """Model updates in each turn (`train_steps` in DreamerV2, `model_train_steps` in SimPLe's code)."""
    fit_factors: tuple[NonNegative, ...] = ()
    """Factors of `fit` in the first turns, one for each turn; later turns have 1."""
    improve: Count = 1
    """Policy updates in imagination in each turn (`ppo_epochs_num` in SimPLe's code)."""
    imagination_weight: Literal["constant", "rewards", "rewards_and_ends"] = "constant"
    """Share of the updates of `improve` that a turn does. `constant`: all of them. `rewards`: the model's average
    precision at rewards 1 to 5 steps ahead. It is measured on the steps of the turn, before the model learns from them,
    and scaled: 1 is perfect and 0 is chance. `rewards_and_ends`: at most its average precision at unrewarded ends of
    episodes (deaths), too."""
    turns: Count = 0
    """Number of turns if `collect` is 0; otherwise it has no effect."""
    starts: StartsConfig = field(default_factory=StartsConfig)
    real_rollout: Count = 0
    """The agent also learns from its real steps, after so many steps of each environment; 0 disables it."""
    batch: Size = 16
    """Sequences in a batch of the model (`dataset.batch` in DreamerV2)."""
    length: Size = 50
    """Steps in a sequence (`dataset.length` in DreamerV2)."""
    event_share: BelowOne = 0.0
    """Share of a batch's sequences that are drawn to hold an event (see `prefill_events`); events are equally probable.
    The losses of rewards and ends weigh each sequence by its usual probability, divided by the probability with which
    it is drawn, so predictions keep their probabilities."""
    pretrained: str = ""
    """Folder of a run whose newest world model this run starts with. The optimizer begins anew."""
    initial_replay: str = ""
    """Recorded experience that this run starts with, instead of the prefill. It is the folder of a run or of a replay
    store, FILE.npz, FILE.hdf5, or minari:NAME (docs/datasets.md)."""
    demonstrations: tuple[str, ...] = ()
    """Recordings of actions (`worldmodels play --record`) whose steps this run has in addition to its prefill."""

    @property
    def step_limit(self) -> int:
        """Return the real environment steps at which the run ends; 0 if the number of turns ends it."""
        return self.steps if self.collect else 0

    @property
    def collected_steps(self) -> int:
        """Return the real environment steps that the run collects at most."""
        return self.steps if self.collect else self.prefill_limit

    @property
    def prefill_limit(self) -> int:
        """Return the steps that the prefill takes at most, before it is rounded up to a multiple of `collect`."""
        if not self.prefill_events:
            return self.prefill
        most = SEARCH * self.prefill
        return min(most, self.steps) if self.collect else most

    @property
    def trains_policy(self) -> bool:
        """Return whether the agent ever learns."""
        return self.improve > 0 or self.real_rollout > 0

    @property
    def rollout_steps(self) -> int:
        """Return the steps of each environment after which the agent learns from them too; 0: it never does."""
        return self.real_rollout


@dataclass(frozen=True)
class ModelFreeConfig(LoopConfig):
    """The model-free loop: collect steps, learn from them, repeat."""

    kind: str = "model_free"
    rollout: Size = 128
    """Steps of each environment between two updates of the policy (`n_steps` in Stable-Baselines3)."""
    epsilon: Share = 0.0
    """Probability that a training step takes a uniformly random action, from which the policy learns as from its own
    (`epsilon-greedy` in CoinRun)."""
    trains_policy = True  # a fact about the loop, not a setting: so without a type

    @property
    def rollout_steps(self) -> int:
        """Return the steps of each environment between two updates."""
        return self.rollout


@dataclass(frozen=True)
class OffPolicyConfig(LoopConfig):
    """The off-policy loop: collect a few steps, learn from single steps of any age, repeat.

    The defaults are Spinning Up's figures.
    """

    kind: str = "off_policy"
    steps: Positive = 400_000
    prefill: Count = 10_000
    """First steps, with uniformly random actions (`start_steps` in Spinning Up)."""
    update_after: Count = 1_000
    """Steps before the first update (`learning_starts` in Stable-Baselines3)."""
    collect: Positive = 50
    """Steps between two bursts of updates; rounded up to whole steps of the vector environment (`update_every` in
    Spinning Up)."""
    updates: Size = 50
    """Updates of the policy in a burst (`gradient_steps` in Stable-Baselines3)."""
    batch: Size = 100
    """Recorded steps for one update."""
    trains_policy = True  # a fact about the loop, not a setting: so without a type

    @property
    def collected_steps(self) -> int:
        """Return the real environment steps that the run collects."""
        return self.steps

    def steps_per_burst(self, num_envs: int) -> int:
        """Return the steps between two bursts, whole ones of the vector environment."""
        return -(-self.collect // num_envs) * num_envs

    def first_update(self, num_envs: int) -> int:
        """Return the steps after which the first burst of updates is due."""
        piece = self.steps_per_burst(num_envs)
        return max(1, -(-self.update_after // piece)) * piece

    def updates_owed(self, step: int, num_envs: int) -> int:
        """Return how many updates must have been done when so many steps were."""
        since = step - self.first_update(num_envs)
        return 0 if since < 0 else self.updates * (1 + since // self.steps_per_burst(num_envs))
