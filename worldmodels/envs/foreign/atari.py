"""Atari's games (`ale_py`): their states, and actions that repeat at random in a way that a state can hold."""

from __future__ import annotations

from typing import Any

from worldmodels.core.errors import UserError

STICKY = "repeat_action_probability"


class StickyConsole:
    """A console of Atari that repeats actions by the environment's generator, as ALE does by its own.

    ALE leaves out of its states which action was the last. Everything but `act` and `reset_game` is ALE's.

    Args:
        env: the `AtariEnv` whose console it becomes.
        probability: of each frame, that the action of the frame before is repeated (Machado et al., 2018,
            arXiv:1709.06009).
    """

    def __init__(self, env: Any, probability: float) -> None:
        from ale_py import Action

        self._env, self._ale = env, env.ale
        self.probability = probability
        self._nothing = Action.NOOP, 1.0
        self.last: tuple[Any, float] = self._nothing
        """The action of the frame before, and the strength with which the stick was held."""

    def act(self, action: Any, strength: float = 1.0) -> Any:
        """Take a frame; return its reward."""
        if self._env.np_random.random() >= self.probability:
            self.last = action, float(strength)
        return self._ale.act(*self.last)

    def reset_game(self) -> None:
        """Begin a game, in which nothing was done yet."""
        self.last = self._nothing
        self._ale.reset_game()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ale, name)


def make_sticky(env: Any) -> None:
    """Let a `StickyConsole` repeat the actions of an `AtariEnv`, where ALE would."""
    probability = env.ale.getFloat(STICKY)
    if probability:
        env.ale.setFloat(STICKY, 0.0)
        env.load_game()  # which reads it
        env.ale = StickyConsole(env, probability)


def can_save_atari(env: Any) -> bool:
    """Return whether an `AtariEnv` can be saved: not where ALE itself repeats its actions."""
    return not env.ale.getFloat(STICKY)


def save_atari(env: Any) -> dict[str, Any]:
    """Return the state of an `AtariEnv`."""
    last = [env.ale.last[0].value, env.ale.last[1]] if isinstance(env.ale, StickyConsole) else None
    return {"console": bytes(env.ale.cloneState(include_rng=True).serialize()), "last": last}


def load_atari(env: Any, tree: dict[str, Any]) -> None:
    """Take over what `save_atari` gave. Raises `UserError` for bytes that are no state."""
    from ale_py import Action, ALEState

    try:
        state = ALEState(tree["console"])
    except (RuntimeError, ValueError) as error:
        raise UserError(f"These bytes are no state of an Atari console: {error}.") from error
    env.ale.restoreState(state)
    if isinstance(env.ale, StickyConsole):
        action, strength = tree["last"]
        env.ale.last = Action(action), strength
