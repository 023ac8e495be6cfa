"""Calls a function in a process of its own: graphs keep their weights as long as a process lives."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from multiprocessing import get_context
from typing import Any


def call(function: str, *arguments: Any) -> Any:
    """What "package.module:name" returns; the module is imported there alone, after TensorFlow."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(_call, function, arguments).result()


def _call(function: str, arguments: tuple[Any, ...]) -> Any:
    from worldmodels.loading.quiet import load_tensorflow

    load_tensorflow()
    module, name = function.split(":")
    return getattr(import_module(module), name)(*arguments)
