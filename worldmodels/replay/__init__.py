"""Experience on disk and in memory: steps are appended, windows of consecutive steps are sampled."""

from worldmodels.replay.config import ReplayConfig
from worldmodels.replay.reader import ReplayReader
from worldmodels.replay.sampling import previous_actions
from worldmodels.replay.stream import Replay

__all__ = ["Replay", "ReplayConfig", "ReplayReader", "previous_actions"]
