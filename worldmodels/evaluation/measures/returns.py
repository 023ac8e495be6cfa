"""Measures the returns of a player over a grid of no-ops and temperatures, beside those of random and of blind play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from worldmodels.acting.actor import RandomActor
from worldmodels.analysis.plots.evaluation_plots import plot_grid
from worldmodels.analysis.runs.reference_scores import normalised_return
from worldmodels.analysis.statistics.bootstrap import Estimate, difference
from worldmodels.config.run_config import EvaluationConfig
from worldmodels.core.errors import counted
from worldmodels.core.specs import ObservationSpec
from worldmodels.envs.config import EnvConfig
from worldmodels.envs.games.levels import mode_of, returns_within
from worldmodels.evaluation.evaluator import Evaluator
from worldmodels.evaluation.measure import Extras, Measure, Occasion
from worldmodels.evaluation.playing.episode_film import EpisodeFilm
from worldmodels.evaluation.playing.policy_returns import Episodes
from worldmodels.evaluation.report.numbers import metrics_tree, number
from worldmodels.telemetry.run_table import print_table


class GridSetting(NamedTuple):
    """The setting under which one cell of the grid is played."""

    temperature: float
    """The temperature of the policy's sampling: 0 is greedy."""
    noops: int
    """The most no-ops at the start of an episode."""
    model_temperature: float | None = None
    """The temperature of the world model's sampling, where the actions are planned in it."""

    @property
    def name(self) -> str:
        """The setting as it stands in the names of metrics and files: "t0.5_noops8"."""
        model = "" if self.model_temperature is None else f"_model{self.model_temperature:g}"
        return f"t{self.temperature:g}{model}_noops{self.noops}"


class Cell(NamedTuple):
    """The episodes that were played under one setting, on the same levels as every other cell."""

    setting: GridSetting
    policy: Episodes
    random: Episodes
    """The episodes of the random policy, with as many no-ops."""
    blind: Episodes | None = None
    """The episodes of the best policy that sees nothing; None if none was searched in this environment."""

    @property
    def baselines(self) -> dict[str, Episodes]:
        """The episodes of policies that learned nothing, by their names."""
        return {"random": self.random, **({} if self.blind is None else {"blind": self.blind})}

    def advantages(self, env: EnvConfig) -> dict[str, Estimate]:
        """Return by how much the policy's mean return exceeds that of each baseline, with the 95 % interval."""
        span = returns_within(env)
        return {
            name: difference(self.policy.returns, played.returns, within=span)
            for name, played in self.baselines.items()
        }


class ReturnGrid(NamedTuple):
    """All cells of a grid, and who played them where."""

    cells: list[Cell]
    films: dict[str, EpisodeFilm]
    """The films of the first episodes of each cell, by the name of its setting."""
    env: EnvConfig
    agent: str


def play_grid(evaluator: Evaluator, occasion: Occasion) -> ReturnGrid:
    """Play the policy, or another player, in the real world under each setting."""
    cells, films, plans = [], dict[str, EpisodeFilm](), occasion.planner is not None
    actor = _actor(evaluator, occasion)
    image = filmed_part(evaluator.spec.observation)
    for setting in grid_settings(evaluator.settings, plans, occasion.agent != "random"):
        evaluator.report(f"Playing {counted(evaluator.settings.episodes, 'episode')}, {setting.name}")
        actor.reset(evaluator.streams.key(f"policy {setting.temperature} {setting.noops}"), setting.temperature)
        if plans:
            actor.set_model_temperature(setting.model_temperature)
        film = EpisodeFilm(occasion.videos, image) if occasion.videos and image is not None else None
        played, noops = evaluator.play(actor, setting.noops, film), setting.noops
        cells.append(Cell(setting, played, evaluator.random_play(noops), evaluator.blind_play(noops)))
        if film is not None:
            films[setting.name] = film
    return ReturnGrid(cells, films, evaluator.config.env, occasion.agent)


def _actor(evaluator: Evaluator, occasion: Occasion) -> Any:
    if occasion.planner is not None:
        return evaluator.planner(occasion.planner)
    if occasion.agent == "random":
        return RandomActor(evaluator.spec.action, evaluator.streams.generator("random player"))
    return evaluator.actor


def filmed_part(observation: ObservationSpec) -> str | None:
    """Return the name of the part of observations that a film shows, if any: the first image of 3 colours or of 1, or
    else the first image."""
    plain = [name for name, part in observation.parts if part.is_image and part.shape[-1] in (1, 3)]
    return next(iter([*plain, *observation.images]), None)


def grid_settings(config: EvaluationConfig, plans: bool = False, samples: bool = True) -> list[GridSetting]:
    """Return all settings: by no-ops, then by temperature, then by the model's temperature.

    Args:
        plans: the player uses the world model, so that its temperature matters.
        samples: the player uses the policy, so that its temperature matters.
    """
    model_temperatures = config.model_temperatures if plans else (None,)
    return [
        GridSetting(temperature, noops, model_temperature)
        for noops in config.noops
        for temperature in (config.temperatures if samples else (1.0,))
        for model_temperature in model_temperatures
    ]


def grid_metrics(cells: Sequence[Cell], games: Sequence[str], agent: str = "policy") -> dict[str, float]:
    """Return the grid as metrics, with the agent's name in front if it is not the policy: `eval/planner_return`.

    The first cell, of the first temperature and number of no-ops that are configured, is the headline `eval/return`.
    Each cell of a larger grid has a name of its own: `eval/return_t0.5_noops8`, and `eval/return_t0.5_noops8_clipped`.
    """
    head = cells[0].policy
    result = head.estimate()
    metrics = {
        "eval/return": result.mean,
        "eval/return_standard_error": result.standard_error,
        "eval/return_clipped": head.clipped_estimate().mean,
        **{f"eval/{name}_return": played.estimate().mean for name, played in cells[0].baselines.items()},
        "eval/length": float(head.lengths.mean()),
        "eval/unfinished": float(head.unfinished),
        **{f"eval/{name}": mean for name, mean in head.info_means().items()},
    }
    if len(games) > 1:
        metrics |= {f"eval/return_{game}": part.estimate().mean for game, part in head.by_game(games).items()}
    for setting, policy, *_ in cells if len(cells) > 1 else ():
        metrics[f"eval/return_{setting.name}"] = policy.estimate().mean
        metrics[f"eval/return_{setting.name}_clipped"] = policy.clipped_estimate().mean
    if agent == "policy":
        return metrics
    return {name.replace("/", f"/{agent}_", 1): value for name, value in metrics.items()}


def print_grid(grid: ReturnGrid, levels: str) -> None:
    """Print the returns on some levels, and how they compare with random and blind play."""
    cells, _, env, agent = grid
    played = [(cell.setting.noops, player(cell.setting, agent), cell.policy) for cell in cells]
    baselines = {cell.setting.noops: cell.baselines for cell in cells}
    played += [(noops, name, found) for noops, own in baselines.items() for name, found in own.items()]
    rows = [_played(*setting, env) for setting in played]
    if len(env.games) > 1:
        rows += [
            _played(noops, f"{name}, {game}", part, replace(env, game=game))
            for noops, name, episodes in played
            for game, part in episodes.by_game(env.games).items()
        ]
    columns = ["policy", "no-ops", "n", "return", "95 %", "clipped", "unfinished"]
    where = ", ".join(filter(None, (env.game, mode_of(env), levels)))
    print_table(f"Returns in {where}", columns, rows)
    columns = ["policy", "no-ops", "steps", "minus", "difference", "95 %", "normalised"]
    print_table("Compared", columns, [row for cell in cells for row in _compared(cell, env, agent)])


def player(setting: GridSetting, agent: str = "policy") -> str:
    """Return who played a cell, in few words: "temp. 0.5", "planner, temp. 1, model 0.5"."""
    if agent == "random":
        return "random again"
    name = f"temp. {setting.temperature:g}" if setting.temperature else "greedy"
    if setting.model_temperature is None:
        return name
    return f"{agent}, {name}, model {setting.model_temperature:g}"


def _noops(count: int) -> str:
    return f"1 to {count}" if count else "0"


def _played(noops: int, name: str, episodes: Episodes, env: EnvConfig) -> list[str]:
    result, clipped = episodes.estimate(returns_within(env)), episodes.clipped_estimate()
    interval = f"{number(result.low)} to {number(result.high)}"
    numbers = [str(result.n), number(result.mean), interval, number(clipped.mean), str(episodes.unfinished)]
    return [name, _noops(noops), *numbers]


def _compared(cell: Cell, env: EnvConfig, agent: str) -> list[list[str]]:
    """Return a row for each baseline."""
    normalised = normalised_return(env.game, env.distribution_mode, cell.policy.estimate().mean)
    scaled = "" if normalised is None else number(normalised, 3)
    steps = f"{cell.policy.lengths.mean():.0f}"
    return [
        [
            *(player(cell.setting, agent), _noops(cell.setting.noops), steps),
            *(name, f"{above.mean:+.2f}", f"{number(above.low)} to {number(above.high)}", scaled),
        ]
        for name, above in cell.advantages(env).items()
    ]


def grid_tree(grid: ReturnGrid) -> list[dict[str, Any]]:
    """Return the grid, every episode included."""
    return [
        {
            **cell.setting._asdict(),
            "policy": _episodes_tree(cell.policy, grid.env),
            **{name: _episodes_tree(played, grid.env) for name, played in cell.baselines.items()},
            **{f"above_{name}": metrics_tree(above._asdict()) for name, above in cell.advantages(grid.env).items()},
        }
        for cell in grid.cells
    ]


def _episodes_tree(episodes: Episodes, env: EnvConfig) -> dict[str, Any]:
    tree = _game_tree(episodes, env)
    if len(env.games) > 1:
        parts = episodes.by_game(env.games)
        tree["games"] = {name: _game_tree(part, replace(env, game=name)) for name, part in parts.items()}
    return tree


def _game_tree(episodes: Episodes, env: EnvConfig) -> dict[str, Any]:
    result = episodes.estimate(returns_within(env))
    return {
        **metrics_tree(result._asdict()),
        "clipped": metrics_tree(episodes.clipped_estimate()._asdict()),
        "normalised": normalised_return(env.game, env.distribution_mode, result.mean),
        "mean_length": float(episodes.lengths.mean()),
        "info": episodes.info_means(),
        "unfinished": episodes.unfinished,
        "returns": episodes.returns.tolist(),
        "clipped_returns": episodes.clipped_returns.tolist(),
        "lengths": episodes.lengths.tolist(),
        "finished": episodes.finished.tolist(),
    }


def draw_grid(grid: ReturnGrid, save: Path) -> Path:
    """Draw the grid as a heat map, a column for each temperature and baseline; return the path."""
    cells, _, env, agent = grid
    noops = sorted({cell.setting.noops for cell in cells})
    lines = [[cell for cell in cells if cell.setting.noops == count] for count in noops]
    columns = [*cells[0].baselines, *(player(cell.setting, agent) for cell in lines[0])]
    played = [[*line[0].baselines.values(), *(cell.policy for cell in line)] for line in lines]
    return plot_grid(
        [[episodes.estimate(returns_within(env)) for episodes in line] for line in played],
        [f"1 to {count} no-ops" if count else "no no-ops" for count in noops],
        columns,
        save,
        f"Return in {env.game}",
        [[_note(episodes) for episodes in line] for line in played],
    )


def _note(episodes: Episodes) -> str:
    """Return the further line of a cell: the clipped return where it differs, and how many episodes were cut."""
    clipped = episodes.clipped_estimate().mean
    notes = [f"clipped {clipped:.2f}"] if clipped != episodes.estimate().mean else []
    notes += [f"{episodes.unfinished} unfinished"] if episodes.unfinished else []
    return ", ".join(notes)


def _films(grid: ReturnGrid, evaluator: Evaluator, occasion: Occasion) -> Extras:
    """Return the films with the actions that replay them; during training only the film of the first cell."""
    if not grid.films:
        missing = f"There is no film: '{grid.env.game}' shows no images in colour or in grey."
        return Extras(message=missing if occasion.videos and occasion.kind != "training" else "")
    if occasion.kind == "training":
        return Extras(videos={"policy": next(iter(grid.films.values())).frames()})
    seeds = evaluator.level_seeds()
    recordings = {} if seeds is None else {name: film.recordings(grid.env, seeds) for name, film in grid.films.items()}
    return Extras({name: film.frames() for name, film in grid.films.items()}, recordings)


RETURNS = Measure(
    name="returns",
    run=play_grid,
    metrics=lambda grid: grid_metrics(grid.cells, grid.env.games, grid.agent),
    needs=("policy",),
    occasions=("real", "player", "training", "shift"),
    table=print_grid,
    tree=grid_tree,
    picture=draw_grid,
    extras=_films,
    over_steps=("return", "return_clipped", "planner_return", "planner_return_clipped"),
)
"""The returns of a player in the real game."""
