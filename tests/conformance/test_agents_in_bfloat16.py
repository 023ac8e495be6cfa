"""One agent of each kind goes through the kit in bfloat16; a file of its own, since two processes share the files."""

from __future__ import annotations

import members
import pytest


@pytest.mark.usefixtures("bfloat16")
@pytest.mark.parametrize(("config", "check", "spec"), members.agent_cases(members.one_of_each_kind(members.AGENTS)))
def test_contract(config, check, spec):
    check(config, spec)
