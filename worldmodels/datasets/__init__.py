"""Recorded experience in the formats of other tools: every format is a source of steps, and a way to write one."""

from worldmodels.datasets.places import check_free, is_file, open_source, write
from worldmodels.datasets.source import DatasetSpec, ResizedSource, Source, steps_of

__all__ = ["DatasetSpec", "ResizedSource", "Source", "check_free", "is_file", "open_source", "steps_of", "write"]
