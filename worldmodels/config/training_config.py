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
    """Number of rollouts, each of which starts at another state; 0, without context alone: at all states along the
    batches (`simulated_batch_size` in SimPLe's code)."""
    context: Count = 0
    """Recorded frames that the model takes in before a rollout starts; 0: rollouts start at the states that the model
    had along the batches to which it was last fitted, and the numbers below have no effect."""
    newest: Count = 0
    """Number of the newest recorded steps, summed over the environments, from which contexts are drawn; 0: all."""
    beginnings: Count = 0
    """Number of contexts that begin where an episode does; the others begin anywhere."""


_Mean = Annotated[float, at_least(1), limits(1, 1e9)]


@dataclass(frozen=True)
class ExplorationConfig(Section):
    """Random actions, each held for some steps, in place of the agent's while it collects."""

    epsilon: Share = 0.0
    """Probability, at each step of an environment in which none is held, that a random action begins to be; 0: the
    agent alone decides."""
    mean_length: _Mean = 5.0
    """Mean number of steps for which it is held; the numbers are geometrically distributed."""
    noise: NonNegative = 0.0
    """Standard deviation of Gaussian noise on the agent's actions where they are boxes, from -1 to 1 (`expl_noise` in
    DreamerV2)."""

    @property
    def is_on(self) -> bool:
        """Return whether the agent does not decide alone."""
        return self.epsilon > 0 or self.noise > 0


@dataclass(frozen=True)
class LoopConfig(Section):
    """The keys that all training loops have."""

    kind: str = ""
    steps: Positive = 1_000_000
    """Real environment steps of the whole run."""
    collectors: Count = 0
    """Processes that collect the next steps while the learner learns from the last ones, each in num_envs / collectors
    of the environments. Their policy is older by that much. 0: the learner collects, and then learns."""

    @property
    def step_limit(self) -> int:
        """Return the real environment steps at which the run ends."""
        return self.steps


@dataclass(frozen=True)
class ModelBasedConfig(LoopConfig):
    """The model-based loop: collect steps, fit the model, improve the policy in imagination, repeat.

    Steps are real environment steps, summed over the parallel environments; updates are optimiser steps of the model,
    and calls of `Agent.update_from_imagination` for the policy. One turn of the loop collects, fits and improves, each
    in one piece; a run ends with the turn that reaches `steps`. Zero for `improve` trains a model only, zero for `fit`
    keeps a pretrained model as it is, zero for `collect` learns from what was recorded before.
    """

    kind: str = "model_based"
    prefill: Count = 5_000
    """Steps that the first turn collects, rounded up to a multiple of `collect` (`learning_starts` in
    Stable-Baselines3)."""
    prefill_policy: Literal["random", "held", "agent"] = "random"
    """Policy that plays the prefill: uniformly random actions, random ones that are held, or the agent as it is."""
    prefill_events: Count = 0
    """Events until which the prefill goes on, `collect` steps at a time: steps with a reward other than 0 or with the
    true end of an episode, those of demonstrations counted and those in held-out episodes not."""
    exploration: ExplorationConfig = field(default_factory=ExplorationConfig)
    """Random actions in what the agent collects after the prefill."""
    pretrain: Count = 0
    """Model updates in the first turn, besides those of `fit`."""
    collect: Count = 16
    """Steps that each further turn collects; rounded up to whole steps of the vector environment (`train_every` in
    DreamerV2)."""
    fit: Count = 1
    """Model updates in each turn (`train_steps` in DreamerV2, `model_train_steps` in SimPLe's code)."""
    fit_factors: tuple[NonNegative, ...] = ()
    """Multiples of `fit` in the first turns of the loop, one number for each turn; afterwards 1."""
    improve: Count = 1
    """Policy updates in imagination in each turn (`ppo_epochs_num` in SimPLe's code)."""
    weigh_imagination: bool = False
    """Whether a turn does only a share of the updates of `improve`: the average precision with which the model, before
    it learns from the steps that the turn collected, foresees their rewards 1 to 5 steps ahead, scaled so that 1 is
    perfect and 0 is chance. Without, all are done."""
    weigh_by_ends: bool = False
    """Whether that share is no more than what is foreseen, measured alike, of the ends of episodes that do not pay, as
    deaths are. Without `weigh_imagination` this has no effect."""
    turns: Count = 0
    """Number of turns where `collect` is 0; otherwise `steps` decides, and this has no effect."""
    starts: StartsConfig = field(default_factory=StartsConfig)
    real_rollout: Count = 0
    """Steps of each environment after which the agent, while it collects, also learns from reality; 0: it does not."""
    batch: Size = 16
    """Sequences in a batch of the model (`dataset.batch` in DreamerV2)."""
    length: Size = 50
    """Steps in a sequence (`dataset.length` in DreamerV2)."""
    event_share: BelowOne = 0.0
    """Share of the sequences in a batch of the model that are drawn so that they hold an event (see `prefill_events`),
    uniformly over the events. The losses of rewards and ends count every sequence by how often it would be drawn
    without, divided by how often it is, so that the predictions keep their probabilities."""
    pretrained: str = ""
    """Folder of a run whose newest world model this run starts with."""
    initial_replay: str = ""
    """Recorded experience that this run starts with, in place of the prefill: the folder of a run or of a replay store,
    FILE.npz, FILE.hdf5, or minari:NAME (docs/datasets.md)."""
    demonstrations: tuple[str, ...] = ()
    """Recordings of actions (`worldmodels play --record`) whose steps this run starts with, besides its prefill."""

    @property
    def step_limit(self) -> int:
        """Return the real environment steps at which the run ends; 0 where the number of turns ends it."""
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


@dataclass(frozen=True)
class ModelFreeConfig(LoopConfig):
    """The model-free loop: collect steps, learn from them, repeat."""

    kind: str = "model_free"
    rollout: Size = 128
    """Steps of each environment between two updates of the policy (`n_steps` in Stable-Baselines3)."""
    epsilon: Share = 0.0
    """Probability, at each step of training, that a uniformly random action is taken in place of the policy's, which
    learns as if it were its own (`epsilon-greedy` in CoinRun)."""
    trains_policy = True  # a fact about the loop, not a setting: so without a type


@dataclass(frozen=True)
class OffPolicyConfig(LoopConfig):
    """The off-policy loop: collect a few steps, learn from single steps of any age, repeat; the defaults are Spinning
    Up's figures."""

    kind: str = "off_policy"
    steps: Positive = 400_000
    prefill: Count = 10_000
    """First steps, whose actions are uniformly random (`start_steps` in Spinning Up)."""
    update_after: Count = 1_000
    """Steps before which there is no update (`learning_starts` in Stable-Baselines3)."""
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
