"""What the tests of both architectures, Python's and the C++ sources', look for and how they say it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping


def circles(graph: Mapping[str, Iterable[str]]) -> list[str]:
    """Return the ways "a -> b -> a" on which something depends on itself; `graph` says on what each depends."""
    done: set[str] = set()

    def visit(name: str, path: list[str]) -> Iterator[str]:
        if name in path:
            yield " -> ".join([*path[path.index(name) :], name])
        elif name not in done:
            for target in sorted(graph.get(name, ())):
                yield from visit(target, [*path, name])
            done.add(name)

    return [circle for name in graph for circle in visit(name, [])]


def report(problems: list[str]) -> None:
    """Fail with a line for each problem, if there is any."""
    assert not problems, "\n" + "\n".join(problems)
