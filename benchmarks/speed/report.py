"""The tables of `benchmarks/train_speed.py`, from its JSON."""

from __future__ import annotations

from typing import Any

from speed.dreamer import POLICY_TARGET
from speed.quality import STEPS_AHEAD


def report(result: dict[str, Any]) -> str:
    """Every piece that was measured, now or earlier."""
    sections = {"dreamer": _dreamer, "next_frame": _next_frame, "ppo": _ppo, "quality": _quality}
    lines = ["# Speed of training", ""]
    for name, section in sections.items():
        if name in result:
            lines += [*section(result[name]), ""]
    return "\n".join(lines)


def _machine(piece: dict[str, Any]) -> str:
    machine = piece["machine"]
    return f"{machine['cores']} cores of {machine['processor']}, TensorFlow {machine['tensorflow']}."


def _dreamer(piece: dict[str, Any]) -> list[str]:
    lines = [
        "## Dreamer",
        "",
        f"`python benchmarks/train_speed.py --only dreamer --updates {piece['updates']}`, {_machine(piece)} Medians "
        "over updates made in turn; frames are those of the batch, per second of fitting the model and improving the "
        "policy together.",
        "",
        "| learner | frames/s | target | processor s/update | policy step, 16 envs | world model weights |",
        "|---|---|---|---|---|---|",
    ]
    for name, row in piece["learners"].items():
        lines.append(
            f"| {name} | {row['frames_per_second']:,.0f} | {row['target']:,.0f} | "
            f"{row['processor_seconds_per_update']:.3f} | {row['policy_step_milliseconds']:.2f} ms | "
            f"{row['parameters'] / 1e6:.2f}M |"
        )
    lines += [
        "",
        f"The target for a policy step is {POLICY_TARGET:.0f} ms. Image error (mean squared, pixels from 0 to 1) on "
        f"held-out coinrun levels after {piece['updates']} updates on the same batches, predicting without looking:",
        "",
        "| | 1 step | 5 steps | 10 steps | 15 steps | mean of 1 to 15 |",
        "|---|---|---|---|---|---|",
    ]
    rows = {name: row["image_error"] for name, row in piece["learners"].items()}
    rows["the last frame seen, copied"] = piece["learners"]["reference"]["copy_image_error"]
    for name, error in rows.items():
        cells = [*(error[step - 1] for step in (1, 5, 10, 15)), sum(error) / len(error)]
        lines.append(f"| {name} | " + " | ".join(f"{cell:.5f}" for cell in cells) + " |")
    return lines


def _next_frame(piece: dict[str, Any]) -> list[str]:
    lines = [
        "## Next-frame models",
        "",
        f"`python benchmarks/train_speed.py --only next_frame --rounds {piece['rounds']}`, {_machine(piece)} Medians, "
        "in turn. A frame of training is a target after the frames that a window begins with; one of simulation is a "
        "step of one rollout with its image, reward and continuation. tensor2tensor's code at the published sizes, on "
        "two cores: 1.4 (stochastic) and 3.9 (deterministic) frames/s of training, 4.5 of simulation.",
        "",
        "| preset | weights | training, frames/s | processor s/frame | simulation of one | of 16 | processor s/frame |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, row in piece["learners"].items():
        speeds = [_beside(row, what) for what in ("training", "simulation_1", "simulation_16")]
        lines.append(
            f"| {name} | {row['parameters'] / 1e6:.2f}M | {speeds[0]} | {row['training_processor_seconds']:.4f} | "
            f"{speeds[1]} | {speeds[2]} | {row['simulation_16_processor_seconds']:.4f} |"
        )
    return lines


def _beside(row: dict[str, Any], what: str) -> str:
    target = row["targets"].get(what)
    return f"{row[what]:,.1f}" + (f" (target {target:,.1f})" if target else "")


def _ppo(piece: dict[str, Any]) -> list[str]:
    peer = " --peer-python PYTHON_WITH_STABLE_BASELINES3" if "stable_baselines3" in piece["rows"] else ""
    lines = [
        "## PPO in the real game",
        "",
        f"`python benchmarks/train_speed.py --only ppo --iterations {piece['iterations']}{peer}`, {_machine(piece)} "
        "Medians over iterations made in turn: 16 environments of coinrun, 128 steps, the Nature network on one "
        "frame, three passes of minibatches of 256. A sample is one step of one environment, acted, played and "
        "learned from. The "
        f"target without the game's own time is {piece['target']:,.0f} samples/s; on another day such a machine ran "
        f"Stable-Baselines3 at {piece['peer_elsewhere']:,.0f}.",
        "",
        "| | samples/s | without the game | game, s/iteration | processor s/iteration |",
        "|---|---|---|---|---|",
    ]
    names = {"ours": "ours", "stable_baselines3": "Stable-Baselines3"}
    for name, row in piece["rows"].items():
        lines.append(
            f"| {names[name]} | {row['samples_per_second']:,.0f} | {row['without_the_game']:,.0f} | "
            f"{row['game_seconds']:.3f} | {row['processor_seconds']:.2f} |"
        )
    return lines


def _quality(piece: dict[str, Any]) -> list[str]:
    ahead = [f"{what}, {step}" for what in ("image", "reward") for step in STEPS_AHEAD]
    lines = [
        "## What the small next-frame models give away",
        "",
        f"`python benchmarks/train_speed.py --only quality --seconds {piece['seconds']:.0f}`, {_machine(piece)} "
        f"Errors on held-out levels of {piece['game']}, so many steps ahead without looking: mean squared of pixels "
        "from 0 to 1, mean absolute of rewards. Both layouts learn the same windows, with the small preset's optimizer "
        "and schedules.",
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
