"""The configuration of a run: one frozen dataclass whose sections stand beside the code that they configure.

Opens the configuration in a run's folder. If its game imports a module, that needs the trust of this user.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from worldmodels.agents import AGENTS
from worldmodels.agents.config import AgentConfig
from worldmodels.config.training_config import ModelBasedConfig, ModelFreeConfig, OffPolicyConfig
from worldmodels.core.configuration.ranges import (
    AnyInteger,
    Count,
    NonNegative,
    Positive,
    Range,
    Section,
    Size,
)
from worldmodels.core.configuration.sections import load_config
from worldmodels.core.errors import UserError, os_errors_reported, shortened
from worldmodels.core.files.run_dir import RunDir
from worldmodels.core.files.user_folders import state_folder
from worldmodels.core.files.writing import make_folder, read_regular
from worldmodels.envs.config import PYTHON, EnvConfig
from worldmodels.models import MODELS
from worldmodels.models.config import ModelConfig
from worldmodels.models.rssm.config import RSSMConfig
from worldmodels.replay.config import ReplayConfig

Precision = Literal["auto", "float32", "bfloat16"]
Compiler = Literal["auto", "off", "xla"]

_DISTINCT = Range("hold at least one number, and none twice", lambda values: 0 < len(values) == len(set(values)))


@dataclass(frozen=True)
class ScheduleConfig(Section):
    """The times at which a run logs, evaluates and saves; steps are real environment steps, as everywhere."""

    log_every: Positive = 5_000
    """Steps between two records of the metrics."""
    log_updates: Count = 0
    """Updates, of model and policy together, between two more records of the metrics; 0 disables them."""
    evaluate_every: Count = 100_000
    """Steps between two evaluations of policy and world model, with a video, at the end of a turn (`eval_every` in
    DreamerV2); 0 disables them."""
    checkpoint_every: Positive = 25_000
    """Steps between two checkpoints; the end of a run always writes one."""
    checkpoint_updates: Count = 0
    """Updates, of model and policy together, between two more checkpoints; 0 disables them."""
    keep_checkpoints: Positive = 2
    """Number of newest checkpoints that are kept."""


@dataclass(frozen=True)
class TelemetryConfig(Section):
    """The places of a run's metrics besides metrics.jsonl and TensorBoard's files."""

    sinks: tuple[Literal["wandb", "mlflow", "trackio"], ...] = ()
    """Trackers of experiments that receive each record of the metrics; each is an extra of this package."""


@dataclass(frozen=True)
class EvaluationConfig(Section):
    """The numbers of an evaluation, each of which `worldmodels eval` can override from the command line."""

    episodes: Positive = 64
    """Episodes for each pair of a temperature and a number of no-ops; unfinished episodes count, too."""
    temperatures: Annotated[tuple[NonNegative, ...], _DISTINCT] = (1.0,)
    """Sampling temperatures of the policy: 0 takes the most probable action, 1 samples."""
    model_temperatures: Annotated[tuple[NonNegative, ...], _DISTINCT] = (1.0,)
    """Sampling temperatures of the world model's predictions."""
    noops: Annotated[tuple[Count, ...], _DISTINCT] = (0,)
    """Numbers of steps without an action at the start of an episode."""
    max_steps: Positive = 1_000
    """Steps after which an episode is cut and reported as unfinished."""
    context: Size = 5
    """Frames that the world model observes before it predicts."""
    horizon: Size = 15
    """Steps that the world model then predicts without observations."""
    windows: Size = 256
    """Recorded sequences over which the errors of the world model are averaged."""
    test_levels: bool = True
    """Evaluate on test levels, too, during training, if `env.num_levels` leaves any (`eval/test_return` and others)."""


@dataclass(frozen=True)
class RunConfig(Section):
    """Everything that decides a run: the same configuration and seed give the same numbers on a CPU."""

    seed: AnyInteger = 0
    """The seed of everything random in the run."""
    deterministic: bool | None = None
    """Whether the same configuration repeats bit for bit. That costs a GPU much speed and a CPU none. null: yes on a
    CPU, no on a GPU, decided when the run is made."""
    precision: Precision = "auto"
    """Type of the factors of matrix products and convolutions; sums, weights and losses are float32 (`precision` in
    DreamerV2). auto: bfloat16 if the processor has instructions for it and the run's own updates are faster with it,
    otherwise float32. It is decided when the run is made."""
    compile: Compiler = "auto"
    """Compiler of each update of model and policy. xla: the update is one program of XLA, which each start of the run
    compiles. auto: xla on a GPU if the run's own updates are faster with it, otherwise off. It is decided when the
    run is made."""
    devices: Positive = 1
    """GPUs of this machine that share each update of model and policy; without a GPU, logical CPUs, which gain nothing.
    They must divide the batches. The numbers are those of one device but for rounding, and a run may continue with
    another number of devices."""
    env: EnvConfig = field(default_factory=EnvConfig)
    replay: ReplayConfig = field(default_factory=ReplayConfig)
    model: ModelConfig = field(default_factory=RSSMConfig, metadata={"kinds": MODELS})
    agent: AgentConfig = field(default_factory=AGENTS["actor_critic"], metadata={"kinds": AGENTS})
    training: ModelBasedConfig | ModelFreeConfig | OffPolicyConfig = field(default_factory=ModelBasedConfig)
    schedule: ScheduleConfig = field(default_factory=ScheduleConfig)
    telemetry: TelemetryConfig = field(default_factory=TelemetryConfig)
    evaluation: EvaluationConfig = field(default_factory=EvaluationConfig)

    @property
    def trains_policy(self) -> bool:
        """Return whether the agent ever learns; a policy that does not is not evaluated."""
        return self.agent.kind != "random" and self.training.trains_policy


def open_config(run: RunDir) -> RunConfig:
    """Return the configuration of an existing run, with which its environment may be made.

    Raises:
        UserError: it cannot be read; or its game imports a module, and this user neither trained the run nor trusts it.
    """
    config = load_config(RunConfig, [run.config])
    if imports_module(config) and run.config_digest not in _trusted():
        raise UserError(
            f"The game of the run '{run.path}' imports a module, which runs its code: '{shortened(config.env.game)}'. "
            "A module is imported for a run that you trained on this machine, or that you trust. If you trust it: "
            f"worldmodels trust {shlex.quote(str(run.path))}."
        )
    return config


def imports_module(config: RunConfig) -> bool:
    """Return whether the environment is one of a module, `module:Name-v0`."""
    return ":" in config.env.game and not config.env.game.startswith(PYTHON)


def trust(run: RunDir) -> None:
    """Remember that this user trusts the configuration of a run.

    Raises:
        FileError: the folder of what is remembered cannot be written.
    """
    if (digest := run.config_digest) not in _trusted():
        make_folder(_trust_file().parent)
        with os_errors_reported(_trust_file(), "written"), open(_trust_file(), "a") as file:
            file.write(f"{digest}\n")


def _trust_file() -> Path:
    return state_folder() / "trusted_runs.txt"


def _trusted() -> list[str]:
    """Return the SHA-256 of each trusted configuration."""
    try:
        return read_regular(_trust_file()).decode(errors="replace").split()
    except (OSError, RuntimeError):  # a person may have no home at all
        return []
