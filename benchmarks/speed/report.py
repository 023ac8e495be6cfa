"""Writes the tables of `benchmarks/train_speed.py` from its JSON."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from provenance import made_line

from speed import ppo
from speed.quality import STEPS_AHEAD
from worldmodels.core.errors import counted


def report(result: dict[str, Any]) -> str:
    """Every piece that was measured, now or earlier."""
    sections: dict[str, Callable[[dict[str, Any]], list[str]]] = {
        "dreamer": _dreamer,
        "next_frame": _next_frame,
        "ppo": partial(_ppo, "ppo", ppo.COINRUN),
        "impala": partial(_ppo, "impala", ppo.IMPALA),
        "atari": partial(_ppo, "atari", ppo.PONG),
        "quality": _quality,
    }
    lines = ["# Speed of training", ""]
    for name, section in sections.items():
        if name in result:
            lines += [*section(result[name]), ""]
    return "\n".join([*lines, made_line(result.values()), ""])


def _machine(piece: dict[str, Any]) -> str:
    machine = piece["machine"]
    return f"{counted(machine['cores'], 'core')} of {machine['processor']}, TensorFlow {machine['tensorflow']}."


def _product(piece: dict[str, Any]) -> str:
    product = piece["product"]
    return f"A product of two matrices of 2048 x 2048 reaches {product:.0f} GFLOP/s in float32 in the same run."


def _dreamer(piece: dict[str, Any]) -> list[str]:
    lines = [
        "## Dreamer",
        "",
        f"`python benchmarks/train_speed.py --only dreamer --updates {piece['updates']}`, {_machine(piece)} Figures "
        "are medians over updates made in turn. An update fits the model and improves the policy; frames/s counts the "
        "frames of its batch, 16 x 32 if the row names no others. `reference` is DreamerV2's layout; `peers.md` has "
        f"DreamerV2's own code beside it. {_product(piece)}",
        "",
        "| learner | precision | frames/s | best | processor s/update | policy step, 16 envs | world model weights |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in piece["rows"]:
        lines.append(
            f"| {row['learner']} | {row['precision']} | {row['frames_per_second']:,.0f} | "
            f"{row['best_frames_per_second']:,.0f} | {row['processor_seconds_per_update']:.3f} | "
            f"{row['policy_step_milliseconds']:.2f} ms | {row['parameters'] / 1e6:.2f}M |"
        )
    if peer := piece.get("dreamerv2"):
        ours = [row for row in piece["rows"] if row["learner"] == "reference"]
        ratios = [f"{row['frames_per_second'] / peer['frames_per_second']:.2f} in {row['precision']}" for row in ours]
        lines.append(
            f"| DreamerV2's own code | float32 | {peer['frames_per_second']:,.0f} | "
            f"{peer['best_frames_per_second']:,.0f} | {peer['processor_seconds_per_update']:.3f} | - | - |"
        )
        lines += ["", f"`reference` over DreamerV2's own code: {', '.join(ratios)}."]
    lines += [
        "",
        f"Image error (mean squared, pixels from 0 to 1) on held-out coinrun levels after {piece['updates']} updates "
        "on the same batches. The model sees none of the predicted steps:",
        "",
        "| | 1 step | 5 steps | 10 steps | 15 steps | mean of 1 to 15 |",
        "|---|---|---|---|---|---|",
    ]
    measured = [row for row in piece["rows"] if "image_error" in row]
    rows = {f"{row['learner']}, {row['precision']}": row["image_error"] for row in measured}
    rows["the last frame seen, copied"] = piece["rows"][0]["copy_image_error"]
    for name, error in rows.items():
        cells = [*(error[step - 1] for step in (1, 5, 10, 15)), sum(error) / len(error)]
        lines.append(f"| {name} | " + " | ".join(f"{cell:.5f}" for cell in cells) + " |")
    return lines


def _next_frame(piece: dict[str, Any]) -> list[str]:
    lines = [
        "## Next-frame models",
        "",
        f"`python benchmarks/train_speed.py --only next_frame --rounds {piece['rounds']}`, {_machine(piece)} Figures "
        "are medians of work in turn. A frame of training is a target frame of a window. A frame of simulation is one "
        "step of one rollout with image, reward and continuation. `simple` is the published stochastic model; "
        "`flow_small` draws a sample in three calls of its network, and the mean in one. "
        f"`peers.md` has tensor2tensor's code beside it. {_product(piece)}",
        "",
        "| preset | precision | weights | training, frames/s | simulation of one | of 16 |"
        " processor s/frame: training | simulation of 16 |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in piece["rows"]:
        lines.append(
            f"| {row['preset']} | {row['precision']} | {row['parameters'] / 1e6:.2f}M | {row['training']:,.1f} | "
            f"{row['simulation_1']:,.1f} | {row['simulation_16']:,.1f} |"
            f" {row['training_processor_seconds']:.4f} | {row['simulation_16_processor_seconds']:.4f} |"
        )
    return lines


def _ppo(name: str, world: ppo.World, piece: dict[str, Any]) -> list[str]:
    beside = piece["rows"].get(ppo.STABLE_BASELINES3)
    option = " --peer-python PYTHON_WITH_STABLE_BASELINES3" if beside else ""
    lines = [
        f"## PPO in {world.title}",
        "",
        f"`python benchmarks/train_speed.py --only {name} --iterations {piece['iterations']}{option}`, "
        f"{_machine(piece)} Figures are medians over iterations made in turn: {world.envs} environments of "
        f"{world.words}; {world.steps} steps, {world.passes} passes of minibatches of {world.minibatch:,}. "
        "A sample is one step of one environment, from the choice of the action to the update.",
        "",
        "| | samples/s | over Stable-Baselines3 | without the game | game, s/iteration | processor s/iteration |",
        "|---|---|---|---|---|---|",
    ]
    for name, row in piece["rows"].items():
        over = f"{row['samples_per_second'] / beside['samples_per_second']:.2f}" if beside else "-"
        lines.append(
            f"| {name} | {row['samples_per_second']:,.0f} | {over} | {row['without_the_game']:,.0f} | "
            f"{row['game_seconds']:.3f} | {row['processor_seconds']:.2f} |"
        )
    return lines


def _quality(piece: dict[str, Any]) -> list[str]:
    ahead = [f"{what}, {step}" for what in ("image", "reward") for step in STEPS_AHEAD]
    lines = [
        "## The quality of the small next-frame models",
        "",
        f"`python benchmarks/train_speed.py --only quality --seconds {piece['seconds']:.0f}`, {_machine(piece)} "
        f"Errors on held-out levels of {piece['game']}, by the number of steps ahead: mean squared errors of pixels "
        "from 0 to 1, and mean absolute errors of rewards. Both layouts learn from the same windows, with the "
        "optimizer and schedules of the small preset.",
        "",
        "| | updates | seconds | " + " | ".join(ahead) + " |",
        "|---" * (3 + len(ahead)) + "|",
    ]
    for row in piece["rows"]:
        cells = [*(f"{x:.4f}" for x in row["image_error"]), *(f"{x:.3f}" for x in row["reward_error"])]
        lines.append(f"| {row['name']} | {row['updates']} | {row['seconds']:.0f} | " + " | ".join(cells) + " |")
    if piece["rows"]:
        still = piece["rows"][0]
        cells = [*(f"{x:.4f}" for x in still["copy_error"]), *(f"{x:.3f}" for x in still["constant_reward_error"])]
        lines.append("| the last frame seen, copied; no reward | - | - | " + " | ".join(cells) + " |")
    return lines
