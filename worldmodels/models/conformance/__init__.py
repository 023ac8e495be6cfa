"""The conformance kit checks every kind of model, of this package or of another.

    from worldmodels.models.conformance import check_model
    check_model(MyConfig(units=8))

The kind must be registered (`worldmodels.models.register_model`), and its configuration a frozen dataclass. Make it
small: graphs are traced for every check. The image size is one that no layout is made for. Inside `building_in` models
are built in that precision (`models/precision.py`); one has to keep its contract in both:

    from worldmodels.models.precision import building_in
    with building_in("bfloat16"):
        check_model(MyConfig(units=8))
"""

from __future__ import annotations

from collections.abc import Callable

from worldmodels.core.errors import ConformanceError
from worldmodels.models.config import ModelConfig
from worldmodels.models.conformance import latents, representation, world_model
from worldmodels.models.conformance.samples import SPACES

__all__ = ["ConformanceError", "check_model", "model_checks"]

Check = Callable[[ModelConfig], None]


def model_checks(config: ModelConfig) -> tuple[Check, ...]:
    """Return the checks that a model must pass; each takes its configuration and raises ConformanceError."""
    spec = config.spec(*SPACES)
    of_latents = latents.CHECKS if spec.latent_groups else ()
    of_samples = world_model.CHECKS_OF_SAMPLES if spec.calls else ()
    return representation.CHECKS + (world_model.CHECKS if spec.imagines else ()) + of_latents + of_samples


def check_model(config: ModelConfig) -> None:
    """Check that the model of a configuration keeps the contract of `models/api.py`.

    Raises:
        ConformanceError: a check fails; the text has the kind, the check, the expected and the found value.
    """
    for check in model_checks(config):
        try:
            check(config)
        except ConformanceError as error:
            raise ConformanceError(f"The model '{config.kind}' fails {check.__name__}: {error}") from error
