"""`python -m worldmodels` is the command `worldmodels`."""

import sys

from worldmodels.cli import main

sys.exit(main())
