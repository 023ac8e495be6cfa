"""Makes `import worldmodels` enough for `gymnasium.make("worldmodels/Maze-v0")`, without importing Gymnasium.

Gymnasium has no entry points for environments: a package has to register them itself when it is imported. Importing
Gymnasium and the native games for that would slow down every command that needs neither, so the registration waits for
Gymnasium to be imported by somebody else.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType


def announce() -> None:
    """Registers the games now if Gymnasium is there already, otherwise as soon as it is imported."""
    if "gymnasium.envs" in sys.modules:
        _register()
    elif not any(isinstance(finder, _Registrar) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Registrar())


def _register() -> None:
    try:
        from worldmodels.envs.registration import register
    except ImportError:
        return  # the native games are not built; whoever asks for one is told so, nobody else is disturbed
    register()


class _Registrar(MetaPathFinder, Loader):
    """Lets the usual machinery load `gymnasium.envs`, then registers the games; works once."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != "gymnasium.envs":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        if spec is not None and spec.loader is not None:
            self._loader, spec.loader = spec.loader, self
        return spec

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        if module.__spec__ is not None:
            module.__spec__.loader = module.__loader__ = self._loader
        self._loader.exec_module(module)
        _register()
