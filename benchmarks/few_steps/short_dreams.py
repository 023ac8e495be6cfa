"""Holds the settings of SimPLe for few real steps: short imagined rollouts, as many as rewards are foreseen well.

Streams and rollouts, which depend on the number of environments, and the settings of PPO are each benchmark's own.
"""

from __future__ import annotations

from typing import Any

SHORT_DREAMS: dict[str, Any] = {
    # After five steps a model of so few updates is in another game, and PPO's critic says what comes then.
    "agent.horizon": 5,
    "model.event_depth": 32,
    "model.event_weight": 10,
    "model.reward": "hurdle",
    "model.optimizer.epsilon": 1e-8,
    "training.event_share": 0.5,
    "training.prefill_policy": "held",  # a model that has met rewards is worth more than a fifth of PPO's own steps
    "training.prefill": 4_000,
    "training.collect": 800,
    "training.fit": 50,
    "training.fit_factors": [5, 3, 2],
    "training.improve": 8,
    "training.imagination_weight": "rewards",
    "training.starts.context": 4,
    "training.starts.newest": 1_600,
    "training.starts.beginnings": 0,
    "replay.held_out_every": 0,
    "evaluation.context": 4,
    "schedule.log_updates": 0,
    "schedule.checkpoint_updates": 0,
}
